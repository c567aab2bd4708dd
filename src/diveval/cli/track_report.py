"""The report that `diveval track site` puts beside the board: `diveval report` for the runs of a track."""

from __future__ import annotations

from diveval.evaluation import rank_all
from diveval.metrics.names import parse
from diveval.report import Study, contents, gathered, needed, page
from diveval.tracks.scoring import runs_of, truth_of
from diveval.tracks.site.edition import Edition


def report_of(edition: Edition) -> bytes:
    """The page for the runs on the board, under the names the site shows."""
    track, event, board = edition.track, edition.event, edition.board
    assert event is not None and board is not None
    metrics = [parse(name) for name in edition.config.metrics]
    truth = truth_of(track, track.record.events[event["judged"]], edition.config)
    named = {edition.run_name(row["submission"]): row["submission"] for row in board["rows"]}
    runs = runs_of(track, edition.config, named)
    with gathered() as notes:
        rankings = rank_all(truth.judgments, runs, needed(metrics), truth.options, keep_documents=True)
    study = Study.of(truth.judgments, rankings, metrics, truth.options, notes=notes)
    return page(contents(study, title=edition.config["track.title"], command=["diveval", "track", "site"])).encode()
