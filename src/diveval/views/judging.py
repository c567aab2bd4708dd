"""Data for the view on metrics: do they agree, does each agree where all others agree, what can each tell apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from diveval.errors import count_of
from diveval.meta import Agreement, Discriminative, Unanimity, agreement, discriminative, unanimity
from diveval.meta.unanimity import UnanimityGroup
from diveval.scores import Scores
from diveval.views.study import attempt, testable

RESAMPLES = 1000
NEAR = 3.0  # the curve of significance levels is shown up to so many times alpha


def no_step(done: int, total: int, what: str) -> None:
    """For work that nobody watches."""


@dataclass(frozen=True)
class MetricQuality:
    """The metrics' own measures; None where the data cannot carry one, and the notes say why."""

    agreement: Agreement | None
    unanimity: Unanimity | None
    power: Discriminative | None
    notes: tuple[str, ...]

    @classmethod
    def of(cls, scores: Scores, step: Callable[[int, int, str], None] = no_step) -> MetricQuality:
        """Compute all three; `step` hears how far it is, and may end it by raising."""
        finite = testable(scores)
        step(0, 3, "agreement")
        alike, first = attempt(lambda: agreement(finite))
        step(1, 3, "unanimity")
        agreed, second = attempt(lambda: unanimity(finite, bootstrap=RESAMPLES))
        step(2, 3, "comparing every pair of systems")
        power, third = attempt(lambda: discriminative(finite, resamples=RESAMPLES))
        lost = len(scores.metrics) - len(finite.metrics)
        notes = (
            [
                f"{count_of(lost, 'metric is', 'metrics are')} left out here: undefined on a topic by their tool's own rule"
            ]
            if lost
            else []
        )
        return cls(alike, agreed, power, tuple(dict.fromkeys([*notes, *first, *second, *third])))

    def tables(self) -> dict[str, Any]:
        """As plain data."""
        alike, agreed, power = self.agreement, self.unanimity, self.power
        groups = [] if agreed is None else agreed.grouped(best=False)
        return {
            "agreement": None
            if alike is None
            else {
                "metrics": list(alike.metrics),
                "matrix": [list(row) for row in alike.matrix],
                "order": list(alike.order),
            },
            "unanimity": [{"label": _named(g), "mu": g.mu, "low": g.low, "high": g.high} for g in groups],
            "power": None if power is None else _power(power),
            "notes": list(self.notes),
        }


def _named(group: UnanimityGroup) -> str:
    """One metric under its own name, as everywhere on the page; several under what they share."""
    return group.metrics[0] if len(group.metrics) == 1 else group.label


def _power(power: Discriminative) -> dict[str, Any]:
    """Per metric how many pairs differ, and the end of its curve: levels from the largest shown down."""
    rows: list[dict[str, Any]] = []
    for row, levels in zip(power.rows, power.asl, strict=True):
        near = sorted((level for level in levels if level <= NEAR * power.alpha), reverse=True)
        rows.append(
            {
                "metric": row.metric,
                "significant": row.significant,
                "pairs": row.pairs,
                "required": row.required,
                "levels": [round(level, 4) for level in near],
            }
        )
    rows.sort(key=lambda row: (-row["significant"], row["metric"]))
    return {"alpha": power.alpha, "resamples": power.resamples, "near": NEAR, "rows": rows}
