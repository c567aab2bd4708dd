"""When two scores are tied: the one rule by which float noise never becomes a win, shared by every statistic."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from diveval.errors import InputError, UsageError
from diveval.scores import Scores

TOLERANCE = 1e-12


def dense_ranks(values: NDArray[np.float64], *, tolerance: float = TOLERANCE) -> NDArray[np.intp]:
    """Ranks from 0 (lowest) along the last axis; tied values share a rank and no rank is skipped.

    The rule: sort the values; a new rank starts where the step to the next value is larger than
    `tolerance` × the larger of the two. Being a cut of one sorted list, the relation is transitive and does not
    depend on the order of the input. Where some value is negative, gain and cost were subtracted from one another
    and the noise is as large as the largest value of the list: there the step is measured against that one.
    Sums of a thousand terms carry a relative error near 1e-13 at worst, so the default of 1e-12 hides the noise;
    `tolerance=0` compares the doubles as they are.
    """
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    largest = np.abs(ordered[..., [0, -1]]).max(axis=-1, keepdims=True)
    magnitude = np.where(ordered[..., :1] < 0, largest, ordered[..., 1:])
    steps = np.diff(ordered, axis=-1) > tolerance * magnitude
    ranks = np.empty(values.shape, dtype=np.intp)
    first = np.zeros((*values.shape[:-1], 1), dtype=np.intp)
    np.put_along_axis(ranks, order, np.concatenate([first, np.cumsum(steps, axis=-1)], axis=-1), axis=-1)
    return ranks


def clean_differences(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """a − b, and exactly 0 where the two differ by no more than noise."""
    difference: NDArray[np.float64] = a - b
    noise = TOLERANCE * np.maximum(np.abs(a), np.abs(b))
    return np.where(np.abs(difference) <= noise, 0.0, difference)


def require_finite(scores: Scores) -> None:
    """Refuse a table with a counted value that is not a finite number, and say where it stands."""
    bad = np.argwhere(scores.counted & ~np.isfinite(scores.values))
    if len(bad):
        r, m, t = bad[0]
        where = f"run {scores.runs[r]}, metric {scores.metrics[m]}, topic {scores.topics[t]}"
        raise InputError(f"{where}: expected a finite score, got {scores.values[r, m, t]}; mend or leave it out")


def require_fraction(name: str, value: float) -> None:
    """Refuse a probability that is not strictly between 0 and 1."""
    if not 0.0 < value < 1.0:
        raise UsageError(f"{name} must lie between 0 and 1, got {value}")
