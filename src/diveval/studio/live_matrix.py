"""The matrix of constraints, live: each verdict with its evidence, each counterexample as a situation to play with."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from diveval.errors import DivevalError, need
from diveval.metrics import Metric
from diveval.studio.limits import Limits
from diveval.studio.presets import Preset, SituationShape
from diveval.studio.work import Step
from diveval.views.verdicts import shown_cell

READINGS = ("charitable", "as-written")
SECONDS = 10.0  # for one cell
REMEMBERED = 2000  # cells; a slider makes new metrics without end
Rows = Sequence[Sequence[Fraction]]


class LiveMatrix:
    """Verdicts found so far. One cell at a time: the solver's world is not made for several threads."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._kept: OrderedDict[tuple[str, str, str], dict[str, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, metrics: Sequence[Metric], reading: str, step: Step) -> dict[str, Any]:
        """Every metric against every constraint, in the order of the paper."""
        need("z3", "axioms")
        from diveval.axioms import AXIOMS

        pairs = [(metric, axiom) for metric in metrics for axiom in AXIOMS]
        cells = []
        for done, (metric, axiom) in enumerate(pairs):
            step(done, len(pairs), f"{metric.name}: {axiom}")
            cells.append(self._cell(metric, axiom, reading))
        rows = [
            {"metric": metric.name, "cells": cells[m * len(AXIOMS) : (m + 1) * len(AXIOMS)]}
            for m, metric in enumerate(metrics)
        ]
        return {
            "reading": reading,
            "rows": rows,
            "notes": [],
            "axioms": [
                {name: getattr(axiom, name) for name in ("name", "title", "says", "why", "diversity")}
                for axiom in AXIOMS.values()
            ],
        }

    def _cell(self, metric: Metric, axiom: str, reading: str) -> dict[str, Any]:
        key = (metric.name, axiom, reading)
        with self._lock:
            cell = self._kept.pop(key, None) or self._decide(metric, axiom, reading)
            self._kept[key] = cell  # the last one used is the last to be forgotten
            while len(self._kept) > REMEMBERED:
                self._kept.popitem(last=False)
            return cell

    def _decide(self, metric: Metric, axiom: str, reading: str) -> dict[str, Any]:
        from diveval.axioms import Verdict
        from diveval.axioms.proof.scheduler import Cell, answer

        try:
            verdict = answer(Cell.of(metric, axiom, reading, time_limit=SECONDS))
        except DivevalError as error:
            verdict = Verdict(metric.name, axiom, reading, "unknown", note=str(error))
        return {**shown_cell(verdict.as_dict()), "situation": self._situation(verdict)}

    def _situation(self, verdict: Any) -> SituationShape | None:
        """A counterexample as the playground takes it: from worse to better, which the metric does not reward."""
        found = verdict.counterexample
        if found is None or len(found.pool) + max(len(found.better), len(found.worse)) > self._limits.documents:
            return None
        worse, better = (_without(found.pool, rows) for rows in (found.worse, found.better))
        return Preset(
            f"{verdict.metric} {verdict.axiom}",
            f"{verdict.metric} against {verdict.axiom}",
            f"A counterexample: {found.label}.",
            f"{verdict.metric} is against {verdict.axiom} here.",
            _floats(found.worse),
            _floats(found.better),
            "rises" if found.strict else "does not fall",
            tuple(float(w) for w in found.weights),
            _floats(worse),
            _floats(better),
        ).shape()


def _without(pool: Rows, rows: Rows) -> list[tuple[Fraction, ...]]:
    """The judged documents that a ranking does not return."""
    left = Counter(tuple(row) for row in pool)
    left.subtract(tuple(row) for row in rows)
    return [row for row, count in left.items() for _ in range(count)]


def _floats(rows: Rows) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(r) for r in row) for row in rows)
