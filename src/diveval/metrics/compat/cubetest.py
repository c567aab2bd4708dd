"""The Cube Test of the TREC Dynamic Domain track, in rounds: the scorer of 2015 and 2016, and that of 2017.

Each aspect is a cube of height H = 5. ρ(d,t) comes from the ratings of the document's passages on t: their sum (2017),
or Σ_j ρ_(j)/log2(j+1) with the best first (2015, 2016); a rating of 0 counts as 1. The c-th document on an aspect
fills it by γ^c ρ, γ = 1/2, until it is full. A run without rounds shows five documents a round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from diveval.judgments import RelevanceRule, TopicJudgments
from diveval.metrics.algebra import Array
from diveval.metrics.batch import PADDING, Batch, divided
from diveval.metrics.compat.base import ToolFormula
from diveval.metrics.metric import Entry, Parameter
from diveval.metrics.source import source_of
from diveval.rankings import TopicRanking
from diveval.runs import OrderRule

GAMMA = 0.5
HEIGHT = 5.0
ROUND = 5  # documents, where the run does not say


def ratings(discounted: bool, batch: Batch) -> list[Array]:
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


@dataclass(frozen=True, eq=False)
class Filling:
    """What one run has filled: the gain after each document of the rounds that count, and those documents' rounds."""

    gains: Array
    rounds: NDArray[np.int64]
    last: int  # the last round that counts


@dataclass(frozen=True)
class CubeFormula(ToolFormula):
    """A measure of the Cube Test; the cutoff counts rounds."""

    year: str = "2017"

    def score(self, batch: Batch) -> Array:
        return np.array([self.value(filling) for filling in batch.once(_fillings, self._old, self.cutoff)])

    def value(self, filling: Filling) -> float:
        raise NotImplementedError

    @property
    def _old(self) -> bool:
        return self.year != "2017"


def cubes(old: bool, rho: Array) -> int:
    """How many cubes there are: in 2015 and 2016 the aspects with a rated passage, in 2017 all; 1 without any."""
    return max(int(np.count_nonzero(rho.any(axis=1))) if old else len(rho), 1)


def _fillings(old: bool, cutoff: int | None, batch: Batch) -> list[Filling]:
    rho, source = batch.once(ratings, old), source_of(batch)
    return [
        _filling(source.ranking(row), rho[topic], cubes(old, rho[topic]), cutoff)
        for row, topic in enumerate(batch.topic)
    ]


def _filling(ranking: TopicRanking, rho: Array, aspects: int, cutoff: int | None) -> Filling:
    rounds = rounds_of(ranking)
    limit = PADDING if cutoff is None else cutoff
    shown = int(np.count_nonzero(rounds <= limit))
    last = min(int(rounds[-1]), limit) if len(rounds) else 0
    met = rho[:, ranking.rows]
    heights = np.cumsum(GAMMA ** np.cumsum(met > 0.0, axis=1) * met, axis=1)
    after = np.minimum(heights, HEIGHT).sum(axis=0) / aspects
    gained = np.r_[0.0, after][np.searchsorted(ranking.ranks, np.arange(1, shown + 1), side="right")]
    return Filling(gained, rounds[:shown], last)


class CubeTest(CubeFormula):
    """CT = gain / (H · rounds)."""

    def value(self, filling: Filling) -> float:
        return float(filling.gains[-1]) / HEIGHT / filling.last if len(filling.gains) else 0.0


class AverageCubeTest(CubeFormula):
    """ACT = the mean over documents of (gain so far) / (H · its round); 2017 puts a document into each empty round."""

    def value(self, filling: Filling) -> float:
        gains, rounds = filling.gains, filling.rounds
        if self.year == "2017":
            missing = np.setdiff1d(np.arange(1, filling.last + 1), rounds)
            before = np.searchsorted(rounds, missing)
            gains = np.r_[gains, np.r_[0.0, gains][before]]
            rounds = np.r_[rounds, missing]
        return float(np.mean(gains / HEIGHT / rounds)) if len(gains) else 0.0


class NormalisedCubeTest(CubeTest):
    """CT over a bound: each cube filled by its best documents, at most 5k + 1 of them, the first not halved.

    A run that ends before round k is divided by its own rounds, the bound by k, so nCT may exceed 1.
    """

    def score(self, batch: Batch) -> Array:
        bounds = np.array([self._bound(rho) for rho in batch.once(ratings, self._old)])
        return divided(super().score(batch), bounds[batch.topic])

    def _bound(self, rho: Array) -> float:
        best = -np.sort(-rho)[:, : ROUND * self.depth + 1]
        filled = np.minimum((best * GAMMA ** np.arange(best.shape[1])).sum(axis=1), HEIGHT)
        return float(filled.sum()) / cubes(self._old, rho) / HEIGHT / self.depth


def _order(year: str) -> OrderRule:
    """2017 sorts each round by score; before, the file's order stands."""
    return OrderRule("score", "file") if year == "2017" else OrderRule("file")


def _entry(
    name: str,
    build: Callable[..., CubeFormula],
    meaning: str,
    formula: str,
    *,
    years: tuple[str, ...] = ("2015", "2016", "2017"),
    cut: bool = False,
) -> Entry:
    year = Parameter("year", "2017", "whose scorer: 2015 and 2016 share one", choices=years)
    return Entry(
        f"cubetest.{name}",
        build,
        meaning,
        formula,
        "TREC Dynamic Domain, Luo et al. 2013",
        (year,),
        rule=RelevanceRule(gain="raw", weights="uniform"),
        order=_order,
        mean_over="both",
        cutoffs="needed" if cut else True,
    )


CUBETEST = [
    _entry("CT", CubeTest, "gain per round of filling one cube per aspect, to round k", "gain / (H · rounds)"),
    _entry(
        "ACT",
        AverageCubeTest,
        "the same averaged over the documents on the way",
        "mean over documents of (gain so far) / (H · round)",
    ),
    _entry(
        "nCT",
        NormalisedCubeTest,
        "CT over a bound for k full rounds",
        "CT@k / ((1/A) Σ_t min(H, Σ_{i≤5k+1} γ^(i−1) ρ_(i)) / (H k))",
        years=("2017",),
        cut=True,
    ),
]
