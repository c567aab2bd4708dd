"""What metrics are made of: the sum over ranks that most of them are, and the few that state a formula of their own.

Every formula says its value twice: `score` for all systems of a topic in doubles, `exact` for one ranking in any kind
of number. Ranks run to min(n, k). A formula without parameters of its own is not decorated again, as in the algebra.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
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
from diveval.metrics.batch import PADDING, Batch, shared
from diveval.metrics.ideal import Greedy, greedy_generic, optimum
from diveval.metrics.numbers import Number, Numbers
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
        if _is_zero(self.effort):
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
            if not _is_zero(self.effort):
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


# --- formulas of one column, for a metric and its intent-aware form ---------------------------------------------------


@dataclass(frozen=True)
class ColumnFormula:
    """A formula that sees one column of relevance: overall for the ad hoc metric, an aspect at a time for M-IA."""

    def table(self, batch: Batch, over: Channels, cutoff: int | None) -> Array:
        """(channel, system)."""
        raise NotImplementedError

    def along(self, column: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        """The value of one column down to min(n, k), before normalisation."""
        raise NotImplementedError

    def best(self, pool: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        """What the value is divided by; None for nothing."""
        return None


@dataclass(frozen=True)
class Each(Formula):
    """M-IA = Σ_c weight(c) · M(column c); with the overall column, plain M."""

    base: ColumnFormula = field(default_factory=ColumnFormula)
    over: Channels = field(default_factory=Aspects)

    def score(self, batch: Batch) -> Array:
        values = batch.once(("each", self.base, self.over, self.cutoff), lambda: self._table(batch))
        return np.asarray(sum(w * v for w, v in zip(self.over.weights(batch), values, strict=True)))

    def _table(self, batch: Batch) -> Array:
        return self.base.table(batch, self.over, self.cutoff)

    def exact(self, ranking: Ranking) -> Number:
        numbers = ranking.numbers
        columns, weights = self.over.columns(ranking)
        pools = self.over.pool(ranking)
        total = numbers.of(0)
        for c, (column, weight) in enumerate(zip(columns, weights, strict=True)):
            value = self.base.along(column[: self.visible(ranking)], numbers, self.cutoff)
            best = self.base.best(pools[c], numbers, self.cutoff)
            if best is not None and ranking.normaliser is not None:
                best = ranking.normaliser(self, c)
            if best is None:
                total = total + weight * value
            elif not _is_zero(best):
                total = total + weight * value / best
        return total


class Precision(ColumnFormula):
    """The share of relevant documents among k, also when fewer were returned; without k, among those returned."""

    def table(self, batch: Batch, over: Channels, cutoff: int | None) -> Array:
        found: Array = batch.once(("found", over), lambda: np.cumsum(batch.seen_by(over) > 0.0, axis=-1, dtype=float))
        size = batch.lengths if cutoff is None else np.full(batch.systems, cutoff)
        return np.asarray(batch.at_cutoff(found, cutoff) / np.maximum(size, 1))

    def along(self, column: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        size = len(column) if cutoff is None else cutoff
        return sum((numbers.positive(r) for r in column), numbers.of(0)) / numbers.of(max(size, 1))


class ReciprocalRank(ColumnFormula):
    """1 / rank of the first relevant document."""

    def table(self, batch: Batch, over: Channels, cutoff: int | None) -> Array:
        def make() -> Array:
            relevant = batch.seen_by(over) > 0.0
            ranks = np.where(relevant, batch.ranks, PADDING)
            return np.asarray(ranks.min(axis=-1, initial=PADDING))

        first = batch.once(("first", over), make)
        limit = PADDING - 1 if cutoff is None else cutoff
        return np.where(first <= limit, 1.0 / first, 0.0)

    def along(self, column: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        total, none_yet = numbers.of(0), numbers.of(1)
        for i, r in enumerate(column, 1):
            found = numbers.positive(r)
            total = total + found * none_yet / numbers.of(i)
            none_yet = none_yet * (numbers.of(1) - found)
        return total


class AveragePrecision(ColumnFormula):
    """Σ_i b(i) · hits(i) / i over the number of relevant documents in the judgments."""

    def table(self, batch: Batch, over: Channels, cutoff: int | None) -> Array:
        def make() -> Array:
            found = batch.seen_by(over) > 0.0
            ranks = np.maximum(batch.lookup, 1)
            return np.asarray(np.cumsum(found * np.cumsum(found, axis=-1) / ranks, axis=-1))

        relevant = np.count_nonzero(batch.pool_seen_by(over) > 0.0, axis=-1)[:, np.newaxis]
        running = batch.once(("precisions", over), make)
        return np.asarray(batch.at_cutoff(running, cutoff) / np.maximum(relevant, 1))

    def along(self, column: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        total, hits = numbers.of(0), numbers.of(0)
        for i, r in enumerate(column, 1):
            found = numbers.positive(r)
            hits = hits + found
            total = total + found * hits / numbers.of(i)
        return total

    def best(self, pool: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        return sum((numbers.positive(r) for r in pool), numbers.of(0))


class NormalisedDCG(ColumnFormula):
    """Σ_i r(i) / log2(i+1) over the same sum of the ideal order."""

    def table(self, batch: Batch, over: Channels, cutoff: int | None) -> Array:
        def make() -> Array:
            return np.asarray(np.cumsum(batch.discounts(Log()) * batch.seen_by(over), axis=-1))

        def make_best() -> Array:
            falling = -np.sort(-batch.pool_seen_by(over), axis=-1)
            return np.asarray(np.cumsum(falling * Log().table(falling.shape[-1])[1:], axis=-1))

        best = batch.once(("ideal dcg", over), make_best)
        last = best.shape[-1] if cutoff is None else min(cutoff, best.shape[-1])
        top = best[:, last - 1 : last] if last else np.zeros((best.shape[0], 1))
        value = batch.at_cutoff(batch.once(("dcg", over), make), cutoff)
        return np.asarray(np.divide(value, top, out=np.zeros_like(value), where=top > 0.0))

    def along(self, column: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        return sum((r * numbers.inverse_log(i + 1) for i, r in enumerate(column, 1)), numbers.of(0))

    def best(self, pool: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        return self.along(sorted(pool, reverse=True)[:cutoff], numbers, cutoff)


# --- formulas of their own --------------------------------------------------------------------------------------------


class SubtopicRecall(Formula):
    """Covered aspects over aspects."""

    def score(self, batch: Batch) -> Array:
        covered = np.count_nonzero(first_ranks(batch) <= _limit(self.cutoff), axis=0)
        return np.asarray(covered / max(len(batch.weights), 1))

    def exact(self, ranking: Ranking) -> Number:
        numbers = ranking.numbers
        columns, _ = Aspects().columns(ranking)
        covered = (_covered(column[: self.visible(ranking)], numbers) for column in columns)
        return sum(covered, numbers.of(0)) / numbers.of(max(ranking.aspects, 1))


@dataclass(frozen=True)
class SubtopicReciprocalRank(Formula):
    """1 / the rank at which the asked share of aspects is covered; 0 if it never is."""

    coverage: Number = 1

    def needed(self, aspects: int) -> int:
        """How many aspects make the share; the small allowance keeps 0.7 · 10 at 7."""
        return max(1, math.ceil(float(self.coverage) * aspects - 1e-9))

    def score(self, batch: Batch) -> Array:
        if not len(batch.weights):
            return np.zeros(batch.systems)
        reached = np.sort(first_ranks(batch), axis=0)[self.needed(len(batch.weights)) - 1]
        return np.where(reached <= _limit(self.cutoff), 1.0 / reached, 0.0)

    def exact(self, ranking: Ranking) -> Number:
        numbers = ranking.numbers
        columns, _ = Aspects().columns(ranking)
        missing = [numbers.of(1)] * ranking.aspects
        total, not_yet = numbers.of(0), numbers.of(1)
        for i in range(self.visible(ranking)):
            missing = [m * (numbers.of(1) - numbers.positive(c[i])) for m, c in zip(missing, columns, strict=True)]
            allowed = ranking.aspects - self.needed(ranking.aspects)
            reached = numbers.below(sum(missing, numbers.of(0)), numbers.of(allowed + 1))
            total = total + reached * not_yet / numbers.of(i + 1)
            not_yet = not_yet * (numbers.of(1) - reached)
        return total


@dataclass(frozen=True)
class Blend(Formula):
    """λ · first + (1 − λ) · second: D# joins recall of aspects with a D-measure."""

    lam: Number = 0.5
    first: Formula = field(default_factory=SubtopicRecall)
    second: Formula = field(default_factory=Normalised)

    def score(self, batch: Batch) -> Array:
        lam = float(self.lam)
        first, second = self.first.at(self.cutoff), self.second.at(self.cutoff)
        return np.asarray(lam * first.score(batch) + (1.0 - lam) * second.score(batch))

    def exact(self, ranking: Ranking) -> Number:
        numbers = ranking.numbers
        lam = numbers.of(self.lam)
        first, second = self.first.at(self.cutoff), self.second.at(self.cutoff)
        return lam * first.exact(ranking) + (numbers.of(1) - lam) * second.exact(ranking)


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


def first_ranks(batch: Batch) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The rank at which each aspect is first covered, (aspect, system); PADDING if never."""

    def make() -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        ranks = np.where(batch.relevance > 0.0, batch.ranks, PADDING)
        return np.asarray(ranks.min(axis=-1, initial=PADDING))

    return batch.once("first ranks", make)


def _covered(column: list[Number], numbers: Numbers) -> Number:
    """1 if the column has any relevance, else 0."""
    missing = numbers.of(1)
    for r in column:
        missing = missing * (numbers.of(1) - numbers.positive(r))
    return numbers.of(1) - missing


def _limit(cutoff: int | None) -> int:
    return PADDING - 1 if cutoff is None else min(cutoff, PADDING - 1)


def _is_zero(value: Number) -> bool:
    """True only for a plain 0: a solver's term may be zero or not, and is kept."""
    return isinstance(value, Real) and value == 0
