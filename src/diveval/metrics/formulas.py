"""What metrics are made of: the sum over ranks that most of them are, normalised, or averaged over prefixes.

Every formula says its value twice: `score` for all systems of a topic in doubles, `exact` for one ranking in any kind
of number. Ranks run to min(n, k). A formula without parameters of its own is not decorated again, as in the algebra.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import mul
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
from diveval.metrics.batch import Batch, Shared, running, shared
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

    def prepare(self, batch: Batch) -> None:
        """Make what depends on the judgments alone, before there are systems: `once_for_pool` keeps it."""

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
        gained = batch.at_cutoff(batch.once(_gained, self._gaining), self.cutoff)
        if is_zero(self.effort):
            return gained
        return np.asarray(gained - float(self.effort) * batch.once(_paid, self._costing))

    @cached_property
    def _gaining(self) -> Shared:
        return shared(self.over, self.discount, self.novelty)

    @cached_property
    def _costing(self) -> Shared:
        return shared(self.discount, self.cutoff)

    def terms(self, ranking: Ranking) -> list[Number]:
        """What each rank adds, effort taken off."""
        numbers = ranking.numbers
        channels = [(w, column, self.novelty.along(column, numbers)) for w, column in self.over.columns(ranking)]
        out = []
        for i, discount in enumerate(self.discount.along(self.visible(ranking), numbers)):
            gain = numbers.of(0)
            for weight, column, factor in channels:
                gain = gain + weight * column[i] * factor[i]
            if not is_zero(self.effort):
                cost = numbers.of(1) if ranking.costs is None else ranking.costs[i]
                gain = gain - numbers.of(self.effort) * cost
            out.append(discount * gain)
        return out

    def exact(self, ranking: Ranking) -> Number:
        return sum(self.terms(ranking), ranking.numbers.of(0))


def _gained(parts: Shared, batch: Batch) -> Array:
    over, discount, novelty = parts.parts
    return running(batch.discounts(discount) * batch.gain(over, novelty))


def _paid(parts: Shared, batch: Batch) -> Array:
    discount, cutoff = parts.parts
    return batch.effort(discount, batch.visible(cutoff))


@dataclass(frozen=True)
class Normalised(Formula):
    """A sum over the best attainable: of the greedy list, or with `ideal="exact"` the proven optimum where it is cheap.

    Where nothing is attainable (no document is worth its effort) the value is 0.
    """

    sum: Sum = field(default_factory=Sum)
    ideal: Literal["greedy", "exact"] = "greedy"

    def score(self, batch: Batch) -> Array:
        formula = self.sum.at(self.cutoff)
        best = batch.once_for_pool(Normalised._best, self)
        return formula.score(batch) / best if best > 0.0 else np.zeros(batch.systems)

    def prepare(self, batch: Batch) -> None:
        self._nets(batch)

    def _nets(self, batch: Batch) -> Array:
        """What each rank of the greedy list adds."""
        greedy = batch.once_for_pool(_greedy, self.sum.over, self.sum.novelty, self.sum.effort)
        return greedy.first(self.cutoff)

    def _best(self, batch: Batch) -> float:
        over, novelty, effort = self.sum.over, self.sum.novelty, self.sum.effort
        net = self._nets(batch)
        discounts = self.sum.discount.table(len(net))[1:]
        best = float(np.cumsum(discounts * net)[-1]) if len(net) else 0.0
        if self.ideal == "greedy":
            return best
        proven = optimum(batch.pool_seen_by(over), over.weights(batch), novelty, _pool_effort(effort, batch), discounts)
        if proven is None:
            warn("the exact ideal costs too much for a topic of this size; the greedy one was used")
        return best if proven is None else proven

    def exact(self, ranking: Ranking) -> Number:
        numbers = ranking.numbers
        value = self.sum.at(self.cutoff).exact(ranking)
        if ranking.normaliser is not None:
            return value / ranking.normaliser(self, 0)
        rows, weights = self.sum.over.pool(ranking), self.sum.over.weigh(ranking)
        costs = ranking.pool_costs if ranking.pool_costs is not None else [numbers.of(1)] * len(rows)
        effort = [numbers.of(self.sum.effort) * cost for cost in costs]
        nets = greedy_generic(rows, weights, self.sum.novelty, effort, numbers, self.cutoff)
        discounts = self.sum.discount.along(len(nets), numbers)
        best = sum(map(mul, discounts, nets), numbers.of(0))
        return value / best if nets else numbers.of(0)


def _greedy(over: Channels, novelty: Novelty, effort: Number, batch: Batch) -> Greedy:
    return Greedy(batch.pool_seen_by(over), over.weights(batch), novelty, _pool_effort(effort, batch))


def _pool_effort(effort: Number, batch: Batch) -> Array:
    costs = np.ones(batch.pool.shape[1]) if batch.pool_costs is None else batch.pool_costs
    return costs * float(effort)


@dataclass(frozen=True)
class PrefixMean(Formula):
    """The mean of a sum over the prefixes of the ranking, 1..min(n, k): ACT from CT."""

    sum: Sum = field(default_factory=Sum)

    def score(self, batch: Batch) -> Array:
        # A term at rank i is part of the prefixes i..m, so it counts (m − i + 1)/m times.
        plain, by_rank = batch.once(_prefixes, self.sum)
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


def _prefixes(of: Sum, batch: Batch) -> tuple[Array, Array]:
    terms = batch.discounts(of.discount) * batch.gain(of.over, of.novelty)
    return running(terms), running(terms * (batch.lookup - 1.0))
