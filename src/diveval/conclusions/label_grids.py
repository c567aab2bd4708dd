"""All labellings of a pair of systems at once: a setting of the parameters costs a few array operations.

The labellings worth trying depend on the lists and the scales only, so they are built once per pair; at a setting, each
is scored by both lists' discounts and novelty. `unjudged_bounds.least` does the same topic by topic.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from diveval.conclusions.unjudged_bounds import (
    FEW,
    LabelledList,
    Labelling,
    TopicProblem,
    labellings_of,
    spare_documents,
)
from diveval.metrics.algebra import Array


class PairGrids:
    """The topics of a pair whose aspects have few labellings each; the others are in `slow`."""

    def __init__(self, labelling: Labelling, problems: Sequence[TopicProblem], a: int, b: int) -> None:
        self.slow: list[int] = []
        self._parts: list[tuple[TopicProblem, int, Array]] = []  # a channel and its labellings
        topics, weights, idle = [], [], []
        self._mean = np.zeros(len(problems), dtype=bool)
        for t, p in enumerate(problems):
            given, self._mean[t] = labelling.weights(p.topic)
            channels = _channels(p, given, bool(p.topic.idle and spare_documents(p.topic, a, b)))
            if channels is None:
                self.slow.append(t)
                continue
            for c, grid in channels:
                self._parts.append((p, c, grid))
                topics.append(t)
                weights.append(given[c])
                idle.append(c >= p.counting)
        self._topics, self._weights = np.array(topics, dtype=np.int64), np.array(weights, dtype=float)
        self._idle = np.array(idle, dtype=bool)
        sizes = [len(grid) for _, _, grid in self._parts]
        self._starts = np.cumsum([0, *sizes[:-1]])
        self._rows = np.repeat(self._topics, sizes)
        self._gains = (self._pad(0), self._pad(1))
        self._shares = [np.array([p.sides[k].share for p in problems]) for k in (0, 1)]

    def _pad(self, k: int) -> Array:
        """Relevance by labelling and rank in the first or second list; ranks beyond a list have none."""
        width = max((p.fixed[k].shape[1] for p, _, _ in self._parts), default=0)
        out = np.zeros((len(self._rows), width))
        at = 0
        for p, c, grid in self._parts:
            rows = p.relevance(k, c, grid)
            out[at : at + len(rows), : rows.shape[1]] = rows
            at += len(rows)
        return out

    def least(self, sides: tuple[LabelledList, LabelledList]) -> NDArray[np.float64]:
        """The smallest difference of each topic over all labels, under its weights; 0 for slow topics.

        The sides hold a setting's discounts and novelty; their share is not used.
        """
        if not len(self._rows):
            return np.zeros(len(self._mean))
        values = np.zeros(len(self._rows))
        for sign, side, gains, shares in zip((1, -1), sides, self._gains, self._shares, strict=True):
            values += sign * side.sum_gains(gains, side.decay(gains)) * shares[self._rows]
        return self._weigh(np.minimum.reduceat(values, self._starts))

    def _weigh(self, values: Array) -> Array:
        """Sums or means over the aspects that count and whichever idle ones make them smallest."""
        count, of, weights = len(self._mean), ~self._idle, self._weights
        total, weight = np.zeros(count), np.zeros(count)
        np.add.at(total, self._topics[of], (weights * values)[of])
        np.add.at(weight, self._topics[of], weights[of])
        out = self._divide(total, weight)
        if self._idle.any():
            # An idle aspect lowers a mean if its value is below it, so the smallest values come first.
            order = np.flatnonzero(self._idle)
            order = order[np.lexsort((values[order], self._topics[order]))]
            first = np.searchsorted(self._topics[order], np.arange(count))
            rank = np.arange(len(order)) - first[self._topics[order]]
            for r in range(int(rank.max()) + 1):
                chosen = order[rank == r]
                t = self._topics[chosen]
                total[t] += weights[chosen] * values[chosen]
                weight[t] += weights[chosen]
                out = np.minimum(out, self._divide(total, weight))
        return np.asarray(out)

    def _divide(self, total: Array, weight: Array) -> Array:
        divisor = np.where(self._mean & (weight > 0), weight, 1.0)
        return np.asarray(total / divisor)


def _channels(p: TopicProblem, weights: Sequence[float], spare: bool) -> list[tuple[int, Array]] | None:
    """The channels of a topic with their labellings; None if there are too many of them."""
    out = []
    for c in range(len(p.labels)):
        idle = c >= p.counting
        if idle and not (weights[c] > 0 and (p.documents or spare) and len(p.tops[c]) > 1):
            continue
        grid = labellings_of(p, c, FEW)
        if grid is None or (idle and not spare and not grid.any(axis=1).all()):
            return None  # an idle aspect counts only with a relevant label
        out.append((c, grid))
    return out
