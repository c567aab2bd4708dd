"""Formulas of one column of relevance, and the form that makes each of them an ad hoc metric or an intent-aware one."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from diveval.metrics.algebra import Array, Aspects, Channels, Log
from diveval.metrics.batch import PADDING, Batch
from diveval.metrics.formulas import Formula
from diveval.metrics.numbers import Number, Numbers, is_zero
from diveval.metrics.ranking import Ranking


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
            elif not is_zero(best):
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
