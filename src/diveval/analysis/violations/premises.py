"""The premises of a reading in real lists: of the situations found, those that the verdicts on a metric are about.

A situation is an axiom's change made in a real list. The constraint that is proved or refuted has a premise, which real
lists often do not meet: under the charitable reading the relevance of an aspect's documents sums to less than 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from diveval.axioms.specification.readings import Reading
from diveval.collection.columns import Floats
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
        below[aspect, row] = adds_to_less_than_one(relevance[aspect, row].tolist())
    return np.asarray(below.all(axis=0))


def adds_to_less_than_one(values: Iterable[float]) -> bool:
    """Whether values sum to less than 1, without rounding."""
    return sum(map(fraction_of, values), Fraction(0)) < 1


def within_red(above: Floats, r: float, weights: Floats, reading: Reading) -> bool:
    """Red: documents about one aspect or none, all as relevant as the new one; aspects of equal weight; and r ≪ 1."""
    covered = above > 0
    alike = bool((covered.sum(axis=1) <= 1).all() and (above[covered] == r).all() and (weights == weights[0]).all())
    if not alike or reading.full_relevance:
        return alike
    fullest = int(covered.sum(axis=0).max()) + 1
    return bool(r < 1 and fullest * fraction_of(r) < 1)


def within_mred(above: Floats, t: int, other: int, r: float, reading: Reading) -> bool:
    """MRed: every document above is more about t than about t', and r ≪ 1 with the new document for either aspect."""
    if not len(above) or not (above[:, t] > above[:, other]).all():
        return False
    lists = np.zeros((above.shape[1], 2, len(above) + 1))
    lists[:, :, :-1] = above.T[:, np.newaxis]
    lists[t, 0, -1] = lists[other, 1, -1] = r
    return bool(within_limits(lists, reading).all())
