"""Formulas of covered aspects: recall, the rank at which enough are covered, D#'s blend with a D-measure, and αβ-nDCG."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from diveval.metrics.algebra import Array, Aspects, Cascade, Log, running, weighted_sum
from diveval.metrics.batch import Batch, divide, last, once_for_pool
from diveval.metrics.formulas import Formula, Normalised
from diveval.metrics.ideal import LONG, TIE, LongList
from diveval.metrics.numbers import Number, Numbers, is_zero
from diveval.metrics.ranking import Ranking


@dataclass(frozen=True)
class SubtopicRecall(Formula):
    """Covered aspects over aspects; with `weights="given"`, the weight of the covered ones."""

    weights: Literal["uniform", "given"] = "uniform"

    @property
    def sees_weights(self) -> bool:
        return self.weights == "given"

    @property
    def linear_in_weights(self) -> bool:
        return self.weights == "given"

    def score(self, batch: Batch) -> Array:
        covered = batch.first_ranks(Aspects()) <= batch.visible(self.cutoff)
        if self.weights == "given":
            return weighted_sum(covered.astype(np.float64), batch.row_weights(Aspects()))
        return np.asarray(np.count_nonzero(covered, axis=0) / np.maximum(batch.aspects, 1)[batch.topic])

    def exact(self, ranking: Ranking) -> Number:
        numbers = ranking.numbers
        covered = [_cover(column, numbers) for column in ranking.relevance[: self.visible(ranking)].T]
        if self.weights == "given":
            return sum((w * c for w, c in zip(ranking.weights, covered, strict=True)), numbers.of(0))
        return sum(covered, numbers.of(0)) / numbers.of(max(ranking.aspects, 1))


@dataclass(frozen=True)
class SubtopicReciprocalRank(Formula):
    """1 / the rank at which the share `coverage` of the aspects is covered; 0 if it never is."""

    coverage: Number = 1

    @property
    def sees_weights(self) -> bool:
        return False

    def count_needed(self, aspects: int) -> int:
        """How many aspects the share needs; the small tolerance keeps 0.7 · 10 at 7."""
        return max(1, math.ceil(float(self.coverage) * aspects - 1e-9))

    def score(self, batch: Batch) -> Array:
        if not len(batch.weights):
            return np.zeros(batch.rows)
        needed = np.array([self.count_needed(int(aspects)) for aspects in range(len(batch.weights) + 1)])
        nth = needed[batch.aspects[batch.topic]] - 1
        # Padding is never covered and is sorted last; a topic without aspects never reaches the share.
        reached = np.take_along_axis(np.sort(batch.first_ranks(Aspects()), axis=0), nth[np.newaxis], axis=0)[0]
        return np.where(reached <= batch.visible(self.cutoff), 1.0 / reached, 0.0)

    def exact(self, ranking: Ranking) -> Number:
        numbers = ranking.numbers
        allowed = ranking.aspects - self.count_needed(ranking.aspects)
        missing = [numbers.of(1)] * ranking.aspects
        total, not_yet = numbers.of(0), numbers.of(1)
        for i, row in enumerate(ranking.relevance[: self.visible(ranking)], 1):
            missing = [m * (numbers.of(1) - numbers.positive(r)) for m, r in zip(missing, row, strict=True)]
            reached = numbers.below(sum(missing, numbers.of(0)), numbers.of(allowed + 1))
            total = total + reached * not_yet / numbers.of(i)
            not_yet = not_yet * (numbers.of(1) - reached)
        return total


@dataclass(frozen=True)
class Blend(Formula):
    """λ · first + (1 − λ) · second: D# combines recall of aspects with a D-measure."""

    lam: Number = 0.5
    first: Formula = field(default_factory=SubtopicRecall)
    second: Formula = field(default_factory=Normalised)

    @property
    def sees_weights(self) -> bool:
        return self.first.sees_weights or self.second.sees_weights

    @property
    def normalised_per_aspect(self) -> bool:
        return self.first.normalised_per_aspect or self.second.normalised_per_aspect

    def score(self, batch: Batch) -> Array:
        lam = float(self.lam)
        first, second = self.first.at(self.cutoff), self.second.at(self.cutoff)
        return np.asarray(lam * first.score(batch) + (1.0 - lam) * second.score(batch))

    def exact(self, ranking: Ranking) -> Number:
        numbers = ranking.numbers
        lam = numbers.of(self.lam)
        first, second = self.first.at(self.cutoff), self.second.at(self.cutoff)
        return lam * first.exact(ranking) + (numbers.of(1) - lam) * second.exact(ranking)


def _cover(column: Iterable[Number], numbers: Numbers) -> Number:
    """1 if the column has any relevance, else 0."""
    missing = numbers.of(1)
    for r in column:
        missing = missing * (numbers.of(1) - numbers.positive(r))
    return numbers.of(1) - missing


# --- αβ-nDCG ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AlphaBeta(Formula):
    """Σ_i G(i)/log2(i+1) over the same sum of the greedy ideal list (Parapar and Radlinski, RecSys 2021).

        G(i) = 1 − Π_t (1 − w(t) q(i,t) Π_{j<i} (1 − q(j,t))),    q(i,t) = β r(i,t)

    G is the probability that the item meets some interest of the user, who has the interest t with probability w(t) and
    is not yet satisfied by the items above. An unrated item satisfies each of its aspects with probability α, so its
    relevance is α/β; the caller sets it, since only the caller knows the aspects of unrated items (as in
    `diveval.recommend`).
    """

    beta: Number = 0.5

    def score(self, batch: Batch) -> Array:
        best = best_attainable(batch, self)
        gains = meet(float(self.beta) * batch.by_channel(Aspects()), batch.row_weights(Aspects())[..., np.newaxis])
        value = batch.at_cutoff(running(batch.discounts(Log()) * gains), self.cutoff)
        return divide(value, best[batch.topic])

    def exact(self, ranking: Ranking) -> Number:
        numbers = ranking.numbers
        rows = ranking.relevance[: self.visible(ranking)].tolist()
        value = self._sum(rows, ranking)
        if ranking.normaliser is not None:
            return value / ranking.normaliser(self, 0)
        best = self.attainable(ranking)
        return numbers.of(0) if is_zero(best) else value / best

    def attainable(self, ranking: Ranking, channel: int = 0) -> Number:
        return self._sum(self._greedy(ranking), ranking)

    def _sum(self, rows: Sequence[Sequence[Number]], ranking: Ranking) -> Number:
        numbers, total = ranking.numbers, ranking.numbers.of(0)
        left = [numbers.of(1)] * ranking.aspects
        for i, row in enumerate(rows, 1):
            total = total + self._gain(row, left, ranking) * numbers.inverse_log(i + 1)
            left = self._after(row, left, numbers)
        return total

    def _gain(self, row: Sequence[Number], left: Sequence[Number], ranking: Ranking) -> Number:
        numbers, none = ranking.numbers, ranking.numbers.of(1)
        for weight, r, s in zip(ranking.weights, row, left, strict=True):
            none = none * (numbers.of(1) - weight * numbers.of(self.beta) * r * s)
        return numbers.of(1) - none

    def _after(self, row: Sequence[Number], left: Sequence[Number], numbers: Numbers) -> list[Number]:
        return [s * (numbers.of(1) - numbers.of(self.beta) * r) for r, s in zip(row, left, strict=True)]

    def _greedy(self, ranking: Ranking) -> list[Sequence[Number]]:
        pool, chosen = ranking.pool.tolist(), list[Sequence[Number]]()
        left, tie = [ranking.numbers.of(1)] * ranking.aspects, ranking.numbers.of(TIE)
        while pool and (self.cutoff is None or len(chosen) < self.cutoff):
            gains = [self._gain(row, left, ranking) for row in pool]
            best = max(gains)
            chosen.append(pool.pop(next(i for i, gain in enumerate(gains) if gain >= best - tie * best)))
            left = self._after(chosen[-1], left, ranking.numbers)
        return chosen


@once_for_pool
def best_attainable(batch: Batch, formula: AlphaBeta) -> Array:
    """The sum over the greedy list of each topic."""
    q, cutoff = float(formula.beta) * batch.pool_by_channel(Aspects()), formula.cutoff
    if q.shape[2] > LONG:
        return np.array(
            [_long_total(q[:, t, :own], batch.weights[:, t], cutoff) for t, own in enumerate(batch.documents)]
        )
    gains = ideal_gains(q, batch.weights, cutoff)
    return last(gains * Log().table(gains.shape[-1])[1:])


def _long_total(q: Array, weights: Array, cutoff: int | None) -> float:
    """Σ G(i)/log2(i+1) over the greedy list of a large pool, down to where no term changes the sum any more."""
    depth = q.shape[1] if cutoff is None else min(cutoff, q.shape[1])

    def gain(kinds: Array, left: Array) -> Array:
        return np.asarray(1.0 - np.prod(1.0 - (weights * left)[:, np.newaxis] * kinds, axis=0))

    listed = LongList(q, np.zeros(q.shape[1]), gain, np.ones(len(q)), lambda left, column: left * (1.0 - column), TIE)
    total = 0.0
    for discount in Log().table(depth)[1:]:
        if not listed.extend() or discount * listed.nets[-1] <= np.spacing(total) / 4:
            break
        total += float(discount * listed.nets[-1])
    return total


def meet(q: Array, weights: Array) -> Array:
    """1 − Π_t (1 − w q s) along the ranks: (aspect, …, rank) to (…, rank)."""
    none = np.ones(q.shape[1:])
    for weight, gain in zip(weights, q * Cascade().table(q), strict=True):
        none *= 1.0 - weight * gain
    return np.asarray(1.0 - none)


def ideal_gains(q: Array, weights: Array, count: int | None) -> Array:
    """The gains of the greedy list, for many pools at once: (aspect, user, document) to (user, rank).

    Padding is a document without relevance: its gain is 0 and it is taken last.
    """
    q, users = q.copy(), np.arange(q.shape[1])
    depth = q.shape[2] if count is None else min(count, q.shape[2])
    left, out = np.ones(q.shape[:2]), np.zeros((q.shape[1], depth))
    for rank in range(depth):
        gains = 1.0 - np.prod(1.0 - (weights * left)[:, :, np.newaxis] * q, axis=0)
        best = gains.max(axis=1)
        taken = (gains >= (best - TIE * best)[:, np.newaxis]).argmax(axis=1)
        out[:, rank] = gains[users, taken]
        left *= 1.0 - q[:, users, taken]
        q[:, users, taken] = 0.0
    return out
