"""Agreement of metrics on pairs and of judges on labels, from the definitions, without diveval's code."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def unanimity(values: Sequence[Floats], m: int) -> float | None:
    """MU of one metric (run × topic each) against the others; differences below 10⁻¹¹ are ties; None if undefined."""
    joint, together, pairs = 0.0, 0, 0
    for t in range(values[0].shape[1]):
        for a, b in permutations(range(len(values[0])), 2):
            pairs += 1
            gaps = [float(table[a, t] - table[b, t]) for table in values]
            if all(gap >= -1e-11 for k, gap in enumerate(gaps) if k != m):
                together += 1
                joint += 0.5 if abs(gaps[m]) <= 1e-11 else float(gaps[m] > 0)
    return math.log2(joint / (0.5 * together)) if joint else None


def tau_ap(reference: Sequence[float], other: Sequence[float]) -> float:
    """2/(n − 1) Σ_i C(i)/(i − 1) − 1, for values without ties."""
    order, n = sorted(range(len(other)), key=lambda i: -other[i]), len(other)
    shares = [sum(reference[j] > reference[order[i]] for j in order[:i]) / i for i in range(1, n)]
    return 2 * sum(shares) / (n - 1) - 1


def kappa(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Cohen's κ; None where chance agreement is 1."""
    n, one, two = len(first), Counter(first), Counter(second)
    seen = sum(a == b for a, b in zip(first, second, strict=True)) / n
    chance = sum(one[grade] * two[grade] for grade in one) / n**2
    return None if chance == 1 else (seen - chance) / (1 - chance)


def krippendorff(first: Sequence[float], second: Sequence[float], *, ordinal: bool) -> float | None:
    """α = 1 − observed / expected disagreement of two judges' labels; None for a single grade."""
    counts = Counter([*first, *second])
    grades, n = sorted(counts), len(first) + len(second)
    if len(grades) < 2:
        return None

    def ordinal_distance(a: float, b: float) -> float:
        low, high = sorted((a, b))
        between = sum(counts[grade] for grade in grades if low <= grade <= high)
        return (between - (counts[a] + counts[b]) / 2) ** 2

    distance: Callable[[float, float], float] = ordinal_distance if ordinal else lambda a, b: float(a != b)
    observed = sum(distance(a, b) for a, b in zip(first, second, strict=True)) / len(first)
    expected = sum(counts[a] * counts[b] * distance(a, b) for a in grades for b in grades if a != b) / (n * (n - 1))
    return 1 - observed / expected
