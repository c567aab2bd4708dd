"""Power of tests, and the smallest number of topics that reaches it or an interval's width."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from diveval.errors import UsageError, need
from diveval.stats.sampling import t_quantile

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
