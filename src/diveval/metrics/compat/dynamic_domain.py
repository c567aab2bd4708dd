"""The scorers of the TREC Dynamic Domain track: the Cube Test in rounds, ERR per aspect, what is read until every aspect
has been seen, and nSDCG.

Each aspect is a cube of height H = 5. ρ(d,t) comes from the ratings of the document's passages on t: their sum (2017),
or Σ_j ρ_(j)/log2(j+1) with the best first (2015, 2016); a rating of 0 counts as 1. The c-th document on an aspect
fills it by γ^c ρ, γ = 1/2, until it is full. A run without rounds shows five documents a round.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from diveval.collection.judgments import TopicJudgments
from diveval.collection.rankings import TopicRanking
from diveval.metrics.algebra import Array, Aspects, Cascade, running
from diveval.metrics.batch import PADDING, Batch, divide, last, once, source_of
from diveval.metrics.compat.base import entries_under
from diveval.metrics.metric import Parameter, choice
from diveval.settings import OrderRule, RelevanceRule

GAMMA = 0.5
HEIGHT = 5.0
ROUND = 5  # documents, where the run does not say
HIGHEST = 4.0  # of the ratings

# How far one run fills the cubes: the gain after each document of the rounds that count, those documents' rounds, and
# the last round.
Filling = tuple[Array, NDArray[np.int64], int]


@once
def ratings(batch: Batch, discounted: bool) -> list[Array]:
    """ρ of each topic."""
    source = source_of(batch)
    return [_ratings(discounted, source.judgments(t)) for t in range(len(batch.aspects))]


def _ratings(discounted: bool, topic: TopicJudgments) -> Array:
    """ρ, (aspect, document); negative ratings are passages that were not rated."""
    out = np.zeros((len(topic.aspects), len(topic.documents)))
    rated = topic.grades >= 0
    columns, rows = topic.columns[rated], topic.rows[rated]
    grades = np.where(topic.grades[rated] == 0, 1.0, topic.grades[rated])
    order = np.lexsort((-grades, rows, columns))
    cell = columns[order].astype(np.int64) * len(topic.documents) + rows[order]
    place = np.arange(len(cell)) - np.searchsorted(cell, cell)  # among the passages of its document on its aspect
    np.add.at(out, (columns[order], rows[order]), grades[order] / np.log2(place + 2.0) if discounted else grades[order])
    return out


def rounds_of(ranking: TopicRanking) -> NDArray[np.int64]:
    """The round of each rank, from 1."""
    if ranking.iterations is not None:
        return ranking.iterations + 1
    return np.arange(ranking.length) // ROUND + 1


# --- the Cube Test; its cutoff counts rounds --------------------------------------------------------------------------


def cubes(old: bool, rho: Array) -> int:
    """How many cubes there are: in 2015 and 2016 the aspects with a rated passage, in 2017 all; 1 without any."""
    return max(int(np.count_nonzero(rho.any(axis=1))) if old else len(rho), 1)


@once
def _fillings(batch: Batch, old: bool, cutoff: int | None) -> list[Filling]:
    rho, source = ratings(batch, old), source_of(batch)
    return [
        _filling(source.ranking(row), rho[topic], cubes(old, rho[topic]), cutoff)
        for row, topic in enumerate(batch.topic)
    ]


def _filling(ranking: TopicRanking, rho: Array, aspects: int, cutoff: int | None) -> Filling:
    rounds = rounds_of(ranking)
    limit = PADDING if cutoff is None else cutoff
    shown = int(np.count_nonzero(rounds <= limit))
    end = min(int(rounds[-1]), limit) if len(rounds) else 0
    met = rho[:, ranking.rows]
    heights = np.cumsum(GAMMA ** np.cumsum(met > 0.0, axis=1) * met, axis=1)
    after = np.minimum(heights, HEIGHT).sum(axis=0) / aspects
    gained = np.r_[0.0, after][np.searchsorted(ranking.ranks, np.arange(1, shown + 1), side="right")]
    return gained, rounds[:shown], end


def cube_test(batch: Batch, cutoff: int | None, year: str) -> Array:
    """CT = gain / (H · rounds)."""
    fillings = _fillings(batch, year != "2017", cutoff)
    return np.array([float(gains[-1]) / HEIGHT / end if len(gains) else 0.0 for gains, _, end in fillings])


def average_cube_test(batch: Batch, cutoff: int | None, year: str) -> Array:
    """ACT = the mean over documents of (gain so far) / (H · its round); 2017 adds a document to each empty round."""
    fillings = _fillings(batch, year != "2017", cutoff)
    return np.array([_average(*filling, with_empty=year == "2017") for filling in fillings])


def _average(gains: Array, rounds: NDArray[np.int64], end: int, *, with_empty: bool) -> float:
    if with_empty:
        missing = np.setdiff1d(np.arange(1, end + 1), rounds)
        before = np.searchsorted(rounds, missing)
        gains = np.r_[gains, np.r_[0.0, gains][before]]
        rounds = np.r_[rounds, missing]
    return float(np.mean(gains / HEIGHT / rounds)) if len(gains) else 0.0


def normalised_cube_test(batch: Batch, cutoff: int, year: str) -> Array:
    """CT over a bound: each cube filled by its best documents, at most 5k + 1 of them, the first not halved.

    A run that ends before round k is divided by its own rounds, the bound by k, so nCT may exceed 1.
    """
    old = year != "2017"
    bounds = np.array([_bound(old, cutoff, rho) for rho in ratings(batch, old)])
    return divide(cube_test(batch, cutoff, year), bounds[batch.topic])


def _bound(old: bool, depth: int, rho: Array) -> float:
    best = -np.sort(-rho)[:, : ROUND * depth + 1]
    filled = np.minimum((best * GAMMA ** np.arange(best.shape[1])).sum(axis=1), HEIGHT)
    return float(filled.sum()) / cubes(old, rho) / HEIGHT / depth


def _order(year: str) -> OrderRule:
    """2017 sorts each round by score; earlier scorers use the file's order."""
    return OrderRule("score", "file") if year == "2017" else OrderRule("file")


_cube = entries_under(
    "cubetest",
    "TREC Dynamic Domain, Luo et al. 2013",
    rule=RelevanceRule(gain="raw", weights="uniform"),
    order=_order,
    mean_over="both",
)


def _years(*years: str) -> Parameter:
    return Parameter("year", "2017", "whose scorer: 2015 and 2016 share one", choices=years)


CUBETEST = [
    _cube(
        "CT",
        cube_test,
        "gain per round of filling one cube per aspect, to round k",
        "gain / (H · rounds)",
        _years("2015", "2016", "2017"),
    ),
    _cube(
        "ACT",
        average_cube_test,
        "the same averaged over the documents on the way",
        "mean over documents of (gain so far) / (H · round)",
        _years("2015", "2016", "2017"),
    ),
    _cube(
        "nCT",
        normalised_cube_test,
        "CT over a bound for k full rounds",
        "CT@k / ((1/A) Σ_t min(H, Σ_{i≤5k+1} γ^(i−1) ρ_(i)) / (H k))",
        _years("2017"),
        cutoffs="needed",
    ),
]


# --- ERR, recall of aspects, nSDCG ------------------------------------------------------------------------------------


def average_err(
    batch: Batch,
    cutoff: int | None,
    mean: Literal["arithmetic", "harmonic"],
    over: Literal["touched", "all"],
    relevance: Literal["graded", "binary"],
) -> Array:
    """The mean over aspects of ERR_t, r = (2^rating − 1)/2^4 of the best passage, or 1 for a relevant document.

    The scorer's mean is over the aspects the run touched: one never seen is left out, not 0.
    """
    r = batch.relevance if relevance == "graded" else np.sign(batch.relevance)
    errs = batch.at_cutoff(running(r * Cascade().table(r) / batch.divisors), cutoff)
    columns = [column[own] for column, own in zip(errs.T, batch.own().T, strict=True)]
    return np.array([_mean(column[column > 0.0] if over == "touched" else column, mean) for column in columns])


def _mean(values: Array, mean: str) -> float:
    if not len(values) or (mean == "harmonic" and not values.all()):
        return 0.0
    return float(values.mean() if mean == "arithmetic" else len(values) / (1.0 / values).sum())


def _stops(batch: Batch, cutoff: int | None) -> NDArray[np.int64]:
    """The rank at which every aspect has been seen, or the end of the list."""
    complete = np.where(batch.own(), batch.first_ranks(Aspects()), 1).max(axis=0, initial=1)
    return np.asarray(np.minimum(complete, batch.visible(cutoff)))


def precision_at_recall(batch: Batch, cutoff: int | None) -> Array:
    """The share of documents relevant to something, down to the rank at which every aspect has been seen."""
    return _share_at_recall(np.ones(batch.ranks.shape), batch, cutoff)


def modified_precision_at_recall(batch: Batch, cutoff: int | None) -> Array:
    """The same, a document counting the share of its own aspects that are new."""
    relevant = batch.relevance > 0.0
    new = relevant & (running(relevant) == 1)
    return _share_at_recall(new.sum(axis=0) / np.maximum(relevant.sum(axis=0), 1), batch, cutoff)


def _share_at_recall(credit: Array, batch: Batch, cutoff: int | None) -> Array:
    """`credit` is the value of each hit."""
    stops = _stops(batch, cutoff)
    seen = batch.ranks <= stops[:, np.newaxis]
    return np.asarray(last(seen * credit) / np.maximum(stops, 1))


def reciprocal_rank_at_recall(batch: Batch, cutoff: int | None) -> Array:
    """1 / the rank at which every aspect has been seen; 1/n if that never happens."""
    stops = _stops(batch, cutoff)
    return np.where(stops > 0, 1.0 / np.maximum(stops, 1), 0.0)


def session_dcg(batch: Batch, cutoff: int | None, base: float) -> Array:
    """Σ over rounds j of DCG_j / (1 + log_b j), over that of the ideal session, over the number of the last round.

    The gain of a document is 2^x − 1, x the mean over aspects of its ratings Σ_j ρ_(j)/log2(j+1).
    """
    rankings = map(source_of(batch).ranking, range(batch.rows))
    sessions = [_session(rho, base) for rho in ratings(batch, True)]
    return np.array(
        [_of_ideal(cutoff, base, ranking, *sessions[t]) for ranking, t in zip(rankings, batch.topic, strict=True)]
    )


def _session(rho: Array, base: float) -> tuple[Array, Array]:
    """The gain of each judged document of a topic, and the ideal session's value after each document."""
    gains = np.exp2(rho.sum(axis=0) / max(len(rho), 1)) - 1.0
    falling = -np.sort(-gains[rho.any(axis=0)])
    return gains, np.r_[0.0, np.cumsum(_discount(falling, np.arange(len(falling)) // ROUND, base))]


def _of_ideal(cutoff: int | None, base: float, ranking: TopicRanking, gains: Array, best: Array) -> float:
    rounds = rounds_of(ranking)
    rounds = rounds[rounds <= (PADDING if cutoff is None else cutoff)]
    ideal = best[min(len(rounds), len(best) - 1)]
    if not ideal > 0.0:
        return 0.0
    listed = np.zeros(ranking.length)
    listed[ranking.ranks - 1] = gains[ranking.rows]
    _, nth = np.unique(rounds, return_inverse=True)
    return float(_discount(listed[: len(rounds)], nth, base).sum() / ideal / rounds[-1])


def _discount(gains: Array, nth: NDArray[np.int64], base: float) -> Array:
    """Gains in the order shown, by their place in the round and the round, counted from 0."""
    starts = np.searchsorted(nth, nth)
    place = np.arange(len(gains)) - starts + 1.0
    return np.asarray(gains / np.log2(place + 1.0) / (1.0 + np.log(nth + 1.0) / math.log(base)))


_entry = entries_under(
    "dd",
    "TREC Dynamic Domain 2015",
    rule=RelevanceRule(gain="binary", weights="uniform"),
    order=OrderRule("file"),
    mean_over="both",
)

DYNAMIC_DOMAIN = [
    _entry(
        "ERR",
        average_err,
        "the mean of ERR over the aspects the run touched",
        "mean over t of Σ_i (1/i) r(i,t) Π_{j<i} (1 − r(j,t)), r = (2^g−1)/2^4",
        choice("mean", "the kind of mean", "arithmetic", "harmonic", in_name=True),
        choice("over", "the aspects of the mean: those the run touched, or all", "touched", "all"),
        choice("relevance", "graded, or 1 for every relevant document", "graded", "binary"),
        rule=RelevanceRule(gain="exponential", gmax=HIGHEST, weights="uniform"),
    ),
    _entry(
        "P_at_recall",
        precision_at_recall,
        "precision down to the rank at which every aspect has been seen",
        "relevant documents down to s / s, s = min{i : all aspects seen}, n if never",
    ),
    _entry(
        "mP_at_recall",
        modified_precision_at_recall,
        "the same, counting of each document the new aspects",
        "(1/s) Σ_{i≤s} new aspects of i / aspects of i",
    ),
    _entry(
        "RR_at_recall",
        reciprocal_rank_at_recall,
        "1 / the rank at which every aspect has been seen",
        "1/s, s = min{i : all aspects seen}, n if never",
    ),
    entries_under("dd", "TREC Dynamic Domain 2016, Järvelin et al. 2008")(
        "nSDCG",
        session_dcg,
        "DCG of a session in rounds, over that of the ideal session and the number of rounds",
        "Σ_j DCG_j/(1 + log_b j) / ideal / last round",
        Parameter("base", 2, "of the logarithm over rounds; more is more patient", 1, open_low=True, in_name=False),
        aliases=("dd.snDCG",),
        rule=RelevanceRule(gain="raw", weights="uniform"),
        order=OrderRule("file"),
        mean_over="both",
    ),
]
