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


@lru_cache(maxsize=4096)
def shared(*parts: Hashable) -> object:
    """One key for equal parts, the same object every time: found by identity, without hashing the parts anew.

    One that was forgotten and is made again only costs what two metrics could have shared.
    """
    return object()


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

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Compute on first demand, then hand out again."""
        try:
            value: T = self.kept[key]
        except KeyError:
            value = self.kept[key] = make()
        return value

    @property
    def systems(self) -> int:
        return len(self.lengths)

    # --- pieces that metrics share ----------------------------------------------------------------------------------

    def seen_by(self, channels: Channels) -> Array:
        """Relevance by channel: (channel, system, hit)."""
        return self.once(("seen", channels), lambda: channels.table(self.relevance, self.weights))

    def pool_seen_by(self, channels: Channels) -> Array:
        """The pool by channel: (channel, document)."""
        return self.once(("pool", channels), lambda: channels.table(self.pool, self.weights))

    def gain(self, channels: Channels, novelty: Novelty) -> Array:
        """Σ_c weight(c) · r · novelty at each hit: (system, hit)."""

        def make() -> Array:
            seen = self.seen_by(channels)
            fresh = self.once(("fresh", channels, novelty), lambda: seen * novelty.table(seen))
            return weighted_sum(fresh, channels.weights(self))

        return self.once(("gain", channels, novelty), make)

    def discounts(self, discount: Discount) -> Array:
        """discount(rank) at each hit: (system, hit)."""

        def make() -> Array:
            longest = int(self.lengths.max(initial=0))
            table = self.tables.get(discount)
            if table is None or len(table) <= longest:
                table = self.tables[discount] = discount.table(max(longest, 1000))
            return np.asarray(table[self.lookup])

        return self.once(("discounts", discount), make)

    @property
    def lookup(self) -> NDArray[np.int64]:
        """Ranks with padding at 0, where every discount table holds 0."""
        return self.once("lookup", lambda: np.where(self.ranks == PADDING, 0, self.ranks))

    def hits_within(self, cutoff: int | None) -> NDArray[np.int64]:
        """How many hits each system has down to the cutoff."""

        def make() -> NDArray[np.int64]:
            limit = PADDING - 1 if cutoff is None else min(cutoff, PADDING - 1)
            return np.asarray(np.count_nonzero(self.ranks <= limit, axis=1))

        return self.once(("within", cutoff), make)

    def visible(self, cutoff: int | None) -> NDArray[np.int64]:
        """min(n, k): how many documents the metric sees."""
        return self.lengths if cutoff is None else np.minimum(self.lengths, cutoff)

    def at_cutoff(self, running: Array, cutoff: int | None) -> Array:
        """A running total over hits, (…, system, hit), read off at the cutoff: (…, system)."""
        if running.shape[-1] == 0:
            return np.zeros(running.shape[:-1])
        place, none = self.once(("places", cutoff), lambda: self._places(cutoff))
        value: Array = running.reshape(*running.shape[:-2], -1)[..., place]
        if none is not None:
            value[..., none] = 0.0
        return value

    def _places(self, cutoff: int | None) -> tuple[NDArray[np.int64], NDArray[np.bool_] | None]:
        """Where each system's last hit down to the cutoff stands among all hits, and which systems have none."""
        count = self.hits_within(cutoff)
        none = count == 0
        place = np.arange(self.systems) * self.ranks.shape[1] + np.maximum(count - 1, 0)
        return place, none if none.any() else None

    def effort(self, discount: Discount, visible: NDArray[np.int64]) -> Array:
        """Σ_{i≤m} discount(i) · cost(i) for each system, m being what it shows; the cost is 1 unless given."""
        if self.costs is None:
            return discount.total(visible)
        paid = self.once(("paid", discount), lambda: self._paid(discount))
        return np.asarray(paid[np.arange(self.systems), visible])

    def _paid(self, discount: Discount) -> Array:
        costs = self.costs
        assert costs is not None
        out = np.zeros((costs.shape[0], costs.shape[1] + 1))
        np.cumsum(costs * discount.table(costs.shape[1])[1:], axis=1, out=out[:, 1:])
        return out

    def ranking(self, system: int) -> Ranking:
        """One system's full list, for metrics that are plain functions of a ranking."""
        rows = np.zeros((int(self.lengths[system]), len(self.weights)))
        held = self.ranks[system] != PADDING
        rows[self.ranks[system][held] - 1] = self.relevance[:, system, held].T
        costs = None if self.costs is None else self.costs[system, : len(rows)]
        return Ranking(rows, self.weights, self.pool.T, costs=costs, pool_costs=self.pool_costs)
