"""The rows of a gate: candidate minus baseline per metric and slice, with interval and outcome."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from diveval.errors import need, warn
from diveval.results.scores import Scores
from diveval.stats.intervals import t_quantile
from diveval.stats.paired import Paired
from diveval.stats.power import fewest_topics
from diveval.stats.tests import alpha_of, holm
from diveval.stats.ties import without_noise

Outcome = Literal["pass", "fail", "unclear", "broken"]
ALL = "all"  # the slice of all topics
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class GateRow:
    """One metric on one slice: `difference` is candidate − baseline, negated where lower values are better."""

    metric: str
    slice: str
    baseline: float | None
    candidate: float | None
    difference: float | None
    low: float | None
    high: float | None
    margin: float
    outcome: Outcome
    topics_needed: int | None  # to decide an unclear row, if mean and variance stay as they are
    run: str
    topics: int
    required: float | None = None  # an improvement that this row must show
    trial_noise: float | None = None  # standard deviation of a trial's mean


@dataclass(frozen=True)
class _Case:
    metric: int
    slice: str
    used: NDArray[np.bool_]


def gate_rows(
    run: str,
    baseline: Scores,
    candidate: Scores,
    margins: Mapping[str, float],
    required: Mapping[str, float],
    slices: Mapping[str, frozenset[str]],
    confidence: float,
) -> list[GateRow]:
    """A row for each metric over all topics and over each slice. Several runs of a side are trials of one system."""
    alpha = alpha_of(confidence)
    cases = list(_cases(baseline, candidate, slices))
    sides = [scores.values.mean(axis=0) for scores in (baseline, candidate)]
    first, second = (np.array([side[c.metric] * candidate.signs[c.metric] for c in cases]) for side in sides)
    paired = Paired.of(second, first, np.array([c.used for c in cases]))
    n = paired.topics
    mean = np.where(n > 0, paired.differences.sum(axis=1) / np.maximum(n, 1), np.nan)
    shared = np.array(
        [sum(share_of_trials(s.values[:, c.metric][:, c.used]) for s in (baseline, candidate)) for c in cases]
    )
    deviation = without_noise(_deviations(paired), paired.noise)
    error = np.sqrt(deviation**2 / np.maximum(n, 1) + shared)
    floor = np.array([_floor(candidate.metrics[c.metric], c.slice, margins, required) for c in cases])
    worse = np.array([_p_worse(*values) for values in zip(mean - floor, error, n, paired.noise, strict=True)])
    adjusted = np.ones(len(cases))
    tested = np.flatnonzero(n > 1)
    adjusted[tested] = holm(worse[tested])
    half = t_quantile(confidence, n - 1) * error
    rows = []
    for i, case in enumerate(cases):
        metric = candidate.metrics[case.metric]
        known = n[i] > 1
        outcome: Outcome = "unclear"
        if known and mean[i] - half[i] >= floor[i] - paired.noise[i]:
            outcome = "pass"
        elif known and mean[i] < floor[i] and adjusted[i] < alpha:
            outcome = "fail"
        needed = None
        if known and outcome == "unclear":
            level = confidence if mean[i] >= floor[i] else 1 - alpha / len(cases)
            needed = count_needed(abs(mean[i] - floor[i]), float(deviation[i]), float(shared[i]), level)
        low, high = (float(mean[i] - half[i]), float(mean[i] + half[i])) if known else (None, None)
        values = [float(side[case.metric][case.used].mean()) if case.used.any() else None for side in sides]
        noise = (
            math.sqrt(float(np.var(candidate.values[:, case.metric][:, case.used].mean(axis=1), ddof=1)))
            if len(candidate.runs) > 1 and n[i]
            else None
        )
        if not known:
            warn(
                "too-few-topics",
                f"{metric}: {int(n[i])} topics of the slice {case.slice} count in both runs: no interval",
            )
        rows.append(
            GateRow(
                metric,
                case.slice,
                values[0],
                values[1],
                float(mean[i]) if n[i] else None,
                low,
                high,
                margins[metric],
                outcome,
                needed,
                run,
                int(n[i]),
                required.get(metric) if case.slice == ALL else None,
                noise,
            )
        )
    return rows


def _cases(baseline: Scores, candidate: Scores, slices: Mapping[str, frozenset[str]]) -> Iterator[_Case]:
    for m in range(len(candidate.metrics)):
        counted = np.logical_and.reduce(np.concatenate([baseline.counted[:, m], candidate.counted[:, m]]), axis=0)
        yield _Case(m, ALL, counted)
        for name, topics in slices.items():
            inside = np.array([topic in topics for topic in candidate.topics])
            yield _Case(m, name, counted & inside)


def _deviations(paired: Paired) -> Floats:
    """Standard deviations of the differences; 0 where a row has fewer than two topics."""
    rows = zip(paired.differences, paired.shared, strict=True)
    return np.array([float(d[u].std(ddof=1)) if np.count_nonzero(u) > 1 else 0.0 for d, u in rows])


def _floor(metric: str, slice: str, margins: Mapping[str, float], required: Mapping[str, float]) -> float:
    """The lowest difference that is good enough; improvements are required over all topics only."""
    return required[metric] if slice == ALL and metric in required else -margins[metric]


def _p_worse(above: float, error: float, n: int, noise: float) -> float:
    """Twice the one-sided p of the difference being at least the lowest one that is good enough."""
    if n < 2 or math.isnan(above):
        return 1.0
    if error <= noise:
        return 0.0 if above < -noise else 1.0
    return min(1.0, 2 * float(need("scipy.special", "meta").stdtr(n - 1, above / error)))


def share_of_trials(values: Floats) -> float:
    """The variance of the mean of R trials that whole trials share, beyond what topics' noise explains; trial × topic.

    Trials' means vary by what a trial shares and by MS(trial × topic)/topics, which the variance over topics includes.
    """
    trials, topics = values.shape
    if trials < 2 or topics < 2:
        return 0.0
    means = values.mean(axis=1)
    residuals = values - means[:, None] - values.mean(axis=0) + values.mean()
    explained = float((residuals**2).sum()) / ((trials - 1) * (topics - 1)) / topics
    shared: float = max(0.0, float(means.var(ddof=1)) - explained) / trials
    return shared


def count_needed(gap: float, deviation: float, shared: float, confidence: float) -> int | None:
    """The fewest topics whose half interval is no wider than the gap; None if no number is."""

    def enough(n: int) -> bool:
        half = float(t_quantile(confidence, n - 1)) * math.sqrt(deviation**2 / n + shared)
        return half <= gap

    return fewest_topics(enough) if gap > 0 and enough(10**9) else None
