"""Discriminative power: how many pairs of systems a metric distinguishes, and the difference required for that."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from diveval.errors import InputError, UsageError
from diveval.scores import Scores
from diveval.stats.paired import Floats, Paired, bootstrap_statistics, tukey_ranges, upper_tail
from diveval.stats.result_rows import Result, csv_text
from diveval.stats.ties import noise_of, require_finite, require_fraction, require_resamples, without_noise
from diveval.tables import deliver

Method = Literal["tukey", "bootstrap"]


@dataclass(frozen=True)
class DiscriminativeRow:
    """One metric: pairs with ASL < α, their share, and the difference of means that α requires."""

    metric: str
    pairs: int
    significant: int
    share: float
    required: float | None
    topics: int


@dataclass(frozen=True)
class Discriminative(Result):
    """Discriminative power of every metric; `asl[m][i]` is the achieved significance level of `pairs[i]`."""

    method: Method
    alpha: float
    resamples: int
    seed: int
    rows: tuple[DiscriminativeRow, ...]
    pairs: tuple[tuple[str, str], ...]
    asl: tuple[tuple[float, ...], ...]

    reference: ClassVar[str] = (
        "T. Sakai. Evaluating Evaluation Metrics Based on the Bootstrap. SIGIR 2006; B. Carterette. Multiple Testing "
        "in Statistical Analysis of Systems-Based Information Retrieval Experiments. TOIS 2012; T. Sakai. Evaluation "
        "with Informational and Navigational Intents. WWW 2012."
    )
    columns: ClassVar[tuple[str, ...]] = tuple(DiscriminativeRow.__dataclass_fields__)

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
        return deliver(csv_text(("metric", "place", "run", "other", "asl"), self.curve()), path)


def discriminative(
    scores: Scores, *, method: Method = "tukey", alpha: float = 0.05, resamples: int = 1000, seed: int = 0
) -> Discriminative:
    """Achieved significance levels (ASL) of all pairs of runs under every metric, and the required difference.

    `tukey`: Tukey's HSD by randomisation (Carterette 2012) over the topics that all runs count; the required difference
    is the range of means that a share α of the permutations exceeds. `bootstrap`: the paired test with a studentised
    statistic (Sakai 2006) over the topics both runs count; the required difference of a pair is |mean*| of the
    resample with the B·α-th largest |t*|, and that of the metric is the largest over its pairs. In both,
    ASL = (1 + resamples as extreme) / (1 + resamples), so it is never 0. All metrics use the same random draws, and the
    order of runs and topics does not matter.
    """
    require_fraction("alpha", alpha)
    if method not in ("tukey", "bootstrap"):
        raise UsageError(f"no method {method!r}; choose tukey or bootstrap")
    require_resamples("resamples", resamples, seed, topics=len(scores.topics))
    if len(scores.runs) < 2:
        raise UsageError(f"at least two runs are needed to compare them, got {len(scores.runs)}")
    require_finite(scores)
    table = scores.select(runs=sorted(scores.runs), topics=sorted(scores.topics))
    first, second = np.triu_indices(len(table.runs), 1)
    measure = _tukey if method == "tukey" else _bootstrap
    levels, required, topics = measure(table, first, second, alpha, resamples, seed)
    rows = [
        _row(metric, levels[m], alpha, float(required[m]), int(topics[m])) for m, metric in enumerate(table.metrics)
    ]
    pairs = tuple((table.runs[a], table.runs[b]) for a, b in zip(first, second, strict=True))
    asl = tuple(tuple(float(level) for level in line) for line in levels)
    return Discriminative(method, alpha, resamples, seed, tuple(rows), pairs, asl)


Indices = NDArray[np.intp]


def _tukey(
    table: Scores, first: Indices, second: Indices, alpha: float, resamples: int, seed: int
) -> tuple[Floats, Floats, Indices]:
    """ASL per metric and pair, required difference and topics per metric."""
    complete = np.logical_and.reduce(table.counted, axis=0)
    topics: Indices = np.count_nonzero(complete, axis=1)
    if topics.min() < 2:
        metric = table.metrics[int(topics.argmin())]
        raise InputError(f"{metric}: fewer than two topics that every run counts; leave out runs, or use bootstrap")
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


def _bootstrap(
    table: Scores, first: Indices, second: Indices, alpha: float, resamples: int, seed: int
) -> tuple[Floats, Floats, Indices]:
    """ASL per metric and pair, required difference and least number of shared topics per metric."""
    levels = np.empty((len(table.metrics), len(first)))
    required, topics = np.zeros(len(table.metrics)), np.zeros(len(table.metrics), dtype=np.intp)
    place = resamples - max(1, math.ceil(alpha * resamples - 1e-9))
    for m, metric in enumerate(table.metrics):
        values, counted = table.values[:, m], table.counted[:, m]
        paired = Paired.of(values[first], values[second], counted[first] & counted[second])
        topics[m] = paired.topics.min()
        if topics[m] < 2:
            i = int(paired.topics.argmin())
            pair = f"{table.runs[first[i]]} and {table.runs[second[i]]}"
            raise InputError(f"{metric}: {pair} share fewer than two topics; leave one of them out")
        observed, noise = paired.studentised, paired.studentised_noise
        for pairs, statistic, mean in bootstrap_statistics(paired, resamples, seed):
            levels[m, pairs], _ = upper_tail(statistic, observed[pairs], noise[pairs], alpha)
            # The resample with the Bα-th largest |t*| of each pair, and its difference of means.
            chosen = np.argpartition(statistic, place, axis=1)[:, place]
            required[m] = max(required[m], mean[np.arange(len(pairs)), chosen].max())
    return levels, required, topics


def _row(metric: str, levels: Floats, alpha: float, required: float, topics: int) -> DiscriminativeRow:
    significant = int(np.count_nonzero(levels < alpha))
    finite = required if math.isfinite(required) else None
    return DiscriminativeRow(metric, len(levels), significant, significant / len(levels), finite, topics)
