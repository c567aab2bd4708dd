"""The test of Shapiro and Wilk for normality, by Royston's approximation.

scipy has it in `scipy.stats`, which takes a second to import: more than the rest of a comparison.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial.polynomial import polyval

from diveval.errors import need
from diveval.stats.paired import Floats

# The polynomials of algorithm AS R94 (Royston, Applied Statistics 44(4), 1995), lowest power first.
_LAST = (0.0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056)  # in 1/√n: the weight of the largest value
_SECOND = (0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633)
_SMALL_MEAN = (0.544, -0.39978, 0.025054, -6.714e-4)  # in n, up to 11 values
_SMALL_SPREAD = (1.3822, -0.77857, 0.062767, -0.0020322)
_MEAN = (-1.5861, -0.31082, -0.083751, 0.0038915)  # in ln n
_SPREAD = (-0.4803, -0.082676, 0.0030302)


def shapiro_wilk(values: Floats) -> float:
    """p of the hypothesis that three or more values, not all equal, were drawn from a normal distribution."""
    n = len(values)
    ordered = np.sort(values)
    ordered = (ordered - ordered[n // 2]) / (ordered[-1] - ordered[0])
    squares = float(((ordered - ordered.mean()) ** 2).sum())
    w = min(float(_weights(n) @ ordered) ** 2 / squares, 1.0)
    if n == 3:  # exact
        return max(6 / math.pi * (math.asin(math.sqrt(w)) - math.asin(math.sqrt(0.75))), 0.0)
    if w == 1:
        return 1.0
    y, at = math.log(1 - w), math.log(n)
    mean: tuple[float, ...] = _MEAN
    spread: tuple[float, ...] = _SPREAD
    if n <= 11:
        bound = -2.273 + 0.459 * n
        if y >= bound:
            return 0.0
        y, at, mean, spread = -math.log(bound - y), float(n), _SMALL_MEAN, _SMALL_SPREAD
    return math.erfc(float((y - polyval(at, mean)) / math.exp(polyval(at, spread)) / math.sqrt(2))) / 2


def _weights(n: int) -> Floats:
    """Weights of the ordered values: nearly their expectation under normality, scaled to length 1."""
    if n == 3:
        return np.array([-math.sqrt(0.5), 0.0, math.sqrt(0.5)])
    expected = np.array(need("scipy.special", "meta").ndtri((np.arange(1, n + 1) - 0.375) / (n + 0.25)), np.float64)
    length = float((expected**2).sum())
    weights: Floats = expected.copy()
    ends = 2 if n > 5 else 1  # values at either end whose weights are corrected
    for i, correction in enumerate((_LAST, _SECOND)[:ends]):
        weights[-1 - i] = expected[-1 - i] / math.sqrt(length) + polyval(1 / math.sqrt(n), correction)
        weights[i] = -weights[-1 - i]
    rest = length - 2 * float((expected[:ends] ** 2).sum())
    left = 1 - 2 * float((weights[:ends] ** 2).sum())
    weights[ends : n - ends] /= math.sqrt(rest / left)
    return weights
