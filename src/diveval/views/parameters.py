"""RBU over p × e: which system leads where and whether significantly, how the ranking changes, and every system's mean.

For a fixed p the mean of RBU is linear in e: gain − e · effort. Two evaluations per p give it for every e, so the map
is continuous in e and needs no more than two columns for each value of p.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.errors import UsageError
from diveval.meta import Sensitivity, sensitivity
from diveval.metrics import Metric
from diveval.results.scores import Scores
from diveval.results.setup import Setup
from diveval.stats.paired import Paired
from diveval.stats.pairwise import DEFAULT
from diveval.stats.tests import CORRECTIONS, TESTS, Sample, Significance, describe_test
from diveval.system.progress import Progress, silent
from diveval.views.board import plain
from diveval.views.shared import attempt

PATIENCE = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)
EFFORT = (0.0, 0.001, 0.01, 0.05, 0.1, 0.5)
COLUMNS, ROWS = 27, 24  # values of p on the map, and of e that are looked at
FINE = 12  # halvings that place the edge of a band of ties
LEAST, MOST = 0.5, 0.999  # p on the map: equal steps of log(1 − p)
AT_ONCE = 8  # values of p that are scored at once
FARTHEST = 0.5  # e on the map: equal steps of √e
Values = NDArray[np.float64]
Scoring = Callable[[Sequence[Metric]], Scores]


def settings(chosen: Metric, scoring: Scoring) -> tuple[dict[str, Any], Sensitivity | None]:
    """A few settings of RBU against the chosen one: every run's mean as plain data, and how the ranking moves."""
    require_parameters(chosen)
    p = sorted({*PATIENCE, float(chosen.values["p"])})
    e = sorted({*EFFORT, float(chosen.values["e"])})
    scores = scoring([variant(chosen, x, y) for x in p for y in e])
    moved, notes = attempt(lambda: sensitivity(scores, reference=chosen.name))
    means = scores.means.reshape(len(scores.runs), len(p), len(e))
    rows, ranges = ((), ()) if moved is None else (moved.rows, moved.ranges)
    table = {
        "p": p,
        "e": e,
        "means": [[[plain(v, 6) for v in row] for row in grid] for grid in means],  # run × p × e
        "reference": chosen.name,
        "cells": [[float(row.parameters["p"]), float(row.parameters["e"]), row.value, row.leader] for row in rows],
        "ranges": [[row.run, row.rank, row.best, row.worst] for row in ranges],
        "notes": notes,
    }
    return table, moved


def parameters(
    chosen: Metric, scoring: Scoring, step: Progress = silent, how: Significance = DEFAULT
) -> dict[str, Any]:
    """Everything the view shows: the table of settings, the map, and what is chosen."""
    step("a few settings", 0, COLUMNS)
    table, _ = settings(chosen, scoring)
    point = [float(chosen.values["p"]), float(chosen.values["e"])]
    return {**table, "chosen": point, "map": leaders(chosen, scoring, step, how)}


def leaders(chosen: Metric, scoring: Scoring, step: Progress = silent, how: Significance = DEFAULT) -> dict[str, Any]:
    """The map: by p and run the two numbers that give the mean for any e, gain − e · cost; who leads follows from them.

    `ties` holds by p the bands of e in which the leader is not significantly ahead of the second, decided as in
    `compare`: over all pairs of runs. A test by resamples, which takes too long for a map, gives none, and `test` is None.
    """
    drawn = TESTS[how.test].resampled
    patience = sorted({*_patience(), *PATIENCE, float(chosen.values["p"])})  # so that the table's cells are on the map
    effort = [round(FARTHEST * (j / (ROWS - 1)) ** 2, 6) for j in range(ROWS)]
    ties, gains, costs = [], [], []
    for i, p in enumerate(patience):
        step(f"p = {p:g}", 1 + i, len(patience) + 1)
        if i % AT_ONCE == 0:
            some = patience[i : i + AT_ONCE]
            scores = scoring([variant(chosen, x, e) for x in some for e in (0.0, 1.0)])
            counted, means = scores.counted.all(axis=(0, 1)), scores.means
        at = 2 * (i % AT_ONCE)
        free, full = scores.values[:, at][:, counted], scores.values[:, at + 1][:, counted]
        gain, dearest = means[:, at], means[:, at + 1]
        cost = gain - dearest
        gains.append([round(float(g), 6) for g in gain])
        costs.append([round(float(c), 6) for c in cost])
        tied = partial(_tied, (free, free - full), (gain, cost), how)
        ties.append([] if drawn else _bands(tied, sorted({*effort, *_changes(gain, cost)})))
    family = len(gains[0]) * (len(gains[0]) - 1) // 2
    test = None if drawn else describe_test(how.add_to(Setup(), family))
    return {"p": patience, "most": FARTHEST, "ties": ties, "gain": gains, "cost": costs, "test": test}


def _changes(gain: Values, cost: Values) -> list[float]:
    """The values of e at which another run takes the lead: the corners of the upper envelope of the lines gain − e · cost.

    From one corner to the next, only a run with a smaller cost can overtake the leader.
    """
    out: list[float] = []
    e, lead = 0.0, int(np.lexsort((cost, -gain))[0])
    while True:
        cheaper = np.flatnonzero(cost < cost[lead] - 1e-12)
        at = (gain[lead] - gain[cheaper]) / (cost[lead] - cost[cheaper])
        later = at >= e
        if not later.any() or at[later].min() >= FARTHEST:
            return out
        e = float(at[later].min())
        lead = int(cheaper[later][np.lexsort((cost[cheaper[later]], at[later]))[0]])
        out.append(e)


def _tied(values: tuple[Values, Values], means: tuple[Values, Values], how: Significance, e: float) -> bool:
    """Is the leader not significantly ahead of the second? Values and means: without effort, and what effort takes."""
    now = values[0] - e * values[1]
    order = np.argsort(-(means[0] - e * means[1]), kind="stable")
    if len(order) < 2 or now.shape[1] < 2:
        return True
    alpha, family = how.alpha, len(order) * (len(order) - 1) // 2
    p = float(_test(now, order[:1], order[1:2], how)[0])
    if p >= alpha or p * family < alpha:  # the other pairs cannot change that
        return p >= alpha
    first, second = np.triu_indices(len(order), 1)
    ps = _test(now[order], first, second, how)
    return bool(CORRECTIONS[how.correction](ps)[0] >= alpha)


def _test(values: Values, first: NDArray[np.intp], second: NDArray[np.intp], how: Significance) -> Values:
    """p of the test for pairs of runs, over the topics of the map."""
    paired = Paired.of(values[first], values[second], np.ones((len(first), values.shape[1]), dtype=bool))
    pairs, levels = np.column_stack([first, second]), np.full(len(first), how.alpha)
    return TESTS[how.test].decide(Sample(paired, values, pairs, levels, how.resamples, how.seed)).p


def _bands(tied: Callable[[float], bool], points: Sequence[float]) -> list[list[float]]:
    """Where ties begin and end: looked for between points of which one is tied and the next is not."""
    out: list[list[float]] = []
    before = False
    for i, e in enumerate(points):
        now = tied(e)
        if now != before:
            edge = _edge(tied, points[i - 1], e, now) if i else e
            out.append([edge]) if now else out[-1].append(edge)
        before = now
    if before:
        out[-1].append(points[-1])
    return [[round(low, 6), round(high, 6)] for low, high in out]


def _edge(tied: Callable[[float], bool], low: float, high: float, above: bool) -> float:
    """Between two values of e, where `tied` becomes `above`."""
    for _ in range(FINE):
        middle = (low + high) / 2
        low, high = (low, middle) if tied(middle) == above else (middle, high)
    return (low + high) / 2


def _patience() -> list[float]:
    """Equal steps of log(1 − p)."""
    low, high = math.log(1 - LEAST), math.log(1 - MOST)
    return [round(1 - math.exp(low + (high - low) * i / (COLUMNS - 1)), 6) for i in range(COLUMNS)]


def require_parameters(metric: Metric) -> None:
    """Refuse a metric without p and e."""
    # Only a plain sum is linear in e; nRBU divides by an ideal that depends on e too.
    if metric.entry is None or metric.formula.as_sum is None or not {"p", "e"} <= set(metric.values):
        raise UsageError("unknown-parameter", f"the map is over p and e, which RBU has and {metric.name} does not")


def variant(metric: Metric, p: float, e: float) -> Metric:
    """The metric with other values of p and e."""
    assert metric.entry is not None  # checked by `require_parameters`
    return metric.entry.metric({**metric.values, "p": p, "e": e}, metric.cutoff)
