"""ndeval 4.5, the reference of the TREC Web diversity tasks, as with `-traditional`; any cutoff, not only up to 20.

G(i) = Σ_t b(i,t) (1−α)^c(i,t) is the gain of a rank, A the number of aspects with a relevant document, and the "ideal
ideal" a list whose every document covers every aspect: its gain is U(i) = A (1−α)^(i−1).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from diveval.errors import UsageError
from diveval.metrics.algebra import Array, Decay, Discount, Flat, Geometric, Log, Reciprocal, look_up, running
from diveval.metrics.batch import Batch, last, once, once_for_pool
from diveval.metrics.compat.base import at_first, at_hits, entries_under
from diveval.metrics.formulas import Formula, Normalised, Sum
from diveval.metrics.ideal import Greedy
from diveval.metrics.metric import Parameter
from diveval.metrics.numbers import Number, exactly
from diveval.metrics.subtopics import SubtopicRecall
from diveval.metrics.tool_parts import BinaryAspects, Scaled
from diveval.settings import OrderRule, RelevanceRule

DEEPEST = 1_000_000  # where ndeval's own numbers end


_LOG_2 = math.log(2.0)


def _discount(rank: int) -> float:
    return _LOG_2 / math.log(rank + 1.0)


def _depth(cutoff: int) -> int:
    if cutoff > DEEPEST:
        raise UsageError("invalid-cutoff", f"under ndeval's name a cutoff is at most {DEEPEST}, got @{cutoff}")
    return cutoff


@once
def _relevant(batch: Batch) -> Array:
    """b at each hit, (aspect, row, hit), as doubles: numpy is slow where it has to convert."""
    return (batch.relevance > 0.0).astype(np.float64)


@once
def _ranks(batch: Batch) -> Array:
    """The ranks to divide by, as doubles too."""
    return batch.divisors.astype(np.float64)


@once
def _gains(batch: Batch, alpha: float) -> Array:
    """G at each hit, (row, hit)."""
    relevant = _relevant(batch)
    out = np.zeros_like(batch.ranks, dtype=np.float64)
    if not out.shape[1]:
        return out
    # 1 (1−α) (1−α) …, multiplied step by step: powers would differ in the last bits.
    worth = running(np.where(relevant > 0.0, 1.0 - alpha, 1.0), by=np.multiply)
    out[:, 0] = relevant[:, :, 0].sum(axis=0)
    for seen, gains in zip(worth[..., :-1], relevant[..., 1:], strict=True):  # aspects in order, as ndeval adds them
        out[:, 1:] += seen * gains
    return out


@once_for_pool
def _ideal(batch: Batch, alpha: float) -> Greedy:
    # Gains are compared as doubles; of equal ones ndeval takes the largest document id, the first of the pool.
    pool = (batch.pool > 0.0).astype(np.float64)
    return Greedy(pool, np.ones(pool.shape[:2]), Decay(alpha), np.zeros(pool.shape[1:]), tie=0.0)


# --- gains cumulated with the discount 1/log2(i+1), or 1/i for what ndeval calls ERR-IA -------------------------------


def cumulate(batch: Batch, cutoff: int, alpha: float, beta: float, *, by_rank: bool = False) -> Array:
    """Σ_{i≤k} G(i) d(i) over the same of the ideal ideal list; at k = 1 ndeval does not divide, so it may exceed 1."""
    depth = _depth(cutoff)
    gained = batch.at_cutoff(_sum_gains(batch, by_rank, alpha), depth)
    return np.asarray(gained / _unit(batch, by_rank, alpha, depth)[batch.topic])


def over_ideal(batch: Batch, cutoff: int, alpha: float, beta: float, *, by_rank: bool = False) -> Array:
    """A cumulated measure over that of the greedy list; 0 wherever α-DCG@k is 0, for nERR-IA too."""
    anything = cumulate(batch, cutoff, alpha, beta) != 0.0
    value = cumulate(batch, cutoff, alpha, beta, by_rank=by_rank)
    best = _best(batch, by_rank, alpha, _depth(cutoff))[batch.topic]
    return np.divide(value, best, out=np.zeros_like(value), where=anything)


@once
def _sum_gains(batch: Batch, by_rank: bool, alpha: float) -> Array:
    """Σ G(i) d(i) so far, whatever the cutoff."""
    gains = _gains(batch, alpha)
    return running(gains / _ranks(batch) if by_rank else gains * at_hits(batch, _discount))


def _gains_at_ranks(batch: Batch, by_rank: bool, gains: Array) -> Array:
    """G(i) d(i) for gains at the ranks 1, 2, …"""
    count = gains.shape[-1]
    return np.asarray(gains / np.arange(1.0, count + 1) if by_rank else gains * at_first(batch, _discount, count))


@once_for_pool
def _best(batch: Batch, by_rank: bool, alpha: float, depth: int) -> Array:
    """The value of the greedy list of each topic."""
    gained = last(_gains_at_ranks(batch, by_rank, _ideal(batch, alpha).first(depth)))
    return np.asarray(gained / _unit(batch, by_rank, alpha, depth))


@once_for_pool
def _unit(batch: Batch, by_rank: bool, alpha: float, depth: int) -> Array:
    """The value of the ideal ideal list of each topic."""
    if depth == 1:
        return np.ones(len(batch.aspects))
    sizes, which = np.unique(batch.aspects, return_inverse=True)
    return np.array([_of_aspects(batch, by_rank, alpha, depth, int(size)) for size in sizes])[which]


def _of_aspects(batch: Batch, by_rank: bool, alpha: float, depth: int, aspects: int) -> float:
    key = (_of_aspects, by_rank, alpha, depth, aspects)
    if key not in batch.tables:
        covering_all = _falling(float(aspects), 1.0 - alpha, depth)
        batch.tables[key] = float(last(_gains_at_ranks(batch, by_rank, covering_all))) if aspects else 1.0
    return float(batch.tables[key])


# --- the others -------------------------------------------------------------------------------------------------------


def nrbp(batch: Batch, cutoff: int | None, alpha: float, beta: float) -> Array:
    """(1 − (1−α)β)/A · Σ_i G(i) β^(i−1) over the whole run."""
    longest = int(batch.lookup.max(initial=0))
    decay = look_up(batch.table(_decays, beta, longest=longest), batch.divisors - 1)
    gained = batch.at_cutoff(running(_gains(batch, alpha) * decay), None)
    return np.asarray(gained * _scale(batch, alpha, beta)[batch.topic])


def nrbp_over_ideal(batch: Batch, cutoff: int | None, alpha: float, beta: float) -> Array:
    """NRBP over that of the greedy list: 0/0, not a number, for a topic without a relevant document, as in ndeval."""
    with np.errstate(invalid="ignore"):
        best = _best_nrbp(batch, alpha, beta)[batch.topic]
        return np.asarray(nrbp(batch, cutoff, alpha, beta) / best)


def _scale(batch: Batch, alpha: float, beta: float) -> Array:
    """(1 − (1−α)β)/A of each topic."""
    return np.asarray((1.0 - (1.0 - alpha) * beta) / np.maximum(batch.aspects, 1))


@once_for_pool
def _best_nrbp(batch: Batch, alpha: float, beta: float) -> Array:
    """NRBP of the greedy list of all relevant documents, down to where no term changes a bit of the sum."""
    ideal, documents = _ideal(batch, alpha), batch.pool.shape[2]
    depth = 64
    while True:
        gains = ideal.first(depth)
        count = gains.shape[1]
        terms = gains * batch.table(_decays, beta, longest=count)[:count]
        value = last(terms)
        if depth >= documents or (terms[:, -1] <= np.spacing(value) / 4).all():
            return np.asarray(value * _scale(batch, alpha, beta))
        depth *= 2


def mean_average_precision(batch: Batch, cutoff: int | None, alpha: float, beta: float) -> Array:
    """(1/A) Σ_t (1/R_t) Σ_i b(i,t) (c(i,t)+1)/i over the whole run."""
    out = np.zeros(batch.rows)
    relevant = _relevant(batch)
    precisions = running(relevant * running(relevant) / _ranks(batch))
    in_judgments = np.maximum(np.count_nonzero(batch.pool, axis=-1), 1)[:, batch.topic]
    for value in batch.at_cutoff(precisions, None) / in_judgments:
        out += value
    return out / _aspects(batch)


def precision(batch: Batch, cutoff: int, alpha: float, beta: float) -> Array:
    """Σ_{i≤k} Σ_t b(i,t) / (k A), also where the run is shorter than k."""
    depth = _depth(cutoff)
    return np.asarray(batch.at_cutoff(_hits(batch), depth) / (depth * _aspects(batch)))


@once
def _hits(batch: Batch) -> Array:
    """Pairs of a relevant document and an aspect so far."""
    return running(_relevant(batch).sum(axis=0))


def recall(batch: Batch, cutoff: int, alpha: float, beta: float) -> Array:
    """Aspects covered within k, over A."""
    return SubtopicRecall(cutoff=_depth(cutoff)).score(batch)


def _aspects(batch: Batch) -> NDArray[np.int64]:
    """A of each row's topic, 1 where it has none."""
    return np.maximum(batch.aspects, 1)[batch.topic]


def _decays(beta: float, longest: int) -> Array:
    return _falling(1.0, beta, longest + 1)


def _falling(first: float, keep: float, count: int) -> Array:
    """first, first·keep, first·keep·keep, …, multiplied step by step: powers would differ in the last bits."""
    return np.asarray(np.cumprod([first] + [keep] * (count - 1)))


# --- exact forms ------------------------------------------------------------------------------------------------------

MOST_RANKS = 2000  # of an exact bound: its fraction has a digit for almost every rank


def _exact_err_ia(cutoff: int, alpha: Number, beta: Number, *, by_rank: bool = True) -> Formula:
    """Σ_i G(i)/i over A Σ_i (1−α)^(i−1)/i; G(1) at k = 1. The constant is left out where α is a symbol."""
    if cutoff == 1:
        return Sum(BinaryAspects(), Reciprocal(), Decay(alpha))
    bound = _harmonic(cutoff, exactly(alpha)) if isinstance(alpha, int | float | Fraction) else Fraction(1)
    return Sum(BinaryAspects(averaged=True), Scaled(Reciprocal(), 1 / bound), Decay(alpha))


@lru_cache(maxsize=32)
def _harmonic(cutoff: int, alpha: Fraction) -> Fraction:
    """Σ_{i≤k} (1−α)^(i−1)/i."""
    if cutoff > MOST_RANKS:
        raise UsageError("metric-not-exact", f"ndeval.ERR_IA@{cutoff} is computed exactly up to @{MOST_RANKS}")
    total, keep = Fraction(0), Fraction(1)
    for i in range(1, cutoff + 1):
        total, keep = total + keep / i, keep * (1 - alpha)
    return total


def _exact_share(discount: Discount) -> Callable[..., Formula]:
    """α-nDCG or nERR-IA: the bound is the same for the list and for the greedy list, so it is left out."""

    def form(cutoff: int, alpha: Number, beta: Number, *, by_rank: bool = False) -> Formula:
        return Normalised(Sum(BinaryAspects(), discount, Decay(alpha)))

    return form


def _exact_nrbp(cutoff: None, alpha: Number, beta: Number) -> Formula:
    fixed = isinstance(alpha, int | float | Fraction) and isinstance(beta, int | float | Fraction)
    by = 1 - (1 - exactly(alpha)) * exactly(beta) if fixed else 1
    discount = Geometric(beta, start=0) if by == 1 else Scaled(Geometric(beta, start=0), by)
    return Sum(BinaryAspects(averaged=True), discount, Decay(alpha))


def _exact_precision(cutoff: int, alpha: Number, beta: Number) -> Formula:
    return Sum(BinaryAspects(averaged=True), Scaled(Flat(), Fraction(1, cutoff)))


def _exact_recall(cutoff: int, alpha: Number, beta: Number) -> Formula:
    return SubtopicRecall()


_entry = entries_under(
    "ndeval",
    "ndeval 4.5, TREC Web Track 2014",
    Parameter("alpha", 0.5, "how much each document seen on an aspect takes off the next", 0, 1, in_name=False),
    Parameter("beta", 0.5, "patience of NRBP", 0, 1, in_name=False),
    order=OrderRule(),
    rule=RelevanceRule(gain="binary", weights="uniform"),
    cutoffs="needed",
)

NDEVAL = [
    _entry(
        "ERR_IA",
        cumulate,
        "α-discounted gain by 1/rank, over the ideal ideal list",
        "Σ_{i≤k} G(i)/i / Σ_{i≤k} U(i)/i; @1 not divided",
        fixed={"by_rank": True},
        form=_exact_err_ia,
        label="ERR-IA",
        variant="TREC",
        ignored=("beta",),
    ),
    _entry(
        "nERR_IA",
        over_ideal,
        "ndeval's ERR-IA over that of the greedy list",
        "ERR-IA@k / ERR-IA@k(greedy ideal)",
        fixed={"by_rank": True},
        form=_exact_share(Reciprocal()),
        label="nERR-IA",
        variant="TREC",
        ignored=("beta",),
    ),
    _entry(
        "alpha_DCG",
        cumulate,
        "α-discounted gain by the logarithm of the rank, over the ideal ideal list",
        "Σ_{i≤k} G(i)/log2(i+1) / Σ_{i≤k} U(i)/log2(i+1); @1 not divided",
        label="α-DCG",
        variant="TREC",
        ignored=("beta",),
    ),
    _entry(
        "alpha_nDCG",
        over_ideal,
        "ndeval's α-DCG over that of the greedy list",
        "α-DCG@k / α-DCG@k(greedy ideal)",
        form=_exact_share(Log()),
        label="α-nDCG",
        variant="TREC",
        ignored=("beta",),
    ),
    _entry(
        "NRBP",
        nrbp,
        "rank-biased precision that rewards an aspect less with every repetition, over its bound",
        "(1 − (1−α)β)/A · Σ_i G(i) β^(i−1)",
        cutoffs=False,
        form=_exact_nrbp,
        label="NRBP",
        variant="TREC",
    ),
    _entry(
        "nNRBP",
        nrbp_over_ideal,
        "NRBP over that of the greedy list; not a number where nothing is relevant",
        "NRBP / NRBP(greedy ideal)",
        cutoffs=False,
        label="nNRBP",
        variant="TREC",
    ),
    _entry(
        "MAP_IA",
        mean_average_precision,
        "average precision per aspect, all aspects alike",
        "(1/A) Σ_t (1/R_t) Σ_i b(i,t) (c(i,t)+1)/i",
        cutoffs=False,
        ignored=("alpha", "beta"),
    ),
    _entry(
        "P_IA",
        precision,
        "precision per aspect, all aspects alike",
        "Σ_{i≤k} Σ_t b(i,t) / (k A)",
        form=_exact_precision,
        ignored=("alpha", "beta"),
    ),
    _entry(
        "strec",
        recall,
        "share of the aspects covered",
        "|{t : b(i,t) for some i ≤ k}| / A",
        aliases=("ndeval.StRecall",),
        form=_exact_recall,
        ignored=("alpha", "beta"),
    ),
]
