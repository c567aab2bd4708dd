"""How much a score can be trusted: what it would be if every unjudged document were relevant."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from diveval.errors import UsageError
from diveval.judgments import Judgments, TopicJudgments, TopicRelevance
from diveval.metrics.batch import PADDING, Batch
from diveval.metrics.judged import Judged
from diveval.metrics.metric import Metric
from diveval.options import Options
from diveval.rankings import EMPTY, TopicRanking
from diveval.scores import Scores
from diveval.scoring import RankingsByOrder, make_batch, order_of


def add_residuals(
    scores: Scores, judgments: Judgments, rankings: RankingsByOrder, metrics: Sequence[Metric], options: Options
) -> Scores:
    """Beside each metric M of ours, `M+residual`: the rise if every unjudged document were fully relevant to all."""
    own = [metric for metric in metrics if metric.rule is None and metric.order is None and _gains(metric)]
    if not own:
        raise UsageError("residuals are for diveval's own metrics of relevance; none was asked for")
    values = np.zeros((len(scores.runs), len(own), len(scores.topics)))
    relevances = judgments.relevance(options.relevance)
    tables: dict[Hashable, Any] = {}
    for t, topic in enumerate(scores.topics):
        for m, metric in enumerate(own):
            listed = [run.topics.get(topic, EMPTY) for run in rankings[order_of(metric, options)]]
            batch = _hopeful(relevances[topic], judgments.topics[topic], listed, tables, options.efforts)
            values[:, m, t] = metric.score(batch)
    index = [scores.metric_index(metric.name) for metric in own]
    return Scores.of(
        np.concatenate([scores.values, values - scores.values[:, index]], axis=1),
        runs=scores.runs, topics=scores.topics,
        metrics=[*scores.metrics, *(f"{metric.name}+residual" for metric in own)],
        counted=np.concatenate([scores.counted, scores.counted[:, index]], axis=1), notes=scores.notes,
    )  # fmt: skip


def _gains(metric: Metric) -> bool:
    """Does the metric look at relevance at all, and not only at what was judged?"""
    return not isinstance(metric.formula, Judged)


def _hopeful(
    relevance: TopicRelevance, judged: TopicJudgments, listed: Sequence[TopicRanking], tables: Any, efforts: Any
) -> Batch:
    """The same rankings with every unjudged document fully relevant; the ideal stays that of the judgments."""
    real = make_batch(relevance, judged, listed, tables, efforts)
    longest = int(real.lengths.max(initial=0))
    grid = np.ones((len(real.weights), real.systems, longest))
    for s, ranking in enumerate(listed):
        grid[:, s, ranking.ranks - 1] = 0.0
        grid[:, s, ranking.length :] = 0.0
        held = real.ranks[s] != PADDING
        grid[:, s, real.ranks[s, held] - 1] = real.relevance[:, s, held]
    ranks = np.arange(1, longest + 1) + np.zeros((real.systems, 1), dtype=np.int64)
    ranks = np.where(ranks <= real.lengths[:, np.newaxis], ranks, PADDING)
    return Batch(
        grid, ranks, real.lengths, real.weights, real.pool, real.costs, real.pool_costs, judged, listed, tables
    )
