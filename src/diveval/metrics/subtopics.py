"""Formulas of covered aspects: recall, the rank at which enough are covered, and D#'s blend with a D-measure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from diveval.metrics.algebra import Array, Aspects, weighted_sum
from diveval.metrics.batch import Batch
from diveval.metrics.formulas import Formula, Normalised
from diveval.metrics.numbers import Number, Numbers
from diveval.metrics.ranking import Ranking


@dataclass(frozen=True)
class SubtopicRecall(Formula):
    """Covered aspects over aspects; with `weights="given"`, the weight of the covered ones."""

    weights: Literal["uniform", "given"] = "uniform"

    def score(self, batch: Batch) -> Array:
        covered = first_ranks(batch) <= batch.visible(self.cutoff)
        if self.weights == "given":
            return weighted_sum(covered.astype(np.float64), batch.row_weights(Aspects()))
        return np.asarray(np.count_nonzero(covered, axis=0) / np.maximum(batch.aspects, 1)[batch.topic])

    def exact(self, ranking: Ranking) -> Number:
        numbers = ranking.numbers
        covered = [_covered(column, numbers) for column in ranking.relevance[: self.visible(ranking)].T]
        if self.weights == "given":
            return sum((w * c for w, c in zip(ranking.weights, covered, strict=True)), numbers.of(0))
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
            return np.zeros(batch.rows)
        needed = np.array([self.needed(int(aspects)) for aspects in range(len(batch.weights) + 1)])
        nth = needed[batch.aspects[batch.topic]] - 1
        # Padding is never covered and sorts behind; a topic without aspects reaches nothing.
        reached = np.take_along_axis(np.sort(first_ranks(batch), axis=0), nth[np.newaxis], axis=0)[0]
        return np.where(reached <= batch.visible(self.cutoff), 1.0 / reached, 0.0)

    def exact(self, ranking: Ranking) -> Number:
        numbers = ranking.numbers
        allowed = ranking.aspects - self.needed(ranking.aspects)
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


def first_ranks(batch: Batch) -> NDArray[np.int64]:
    """The rank at which each aspect is first covered, (aspect, row); beyond every list if never."""
    return batch.first_ranks(Aspects())


def _covered(column: Iterable[Number], numbers: Numbers) -> Number:
    """1 if the column has any relevance, else 0."""
    missing = numbers.of(1)
    for r in column:
        missing = missing * (numbers.of(1) - numbers.positive(r))
    return numbers.of(1) - missing
