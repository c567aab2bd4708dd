"""Notes below a table of scores: which metrics these are, and what negative utility means."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from diveval.cli import common
from diveval.collection.judgments import Judgments
from diveval.errors import capture_warnings
from diveval.metrics.metric import Metric
from diveval.results.scores import Scores
from diveval.results.statements import Statement, words
from diveval.settings import Options


def describe_scores(
    scores: Scores, judgments: Judgments, metrics: Sequence[Metric], options: Options, arguments: argparse.Namespace
) -> list[Statement]:
    """The notes that apply to a table of scores."""
    rows = tuple({"metric": metric.name} for metric in metrics)
    out = [] if common.names_from(arguments) else [Statement("default-metrics", {"metrics": len(rows)}, rows)]
    return [
        *out,
        *_name_twins(judgments, metrics, options),
        *_find_negative(scores, judgments, metrics, options, arguments),
    ]


@words("default-metrics")
def _word_default(metrics: int) -> str:
    these = "These are the default metrics" if metrics > 1 else "This is the default metric"
    return f"{these}; -m NAME selects others, `diveval choose` suggests some."


def _name_twins(judgments: Judgments, metrics: Sequence[Metric], options: Options) -> list[Statement]:
    """Where our numbers are not those that TREC prints under the same names: α-nDCG if there are grades, others always."""
    from diveval.cli.metrics import ndeval_twin

    alike = ("alpha_nDCG",) if options.relevance.gain == "binary" or judgments.highest <= 1 else ()
    entries = [(metric, metric.entry) for metric in metrics if metric.entry and metric.entry.name not in alike]
    twins = {metric.name: ndeval_twin(entry, metric.cutoff) for metric, entry in entries}
    rows = tuple({"metric": metric, "twin": twin} for metric, twin in twins.items() if twin)
    if not rows:
        return []
    named = list(dict.fromkeys(row["twin"] for row in rows))
    return [Statement("graded-forms", {"gain": options.relevance.gain, "twins": named}, rows)]


@words("graded-forms")
def _word_graded(gain: str, twins: Sequence[str]) -> str:
    return f"By the same names TREC prints other numbers than these of {gain} gain: {', '.join(twins)}."


def _find_negative(
    scores: Scores, judgments: Judgments, metrics: Sequence[Metric], options: Options, arguments: argparse.Namespace
) -> list[Statement]:
    """Where every run has negative utility: what that means, and where reading should stop."""
    means = scores.means
    for metric in metrics:
        m, total = scores.metrics.index(metric.name), metric.formula.as_sum
        if total is None or not total.effort or not len(means) or means[:, m].max() >= 0:
            continue
        best = int(means[:, m].argmax())
        rank = (
            _mean_stop(judgments, metric, options, arguments, best) if len(arguments.runs) == len(scores.runs) else None
        )
        rows = tuple({"run": run, "mean": float(mean)} for run, mean in zip(scores.runs, means[:, m], strict=True))
        return [Statement("all-below-zero", {"metric": metric.name, "run": scores.runs[best], "rank": rank}, rows)]
    return []


@words("all-below-zero")
def _word_negative(metric: str, run: str, rank: float | None) -> str:
    where = ""
    if rank is not None:
        where = (
            f" Readers of {run}, the best, should stop at rank {rank:.1f} on average."
            if rank
            else f" No prefix of {run}, the best, has positive utility."
        )
    return (
        f"Every run is below 0 on {metric}: over the topics, its documents cost more effort than they bring gain."
        f"{where} `diveval evaluate --stop` shows it by topic, `diveval choose effort` what other p and e say."
    )


def _mean_stop(
    judgments: Judgments, metric: Metric, options: Options, arguments: argparse.Namespace, run: int
) -> float | None:
    """The mean rank at which reading one run should stop; standard input cannot be read again."""
    from diveval.analysis.stopping import stopping_points
    from diveval.scoring.evaluate import rank_all

    if arguments.runs[run] == "-":
        return None
    with capture_warnings():  # the file's warnings were printed when it was scored
        rankings = rank_all(judgments, [arguments.runs[run]], [metric], options, keep_documents=False)
    stops = stopping_points(judgments, rankings, metric, options)
    return sum(stop.rank for stop in stops) / len(stops)
