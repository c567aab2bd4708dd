"""`diveval cutoff QRELS RUN …`: per topic, the rank at which RBU is highest, the utility there and of the whole list."""

from __future__ import annotations

import argparse
import csv
import io
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from diveval.cli import common
from diveval.errors import UsageError

if TYPE_CHECKING:
    from diveval.stopping import Stop


def register(subparsers: common.Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "cutoff", help="per topic, the rank at which a reader should stop",
        description="The rank at which RBU (or EU) is highest, the utility there, and the utility of the whole list.",
    )  # fmt: skip
    common.add_collection(parser)
    common.add_metrics(parser, what="one metric with effort")
    common.add_output(parser, ["table", "csv", "json"])
    parser.add_argument("-q", "--per-topic", action="store_true", help="every topic in the table, not only the means (csv and json always have them)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, find the best ranks, print."""
    from diveval.stopping import mean_stop, stopping_points

    options = common.options_from(arguments)
    metrics = common.metrics_from(arguments, ["RBU(p=0.99,e=0.05)"])
    if len(metrics) != 1:
        raise UsageError(f"cutoff takes one metric, got {len(metrics)}")
    judgments, rankings = common.load(arguments, metrics, options)
    stops = stopping_points(judgments, rankings, metrics[0], options)
    by_run: dict[str, list[Stop]] = {}
    for stop in stops:
        by_run.setdefault(stop.run, []).append(stop)
    rows = [row for name, own in by_run.items() for row in (*own, mean_stop(own, name))]
    if arguments.format == "table" and not arguments.per_topic:
        rows = [row for row in rows if row.topic == "all"]
    common.emit({"table": _table, "csv": _csv, "json": _json}[arguments.format](rows, metrics[0].name), arguments)
    return 0


def _table(rows: list[Stop], metric: str) -> str:
    label = max(len(f"{row.run} {row.topic}") for row in rows)
    lines = [f"{metric}: where to stop", f"{'run topic':<{label}}  {'length':>7} {'stop at':>8} {'utility':>9} {'of all':>9}"]
    lines += [
        f"{row.run + ' ' + row.topic:<{label}}  {row.length:>7} {row.rank:>8} {row.utility:>9.4f} {row.utility_of_all:>9.4f}"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def _csv(rows: list[Stop], metric: str) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["run", "topic", "length", "rank", "utility", "utility_of_all"])
    writer.writerows([r.run, r.topic, r.length, r.rank, repr(r.utility), repr(r.utility_of_all)] for r in rows)
    return stream.getvalue()


def _json(rows: list[Stop], metric: str) -> str:
    return json.dumps({"metric": metric, "stops": [asdict(row) for row in rows]}, ensure_ascii=False, indent=1) + "\n"
