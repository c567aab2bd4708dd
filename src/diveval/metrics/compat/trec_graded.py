"""trec_eval's measures of graded gain: nDCG and its variants, G, and RBP.

The gain of a document is its grade unless `gains` says otherwise: `1:3;2:9` gives grade 1 the gain 3 and grade 2 the
gain 9. A gain may be 0 or negative, and grade 0 may have one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from diveval.metrics.algebra import Array, running
from diveval.metrics.batch import Batch, divide, last, once, once_for_pool
from diveval.metrics.compat.base import at_first, at_hits, log2_of_next, overall, overall_pool
from diveval.metrics.compat.trec_seen import best_grades, count_in_judgments, find_judged

GRADE = "grade"  # every grade gains itself


class Gains(NamedTuple):
    """Gains and ranks of the documents of each list that may have a gain, (row, place); padding gains 0 at rank 1."""

    values: Array
    ranks: NDArray[np.int64]


def _by_grade(text: str) -> dict[float, float]:
    pairs = (pair.split(":") for pair in text.split(";") if text != GRADE)
    return {float(grade): float(gain) for grade, gain in pairs}


def _map_gains(grades: Array, text: str) -> Array:
    """The gain of each grade; a grade below 0, or no grade, gains nothing."""
    out = np.where(grades > 0, grades, 0.0)
    for grade, gain in _by_grade(text).items():
        out[grades == grade] = gain
    return out


@once
def _gains(batch: Batch, gains: str) -> Gains:
    if gains == GRADE:
        return Gains(overall(batch), batch.divisors)
    shown = find_judged(batch)
    return Gains(_map_gains(shown.grades, gains), shown.ranks)


@once_for_pool
def _falling(batch: Batch, gains: str) -> Array:
    """The positive gains of each topic's judgments in descending order, (topic, document); then zeros."""
    if gains == GRADE:
        return -np.sort(-overall_pool(batch))
    starts, best = best_grades(batch)
    out = np.zeros((len(starts) - 1, int(np.diff(starts).max(initial=0))))
    for t in range(len(out)):
        some = np.maximum(_map_gains(best[starts[t] : starts[t + 1]], gains), 0.0)
        out[t, : len(some)] = -np.sort(-some)
    return out


@once
def _dcg(batch: Batch, gains: str) -> Array:
    """DCG so far, at each document that may have a gain."""
    shown = _gains(batch, gains)
    table = at_first(batch, log2_of_next, int(shown.ranks.max(initial=1)))
    return running(shown.values / table[shown.ranks - 1])


@once_for_pool
def _ideal_dcg(batch: Batch, gains: str) -> Array:
    """DCG so far of the ideal order, (topic, rank)."""
    falling = _falling(batch, gains)
    return running(falling / at_first(batch, log2_of_next, falling.shape[1]))


def _at(so_far: Array, place: NDArray[np.int64], topic: NDArray[np.int64]) -> Array:
    """Running totals of topics at ranks (from 1; 0 is before the first), the last total beyond the end."""
    padded = np.concatenate([np.zeros((len(so_far), 1)), so_far], axis=1)
    return np.asarray(padded[topic, np.minimum(place, so_far.shape[1])])


def _last(so_far: Array) -> Array:
    """The last of running totals, 0 if there are none."""
    return so_far[:, -1] if so_far.shape[1] else np.zeros(len(so_far))


def _total(batch: Batch, so_far: Array, gains: str, depth: NDArray[np.int64]) -> Array:
    """A running total over documents at a rank of each row."""
    shown = _gains(batch, gains)
    within = np.count_nonzero((shown.values != 0) & (shown.ranks <= depth[:, np.newaxis]), axis=1)
    of_gain = np.where(shown.values != 0, running(shown.values != 0), 0)  # its number among those with a gain
    here = (of_gain == within[:, np.newaxis]) & (of_gain > 0)
    return last(np.where(here, so_far, 0.0))


def normalised_dcg_by(batch: Batch, cutoff: int | None, *, divisor: Callable[[int], float] = log2_of_next) -> Array:
    """Σ g(i)/log2(i+1) over the same of the ideal order, g being the gain: for trec_eval the grade."""
    best = _ideal_by(batch, divisor)[:, :cutoff].max(axis=1, initial=0.0)  # never falling: the maximum is the last
    return divide(batch.at_cutoff(_dcg_by(batch, divisor), cutoff), best[batch.topic])


@once
def _dcg_by(batch: Batch, divisor: Callable[[int], float]) -> Array:
    return running(overall(batch) / at_hits(batch, divisor))


@once_for_pool
def _ideal_by(batch: Batch, divisor: Callable[[int], float]) -> Array:
    falling = -np.sort(-overall_pool(batch))
    return running(falling / at_first(batch, divisor, falling.shape[1]))


def normalised_dcg(batch: Batch, cutoff: int | None, gains: str) -> Array:
    """DCG of the whole list over that of the ideal order."""
    if gains == GRADE:
        return normalised_dcg_by(batch, cutoff)
    ideal = _at(_ideal_dcg(batch, gains), np.full(batch.rows, np.iinfo(np.int64).max), batch.topic)
    return divide(_last(_dcg(batch, gains)), ideal)


def dcg_at_relevant(batch: Batch, cutoff: int | None, gains: str) -> Array:
    """The mean over the documents with a gain of nDCG at their ranks; at the end of the list for those not found."""
    shown, ideal, dcg = _gains(batch, gains), _ideal_dcg(batch, gains), _dcg(batch, gains)
    gaining = shown.values > 0
    found = np.count_nonzero(gaining, axis=1)
    relevant = np.count_nonzero(_falling(batch, gains) > 0, axis=1)[batch.topic]
    here = divide(dcg, _at(ideal, shown.ranks, batch.topic[:, np.newaxis]))
    best = _at(ideal, np.full(batch.rows, np.iinfo(np.int64).max), batch.topic)
    rest = divide((relevant - found) * (_last(dcg)), best)
    total = last(np.where(gaining, here, 0.0)) + rest
    return np.where(total > 0, total / np.maximum(relevant, 1), 0.0)


def dcg_at_levels(batch: Batch, cutoff: int | None, level: int, gains: str) -> Array:
    """The mean of nDCG at the ranks where the ideal order passes to a lower gain, and at the end of a longer list."""
    falling, ideal, dcg = _falling(batch, gains), _ideal_dcg(batch, gains), _dcg(batch, gains)
    lower = np.concatenate([falling[:, 1:], np.zeros((len(falling), 1))], axis=1)
    ends = (falling > 0) & (lower < falling)  # the last document of each gain
    total, terms = np.zeros(batch.rows), np.zeros(batch.rows)
    for place in np.flatnonzero(ends.any(axis=0)):
        here = ends[batch.topic, place]
        depth = np.full(batch.rows, place + 1)
        value = divide(_total(batch, dcg, gains, depth), ideal[batch.topic, place])
        total, terms = total + np.where(here, value, 0.0), terms + here
    relevant = np.count_nonzero(falling > 0, axis=1)[batch.topic]
    longer = (batch.lengths > relevant + 1) & (relevant > 0)
    best = _at(ideal, np.full(batch.rows, np.iinfo(np.int64).max), batch.topic)
    value = divide(_total(batch, dcg, gains, batch.lengths), best)
    some = count_in_judgments(batch, lambda grades: grades >= level) > 0
    return np.where(some, divide(total + np.where(longer, value, 0.0), terms + longer), 0.0)


def gain_over_ideal(batch: Batch, cutoff: int | None, gains: str) -> Array:
    """Σ gain / log2(2 + ideal gain so far, at least 1 per rank, − gain so far), over the ideal gain."""
    shown, falling = _gains(batch, gains), _falling(batch, gains)
    width = falling.shape[1]
    costs = running(np.where(falling > 0, np.maximum(falling, 1.0), 1.0)) if width else falling
    cost = _at(costs, shown.ranks, batch.topic[:, np.newaxis]) + np.maximum(shown.ranks - width, 0)
    behind = np.where(shown.values != 0, 2.0 + cost - running(shown.values), 2.0)
    return divide(last(shown.values / _log2(behind)), last(falling)[batch.topic])


def _log2(values: Array) -> Array:
    """log2 by the C library, whose last bit may differ from numpy's."""
    different, place = np.unique(values, return_inverse=True)
    logs = np.array([math.log2(value) if value > 0 else math.nan for value in different])
    return np.asarray(logs[place].reshape(values.shape))


def rank_biased_precision(batch: Batch, cutoff: int | None, p: float, gains: str) -> Array:
    """(1−p) Σ p^(i−1) gain(i), the gains moved to [0, 1] if they lie outside: (g − lowest)/(highest − lowest)."""
    shown = _gains(batch, gains)
    starts, best = best_grades(batch)
    highest = np.array([best[a:b].max(initial=0.0) for a, b in itertools.pairwise(starts)])
    given = list(_by_grade(gains).values())
    low, high = min([0.0, *given]), np.maximum(highest, max([0.0, *given]))[batch.topic]
    outside = (low < 0) | (high > 1)
    scale = np.where(outside, high - low, 1.0)[:, np.newaxis]
    moved = np.where(shown.values != 0, (shown.values - np.where(outside, low, 0.0)[:, np.newaxis]) / scale, 0.0)
    return (1.0 - p) * last(moved * p ** (shown.ranks - 1.0))
