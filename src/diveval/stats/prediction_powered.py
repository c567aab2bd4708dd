"""Prediction-powered estimates of means: few topics labelled by people, many by a model (PPI++).

A. N. Angelopoulos, J. C. Duchi, T. Zrnic. PPI++: Efficient Prediction-Powered Inference. 2023.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from diveval.errors import need
from diveval.stats.ties import noise_of, without_noise

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Estimates:
    """Means with their intervals, one per row; both ends are NaN where there are fewer than two topics."""

    mean: Floats
    low: Floats
    high: Floats
    error: Floats  # the standard error
    people: NDArray[np.intp]  # topics with people's labels that were used
    model: NDArray[np.intp]  # topics with the model's labels that were used
    tuning: Floats  # λ; NaN where the estimator has none

    def p(self) -> Floats:
        """The two-sided p-value of the mean being 0, by Student's t with people − 1 degrees of freedom."""
        return two_sided_p(self.mean, self.error, np.maximum(self.people, self.model * (self.people == 0)) - 1)


@dataclass(frozen=True)
class Moments:
    """What the formulas need of scores y by people and f by the model: means, variances and covariance by row.

    n topics have both labels (`both`), N the model's only (`rest`).
    """

    n: NDArray[np.intp]
    rest: NDArray[np.intp]  # N
    mean_y: Floats
    mean_f: Floats  # over the n topics
    mean_rest: Floats  # of f over the N topics
    mean_all: Floats  # of f over all n + N
    var_y: Floats  # divisors n − 1 and N − 1
    var_f: Floats
    var_rest: Floats
    var_all: Floats
    covariance: Floats  # divisor n − 1
    noise: Floats  # deviations up to this are rounding

    @classmethod
    def of(cls, y: Floats, f: Floats, both: Bools, rest: Bools) -> Moments:
        """From two row × topic tables; values outside the masks are ignored."""
        noise = noise_of(np.where(both, np.abs(y), 0.0) + np.where(both | rest, np.abs(f), 0.0), axis=1)
        n, count = np.count_nonzero(both, axis=1), np.count_nonzero(rest, axis=1)
        mean_y, centred_y = _centre(y, both)
        mean_f, centred_f = _centre(f, both)
        mean_rest, centred_rest = _centre(f, rest)
        mean_all, centred_all = _centre(f, both | rest)
        of_y, of_f, of_rest, of_all = (
            _variance(centred, size, noise)
            for centred, size in ((centred_y, n), (centred_f, n), (centred_rest, count), (centred_all, n + count))
        )
        covariance = (centred_y * centred_f).sum(axis=1) / np.maximum(n - 1, 1)
        return cls(n, count, mean_y, mean_f, mean_rest, mean_all, of_y, of_f, of_rest, of_all, covariance, noise)

    def tuning(self) -> Floats:
        """λ* = cov over n (y, f) / ((1 + n/N) · var over all of f), clipped to [0, 1]; 0 where N < 2 or f is constant.

        The covariance has the divisor n and the variance n + N − 1, as in ppi-python.
        """
        usable = (self.rest > 1) & (self.var_all > 0) & (self.n > 1)
        ratio = 1.0 + self.n / np.maximum(self.rest, 1)
        below = np.where(usable, ratio * self.var_all, 1.0)
        optimal = self.covariance * (self.n - 1) / np.maximum(self.n, 1) / below
        return np.where(usable, np.clip(optimal, 0.0, 1.0), 0.0)

    def error(self, tuning: Floats) -> Floats:
        """The standard error of θ(λ): √(λ² · var of f / N + var of (y − λf) / n)."""
        corrected = self.var_y - 2 * tuning * self.covariance + tuning**2 * self.var_f
        squares = tuning**2 * self.var_rest / np.maximum(self.rest, 1) + np.maximum(corrected, 0.0) / np.maximum(
            self.n, 1
        )
        return without_noise(np.sqrt(squares), self.noise)

    def estimate(self, tuning: Floats) -> Floats:
        """θ(λ) = λ · mean over N of f + mean over n of (y − λf)."""
        return self.mean_y + tuning * np.where(self.rest > 0, self.mean_rest - self.mean_f, 0.0)


def estimate_people(moments: Moments, confidence: float) -> Estimates:
    """The mean over the n topics that people labelled, with Student's interval."""
    none = np.zeros_like(moments.rest)
    error = moments.error(np.zeros(len(none)))
    return _estimates(moments.mean_y, error, moments.n, none, np.full(len(none), np.nan), moments.n, confidence)


def estimate_model(moments: Moments, confidence: float) -> Estimates:
    """The mean of the model's scores over all topics, with Student's interval, which ignores the model's errors."""
    count = moments.n + moments.rest
    error = np.sqrt(moments.var_all / np.maximum(count, 1))
    none = np.zeros_like(count)
    return _estimates(moments.mean_all, error, none, count, np.full(len(none), np.nan), count, confidence)


def estimate_both(moments: Moments, confidence: float, tuning: Floats | None = None) -> Estimates:
    """θ(λ) ± t(n − 1) · se(λ), by default with λ*."""
    chosen = moments.tuning() if tuning is None else tuning
    count = moments.n + moments.rest
    return _estimates(moments.estimate(chosen), moments.error(chosen), moments.n, count, chosen, moments.n, confidence)


def _estimates(
    mean: Floats,
    error: Floats,
    people: NDArray[np.intp],
    model: NDArray[np.intp],
    tuning: Floats,
    size: NDArray[np.intp],
    confidence: float,
) -> Estimates:
    margin = np.where(size > 1, t_quantile(confidence, size - 1) * error, np.nan)
    known = np.where(size > 0, mean, np.nan)
    return Estimates(known, known - margin, known + margin, error, people, model, tuning)


def t_quantile(confidence: float, freedom: NDArray[np.intp]) -> Floats:
    """Student's t at (1 + confidence)/2."""
    quantile: Floats = need("scipy.special", "meta").stdtrit(np.maximum(freedom, 1), (1 + confidence) / 2)
    return quantile


def two_sided_p(mean: Floats, error: Floats, freedom: NDArray[np.intp]) -> Floats:
    """Student's two-sided p of a mean being 0; 1 for a mean of 0 without error, NaN without degrees of freedom."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(mean == 0, 0.0, np.abs(mean) / error)
    p: Floats = 2 * need("scipy.special", "meta").stdtr(np.maximum(freedom, 1), -t)
    return np.where(freedom > 0, p, np.nan)


def _centre(values: Floats, chosen: Bools) -> tuple[Floats, Floats]:
    """The mean of each row's chosen values, and their deviations from it, 0 elsewhere."""
    kept = np.where(chosen, values, 0.0)
    mean = kept.sum(axis=1) / np.maximum(np.count_nonzero(chosen, axis=1), 1)
    return mean, np.where(chosen, kept - mean[:, None], 0.0)


def _variance(centred: Floats, size: NDArray[np.intp], noise: Floats) -> Floats:
    spread = without_noise(np.sqrt((centred**2).sum(axis=1) / np.maximum(size - 1, 1)), noise)
    squares: Floats = spread**2
    return squares
