"""Discriminative power: how many pairs of systems a metric distinguishes, and the difference required for that."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from diveval.argument_types import explain_types
from diveval.defaults import CORRECTION, LEVEL, QUICK_RESAMPLES, SEED, TEST
from diveval.errors import InputError, UsageError
from diveval.results.protocol import Result, deliver
from diveval.results.scores import Scores
from diveval.results.setup import Setup
from diveval.results.table_text import csv_text
from diveval.stats.paired import Floats, Paired, bootstrap_statistics, t_test, tukey_ranges, upper_tail
from diveval.stats.pairwise import DEFAULT, compare_pairs
from diveval.stats.tests import CORRECTIONS, LEVELS, TESTS, Significance
from diveval.stats.ties import noise_of, require_fraction, require_resamples, require_variances, without_noise

Method = Literal["t", "tukey", "bootstrap"]
CURVE = ("metric", "place", "run", "other", "asl")


@dataclass(frozen=True)
class DiscriminativeRow:
    """One metric: pairs with ASL < α, their share, and the difference of means that α requires."""

    metric: str
    pairs: int
    significant: int
    share: float
    required: float | None
    topics: int


@dataclass(frozen=True, repr=False)
class Discriminative(Result):
    """Discriminative power of every metric; `asl[m][i]` is the achieved significance level of `pairs[i]`.

    By `t` that is its p-value, adjusted by Holm's procedure over all pairs: the decisions are those of `compare`.
    """

    method: str
    alpha: float
    resamples: int
    seed: int
    rows: tuple[DiscriminativeRow, ...]
    pairs: tuple[tuple[str, str], ...]
    asl: tuple[tuple[float, ...], ...]
    directions: tuple[tuple[int, ...], ...] = ()  # by metric and pair, 1 where the first is higher, else −1, as tested

    reference: ClassVar[str] = (
        "T. Sakai. Evaluating Evaluation Metrics Based on the Bootstrap. SIGIR 2006; B. Carterette. Multiple Testing "
        "in Statistical Analysis of Systems-Based Information Retrieval Experiments. TOIS 2012; T. Sakai. Evaluation "
        "with Informational and Navigational Intents. WWW 2012."
    )
    header: ClassVar[tuple[str, ...]] = tuple(DiscriminativeRow.__dataclass_fields__)

    def curve(self) -> list[dict[str, Any]]:
        """The ASL curve: per metric, the pairs from the largest ASL to the smallest."""
        records = []
        for row, levels in zip(self.rows, self.asl, strict=True):
            for place, i in enumerate(sorted(range(len(levels)), key=lambda i: (-levels[i], self.pairs[i])), 1):
                run, other = self.pairs[i]
                records.append({"metric": row.metric, "place": place, "run": run, "other": other, "asl": levels[i]})
        return records

    def curve_to_csv(self, path: str | Path | None = None) -> str:
        """The ASL curve as CSV; also written to `path` if given."""
        return deliver(csv_text(CURVE, ([record[name] for name in CURVE] for record in self.curve())), path)


@explain_types
def discriminative(
    scores: Scores,
    *,
    method: Method = TEST,
    alpha: float = LEVEL,
    resamples: int = QUICK_RESAMPLES,
    seed: int = SEED,
) -> Discriminative:
    """Achieved significance levels (ASL) of all pairs of runs under every metric, and the required difference.

    `t`: the paired t-test over the topics both runs count, adjusted by Holm's procedure over all pairs, as in `compare`;
    the required difference is the largest that a pair needs at its own level. `tukey`: Tukey's HSD by randomisation (Carterette 2012) over the topics that all runs count; the required difference
    is the range of means that a share α of the permutations exceeds. `bootstrap`: the paired test with a studentised
    statistic (Sakai 2006) over the topics both runs count; the required difference of a pair is |mean*| of the
    resample with the B·α-th largest |t*|, and that of the metric is the largest over its pairs. In these two,
    ASL = (1 + resamples as extreme) / (1 + resamples), so it is never 0. All metrics use the same random draws, and the
    order of runs and topics does not matter.
    """
    require_fraction("alpha", alpha)
    if method not in MEASURES:
        raise UsageError("invalid-choice", f"no method {method!r}", hint=f"choose one of {', '.join(MEASURES)}")
    require_resamples("resamples", resamples, seed, topics=len(scores.topics))
    if len(scores.runs) < 2:
        raise UsageError("too-few-runs", f"at least two runs are needed to compare them, got {len(scores.runs)}")
    require_variances(scores)
    table = scores.select(runs=sorted(scores.runs), topics=sorted(scores.topics))
    first, second = np.triu_indices(len(table.runs), 1)
    levels, required, topics = MEASURES[method](table, first, second, alpha, resamples, seed)
    rows = [
        _row(metric, levels[m], alpha, float(required[m]), int(topics[m])) for m, metric in enumerate(table.metrics)
    ]
    pairs = tuple((table.runs[a], table.runs[b]) for a, b in zip(first, second, strict=True))
    asl = tuple(tuple(float(level) for level in line) for line in levels)
    setup = _setup(scores.setup, method, alpha, len(pairs), resamples, seed)
    return Discriminative(method, alpha, resamples, seed, tuple(rows), pairs, asl, setup=setup)


def decide_pairs(scores: Scores, how: Significance = DEFAULT) -> Discriminative:
    """Which pairs of runs differ under every metric, decided as `compare` does with the same test."""
    if how == DEFAULT:
        return discriminative(scores)
    if len(scores.runs) < 2:
        raise UsageError("too-few-runs", f"at least two runs are needed to compare them, got {len(scores.runs)}")
    require_variances(scores)
    first, second = np.triu_indices(len(scores.runs), 1)
    runs = sorted(scores.runs)
    pairs = tuple((runs[a], runs[b]) for a, b in zip(first, second, strict=True))
    rows, asl, directions = [], [], []
    for metric in scores.metrics:
        by_pair = {}
        for row in compare_pairs(scores.select(metrics=[metric]), how):
            if row.p_adjusted is None:
                raise _too_few(metric, row.run, row.other)
            by_pair[row.run, row.other] = row.p_adjusted, row.direction, row
            by_pair[row.other, row.run] = row.p_adjusted, -row.direction, row
        found = [by_pair[pair] for pair in pairs]
        asl.append(tuple(level for level, _, _ in found))
        directions.append(tuple(direction for _, direction, _ in found))
        topics = min(row.topics for _, _, row in found)
        rows.append(_row(metric, np.array(asl[-1]), how.alpha, math.nan, topics))
    setup = how.add_to(scores.setup, len(pairs))
    drawn = how.resamples, how.seed
    return Discriminative(how.test, how.alpha, *drawn, tuple(rows), pairs, tuple(asl), tuple(directions), setup=setup)


def _too_few(metric: str, run: str, other: str) -> InputError:
    text = f"{metric}: {run} and {other} share fewer than two topics"
    return InputError("too-few-topics", text, hint="leave one of them out, or use more topics")


def _setup(scored: Setup, method: Method, alpha: float, pairs: int, resamples: int, seed: int) -> Setup:
    """What was scored, and the test; Sakai's bootstrap corrects nothing."""
    draws = (resamples, seed) if TESTS[method].resampled else (None, None)
    correction = CORRECTION if method == TEST else "none"
    return replace(
        scored,
        test=method,
        correction=correction,
        confidence=1 - alpha,
        family=pairs,
        resamples=draws[0],
        seed=draws[1],
    )


Indices = NDArray[np.intp]


def _tukey(
    table: Scores, first: Indices, second: Indices, alpha: float, resamples: int, seed: int
) -> tuple[Floats, Floats, Indices]:
    """ASL per metric and pair, required difference and topics per metric."""
    complete = np.logical_and.reduce(table.counted, axis=0)
    topics: Indices = np.count_nonzero(complete, axis=1)
    if topics.min() < 2:
        metric = table.metrics[int(topics.argmin())]
        raise InputError(
            "too-few-topics",
            f"{metric}: fewer than two topics that every run counts",
            hint="leave out runs, or use bootstrap",
        )
    levels, required = np.empty((len(table.metrics), len(first))), np.empty(len(table.metrics))
    # Metrics that count the same topics share their permutations in one pass.
    patterns, which = np.unique(complete, axis=0, return_inverse=True)
    for k, pattern in enumerate(patterns):
        members = np.flatnonzero(which.ravel() == k)
        tables = table.values[:, members][:, :, pattern].transpose(1, 0, 2)
        ranges = tukey_ranges(tables, resamples, seed)
        means = tables.mean(axis=2)
        for i, m in enumerate(members):
            noise = noise_of(tables[i])
            difference = without_noise(np.abs(means[i, first] - means[i, second]), noise)
            levels[m], critical = upper_tail(ranges[i : i + 1], difference, noise, alpha)
            required[m] = critical[0]
    return levels, required, topics


def _student(
    table: Scores, first: Indices, second: Indices, alpha: float, resamples: int, seed: int
) -> tuple[Floats, Floats, Indices]:
    """Adjusted p per metric and pair, required difference and least number of shared topics per metric."""
    levels = np.empty((len(table.metrics), len(first)))
    required, topics = np.zeros(len(table.metrics)), np.zeros(len(table.metrics), dtype=np.intp)
    for m in range(len(table.metrics)):
        paired = _pair_up(table, m, first, second)
        p = t_test(paired, np.full(len(first), alpha)).p
        decided = t_test(paired, LEVELS[CORRECTION](p, alpha))
        levels[m], topics[m] = CORRECTIONS[CORRECTION](p), paired.topics.min()
        required[m] = (decided.high - decided.estimate).max()
    return levels, required, topics


def _pair_up(table: Scores, m: int, first: Indices, second: Indices) -> Paired:
    """The differences of all pairs by one metric; a pair with fewer than two shared topics is an error."""
    values, counted = table.values[:, m], table.counted[:, m]
    paired = Paired.of(values[first], values[second], counted[first] & counted[second])
    if paired.topics.min() < 2:
        i = int(paired.topics.argmin())
        raise _too_few(table.metrics[m], table.runs[first[i]], table.runs[second[i]])
    return paired


def _bootstrap(
    table: Scores, first: Indices, second: Indices, alpha: float, resamples: int, seed: int
) -> tuple[Floats, Floats, Indices]:
    """ASL per metric and pair, required difference and least number of shared topics per metric."""
    levels = np.empty((len(table.metrics), len(first)))
    required, topics = np.zeros(len(table.metrics)), np.zeros(len(table.metrics), dtype=np.intp)
    place = resamples - max(1, math.ceil(alpha * resamples - 1e-9))
    for m in range(len(table.metrics)):
        paired = _pair_up(table, m, first, second)
        topics[m] = paired.topics.min()
        observed, noise = paired.studentised, paired.studentised_noise
        for pairs, statistic, mean in bootstrap_statistics(paired, resamples, seed):
            levels[m, pairs], _ = upper_tail(statistic, observed[pairs], noise[pairs], alpha)
            # The resample with the Bα-th largest |t*| of each pair, and its difference of means.
            chosen = np.argpartition(statistic, place, axis=1)[:, place]
            required[m] = max(required[m], mean[np.arange(len(pairs)), chosen].max())
    return levels, required, topics


MEASURES: dict[Method, Callable[..., tuple[Floats, Floats, Indices]]] = {
    "t": _student,
    "tukey": _tukey,
    "bootstrap": _bootstrap,
}


def _row(metric: str, levels: Floats, alpha: float, required: float, topics: int) -> DiscriminativeRow:
    significant = int(np.count_nonzero(levels < alpha))
    finite = required if math.isfinite(required) else None
    return DiscriminativeRow(metric, len(levels), significant, significant / len(levels), finite, topics)
