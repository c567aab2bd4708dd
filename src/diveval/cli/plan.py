"""`diveval plan [QRELS RUN …]`: how many topics a comparison needs, and what a number of topics can show."""

from __future__ import annotations

import argparse

from diveval.cli import common
from diveval.defaults import HEADLINE, LEVEL, POWER
from diveval.errors import UsageError

ABOUT = "From pilot runs, or from a standard deviation (--sd), the fewest topics that find a difference with the power asked for: by the paired t-test (exactly, by the noncentral t), by one-way ANOVA, for an interval of that width, and with a model's labels beside people's."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval plan`."""
    common.add_collection(parser, qrels="?", answers=True)
    common.add_metrics(parser)
    common.add_output(parser, ["table", "csv", "json", "md", "latex"])
    for flag, metavar, about in (
        ("--sd", "S", "standard deviation of the differences over topics, instead of pilot runs"),
        ("--difference", "D", "the smallest difference that matters; for intervals their full width"),
    ):
        parser.add_argument(flag, type=float, metavar=metavar, help=about)
    common.add_number(parser, "--power", default=POWER, metavar="P", help="probability of finding the difference")
    common.add_number(parser, "--level", default=LEVEL, metavar="A", help="level of the two-sided test")
    for flag, about in (
        ("--topics", "show what this number of topics can find"),
        ("--systems", "systems that ANOVA compares (default: the pilot runs)"),
        ("--comparisons", "plan at level / N too (default: every pair of the pilot runs)"),
        ("--model-topics", "topics that the model labels besides those of people (default: any number)"),
    ):
        parser.add_argument(flag, type=int, metavar="N", help=about)
    parser.add_argument(
        "--design",
        action="append",
        choices=["paired-t", "anova", "interval", "ppi"],
        help="only this design; may be repeated (default: all that the input allows)",
    )
    parser.add_argument("--model", metavar="MODEL", help="judgments of the pilot by a model, for the design ppi")
    common.add_evidence(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the pilot if there is one, plan, print."""
    from diveval.cli.answers import gather_from, material_of
    from diveval.judging.planning import plan

    answers = None if arguments.qrels is None else material_of(arguments, needs_runs=False)
    if answers is not None:
        if arguments.model is not None:
            arguments.model = gather_from(arguments, [arguments.model], like=answers)
        arguments.qrels, arguments.runs = None, answers
    if arguments.qrels is not None and not arguments.runs:
        raise UsageError("no-run", "a plan from pilot judgments needs pilot runs")
    names = (
        "sd",
        "difference",
        "power",
        "level",
        "topics",
        "systems",
        "comparisons",
        "model",
        "model_topics",
        "weights",
    )
    result = plan(
        arguments.qrels,
        arguments.runs or None,
        common.names_from(arguments) or HEADLINE,
        designs=arguments.design,
        options=common.options_from(arguments),
        **{name: getattr(arguments, name) for name in names},
    )
    common.emit_result(result, arguments)
    return 0
