"""`diveval judges PEOPLE MODEL RUN …`: may a model's labels be trusted, and what do both labels say together?"""

from __future__ import annotations

import argparse

from diveval.cli import common
from diveval.defaults import CONFIDENCE, QUICK_RESAMPLES

ABOUT = "Few topics labelled by people, many by a model: how far the labels agree, every run's score and every difference by people, by the model and by both (prediction-powered), whom the model favours, which orders depend on it, and which labels to buy next. Valid if the topics that people labelled are a random sample of all topics."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval judges`."""
    parser.add_argument("people", metavar="PEOPLE", help="judgments by people, on some of the topics")
    common.add_collection(parser, metavar="MODEL")
    add_estimating(parser)


def add_estimating(parser: argparse.ArgumentParser) -> None:
    """The options of estimates from both labels."""
    common.add_metrics(parser)
    common.add_output(parser, ["table", "csv", "json", "md", "latex"])
    common.add_files(parser, "--model", metavar="MODEL2", help="judgments by further models: scores are their mean")
    parser.add_argument(
        "--sample",
        choices=["random", "chosen"],
        default="random",
        help="how the topics that people labelled were chosen; chosen by hand is refused (default: random)",
    )
    common.add_number(parser, "--confidence", default=CONFIDENCE, metavar="C", help="level of the intervals")
    common.add_number(
        parser, "--resamples", default=QUICK_RESAMPLES, help="resamples of the topics for agreement and order"
    )
    common.add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, score under both judges, estimate, print."""
    from diveval.judging.judges import judges

    result = judges(
        arguments.people,
        arguments.qrels,
        arguments.runs,
        common.metrics_from(arguments, common.DEFAULT_METRICS),
        models=arguments.model,
        sample=arguments.sample,
        confidence=arguments.confidence,
        resamples=arguments.resamples,
        seed=arguments.seed,
        weights=arguments.weights,
        options=common.options_from(arguments),
    )
    common.emit_result(result, arguments)
    return 0
