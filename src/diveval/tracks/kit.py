"""The kit: what participants need to check a run as the organisers will. It contains no judgments and no names."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from diveval import __version__
from diveval.errors import InputError
from diveval.tracks.config import Config
from diveval.tracks.folder import Rules, Track
from diveval.tracks.packing import pack
from diveval.validation import Topics, documents_of

README = """{title}

Check a run before you send it:

    pip install 'diveval[track]=={version}'
    diveval track validate --track kit.zip --team YOUR-TEAM my.run

The verdict is the one the organisers get for the same file and team. Rules about dates, limits and names that are
taken need the record of the track and are checked when your run arrives.
"""
Head = dict[str, Any] | None


def kit_files(track: Track) -> dict[str, bytes]:
    """The configuration, the topics, and the list of documents where there is one."""
    config, _ = track.config, track.rules  # what cannot be read is not packed
    readme = README.format(title=config["track.title"], version=__version__)
    files = {"README.txt": readme.encode(), "track.toml": track.read("track.toml")}
    files[config["data.topics"]] = track.read(config["data.topics"])
    if config["data.documents"].startswith("list:"):
        name = config["data.documents"].removeprefix("list:")
        files[name] = track.read(name)
    return files


def kit(track: Track) -> bytes:
    """The kit as one archive, read again and tried on the baselines before it is handed out."""
    data = pack(kit_files(track))
    _try_baselines(track, data)
    return data


def _try_baselines(track: Track, data: bytes) -> None:
    """Official baselines pass the official validator, or there is no kit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kit.zip")
        path.write_bytes(data)
        with open_rules(path) as (rules, _):
            for submission in track.state.submissions.values():
                if submission.role != "baseline" or not submission.stands:
                    continue
                info = track.info(submission)
                verdict = rules.validate(track.stored(info), info.file, track.declared(info))
                if verdict.verdict == "rejected":
                    raise InputError(
                        f"the baseline {submission.id} does not pass: {verdict.lines()[0]}", source="kit.zip"
                    )


@contextmanager
def open_rules(place: Path) -> Iterator[tuple[Rules, Head]]:
    """The rules of a track folder or of a kit, with the head of the record where there is one."""
    if not place.is_file():
        track = Track(place)
        known = track.path("record.jsonl").exists()
        yield track.rules, {"seq": len(track.record.events) - 1, "hash": track.record.head} if known else None
        return
    with tempfile.TemporaryDirectory() as folder:
        try:
            with zipfile.ZipFile(place) as archive:
                config = Config.parse(archive.read("track.toml"), f"{place}: track.toml")
                topics = Topics.parse(archive.read(config["data.topics"]), f"{place}: {config['data.topics']}")

                def extracted(name: str) -> Path:
                    target = Path(folder, "documents")
                    target.write_bytes(archive.read(name))
                    return target

                documents = documents_of(config["data.documents"], extracted)
        except (zipfile.BadZipFile, KeyError, OSError) as error:
            raise InputError(f"is not a kit: {error}", source=str(place)) from None
        yield Rules(config, topics, documents), None
