"""What every interval is made of: draws with replacement, percentiles of what they give, and Student's t."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from diveval.errors import need

Floats = NDArray[np.float64]


def draw_with_replacement(count: int, resamples: int, seed: int | np.random.Generator) -> Floats:
    """How often each of `count` topics (or runs, or judges) is drawn, resample × topic."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(count, np.full(count, 1 / count), size=resamples).astype(np.float64)


def percentiles(values: NDArray[np.float64], confidence: float) -> Floats:
    """Both ends of the percentile interval, of each column where there are several."""
    ends: Floats = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    return ends


def percentiles_if_most(values: NDArray[np.float64], confidence: float) -> tuple[float | None, float | None]:
    """The percentile interval of the values that are defined; None where half of them or more are not."""
    known = values[~np.isnan(values)]
    if len(known) <= len(values) / 2:
        return None, None
    low, high = percentiles(known, confidence)
    return float(low), float(high)


def t_quantile(confidence: float, freedom: NDArray[np.intp] | int) -> Floats:
    """Student's t at (1 + confidence)/2, with one degree of freedom or more."""
    quantile: Floats = need("scipy.special", "meta").stdtrit(np.maximum(freedom, 1), (1 + confidence) / 2)
    return quantile


def two_sided_p(mean: Floats, error: Floats, freedom: NDArray[np.intp]) -> Floats:
    """Student's two-sided p of a mean being 0; 1 for a mean of 0 without error, NaN without degrees of freedom."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(mean == 0, 0.0, np.abs(mean) / error)
    p: Floats = 2 * need("scipy.special", "meta").stdtr(np.maximum(freedom, 1), -t)
    return np.where(freedom > 0, p, np.nan)
