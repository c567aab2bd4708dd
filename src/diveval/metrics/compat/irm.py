"""Measures that only ir_measures 0.4.3 computes: Accuracy, and Compatibility with an ideal ranking."""

from __future__ import annotations

import numpy as np

from diveval.metrics.algebra import Array, running
from diveval.metrics.batch import Batch, last
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

    A document at ideal rank a and rank b is in both top sets from max(a, b) on, so it adds a tail of Σ p^(i−1)/i.
    """
    grades, pool = overall(batch), overall_pool(batch)
    ideal = np.zeros(grades.shape, dtype=np.int64)
    for grade in np.unique(grades[grades > 0]):
        better = np.count_nonzero(pool > grade, axis=1)[batch.topic][:, np.newaxis]
        same = grades == grade
        ideal = np.where(same, better + running(same), ideal)
    size = np.count_nonzero(pool > 0, axis=1)[batch.topic]
    depth = np.maximum(batch.lengths, size)
    sums = _sums(float(p), int(depth.max(initial=0)))
    place = np.where(grades > 0, np.maximum(ideal, batch.lookup), 1)
    overlap = last(np.where(grades > 0, sums[depth][:, np.newaxis] - sums[place - 1], 0.0))
    full = np.cumsum(np.concatenate([[0.0], float(p) ** np.arange(len(sums) - 1.0)]))
    score = np.divide(overlap, full[depth], out=np.zeros(batch.rows), where=depth > 0)
    if normalise == "no":
        return np.asarray(score)
    best = full[size] + size * (sums[depth] - sums[size])  # i of i documents to the end of the ideal, then all of it
    best = np.divide(best, full[depth], out=np.zeros(batch.rows), where=depth > 0)
    return np.asarray(np.divide(score, best, out=score.copy(), where=best > 0))


def _sums(p: float, longest: int) -> Array:
    """Σ_{i≤m} p^(i−1)/i for m = 0, 1, …"""
    ranks = np.arange(1.0, longest + 1)
    return np.concatenate([[0.0], np.cumsum(p ** (ranks - 1) / ranks)])


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
