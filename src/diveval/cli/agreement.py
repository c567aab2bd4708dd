"""`diveval meta agreement QRELS RUN … --preferences FILE`: how often metrics prefer what people prefer."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from diveval.cli import common
from diveval.cli.unanimity import add_set, metrics_from
from diveval.defaults import CONFIDENCE, PREFERENCE_RESAMPLES
from diveval.errors import UsageError

if TYPE_CHECKING:
    from diveval.metrics import Metric
    from diveval.reading.preferences import Preferences
    from diveval.results.scores import Scores


ABOUT = "How often does each metric prefer the list, or the answer, that people prefer? Pairs that a metric ties count half; pairs that people tie are left out. Intervals resample topics. Metric unanimity on the same runs is shown beside it."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval meta agreement`."""
    common.add_collection(parser, answers=True)
    common.add_metrics(parser)
    add_set(parser)
    common.add_output(parser, ["table", "csv", "json", "latex"])
    parser.add_argument(
        "--preferences",
        required=True,
        metavar="FILE",
        help="CSV, TSV or JSON lines: topic, a, b, preferred, assessor; a and b name runs or, in JSON lines, are lists of documents; preferred is a, b, a run's name or tie",
    )
    common.add_options(
        parser,
        {
            "--axioms": "also show which axioms predict people's preferences: how much more often metrics that satisfy an axiom agree with people than metrics that do not (decides the axioms, which may take minutes)"
        },
    )
    common.add_number(parser, "--confidence", default=CONFIDENCE, metavar="C", help="confidence level of the intervals")
    common.add_number(
        parser, "--resamples", default=PREFERENCE_RESAMPLES, help="resamples of the topics for the intervals"
    )
    common.add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, score, count, print."""
    from diveval.cli.answers import comparable, material_of, scores_of
    from diveval.meta.preference_agreement import people_agreement
    from diveval.reading.preferences import read_preferences

    preferences = read_preferences(arguments.preferences)
    answers = material_of(arguments, needs_runs=False)
    if answers is not None:
        if arguments.axioms:
            raise UsageError("option-not-applicable", "--axioms is about metrics of rankings, and these are answers")
        scores = comparable(scores_of(answers, arguments, None))
        result = people_agreement(scores, preferences.rows, unanimity=_unanimity(scores), **_testing(arguments))
        common.emit_result(result, arguments)
        return 0
    scores, metrics = _score(arguments, preferences)
    mu = None if preferences.lists else _unanimity(scores)
    verdicts = _decide(metrics) if arguments.axioms else None
    result = people_agreement(scores, preferences.rows, unanimity=mu, verdicts=verdicts, **_testing(arguments))
    common.emit_result(result, arguments)
    return 0


def _score(arguments: argparse.Namespace, preferences: Preferences) -> tuple[Scores, list[Metric]]:
    """Scores of rankings: of the runs, and of lists in the preferences."""
    from diveval.scoring.evaluate import rank_all
    from diveval.scoring.scorer import score

    runs = [*arguments.runs, *_as_runs(preferences)]
    if not runs:
        raise UsageError(
            "missing-argument",
            "name the RUN files that the preferences are about, or give lists of documents in the preferences",
        )
    options, metrics = common.options_from(arguments), metrics_from(arguments)
    judgments = common.load_judgments(arguments, options)
    rankings = rank_all(judgments, runs, metrics, options, keep_documents=False)
    return score(judgments, rankings, metrics, options), metrics


def _decide(metrics: list[Metric]) -> dict[str, dict[str, bool]]:
    """Which axioms each metric satisfies, for all grades; cells without a plain answer are left out."""
    from diveval.axioms import matrix
    from diveval.meta.preference_agreement import as_verdicts

    return as_verdicts(matrix([m for m in metrics if m.entry is not None], readings=["charitable"]).verdicts, metrics)


def _unanimity(scores: Scores) -> dict[str, float | None] | None:
    """The unanimity of each metric, where there are metrics and runs to compare."""
    from diveval.meta import unanimity

    if min(len(scores.metrics), len(scores.runs)) < 2:
        return None
    return {row.metric: row.mu for row in unanimity(scores, bootstrap=0).rows}


def _testing(arguments: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(arguments, name) for name in ("confidence", "resamples", "seed")}


def _as_runs(preferences: Preferences) -> list[Any]:
    """The lists of documents in the preferences file, as runs."""
    from diveval.reading.objects import as_runs

    shapes = {
        name: {
            topic: {d: float(len(documents) - i) for i, d in enumerate(documents)} for topic, documents in lists.items()
        }
        for name, lists in preferences.lists.items()
    }
    return list(as_runs(shapes)) if shapes else []
