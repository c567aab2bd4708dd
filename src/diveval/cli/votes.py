"""`diveval meta votes FILE`: systems ranked by people's pairwise votes."""

from __future__ import annotations

import argparse

from diveval.cli import common
from diveval.defaults import CONFIDENCE, QUICK_RESAMPLES

ABOUT = "Rank systems by people's votes between two of them, with ties: Bradley–Terry strengths (Davidson's model), intervals over resampled topics, and the ranks that significant differences leave open."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval meta votes`."""
    parser.add_argument(
        "file",
        metavar="FILE",
        help="CSV, TSV or JSON lines: topic, a, b, preferred (a, b, a run's name or tie), and optionally assessor and weight",
    )
    common.add_options(
        parser,
        {
            "--weigh-voters": "estimate how many of each voter's votes are given in earnest and not at random, and weigh them so"
        },
    )
    common.add_output(parser, ["table", "csv", "json", "md", "latex"])
    common.add_number(parser, "--confidence", default=CONFIDENCE, metavar="C", help="confidence level of the intervals")
    common.add_number(parser, "--resamples", default=QUICK_RESAMPLES, help="resamples of the topics for the intervals")
    common.add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, fit, print."""
    from diveval.meta.votes import rank_by_votes
    from diveval.reading.preferences import read_preferences

    result = rank_by_votes(
        read_preferences(arguments.file).rows,
        weigh_voters=arguments.weigh_voters,
        confidence=arguments.confidence,
        resamples=arguments.resamples,
        seed=arguments.seed,
    )
    common.emit_result(result, arguments)
    return 0
