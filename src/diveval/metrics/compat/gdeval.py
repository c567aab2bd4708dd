"""gdeval 1.3, the ad hoc scorer of the TREC Web tracks: nDCG with exponential gain, and ERR with 4 as the highest grade.

A document judged for several aspects counts with its best grade.
"""

from __future__ import annotations

import math

from diveval.metrics.algebra import Array, Cascade, running
from diveval.metrics.batch import Batch, once
from diveval.metrics.compat.base import entries_under, overall
from diveval.metrics.compat.trec_graded import normalised_dcg_by
from diveval.settings import OrderRule, RelevanceRule


def log_over_log_2(rank: int) -> float:
    """log2(i + 1) as gdeval computes it. Gains are (2^g − 1)/2^4, whose denominator cancels."""
    return math.log(rank + 1) / math.log(2.0)


def expected_reciprocal_rank(batch: Batch, cutoff: int) -> Array:
    """Σ_{i≤k} (1/i) r(i) Π_{j<i} (1 − r(j)) with r = (2^g − 1)/2^4."""
    return batch.at_cutoff(_stops(batch), cutoff)


@once
def _stops(batch: Batch) -> Array:
    r = overall(batch)
    return running(r * Cascade().table(r) / batch.divisors)


_of_gdeval = entries_under(
    "gdeval",
    "gdeval 1.3, TREC Web Track 2014",
    diversity=False,
    rule=RelevanceRule(gain="exponential", gmax=4.0, weights="uniform"),
    order=OrderRule(),
    mean_over="judged-relevant",
    cutoffs="needed",
)

GDEVAL = [
    _of_gdeval(
        "nDCG",
        normalised_dcg_by,
        "DCG with exponential gain over that of the ideal order",
        "Σ_{i≤k} (2^g−1)/log2(i+1) / ideal",
        fixed={"divisor": log_over_log_2},
    ),
    _of_gdeval(
        "ERR",
        expected_reciprocal_rank,
        "expected reciprocal rank with 4 as the highest grade",
        "Σ_{i≤k} (1/i) r(i) Π_{j<i} (1 − r(j)), r = (2^g−1)/2^4",
    ),
]
