"""What a reader of a table of scores should know, as lines below it."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from diveval.cli import common
from diveval.cli.metrics import ndeval_twin
from diveval.errors import gathered

if TYPE_CHECKING:
    from diveval.judgments import Judgments
    from diveval.metrics import Metric
    from diveval.options import Options
    from diveval.scores import Scores


def below(
    scores: Scores, judgments: Judgments, metrics: Sequence[Metric], options: Options, arguments: argparse.Namespace
) -> str:
    """All that applies, each wrapped to the terminal."""
    notes = [
        *_unasked(arguments),
        *_graded(judgments, metrics, options),
        *_negative(scores, judgments, metrics, options, arguments),
    ]
    width = max(common.terminal_width(), 40)
    return "".join("\n" + "\n".join(textwrap.wrap(note, width)) + "\n" for note in notes)


def _unasked(arguments: argparse.Namespace) -> list[str]:
    if common.names_from(arguments):
        return []
    return ["Metrics of the usual set; -m NAME asks for others, `diveval choose` says which fit."]


def _graded(judgments: Judgments, metrics: Sequence[Metric], options: Options) -> list[str]:
    """Where grades count, our numbers are not those that TREC prints under the same names."""
    if options.relevance.gain == "binary" or judgments.highest <= 1:
        return []
    found = (ndeval_twin(metric.entry, metric.cutoff) for metric in metrics if metric.entry)
    twins = list(dict.fromkeys(twin for twin in found if twin))
    if not twins:
        return []
    return [
        f"Grades count as {options.relevance.gain} gain here. TREC's numbers, which are binary: {', '.join(twins)}."
    ]


def _negative(
    scores: Scores, judgments: Judgments, metrics: Sequence[Metric], options: Options, arguments: argparse.Namespace
) -> list[str]:
    """Where every run has negative utility: what that means, and where reading should stop."""
    from diveval.metrics.formulas import Sum

    means = scores.means
    for metric in metrics:
        m = scores.metrics.index(metric.name)
        if not isinstance(metric.formula, Sum) or not metric.formula.effort or not len(means) or means[:, m].max() >= 0:
            continue
        best = int(means[:, m].argmax())
        rank = _stop(judgments, metric, options, arguments, best) if len(arguments.runs) == len(scores.runs) else None
        where = "" if rank is None else f" {_advice(scores.runs[best], rank)}"
        return [
            f"Every run is below 0 on {metric.name}: its documents cost readers more effort than they bring utility."
            f"{where} `diveval cutoff` shows it by topic, `diveval effort` what other p and e say."
        ]
    return []


def _advice(run: str, rank: float) -> str:
    if rank == 0:
        return f"No prefix of {run}, the best, has positive utility."
    return f"Readers of {run}, the best, should stop at rank {rank:.1f} on average."


def _stop(
    judgments: Judgments, metric: Metric, options: Options, arguments: argparse.Namespace, run: int
) -> float | None:
    """The mean rank at which reading one run should stop; standard input cannot be read again."""
    from diveval.evaluation import rank_all
    from diveval.stopping import stopping_points

    if arguments.runs[run] == "-":
        return None
    with gathered():  # what is to be said of the file was said
        rankings = rank_all(judgments, [arguments.runs[run]], [metric], options, keep_documents=False)
    stops = stopping_points(judgments, rankings, metric, options)
    return sum(stop.rank for stop in stops) / len(stops)
