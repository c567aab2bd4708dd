"""cwl_eval 1.0.12: expected utility under C/W/L user models, over the first 1000 documents in the file's order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.metrics.algebra import Array, Geometric, running
from diveval.metrics.batch import Batch, divide, once
from diveval.metrics.compat.base import entries_under, overall
from diveval.metrics.metric import Entry, Parameter, choice
from diveval.metrics.user_models import HORIZON, Continuation, expect_all, reach
from diveval.settings import OrderRule, RelevanceRule


def rank_biased_precision(batch: Batch, cutoff: int | None, theta: float) -> Array:
    """(1−θ)/(1−θ^1000) Σ_{i≤1000} θ^(i−1) g(i): the weights of the cut-off list sum to 1."""
    gained = running(overall(batch) * batch.discounts(Geometric(theta, start=0)))
    scale = (1.0 - theta) / (1.0 - theta**HORIZON)
    return np.asarray(scale * batch.at_cutoff(gained, HORIZON))


def precision(batch: Batch, cutoff: int) -> Array:
    """Σ_{i≤k} g(i) (1/k), each document with its weight, as the tool adds."""
    depth = min(cutoff, HORIZON)
    return np.asarray(batch.at_cutoff(running(overall(batch) * (1.0 / depth)), depth))


def reciprocal_rank(batch: Batch, cutoff: int | None) -> Array:
    """g(f) / f at the first document f with a gain."""
    gains, ranks = overall(batch)[:, :1], batch.ranks[:, :1]  # of the first hit, where there is one
    return np.asarray(np.where(ranks <= HORIZON, gains / ranks, 0.0).sum(axis=1))


# --- metrics whose continuation depends on the gains seen -------------------------------------------------------------


@once
def _gains(batch: Batch) -> Array:
    """The gain at every rank down to 1000, (row, rank)."""
    return gains_by_rank(batch, overall(batch))


def gains_by_rank(batch: Batch, values: Array) -> Array:
    """The value of each hit at its rank, 0 at the others, (row, rank) down to 1000."""
    out = np.zeros((batch.rows, HORIZON))
    row, hit = np.nonzero(batch.ranks <= HORIZON)
    out[row, batch.ranks[row, hit] - 1] = values[row, hit]
    return out


_RANKS = np.arange(1.0, HORIZON + 1)
QUANTITIES = ("EU", "ETU", "EC", "ETC", "ED")  # as cwl_eval prints them


def expect(gains: Array, goes_on: Array) -> Array:
    """Σ w(i) g(i), the weights w proportional to the probability of reaching rank i: Π_{j<i} c(j)."""
    reached = reach(goes_on, gains.shape)
    return np.asarray((reached * gains).sum(axis=1) / reached.sum(axis=1))


def average_precision(batch: Batch, cutoff: int | None) -> Array:
    """(1/Σ g) Σ_j (g(j)/j) Σ_{i≤j} g(i), over what was retrieved."""
    gains = _gains(batch)
    return divide((gains / _RANKS * np.cumsum(gains, axis=1)).sum(axis=1), gains.sum(axis=1))


def _quantity(continuation: Continuation, closed: Callable[..., Array] | None) -> Callable[..., Array]:
    """What the user expects; `closed` is a closed form of the gain per document, where there is one."""

    def value(batch: Batch, cutoff: int | None, quantity: str, **values: float) -> Array:
        if quantity == "EU" and closed is not None:
            return closed(batch, cutoff, **values)
        gains = _gains(batch)
        goes_on = continuation(gains, cutoff, **values)
        if quantity == "EU":
            return expect(gains, goes_on)
        return expect_all(gains, goes_on)[QUANTITIES.index(quantity)]

    return value


# --- c(i): the probability of going on from rank i to the next, from the gains of a list of any length, (…, rank) -----


def _ranks(gains: Array) -> Array:
    return np.arange(1.0, gains.shape[-1] + 1)


def _before(gains: Array, cutoff: int | None) -> NDArray[np.bool_]:
    """Which ranks are above the last one that the user sees."""
    return _ranks(gains) < (gains.shape[-1] if cutoff is None else cutoff)


def go_on_to_cutoff(gains: Array, cutoff: int | None) -> Array:
    """c(i) = 1 before rank k."""
    return _before(gains, cutoff) + np.zeros(gains.shape)


def go_on_to_gain(gains: Array, cutoff: int | None) -> Array:
    """c(i) = 1 until something has a gain."""
    return np.asarray(np.cumsum(gains, axis=-1) <= 0, dtype=np.float64)


def go_on_with(gains: Array, cutoff: int | None, theta: float) -> Array:
    """c(i) = θ."""
    return np.full(gains.shape, float(theta))


def go_on_for_precision(gains: Array, cutoff: int | None) -> Array:
    """c(i) = S(i+1)/S(i), S(i) = Σ_{j≥i} g(j)/j."""
    left = np.cumsum((gains / _ranks(gains))[..., ::-1], axis=-1)[..., ::-1]
    after = np.concatenate([left[..., 1:], np.zeros((*left.shape[:-1], 1))], axis=-1)
    return divide(after, left)


def go_on_to_goal(gains: Array, cutoff: int | None, T: float) -> Array:  # noqa: N803 (the literature's name)
    """c(i) = 1 until the gain reaches T or the rank k."""
    return np.asarray((np.cumsum(gains, axis=-1) < float(T)) & _before(gains, cutoff), dtype=np.float64)


def go_on_by_log(gains: Array, cutoff: int | None) -> Array:
    """c(i) = log2(i+1)/log2(i+2) before rank k."""
    ranks = _ranks(gains)
    return np.where(_before(gains, cutoff), np.log2(ranks + 1) / np.log2(ranks + 2), 0.0) + np.zeros(gains.shape)


def stop_by_gain(gains: Array, cutoff: int | None) -> Array:
    """c(i) = 1 − g(i) before rank k."""
    return np.where(_before(gains, cutoff), 1.0 - gains, 0.0)


def stop_by_gain_and_rank(gains: Array, cutoff: int | None) -> Array:
    """c(i) = (1 − g(i)) i/(i+1) before rank k."""
    ranks = _ranks(gains)
    return np.where(_before(gains, cutoff), (1.0 - gains) * (ranks / (ranks + 1)), 0.0)


def stop_by_gain_and_patience(gains: Array, cutoff: int | None, p: float) -> Array:
    """c(i) = p (1 − g(i))."""
    return float(p) * (1.0 - gains)


def stop_by_gain_and_goal(gains: Array, cutoff: int | None, T: float) -> Array:  # noqa: N803
    """c(i) = (1 − g(i)) ((i + 2T − 1)/(i + 2T))²."""
    return (1.0 - gains) * _patience(_ranks(gains), 2.0 * float(T))


def go_on_for_goal(gains: Array, cutoff: int | None, T: float) -> Array:  # noqa: N803
    """c(i) = ((i + 2T − 1)/(i + 2T))²."""
    return _patience(_ranks(gains), 2.0 * float(T)) + np.zeros(gains.shape)


def go_on_for_missing_gain(gains: Array, cutoff: int | None, T: float) -> Array:  # noqa: N803
    """c(i) = ((i + T + T(i) − 1)/(i + T + T(i)))², T(i) the gain still missing from T."""
    return _patience(_ranks(gains), 2.0 * float(T) - np.cumsum(gains, axis=-1))


def _patience(ranks: Array, goal: float | Array) -> Array:
    return np.asarray(((ranks + goal - 1.0) / (ranks + goal)) ** 2.0)


GOAL = Parameter("T", 1.0, "gain that the user wants in all", 1e-6, 1e9)

_of_tool = entries_under(
    "cwl",
    "cwl_eval 1.0.12, Azzopardi et al. 2019",
    choice("quantity", "expected utility or cost, per document or in all (T), or documents seen", *QUANTITIES),
    diversity=False,
    rule=RelevanceRule(gain="identity", weights="uniform"),
    order=OrderRule("file"),
    mean_over="both",
    cutoffs=False,
)


def _entry(
    name: str, continuation: Continuation, *rest: Any, by: Callable[..., Array] | None = None, **own: Any
) -> Entry:
    return _of_tool(name, _quantity(continuation, by), *rest, continuation=continuation, **own)


CWL = [
    _entry(
        "RBP",
        go_on_with,
        "rank-biased precision of the first 1000 documents",
        "(1−θ)/(1−θ^1000) Σ_{i≤1000} θ^(i−1) g(i)",
        Parameter("theta", 0.8, "probability of going on to the next document", 0, 1, True, True),
        by=rank_biased_precision,
    ),
    _entry(
        "P", go_on_to_cutoff, "mean gain of the first k documents", "Σ_{i≤k} g(i) / k", cutoffs="needed", by=precision
    ),
    _entry(
        "RR", go_on_to_gain, "gain of the first document that has one, over its rank", "g(f) / f", by=reciprocal_rank
    ),
    _entry(
        "AP",
        go_on_for_precision,
        "precision at the gains, over the gain retrieved",
        "(1/Σ g) Σ_j (g(j)/j) Σ_{i≤j} g(i)",
        by=average_precision,
    ),
    _entry(
        "BPM",
        go_on_to_goal,
        "gain of a user who stops at a goal or at k",
        "Σ w(i) g(i), c(i) = [i < k and Σ_{j≤i} g(j) < T]",
        GOAL,
        cutoffs="needed",
    ),
    _entry(
        "SDCG",
        go_on_by_log,
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
        GOAL,
    ),
    _entry(
        "INSQ",
        go_on_for_goal,
        "gain of a user whose patience grows with rank and goal",
        "Σ w(i) g(i), c(i) = ((i+2T−1)/(i+2T))²",
        GOAL,
    ),
    _entry(
        "INST",
        go_on_for_missing_gain,
        "gain of a user whose patience depends on the gain still missing",
        "Σ w(i) g(i), c(i) = ((i+T+T(i)−1)/(i+T+T(i)))², T(i) = T − Σ_{j≤i} g(j)",
        GOAL,
    ),
]
