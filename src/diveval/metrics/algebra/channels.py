"""Channels: which relevance of a document counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from diveval.metrics.algebra.part import Array, Part, weighted_sum
from diveval.metrics.numbers import Number

if TYPE_CHECKING:
    from diveval.metrics.batch import Batch
    from diveval.metrics.ranking import Ranking


@dataclass(frozen=True)
class Channels(Part):
    """One or more columns of relevance, each with a weight, which are all that a metric uses of a ranking."""

    @property
    def per_aspect(self) -> bool:
        """Whether each aspect has a column of its own."""
        return False

    @property
    def takes_best(self) -> bool:
        """Whether the one column is the best relevance to any aspect."""
        return False

    @property
    def weighted(self) -> bool:
        """Whether the weights of aspects count."""
        return False

    def columns(self, ranking: Ranking) -> list[tuple[Number, list[Number]]]:
        """The weight of each channel and its column of relevance, from rank 1 on."""
        rows = [self.pick(list(row), ranking) for row in ranking.relevance]
        return [(weight, [row[c] for row in rows]) for c, weight in enumerate(self.weigh(ranking))]

    def pool(self, ranking: Ranking) -> list[list[Number]]:
        """The relevance of each relevant document by channel, one row per document."""
        return [self.pick(list(row), ranking) for row in ranking.pool]

    def pick(self, row: list[Number], ranking: Ranking) -> list[Number]:
        """The relevance of one document by channel."""
        raise NotImplementedError

    def weigh(self, ranking: Ranking) -> list[Number]:
        """The weight of each channel."""
        return [ranking.numbers.of(1)]

    def table(self, relevance: Array, weights: Array) -> Array:
        """Relevance by channel from relevance by aspect, (aspect, list, document); `weights` is (aspect, list)."""
        raise NotImplementedError

    def weights(self, batch: Batch) -> Array:
        """The weight of each channel in each topic of a block, as doubles: (channel, topic)."""
        return np.ones((1, batch.weights.shape[1]))


class Overall(Channels):
    """r(i) = max_t r(i,t): the relevance for metrics without aspects."""

    @property
    def takes_best(self) -> bool:
        return True

    def pick(self, row: list[Number], ranking: Ranking) -> list[Number]:
        return [ranking.numbers.largest(row)]

    def table(self, relevance: Array, weights: Array) -> Array:
        return np.asarray(relevance.max(axis=0, keepdims=True, initial=0.0))


@dataclass(frozen=True)
class Aspects(Channels):
    """One channel per aspect, with its weight w(t) or with 1."""

    weighted: bool = True

    @property
    def per_aspect(self) -> bool:
        return True

    def pick(self, row: list[Number], ranking: Ranking) -> list[Number]:
        return row

    def weigh(self, ranking: Ranking) -> list[Number]:
        return list(ranking.weights) if self.weighted else [ranking.numbers.of(1)] * ranking.aspects

    def table(self, relevance: Array, weights: Array) -> Array:
        return relevance

    def weights(self, batch: Batch) -> Array:
        return batch.weights if self.weighted else np.ones_like(batch.weights)


class GlobalGain(Channels):
    """Σ_t w(t) r(i,t), the global gain of the D-measures."""

    @property
    def weighted(self) -> bool:
        return True

    def pick(self, row: list[Number], ranking: Ranking) -> list[Number]:
        total = ranking.numbers.of(0)
        for weight, r in zip(ranking.weights, row, strict=True):
            total = total + weight * r
        return [total]

    def table(self, relevance: Array, weights: Array) -> Array:
        return weighted_sum(relevance, weights)[np.newaxis]
