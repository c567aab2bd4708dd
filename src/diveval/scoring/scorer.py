"""From rankings to scores, one block of topics at a time: all runs of a block at once, with work shared by metrics."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.collection.columns import IntArray
from diveval.collection.judgment_columns import JudgedColumns
from diveval.collection.judgments import Judgments
from diveval.collection.rankings import RankedColumns, Rankings, TopicRanking
from diveval.collection.relevance import Relevance, relevance_of
from diveval.errors import UsageError, count_of, preview, quote, warn
from diveval.metrics.batch import PADDING, Batch, source_of
from diveval.metrics.formulas import UNPROVEN
from diveval.metrics.metric import Best, Metric
from diveval.results.scores import Scores
from diveval.results.setup import JUDGED_DEPTH, Setup, setup_of
from diveval.scoring.blocks import JoinedRuns, Prefixes, TopicBlock, plan_blocks, refuse_large
from diveval.settings import Efforts, Options, OrderRule, RelevanceRule

RankingsByOrder = Mapping[OrderRule, Sequence[Rankings]]
MOST_SHARED, MOST_IDEALS = 24, 200  # intermediate results of a block that are kept for the next metrics
MOST_KEPT = 10_000  # topics whose pools and ideal lists are kept for the next batch of runs


def orders(metrics: Sequence[Metric], options: Options) -> list[OrderRule]:
    """The different orders in which the metrics are scored."""
    return list(dict.fromkeys(options.order_for(metric.order) for metric in metrics))


def score(judgments: Judgments, rankings: RankingsByOrder, metrics: Sequence[Metric], options: Options) -> Scores:
    """The table of scores of rankings."""
    return Scorer(judgments, metrics, options).score(rankings)


class Scorer:
    """Scores any number of runs, some at a time. What depends on the judgments alone is computed once."""

    def __init__(self, judgments: Judgments, metrics: Sequence[Metric], options: Options) -> None:
        self._judgments, self._metrics, self._options = judgments, metrics, options
        self._kinds: dict[tuple[RelevanceRule, OrderRule], list[int]] = {}
        for m, metric in enumerate(metrics):
            rules = metric.rule or options.relevance, options.order_for(metric.order)
            self._kinds.setdefault(rules, []).append(m)
        self._tables: dict[Hashable, Any] = {}
        self._blocks: dict[tuple[RelevanceRule, int | None], list[TopicBlock]] = {}
        self._batches: dict[tuple[RelevanceRule, OrderRule, int | None, int], Batch] | None = None

    def of(self, metrics: Sequence[Metric]) -> Scorer:
        """A scorer of other metrics for the same runs, which shares the arrays of judgments and rankings."""
        other = Scorer(self._judgments, metrics, self._options)
        self._batches = {} if self._batches is None else self._batches
        other._tables, other._blocks, other._batches = self._tables, self._blocks, self._batches
        return other

    @property
    def _judged(self) -> JudgedColumns:
        return self._judgments.columns

    @cached_property
    def _relevances(self) -> dict[RelevanceRule, Relevance]:
        highest, source = self._judgments.highest, self._judgments.source
        rules = dict.fromkeys(rule for rule, _ in self._kinds)
        relevances = {rule: relevance_of(self._judged, rule, highest, source) for rule in rules}
        for relevance in relevances.values():
            refuse_large(self._judged, relevance, self._options.largest_topic)
        return relevances

    def score(self, rankings: RankingsByOrder) -> Scores:
        """The table of some runs, from their rankings under each order."""
        first = next(iter(rankings.values()))
        topics, metrics = list(self._judgments.topics), self._metrics
        columns = {order: [run.columns(self._judgments) for run in runs] for order, runs in rankings.items()}
        missing = ~np.array([run.present for run in columns[next(iter(rankings))]]).reshape(len(first), len(topics))
        values = np.zeros((len(first), len(metrics), len(topics)))
        for members, pools, batch in self._score_blocks(columns):
            absent = missing[:, pools.topics]
            for m in members:
                part = metrics[m].score(batch).reshape(absent.shape)
                if absent.any() and worst_counts(metrics[m], self._options):
                    part = np.where(absent, self._worst(metrics[m], pools), part)
                values[:, m, pools.topics] = part
        _check(values, metrics, topics)
        notes = _notes(metrics, self._tables)
        ranked = {run.name: own for run, own in zip(first, next(iter(columns.values())), strict=True)}
        return Scores.of(
            values,
            runs=[r.name for r in first],
            metrics=[m.name for m in metrics],
            topics=topics,
            counted=_counted(self._options.relevance.counts(self._judged.highest()), missing, metrics, self._options),
            missing=missing,
            notes=notes,
            best=[m.best for m in metrics],
            setup=setup_of_runs(self._judgments, ranked, metrics, self._options),
        )

    def batches(self, rankings: RankingsByOrder) -> Iterator[tuple[IntArray, Batch]]:
        """The topics of each block and its arrays, for what is computed beside scores; a missing topic is an empty list."""
        columns = {order: [run.columns(self._judgments) for run in runs] for order, runs in rankings.items()}
        for _, pools, batch in self._score_blocks(columns):
            yield pools.topics, batch

    def _score_blocks(
        self, columns: Mapping[OrderRule, Sequence[RankedColumns]]
    ) -> Iterator[tuple[list[int], TopicBlock, Batch]]:
        """Blocks of topics: the metrics that are scored on them, their relevant documents, and the rankings as arrays."""
        for (rule, order), members in self._kinds.items():
            for depth, some, runs in self._cut(members, columns[order]):
                joined = JoinedRuns.of(runs)
                for b, pools in enumerate(self._pools(rule, len(runs), depth)):
                    yield some, pools, self._batch((rule, order, depth, b), pools, joined)

    def _cut(
        self, members: Sequence[int], runs: Sequence[RankedColumns]
    ) -> Iterator[tuple[int | None, list[int], Sequence[RankedColumns]]]:
        """The metrics that see only the first ranks with the lists cut there, and the others with whole lists: a list of a
        thousand documents has several times as many relevant ones as its first twenty."""
        depths = {m: find_depth(self._metrics[m], self._options) for m in members}
        depth = max((depth for depth in depths.values() if depth is not None), default=0)
        hits = sum(len(run.ranks) for run in runs)
        if depth and 2 * sum(int(np.count_nonzero(run.ranks <= depth)) for run in runs) <= hits:
            yield depth, [m for m in members if depths[m] is not None], [run.cut(depth) for run in runs]
            members = [m for m in members if depths[m] is None]
        if members:
            yield None, list(members), runs

    def _batch(
        self, key: tuple[RelevanceRule, OrderRule, int | None, int], pools: TopicBlock, runs: JoinedRuns
    ) -> Batch:
        """The arrays of a block's rankings, reused if another scorer of the same runs built them."""
        if self._batches is None:
            return pools.batch(runs, self._tables)
        batch = self._batches.get(key)
        if batch is None:
            batch = self._batches[key] = pools.batch(runs, self._tables)
        for kept, most in ((batch.kept, MOST_SHARED), (batch.pool_kept, MOST_IDEALS)):
            if len(kept) > most:
                kept.clear()
        return batch

    def _worst(self, metric: Metric, pools: TopicBlock) -> NDArray[np.float64]:
        """The score of a list of non-relevant documents, which is the score of a run that lacks the topic."""
        lengths = pools.judged_documents
        if metric.cutoff is not None:
            lengths = np.full_like(lengths, metric.cutoff)
        return metric.score(pools.batch_without_answers(lengths, self._tables))

    def _pools(self, rule: RelevanceRule, runs: int, depth: int | None) -> Iterator[TopicBlock]:
        """The blocks of a rule for lists down to a depth, kept for the next runs unless there are too many topics."""
        key = rule, depth
        if key in self._blocks:
            yield from self._blocks[key]
            return
        kept: list[TopicBlock] = []
        relevance = self._relevances[rule]
        hits = np.diff(relevance.documents)
        for topics in plan_blocks(np.diff(relevance.aspects), hits if depth is None else np.minimum(hits, depth), runs):
            pools = TopicBlock(self._judged, relevance, topics, self._options.efforts, self._options.document_groups)
            if len(self._judged) <= MOST_KEPT:
                kept.append(pools)
            yield pools
        if len(self._judged) <= MOST_KEPT:
            self._blocks[key] = kept


def find_depth(metric: Metric, options: Options) -> int | None:
    """The rank below which nothing of a list changes its score; None if the metric may see more than relevance by rank."""
    alone = metric.formula.is_algebraic and not metric.formula.has_user_code and options.efforts is None
    return metric.cutoff if alone else None


def setup_of_runs(
    judgments: Judgments, runs: Mapping[str, RankedColumns], metrics: Sequence[Metric], options: Options
) -> Setup:
    """The setup of an evaluation, with the share of judged documents of each run: the mean of `Judged@20`."""
    shares = {name: share_judged(judgments, ranked, JUDGED_DEPTH, options) for name, ranked in runs.items()}
    every = _topics_of_means(judgments, options)
    lacking = () if options.missing_topics == "skip" else [n for n, run in runs.items() if not run.present[every].all()]
    return setup_of(judgments, metrics, options, shares, lacking)


def _topics_of_means(judgments: Judgments, options: Options) -> NDArray[np.bool_]:
    """Which topics enter the means of every run that has them, by their relevant documents."""
    relevant = options.relevance.counts(judgments.columns.highest())
    return relevant if options.empty_topics == "skip" else np.ones_like(relevant)


def share_judged(judgments: Judgments, ranked: RankedColumns, depth: int, options: Options) -> float:
    """The mean over topics of the share of judged documents among the first ones: the mean of `Judged@depth`."""
    columns = ranked.submitted or ranked
    visible = np.minimum(columns.lengths, depth)
    reached = np.concatenate([[0], np.cumsum(columns.ranks <= depth)])
    judged = np.diff(reached[columns.judged_offsets]) / np.maximum(visible, 1)
    every = _topics_of_means(judgments, options)
    chosen = judged[columns.present & every if options.missing_topics == "skip" else every]
    return float(chosen.mean()) if len(chosen) else 0.0


def make_batch(
    judgments: Judgments,
    rule: RelevanceRule,
    topic: str,
    listed: Sequence[TopicRanking],
    tables: dict[Hashable, Any] | None = None,
    efforts: Efforts | None = None,
    prefixes: Prefixes | None = None,
) -> Batch:
    """Rankings of one topic, or their prefixes, as arrays."""
    place = np.array([judgments.columns.topics.by_name[topic]])
    relevance: Relevance = judgments.relevance(rule).columns
    return TopicBlock(judgments.columns, relevance, place, efforts).rankings(listed, tables, prefixes)


def _check(values: NDArray[np.float64], metrics: Sequence[Metric], topics: Sequence[str]) -> None:
    """Only another tool's rule may give NaN; a value of our own metrics that is not finite is a bug."""
    for m, metric in enumerate(metrics):
        if not metric.is_of_another_tool and not np.isfinite(values[:, m]).all():
            _, t = np.argwhere(~np.isfinite(values[:, m]))[0]
            raise UsageError(
                "metric-failed",
                f"{metric.name} is not a finite number on topic {quote(topics[t])}",
                hint="please report this",
            )


def _notes(metrics: Sequence[Metric], tables: dict[Hashable, Any]) -> list[str]:
    """A warning and a note for each metric whose ideal list was not proven to be optimal on some topics."""
    unproven = tables.pop(UNPROVEN, {})
    notes = [
        f"{metric.name}: the best list of {count_of(len(topics), 'topic')} ({preview(topics)}) is not proven; the greedy"
        " list is used instead, as with ideal=greedy"
        for metric in metrics
        if (topics := unproven.get(metric.formula))
    ]
    for note in notes:
        warn("ideal-not-proven", note)
    return notes


def worst_counts(metric: Metric, options: Options) -> bool:
    """Whether a missing topic is scored as a list of non-relevant documents."""
    return metric.rule_for_missing(options.missing_topics) == "worst"


def sees_same_lists(metric: Metric, options: Options) -> bool:
    """Whether a metric orders lists and counts relevant documents as diveval's own metrics do: all of these, and those of
    another tool's that are also compositions of the algebra, unless options change what is relevant for ours alone."""
    if metric.rule is None and metric.order is None:
        return True
    rule, own = metric.rule or options.relevance, options.relevance
    alike = (rule.rel, rule.drop_empty_aspects) == (own.rel, own.drop_empty_aspects)
    return metric.formula.is_algebraic and alike and options.order_for(metric.order) == options.order_for(None)


def _counted(
    relevant: NDArray[np.bool_], absent: NDArray[np.bool_], metrics: Sequence[Metric], options: Options
) -> NDArray[np.bool_]:
    """Which topics enter the mean, by run and metric."""
    out = np.ones((len(absent), len(metrics), len(relevant)), dtype=bool)
    for m, metric in enumerate(metrics):
        empty = options.empty_topics or ("skip" if metric.mean_over == "judged-relevant" else "score")
        if metric.rule_for_missing(options.missing_topics) == "skip":
            out[:, m] &= ~absent
        if empty == "skip":
            out[:, m] &= relevant
    return out


# --- residuals --------------------------------------------------------------------------------------------------------


def add_residuals(
    scores: Scores,
    judgments: Judgments,
    rankings: RankingsByOrder,
    metrics: Sequence[Metric],
    options: Options,
    *,
    top: float = 1.0,
) -> Scores:
    """Add `M+residual` for each metric M: its change if every unjudged document of a list had the relevance `top` to all
    aspects.

    The ideal list and the number of relevant documents count these documents too, so M + residual is at most 1 where M is.
    """
    if options.judged_only:
        raise UsageError(
            "conflicting-options", "residuals are about unjudged documents, which judged_only (--judged-only) removes"
        )
    own = [metric for metric in metrics if sees_same_lists(metric, options) and _gains(metric)]
    if not own:
        named = preview([metric.name for metric in metrics])
        if any(sees_same_lists(metric, options) for metric in metrics):
            raise UsageError(
                "option-not-applicable",
                f"no residual exists for {named}: which documents are judged counts there, not only relevance",
            )
        raise UsageError(
            "metric-of-another-tool",
            f"no residual exists for {named}: its tool reads judgments and lists in its own way",
            hint="add one of diveval's own metrics",
        )
    judged = judgments.columns
    relevance = relevance_of(judged, options.relevance, judgments.highest, judgments.source)
    order = options.order_for(None)
    runs = [run.columns(judgments) for run in rankings[order]]
    longest = np.array([run.lengths for run in runs]).max(axis=0, initial=0)
    values, tables = np.zeros((len(runs), len(own), len(scores.topics))), dict[Hashable, Any]()
    for topics in plan_blocks(np.diff(relevance.aspects), longest, len(runs)):
        batch = _all_relevant(
            TopicBlock(judged, relevance, topics, options.efforts).batch(JoinedRuns.of(runs), tables), top
        )
        for m, metric in enumerate(own):
            values[:, m, topics] = metric.score(batch).reshape(len(runs), len(topics))
    index = [scores.metric_index(metric.name) for metric in own]
    if scores.missing is not None:  # a missing topic has no unjudged documents
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
        setup=scores.setup,
    )


def _gains(metric: Metric) -> bool:
    """Whether the metric depends on relevance, not only on which documents are judged."""
    return not metric.formula.sees_judged


def _all_relevant(real: Batch, top: float) -> Batch:
    """The same rankings with every unjudged document relevant to the degree `top`, each beside a pool that counts its own
    of them."""
    source, longest = source_of(real), int(real.lengths.max(initial=0))
    ranks = np.arange(1, longest + 1) + np.zeros((real.rows, 1), dtype=np.int64)
    shown = ranks <= real.lengths[:, np.newaxis]
    unjudged = shown.copy()
    unjudged[source.row_of_hits(), source.ranks - 1] = False
    row, rank = source.blanks()
    unjudged[row, rank - 1] = False  # a repeated document never counts as relevant
    grid = np.where(unjudged & real.own()[:, :, np.newaxis], top, 0.0)
    row, hit = np.nonzero(real.ranks != PADDING)
    grid[:, row, real.ranks[row, hit] - 1] = real.relevance[:, row, hit]
    changed = replace(real, relevance=grid, ranks=np.where(shown, ranks, PADDING), kept={})
    own = np.logical_or.reduce(real.own(), axis=0)
    return _with_own_pools(changed, unjudged & own[:, np.newaxis], top)


def _with_own_pools(batch: Batch, added: NDArray[Any], top: float) -> Batch:
    """Each row as a topic of its own, whose pool has the documents at the ranks `added`, relevant to the degree `top`, and
    the judged."""
    topic, more = batch.topic, np.count_nonzero(added, axis=1)
    place = np.arange(int(more.max(initial=0)) + batch.pool.shape[2]) - more[:, np.newaxis]
    judged = (place >= 0) & (place < batch.pool.shape[2])
    at = np.where(judged, place, 0)
    rows = np.arange(batch.rows)[:, np.newaxis]
    pool = np.where(place < 0, top, 0.0) * batch.own()[:, :, np.newaxis]
    if batch.pool.shape[2]:
        pool = np.where(judged, batch.pool[:, topic[:, np.newaxis], at], pool)
    pool_costs = None
    if batch.pool_costs is not None and batch.costs is not None:
        first = np.argsort(~added, axis=1, kind="stable")  # the ranks of the added documents, then the others
        added_costs = np.take_along_axis(batch.costs[:, : added.shape[1]], first, axis=1)
        unseen = added_costs[rows, np.clip(np.arange(place.shape[1]), 0, added.shape[1] - 1)[np.newaxis]]
        pool_costs = (
            unseen if not batch.pool.shape[2] else np.where(judged, batch.pool_costs[topic[:, np.newaxis], at], unseen)
        )
    return replace(
        batch,
        pool=pool,
        pool_costs=pool_costs,
        weights=batch.weights[:, topic],
        topic=np.arange(batch.rows),
        aspects=batch.aspects[topic],
        documents=batch.documents[topic] + more,
        source=None,
        pool_kept={},
    )
