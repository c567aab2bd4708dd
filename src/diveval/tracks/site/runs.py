"""Every run with its numbers, as a page and as tables to download, and a result sheet for each run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from diveval.results.table_text import csv_text, protect_formulas
from diveval.tracks.record import Submission
from diveval.tracks.site.edition import Edition
from diveval.tracks.site.html import Markup, el, join, link, section, table
from diveval.tracks.site.status import status_words
from diveval.validation.rules import json_bytes

RESULTS_CSV, RESULTS_JSON = "results.csv", "results.json"
COLUMNS = ("submission", "run", "team", "type", "priority", "status", "rank")


def sheet_of(run: str) -> str:
    """Where the result sheet of a run is."""
    return f"run/{run}.csv"


def _rows(edition: Edition, *, standing: bool = False) -> Iterator[tuple[Submission, dict[str, Any]]]:
    """Every submission with what may be shown of it; runs that do not stand have no numbers on a public site."""
    board, scores = edition.board, edition.scores
    ranks = {row["submission"]: row["rank"] for row in board["rows"]} if board is not None else {}
    means = {} if scores is None else scores.mean()
    for given in edition.state.submissions.values():
        if given.erased or (standing and not given.stands):
            continue
        info = edition.track.info(given)
        row: dict[str, Any] = {
            "submission": given.id,
            "run": edition.names.run(given),
            "team": edition.names.team(info.team),
            "type": given.type,
            "priority": given.priority,
            "status": status_words(edition, given),
            "rank": ranks.get(given.id),
        }
        shown = means.get(given.id, {}) if edition.shows(given) else {}
        yield given, row | {f"metric:{name}": shown.get(name) for name in (() if scores is None else scores.metrics)}


def result_files(edition: Edition, *, standing: bool = False) -> dict[str, bytes]:
    """The tables to download: every run with all means, and a sheet per run where values per topic are public.

    `standing`: only runs that stand.
    """
    rows = [row for _, row in _rows(edition, standing=standing)]
    metrics = [] if edition.scores is None else list(edition.scores.metrics)
    head = [*COLUMNS, *metrics]
    keys = [*COLUMNS, *(f"metric:{name}" for name in metrics)]
    cells = [["" if row[key] is None else row[key] for key in keys] for row in rows]
    named = [{name: row[key] for name, key in zip(head, keys, strict=True)} for row in rows]
    files = {RESULTS_CSV: _as_table(head, cells), RESULTS_JSON: json_bytes({"runs": named})}
    if edition.per_topic and edition.scores is not None:
        for name in edition.scores.runs:
            if edition.shows(edition.state.submissions[name]):
                files[sheet_of(name)] = _sheet(edition, name)
    return files


def _sheet(edition: Edition, run: str) -> bytes:
    """Per metric and topic the value of a run, and the best, median and worst of the runs on the board."""
    scores = edition.scores
    assert scores is not None
    rows = []
    for metric in scores.metrics:
        own = scores.per_topic(run, metric)
        for topic, ends in spread(edition, metric).items():
            rows.append([metric, topic, own.get(topic, ""), *ends])
    return _as_table(["metric", "topic", "value", "best", "median", "worst"], rows)


def _as_table(head: list[str], rows: list[list[Any]]) -> bytes:
    """CSV for readers, who open it in a spreadsheet: names are chosen by participants, and none is run as a formula."""
    return protect_formulas(csv_text(head, rows)).encode()


def spread(edition: Edition, metric: str) -> dict[str, tuple[float, float, float]]:
    """The best, median and worst value of the runs on the board, per topic; `low` is best where the track says so."""
    key = f"spread:{metric}"
    if key not in edition._boards:
        board, scores = edition.board, edition.scores
        assert board is not None and scores is not None
        runs = [row["submission"] for row in board["rows"]]
        out: dict[str, tuple[float, float, float]] = {}
        if runs:
            values = scores.select(runs=runs, metrics=[metric]).values[:, 0, :]
            low = edition.config["scoring.best"] == "low" and metric == edition.config.official
            best, worst = (values.min(axis=0), values.max(axis=0)) if low else (values.max(axis=0), values.min(axis=0))
            ends = zip(best.tolist(), np.median(values, axis=0).tolist(), worst.tolist(), strict=True)
            out = dict(zip(scores.topics, ends, strict=True))
        edition._boards[key] = out
    return dict(edition._boards[key])


def runs(edition: Edition) -> Markup:
    """The page with every run."""
    scores, files = edition.scores, edition.files
    metrics = [] if scores is None else list(scores.metrics)
    rows = []
    for given, row in _rows(edition):
        numbers = [row[f"metric:{name}"] for name in metrics]
        info = edition.track.info(given)
        sheet = sheet_of(given.id) if edition.per_topic and scores is not None and given.id in scores.runs else ""
        shown = edition.shows(given)
        links = [
            link("sheet", sheet) if sheet and shown else None,
            link("run", f"data/store/{info.sha256}") if f"store/{info.sha256}" in files and shown else None,
            link("verdict", f"data/verdicts/{given.id}.json") if f"verdicts/{given.id}.json" in files else None,
        ]
        rows.append(
            [
                edition.run_link(given.id),
                edition.team_link(info.team),
                given.type,
                given.priority,
                row["status"],
                *("–" if value is None else edition.number(value) for value in numbers),
                el(
                    "span",
                    *([" " if place else "", one] for place, one in enumerate(filter(None, links))),
                    class_="row",
                ),
            ]
        )
    head = ["Run", "Team", "Type", "Priority", "Status", *(edition.config.label(name) for name in metrics), "Files"]
    return join(
        el("p", *([" · " if place else "", one] for place, one in enumerate(_downloads(edition))), class_="lede"),
        section("Every run", table(head, rows, numbers=tuple(range(5, 5 + len(metrics))))),
    )


def _downloads(edition: Edition) -> Iterator[Markup]:
    yield link("Results as CSV", RESULTS_CSV)
    yield link("as JSON", RESULTS_JSON)
    named = {"scores": "Scores per topic (CSV)", "boards": "Leaderboard (JSON)"}
    event = edition.event
    if event is not None:
        places = {"scores": f"scores/{event['scoring']}/scores.csv", "boards": f"boards/{event['scoring']}.json"}
        for kind, text in named.items():
            if places[kind] in edition.files:
                yield link(text, f"data/{places[kind]}")
    for key, text in (("data.qrels", "Judgments (qrels)"), ("data.weights", "Weights of aspects")):
        name = edition.config[key]
        if name and name in edition.files:
            yield link(text, f"data/{name}")
