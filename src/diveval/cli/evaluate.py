"""`diveval evaluate QRELS RUN …`: scores, as a table or in any format that other tools read."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from diveval.cli import common

if TYPE_CHECKING:
    from diveval.scores import Scores

FORMATS = ["table", "csv", "tsv", "json", "trec", "ndeval", "latex"]


def register(subparsers: common.Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "evaluate", help="score runs with any metric of the catalogue",
        description="Score runs. Without -m: " + ", ".join(common.DEFAULT_METRICS) + "; with -f ndeval or trec, that tool's measures.",
    )  # fmt: skip
    common.add_collection(parser)
    common.add_metrics(parser)
    common.add_output(parser, FORMATS)
    parser.add_argument("-q", "--per-topic", action="store_true", help="every topic, not only the mean")
    parser.add_argument("--residuals", action="store_true", help="beside each metric, its rise if every unjudged document were fully relevant")
    parser.add_argument("--timing", action="store_true", help="say on standard error where the time went")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, score, print."""
    from diveval.evaluation import add_residuals, score

    options = common.options_from(arguments)
    metrics = common.metrics_from(arguments, _default(arguments.format))
    judgments, rankings = common.load(arguments, metrics, options)
    scores = score(judgments, rankings, metrics, options)
    if arguments.residuals:
        scores = add_residuals(scores, judgments, rankings, metrics, options)
    common.emit(_text(scores, arguments), arguments)
    return 0


def _default(format: str) -> list[str]:
    return common.DEFAULT_METRICS


def _text(scores: Scores, arguments: argparse.Namespace) -> str:
    from diveval import tables

    per_topic = arguments.per_topic
    if arguments.format in ("csv", "tsv"):
        return tables.csv_text(scores, per_topic=per_topic, separator="," if arguments.format == "csv" else "\t")
    if arguments.format == "json":
        return tables.json_text(scores, per_topic=per_topic)
    if arguments.format == "latex":
        return tables.latex_text(scores)
    return tables.terminal_text(scores, per_topic=per_topic, width=common.terminal_width())
