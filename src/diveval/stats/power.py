"""Power of tests, and the smallest number of topics that reaches it or an interval's width; and the test of
Shapiro and Wilk by Royston's approximation, since loading `scipy.stats` takes longer than a comparison.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.polynomial.polynomial import polyval

from diveval.errors import UsageError, need
from diveval.stats.intervals import t_quantile
from diveval.stats.paired import Floats

MOST_TOPICS = 10**9  # a plan that needs more is refused


def t_power(difference: float, sd: float, topics: int, level: float) -> float:
    """The power of the two-sided paired t-test: P(|T| > t(1 − α/2)) for T noncentral, δ = √n · Δ/sd, n − 1 degrees."""
    if topics < 2:
        return 0.0
    return power_of_shift(math.sqrt(topics) * abs(difference) / sd if sd > 0 else math.inf, topics - 1, level)


def power_of_shift(shift: float, freedom: int, level: float) -> float:
    """P(|T| > t(1 − α/2)) for a noncentral T: `shift` is the difference in standard errors."""
    special = need("scipy.special", "meta")
    critical = float(special.stdtrit(freedom, 1 - level / 2))
    if math.isinf(shift):
        return 1.0
    above = 1.0 - float(special.nctdtr(freedom, shift, critical))
    below = float(special.nctdtr(freedom, shift, -critical))
    return min(1.0, above + (below if below > 0 else 0.0))


def anova_power(difference: float, sd: float, systems: int, topics: int, level: float) -> float:
    """The power of one-way ANOVA over m systems with n topics each, if best and worst differ by Δ.

    F is noncentral with n·Δ²/(2·sd²), m − 1 and m·(n − 1) degrees of freedom, the least favourable case for this Δ.
    T. Sakai. Topic Set Size Design. Information Retrieval Journal, 2016.
    """
    if topics < 2:
        return 0.0
    special = need("scipy.special", "meta")
    first, second = systems - 1, systems * (topics - 1)
    critical = special.fdtri(first, second, 1 - level)
    shift = topics * (difference / sd) ** 2 / 2 if sd > 0 else math.inf
    missed = 0.0 if shift > 1e5 else float(special.ncfdtr(first, second, shift, critical))
    return 1.0 if math.isnan(missed) else 1.0 - missed  # scipy has NaN where the critical value is far out in the tail


def interval_width(sd: float, topics: int, confidence: float) -> float:
    """The full width of Student's interval of a mean: 2 · t · sd/√n; infinite with fewer than two topics."""
    if topics < 2:
        return math.inf
    return 2 * float(t_quantile(confidence, topics - 1)) * sd / math.sqrt(topics)


def topics_for_width(width: float, sd: float, confidence: float) -> int | None:
    """The fewest topics whose interval is no wider than `width`; None if more than a billion."""
    return fewest_topics(lambda n: interval_width(sd, n, confidence) <= width * (1 + 1e-12))


def fewest_topics(enough: Callable[[int], bool], least: int = 2) -> int | None:
    """The smallest n ≥ `least` that is enough, where enough stays enough as n grows; None beyond a billion."""
    low, high = least - 1, least
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST_TOPICS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def smallest_difference(power_of: Callable[[float], float], power: float, scale: float) -> float:
    """The difference at which an increasing power reaches `power`, by bisection; `scale` is where to start."""
    low, high = 0.0, scale
    while power_of(high) < power:
        low, high = high, 2 * high
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if power_of(middle) < power else (low, middle)
    return high


def sd_interval(sd: float, freedom: int, confidence: float) -> tuple[float, float]:
    """The interval of a standard deviation with `freedom` degrees, from χ²."""
    if freedom < 1:
        raise UsageError("too-few-topics", "a standard deviation needs two topics or more")
    special, tail = need("scipy.special", "meta"), (1 - confidence) / 2
    # chdtri takes the upper tail.
    ends = (float(special.chdtri(freedom, tail)), float(special.chdtri(freedom, 1 - tail)))
    low, high = (sd * math.sqrt(freedom / end) for end in ends)
    return low, high


def residual_moments(first: np.ndarray, second: np.ndarray) -> float:
    """The (co)variance of two tables system × topic after removing the effects of systems and topics.

    The divisor is (systems − 1)(topics − 1); with two systems this is half of the (co)variance of their differences.
    """
    parts = [t - t.mean(axis=0) - t.mean(axis=1, keepdims=True) + t.mean() for t in (first, second)]
    systems, topics = first.shape
    return float((parts[0] * parts[1]).sum() / ((systems - 1) * (topics - 1)))


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
