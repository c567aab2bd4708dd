"""Computations about the ten constraints: the matrix of verdicts, how often metrics fail in the runs, and which to trust."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from diveval.axioms.presentation.data_verdicts import answer_for_levels, levels_for
from diveval.errors import DivevalError, need
from diveval.metrics import Metric
from diveval.metrics.exact_forms import explain_inexact, split_exact
from diveval.settings import Options
from diveval.studio.limits import Limits
from diveval.studio.loaded_collection import LoadedCollection
from diveval.studio.playground import SituationShape, situation
from diveval.system.progress import Progress
from diveval.views.axiom_matrix import occurrences, show_cell
from diveval.views.verdict import decide_verdict

if TYPE_CHECKING:
    from diveval.axioms import Verdict
    from diveval.axioms.proof.scheduler import Cell, Scheduler

READINGS = ("charitable", "as-written")
SECONDS = 10.0  # of CPU time for one cell of the matrix


def verdict_job(
    collection: LoadedCollection, metrics: list[Metric], options: Options, body: Mapping[str, Any], step: Progress
) -> Any:
    """Which metric to trust first on this collection, why, and what speaks against it, as at the start of a report."""
    own, inexact = split_exact([metric for metric in metrics if metric.entry is not None])
    notes = [f"{explain_inexact([metric.name for metric in inexact])}."] if inexact else []
    try:
        decided = _decide(body["scheduler"], own, READINGS[0], step)
    except DivevalError as error:
        return {"found": None, "notes": [*notes, f"The axioms were not decided: {error}"]}
    step("comparing metrics", 0, 1)
    scores = collection.scores(metrics, options, step)
    counted = violations_job(collection, metrics, options, body, step)
    setup = scores.setup
    levels = {metric.name: levels_for(collection.judgments, metric, options) for metric in own}
    found = decide_verdict(
        metrics,
        answer_for_levels(decided, levels, body["scheduler"]),
        counted["violations"],
        collection.quality(metrics, options, step, body["how"]),
        setup.judged,
        lacking=setup.lists_lacking(scores.runs),
    )
    return {"found": found, "notes": list(dict.fromkeys([*notes, *counted["notes"]]))}


def violations_job(
    collection: LoadedCollection, metrics: list[Metric], options: Options, body: Mapping[str, Any], step: Progress
) -> Any:
    """How often each axiom's failure occurs in the collection's rankings."""
    step("looking for the axioms' situations in the rankings", 0, 1)
    rankings = collection.rankings(metrics, options, step)
    counts, notes = occurrences(collection.judgments, rankings, metrics, options, most=None)
    return {"violations": counts, "notes": notes}


def decide_axioms(
    scheduler: Scheduler, metrics: Sequence[Metric], reading: str, limits: Limits, step: Progress
) -> dict[str, Any]:
    """Every metric against every constraint, in the order of the paper."""
    from diveval.axioms import AXIOMS

    exact, inexact = split_exact(metrics)
    shown = [
        {**show_cell(verdict.as_dict()), "situation": _situation(verdict, limits)}
        for _, verdict in _decide(scheduler, exact, reading, step).values()
    ]
    return {
        "reading": reading,
        "rows": [
            {"metric": metric.name, "cells": shown[m * len(AXIOMS) : (m + 1) * len(AXIOMS)]}
            for m, metric in enumerate(exact)
        ],
        "notes": [f"{explain_inexact([metric.name for metric in inexact])}."] if inexact else [],
        "axioms": [
            {name: getattr(axiom, name) for name in ("name", "title", "says", "why", "diversity")}
            for axiom in AXIOMS.values()
        ],
    }


def _decide(
    scheduler: Scheduler, metrics: Sequence[Metric], reading: str, step: Progress
) -> dict[tuple[str, str], tuple[Cell, Verdict]]:
    """By metric and axiom the cell and its verdict, metric by metric; a cancel takes effect within a cell."""
    need("z3", "axioms")
    from diveval.axioms import AXIOMS
    from diveval.axioms.proof.scheduler import Cell

    cells = [Cell.of(metric, axiom, reading, time_limit=SECONDS) for metric in metrics for axiom in AXIOMS]
    decided = {}
    for done, cell in enumerate(cells):

        def pause(done: int = done, cell: Cell = cell) -> None:
            step(f"{cell.subject.name}: {cell.axiom.name}", done, len(cells))

        pause()
        decided[cell.subject.name, cell.axiom.name] = cell, scheduler.decide([cell], pause=pause)[cell]
    return decided


def _situation(verdict: Verdict, limits: Limits) -> SituationShape | None:
    """A counterexample as the playground takes it: from worse to better, which the metric does not reward."""
    pair = verdict.counterexample
    if pair is None or len(pair.pool) + max(len(pair.better), len(pair.worse)) > limits.documents:
        return None
    return situation(
        f"{verdict.metric} {verdict.axiom}",
        f"{verdict.metric} against {verdict.axiom}",
        f"A counterexample: {pair.label}.",
        f"{verdict.metric} violates {verdict.axiom} here.",
        _floats(pair.worse),
        _floats(pair.better),
        "rises" if pair.strict else "does not fall",
        tuple(float(w) for w in pair.weights),
        _floats(pair.pool),
    )


def _floats(rows: Sequence[Sequence[Fraction]]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(r) for r in row) for row in rows)
