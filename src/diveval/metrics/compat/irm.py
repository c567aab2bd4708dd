"""Measures that only ir_measures 0.4.3 computes: Accuracy, and Compatibility with an ideal ranking."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from diveval.metrics.algebra import Array, running
from diveval.metrics.batch import Batch, divide, last
from diveval.metrics.compat.base import entries_under, overall, overall_pool
from diveval.metrics.metric import Parameter, choice
from diveval.settings import OrderRule, RelevanceRule


def accuracy(batch: Batch, cutoff: int | None, level: int) -> Array:
    """1 − the share of pairs of a relevant and another document in which the other is above; NaN without a pair."""
    relevant = (overall(batch) >= level) & (batch.ranks <= batch.visible(cutoff)[:, np.newaxis])
    found = np.count_nonzero(relevant, axis=1)
    above = last(np.where(relevant, batch.divisors - running(relevant), 0.0))
    pairs = (batch.visible(cutoff) - found) * found
    share = np.divide(above, pairs, out=np.zeros(batch.rows), where=pairs > 0)
    return np.where(found > 0, 1.0 - share, np.nan)


def compatibility(batch: Batch, cutoff: int | None, p: float, normalise: str) -> Array:
    """Rank-biased overlap with the ideal ranking that is closest to the list, over that of the ideal with itself.

    A document at ideal rank a and rank b is in both top sets from max(a, b) on.
    """
    grades, pool = overall(batch), overall_pool(batch)
    ideal = np.zeros(grades.shape, dtype=np.int64)
    for grade in np.unique(grades[grades > 0]):
        better = np.count_nonzero(pool > grade, axis=1)[batch.topic][:, np.newaxis]
        same = grades == grade
        ideal = np.where(same, better + running(same), ideal)
    size = np.count_nonzero(pool > 0, axis=1)[batch.topic]
    depth = np.maximum(batch.lengths, size)
    place = np.where(grades > 0, np.maximum(ideal, batch.lookup), 0)
    both = np.zeros((batch.rows, int(depth.max(initial=0)) + 1))
    np.add.at(both, (np.arange(batch.rows)[:, np.newaxis], place), grades > 0)
    score = _overlap(np.cumsum(both[:, 1:], axis=1), depth, float(p))
    if normalise == "no":
        return score
    ranks = np.arange(1, both.shape[1])
    best = _overlap(np.minimum(ranks, size[:, np.newaxis]).astype(np.float64), depth, float(p))
    return np.asarray(np.divide(score, best, out=score.copy(), where=best > 0))


def _overlap(both: Array, depth: NDArray[np.int64], p: float) -> Array:
    """Σ_{i≤depth} p^(i−1) both(i)/i over Σ_{i≤depth} p^(i−1), multiplied and added in the tool's order."""
    weights = np.multiply.accumulate(np.concatenate([[1.0], np.full(max(both.shape[1] - 1, 0), p)]))[: both.shape[1]]
    rows = np.arange(len(depth))
    agreed = np.pad(np.cumsum(weights * both / np.arange(1.0, both.shape[1] + 1), axis=1), ((0, 0), (1, 0)))
    full = np.concatenate([[0.0], np.cumsum(weights)])
    return divide(agreed[rows, depth], full[depth])


_entry = entries_under(
    "ir_measures",
    "ir_measures 0.4.3",
    diversity=False,
    rule=RelevanceRule(gain="raw", weights="uniform"),
)

IR_MEASURES = [
    _entry(
        "Accuracy",
        accuracy,
        "share of pairs of a relevant and another retrieved document in the right order",
        "1 − Σ over the relevant i of (not relevant above i) / (relevant · not relevant); undefined if none is relevant",
        Parameter("level", 1, "the grade from which a document is relevant", 1, in_name=False),
        order=OrderRule("score", "file"),
    ),
    _entry(
        "Compat",
        compatibility,
        "rank-biased overlap with the closest ideal ranking",
        "Σ_i p^(i−1) |top i ∩ ideal top i| / i, over Σ_i p^(i−1), over the same of the ideal",
        Parameter("p", 0.95, "probability of going on to the next document", 0, 1, True, True),
        choice("normalise", "divide by the overlap of the ideal with itself", "yes", "no"),
        order=OrderRule("score", "docno-asc"),
        cutoffs=False,
    ),
]
