"""The scorers of TREC Dynamic Domain 2015: ERR per aspect, what is read until every aspect has been seen, and nSDCG."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from diveval.judgments import RelevanceRule
from diveval.metrics.algebra import Array, Cascade, running
from diveval.metrics.batch import PADDING, Batch, last
from diveval.metrics.compat.base import ToolFormula
from diveval.metrics.compat.cubetest import ROUND, ratings, rounds_of
from diveval.metrics.metric import Entry, Parameter
from diveval.metrics.source import source_of
from diveval.metrics.subtopics import first_ranks
from diveval.rankings import TopicRanking
from diveval.runs import OrderRule

HIGHEST = 4.0


@dataclass(frozen=True)
class AverageERR(ToolFormula):
    """The mean over aspects of ERR_t, r = (2^rating − 1)/2^4 of the best passage, or 1 for a relevant document.

    The scorer's mean is over the aspects the run touched: one never seen is left out, not 0.
    """

    mean: Literal["arithmetic", "harmonic"] = "arithmetic"
    over: Literal["touched", "all"] = "touched"
    relevance: Literal["graded", "binary"] = "graded"

    def score(self, batch: Batch) -> Array:
        r = batch.relevance if self.relevance == "graded" else np.sign(batch.relevance)
        errs = batch.at_cutoff(running(r * Cascade().table(r) / batch.divisors), self.cutoff)
        columns = [column[own] for column, own in zip(errs.T, batch.own().T, strict=True)]
        return np.array([self._mean(column[column > 0.0] if self.over == "touched" else column) for column in columns])

    def _mean(self, values: Array) -> float:
        if not len(values) or (self.mean == "harmonic" and not values.all()):
            return 0.0
        return float(values.mean() if self.mean == "arithmetic" else len(values) / (1.0 / values).sum())


def _stops(batch: Batch, cutoff: int | None) -> NDArray[np.int64]:
    """The rank at which every aspect has been seen, or the end of the list."""
    complete = np.where(batch.own(), first_ranks(batch), 1).max(axis=0, initial=1)
    return np.asarray(np.minimum(complete, batch.visible(cutoff)))


class PrecisionAtRecall(ToolFormula):
    """The share of documents relevant to something, down to the rank at which every aspect has been seen."""

    def score(self, batch: Batch) -> Array:
        stops = _stops(batch, self.cutoff)
        seen = batch.ranks <= stops[:, np.newaxis]
        return np.asarray(last(seen * self.credit(batch)) / np.maximum(stops, 1))

    def credit(self, batch: Batch) -> Array:
        """What a hit counts."""
        return np.ones(batch.ranks.shape)


class ModifiedPrecisionAtRecall(PrecisionAtRecall):
    """The same, a document counting the share of its own aspects that are new."""

    def credit(self, batch: Batch) -> Array:
        found = batch.relevance > 0.0
        new = found & (running(found) == 1)
        return np.asarray(new.sum(axis=0) / np.maximum(found.sum(axis=0), 1))


class ReciprocalRankAtRecall(ToolFormula):
    """1 / the rank at which every aspect has been seen; 1/n if that never happens."""

    def score(self, batch: Batch) -> Array:
        stops = _stops(batch, self.cutoff)
        return np.where(stops > 0, 1.0 / np.maximum(stops, 1), 0.0)


@dataclass(frozen=True)
class SessionDCG(ToolFormula):
    """Σ over rounds j of DCG_j / (1 + log_b j), over that of the ideal session, over the number of the last round.

    The gain of a document is 2^x − 1, x the mean over aspects of its ratings Σ_j ρ_(j)/log2(j+1).
    """

    base: float = 2

    def score(self, batch: Batch) -> Array:
        rankings = map(source_of(batch).ranking, range(batch.rows))
        sessions = [self._session(rho) for rho in batch.once(ratings, True)]
        return np.array(
            [self._one(ranking, *sessions[topic]) for ranking, topic in zip(rankings, batch.topic, strict=True)]
        )

    def _session(self, rho: Array) -> tuple[Array, Array]:
        """The gain of each judged document of a topic, and the ideal session's value after each document."""
        gains = np.exp2(rho.sum(axis=0) / max(len(rho), 1)) - 1.0
        falling = -np.sort(-gains[rho.any(axis=0)])
        return gains, np.r_[0.0, np.cumsum(self._discounted(falling, np.arange(len(falling)) // ROUND))]

    def _one(self, ranking: TopicRanking, gains: Array, best: Array) -> float:
        limit = PADDING if self.cutoff is None else self.cutoff
        rounds = rounds_of(ranking)
        rounds = rounds[rounds <= limit]
        ideal = best[min(len(rounds), len(best) - 1)]
        if not ideal > 0.0:
            return 0.0
        listed = np.zeros(ranking.length)
        listed[ranking.ranks - 1] = gains[ranking.rows]
        _, nth = np.unique(rounds, return_inverse=True)
        return float(self._discounted(listed[: len(rounds)], nth).sum() / ideal / rounds[-1])

    def _discounted(self, gains: Array, nth: NDArray[np.int64]) -> Array:
        """Gains in the order shown, by their place in the round and the round, counted from 0."""
        starts = np.searchsorted(nth, nth)
        place = np.arange(len(gains)) - starts + 1.0
        return np.asarray(gains / np.log2(place + 1.0) / (1.0 + np.log(nth + 1.0) / math.log(self.base)))


_GRADED = RelevanceRule(gain="exponential", gmax=HIGHEST, weights="uniform")
_REFERENCE = "TREC Dynamic Domain 2015"


def _word(name: str, meaning: str, *choices: str, in_name: bool = False) -> Parameter:
    return Parameter(name, choices[0], meaning, choices=choices, in_name=in_name)


DYNAMIC_DOMAIN = [
    Entry(
        "dd.ERR",
        AverageERR,
        "the mean of ERR over the aspects the run touched",
        "mean over t of Σ_i (1/i) r(i,t) Π_{j<i} (1 − r(j,t)), r = (2^g−1)/2^4",
        _REFERENCE,
        (
            _word("mean", "the kind of mean", "arithmetic", "harmonic", in_name=True),
            _word("over", "the aspects of the mean: those the run touched, or all", "touched", "all"),
            _word("relevance", "graded, or 1 for every relevant document", "graded", "binary"),
        ),
        rule=_GRADED,
        order=OrderRule("file"),
        mean_over="both",
    ),
    *(
        Entry(
            f"dd.{name}",
            build,
            meaning,
            formula,
            _REFERENCE,
            rule=RelevanceRule(gain="binary", weights="uniform"),
            order=OrderRule("file"),
            mean_over="both",
        )
        for name, build, meaning, formula in (
            (
                "P_at_recall",
                PrecisionAtRecall,
                "precision down to the rank at which every aspect has been seen",
                "relevant documents down to s / s, s = min{i : all aspects seen}, n if never",
            ),
            (
                "mP_at_recall",
                ModifiedPrecisionAtRecall,
                "the same, counting of each document the new aspects",
                "(1/s) Σ_{i≤s} new aspects of i / aspects of i",
            ),
            (
                "RR_at_recall",
                ReciprocalRankAtRecall,
                "1 / the rank at which every aspect has been seen",
                "1/s, s = min{i : all aspects seen}, n if never",
            ),
        )
    ),
    Entry(
        "dd.nSDCG",
        SessionDCG,
        "DCG of a session in rounds, over that of the ideal session and the number of rounds",
        "Σ_j DCG_j/(1 + log_b j) / ideal / last round",
        "TREC Dynamic Domain 2016, Järvelin et al. 2008",
        (Parameter("base", 2, "of the logarithm over rounds; more is more patient", 1, open_low=True, in_name=False),),
        aliases=("dd.snDCG",),
        rule=RelevanceRule(gain="raw", weights="uniform"),
        order=OrderRule("file"),
        mean_over="both",
    ),
]
