"""cwl_eval 1.0.12: expected utility under C/W/L user models, over the first 1000 documents in the file's order."""

from __future__ import annotations

import numpy as np

from diveval.judgments import RelevanceRule
from diveval.metrics.algebra import Array, Geometric, running
from diveval.metrics.batch import Batch
from diveval.metrics.compat.base import entries_under, overall
from diveval.metrics.metric import Parameter
from diveval.runs import OrderRule

HORIZON = 1000


def rank_biased_precision(batch: Batch, cutoff: int | None, theta: float) -> Array:
    """(1−θ)/(1−θ^1000) Σ_{i≤1000} θ^(i−1) g(i): the weights of the cut-off list sum to 1."""
    gained = running(overall(batch) * batch.discounts(Geometric(theta, start=0)))
    scale = (1.0 - theta) / (1.0 - theta**HORIZON)
    return np.asarray(scale * batch.at_cutoff(gained, HORIZON))


def precision(batch: Batch, cutoff: int) -> Array:
    """Σ_{i≤k} g(i) / k."""
    depth = min(cutoff, HORIZON)
    return np.asarray(batch.at_cutoff(running(overall(batch)), depth) / depth)


def reciprocal_rank(batch: Batch, cutoff: int | None) -> Array:
    """g(f) / f at the first document f with a gain."""
    gains, ranks = overall(batch)[:, :1], batch.ranks[:, :1]  # of the first hit, where there is one
    return np.asarray(np.where(ranks <= HORIZON, gains / ranks, 0.0).sum(axis=1))


_entry = entries_under(
    "cwl",
    "cwl_eval 1.0.12, Azzopardi et al. 2019",
    diversity=False,
    rule=RelevanceRule(gain="identity", weights="uniform"),
    order=OrderRule("file"),
    mean_over="both",
    cutoffs=False,
)

CWL = [
    _entry(
        "RBP",
        rank_biased_precision,
        "rank-biased precision of the first 1000 documents",
        "(1−θ)/(1−θ^1000) Σ_{i≤1000} θ^(i−1) g(i)",
        Parameter("theta", 0.8, "probability of going on to the next document", 0, 1, True, True),
    ),
    _entry("P", precision, "mean gain of the first k documents", "Σ_{i≤k} g(i) / k", cutoffs="needed"),
    _entry("RR", reciprocal_rank, "gain of the first document that has one, over its rank", "g(f) / f"),
]
