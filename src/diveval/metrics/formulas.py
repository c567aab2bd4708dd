"""What metrics are made of: the sum over ranks that most of them are, normalised, or averaged over prefixes.

Every formula says its value twice: `score` for all systems of a topic in doubles, `exact` for one ranking in any kind
of number. Ranks run to min(n, k). A formula without parameters of its own is not decorated again, as in the algebra.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from diveval.errors import warn
from diveval.metrics.algebra import (
    Always,
    Array,
    Aspects,
    Channels,
    Discount,
    Log,
    Novelty,
)
from diveval.metrics.batch import Batch, shared
from diveval.metrics.ideal import Greedy, greedy_generic, optimum
from diveval.metrics.numbers import Number, is_zero
from diveval.metrics.ranking import Ranking


@dataclass(frozen=True)
class Formula:
    """A metric's formula; `cutoff` is k, None for the whole list."""

    cutoff: int | None = field(default=None, kw_only=True)

    def score(self, batch: Batch) -> Array:
        """The value for each system of a topic."""
        raise NotImplementedError

    def exact(self, ranking: Ranking) -> Number:
        """The value of one ranking, in the ranking's own numbers."""
        raise NotImplementedError

    def at(self, cutoff: int | None) -> Formula:
        """The same formula with another cutoff."""
        return replace(self, cutoff=cutoff)

    def visible(self, ranking: Ranking) -> int:
        return len(ranking) if self.cutoff is None else min(len(ranking), self.cutoff)


# --- the sum that most metrics are ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sum(Formula):
    """Σ_i discount(i) · ( Σ_c weight(c) · r(i,c) · novelty(i,c) − effort )."""

    over: Channels = field(default_factory=Aspects)
    discount: Discount = field(default_factory=Log)
    novelty: Novelty = field(default_factory=Always)
    effort: Number = 0

    def score(self, batch: Batch) -> Array:
        gained = batch.at_cutoff(self._running(batch), self.cutoff)
        if is_zero(self.effort):
            return gained

        def paid() -> Array:
            return batch.effort(self.discount, batch.visible(self.cutoff))

        return np.asarray(gained - float(self.effort) * batch.once(self._effort_key, paid))

    @cached_property
    def _running_key(self) -> Hashable:
        return shared("running", self.over, self.discount, self.novelty)

    @cached_property
    def _effort_key(self) -> Hashable:
        return shared("effort", self.discount, self.cutoff)

    def _running(self, batch: Batch) -> Array:
        def make() -> Array:
            terms = batch.discounts(self.discount) * batch.gain(self.over, self.novelty)
            return np.asarray(np.cumsum(terms, axis=-1))

        return batch.once(self._running_key, make)

    def terms(self, ranking: Ranking) -> list[Number]:
        """What each rank adds, effort taken off."""
        numbers = ranking.numbers
        columns, weights = self.over.columns(ranking)
        fresh = [self.novelty.along(column, numbers) for column in columns]
        out = []
        for i, discount in enumerate(self.discount.along(self.visible(ranking), numbers)):
            gain = numbers.of(0)
            for weight, column, factor in zip(weights, columns, fresh, strict=True):
                gain = gain + weight * column[i] * factor[i]
            if not is_zero(self.effort):
                cost = numbers.of(1) if ranking.costs is None else ranking.costs[i]
                gain = gain - numbers.of(self.effort) * cost
            out.append(discount * gain)
        return out

    def exact(self, ranking: Ranking) -> Number:
        return sum(self.terms(ranking), ranking.numbers.of(0))


@dataclass(frozen=True)
class Normalised(Formula):
    """A sum over the best attainable: of the greedy list, or with `ideal="exact"` the proven optimum where it is cheap.

    Where nothing is attainable (no document is worth its effort) the value is 0.
    """

    sum: Sum = field(default_factory=Sum)
    ideal: Literal["greedy", "exact"] = "greedy"

    def score(self, batch: Batch) -> Array:
        formula = self.sum.at(self.cutoff)
        best = batch.once(("best", formula, self.ideal), lambda: self._best(batch))
        return formula.score(batch) / best if best > 0.0 else np.zeros(batch.systems)

    def _best(self, batch: Batch) -> float:
        over, novelty = self.sum.over, self.sum.novelty
        pool, weights = batch.pool_seen_by(over), over.weights(batch)
        costs = np.ones(pool.shape[1]) if batch.pool_costs is None else batch.pool_costs
        effort = costs * float(self.sum.effort)
        key = ("greedy", over, novelty, self.sum.effort)
        net = batch.once(key, lambda: Greedy(pool, weights, novelty, effort)).first(self.cutoff)
        discounts = self.sum.discount.table(len(net))[1:]
        best = float(np.cumsum(discounts * net)[-1]) if len(net) else 0.0
        if self.ideal == "greedy":
            return best
        proven = optimum(pool, weights, novelty, effort, discounts)
        if proven is None:
            warn("the exact ideal costs too much for a topic of this size; the greedy one was used")
        return best if proven is None else proven

    def exact(self, ranking: Ranking) -> Number:
        numbers = ranking.numbers
        value = self.sum.at(self.cutoff).exact(ranking)
        if ranking.normaliser is not None:
            return value / ranking.normaliser(self, 0)
        columns, weights = self.sum.over.pool(ranking), self.sum.over.weigh(ranking)
        rows = [list(row) for row in zip(*columns, strict=True)]
        costs = ranking.pool_costs if ranking.pool_costs is not None else [numbers.of(1)] * len(rows)
        effort = [numbers.of(self.sum.effort) * cost for cost in costs]
        nets = greedy_generic(rows, weights, self.sum.novelty, effort, numbers, self.cutoff)
        discounts = self.sum.discount.along(len(nets), numbers)
        best = sum((d * net for d, net in zip(discounts, nets, strict=True)), numbers.of(0))
        return value / best if nets else numbers.of(0)


@dataclass(frozen=True)
class PrefixMean(Formula):
    """The mean of a sum over the prefixes of the ranking, 1..min(n, k): ACT from CT."""

    sum: Sum = field(default_factory=Sum)

    def score(self, batch: Batch) -> Array:
        def make() -> tuple[Array, Array]:
            terms = batch.discounts(self.sum.discount) * batch.gain(self.sum.over, self.sum.novelty)
            return np.cumsum(terms, axis=-1), np.cumsum(terms * (batch.lookup - 1.0), axis=-1)

        # A term at rank i is part of the prefixes i..m, so it counts (m − i + 1)/m times.
        plain, by_rank = batch.once(("prefixes", self.sum), make)
        visible = np.maximum(batch.visible(self.cutoff), 1)
        return np.asarray(batch.at_cutoff(plain, self.cutoff) - batch.at_cutoff(by_rank, self.cutoff) / visible)

    def exact(self, ranking: Ranking) -> Number:
        numbers = ranking.numbers
        terms = replace(self.sum, cutoff=self.cutoff).terms(ranking)
        total, prefix = numbers.of(0), numbers.of(0)
        for term in terms:
            prefix = prefix + term
            total = total + prefix
        return total / numbers.of(max(len(terms), 1))
