"""The rule for ties that every statistic shares, so that rounding errors do not count as differences.

Rounding affects scores and differences in two ways. A *score* is a sum of terms, so its rounding error is proportional
to the score itself: `dense_ranks`. A *difference* of scores has the rounding error of the scores that were subtracted,
however small the difference is: `noise_of` takes its scale from the scores, so a test gives the same p whatever the
unit of the scores and whatever constant is added to all of them.
"""

from __future__ import annotations

from numbers import Real

import numpy as np
from numpy.typing import NDArray

from diveval.defaults import TOLERANCE
from diveval.errors import InputError, UsageError, quote
from diveval.results.scores import Scores

LARGEST = 1e100  # the largest |score| that tests take, and 1 / the smallest


def noise_of(scores: NDArray[np.float64], *, axis: int | None = None) -> NDArray[np.float64]:
    """The possible rounding error of a difference or mean of these scores: `TOLERANCE` × the largest |score|."""
    return np.asarray(TOLERANCE * np.abs(scores).max(axis=axis, initial=0.0))


def dense_ranks(
    values: NDArray[np.float64], *, tolerance: float = TOLERANCE, noise: float | NDArray[np.float64] | None = None
) -> NDArray[np.intp]:
    """Ranks from 0 (lowest) along the last axis; tied values share a rank and no rank is skipped.

    The rule: sort the values; a new rank starts where the step to the next value is larger than
    `tolerance` × the larger of the two. Being a cut of one sorted list, the relation is transitive and does not
    depend on the order of the input. If some value is negative, costs were subtracted from gains and the noise is
    relative to the largest value of the list: then the step is compared with that one. Sums of a thousand terms have a
    relative error near 1e-13 at worst, so the default of 1e-12 is larger than the noise; `tolerance=0` compares the
    doubles exactly. For values that are differences, `noise` replaces the tolerance.
    """
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    largest = np.abs(ordered[..., [0, -1]]).max(axis=-1, keepdims=True)
    magnitude = np.where(ordered[..., :1] < 0, largest, ordered[..., 1:])
    steps = np.diff(ordered, axis=-1) > (tolerance * magnitude if noise is None else noise)
    ranks = np.empty(values.shape, dtype=np.intp)
    first = np.zeros((*values.shape[:-1], 1), dtype=np.intp)
    np.put_along_axis(ranks, order, np.concatenate([first, np.cumsum(steps, axis=-1)], axis=-1), axis=-1)
    return ranks


def without_noise(values: NDArray[np.float64], noise: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """The values, exactly 0 where they are no larger than the noise."""
    return np.where(np.abs(values) <= noise, 0.0, values)


def gaps_between(scores: Scores, run: int, other: int, metric: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The topics that both runs count by a metric, and the differences there, 0 within rounding."""
    topics = np.flatnonzero(scores.counted[run, metric] & scores.counted[other, metric])
    pair = scores.values[[run, other], metric][:, topics]
    return topics, without_noise(pair[0] - pair[1], noise_of(pair))


def rank_means(scores: Scores, metric: int) -> NDArray[np.intp]:
    """By run its place by the mean of a metric, 0 the worst; means that differ by rounding share one, −1 is without a mean."""
    counted = scores.counted[:, metric]
    has_mean = counted.any(axis=1)
    means = np.where(has_mean, scores.means[:, metric], 0.0) * scores.signs[metric]
    ranks = dense_ranks(means, noise=noise_of(np.where(counted, scores.values[:, metric], 0.0)))
    return np.where(has_mean, ranks, -1)


def require_scores(scores: object, what: str) -> None:
    """Raise an error for anything but a table of scores."""
    if not isinstance(scores, Scores):
        raise UsageError(
            "wrong-type", f"{what} takes the scores that diveval.evaluate returns, got {type(scores).__name__}"
        )


def require_finite(scores: Scores) -> None:
    """Raise an error for a table with a counted value that is not finite, with its run, metric and topic."""
    bad = np.argwhere(scores.counted & ~np.isfinite(scores.values))
    if len(bad):
        r, m, t = bad[0]
        where = f"run {scores.runs[r]}, metric {scores.metrics[m]}, topic {scores.topics[t]}"
        raise InputError(
            "not-a-number",
            f"{where}: expected a finite score, got {scores.values[r, m, t]}",
            hint="fix it or leave it out",
        )


def find_unsquarable(scores: Scores) -> list[str]:
    """The metrics whose largest |score| has no square that a double holds well: variances would be infinite or 0."""
    largest = np.where(scores.counted, np.abs(scores.values), 0.0).max(axis=(0, 2), initial=0.0)
    outside = (largest > LARGEST) | ((largest > 0) & (largest < 1 / LARGEST))
    return [scores.metrics[m] for m in np.flatnonzero(outside)]


def require_variances(scores: Scores) -> None:
    """Raise an error for a table of which variances cannot be computed: values must be finite and of usual size."""
    require_finite(scores)
    if found := find_unsquarable(scores):
        raise InputError(
            "out-of-range",
            f"metric {found[0]}: expected scores between {1 / LARGEST:g} and {LARGEST:g}, whose variance can be computed",
            hint="scale the weights of the aspects, or let them be renormalised",
        )


def require_fraction(name: str, value: float) -> None:
    """Raise an error for a probability that is not strictly between 0 and 1."""
    if not isinstance(value, Real) or not 0.0 < value < 1.0:
        raise UsageError("out-of-range", f"{name} must lie between 0 and 1, got {value}")


MOST_DRAWS = 100_000_000  # of topics, over all resamples: all are in memory at once, 8 bytes each


def require_resamples(name: str, resamples: int, seed: int, *, topics: int, least: int = 100) -> None:
    """Raise an error for too few resamples, for more than fit into memory, and for an invalid seed."""
    if isinstance(resamples, bool) or not isinstance(resamples, int) or resamples < least:
        raise UsageError("out-of-range", f"{name} must be {least} or more, a whole number, got {quote(resamples)}")
    most = max(MOST_DRAWS // max(topics, 1), least)
    if resamples > most:
        raise UsageError(
            "out-of-range", f"{name} must be at most {most:,} with {topics} topics, to fit the memory, got {resamples}"
        )
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise UsageError("out-of-range", f"seed must be a whole number of at least 0, got {quote(seed)}")
