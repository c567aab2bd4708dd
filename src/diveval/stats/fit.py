"""Does the test fit the data? One plain line for each way in which it does not."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from diveval.errors import count_of, need
from diveval.stats.paired import Paired

FEW_TOPICS = 10
SHAPIRO_LEVEL = 0.01
MANY_TIES = 0.5


def topics(paired: Paired, alpha: float, *, title: str, counts_signs: bool) -> list[str]:
    """Too few topics for any test, or for one whose p counts signs."""
    least, most = int(paired.topics.min()), int(paired.topics.max())
    notes = []
    if least < most:
        notes.append(f"pairs are compared on the topics both runs count: between {least} and {most} of them")
    needed = math.floor(math.log2(2 / alpha)) + 1  # 2/2^n < α: the smallest p of n signs
    if counts_signs and least < needed:
        notes.append(f"{count_of(least, 'topic')}: the {title} cannot reach p < {alpha:.3g} with fewer than {needed}")
    elif least < FEW_TOPICS:
        notes.append(f"only {count_of(least, 'topic')}: any test has little power, and intervals are rough")
    return notes


def constant(paired: Paired, *, title: str, needs_variance: bool) -> list[str]:
    """Pairs without a difference, or without variance in it."""
    same: NDArray[np.bool_] = np.all(paired.differences == 0, axis=1)
    steady: NDArray[np.bool_] = (paired.deviation == 0) & ~same
    notes = []
    if same.any():
        notes.append(f"{_of(same)} have identical scores on every topic: there is nothing to test")
    if steady.any() and needs_variance:
        notes.append(f"{_of(steady)} differ by a constant: the {title} has no variance to work with")
    return notes


def far_from_normal(paired: Paired) -> list[str]:
    """Differences for which a t-test is doubtful."""
    shapiro = need("scipy.stats", "meta").shapiro
    far = np.zeros(len(paired.shared), dtype=bool)
    for i in np.flatnonzero((paired.topics >= 3) & (paired.deviation > 0)):
        far[i] = shapiro(paired.differences[i, paired.shared[i]]).pvalue < SHAPIRO_LEVEL
    if not far.any():
        return []
    advice = "the randomization test does not need normality"
    return [f"{_of(far)} have differences far from normal (Shapiro-Wilk p < {SHAPIRO_LEVEL}): {advice}"]


def many_ties(paired: Paired) -> list[str]:
    """Pairs that a signed-rank test sees little of."""
    zeros = np.count_nonzero(paired.shared & (paired.differences == 0), axis=1) / paired.topics
    many = (zeros > MANY_TIES) & (zeros < 1)
    if not many.any():
        return []
    return [f"{_of(many)} are tied on more than half of the topics: the Wilcoxon test drops those topics"]


def resolution(alpha: float, comparisons: int, resamples: int) -> list[str]:
    """A resampled p is at least 1/(resamples + 1); times the number of comparisons that may never be small."""
    if comparisons / (resamples + 1) < alpha:
        return []
    enough = math.ceil(comparisons / alpha)
    return [f"{resamples} resamples are too few to correct {comparisons} comparisons: use {enough} or more"]


def _of(chosen: NDArray[np.bool_]) -> str:
    return f"{int(chosen.sum())} of {len(chosen)} pairs"
