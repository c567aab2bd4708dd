"""Data for the section on metrics (agreement, unanimity, discriminative power) and the one on RBU's parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from diveval.meta import (
    Agreement,
    Discriminative,
    Sensitivity,
    Unanimity,
    agreement,
    discriminative,
    sensitivity,
    unanimity,
)
from diveval.metrics import Metric
from diveval.report.leaderboard import plain
from diveval.report.study import Study, attempt
from diveval.scoring import score

RESAMPLES = 1000
PATIENCE = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)
EFFORT = (0.0, 0.001, 0.01, 0.05, 0.1, 0.5)


@dataclass(frozen=True)
class Judged:
    """What the metrics' own measures say; None where the data cannot carry it, and the notes say why."""

    agreement: Agreement | None
    unanimity: Unanimity | None
    power: Discriminative | None
    notes: tuple[str, ...]

    @classmethod
    def of(cls, study: Study) -> Judged:
        scores = study.testable()
        alike, first = attempt(lambda: agreement(scores))
        agreed, second = attempt(lambda: unanimity(scores, bootstrap=RESAMPLES))
        power, third = attempt(lambda: discriminative(scores, resamples=RESAMPLES))
        lost = len(study.scores.metrics) - len(scores.metrics)
        notes = [f"{lost} metrics are left out here: undefined on a topic by their tool's own rule"] if lost else []
        return cls(alike, agreed, power, tuple(dict.fromkeys([*notes, *first, *second, *third])))

    def tables(self) -> dict[str, Any]:
        """The paper's table of unanimity, and the table of discriminative power."""
        groups = [] if self.unanimity is None else self.unanimity.grouped(best=False)
        rows = [] if self.power is None else sorted(self.power.rows, key=lambda row: (-row.share, row.metric))
        return {
            "unanimity": [{"label": g.label, "mu": g.mu, "low": g.low, "high": g.high} for g in groups],
            "pairs": 0 if self.unanimity is None else self.unanimity.rows[0].pairs,
            "power": [
                {"metric": row.metric, "significant": row.significant, "pairs": row.pairs, "required": row.required}
                for row in rows
            ],
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class Parameters:
    """RBU over p × e: the mean of every run in every cell, and how the ranking of the runs moves."""

    p: tuple[float, ...]
    e: tuple[float, ...]
    means: list[list[list[float | None]]]  # run × p × e
    reference: str
    sensitivity: Sensitivity | None
    notes: tuple[str, ...]

    @classmethod
    def of(cls, study: Study) -> Parameters:
        chosen = study.explained
        p = tuple(sorted({*PATIENCE, float(chosen.values["p"])}))
        e = tuple(sorted({*EFFORT, float(chosen.values["e"])}))
        variants = [_variant(chosen, {"p": x, "e": y}) for x in p for y in e]
        scores = score(study.judgments, study.rankings, variants, study.options)
        moved, notes = attempt(lambda: sensitivity(scores, reference=chosen.name))
        table = scores.means.reshape(len(scores.runs), len(p), len(e))
        means = [[[plain(v, 6) for v in row] for row in grid] for grid in table]
        return cls(p, e, means, chosen.name, moved, tuple(notes))

    def table(self) -> dict[str, Any]:
        """As plain data."""
        rows = () if self.sensitivity is None else self.sensitivity.rows
        cells = [[float(row.parameters["p"]), float(row.parameters["e"]), row.value, row.leader] for row in rows]
        return {
            "p": list(self.p), "e": list(self.e), "means": self.means, "reference": self.reference,
            "cells": cells, "notes": list(self.notes),
        }  # fmt: skip


def _variant(metric: Metric, values: dict[str, float]) -> Metric:
    assert metric.entry is not None  # `explained` is of the catalogue
    return metric.entry.metric({**metric.values, **values}, metric.cutoff)
