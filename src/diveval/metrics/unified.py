"""αβ-nDCG: one number for accuracy and diversity of a recommendation (Parapar and Radlinski, RecSys 2021)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from diveval.metrics.algebra import Array, Aspects, Cascade, Log, running
from diveval.metrics.batch import Batch, divided, last
from diveval.metrics.formulas import Formula
from diveval.metrics.long_lists import LONG, LongList
from diveval.metrics.numbers import Number, Numbers, is_zero
from diveval.metrics.ranking import Ranking


@dataclass(frozen=True)
class AlphaBeta(Formula):
    """Σ_i G(i)/log2(i+1) over the same sum of the greedy ideal list.

        G(i) = 1 − Π_t (1 − w(t) q(i,t) Π_{j<i} (1 − q(j,t))),    q(i,t) = β r(i,t)

    G is the chance that the item meets some interest of the user, who has the interest t with probability w(t) and is
    still unsatisfied by what stands above. An item nobody rated satisfies an aspect it has with probability α: its
    relevance is then α/β, which is for whoever knows the aspects of unrated items to say (`diveval.recommend` does).
    """

    beta: Number = 0.5

    def score(self, batch: Batch) -> Array:
        best = batch.once_for_pool(AlphaBeta._best, self)
        gains = met(float(self.beta) * batch.seen_by(Aspects()), batch.row_weights(Aspects())[..., np.newaxis])
        value = batch.at_cutoff(running(batch.discounts(Log()) * gains), self.cutoff)
        return divided(value, best[batch.topic])

    def _best(self, batch: Batch) -> Array:
        q = float(self.beta) * batch.pool_seen_by(Aspects())
        if q.shape[2] > LONG:
            return np.array(
                [_long_total(q[:, t, :own], batch.weights[:, t], self.cutoff) for t, own in enumerate(batch.documents)]
            )
        gains = ideal_gains(q, batch.weights, self.cutoff)
        return last(gains * Log().table(gains.shape[-1])[1:])

    def exact(self, ranking: Ranking) -> Number:
        numbers = ranking.numbers
        rows = ranking.relevance[: self.visible(ranking)].tolist()
        value = self._sum(rows, ranking)
        if ranking.normaliser is not None:
            return value / ranking.normaliser(self, 0)
        best = self._sum(self._greedy(ranking), ranking)
        return numbers.of(0) if is_zero(best) else value / best

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
        left = [ranking.numbers.of(1)] * ranking.aspects
        while pool and (self.cutoff is None or len(chosen) < self.cutoff):
            gains = [self._gain(row, left, ranking) for row in pool]
            best = max(gains)
            chosen.append(pool.pop(next(i for i, gain in enumerate(gains) if gain >= best - TIE * best)))
            left = self._after(chosen[-1], left, ranking.numbers)
        return chosen


TIE = 1e-12  # two gains closer than this share are the same, and the earlier document of the pool is taken


def _long_total(q: Array, weights: Array, cutoff: int | None) -> float:
    """Σ G(i)/log2(i+1) over the greedy list of a large pool, down to where nothing changes the sum any more."""
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


def met(q: Array, weights: Array) -> Array:
    """1 − Π_t (1 − w q s) along the ranks: (aspect, …, rank) to (…, rank)."""
    none = np.ones(q.shape[1:])
    for weight, gain in zip(weights, q * Cascade().table(q), strict=True):
        none *= 1.0 - weight * gain
    return np.asarray(1.0 - none)


def ideal_gains(q: Array, weights: Array, count: int | None) -> Array:
    """The gains of the greedy list, for many pools at once: (aspect, user, document) to (user, rank).

    Padding is a document without relevance: it brings nothing and is taken last.
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
