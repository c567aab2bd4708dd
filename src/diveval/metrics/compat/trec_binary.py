"""Measures of trec_eval that ask of a document only whether it is relevant."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from diveval.metrics.algebra import Array, look_up, running
from diveval.metrics.batch import PADDING, Batch, divide, last, once
from diveval.metrics.compat.base import at_first, log2_of_next, overall, overall_pool

LOWEST = 0.00001  # trec_eval's MIN_GEO_MEAN: a topic's value in a geometric mean is at least this
ELEVEN = ";".join(f"{i / 10:g}" for i in range(11))


@once
def _relevant(batch: Batch, level: int) -> NDArray[np.bool_]:
    """Which hits are relevant, (row, hit)."""
    return overall(batch) >= level


@once
def _hits(batch: Batch, level: int) -> Array:
    """Relevant documents so far, at each hit."""
    return running(_relevant(batch, level))


@once
def _precisions(batch: Batch, level: int) -> Array:
    return running(_relevant(batch, level) * (_hits(batch, level) / batch.divisors))


@once
def _in_judgments(batch: Batch, level: int) -> NDArray[np.int64]:
    """R, by row."""
    return np.asarray(np.count_nonzero(overall_pool(batch) >= level, axis=1)[batch.topic])


def _count_relevant(batch: Batch, level: int, cutoff: int | NDArray[np.int64] | None) -> Array:
    """Relevant documents down to the cutoff, by row."""
    return batch.at_cutoff(_hits(batch, level), cutoff)


def topics(batch: Batch, cutoff: int | None) -> Array:
    """1 for every topic."""
    return np.ones(batch.rows)


def retrieved(batch: Batch, cutoff: int | None) -> Array:
    """Documents in the list. Of counts, trec_eval's `all` row has the sum, not the mean."""
    return batch.lengths.astype(np.float64)


def relevant(batch: Batch, cutoff: int | None, level: int) -> Array:
    """R."""
    return _in_judgments(batch, level).astype(np.float64)


def relevant_retrieved(batch: Batch, cutoff: int | None, level: int) -> Array:
    """Relevant documents in the list."""
    return _count_relevant(batch, level, None)


def set_precision(batch: Batch, cutoff: int | None, level: int) -> Array:
    """Relevant documents in the list, over its length."""
    return divide(_count_relevant(batch, level, None), batch.lengths)


def set_recall(batch: Batch, cutoff: int | None, level: int) -> Array:
    """Relevant documents in the list, over R."""
    return divide(_count_relevant(batch, level, None), _in_judgments(batch, level))


def set_relative_precision(batch: Batch, cutoff: int | None, level: int) -> Array:
    """Relevant documents in the list, over the most that a list of its length can have."""
    return divide(_count_relevant(batch, level, None), np.minimum(batch.lengths, _in_judgments(batch, level)))


def set_average_precision(batch: Batch, cutoff: int | None, level: int) -> Array:
    """Precision times recall of the list as a set."""
    found, possible = _count_relevant(batch, level, None), _in_judgments(batch, level)
    return divide(found * found, batch.lengths.astype(np.float64) * possible)


def set_f(batch: Batch, cutoff: int | None, level: int, beta: float) -> Array:
    """(β+1)·P·R / (R + β·P) of the list as a set: β is not squared, unlike in the literature."""
    share, found = set_precision(batch, None, level), set_recall(batch, None, level)
    x = float(beta)
    return divide((x + 1.0) * share * found, found + x * share)


def utility(batch: Batch, cutoff: int | None, level: int, worth: str, collection: int) -> Array:
    """a per relevant document retrieved, b per other one retrieved, c and d per one of each kind not retrieved."""
    a, b, c, d = map(float, worth.split(";"))
    found, possible = _count_relevant(batch, level, None), _in_judgments(batch, level)
    elsewhere = collection + found - batch.lengths - possible
    return np.asarray(a * found + b * (batch.lengths - found) + c * (possible - found) + d * elsewhere)


def average_precision(batch: Batch, cutoff: int | None, level: int) -> Array:
    """(1/R) Σ over the relevant i ≤ k of hits(i)/i."""
    return divide(batch.at_cutoff(_precisions(batch, level), cutoff), _in_judgments(batch, level))


def precision(batch: Batch, cutoff: int, level: int) -> Array:
    """Relevant documents among the first k, over k."""
    return _count_relevant(batch, level, cutoff) / cutoff


def relative_precision(batch: Batch, cutoff: int, level: int) -> Array:
    """Relevant documents among the first k, over the most that k documents can have."""
    return divide(_count_relevant(batch, level, cutoff), np.minimum(cutoff, _in_judgments(batch, level)))


def recall(batch: Batch, cutoff: int, level: int) -> Array:
    """Relevant documents among the first k, over R."""
    return divide(_count_relevant(batch, level, cutoff), _in_judgments(batch, level))


def success(batch: Batch, cutoff: int, level: int) -> Array:
    """1 if one of the first k is relevant."""
    return np.minimum(_count_relevant(batch, level, cutoff), 1.0)


def r_precision(batch: Batch, cutoff: int | None, level: int) -> Array:
    """Relevant documents among the first R, over R."""
    in_judgments = _in_judgments(batch, level)
    return divide(_count_relevant(batch, level, in_judgments), in_judgments)


def precision_at_multiple(batch: Batch, cutoff: int | None, level: int, multiple: float) -> Array:
    """Relevant documents among the first c, over c, c being a multiple of R rounded up from 0.1."""
    depth = as_ranks(np.asarray(float(multiple) * _in_judgments(batch, level) + 0.9, dtype=np.float64))
    return divide(_count_relevant(batch, level, depth), depth)


def reciprocal_rank(batch: Batch, cutoff: int | None, level: int) -> Array:
    """1 / rank of the first relevant document."""
    ranks = np.where(_relevant(batch, level), batch.ranks, PADDING)
    first = ranks.min(axis=1, initial=PADDING)
    return np.where(first < PADDING, 1.0 / first, 0.0)


def as_ranks(values: Array) -> NDArray[np.int64]:
    """The whole part; what is beyond any list (10^15) is that."""
    return np.minimum(values, 1e15).astype(np.int64)


def round_half_up(values: Array) -> NDArray[np.int64]:
    """C's lround for values from 0 on; adding ½ first would round 0.49999999999999994 up."""
    whole = np.floor(values)
    return as_ranks(whole + (values - whole >= 0.5))


def round_from_a_tenth(values: Array) -> NDArray[np.int64]:
    """trec_eval 9: 0.9 is added and the fraction cut off."""
    return as_ranks(values + 0.9)


Rounding = Callable[[Array], NDArray[np.int64]]


def interpolate_precision(batch: Batch, cutoff: int | None, level: int, recall: float, rounding: Rounding) -> Array:
    """The highest precision from the rank at which this share of R, rounded, is found."""
    wanted = rounding(np.asarray(float(recall) * _in_judgments(batch, level), dtype=np.float64))[:, np.newaxis]
    counts = _relevant(batch, level) & (_hits(batch, level) >= wanted)
    return np.asarray(np.where(counts, _hits(batch, level) / batch.divisors, 0.0).max(axis=1, initial=0.0))


def mean_of_interpolation(batch: Batch, cutoff: int | None, level: int, recalls: str, rounding: Rounding) -> Array:
    """The mean of the interpolated precision at several shares of R."""
    points = [float(point) for point in recalls.split(";")]
    total = np.zeros(batch.rows)
    for point in reversed(points):  # trec_eval adds from the end of the list
        total = total + interpolate_precision(batch, None, level, point, rounding)
    return total / len(points)


def binary_gain(batch: Batch, cutoff: int | None, level: int) -> Array:
    """(1/R) Σ over the relevant found of 1 / log2(2 + not relevant above)."""
    place = np.where(_relevant(batch, level), 1 + batch.divisors - _hits(batch, level), 1).astype(np.int64)
    logs = look_up(at_first(batch, log2_of_next, int(place.max(initial=1))), place - 1)
    return divide(last(np.where(_relevant(batch, level), 1.0 / logs, 0.0)), _in_judgments(batch, level))


def log_of(measure: Callable[..., Array]) -> Callable[..., Array]:
    """The logarithm of a measure, of at least 0.00001: its mean is the logarithm of the geometric mean."""

    def value(batch: Batch, cutoff: int | None, level: int) -> Array:
        logs = [math.log(one) for one in np.maximum(measure(batch, cutoff, level), LOWEST).tolist()]
        return np.array(logs)  # by the C library, whose last bit may differ from numpy's

    return value
