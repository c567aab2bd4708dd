"""Rankings of a block of topics as arrays; intermediate results that several metrics need are computed once.

A row is one ranking: a system's list for one topic. All rows of a block are in the same arrays. A topic with fewer
aspects, documents or hits than the block's arrays is padded with zeros, and sums run in a fixed order, so the division
into blocks never changes a bit of a score.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, wraps
from operator import attrgetter
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from diveval.collection.columns import IntArray, offsets_of, spans
from diveval.collection.judgment_columns import JudgedColumns
from diveval.collection.judgments import TopicJudgments
from diveval.collection.rankings import TopicRanking
from diveval.errors import UsageError
from diveval.metrics.algebra import Array, Channels, Discount, Novelty, look_up, running, weighted_sum
from diveval.metrics.ranking import Ranking
from diveval.settings import Groups

T = TypeVar("T")
P = ParamSpec("P")
PADDING = np.iinfo(np.int64).max  # a rank beyond every cutoff


@dataclass(frozen=True, eq=False)
class Shared:
    """Parts of a dictionary key that is hashed and compared by identity, which is faster than hashing the parts."""

    parts: tuple[Any, ...]


@lru_cache(maxsize=4096)
def share(*parts: Hashable) -> Shared:
    """The same object for equal parts.

    If the cache drops an object and creates another one, two metrics may compute a value twice; results stay the same.
    """
    return Shared(parts)


def once(make: Callable[Concatenate[Batch, P], T]) -> Callable[Concatenate[Batch, P], T]:
    """Cache a function of a batch and other arguments for the lifetime of the batch."""
    return _keeping(make, attrgetter("kept"))


def once_for_pool(make: Callable[Concatenate[Batch, P], T]) -> Callable[Concatenate[Batch, P], T]:
    """The same for values that depend on the topics' judgments alone: they are reused for later systems."""
    return _keeping(make, attrgetter("pool_kept"))


def _keeping(
    make: Callable[Concatenate[Batch, P], T], place: Callable[[Batch], dict[Hashable, Any]]
) -> Callable[Concatenate[Batch, P], T]:
    @wraps(make)
    def value(batch: Batch, /, *parts: P.args, **named: P.kwargs) -> T:
        kept, key = place(batch), (make, *parts, *named.items())
        try:
            result: T = kept[key]
        except KeyError:
            result = kept[key] = make(batch, *parts, **named)
        return result

    return value


@dataclass(frozen=True, eq=False)
class Batch:
    """The relevant documents of some rankings of some topics.

    Only documents relevant to some aspect are stored (hits): others matter only through the ranks of the hits and the
    length of the list. Shapes: relevance (aspect, row, hit), ranks (row, hit).
    """

    relevance: Array
    ranks: NDArray[np.int64]
    lengths: NDArray[np.int64]
    weights: Array  # (aspect, topic)
    pool: Array  # (aspect, topic, document): every relevant document of each topic, by document id descending
    topic: NDArray[np.int64]  # of each row, the index of its topic in the block
    aspects: NDArray[np.int64]  # of each topic, how many aspects are not padding
    documents: NDArray[np.int64]  # of each topic, how many documents of the pool are not padding
    costs: Array | None = None  # (row, rank): effort of each document as a multiple of e
    pool_costs: Array | None = None  # (topic, document): the same for the pool
    source: Source | None = None  # judgments and rankings, for rules that need more than relevance
    tables: dict[Hashable, Any] = field(default_factory=dict)  # shared by all blocks of one evaluation
    kept: dict[Hashable, Any] = field(default_factory=dict)
    pool_kept: dict[Hashable, Any] = field(default_factory=dict)  # shared by all batches of these topics

    @classmethod
    def of_topic(
        cls,
        relevance: Array,
        ranks: NDArray[np.int64],
        lengths: NDArray[np.int64],
        weights: Array,
        pool: Array,
        *,
        pool_costs: Array | None = None,
        **more: Any,
    ) -> Batch:
        """Rankings of one topic: `weights` by aspect, `pool` as (aspect, document), `pool_costs` by document."""
        return cls(
            relevance,
            ranks,
            lengths,
            weights[:, np.newaxis],
            pool[:, np.newaxis],
            np.zeros(len(lengths), dtype=np.int64),
            np.array([len(weights)]),
            np.array([pool.shape[1]]),
            pool_costs=None if pool_costs is None else pool_costs[np.newaxis],
            **more,
        )

    def table(self, make: Callable[..., Array], *parts: Any, longest: int) -> Array:
        """make(*parts, longest): a value for each rank from 0 to at least `longest`, cached for the whole evaluation."""
        key = (make, *parts)
        table: Array | None = self.tables.get(key)
        if table is None or len(table) <= longest:
            table = self.tables[key] = make(*parts, longest | 1023)  # longer, so that slightly longer topics reuse it
        return table

    @property
    def rows(self) -> int:
        return len(self.lengths)

    def topic_name(self, topic: int) -> str:
        """The name of a topic of the block; empty if the batch has no judgments."""
        return "" if self.source is None else self.source.topic_name(topic)

    # --- intermediate results that metrics share --------------------------------------------------------------------

    @once
    def by_channel(self, channels: Channels) -> Array:
        """Relevance by channel: (channel, row, hit)."""
        return channels.table(self.relevance, self.weights[:, self.topic])

    @once_for_pool
    def pool_by_channel(self, channels: Channels) -> Array:
        """The pool by channel: (channel, topic, document)."""
        return channels.table(self.pool, self.weights)

    @once
    def row_weights(self, channels: Channels) -> Array:
        """The weight of each channel, (channel, row)."""
        return np.asarray(channels.weights(self)[:, self.topic])

    def own(self) -> NDArray[np.bool_]:
        """Which aspects belong to the row's topic and are not padding, (aspect, row)."""
        return np.arange(len(self.weights))[:, np.newaxis] < self.aspects[self.topic]

    @once
    def gain(self, channels: Channels, novelty: Novelty) -> Array:
        """Σ_c weight(c) · r · novelty at each hit: (row, hit)."""
        seen = self.by_channel(channels)
        return weighted_sum(seen * novelty.table(seen), self.row_weights(channels))

    @once
    def discounts(self, discount: Discount) -> Array:
        """discount(rank) at each hit: (row, hit)."""
        return look_up(self.table(_by_rank, discount, longest=int(self.lookup.max(initial=0))), self.lookup)

    @once
    def first_ranks(self, channels: Channels) -> NDArray[np.int64]:
        """The rank at which each channel first has relevance, (channel, row); PADDING if it never has."""
        ranks = np.where(self.by_channel(channels) > 0.0, self.ranks, PADDING)
        return np.asarray(ranks.min(axis=-1, initial=PADDING))

    @cached_property
    def lookup(self) -> NDArray[np.int64]:
        """Ranks with padding at 0, where every discount table holds 0."""
        return np.where(self.ranks == PADDING, 0, self.ranks)

    @cached_property
    def divisors(self) -> NDArray[np.int64]:
        """Ranks with padding at 1, to divide by."""
        return np.maximum(self.lookup, 1)

    def hits_within(self, cutoff: int | NDArray[np.int64] | None) -> NDArray[np.int64]:
        """How many hits each row has down to the cutoff."""
        return np.asarray(np.count_nonzero(self.ranks <= self.visible(cutoff)[:, np.newaxis], axis=1))

    def visible(self, cutoff: int | NDArray[np.int64] | None) -> NDArray[np.int64]:
        """min(n, k): how many documents the metric sees."""
        return self.lengths if cutoff is None else np.minimum(self.lengths, cutoff)

    def at_cutoff(self, so_far: Array, cutoff: int | NDArray[np.int64] | None) -> Array:
        """The value at the cutoff of a running total over hits, (…, row, hit) to (…, row); the cutoff may differ by row."""
        if so_far.shape[-1] == 0:
            return np.zeros(so_far.shape[:-1])
        # An array of cutoffs cannot be a dictionary key, so its result is not cached.
        place, none = (_last_hits if isinstance(cutoff, np.ndarray) else _last_hits_kept)(self, cutoff)
        value: Array = so_far[..., np.arange(self.rows), place]
        if none is not None:
            value[..., none] = 0.0
        return value

    def effort(self, discount: Discount, visible: NDArray[np.int64]) -> Array:
        """Σ_{i≤m} discount(i) · cost(i) for each row, m being `visible`; the cost is 1 unless given."""
        if self.costs is None:
            return discount.total(visible)
        return np.asarray(_sum_effort(self, discount)[np.arange(self.rows), visible])

    def ranking(self, row: int) -> Ranking:
        """One full list, for metrics that are plain functions of a ranking."""
        topic = self.topic[row]
        aspects, documents = self.aspects[topic], self.documents[topic]
        listed = np.zeros((int(self.lengths[row]), aspects))
        hits = self.ranks[row] != PADDING
        listed[self.ranks[row][hits] - 1] = self.relevance[:aspects, row, hits].T
        return Ranking(
            listed,
            self.weights[:aspects, topic],
            self.pool[:aspects, topic, :documents].T,
            costs=None if self.costs is None else self.costs[row, : len(listed)],
            pool_costs=None if self.pool_costs is None else self.pool_costs[topic, :documents],
        )


def last(values: Array) -> Array:
    """Σ along the last axis, added from left to right as in a loop; `np.sum` adds pairwise, which gives other bits."""
    return np.asarray(running(values)[..., -1]) if values.shape[-1] else np.zeros(values.shape[:-1])


def divide(values: Array, by: NDArray[Any]) -> Array:
    """values / by, 0 where the divisor is not positive."""
    out = np.zeros(np.broadcast_shapes(values.shape, by.shape))
    return np.asarray(np.divide(values, by, out=out, where=by > 0.0))


def _by_rank(discount: Discount, longest: int) -> Array:
    return discount.table(longest)


def _last_hits(
    batch: Batch, cutoff: int | NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], NDArray[np.bool_] | None]:
    """The index of each row's last hit down to the cutoff, and the rows without one."""
    count = batch.hits_within(cutoff)
    none = count == 0
    return np.maximum(count - 1, 0), none if none.any() else None


_last_hits_kept = once(_last_hits)


@once
def _sum_effort(batch: Batch, discount: Discount) -> Array:
    """Effort so far, (row, rank), with 0 at rank 0."""
    costs = batch.costs
    assert costs is not None
    return np.cumsum(np.pad(costs, ((0, 0), (1, 0))) * discount.table(costs.shape[1]), axis=1)


# --- where a block's arrays come from ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Source:
    """The judgments of a block's topics and the judged documents of its rows, concatenated.

    Passages, rounds, and documents judged not relevant are not in a `Batch`'s relevance. Common rules read the columns;
    rules of rarely used tools read one topic or one ranking at a time.
    """

    judged: JudgedColumns  # of the whole collection
    topics: IntArray  # the block's topics, as indices into the collection
    hits: IntArray  # offsets: the start of each row's judged documents
    ranks: IntArray
    documents: IntArray  # rows of the judgments, numbered within the topic
    ranking: Callable[[int], TopicRanking]  # one row as a ranking, with its rounds
    blanks: Callable[[], tuple[IntArray, IntArray]]  # rows and ranks of repeated documents, which count as not relevant
    place: IntArray | None = None  # of each judged document of the collection: its number in the pool, −1 without one
    groups: Groups | None = None  # the documents' groups, for metrics of group fairness

    def judgments(self, topic: int) -> TopicJudgments:
        """The judgments of one topic of the block."""
        return self.judged.views.at(int(self.topics[topic]))

    def topic_name(self, topic: int) -> str:
        """The name of a topic of the block."""
        return self.judged.topics[int(self.topics[topic])]

    def row_of_hits(self) -> IntArray:
        """The row of each judged document."""
        return np.repeat(np.arange(len(self.hits) - 1), np.diff(self.hits))

    def best_grades(self) -> tuple[IntArray, NDArray[np.float64]]:
        """Offsets of the block's topics, and the best grade of each judged document, topic by topic."""
        judged, topics = self.judged, self.topics
        sizes = judged.documents[topics + 1] - judged.documents[topics]
        starts = offsets_of(sizes)
        counts = judged.entries[topics + 1] - judged.entries[topics]
        entries = spans(judged.entries[topics], counts)
        best = np.full(starts[-1], -np.inf)
        np.maximum.at(best, np.repeat(starts[:-1], counts) + judged.rows[entries], judged.grades[entries])
        return starts, best


def source_of(batch: Batch) -> Source:
    """Judgments and rankings of a batch; an error if it has none."""
    if batch.source is None:
        raise UsageError(
            "metric-needs-judgments",
            "this metric needs the judgments themselves",
            hint="score it with diveval.evaluate",
        )
    return batch.source
