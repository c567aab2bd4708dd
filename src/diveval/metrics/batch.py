"""All systems of one topic at once, as arrays; whatever several metrics need is computed once and kept."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from diveval.judgments import TopicJudgments
from diveval.metrics.algebra import Array, Channels, Discount, Novelty, weighted_sum
from diveval.metrics.ranking import Ranking
from diveval.rankings import TopicRanking

T = TypeVar("T")
PADDING = np.iinfo(np.int64).max  # a rank beyond every cutoff


@dataclass(frozen=True, eq=False)
class Shared:
    """Parts of a key, found by identity: without hashing the parts anew."""

    parts: tuple[Any, ...]


@lru_cache(maxsize=4096)
def shared(*parts: Hashable) -> Shared:
    """One object for equal parts, the same every time.

    One that was forgotten and is made again only costs what two metrics could have shared.
    """
    return Shared(parts)


@dataclass(frozen=True, eq=False)
class Batch:
    """The judged-relevant documents of each system for one topic.

    Only documents relevant to something are held: an unjudged or non-relevant one adds nothing but its rank, and ranks,
    lengths and closed forms carry that. Shapes: relevance (aspect, system, hit), ranks (system, hit).
    """

    relevance: Array
    ranks: NDArray[np.int64]
    lengths: NDArray[np.int64]
    weights: Array
    pool: Array  # (aspect, document): every relevant document of the topic, by document id descending
    costs: Array | None = None  # (system, rank): effort of each document as a multiple of e
    pool_costs: Array | None = None  # (document,): the same for the pool
    judgments: TopicJudgments | None = None  # where the arrays come from, for rules that relevance does not carry:
    rankings: Sequence[TopicRanking] = ()  # passages, rounds, documents judged not relevant
    tables: dict[Hashable, Any] = field(default_factory=dict)  # shared by all topics of one evaluation
    kept: dict[Hashable, Any] = field(default_factory=dict)
    pool_kept: dict[Hashable, Any] = field(default_factory=dict)  # shared by all batches of a topic

    def once(self, make: Callable[..., T], *parts: Any) -> T:
        """make(*parts, batch), on first demand; then handed out again. What it depends on is what it is kept under."""
        return self._once(self.kept, make, parts)

    def once_for_pool(self, make: Callable[..., T], *parts: Hashable) -> T:
        """The same for what depends on the topic's judgments alone: systems that come later find it made."""
        return self._once(self.pool_kept, make, parts)

    def _once(self, kept: dict[Hashable, Any], make: Callable[..., T], parts: tuple[Hashable, ...]) -> T:
        key = (make, *parts)
        try:
            value: T = kept[key]
        except KeyError:
            value = kept[key] = make(*parts, self)
        return value

    def table(self, make: Callable[..., Array], *parts: Any, longest: int) -> Array:
        """make(*parts, longest): a value for each rank 0..longest or beyond, kept for all topics of an evaluation."""
        key = (make, *parts)
        table: Array | None = self.tables.get(key)
        if table is None or len(table) <= longest:
            table = self.tables[key] = make(*parts, longest | 1023)  # so that topics a little longer do not do so again
        return table

    @property
    def systems(self) -> int:
        return len(self.lengths)

    # --- pieces that metrics share ----------------------------------------------------------------------------------

    def seen_by(self, channels: Channels) -> Array:
        """Relevance by channel: (channel, system, hit)."""
        return self.once(_seen, channels)

    def pool_seen_by(self, channels: Channels) -> Array:
        """The pool by channel: (channel, document)."""
        return self.once(_pool_seen, channels)

    def gain(self, channels: Channels, novelty: Novelty) -> Array:
        """Σ_c weight(c) · r · novelty at each hit: (system, hit)."""
        return self.once(_gain, channels, novelty)

    def discounts(self, discount: Discount) -> Array:
        """discount(rank) at each hit: (system, hit)."""
        return self.once(_discounts, discount)

    def first_ranks(self, channels: Channels) -> NDArray[np.int64]:
        """The rank at which each channel first has relevance, (channel, system); PADDING if it never has."""
        return self.once(_first_ranks, channels)

    @property
    def lookup(self) -> NDArray[np.int64]:
        """Ranks with padding at 0, where every discount table holds 0."""
        return self.once(_lookup)

    @property
    def divisors(self) -> NDArray[np.int64]:
        """Ranks with padding at 1, to divide by."""
        return self.once(_divisors)

    def hits_within(self, cutoff: int | None) -> NDArray[np.int64]:
        """How many hits each system has down to the cutoff."""
        return self.once(_hits_within, cutoff)

    def visible(self, cutoff: int | None) -> NDArray[np.int64]:
        """min(n, k): how many documents the metric sees."""
        return self.lengths if cutoff is None else np.minimum(self.lengths, cutoff)

    def at_cutoff(self, running: Array, cutoff: int | None) -> Array:
        """A running total over hits, (…, system, hit), read off at the cutoff: (…, system)."""
        if running.shape[-1] == 0:
            return np.zeros(running.shape[:-1])
        place, none = self.once(_places, cutoff)
        value: Array = running.reshape(*running.shape[:-2], self.ranks.size)[..., place]
        if none is not None:
            value[..., none] = 0.0
        return value

    def effort(self, discount: Discount, visible: NDArray[np.int64]) -> Array:
        """Σ_{i≤m} discount(i) · cost(i) for each system, m being what it shows; the cost is 1 unless given."""
        if self.costs is None:
            return discount.total(visible)
        return np.asarray(self.once(_paid, discount)[np.arange(self.systems), visible])

    def ranking(self, system: int) -> Ranking:
        """One system's full list, for metrics that are plain functions of a ranking."""
        rows = np.zeros((int(self.lengths[system]), len(self.weights)))
        held = self.ranks[system] != PADDING
        rows[self.ranks[system][held] - 1] = self.relevance[:, system, held].T
        costs = None if self.costs is None else self.costs[system, : len(rows)]
        return Ranking(rows, self.weights, self.pool.T, costs=costs, pool_costs=self.pool_costs)


def running(values: NDArray[Any]) -> Array:
    """Sums so far, along the hits of each system."""
    return np.asarray(np.cumsum(values, axis=-1))


# --- what a batch keeps, by what it depends on ------------------------------------------------------------------------


def _seen(channels: Channels, batch: Batch) -> Array:
    return channels.table(batch.relevance, batch.weights)


def _pool_seen(channels: Channels, batch: Batch) -> Array:
    return channels.table(batch.pool, batch.weights)


def _gain(channels: Channels, novelty: Novelty, batch: Batch) -> Array:
    seen = batch.seen_by(channels)
    return weighted_sum(seen * novelty.table(seen), channels.weights(batch))


def _discounts(discount: Discount, batch: Batch) -> Array:
    return np.asarray(batch.table(_by_rank, discount, longest=int(batch.lengths.max(initial=0)))[batch.lookup])


def _by_rank(discount: Discount, longest: int) -> Array:
    return discount.table(longest)


def _first_ranks(channels: Channels, batch: Batch) -> NDArray[np.int64]:
    ranks = np.where(batch.seen_by(channels) > 0.0, batch.ranks, PADDING)
    return np.asarray(ranks.min(axis=-1, initial=PADDING))


def _lookup(batch: Batch) -> NDArray[np.int64]:
    return np.where(batch.ranks == PADDING, 0, batch.ranks)


def _divisors(batch: Batch) -> NDArray[np.int64]:
    return np.maximum(batch.lookup, 1)


def _hits_within(cutoff: int | None, batch: Batch) -> NDArray[np.int64]:
    return np.asarray(np.count_nonzero(batch.ranks <= batch.visible(cutoff)[:, np.newaxis], axis=1))


def _places(cutoff: int | None, batch: Batch) -> tuple[NDArray[np.int64], NDArray[np.bool_] | None]:
    """Where each system's last hit down to the cutoff stands among all hits, and which systems have none."""
    count = batch.hits_within(cutoff)
    none = count == 0
    place = np.arange(batch.systems) * batch.ranks.shape[1] + np.maximum(count - 1, 0)
    return place, none if none.any() else None


def _paid(discount: Discount, batch: Batch) -> Array:
    """Effort so far, (system, rank), with 0 at rank 0."""
    costs = batch.costs
    assert costs is not None
    return np.cumsum(np.pad(costs, ((0, 0), (1, 0))) * discount.table(costs.shape[1]), axis=1)
