"""cwl_eval 1.0.12: expected utility under C/W/L user models, over the first 1000 documents in the file's order."""

from __future__ import annotations

import numpy as np

from diveval.metrics.algebra import Array, Geometric, running
from diveval.metrics.batch import Batch, divide, once
from diveval.metrics.compat.base import entries_under, overall
from diveval.metrics.metric import Parameter
from diveval.settings import OrderRule, RelevanceRule

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


# --- metrics whose continuation depends on the gains seen -------------------------------------------------------------


@once
def _gains(batch: Batch) -> Array:
    """The gain at every rank down to 1000, (row, rank)."""
    out = np.zeros((batch.rows, HORIZON))
    row, hit = np.nonzero(batch.ranks <= HORIZON)
    out[row, batch.ranks[row, hit] - 1] = overall(batch)[row, hit]
    return out


_RANKS = np.arange(1.0, HORIZON + 1)


def expect(gains: Array, goes_on: Array) -> Array:
    """Σ w(i) g(i), the weights w proportional to the probability of reaching rank i: Π_{j<i} c(j)."""
    reached = np.ones(gains.shape)
    reached[:, 1:] = np.cumprod(np.broadcast_to(goes_on, gains.shape)[:, :-1], axis=1)
    return np.asarray((reached * gains).sum(axis=1) / reached.sum(axis=1))


def average_precision(batch: Batch, cutoff: int | None) -> Array:
    """(1/Σ g) Σ_j (g(j)/j) Σ_{i≤j} g(i), over what was retrieved."""
    gains = _gains(batch)
    return divide((gains / _RANKS * np.cumsum(gains, axis=1)).sum(axis=1), gains.sum(axis=1))


def bejewelled(batch: Batch, cutoff: int, T: float) -> Array:  # noqa: N803 (the literature's name)
    """The user goes on until the gain reaches T or the rank k."""
    gains = _gains(batch)
    return expect(gains, np.asarray((np.cumsum(gains, axis=1) < float(T)) & (cutoff > _RANKS), dtype=np.float64))


def scale_dcg(batch: Batch, cutoff: int) -> Array:
    """DCG@k over Σ_{i≤k} 1/log2(i+1)."""
    return expect(_gains(batch), np.where(cutoff > _RANKS, np.log2(_RANKS + 1) / np.log2(_RANKS + 2), 0.0))


def stop_by_gain(batch: Batch, cutoff: int) -> Array:
    """c(i) = 1 − g(i) before rank k."""
    return expect(_gains(batch), np.where(cutoff > _RANKS, 1.0 - _gains(batch), 0.0))


def stop_by_gain_and_rank(batch: Batch, cutoff: int) -> Array:
    """c(i) = (1 − g(i)) i/(i+1) before rank k."""
    return expect(_gains(batch), np.where(cutoff > _RANKS, (1.0 - _gains(batch)) * (_RANKS / (_RANKS + 1)), 0.0))


def stop_by_gain_and_patience(batch: Batch, cutoff: int | None, p: float) -> Array:
    """c(i) = p (1 − g(i))."""
    return expect(_gains(batch), float(p) * (1.0 - _gains(batch)))


def stop_by_gain_and_goal(batch: Batch, cutoff: int | None, T: float) -> Array:  # noqa: N803
    """c(i) = (1 − g(i)) ((i + 2T − 1)/(i + 2T))²."""
    return expect(_gains(batch), (1.0 - _gains(batch)) * _patience(2.0 * float(T)))


def insq(batch: Batch, cutoff: int | None, T: float) -> Array:  # noqa: N803
    """c(i) = ((i + 2T − 1)/(i + 2T))²."""
    return expect(_gains(batch), _patience(2.0 * float(T)))


def inst(batch: Batch, cutoff: int | None, T: float) -> Array:  # noqa: N803
    """c(i) = ((i + T + T(i) − 1)/(i + T + T(i)))², T(i) the gain still missing from T."""
    return expect(_gains(batch), _patience(2.0 * float(T) - np.cumsum(_gains(batch), axis=1)))


def _patience(goal: float | Array) -> Array:
    return np.asarray(((_RANKS + goal - 1.0) / (_RANKS + goal)) ** 2.0)


_GOAL = Parameter("T", 1.0, "gain that the user wants in all", 0, open_low=True)

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
    _entry(
        "AP", average_precision, "precision at the gains, over the gain retrieved", "(1/Σ g) Σ_j (g(j)/j) Σ_{i≤j} g(i)"
    ),
    _entry(
        "BPM",
        bejewelled,
        "gain of a user who stops at a goal or at k",
        "Σ w(i) g(i), c(i) = [i < k and Σ_{j≤i} g(j) < T]",
        _GOAL,
        cutoffs="needed",
    ),
    _entry(
        "SDCG",
        scale_dcg,
        "DCG over that of fully relevant documents only",
        "Σ_{i≤k} g(i)/log2(i+1) / Σ_{i≤k} 1/log2(i+1)",
        cutoffs="needed",
    ),
    _entry("NERR8", stop_by_gain, "nearly ERR, cut at k", "Σ w(i) g(i), c(i) = 1 − g(i) before k", cutoffs="needed"),
    _entry(
        "NERR9",
        stop_by_gain_and_rank,
        "nearly ERR with a discount by rank, cut at k",
        "Σ w(i) g(i), c(i) = (1 − g(i)) i/(i+1) before k",
        cutoffs="needed",
    ),
    _entry(
        "NERR10",
        stop_by_gain_and_patience,
        "nearly ERR with patience",
        "Σ w(i) g(i), c(i) = p (1 − g(i))",
        Parameter("p", 0.9, "probability of going on to the next document", 0, 1, True, True),
    ),
    _entry(
        "NERR11",
        stop_by_gain_and_goal,
        "nearly ERR with a goal",
        "Σ w(i) g(i), c(i) = (1 − g(i)) ((i+2T−1)/(i+2T))²",
        _GOAL,
    ),
    _entry(
        "INSQ",
        insq,
        "gain of a user whose patience grows with rank and goal",
        "Σ w(i) g(i), c(i) = ((i+2T−1)/(i+2T))²",
        _GOAL,
    ),
    _entry(
        "INST",
        inst,
        "gain of a user whose patience depends on the gain still missing",
        "Σ w(i) g(i), c(i) = ((i+T+T(i)−1)/(i+T+T(i)))², T(i) = T − Σ_{j≤i} g(j)",
        _GOAL,
    ),
]
