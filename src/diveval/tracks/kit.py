"""The kit: a zip archive with which participants check a run exactly as the organisers do. Its bytes depend on its content
alone, and it contains no judgments and no names.
"""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from diveval import __version__
from diveval.errors import InputError
from diveval.tracks.config import Config
from diveval.tracks.folder import JUDGMENT_FILES, Track, explain_no_task
from diveval.tracks.intake import Rules
from diveval.tracks.keys import KEYS
from diveval.tracks.skeleton import config_text
from diveval.validation.declared import Topics, documents_of
from diveval.validation.rules import template_of

README = """{title}

Check a run before you send it:

    pip install 'diveval[track]=={version}'
    diveval track validate --track kit.zip --team YOUR-TEAM my.run

The verdict is the one the organisers get for the same file and team. Rules about dates, limits and names that are
taken need the record of the track and are checked when your run arrives.
"""
PRIVATE_KEYS = [f"data.{kind}" for kind in JUDGMENT_FILES]
EPOCH = (1980, 1, 1, 0, 0, 0)


def pack(files: Mapping[str, bytes]) -> bytes:
    """A zip archive whose bytes depend on the files alone: sorted names, a fixed date and mode."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o100644 << 16, 3
            archive.writestr(entry, data)
    return stream.getvalue()


def unpack(data: bytes) -> dict[str, bytes]:
    """The files of an archive; folders are left out."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def kit(track: Track) -> bytes:
    """The configuration, the topics, and the list of documents if any; the baselines are validated with it first.

    Only what a verdict needs: values without the organisers' comments and private paths, ids and queries of topics
    without their subtopics, which are what a diversity task asks for.
    """
    track.require_safe_paths()
    config, _ = track.config, track.rules  # unreadable files are not packed
    readme = README.format(title=config["track.title"], version=__version__)
    files = {"README.txt": readme.encode(), "track.toml": _public_config(config)}
    files[config["data.topics"]] = track.topics.as_bytes()
    if config.document_list:
        files[config.document_list] = track.read(config.document_list)
    if config.questionnaire:
        files["questionnaire.yml"] = template_of(config.questionnaire).encode()
    data = pack(files)
    _try_baselines(track, data)
    return data


def _public_config(config: Config) -> bytes:
    chosen = {key.name: config.get(key.name) for key in KEYS if config.get(key.name) is not None}
    return config_text(chosen | dict.fromkeys(PRIVATE_KEYS, "")).encode()


def _try_baselines(track: Track, data: bytes) -> None:
    """Refuse a kit that rejects one of the track's own baselines."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kit.zip")
        path.write_bytes(data)
        with open_rules(path) as (rules, _):
            for submission in track.state.submissions.values():
                if submission.role != "baseline" or not submission.stands:
                    continue
                info = track.info(submission)
                verdict = rules.validate(track.read_stored(info), info.file, track.read_statement(info))
                if verdict.verdict == "rejected":
                    message = f"the baseline {submission.id} does not pass: {verdict.lines()[0]}"
                    raise InputError("run-rejected", message, source="kit.zip")


@contextmanager
def open_rules(place: Path, task: str = "") -> Iterator[tuple[Rules, dict[str, Any] | None]]:
    """The rules of a track folder or of a kit, which is that of one task, with the head of the record where there is one."""
    if not place.is_file():
        track = Track(place, task)
        if track.config.tasks and not task:
            raise explain_no_task(track.config)
        yield track.rules, track.record.place if track.path("record.jsonl").exists() else None
        return
    with tempfile.TemporaryDirectory() as folder:
        try:
            with zipfile.ZipFile(place) as archive:
                config = Config.parse(archive.read("track.toml"), f"{place}: track.toml", task)
                topics = Topics.parse(archive.read(config["data.topics"]), f"{place}: {config['data.topics']}")

                def extract(name: str) -> Path:
                    target = Path(folder, "documents")
                    target.write_bytes(archive.read(name))
                    return target

                documents = documents_of(config["data.documents"], extract)
        except (zipfile.BadZipFile, KeyError, OSError) as error:
            raise InputError("cannot-parse", f"is not a kit: {error}", source=str(place)) from None
        yield Rules(config, topics, documents), None
