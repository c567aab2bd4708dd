"""The premises of a reading in real lists: of the situations found, those that the verdicts on a metric are about.

A situation is an axiom's change made in a real list. The constraint that is proved or refuted has a premise, which real
lists often do not meet: under the charitable reading the relevance of an aspect's documents sums to less than 1.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from diveval.axioms.specification.readings import Reading
from diveval.collection.columns import Floats, IntArray
from diveval.metrics.numbers import exactly

Flags = NDArray[np.bool_]
NEAR = 1e-9  # sums of doubles this near to 1 are added again as fractions: ten times 0.1 is not below 1
LARGEST = 10**6  # a double next to a fraction with a smaller denominator means that fraction: 1/3, 7/8, 0.99


@lru_cache(maxsize=10_000)
def fraction_of(value: float | Fraction) -> Fraction:
    """The number a double stands for: the simple fraction next to it, else the decimal it prints as."""
    simple = Fraction(value).limit_denominator(LARGEST)
    return simple if float(simple) == value else exactly(value)


def within_limits(relevance: Floats, reading: Reading) -> Flags:
    """Whether relevance (aspect × list × rank) is as small as r ≪ 1 asks, list by list."""
    if reading.contribution == "each":
        return np.asarray((relevance < 1).all(axis=(0, 2)))
    sums = relevance.sum(axis=2)
    below = sums < 1
    for aspect, row in np.argwhere(np.abs(sums - 1) < NEAR).tolist():
        values = relevance[aspect, row]
        below[aspect, row] = adds_to_less_than_one(tuple(values[values > 0].tolist()))
    return np.asarray(below.all(axis=0))


@lru_cache(maxsize=10_000)
def adds_to_less_than_one(values: tuple[float, ...]) -> bool:
    """Whether values sum to less than 1, without rounding."""
    return sum(map(fraction_of, values), Fraction(0)) < 1


def are_small(counts: IntArray, grades: Floats) -> Flags:
    """By pair, whether so many documents of one grade below 1 add up to less than 1, without rounding."""
    pairs = zip(counts.tolist(), grades.tolist(), strict=True)
    return np.array([r < 1 and count * fraction_of(r) < 1 for count, r in pairs], dtype=bool)
