"""Formulas of one column of relevance, and `PerChannel`, which turns them into ad hoc or intent-aware metrics."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from diveval.metrics.algebra import Array, Aspects, Channels, Log, Part, running, weighted_sum
from diveval.metrics.batch import Batch, divide, once, once_for_pool
from diveval.metrics.formulas import Formula
from diveval.metrics.numbers import Number, Numbers, is_zero
from diveval.metrics.ranking import Ranking
from diveval.metrics.user_models import HORIZON, stays


@dataclass(frozen=True)
class ColumnFormula(Part):
    """A formula of one column of relevance: the overall column for an ad hoc metric, each aspect's for M-IA."""

    @property
    def normalised(self) -> bool:
        """Whether the value is divided by that of an ideal column."""
        return type(self).best is not ColumnFormula.best

    def table(self, batch: Batch, over: Channels, cutoff: int | None) -> Array:
        """(channel, row)."""
        raise NotImplementedError

    def along(self, column: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        """The value of one column down to min(n, k), before normalisation."""
        raise NotImplementedError

    def goes_on(self, gains: Array, cutoff: int | None) -> Array | None:
        """`Formula.goes_on` of the column."""
        return None

    def best(self, pool: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        """The divisor of the value; None if there is none."""
        return None


@dataclass(frozen=True)
class PerChannel(Formula):
    """M-IA = Σ_c weight(c) · M(column c); with the overall column, plain M."""

    base: ColumnFormula = field(default_factory=ColumnFormula)
    over: Channels = field(default_factory=Aspects)

    @property
    def sees_weights(self) -> bool:
        return self.over.weighted

    @property
    def linear_in_weights(self) -> bool:
        return self.over.per_aspect

    @property
    def normalised_per_aspect(self) -> bool:
        return self.base.normalised

    def goes_on(self, gains: Array) -> Array | None:
        return self.base.goes_on(gains, self.cutoff)

    def score(self, batch: Batch) -> Array:
        return weighted_sum(self.base.table(batch, self.over, self.cutoff), batch.row_weights(self.over))

    def attainable(self, ranking: Ranking, channel: int = 0) -> Number:
        return self.base.best([row[channel] for row in self.over.pool(ranking)], ranking.numbers, self.cutoff)

    def exact(self, ranking: Ranking) -> Number:
        numbers = ranking.numbers
        pool, total = self.over.pool(ranking), numbers.of(0)
        for c, (weight, column) in enumerate(self.over.columns(ranking)):
            value = self.base.along(column[: self.visible(ranking)], numbers, self.cutoff)
            best = self.base.best([row[c] for row in pool], numbers, self.cutoff)
            if best is not None and ranking.normaliser is not None:
                best = ranking.normaliser(self, c)
            if best is None:
                total = total + weight * value
            elif not is_zero(best):
                total = total + weight * value / best
        return total


class Precision(ColumnFormula):
    """The share of relevant documents among k, even if fewer are returned; without k, among those returned."""

    def table(self, batch: Batch, over: Channels, cutoff: int | None) -> Array:
        hits = batch.at_cutoff(_hits(batch, over), cutoff)
        return np.asarray(hits / np.maximum(batch.lengths if cutoff is None else cutoff, 1))

    def along(self, column: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        size = len(column) if cutoff is None else cutoff
        return sum((numbers.positive(r) for r in column), numbers.of(0)) / numbers.of(max(size, 1))

    def goes_on(self, gains: Array, cutoff: int | None) -> Array:
        return stays(gains, cutoff) + np.zeros(gains.shape)


class Recall(ColumnFormula):
    """Relevant documents found, over those of the judgments."""

    def table(self, batch: Batch, over: Channels, cutoff: int | None) -> Array:
        return divide(batch.at_cutoff(_hits(batch, over), cutoff), _count_relevant(batch, over))

    def along(self, column: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        return sum((numbers.positive(r) for r in column), numbers.of(0))

    def best(self, pool: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        return sum((numbers.positive(r) for r in pool), numbers.of(0))


class Success(ColumnFormula):
    """1 if a document is relevant."""

    def table(self, batch: Batch, over: Channels, cutoff: int | None) -> Array:
        return np.minimum(batch.at_cutoff(_hits(batch, over), cutoff), 1.0)

    def along(self, column: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        none_yet = numbers.of(1)
        for r in column:
            none_yet = none_yet * (numbers.of(1) - numbers.positive(r))
        return numbers.of(1) - none_yet


class ReciprocalRank(ColumnFormula):
    """1 / rank of the first relevant document."""

    def table(self, batch: Batch, over: Channels, cutoff: int | None) -> Array:
        first = batch.first_ranks(over)
        return np.where(first <= batch.visible(cutoff), 1.0 / first, 0.0)

    def along(self, column: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        total, none_yet = numbers.of(0), numbers.of(1)
        for i, r in enumerate(column, 1):
            relevant = numbers.positive(r)
            total = total + relevant * none_yet / numbers.of(i)
            none_yet = none_yet * (numbers.of(1) - relevant)
        return total

    def goes_on(self, gains: Array, cutoff: int | None) -> Array:
        return np.asarray((np.cumsum(gains > 0, axis=-1) == 0) & stays(gains, cutoff), dtype=np.float64)


class AveragePrecision(ColumnFormula):
    """Σ_i b(i) · hits(i) / i over the number of relevant documents in the judgments."""

    def table(self, batch: Batch, over: Channels, cutoff: int | None) -> Array:
        relevant = _count_relevant(batch, over)
        return np.asarray(batch.at_cutoff(_precisions(batch, over), cutoff) / np.maximum(relevant, 1))

    def along(self, column: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        total, hits = numbers.of(0), numbers.of(0)
        for i, r in enumerate(column, 1):
            relevant = numbers.positive(r)
            hits = hits + relevant
            total = total + relevant * hits / numbers.of(i)
        return total

    def goes_on(self, gains: Array, cutoff: int | None) -> Array:
        """S(i+1)/S(i), S(i) = Σ_{j≥i} b(j)/j: the user stops at a relevant document, each as likely as the others."""
        ranks = np.arange(1.0, gains.shape[-1] + 1)
        counted = (gains > 0) & (ranks <= (gains.shape[-1] if cutoff is None else cutoff))
        left = np.cumsum((counted / ranks)[..., ::-1], axis=-1)[..., ::-1]
        return divide(np.concatenate([left[..., 1:], np.zeros((*left.shape[:-1], 1))], axis=-1), left)

    def best(self, pool: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        return sum((numbers.positive(r) for r in pool), numbers.of(0))


class NormalisedDCG(ColumnFormula):
    """Σ_i r(i) / log2(i+1) over the same sum of the ideal order."""

    def table(self, batch: Batch, over: Channels, cutoff: int | None) -> Array:
        # A running total of gains never falls, so its maximum is its last value, or 0 if it is empty.
        best = _ideal_gains(batch, over)[..., :cutoff].max(axis=-1, initial=0.0)[:, batch.topic]
        value = batch.at_cutoff(_gains(batch, over), cutoff)
        return divide(value, best)

    def along(self, column: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        return sum((r * numbers.inverse_log(i + 1) for i, r in enumerate(column, 1)), numbers.of(0))

    def goes_on(self, gains: Array, cutoff: int | None) -> Array:
        table = Log().table(gains.shape[-1] + 1)
        return np.where(stays(gains, cutoff), table[2:] / table[1:-1], 0.0) + np.zeros(gains.shape)

    def best(self, pool: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        return self.along(sorted(pool, reverse=True)[:cutoff], numbers, cutoff)


@dataclass(frozen=True)
class DiscountedShare(ColumnFormula):
    """Σ_i r(i) / log2(i+1) over the same sum of k fully relevant documents, down to a last rank that always ends it."""

    deepest: int = HORIZON

    def table(self, batch: Batch, over: Channels, cutoff: int | None) -> Array:
        value = batch.at_cutoff(_gains(batch, over), self._depth(cutoff))
        return np.asarray(value / Log().total(np.array([self._depth(cutoff)])))

    def along(self, column: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        counted = column[: self._depth(cutoff)]
        return sum((r * numbers.inverse_log(i + 1) for i, r in enumerate(counted, 1)), numbers.of(0))

    def best(self, pool: list[Number], numbers: Numbers, cutoff: int | None) -> Number:
        """The sum of fully relevant documents, whatever the judgments have."""
        return self.along([numbers.of(1) for _ in range(self._depth(cutoff))], numbers, cutoff)

    def _depth(self, cutoff: int | None) -> int:
        return self.deepest if cutoff is None else min(cutoff, self.deepest)

    def goes_on(self, gains: Array, cutoff: int | None) -> Array:
        table = Log().table(gains.shape[-1] + 1)
        return np.where(stays(gains, self._depth(cutoff)), table[2:] / table[1:-1], 0.0) + np.zeros(gains.shape)


# --- shared by several cutoffs ----------------------------------------------------------------------------------------


@once
def _count_relevant(batch: Batch, over: Channels) -> NDArray[np.int64]:
    """Relevant documents of the judgments, (channel, row)."""
    return np.asarray(np.count_nonzero(batch.pool_by_channel(over) > 0.0, axis=-1)[:, batch.topic])


@once
def _hits(batch: Batch, over: Channels) -> Array:
    """Relevant documents so far."""
    return running(batch.by_channel(over) > 0.0)


@once
def _precisions(batch: Batch, over: Channels) -> Array:
    """Σ of the precisions at the relevant documents so far."""
    return running((batch.by_channel(over) > 0.0) * _hits(batch, over) / batch.divisors)


@once
def _gains(batch: Batch, over: Channels) -> Array:
    """DCG so far."""
    return running(batch.discounts(Log()) * batch.by_channel(over))


@once_for_pool
def _ideal_gains(batch: Batch, over: Channels) -> Array:
    """DCG so far of the ideal order, (channel, topic, rank)."""
    falling = -np.sort(-batch.pool_by_channel(over))
    return running(falling * Log().table(falling.shape[-1])[1:])
