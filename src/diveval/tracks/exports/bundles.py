"""What the bundles for platforms share: the reference folder, programs and pages, YAML as platforms read it, and checks.

The reference folder is what a platform needs to validate and score a run: the kit, judgments of some topics, and the
rules of scoring. The checks are those of the platforms' own code, each confirmed by running it (Codabench c7dbc756,
EvalAI 0f040392, TIRA client 0.0.207). Where a platform accepts something that goes wrong later (a time without quotes,
no image), the check here is stricter.
"""

from __future__ import annotations

import datetime
import json
import math
import re
import struct
import zlib
from collections.abc import Collection, Iterator, Mapping
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

from diveval import __version__
from diveval.errors import DivevalError, UsageError, need, quote
from diveval.reading.source import read_lines
from diveval.tracks.folder import Track
from diveval.tracks.grading import RULES
from diveval.tracks.keys import MOST_LABEL
from diveval.tracks.kit import kit
from diveval.tracks.scorings import Truth, options_table, truth_of
from diveval.validation.rules import json_bytes

OPEN, HELD_BACK = "open", "held_back"
BY_LINES = ("trec", "ntcir", "evall")  # formats whose lines begin with their topic
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


def platform_time(moment: datetime.datetime) -> str:
    """UTC without an offset: platforms drop an offset, and read a time without one as UTC."""
    return moment.astimezone(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


def labels(track: Track) -> list[str]:
    """The names of the metrics on a platform, in the order of the configuration."""
    names = [track.config.label(metric) for metric in track.config.metrics]
    for label in names:
        if len(label) > MOST_LABEL or ":" in label or not label.isprintable():
            raise UsageError(
                "missing-key",
                f"the metric {label} needs a short name for platforms, at most {MOST_LABEL} characters without a colon",
                hint="give it one in [scoring.labels]",
            )
    return names


def need_image(track: Track, platform: str) -> str:
    """The container image; without one a platform would use an old Python."""
    image = str(track.config["export.image"])
    if not image:
        raise UsageError(
            "missing-key",
            f"export.image is empty in track.toml: {platform} needs an image with Python 3.10 or newer and"
            f" diveval[track]=={__version__}",
        )
    return image


def reference(track: Track, *, held_back: bool, qrels: str = "qrels.txt") -> tuple[dict[str, bytes], dict[str, Any]]:
    """The files of a reference folder, and the rules in them; with `held_back`, judgments of held-back topics too."""
    judged, gmax = track.judged, track.config["scoring.gmax"]
    truth = truth_of(track, judged, track.config)
    closed = sorted(truth.held_back & set(truth.judgments.topics))
    splits = {OPEN: [topic for topic in truth.judgments.topics if topic not in closed]}
    if held_back and closed:
        splits[HELD_BACK] = closed
    if not splits[OPEN]:
        raise UsageError(
            "no-judgment", "every judged topic is held back until release: there is nothing to score with on a platform"
        )
    included = {topic for topics in splits.values() for topic in topics}
    # The highest grade is that of all judgments: those of the included topics may lack it.
    highest = {"gmax": float(truth.judgments.highest) if gmax == "file" else gmax}
    rules = {
        "diveval": __version__,
        "qrels": qrels,
        "metrics": track.config.metrics,
        "labels": labels(track),
        "options": options_table(track.config) | highest,
        "splits": splits,
    }
    files = {RULES: json_bytes(rules), "kit.zip": kit(track), qrels: _qrels(track, judged, truth, included)}
    weights, efforts = track.find_judgments(judged, "weights"), track.find_judgments(judged, "efforts")
    if weights:
        files["weights.txt"] = _keep_lines(weights, included)
    if efforts:
        files["efforts.txt"] = efforts.read_bytes()
    return files, rules


def _qrels(track: Track, judged: dict[str, Any], truth: Truth, topics: Collection[str]) -> bytes:
    path = track.find_judgments(judged, "qrels")
    assert path is not None
    if set(topics) == set(truth.judgments.topics):
        return path.read_bytes()
    if truth.judgments.format not in BY_LINES:
        raise UsageError(
            "unknown-format",
            f"judgments in the format {truth.judgments.format} cannot be divided by topics",
            hint="convert them to trec with `diveval data convert qrels`, and decide judged again",
        )
    return _keep_lines(path, topics)


def _keep_lines(path: Path, topics: Collection[str]) -> bytes:
    """The lines of some topics, unchanged."""

    def topic_of(line: str) -> str:
        first = line.split("\t", 1)[0] if line.startswith('"') else line.split(maxsplit=1)[0]
        return first.strip().strip('"')

    return "".join(f"{line}\n" for _, line in read_lines(path) if topic_of(line) in topics).encode()


# --- programs and pages -----------------------------------------------------------------------------------------------


def program(name: str) -> bytes:
    """The source of a program of a bundle, a file in `bundled/`."""
    return (resources("diveval.tracks.exports") / "bundled" / name).read_bytes()


def requirements() -> bytes:
    """The version that computed the track's numbers."""
    return f"diveval[track]=={__version__}\n".encode()


def task_page(track: Track) -> str:
    """What participants send."""
    config = track.config
    limit = config["submission.max_documents"]
    return (
        f"# {config['track.title']}\n\n"
        f"Submit one run file ({config['submission.format']}): topic Q0 document rank score tag, at most {limit}"
        f" documents per topic, all {len(track.topics)} topics.\n"
        f"Official metric: {config.official}.\n"
        f"Check your run at home with the kit: diveval track validate --track kit.zip my.run\n"
    )


def terms_page(track: Track) -> str:
    """What happens to a run; platforms refuse an empty page."""
    licence = track.config["track.licence"] or "the terms of the organisers"
    contact = track.config["track.contact"]
    asked = f" Questions: {contact}." if contact else ""
    return f"Runs are kept, and published after release under {licence}.{asked}\n"


def logo() -> bytes:
    """A grey square as PNG: the platforms require a picture."""
    side = 16

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\x00" + b"\x60\x70\x80" * side for _ in range(side))
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def yaml_text(value: dict[str, Any]) -> str:
    """A table as YAML in block style, every text in double quotes, so that no time is taken for a number."""
    return "".join(f"{line}\n" for line in _lines(value))


def _lines(value: Any) -> Iterator[str]:
    rows = [(f"{_key(k)}:", v) for k, v in value.items()] if isinstance(value, dict) else [("-", v) for v in value]
    for head, inner in rows:
        if not isinstance(inner, (dict, list)) or not inner:
            yield f"{head} {json.dumps(inner, ensure_ascii=False)}"
            continue
        nested = list(_lines(inner))
        if head == "-":
            yield f"- {nested[0]}"
            yield from (f"  {line}" for line in nested[1:])
        else:
            yield head
            yield from (f"  {line}" for line in nested)


def _key(key: str) -> str:
    return key if key.replace("_", "").isalnum() and key.isascii() else json.dumps(key, ensure_ascii=False)


# --- what platforms refuse --------------------------------------------------------------------------------------------


class Checked:
    """The files of a bundle, and the faults found in them."""

    def __init__(self, platform: str, files: Mapping[str, bytes]) -> None:
        self.platform, self.files, self.faults = platform, files, list[str]()

    def need(self, holds: object, fault: str) -> None:
        if not holds:
            self.faults.append(fault)

    def text(self, table: Any, where: str, *keys: str, most: float = math.inf) -> None:
        for key in keys:
            value = value_of(table, key)
            self.need(isinstance(value, str) and value, f"{where} needs {key}")
            if isinstance(value, str):
                self.need(len(value) <= most, f"{key} of {where} has at most {most} characters, got {len(value)}")

    def file(self, table: Any, where: str, *keys: str, ending: str = "") -> None:
        for key in keys:
            name = value_of(table, key)
            self.need(isinstance(name, str) and name in self.files, f"{where} needs {key}, a file of the bundle")
            if isinstance(name, str):
                self.need(name.endswith(ending), f"{key} of {where} ends in {ending}, got {quote(name)}")

    def time(self, table: Any, key: str, where: str) -> datetime.datetime | None:
        """A time is text without an offset: the platforms lose the hour of one without quotes, and drop an offset."""
        value = value_of(table, key)
        right = isinstance(value, str) and _TIME.fullmatch(value)
        self.need(right, f"{key} of {where} is a quoted UTC time such as 2026-03-01 00:00:00, got {quote(value)}")
        return datetime.datetime.fromisoformat(str(value)) if right else None

    def rows(self, table: Any, key: str, where: str = "the bundle") -> list[Any]:
        rows = value_of(table, key)
        self.need(isinstance(rows, list) and rows, f"{where} needs {key}, at least one")
        return rows if isinstance(rows, list) else []

    def whole(self, table: Any, where: str, *keys: str) -> None:
        for key in keys:
            value = value_of(table, key)
            self.need(isinstance(value, int) and not isinstance(value, bool), f"{where} needs {key}, a whole number")

    def unique(self, rows: list[Any], key: str, what: str) -> None:
        values = {repr(value_of(row, key)) for row in rows}
        self.need(len(values) == len(rows), f"{what} must differ")

    def yaml(self, data: bytes | None, name: str) -> dict[str, Any]:
        """A YAML file of a bundle, as the platform reads it."""
        yaml = need("yaml", "track")
        try:
            table = yaml.safe_load(data.decode("utf-8")) if data is not None else None
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            self.faults.append(f"{name} is not YAML: {error}")
            return {}
        self.need(isinstance(table, dict), f"{name} is missing at the root of the bundle, or contains no table")
        return table if isinstance(table, dict) else {}

    def finish(self) -> None:
        if self.faults:
            raise DivevalError("bundle-invalid", f"{self.platform} would refuse this bundle: {'; '.join(self.faults)}")


def value_of(table: Any, key: str) -> Any:
    """A value of a table of the bundle; None where it is no table, or has no such key."""
    return table.get(key) if isinstance(table, dict) else None
