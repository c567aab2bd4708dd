"""Which pairs of systems every metric orders alike, and which depend on the choice of metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from diveval.scores import Scores
from diveval.stats.ties import noise_of

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Conflict:
    """Two runs and two metrics that order them differently, with the topic in which they differ most.

    `first_means` and `second_means` are (run, other) under the metric that prefers `run` and under the one that
    prefers `other`; the topic's values likewise.
    """

    run: str
    other: str
    prefers_run: tuple[str, ...]
    prefers_other: tuple[str, ...]
    topic: str
    first: str
    first_values: tuple[float, float]
    second: str
    second_values: tuple[float, float]


@dataclass(frozen=True)
class OrderedPairs:
    """How many pairs of runs there are, how many every metric orders alike, and the pairs that depend on the choice."""

    pairs: int
    agreed: int
    conflicts: tuple[Conflict, ...]


def agreement(scores: Scores, metrics: Sequence[str]) -> OrderedPairs:
    """Compare the order of the means under each metric; the conflict that divides them most evenly comes first."""
    table = scores.select(metrics=list(metrics))
    means, noise = table.means, noise_of(table.means, axis=0)
    conflicts, agreed, pairs = [], 0, 0
    for a, b in combinations(range(len(table.runs)), 2):
        pairs += 1
        difference = means[a] - means[b]
        up, down = np.flatnonzero(difference > noise), np.flatnonzero(difference < -noise)
        if len(up) and len(down):
            conflicts.append(_conflict(table, a, b, up, down))
        else:
            agreed += 1
    conflicts.sort(key=lambda c: (-min(len(c.prefers_run), len(c.prefers_other)), c.run, c.other))
    return OrderedPairs(pairs, agreed, tuple(conflicts))


def _conflict(table: Scores, a: int, b: int, up: NDArray[np.intp], down: NDArray[np.intp]) -> Conflict:
    """The topic is one in which the two metrics disagree as well, as far as possible, in standard deviations."""
    differences = table.values[a] - table.values[b]
    spread = differences.std(axis=1, keepdims=True)
    standard = np.divide(differences, spread, out=np.zeros_like(differences), where=spread > 0)
    first, second = int(up[0]), int(down[0])
    topic = int(np.minimum(standard[first], -standard[second]).argmax())
    names = table.metrics
    return Conflict(
        table.runs[a],
        table.runs[b],
        tuple(names[m] for m in up),
        tuple(names[m] for m in down),
        table.topics[topic],
        names[first],
        (float(table.values[a, first, topic]), float(table.values[b, first, topic])),
        names[second],
        (float(table.values[a, second, topic]), float(table.values[b, second, topic])),
    )
