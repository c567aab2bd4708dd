"""Robustness: what noisy or incomplete judgments do to a metric's scores and to the ranking of the systems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from diveval.errors import UsageError
from diveval.meta.correlation import Method, correlation
from diveval.meta.outputs import mean_ranks
from diveval.scores import Scores
from diveval.stats.results import Result


@dataclass(frozen=True)
class RobustnessRow:
    """One metric at one level of noise, over the repeats: rank correlation with the reference, change of the means."""

    metric: str
    level: float
    repeats: int
    value: float | None
    low: float | None
    high: float | None
    change: float
    absolute_change: float
    note: str | None = None


@dataclass(frozen=True)
class Robustness(Result):
    """Every metric at every level, levels ascending."""

    method: Method
    rows: tuple[RobustnessRow, ...]

    reference: ClassVar[str] = (
        "C. Buckley, E. M. Voorhees. Retrieval Evaluation with Incomplete Information. SIGIR 2004; "
        "E. M. Voorhees. Variations in Relevance Judgments and the Measurement of Retrieval Effectiveness. IPM 2000."
    )
    columns: ClassVar[tuple[str, ...]] = tuple(RobustnessRow.__dataclass_fields__)


def rescored(
    rescore: Callable[[int, float], Scores], *, levels: Sequence[float], seeds: Sequence[int] = range(10)
) -> Iterator[tuple[float, Scores]]:
    """Call `rescore(seed, level)` for every level and seed: what `robustness` takes."""
    for level in levels:
        for seed in seeds:
            yield level, rescore(seed, level)


def robustness(
    reference: Scores, perturbed: Iterable[tuple[float, Scores]], *, method: Method = "tau", p: float = 0.9
) -> Robustness:
    """Compare tables of scores under noise with the reference table, level by level.

    `perturbed` gives (level, scores) in any order, several per level for repeats; each must hold the runs and metrics
    of the reference. Per metric and level: the mean, least and greatest rank correlation with the reference ranking,
    the mean change of the runs' means, and the mean of its absolute value. τ-b does not exist where noise ties every
    run; such repeats are left out of the correlation, and the row says so.
    """
    compare = correlation(method, p=p)
    truth, means = mean_ranks(reference), reference.means
    values: dict[float, list[list[float | None]]] = {}
    changes: dict[float, list[NDArray[np.float64]]] = {}
    for level, scores in perturbed:
        same = _aligned(scores, reference)
        ranks = mean_ranks(same)
        values.setdefault(level, []).append([compare(x, y) for x, y in zip(truth, ranks, strict=True)])
        changes.setdefault(level, []).append(same.means - means)
    if not values:
        raise UsageError("robustness needs at least one table of perturbed scores")
    rows = [
        _row(metric, level, [repeat[m] for repeat in values[level]], np.array(changes[level])[:, :, m])
        for m, metric in enumerate(reference.metrics)
        for level in sorted(values)
    ]
    return Robustness(method, tuple(rows))


def _aligned(scores: Scores, reference: Scores) -> Scores:
    """The perturbed table in the order of the reference."""
    missing = (set(reference.runs) - set(scores.runs)) | (set(reference.metrics) - set(scores.metrics))
    if missing:
        raise UsageError(f"a perturbed table lacks {min(missing)!r}, which the reference has")
    return scores.select(runs=reference.runs, metrics=reference.metrics)


def _row(metric: str, level: float, values: list[float | None], change: NDArray[np.float64]) -> RobustnessRow:
    known = [value for value in values if value is not None]
    note = f"{len(values) - len(known)} of {len(values)} repeats tie every run" if len(known) < len(values) else None
    mean, low, high = (sum(known) / len(known), min(known), max(known)) if known else (None, None, None)
    return RobustnessRow(
        metric, level, len(values), mean, low, high, float(change.mean()), float(np.abs(change).mean()), note
    )
