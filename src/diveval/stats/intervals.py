"""What every interval is made of (draws with replacement, percentiles, Student's t), and intervals of the runs' means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from diveval.argument_types import explain_types
from diveval.defaults import CONFIDENCE, RESAMPLES, SEED
from diveval.errors import UsageError, need
from diveval.results.protocol import Result
from diveval.results.scores import Scores
from diveval.stats.ties import noise_of, require_fraction, require_resamples, require_variances, without_noise

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


Method = Literal["t", "bootstrap"]


@dataclass(frozen=True)
class IntervalRow:
    """One run: its mean over the topics it counts, and the interval of that mean."""

    run: str
    mean: float | None
    low: float | None
    high: float | None
    topics: int
    note: str | None = None


@dataclass(frozen=True, repr=False)
class Intervals(Result):
    """The intervals of all runs for one metric, in the order of the runs."""

    metric: str
    method: Method
    confidence: float
    rows: tuple[IntervalRow, ...]

    reference: ClassVar[str] = (
        "Student. The Probable Error of a Mean. Biometrika, 1908; "
        "B. Efron, R. Tibshirani. An Introduction to the Bootstrap. 1993, chapter 13 (percentile interval)."
    )
    header: ClassVar[tuple[str, ...]] = tuple(IntervalRow.__dataclass_fields__)


@explain_types
def interval(
    scores: Scores,
    metric: str | None = None,
    *,
    confidence: float = CONFIDENCE,
    method: Method = "t",
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Intervals:
    """The confidence interval of each run's mean over its counted topics.

    `t`: mean ± t((1 + confidence)/2, n − 1) · s/√n. `bootstrap`: percentiles of the means of resampled topics (needs
    numpy only). Each interval is about one run: overlapping intervals do not mean that two runs do not differ, since
    they share topics; use `compare` for that.
    """
    require_fraction("confidence", confidence)
    if method not in ("t", "bootstrap"):
        raise UsageError("invalid-choice", f"no interval method {method!r}", hint="choose t or bootstrap")
    require_resamples("resamples", resamples, seed, topics=len(scores.topics))
    name = scores.metrics[scores.metric_index(metric)]
    table = scores.select(metrics=[name], topics=sorted(scores.topics))
    require_variances(table)
    rows = []
    for run, mean, values, counted in zip(table.runs, table.means, table.values, table.counted, strict=True):
        chosen = values[0, counted[0]]
        if len(chosen) < 2:
            value = float(mean[0]) if len(chosen) else None
            rows.append(IntervalRow(run, value, None, None, len(chosen), "fewer than two topics: no interval"))
            continue
        ends = _student(chosen, confidence) if method == "t" else _percentiles(chosen, confidence, resamples, seed)
        rows.append(IntervalRow(run, float(mean[0]), *ends, len(chosen)))
    return Intervals(name, method, confidence, tuple(rows))


def _student(values: Floats, confidence: float) -> tuple[float, float]:
    n, mean = len(values), values.mean()
    margin = t_quantile(confidence, n - 1) * without_noise(values.std(ddof=1), noise_of(values)) / np.sqrt(n)
    return float(mean - margin), float(mean + margin)


def _percentiles(values: Floats, confidence: float, resamples: int, seed: int) -> tuple[float, float]:
    low, high = percentiles(draw_with_replacement(len(values), resamples, seed) @ values / len(values), confidence)
    return float(low), float(high)
