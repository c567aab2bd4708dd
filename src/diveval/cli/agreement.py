"""`diveval agreement QRELS RUN … --preferences FILE`: how often metrics prefer what people prefer."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from diveval.cli import common
from diveval.cli.unanimity import add_set, asked_metrics
from diveval.errors import UsageError
from diveval.table_text import aligned

if TYPE_CHECKING:
    from diveval.meta.preference_agreement import PeopleAgreement, PreferenceRow
    from diveval.reading.preferences import Preferences


def register(subparsers: common.Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "agreement",
        description="How often does each metric prefer the list that people prefer? Pairs that a metric ties count half; pairs that people tie are left out. Intervals resample topics. Metric unanimity on the same runs is shown beside it.",
    )
    common.add_collection(parser, runs="*")
    common.add_metrics(parser)
    add_set(parser)
    common.add_output(parser, ["table", "csv", "json", "latex"])
    parser.add_argument(
        "--preferences",
        required=True,
        metavar="FILE",
        help="CSV, TSV or JSON lines: topic, a, b, preferred, assessor; a and b name runs or, in JSON lines, are lists of documents; preferred is a, b, a run's name or tie",
    )
    common.add_number(parser, "--confidence", default=0.95, metavar="C", help="confidence level of the intervals")
    common.add_number(parser, "--resamples", default=2000, help="resamples of the topics for the intervals")
    common.add_seed(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, score, count, print."""
    from diveval.evaluation import rank_all
    from diveval.meta import unanimity
    from diveval.meta.preference_agreement import people_agreement
    from diveval.reading.preferences import read_preferences
    from diveval.scoring import score

    preferences = read_preferences(arguments.preferences)
    runs = [*arguments.runs, *_as_runs(preferences)]
    if not runs:
        raise UsageError(
            "name the RUN files that the preferences are about, or give lists of documents in the preferences"
        )
    options = common.options_from(arguments)
    metrics = asked_metrics(arguments)
    judgments = common.load_judgments(arguments, options)
    scores = score(judgments, rank_all(judgments, runs, metrics, options, keep_documents=False), metrics, options)
    mu = None
    if not preferences.lists and len(metrics) > 1 and len(scores.runs) > 1:
        mu = {row.metric: row.mu for row in unanimity(scores, bootstrap=0).rows}
    result = people_agreement(
        scores,
        preferences.rows,
        unanimity=mu,
        confidence=arguments.confidence,
        resamples=arguments.resamples,
        seed=arguments.seed,
    )
    common.emit_result(result, arguments, lambda: _table(result))
    return 0


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


def _table(result: PeopleAgreement) -> str:
    lines = [
        f"{result.preferences} preferences of {result.assessors} assessors on {result.topics} topics,"
        f" {result.undecided} for neither list"
    ]
    if result.people is not None:
        lines.append(f"two assessors of the same pair agree in {result.people:.1%}")
    rows = [["metric", "agreement", f"{result.confidence:.0%} interval", "ties", "MU"], *map(_row, result.rows)]
    lines += ["", *aligned(rows, ["<", ">", ">16", ">5", ">7"])]
    return "\n".join(lines) + "\n"


def _row(row: PreferenceRow) -> list[str]:
    share = "none" if row.agreement is None else f"{row.agreement:.3f}"
    span = "" if row.low is None or row.high is None else f"[{row.low:.3f}, {row.high:.3f}]"
    mu = "" if row.mu is None else f"{row.mu:.3f}"
    return [row.metric, share, span, str(row.ties), mu]
