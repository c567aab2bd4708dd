"""What the views show beyond plain scores: who leads how surely, how metrics agree, what parameters change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from diveval.errors import UsageError
from diveval.meta import agreement, discriminative, sensitivity, unanimity
from diveval.metrics import Metric
from diveval.options import Options
from diveval.stats import compare, interval
from diveval.studio.collection import Collection
from diveval.studio.work import Step

PATIENCE = (0.5, 0.8, 0.9, 0.95, 0.99)
RESAMPLES = 1000
EFFORT = (0.0, 0.001, 0.01, 0.05, 0.1, 0.5)


def leaderboard(collection: Collection, metric: Metric, options: Options, step: Step) -> dict[str, Any]:
    """Runs from best to worst by one metric: mean, 95 % interval of the mean, and significance letters.

    Runs that share a letter do not differ significantly (Tukey's HSD by randomisation, as in the report).
    """
    step(0, 2, "scores")
    scores = collection.scores([metric], options)
    means = interval(scores, metric.name)
    step(1, 2, "comparing every pair")
    letters = dict.fromkeys(scores.runs, "")
    if len(scores.runs) > 1:
        compared = compare(scores, metric.name, test="tukey", resamples=RESAMPLES)
        letters = {row.run: row.letters or "" for row in compared.runs}
    best_first = sorted(means.rows, key=lambda row: (row.mean is None, -(row.mean or 0.0), row.run))
    rows = [
        {"run": row.run, "mean": row.mean, "low": row.low, "high": row.high, "topics": row.topics,
         "letters": letters[row.run]}
        for row in best_first
    ]  # fmt: skip
    return {"metric": metric.name, "confidence": means.confidence, "rows": rows}


def agreement_of(collection: Collection, metrics: Sequence[Metric], options: Options, step: Step) -> dict[str, Any]:
    """Kendall's τ between the metrics' rankings of the runs, as `diveval agreement -f json` has it."""
    return agreement(collection.scores(metrics, options, step)).as_dict()


def unanimity_of(
    collection: Collection, metrics: Sequence[Metric], options: Options, step: Step, *, bootstrap: int = 1000
) -> dict[str, Any]:
    """Metric Unanimity of each metric against the others, as `diveval unanimity -f json` has it."""
    scores = collection.scores(metrics, options, step)
    step(len(metrics), len(metrics), "unanimity")
    return unanimity(scores, bootstrap=bootstrap).as_dict()


def power_of(collection: Collection, metrics: Sequence[Metric], options: Options, step: Step) -> dict[str, Any]:
    """How many pairs of runs each metric tells apart (Tukey's HSD), and its curve of significance levels."""
    scores = collection.scores(metrics, options, step)
    step(len(metrics), len(metrics), "comparing every pair")
    found = discriminative(scores, resamples=RESAMPLES)
    rows = [
        {"metric": row.metric, "significant": row.significant, "pairs": row.pairs, "required": row.required}
        for row in sorted(found.rows, key=lambda row: (-row.share, row.metric))
    ]
    return {"alpha": found.alpha, "resamples": found.resamples, "rows": rows, "curve": found.curve()}


def parameters_of(collection: Collection, metric: Metric, options: Options, step: Step) -> dict[str, Any]:
    """A metric over p × e: the ranking of the runs in each cell against that of the metric as it stands."""
    entry = metric.entry
    if entry is None or not {"p", "e"} <= {parameter.name for parameter in entry.parameters}:
        raise UsageError(f"the grid is over p and e, which RBU and nRBU have and {metric.name} does not")
    grid = {(p, e): entry.metric({**metric.values, "p": p, "e": e}, metric.cutoff) for p in PATIENCE for e in EFFORT}
    metrics = list({m.name: m for m in [metric, *grid.values()]}.values())
    scores = collection.scores(metrics, options, step)
    if len(scores.runs) < 2:
        raise UsageError("the grid compares rankings of runs: load two or more")
    moved = sensitivity(scores, reference=metric.name)
    rows = {row.metric: row for row in moved.rows}
    best = scores.means.max(axis=0)
    cells = [
        {"p": p, "e": e, "metric": m.name, "tau": rows[m.name].value, "leader": rows[m.name].leader,
         "best": float(best[scores.metric_index(m.name)])}
        for (p, e), m in grid.items()
    ]  # fmt: skip
    ranges = [{"run": row.run, "rank": row.rank, "best": row.best, "worst": row.worst} for row in moved.ranges]
    return {"metric": metric.name, "p": list(PATIENCE), "e": list(EFFORT), "cells": cells, "ranges": ranges}
