"""Sensitivity to parameters: how much of the system ranking survives when a metric's parameters change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from diveval.meta.correlation import Method, correlation
from diveval.meta.outputs import mean_ranks
from diveval.meta.variants import Variant
from diveval.scores import Scores
from diveval.stats.results import Result


@dataclass(frozen=True)
class SensitivityRow:
    """One variant: its rank correlation with the reference variant, and the run it places first."""

    metric: str
    parameters: dict[str, str]
    value: float | None
    leader: str


@dataclass(frozen=True)
class RankRange:
    """One run: its rank under the reference, and its best and worst rank over all variants (1 is best)."""

    run: str
    rank: int
    best: int
    worst: int


@dataclass(frozen=True)
class Sensitivity(Result):
    """Every variant against the reference variant, and the range of ranks of every run."""

    variant: str
    method: Method
    rows: tuple[SensitivityRow, ...]
    ranges: tuple[RankRange, ...]

    reference: ClassVar[str] = (
        "E. M. Voorhees. Variations in Relevance Judgments and the Measurement of Retrieval Effectiveness. IPM 2000 "
        "(rank correlation as stability)."
    )
    columns: ClassVar[tuple[str, ...]] = ("metric", "parameters", "value", "leader")

    def records(self) -> list[dict[str, Any]]:
        """One record per variant, parameters as text."""
        return [
            {**vars(row), "parameters": " ".join(f"{name}={value}" for name, value in row.parameters.items())}
            for row in self.rows
        ]


def sensitivity(scores: Scores, *, reference: str, method: Method = "tau", p: float = 0.9) -> Sensitivity:
    """How stable the ranking of the runs (by mean) is over a grid of variants, one metric of the table per cell.

    For each variant, the rank correlation with the `reference` variant (for τ_AP the reference is the truth); for each
    run, the best and worst rank any variant gives it. Tied runs share the better rank.
    """
    compare = correlation(method, p=p)
    chosen = scores.metric_index(reference)
    ranks = mean_ranks(scores)
    places = 1 + (ranks[:, None, :] > ranks[:, :, None]).sum(axis=2)
    rows = tuple(
        SensitivityRow(
            metric,
            dict(Variant.of(metric).parameters),
            compare(ranks[chosen], ranks[m]),
            min(run for run, place in zip(scores.runs, places[m], strict=True) if place == 1),
        )
        for m, metric in enumerate(scores.metrics)
    )
    ranges = [
        RankRange(run, int(places[chosen, r]), int(places[:, r].min()), int(places[:, r].max()))
        for r, run in enumerate(scores.runs)
    ]
    return Sensitivity(scores.metrics[chosen], method, rows, tuple(sorted(ranges, key=lambda row: (row.rank, row.run))))
