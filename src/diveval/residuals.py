"""How much a score can be trusted: what it would be if every unjudged document were relevant."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from diveval.blocks import Pools, cut
from diveval.errors import UsageError
from diveval.judgments import Judgments
from diveval.metrics.batch import PADDING, Batch
from diveval.metrics.judged import Judged
from diveval.metrics.metric import Best, Metric
from diveval.metrics.source import source_of
from diveval.options import Options
from diveval.relevance import relevance_of
from diveval.scores import Scores
from diveval.scoring import RankingsByOrder


def add_residuals(
    scores: Scores, judgments: Judgments, rankings: RankingsByOrder, metrics: Sequence[Metric], options: Options
) -> Scores:
    """Beside each metric M of ours, `M+residual`: the rise if every unjudged document were fully relevant to all."""
    own = [metric for metric in metrics if metric.rule is None and metric.order is None and _gains(metric)]
    if not own:
        raise UsageError("residuals are for diveval's own metrics of relevance; none was asked for")
    judged = judgments.columns
    relevance = relevance_of(judged, options.relevance, judgments.highest, judgments.source)
    order = options.order_for(None)
    runs = [run.columns(judgments) for run in rankings[order]]
    longest = np.array([run.lengths for run in runs]).max(axis=0, initial=0)
    values, tables = np.zeros((len(runs), len(own), len(scores.topics))), dict[Hashable, Any]()
    for topics in cut(np.diff(relevance.aspects), longest, len(runs)):
        batch = _hopeful(Pools(judged, relevance, topics, options.efforts).batch(runs, tables))
        for m, metric in enumerate(own):
            values[:, m, topics] = metric.score(batch).reshape(len(runs), len(topics))
    index = [scores.metric_index(metric.name) for metric in own]
    if scores.missing is not None:  # a missing topic has no unjudged documents that could turn out relevant
        absent = np.broadcast_to(scores.missing[:, np.newaxis], values.shape)
        values = np.where(absent, scores.values[:, index], values)
    neither: list[Best] = ["none" for _ in own]
    return Scores.of(
        np.concatenate([scores.values, values - scores.values[:, index]], axis=1),
        runs=scores.runs,
        topics=scores.topics,
        metrics=[*scores.metrics, *(f"{metric.name}+residual" for metric in own)],
        counted=np.concatenate([scores.counted, scores.counted[:, index]], axis=1),
        notes=scores.notes,
        missing=scores.missing,
        best=(*scores.best, *neither),
    )


def _gains(metric: Metric) -> bool:
    """Does the metric look at relevance at all, and not only at what was judged?"""
    return not isinstance(metric.formula, Judged)


def _hopeful(real: Batch) -> Batch:
    """The same rankings with every unjudged document fully relevant; the ideal stays that of the judgments."""
    source, longest = source_of(real), int(real.lengths.max(initial=0))
    ranks = np.arange(1, longest + 1) + np.zeros((real.rows, 1), dtype=np.int64)
    shown = ranks <= real.lengths[:, np.newaxis]
    unjudged = shown.copy()
    unjudged[source.row_of_hits(), source.ranks - 1] = False
    row, rank = source.blanks()
    unjudged[row, rank - 1] = False  # a repeated document counts as not relevant, whatever it turns out to be
    grid = np.where(unjudged & real.own()[:, :, np.newaxis], 1.0, 0.0)
    row, hit = np.nonzero(real.ranks != PADDING)
    grid[:, row, real.ranks[row, hit] - 1] = real.relevance[:, row, hit]
    return replace(real, relevance=grid, ranks=np.where(shown, ranks, PADDING), kept={})
