"""What the files of `diveval track` share: the shape of an answer, the folder it is about, and the report of a site."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diveval.errors import UsageError, quote

if TYPE_CHECKING:
    from diveval.tracks.folder import Track
    from diveval.tracks.site.edition import Edition

Answer = tuple[int, dict[str, Any], list[str]]  # exit code, JSON, lines of text


def folder_of(arguments: argparse.Namespace) -> Path:
    """The folder of the track, named by DIR or by --track."""
    given = getattr(arguments, "folder", None)
    if given and arguments.track and Path(given) != Path(arguments.track):
        raise UsageError("conflicting-options", f"two tracks are named: {quote(given)} and {quote(arguments.track)}")
    return Path(arguments.track or given or ".")


def open_track(arguments: argparse.Namespace, *, whole: bool = False) -> Track:
    """The track that the arguments name, or one task of it; `whole`: without --task, a track with all its tasks."""
    from diveval.tracks.folder import Track, explain_no_task

    track = Track(folder_of(arguments), arguments.task or "")
    if track.config.tasks and not track.task and not whole:
        raise explain_no_task(track.config)
    return track


def refuse_task(arguments: argparse.Namespace) -> None:
    """Refuse --task for a command that is about all tasks at once."""
    if arguments.task is not None:
        raise UsageError("option-not-applicable", f"{arguments.verb} is about the whole track: leave out --task")


def head_of(track: Track) -> dict[str, Any]:
    """The track and the head of its record, as every JSON answer has them."""
    return {"track": track.config.id, **({"task": track.task} if track.task else {}), "record": track.record.place}


def make_report(edition: Edition) -> bytes:
    """`diveval report` for the runs on the board, under the names the site shows."""
    from diveval.errors import capture_warnings
    from diveval.metrics.names import parse
    from diveval.report.contents import contents
    from diveval.report.page import page
    from diveval.scoring.evaluate import rank_all
    from diveval.scoring.study import Evaluation, metrics_to_read
    from diveval.tracks.scorings import run_of, truth_of

    track, config, event, board = edition.track, edition.config, edition.event, edition.board
    assert event is not None and board is not None
    metrics = [parse(name) for name in config.metrics]
    truth = truth_of(track, track.record.events[event["judged"]], config)
    named = {edition.run_name(row["submission"]): track.find(row["submission"]) for row in board["rows"]}
    runs = [run_of(track.read_stored(track.info(given)), config, name) for name, given in named.items()]
    with capture_warnings() as notes:
        rankings = rank_all(truth.judgments, runs, metrics_to_read(metrics), truth.options, keep_documents=True)
    study = Evaluation(truth.judgments, rankings, metrics, truth.options, notes=[str(note) for note in notes])
    return page(contents(study, title=config["track.title"], command=["diveval", "track", "site"])).encode()
