"""`diveval violations QRELS RUN …`: how often metrics do not reward, in real rankings, what the axioms ask for."""

from __future__ import annotations

import argparse

from diveval.cli import common
from diveval.defaults import USUAL


def register(subparsers: common.Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "violations",
        description="Look for each axiom's situations in real rankings (swaps, a tail of non-relevant documents cut, a better or less redundant document put in), score the lists before and after, and count how often a metric does not reward what it should.",
    )
    common.add_collection(parser)
    common.add_metrics(parser)
    common.add_output(parser, ["table", "csv", "json"])
    parser.add_argument(
        "--axiom",
        dest="axioms",
        action="append",
        metavar="NAME",
        help="Pri, Deep, Conf, AspDiv, Red, MRed, Sat, AspRel or Pri-contiguous; may be repeated (default: all)",
    )
    common.add_number(parser, "--depth", default=20, metavar="K", help="cut lists at this rank")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, count, print."""
    from diveval.violations import find_violations
    from diveval.violations.count import chosen_situations, text

    chosen_situations(arguments.axioms)  # refuse a wrong name before the files are read, which takes time
    options = common.options_from(arguments)
    metrics = common.metrics_from(arguments, list(USUAL))
    judgments, rankings = common.load(arguments, metrics, options, keep_documents=True)
    result = find_violations(judgments, rankings, metrics, options, axioms=arguments.axioms, depth=arguments.depth)
    common.emit_result(result, arguments, lambda: text(result, common.terminal_width()))
    return 0
