"""Parts of the algebra that other tools' metrics need: relevance without grades, and discounts with a constant factor."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from diveval.metrics.algebra import Array, Channels, Discount, Log
from diveval.metrics.batch import Batch
from diveval.metrics.numbers import Number, Numbers
from diveval.metrics.ranking import Ranking


@dataclass(frozen=True)
class BinaryAspects(Channels):
    """One channel per aspect with [r(i,t) > 0]; each counts 1, or 1/|T| if they are averaged, whatever its weight."""

    averaged: bool = False

    @property
    def per_aspect(self) -> bool:
        return True

    def pick(self, row: list[Number], ranking: Ranking) -> list[Number]:
        return [ranking.numbers.positive(r) for r in row]

    def weigh(self, ranking: Ranking) -> list[Number]:
        one = ranking.numbers.of(1)
        return [one / ranking.numbers.of(ranking.aspects) if self.averaged else one] * ranking.aspects

    def table(self, relevance: Array, weights: Array) -> Array:
        return np.where(relevance > 0.0, 1.0, 0.0)

    def weights(self, batch: Batch) -> Array:
        return np.ones_like(batch.weights) / (np.maximum(batch.aspects, 1) if self.averaged else 1.0)


@dataclass(frozen=True)
class Scaled(Discount):
    """Another discount times a positive constant, which changes no comparison of scores."""

    discount: Discount = field(default_factory=Log)
    by: Number = 1

    def at(self, rank: int, numbers: Numbers) -> Number:
        return numbers.of(self.by) * self.discount.at(rank, numbers)

    def along(self, count: int, numbers: Numbers) -> list[Number]:
        by = numbers.of(self.by)
        return [by * value for value in self.discount.along(count, numbers)]

    def table(self, longest: int) -> Array:
        return np.asarray(float(self.by) * self.discount.table(longest))
