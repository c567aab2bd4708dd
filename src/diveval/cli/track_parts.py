"""What the files of `diveval track` share: the shape of an answer, and the folder it is about."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diveval.errors import UsageError, quote

if TYPE_CHECKING:
    from diveval.tracks.folder import Track

Answer = tuple[int, dict[str, Any], list[str]]  # exit code, JSON, lines of text


def folder_of(arguments: argparse.Namespace) -> Path:
    """The folder of the track, named by DIR or by --track."""
    given = getattr(arguments, "folder", None)
    if given and arguments.track and Path(given) != Path(arguments.track):
        raise UsageError("conflicting-options", f"two tracks are named: {quote(given)} and {quote(arguments.track)}")
    return Path(arguments.track or given or ".")


def open_track(arguments: argparse.Namespace) -> Track:
    """The track that the arguments name."""
    from diveval.tracks.folder import Track

    return Track(folder_of(arguments))


def head_of(track: Track) -> dict[str, Any]:
    """The track and the head of its record, as every JSON answer has them."""
    return {"track": track.config.id, "record": track.record.place}
