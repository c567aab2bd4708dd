"""gdeval 1.3, the ad hoc scorer of the TREC Web tracks: nDCG with exponential gain, and ERR with 4 as highest grade."""

from __future__ import annotations

import math

import numpy as np

from diveval.judgments import RelevanceRule
from diveval.metrics.algebra import Array, Cascade, running
from diveval.metrics.batch import Batch, divided, last
from diveval.metrics.compat.base import ToolFormula, at_first, at_hits, overall, overall_pool
from diveval.metrics.metric import Entry
from diveval.runs import OrderRule

HIGHEST = 4.0


def _divisor(rank: int) -> float:
    return math.log(rank + 1) / math.log(2.0)


class NormalisedDCG(ToolFormula):
    """Σ_{i≤k} (2^g − 1)/log2(i+1) over the same of the ideal order. All gains carry the factor 2^−4, which cancels."""

    def score(self, batch: Batch) -> Array:
        falling = -np.sort(-overall_pool(batch))[:, : self.depth]
        best = last(falling / at_first(batch, _divisor, falling.shape[1]))
        return divided(batch.at_cutoff(batch.once(_gains), self.depth), best[batch.topic])


def _gains(batch: Batch) -> Array:
    return running(overall(batch) / at_hits(batch, _divisor))


class ExpectedReciprocalRank(ToolFormula):
    """Σ_{i≤k} (1/i) r(i) Π_{j<i} (1 − r(j)) with r = (2^g − 1)/2^4."""

    def score(self, batch: Batch) -> Array:
        return batch.at_cutoff(batch.once(_stops), self.depth)


def _stops(batch: Batch) -> Array:
    r = overall(batch)
    return running(r * Cascade().table(r) / batch.divisors)


_RULE = RelevanceRule(gain="exponential", gmax=HIGHEST, weights="uniform")

GDEVAL = [
    Entry(
        "gdeval.nDCG",
        NormalisedDCG,
        "DCG with exponential gain over that of the ideal order",
        "Σ_{i≤k} (2^g−1)/log2(i+1) / ideal",
        "gdeval 1.3, TREC Web Track 2014",
        diversity=False,
        rule=_RULE,
        order=OrderRule(),
        mean_over="judged-relevant",
        cutoffs="needed",
    ),
    Entry(
        "gdeval.ERR",
        ExpectedReciprocalRank,
        "expected reciprocal rank with 4 as the highest grade",
        "Σ_{i≤k} (1/i) r(i) Π_{j<i} (1 − r(j)), r = (2^g−1)/2^4",
        "gdeval 1.3, TREC Web Track 2014",
        diversity=False,
        rule=_RULE,
        order=OrderRule(),
        mean_over="judged-relevant",
        cutoffs="needed",
    ),
]
