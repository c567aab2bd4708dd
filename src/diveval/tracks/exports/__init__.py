"""Bundles for participants and for three platforms, made from the same rules and judgments."""

from __future__ import annotations

from diveval.errors import UsageError
from diveval.tracks import disk
from diveval.tracks.exports.archive import archive
from diveval.tracks.exports.codabench import codabench
from diveval.tracks.exports.evalai import evalai
from diveval.tracks.exports.tira import tira
from diveval.tracks.folder import Track
from diveval.tracks.kit import kit
from diveval.tracks.record import sha256


def _kit(track: Track, held_back: bool) -> dict[str, bytes]:
    if held_back:
        raise UsageError(
            "option-not-applicable", "a kit contains no judgments, so --with-held-back does not apply to it"
        )
    return {"kit.zip": kit(track)}


EXPORTS = {"kit": _kit, "codabench": codabench, "evalai": evalai, "tira": tira, "archive": archive}


def export(track: Track, what: str, *, with_held_back: bool = False) -> list[dict[str, str]]:
    """Write one export of each task below `export.out`; returns its files with their sums."""
    written = []
    for view in track.views():
        view.require_decided()
        files = EXPORTS[what](view, with_held_back)
        target = view.output("export.out") / view.task / what
        disk.write_folder(target, files, view.config.id)
        place = target.relative_to(view.folder).as_posix()
        written += [{"name": f"{place}/{name}", "sha256": sha256(data)} for name, data in sorted(files.items())]
    return written
