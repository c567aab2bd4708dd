"""`diveval cutoff QRELS RUN …`: per topic, the rank at which RBU is highest, the utility there and of the whole list."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from diveval.cli import common
from diveval.defaults import RBU
from diveval.errors import UsageError
from diveval.table_text import aligned, csv_text

if TYPE_CHECKING:
    from diveval.stopping import Stop


def register(subparsers: common.Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "cutoff",
        description="The rank at which RBU (or EU) is highest, the utility there, and the utility of the whole list.",
    )
    common.add_collection(parser)
    common.add_metrics(parser, what="one metric with effort")
    common.add_output(parser, ["table", "csv", "json"])
    parser.add_argument(
        "-q",
        "--per-topic",
        action="store_true",
        help="every topic in the table, not only the means (csv and json always have them)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, find the best ranks, print."""
    from diveval.stopping import mean_stop, stopping_points

    options = common.options_from(arguments)
    metrics = common.metrics_from(arguments, [RBU])
    if len(metrics) != 1:
        raise UsageError(f"cutoff takes one metric, got {len(metrics)}")
    judgments, rankings = common.load(arguments, metrics, options)
    stops = stopping_points(judgments, rankings, metrics[0], options)
    by_run: dict[str, list[Stop]] = {}
    for stop in stops:
        by_run.setdefault(stop.run, []).append(stop)
    topics = len(judgments.topics)
    counts = {name: sum(not stop.missing for stop in own) for name, own in by_run.items()}
    marks = {name: f"{count}/{topics}" for name, count in counts.items()} if min(counts.values()) < topics else {}
    rows = [row for name, own in by_run.items() for row in (*own, mean_stop(own, name))]
    if arguments.format == "table" and not arguments.per_topic:
        rows = [row for row in rows if row.topic == "all"]
    common.emit(
        {"table": _table, "csv": _csv, "json": _json}[arguments.format](rows, metrics[0].name, marks), arguments
    )
    return 0


def _table(rows: list[Stop], metric: str, marks: dict[str, str]) -> str:
    """`marks`: by run, how many of the topics it has; empty where no run lacks any."""
    by_topic = any(row.topic != "all" for row in rows)
    cells = [["run", *(["topics"] if marks else []), *(["topic"] if by_topic else [])]]
    cells[0] += ["length", "stop at", "utility", "of all"]
    for row in rows:
        name = [row.run, *([marks[row.run]] if marks else []), *([row.topic] if by_topic else [])]
        cells.append([*name, f"{row.length}", f"{row.rank}", f"{row.utility:.4f}", f"{row.utility_of_all:.4f}"])
    layout = ["<", *([">"] if marks else []), *(["<"] if by_topic else []), ">7", ">7", ">8", ">8"]
    return "\n".join([f"{metric}: where to stop", *aligned(cells, layout)]) + "\n"


def _csv(rows: list[Stop], metric: str, marks: dict[str, str]) -> str:
    head = ["run", "topic", "length", "rank", "utility", "utility_of_all", *(["topics"] if marks else [])]
    last = [[marks[row.run]] if marks else [] for row in rows]
    cells = ([r.run, r.topic, r.length, r.rank, repr(r.utility), repr(r.utility_of_all)] for r in rows)
    return csv_text(head, ([*row, *mark] for row, mark in zip(cells, last, strict=True)))


def _json(rows: list[Stop], metric: str, marks: dict[str, str]) -> str:
    shape = {"metric": metric, **({"topics": marks} if marks else {}), "stops": [asdict(row) for row in rows]}
    return common.json_text(shape)
