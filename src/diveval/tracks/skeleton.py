"""A new track: a folder with every key written out, a secret, and the first event of the record."""

from __future__ import annotations

import datetime
import secrets
from pathlib import Path
from typing import Any

from diveval.errors import UsageError
from diveval.tracks import disk
from diveval.tracks.config import SPEC, Config
from diveval.tracks.folder import Track
from diveval.tracks.keys import ABSENT, KEYS, REQUIRED, Key
from diveval.validation.declared import Topics

TEAMS = """# The teams. Not copied to the site before release; in the record a team is a keyed pseudonym.
# role: participant (default), baseline or organiser. anonymous counts where names.after_release is "team-choice".
[[team]]
id = "organiser"
name = "Track organisers"
contact = ""
role = "baseline"

# [[team]]
# id = "alpha"
# name = "University of Alpha"
# contact = "alpha@example.org"
"""
IGNORE = (
    "# What must not be published before release: runs, names and addresses, judgments, numbers from held-back topics,\n"
    "# what topics ask for beyond the query, and bundles for platforms, which have judgments.\n"
    "private/\ninbox/\nstore/\nverdicts/\nscores/\nboards/\ndata/\nexport/\nteams.toml\nrecord.lock\n.*.part\n.*.old\n"
)
TOPICS = (
    b"# One topic id per line (or replace this file by TREC topics), then: diveval track decide config --reason TEXT\n"
)
MOST_OF_A_TEAM = 1 << 31  # bytes: rejected files are kept too, and would else fill the disk
FOLDERS = ("data", "private", "inbox", "store", "verdicts", "scores", "boards")


def toml_value(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, list):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    if isinstance(value, str):
        plain = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in plain) + '"'
    return repr(value)


def config_text(chosen: dict[str, Any]) -> str:
    """`track.toml` with every key, its value and its meaning."""
    lines = ["# A shared task evaluated with diveval. After a change: diveval track decide config --reason TEXT"]
    table = ""
    for key in KEYS:
        value = chosen.get(key.name, key.default)
        if value is REQUIRED:
            raise UsageError("missing-key", f"{key.name} is needed: {key.meaning}")
        above, _, name = key.name.rpartition(".")
        if key.kind == "table" and value is ABSENT:
            lines.append(f"# [{key.name}]  # {key.meaning}")
            continue
        if key.kind == "table":
            rows = [f"{toml_value(k)} = {toml_value(v)}" for k, v in value.items()]
            lines += ["", f"[{key.name}]  # {key.meaning}", *rows]
            continue
        if above != table:
            lines += ["", f"[{above}]"]
            table = above
        choices = f" ({', '.join(key.choices)})" if key.choices else ""
        setting = f"# {name} = {_example(key)}" if value is ABSENT else f"{name} = {toml_value(value)}"
        lines.append(f"{setting}  # {key.meaning}{choices}")
    return "\n".join(lines) + "\n"


def _example(key: Key) -> str:
    """A value for a key that is left out, as a comment."""
    return "2027-01-01T00:00:00Z" if key.kind == "time" else toml_value(key.choices[0]) if key.choices else "1"


def init(folder: Path, chosen: dict[str, Any], topics: bytes | None = None, *, wait: float = 30.0) -> list[str]:
    """Make the folder, which must be empty or missing; returns the files written.

    Without `topics` the list of topics is empty, and nothing can be validated until it is filled in.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(
            "folder-not-empty", f"{folder}: a new track needs an empty folder, or one that does not exist yet"
        )
    limits = {"submission.max_bytes_per_team": MOST_OF_A_TEAM}
    chosen = {"spec": SPEC, "data.topics": "data/topics.txt", **limits, **chosen}
    text = config_text(chosen)
    Config.parse(text.encode())  # before anything is written
    if topics is not None:
        Topics.parse(topics, "topics")
    for name in FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True)
    files = {
        "track.toml": text.encode(),
        "teams.toml": TEAMS.encode(),
        chosen["data.topics"]: TOPICS if topics is None else topics,
        ".gitignore": IGNORE.encode(),
    }
    for name, data in files.items():
        disk.write(folder / name, data)
    disk.write(folder / "private" / "secret", secrets.token_hex(32).encode() + b"\n", mode=0o600)
    (folder / "private").chmod(0o700)
    track = Track(folder)
    fields: dict[str, Any] = {"track": track.config.id, "spec": SPEC, **track.sums()}
    track.keep_config()
    with track.writing(wait):
        track.add("opened", **fields)
    return [*files, "private/secret", "record.jsonl"]
