"""Prediction-powered estimates of means: few topics labelled by people, many by a model (PPI++).

A. N. Angelopoulos, J. C. Duchi, T. Zrnic. PPI++: Efficient Prediction-Powered Inference. 2023.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from diveval.stats.intervals import draw_with_replacement, t_quantile, two_sided_p
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
    resampled_p: Floats | None = None  # of a bootstrap

    def p(self) -> Floats:
        """The two-sided p-value of the mean being 0, by Student's t with people − 1 degrees of freedom."""
        if self.resampled_p is not None:
            return self.resampled_p
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


def studentise(
    y: Floats,
    f: Floats,
    both: Bools,
    rest: Bools,
    estimates: Estimates,
    *,
    use_model: bool,
    confidence: float,
    drawn: tuple[int, int],
) -> Estimates:
    """The same estimates with symmetric bootstrap-t intervals: θ ± q · se, q the quantile of |θ* − θ| / se*.

    The topics of both kinds are resampled separately, and λ is chosen anew in each resample, so that q includes what the
    choice of λ adds. `drawn`: resamples and seed. p is the share of resamples at least as extreme as the estimate.
    """
    resamples, seed = drawn
    rng = np.random.default_rng(seed)
    weights = [_draw_topics(rng, np.logical_or.reduce(mask), resamples) for mask in (both, rest)]
    margin, p = np.full(len(y), np.nan), np.full(len(y), np.nan)
    step = max(1, AT_ONCE // resamples)
    for start in range(0, len(y), step):
        part = slice(start, start + step)
        shifted = estimates.mean[part]
        error = estimates.error[part]
        t = _resample_t(y[part], f[part], both[part], rest[part], weights, shifted, use_model=use_model)
        with np.errstate(divide="ignore", invalid="ignore"):
            observed = np.where(shifted == 0, 0.0, np.abs(shifted) / error)
        quantile = np.sort(t, axis=1)[:, min(int(np.ceil(confidence * (resamples + 1))) - 1, resamples - 1)]
        known = estimates.people[part] > 1
        margin[part] = np.where(known, np.where(error > 0, quantile * error, 0.0), np.nan)
        extreme = (1 + np.count_nonzero(t >= observed[:, None] * (1 - 1e-12), axis=1)) / (1 + resamples)
        p[part] = np.where(known, extreme, np.nan)
    mean = estimates.mean
    return replace(estimates, low=mean - margin, high=mean + margin, resampled_p=p)


AT_ONCE = 1 << 19  # cells of row × resample in memory


def _draw_topics(rng: np.random.Generator, used: Bools, resamples: int) -> Floats:
    """How often each topic is drawn, topic × resample; only topics that some row uses."""
    size = int(np.count_nonzero(used))
    out = np.zeros((len(used), resamples))
    if size:
        out[used] = draw_with_replacement(size, resamples, rng).T
    return out


def _resample_t(
    y: Floats, f: Floats, both: Bools, rest: Bools, weights: list[Floats], centre: Floats, *, use_model: bool
) -> Floats:
    """|θ* − θ| / se* of every row and resample; values are centred first, so that sums of squares keep their digits."""
    some, others = both.astype(np.float64), rest.astype(np.float64)
    a = np.where(both, y - (y * some).sum(axis=1, keepdims=True) / np.maximum(some.sum(axis=1, keepdims=True), 1), 0.0)
    every = some + others
    middle = (np.where(both | rest, f, 0.0)).sum(axis=1, keepdims=True) / np.maximum(
        every.sum(axis=1, keepdims=True), 1
    )
    b, c = np.where(both, f - middle, 0.0), np.where(rest, f - middle, 0.0)
    n, m = some @ weights[0], others @ weights[1]
    safe, safe_m = np.maximum(n, 1), np.maximum(m, 1)
    mean_a, mean_b, mean_c = a @ weights[0] / safe, b @ weights[0] / safe, c @ weights[1] / safe_m
    below, below_m = np.maximum(n - 1, 1), np.maximum(m - 1, 1)
    var_a = np.maximum(a**2 @ weights[0] - n * mean_a**2, 0.0) / below
    var_b = np.maximum(b**2 @ weights[0] - n * mean_b**2, 0.0) / below
    var_c = np.maximum(c**2 @ weights[1] - m * mean_c**2, 0.0) / below_m
    cov = ((a * b) @ weights[0] - n * mean_a * mean_b) / below
    tuning = np.zeros_like(n)
    if use_model:
        total = np.maximum(n + m, 1)
        mean_all = (n * mean_b + m * mean_c) / total
        square = b**2 @ weights[0] + c**2 @ weights[1]
        var_all = np.maximum(square - total * mean_all**2, 0.0) / np.maximum(total - 1, 1)
        usable = (m > 1) & (n > 1) & (var_all > 0)
        ratio = np.where(usable, (1 + n / safe_m) * var_all, 1.0)
        tuning = np.where(usable, np.clip(cov * (n - 1) / safe / ratio, 0.0, 1.0), 0.0)
    squares = tuning**2 * var_c / safe_m + np.maximum(var_a - 2 * tuning * cov + tuning**2 * var_b, 0.0) / safe
    # θ in the same centred numbers: that of the whole sample is its own λ's, so the shift is measured from `centre`.
    mean_y = (y * some).sum(axis=1) / np.maximum(some.sum(axis=1), 1)
    shift = mean_a + tuning * np.where(m > 0, mean_c - mean_b, 0.0) + (mean_y - centre)[:, None]
    scale = (
        np.abs(np.where(both, y, 0.0)).max(axis=1, initial=0.0)[:, None]
        + np.abs(f * every).max(axis=1, initial=0.0)[:, None]
    )
    error = np.sqrt(squares)
    error = np.where(error <= 1e-9 * scale, 0.0, error)
    shift = np.where(np.abs(shift) <= 1e-9 * scale, 0.0, shift)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(shift == 0, 0.0, np.abs(shift) / error)


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


def _centre(values: Floats, chosen: Bools) -> tuple[Floats, Floats]:
    """The mean of each row's chosen values, and their deviations from it, 0 elsewhere."""
    kept = np.where(chosen, values, 0.0)
    mean = kept.sum(axis=1) / np.maximum(np.count_nonzero(chosen, axis=1), 1)
    return mean, np.where(chosen, kept - mean[:, None], 0.0)


def _variance(centred: Floats, size: NDArray[np.intp], noise: Floats) -> Floats:
    spread = without_noise(np.sqrt((centred**2).sum(axis=1) / np.maximum(size - 1, 1)), noise)
    squares: Floats = spread**2
    return squares
