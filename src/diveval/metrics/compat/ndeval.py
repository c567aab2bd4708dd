"""ndeval 4.5, the reference of the TREC Web diversity tasks, as with `-traditional`; any cutoff, not only up to 20.

G(i) = Σ_t b(i,t) (1−α)^c(i,t) is the gain of a rank, A the number of aspects with a relevant document, and the "ideal
ideal" a list whose every document covers every aspect: its gain is U(i) = A (1−α)^(i−1).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from diveval.errors import UsageError
from diveval.judgments import RelevanceRule
from diveval.metrics.algebra import Array, Decay, looked_up, running
from diveval.metrics.batch import Batch, last
from diveval.metrics.compat.base import ToolFormula, at_first, at_hits
from diveval.metrics.ideal import Greedy
from diveval.metrics.metric import Entry, Parameter
from diveval.metrics.subtopics import first_ranks
from diveval.runs import OrderRule

DEEPEST = 1_000_000  # where ndeval's own numbers end


_LOG_2 = math.log(2.0)


def _discount(rank: int) -> float:
    return _LOG_2 / math.log(rank + 1.0)


@dataclass(frozen=True)
class NdevalFormula(ToolFormula):
    """A measure of ndeval: α takes off for each document seen on an aspect, β is the patience of NRBP."""

    alpha: float = 0.5
    beta: float = 0.5

    @property
    def depth(self) -> int:
        if super().depth > DEEPEST:
            raise UsageError(f"under ndeval's name a cutoff is at most {DEEPEST}, got @{self.cutoff}")
        return super().depth

    def ideal(self, batch: Batch) -> Greedy:
        """The greedy list over each topic's relevant documents: its gain at each rank."""
        return batch.once_for_pool(_ideal, self.alpha)


def _gains(alpha: float, batch: Batch) -> Array:
    """G at each hit, (row, hit)."""
    found = batch.relevance > 0.0
    above = (running(found) - found).astype(np.int64, copy=False)
    worth = _falling(1.0, 1.0 - alpha, found.shape[2])
    out = np.zeros_like(batch.ranks, dtype=np.float64)
    for gains in found * looked_up(worth, above):  # one aspect after the other
        out += gains
    return out


def _ideal(alpha: float, batch: Batch) -> Greedy:
    # Gains are compared as doubles; of equal ones ndeval takes the largest document id, the first of the pool.
    found = (batch.pool > 0.0).astype(np.float64)
    return Greedy(found, np.ones(found.shape[:2]), Decay(alpha), np.zeros(found.shape[1:]), tie=0.0)


class Cumulated(NdevalFormula):
    """Σ_{i≤k} G(i) d(i) over the same of the ideal ideal list; at k = 1 ndeval does not divide, so it may exceed 1."""

    def score(self, batch: Batch) -> Array:
        gained = batch.once(_gained, type(self), self.alpha)
        return np.asarray(batch.at_cutoff(gained, self.depth) / batch.once_for_pool(Cumulated._unit, self)[batch.topic])

    def discounted(self, gains: Array, batch: Batch) -> Array:
        """G(i) d(i) at each hit."""
        return gains * at_hits(batch, _discount)

    def listed(self, gains: Array, batch: Batch) -> Array:
        """The same for gains at the ranks 1, 2, …"""
        return gains * at_first(batch, _discount, gains.shape[-1])

    def best(self, batch: Batch) -> Array:
        """The value of the greedy list of each topic."""
        gained = last(self.listed(self.ideal(batch).first(self.depth), batch))
        return np.asarray(gained / batch.once_for_pool(Cumulated._unit, self))

    def _unit(self, batch: Batch) -> Array:
        """The value of the ideal ideal list of each topic."""
        if self.depth == 1:
            return np.ones(len(batch.aspects))
        sizes, which = np.unique(batch.aspects, return_inverse=True)
        return np.array([self._of_aspects(int(size), batch) for size in sizes])[which]

    def _of_aspects(self, aspects: int, batch: Batch) -> float:
        key = (type(self), self.alpha, self.depth, aspects)
        if key not in batch.tables:
            covering_all = _falling(float(aspects), 1.0 - self.alpha, self.depth)
            batch.tables[key] = float(last(self.listed(covering_all, batch))) if aspects else 1.0
        return float(batch.tables[key])


def _gained(measure: type[Cumulated], alpha: float, batch: Batch) -> Array:
    """Σ G(i) d(i) so far, whatever the cutoff."""
    return running(measure().discounted(batch.once(_gains, alpha), batch))


class CumulatedByRank(Cumulated):
    """The same with the discount 1/i: what ndeval calls ERR-IA."""

    def discounted(self, gains: Array, batch: Batch) -> Array:
        return np.asarray(gains / batch.divisors)

    def listed(self, gains: Array, batch: Batch) -> Array:
        return np.asarray(gains / np.arange(1.0, gains.shape[-1] + 1))


@dataclass(frozen=True)
class OverIdeal(NdevalFormula):
    """A cumulated measure over that of the greedy list; 0 wherever α-DCG@k is 0, for nERR-IA too."""

    measure: type[Cumulated] = Cumulated

    def score(self, batch: Batch) -> Array:
        asked = self.measure(self.alpha, cutoff=self.cutoff)
        anything = Cumulated(self.alpha, cutoff=self.cutoff).score(batch) != 0.0
        value = asked.score(batch)
        best = batch.once_for_pool(Cumulated.best, asked)[batch.topic]
        return np.divide(value, best, out=np.zeros_like(value), where=anything)


class NRBP(NdevalFormula):
    """(1 − (1−α)β)/A · Σ_i G(i) β^(i−1) over the whole run."""

    def score(self, batch: Batch) -> Array:
        decay = looked_up(self._decay(batch, int(batch.lookup.max(initial=0))), batch.divisors - 1)
        gained = batch.at_cutoff(running(batch.once(_gains, self.alpha) * decay), None)
        return np.asarray(gained * self.scale(batch)[batch.topic])

    def scale(self, batch: Batch) -> Array:
        """(1 − (1−α)β)/A of each topic."""
        return np.asarray((1.0 - (1.0 - self.alpha) * self.beta) / np.maximum(batch.aspects, 1))

    def best(self, batch: Batch) -> Array:
        """NRBP of the greedy list, which has every relevant document; the far ones only as long as they add a bit."""
        ideal, documents = self.ideal(batch), batch.pool.shape[2]
        depth = 64
        while True:
            gains = ideal.first(depth)
            terms = gains * self._decay(batch, gains.shape[1])[: gains.shape[1]]
            value = last(terms)
            if depth >= documents or (terms[:, -1] <= np.spacing(value) / 4).all():
                return np.asarray(value * self.scale(batch))
            depth *= 2

    def _decay(self, batch: Batch, longest: int) -> Array:
        """β^(i−1), rank 1 first."""
        return batch.table(_decays, self.beta, longest=longest)


class NRBPOverIdeal(NRBP):
    """NRBP over that of the greedy list: 0/0, not a number, for a topic without a relevant document, as in ndeval."""

    def score(self, batch: Batch) -> Array:
        with np.errstate(invalid="ignore"):
            return np.asarray(super().score(batch) / batch.once_for_pool(NRBP.best, self)[batch.topic])


class MeanAveragePrecision(NdevalFormula):
    """(1/A) Σ_t (1/R_t) Σ_i b(i,t) (c(i,t)+1)/i over the whole run."""

    def score(self, batch: Batch) -> Array:
        out = np.zeros(batch.rows)
        relevant = batch.relevance > 0.0
        precisions = running(relevant * running(relevant) / batch.divisors)
        in_judgments = np.maximum(np.count_nonzero(batch.pool, axis=-1), 1)[:, batch.topic]
        for value in batch.at_cutoff(precisions, None) / in_judgments:
            out += value
        return out / _aspects(batch)


class Precision(NdevalFormula):
    """Σ_{i≤k} Σ_t b(i,t) / (k A), also where the run is shorter than k."""

    def score(self, batch: Batch) -> Array:
        return np.asarray(batch.at_cutoff(batch.once(_found), self.depth) / (self.depth * _aspects(batch)))


def _found(batch: Batch) -> Array:
    return running(np.count_nonzero(batch.relevance, axis=0))


class Recall(NdevalFormula):
    """Aspects covered within k, over A."""

    def score(self, batch: Batch) -> Array:
        covered = np.count_nonzero(first_ranks(batch) <= self.depth, axis=0)
        return np.asarray(covered / _aspects(batch))


def _aspects(batch: Batch) -> NDArray[np.int64]:
    """A of each row's topic, 1 where it has none."""
    return np.maximum(batch.aspects, 1)[batch.topic]


def _decays(beta: float, longest: int) -> Array:
    return _falling(1.0, beta, longest + 1)


def _falling(first: float, keep: float, count: int) -> Array:
    """first, first·keep, first·keep·keep, …, multiplied up as a loop does."""
    return np.asarray(np.cumprod([first] + [keep] * (count - 1)))


def _entry(
    name: str,
    build: Callable[..., NdevalFormula],
    meaning: str,
    formula: str,
    *,
    alias: str | None = None,
    whole: bool = False,
) -> Entry:
    alpha = Parameter("alpha", 0.5, "how much each document seen on an aspect takes off the next", 0, 1, in_name=False)
    beta = Parameter("beta", 0.5, "patience of NRBP", 0, 1, in_name=False)
    return Entry(
        f"ndeval.{name}",
        build,
        meaning,
        formula,
        "ndeval 4.5, TREC Web Track 2014",
        (alpha, beta),
        aliases=() if alias is None else (f"ndeval.{alias}",),
        order=OrderRule(),
        rule=RelevanceRule(gain="binary", weights="uniform"),
        cutoffs=False if whole else "needed",
    )


NDEVAL = [
    _entry(
        "ERR_IA",
        CumulatedByRank,
        "α-discounted gain by 1/rank, over the ideal ideal list",
        "Σ_{i≤k} G(i)/i / Σ_{i≤k} U(i)/i; @1 not divided",
    ),
    _entry(
        "nERR_IA",
        lambda **v: OverIdeal(**v, measure=CumulatedByRank),
        "ndeval's ERR-IA over that of the greedy list",
        "ERR-IA@k / ERR-IA@k(greedy ideal)",
    ),
    _entry(
        "alpha_DCG",
        Cumulated,
        "α-discounted gain by the logarithm of the rank, over the ideal ideal list",
        "Σ_{i≤k} G(i)/log2(i+1) / Σ_{i≤k} U(i)/log2(i+1); @1 not divided",
    ),
    _entry(
        "alpha_nDCG",
        OverIdeal,
        "ndeval's α-DCG over that of the greedy list",
        "α-DCG@k / α-DCG@k(greedy ideal)",
    ),
    _entry(
        "NRBP",
        NRBP,
        "rank-biased precision that rewards an aspect less with every repetition, over its bound",
        "(1 − (1−α)β)/A · Σ_i G(i) β^(i−1)",
        whole=True,
    ),
    _entry(
        "nNRBP",
        NRBPOverIdeal,
        "NRBP over that of the greedy list; not a number where nothing is relevant",
        "NRBP / NRBP(greedy ideal)",
        whole=True,
    ),
    _entry(
        "MAP_IA",
        MeanAveragePrecision,
        "average precision per aspect, all aspects alike",
        "(1/A) Σ_t (1/R_t) Σ_i b(i,t) (c(i,t)+1)/i",
        whole=True,
    ),
    _entry("P_IA", Precision, "precision per aspect, all aspects alike", "Σ_{i≤k} Σ_t b(i,t) / (k A)"),
    _entry("strec", Recall, "share of the aspects covered", "|{t : b(i,t) for some i ≤ k}| / A", alias="StRecall"),
]
