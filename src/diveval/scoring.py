"""Rankings in, Scores out: topics one after the other, all runs of a topic at once, metrics sharing work."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.errors import UsageError, shown
from diveval.judgments import Judgments, RelevanceRule, TopicJudgments, TopicRelevance
from diveval.metrics.batch import PADDING, Batch
from diveval.metrics.metric import Metric
from diveval.options import Efforts, Options
from diveval.rankings import EMPTY, Rankings, TopicRanking
from diveval.runs import OrderRule
from diveval.scores import Scores

RankingsByOrder = Mapping[OrderRule, Sequence[Rankings]]
DEFAULT_ORDER = OrderRule()
MOST_PREPARED = 10_000  # topics: what is prepared is held until the end


def orders(metrics: Sequence[Metric], options: Options) -> list[OrderRule]:
    """The orders that are needed: one the user named, or each metric's own."""
    return list(dict.fromkeys(order_of(metric, options) for metric in metrics))


def order_of(metric: Metric, options: Options) -> OrderRule:
    """The order a metric is scored in."""
    return options.order or metric.order or DEFAULT_ORDER


def score(
    judgments: Judgments, rankings: RankingsByOrder, metrics: Sequence[Metric], options: Options
) -> Scores:
    """The table of scores from rankings already made."""
    return Scorer(judgments, metrics, options).score(rankings)


class Scorer:
    """Scores any number of runs, some at a time. What depends on the judgments alone is made once for all of them."""

    def __init__(self, judgments: Judgments, metrics: Sequence[Metric], options: Options) -> None:
        self._judgments, self._metrics, self._options = judgments, metrics, options
        self._kinds: dict[tuple[RelevanceRule, OrderRule], list[int]] = {}
        for m, metric in enumerate(metrics):
            self._kinds.setdefault((metric.rule or options.relevance, order_of(metric, options)), []).append(m)
        self._tables: dict[Hashable, Any] = {}
        self._pools: dict[tuple[RelevanceRule, str], dict[Hashable, Any]] = {}

    @cached_property
    def _relevances(self) -> dict[RelevanceRule, dict[str, TopicRelevance]]:
        return {rule: self._judgments.relevance(rule) for rule in dict.fromkeys(rule for rule, _ in self._kinds)}

    def prepare(self) -> None:
        """Make and keep what can be made before there is a run; otherwise it is made for each batch of runs anew."""
        if self._pools or len(self._judgments) > MOST_PREPARED:
            return
        for topic in self._judgments.topics:
            for (rule, _), members in self._kinds.items():
                self._pools.setdefault((rule, topic), {})
                batch = self._batch(topic, rule, ())
                for m in members:
                    self._metrics[m].formula.prepare(batch)

    def score(self, rankings: RankingsByOrder) -> Scores:
        """The table of some runs, from their rankings under each order."""
        first = next(iter(rankings.values()))
        topics, metrics = list(self._judgments.topics), self._metrics
        values = np.zeros((len(first), len(metrics), len(topics)))
        for t, topic in enumerate(topics):
            for (rule, order), members in self._kinds.items():
                batch = self._batch(topic, rule, [run.topics.get(topic, EMPTY) for run in rankings[order]])
                for m in members:
                    values[:, m, t] = metrics[m].score(batch)
        _check(values, metrics, topics)
        counted = _counted(self._judgments, rankings, metrics, self._options)
        return Scores.of(
            values, runs=[r.name for r in first], metrics=[m.name for m in metrics], topics=topics, counted=counted
        )

    def _batch(self, topic: str, rule: RelevanceRule, listed: Sequence[TopicRanking]) -> Batch:
        return make_batch(
            self._relevances[rule][topic], self._judgments.topics[topic], listed, self._tables, self._options.efforts,
            self._pools.get((rule, topic)),
        )  # fmt: skip


def make_batch(
    relevance: TopicRelevance,
    judged: TopicJudgments,
    listed: Sequence[TopicRanking],
    tables: dict[Hashable, Any] | None = None,
    efforts: Efforts | None = None,
    pool_kept: dict[Hashable, Any] | None = None,
) -> Batch:
    """All systems of a topic as arrays; only documents relevant to something are placed."""
    counts = np.array([len(ranking.ranks) for ranking in listed], dtype=np.int64)
    ranks = np.concatenate([ranking.ranks for ranking in listed]) if len(listed) else np.empty(0, dtype=np.int64)
    places = relevance.place[np.concatenate([r.rows for r in listed])] if len(ranks) else np.empty(0, dtype=np.int64)
    held = np.flatnonzero(places >= 0)
    system = np.repeat(np.arange(len(listed)), counts).take(held)
    sizes = np.bincount(system, minlength=len(listed))
    width = int(sizes.max(initial=0))
    slot = np.arange(len(system)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    slot += system * width
    padded = np.full((len(listed), width), PADDING, dtype=np.int64)
    padded.ravel()[slot] = ranks.take(held)
    pool = relevance.relevance
    column = np.full((len(listed), width), pool.shape[1], dtype=np.int64)  # one past the pool: a column of zeros
    column.ravel()[slot] = places.take(held)
    grid = np.concatenate([pool, np.zeros((len(pool), 1))], axis=1).take(column, axis=1)
    lengths = np.array([ranking.length for ranking in listed], dtype=np.int64)
    pool_costs = None
    if efforts is not None:
        held_documents = np.flatnonzero(relevance.place >= 0)
        pool_costs = np.array([efforts.of(relevance.documents[i]) for i in held_documents])
    return Batch(
        grid, padded, lengths, relevance.weights, pool, _costs(listed, efforts), pool_costs,
        judged, listed, {} if tables is None else tables, {}, {} if pool_kept is None else pool_kept,
    )  # fmt: skip


def _costs(listed: Sequence[TopicRanking], efforts: Efforts | None) -> NDArray[np.float64] | None:
    if efforts is None:
        return None
    out = np.zeros((len(listed), max((ranking.length for ranking in listed), default=0)))
    for s, ranking in enumerate(listed):
        out[s, : ranking.length] = [efforts.of(document) for document in ranking.documents or ()]
    return out


def _check(values: NDArray[np.float64], metrics: Sequence[Metric], topics: Sequence[str]) -> None:
    """A score that is not a number is a bug or a tool's own quirk; ours never leave the house."""
    for m, metric in enumerate(metrics):
        own = metric.entry is None or "." not in metric.entry.name
        if own and not np.isfinite(values[:, m]).all():
            _, t = np.argwhere(~np.isfinite(values[:, m]))[0]
            raise UsageError(f"{metric.name} is not a finite number on topic {shown(topics[t])}; please report this")


def _counted(
    judgments: Judgments, rankings: RankingsByOrder, metrics: Sequence[Metric], options: Options
) -> NDArray[np.bool_]:
    """Which topics enter the mean, by run and metric."""
    first = next(iter(rankings.values()))
    present = np.array([[topic in run.topics for topic in judgments.topics] for run in first], dtype=bool)
    relevant = np.array([topic.highest > 0 for topic in judgments.topics.values()])
    out = np.ones((len(first), len(metrics), len(judgments.topics)), dtype=bool)
    for m, metric in enumerate(metrics):
        missing = options.missing_topics or ("skip" if metric.mean_over == "both" else "zero")
        empty = options.empty_topics or ("skip" if metric.mean_over == "judged-relevant" else "score")
        if missing == "skip":
            out[:, m] &= present
        if empty == "skip":
            out[:, m] &= relevant
    return out
