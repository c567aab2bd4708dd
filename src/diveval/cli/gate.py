"""`diveval gate QRELS BASELINE CANDIDATE … --margin X`: does a change make it worse?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from diveval.cli import common
from diveval.defaults import CONFIDENCE
from diveval.errors import UsageError

if TYPE_CHECKING:
    from diveval.metrics import Metric
    from diveval.settings import Options

ABOUT = "Compare candidates with a baseline, topic by topic. Exit code 0: no candidate is worse by more than the margin; 1: one is; 3: unclear, with the number of topics that would decide; 2: a candidate cannot be compared (lacks topics, has no judged document, other settings)."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval gate`."""
    common.add_collection(parser)
    parser.usage = "diveval gate QRELS BASELINE CANDIDATE … --margin X [options]"
    common.add_metrics(parser)
    common.add_output(parser, ["table", "csv", "json", "md", "latex"])
    for flag, about in (
        ("--margin", "how much worse a candidate may be: a number, or METRIC=number; may be repeated"),
        ("--require", "METRIC=number: an improvement that must be shown over all topics; may be repeated"),
    ):
        parser.add_argument(flag, action="append", default=[], metavar="X", help=about)
    common.add_options(
        parser,
        {
            "--slices FILE[:COLUMN]": "groups of topics that have to pass too: a table, JSON lines or a topics file in XML",
            "--trials": "the candidates are trials of one system",
            "--junit FILE": "also write the outcome as JUnit XML",
            "--save-baseline FILE": "write the baseline's scores, to be given as BASELINE later; needs no candidate",
        },
    )
    parser.add_argument(
        "--unclear",
        choices=["unclear", "pass", "fail"],
        default="unclear",
        help="how an unclear outcome counts: exit code 3, 0 or 1 (default: unclear)",
    )
    common.add_number(parser, "--confidence", default=CONFIDENCE, metavar="C", help="level of the intervals")


def run(arguments: argparse.Namespace) -> int:
    """Read, compare, print; the exit code is the outcome."""
    from diveval.judging.gates import gate

    baseline, *candidates = arguments.runs
    metrics, options = common.metrics_from(arguments, common.DEFAULT_METRICS), common.options_from(arguments)
    if not candidates:
        return _store(arguments, baseline, metrics, options)
    if not arguments.margin:
        raise UsageError("missing-argument", "--margin says how much worse a candidate may be")
    result = gate(
        arguments.qrels,
        baseline,
        candidates,
        metrics,
        margin=_numbers(arguments.margin, "--margin", [metric.name for metric in metrics]),
        require=_numbers(arguments.require, "--require", []),
        slices=arguments.slices,
        trials=arguments.trials,
        unclear=arguments.unclear,
        confidence=arguments.confidence,
        save_baseline=arguments.save_baseline,
        weights=arguments.weights,
        options=options,
    )
    if arguments.junit:
        result.to_junit(arguments.junit)
    common.emit_result(result, arguments)
    return result.exit_code


def _store(arguments: argparse.Namespace, baseline: str, metrics: list[Metric], options: Options) -> int:
    """Store the baseline, without a candidate."""
    from diveval.judging.baselines import store_baseline
    from diveval.scoring.evaluate import load_judgments, score_runs

    if not arguments.save_baseline:
        raise UsageError("no-run", "a gate needs a candidate, or --save-baseline to store the baseline only")
    truth = load_judgments(arguments.qrels, options, arguments.weights)
    store_baseline(arguments.save_baseline, score_runs(truth, [baseline], metrics, options), truth)
    return 0


def _numbers(words: Sequence[str], flag: str, names: Sequence[str]) -> dict[str, float]:
    """`0.01` for all names, `METRIC=0.02` for one; the last one counts."""
    out = {}
    for word in words:
        metric, mark, value = word.rpartition("=")
        number = common.number(value, flag)
        if not mark and not names:
            raise UsageError("invalid-argument", f"{flag} is METRIC=number, got {word!r}")
        out.update({metric: number} if mark else dict.fromkeys(names, number))
    return out
