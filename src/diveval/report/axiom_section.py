"""Data for the section on axioms: the matrix of the chosen metrics, and the evidence for each of its cells.

Deciding takes seconds, so it runs in a process of its own while the report is computed. Cells that are not decided in
time are shown as open; `diveval axioms` can be given longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from diveval.axioms import AXIOMS
from diveval.axioms.presentation.data_verdicts import DataVerdict, answer_for_levels, levels_for
from diveval.axioms.proof.scheduler import Background, Cell, Scheduler
from diveval.axioms.proof.verdicts import Verdict
from diveval.errors import DivevalError, need
from diveval.metrics import Metric
from diveval.metrics.exact_forms import explain_inexact, split_exact
from diveval.scoring.study import Evaluation
from diveval.views.axiom_matrix import show_cell

READING = "charitable"  # what the paper means; `as-written` is what its formulas say
LIMITS = (2.0, 30.0)  # seconds of CPU time for a cell, and for one still open when all others are decided
WAIT_SECONDS = 3.0
LONGER = "diveval report --axiom-seconds 60"


class AxiomSection:
    """The section while its cells are decided: `finish` returns it, and leaving the `with` block ends the deciding."""

    def __init__(self, metrics: Sequence[Metric], reading: str = READING) -> None:
        self.reading = reading
        self.notes: list[str] = []
        self.decided: dict[
            tuple[str, str], tuple[Cell, Verdict]
        ] = {}  # by metric and axiom, when `finish` has returned
        listed = [metric for metric in metrics if metric.entry is not None]
        self._metrics, inexact = split_exact(listed)
        self._deciding: Background | None = None
        if len(listed) < len(metrics):
            self.notes.append("Metrics of your own are not among these; `diveval axioms` decides them.")
        if inexact:
            self.notes.append(f"{explain_inexact([metric.name for metric in inexact])}.")
        try:
            need("z3", "axioms")
        except DivevalError as error:
            self.notes.append(f"The axioms were not decided: {error}")
            return
        cells = [Cell.of(metric, axiom, reading) for metric in self._metrics for axiom in AXIOMS]
        self._cells = {(cell.subject.name, cell.axiom.name): cell for cell in cells}
        self._deciding = Background(cells, LIMITS)

    def __enter__(self) -> AxiomSection:
        return self

    def __exit__(self, *_: object) -> None:
        if self._deciding is not None:
            self._deciding.stop()

    def finish(self, *, seconds: float = WAIT_SECONDS) -> dict[str, Any]:
        """Wait at most that long for open cells, then stop; returns the matrix as plain data."""
        shape: dict[str, Any] = {"axioms": [], "rows": [], "reading": self.reading, "notes": self.notes}
        if self._deciding is None:
            return shape
        decided = self._deciding.finish(seconds)
        self.decided = {key: (self._cells[key], verdict) for key, verdict in decided.items()}
        found = {key: show_cell(verdict.as_dict()) for key, verdict in decided.items()}
        shape["axioms"] = [
            {name: getattr(a, name) for name in ("name", "title", "says", "why")} for a in AXIOMS.values()
        ]
        shape["rows"] = [
            {"metric": metric.name, "cells": [found.get((metric.name, axiom)) for axiom in AXIOMS]}
            for metric in self._metrics
        ]
        begun = [
            row["cells"] for row in shape["rows"] if any(row["cells"])
        ]  # the page names metrics without any verdict
        missing = sum(cell is None for cells in begun for cell in cells)
        if missing:
            self.notes.append(f"{missing} cells were not decided in time; {LONGER} gives them longer.")
        return {**shape, "longer": LONGER}

    def answer(self, study: Evaluation) -> dict[tuple[str, str], DataVerdict]:
        """What the decided cells say for the grades of a collection; nothing before `finish`."""
        levels = {metric.name: levels_for(study.judgments, metric, study.options) for metric in study.metrics}
        return answer_for_levels(self.decided, levels, Scheduler(tolerant=True))
