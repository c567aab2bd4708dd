"""NTCIREVAL, the scorer of the NTCIR diversity tasks: D-measures on the global gain, and their blend with I-rec.

The global gain of a document is GG(d) = Σ_t P(t) x(g(d,t)), with six significant digits, x being the grade itself
(`gain=linear`) or 2^g − 1 (`gain=exponential`). P(t) is taken as given. Gains are turned into r = GG/(GG_max + 1).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from diveval.judgments import RelevanceRule
from diveval.metrics.algebra import Array, Aspects, Cascade, Geometric, running, weighted_sum
from diveval.metrics.batch import Batch, divided, last
from diveval.metrics.compat.base import ToolFormula, at_first, at_hits
from diveval.metrics.metric import Entry, Parameter
from diveval.metrics.subtopics import first_ranks
from diveval.runs import OrderRule


@dataclass(frozen=True, eq=False)
class GainColumn:
    """One gain per document: of the hits of each row, and of the ideal list of each topic, falling."""

    gains: Array  # (row, hit)
    ideal: Array  # (topic, rank)
    highest: Array  # of each topic
    batch: Batch

    @property
    def stops(self) -> Array:
        """r = gain/(highest + 1), (row, hit)."""
        return np.asarray(self.gains / (self.highest[self.batch.topic] + 1.0)[:, np.newaxis])


@dataclass(frozen=True)
class Measure:
    """A measure of one column down to rank k, for each row."""

    p: float = 0.95

    def of(self, column: GainColumn, cutoff: int | None) -> Array:
        raise NotImplementedError


def log_of_next(rank: int) -> float:
    """log(i + 1), as the tool discounts."""
    return math.log(rank + 1)


def log2_from_2(rank: int) -> float:
    """The form of Järvelin and Kekäläinen: no discount down to rank 2, then log2 i."""
    return math.log2(max(rank, 2))


@dataclass(frozen=True)
class DCGRatio(Measure):
    """Σ_{i≤k} gain/divisor(i) over that of the ideal list."""

    divisor: Callable[[int], float] = log_of_next

    def of(self, column: GainColumn, cutoff: int | None) -> Array:
        gained = column.batch.at_cutoff(running(column.gains / at_hits(column.batch, self.divisor)), cutoff)
        ideal = column.ideal[:, :cutoff]
        best = last(ideal / at_first(column.batch, self.divisor, ideal.shape[1]))
        return divided(gained, best[column.batch.topic])


class AveragePrecision(Measure):
    """Σ over the relevant i ≤ k of hits(i)/i, over min(k, R)."""

    def of(self, column: GainColumn, cutoff: int | None) -> Array:
        gained = running((column.gains > 0.0) * self.benefit(column))
        most = np.count_nonzero(column.ideal[:, :cutoff], axis=1)
        return divided(column.batch.at_cutoff(gained, cutoff), most[column.batch.topic])

    def benefit(self, column: GainColumn) -> Array:
        return np.asarray(running(column.gains > 0.0) / column.batch.divisors)


class QMeasure(AveragePrecision):
    """The same with the blended ratio (hits(i) + Σ gain) / (i + Σ ideal gain) in place of precision."""

    def benefit(self, column: GainColumn) -> Array:
        return blended_ratio(column)


def blended_ratio(column: GainColumn) -> Array:
    """BR(i) = (hits(i) + Σ_{j≤i} gain(j)) / (i + Σ_{j≤i} ideal gain(j)) at each hit."""
    ranks, ideal = column.batch.divisors, running(np.pad(column.ideal, ((0, 0), (0, 1))))
    gained = running(column.gains > 0.0) + running(column.gains)
    reached = np.minimum(ranks, ideal.shape[1]) - 1
    return np.asarray(gained / (ranks + ideal[column.batch.topic[:, np.newaxis], reached]))


class ExpectedReciprocalRank(Measure):
    """Σ_{i≤k} r(i) Π_{j<i} (1 − r(j)) / i with r = gain/(highest + 1)."""

    def of(self, column: GainColumn, cutoff: int | None) -> Array:
        r = column.stops
        return column.batch.at_cutoff(running(r * Cascade().table(r) * self.benefit(column)), cutoff)

    def benefit(self, column: GainColumn) -> Array:
        return np.asarray(1.0 / column.batch.divisors)


class ExpectedBlendedRatio(ExpectedReciprocalRank):
    """The same with the blended ratio in place of 1/i."""

    def benefit(self, column: GainColumn) -> Array:
        return blended_ratio(column)


class NormalisedERR(ExpectedReciprocalRank):
    """ERR over that of the ideal list."""

    def of(self, column: GainColumn, cutoff: int | None) -> Array:
        r = column.ideal[:, :cutoff] / (column.highest + 1.0)[:, np.newaxis]
        best = last(r * Cascade().table(r) / np.arange(1.0, r.shape[1] + 1))
        return divided(super().of(column, cutoff), best[column.batch.topic])


class RankBiasedPrecision(Measure):
    """(1−p) Σ_{i≤k} p^(i−1) gain/highest."""

    def of(self, column: GainColumn, cutoff: int | None) -> Array:
        discounts = column.batch.discounts(Geometric(self.p, start=0, scaled=True))
        gains = divided(column.gains, column.highest[column.batch.topic][:, np.newaxis])
        return column.batch.at_cutoff(running(gains * discounts), cutoff)


class IntentwiseRBU(Measure):
    """Σ_{i≤k} p^i r(i) Π_{j<i} (1 − r(j)) with r = gain/(highest + 1)."""

    def of(self, column: GainColumn, cutoff: int | None) -> Array:
        r = column.stops
        gained = running(r * Cascade().table(r) * column.batch.discounts(Geometric(self.p)))
        return column.batch.at_cutoff(gained, cutoff)


# --- what becomes of a measure ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NtcirFormula(ToolFormula):
    """A measure and the gains it sees; `top` names the highest grade, 0 means the highest of the topic."""

    measure: Measure = field(default_factory=Measure)
    gain: Literal["linear", "exponential"] = "linear"
    top: int = 0

    def gains_of(self, grades: Array) -> Array:
        return grades if self.gain == "linear" else np.exp2(grades) - 1.0

    def column(self, batch: Batch, gains: Array, pool: Array) -> GainColumn:
        highest = pool.max(axis=1, initial=0.0)
        if self.top:
            highest = np.repeat(self.gains_of(np.array([float(self.top)])), len(pool))
        return GainColumn(gains, -np.sort(-pool), highest, batch)

    def global_gain(self, batch: Batch) -> GainColumn:
        seen = weighted_sum(self.gains_of(batch.relevance), batch.row_weights(Aspects()))
        pool = weighted_sum(self.gains_of(batch.pool), batch.weights)
        return self.column(batch, _six_digits(seen), _six_digits(pool))

    def score(self, batch: Batch) -> Array:
        column = batch.once(NtcirFormula.global_gain, NtcirFormula(gain=self.gain, top=self.top))
        return self.measure.of(column, self.cutoff)


class IntentRecall(NtcirFormula):
    """Intents covered within k, over the intents that have a relevant document."""

    def score(self, batch: Batch) -> Array:
        limit = batch.visible(self.cutoff)
        covered = np.count_nonzero(first_ranks(batch) <= limit, axis=0)
        return np.asarray(covered / np.maximum(batch.aspects, 1)[batch.topic])


class Sharp(NtcirFormula):
    """D# = 0.5 · I-rec + 0.5 · D, from the two as printed, with four digits."""

    def score(self, batch: Batch) -> Array:
        recall = _four_digits(IntentRecall(cutoff=self.cutoff).score(batch))
        return np.asarray(0.5 * recall + 0.5 * _four_digits(super().score(batch)))


class IntentAware(NtcirFormula):
    """Σ_t P(t) M_t from the M_t as printed, over the intents with a relevant document; P is not renormalised."""

    def score(self, batch: Batch) -> Array:
        seen, pool = self.gains_of(batch.relevance), self.gains_of(batch.pool)
        value = np.zeros(batch.rows)
        for weight, hits, documents in zip(batch.row_weights(Aspects()), seen, pool, strict=True):
            value += weight * _four_digits(self.measure.of(self.column(batch, hits, documents), self.cutoff))
        return value


def _six_digits(values: Array) -> Array:
    """As awk prints them, %.6g."""
    different, where = np.unique(values, return_inverse=True)
    return np.array([float(f"{v:.6g}") for v in different])[where].reshape(values.shape)


def _four_digits(values: Array) -> Array:
    """As the tool prints them, %.4f."""
    different, where = np.unique(values, return_inverse=True)
    return np.array([float(f"{v:.4f}") for v in different])[where]


# --- the catalogue ----------------------------------------------------------------------------------------------------

_GAIN = Parameter("gain", "linear", "of a grade g: g, or 2^g − 1", choices=("linear", "exponential"), in_name=False)
_TOP = Parameter("top", 0, "the highest grade there may be; 0 for the highest of the topic", 0, 1000, in_name=False)


def _patience(default: float) -> Parameter:
    return Parameter("p", default, "probability of going on to the next document", 0, 1, True, True, in_name=False)


def _entry(
    name: str,
    kind: type[NtcirFormula],
    measure: Measure,
    meaning: str,
    formula: str,
    *,
    patient: bool = False,
    alias: str | None = None,
) -> Entry:
    def build(*, gain: Literal["linear", "exponential"], top: int, p: float = measure.p) -> NtcirFormula:
        return kind(replace(measure, p=p), gain, top)

    return Entry(
        f"ntcireval.{name}",
        build,
        meaning,
        formula,
        "NTCIREVAL, Sakai and Song 2011",
        (_patience(measure.p), _GAIN, _TOP) if patient else (_GAIN, _TOP),
        aliases=() if alias is None else (f"ntcireval.{alias}",),
        order=OrderRule("file"),
        rule=RelevanceRule(gain="raw", renormalise=False),
    )


_FORMS: list[tuple[str, Measure, str, str, bool]] = [
    ("nDCG", DCGRatio(), "nDCG", "Σ_{i≤k} GG(i)/log(i+1) / ideal", False),
    ("Q", QMeasure(), "Q-measure", "(1/min(k,R)) Σ over the relevant i ≤ k of BR(i)", False),
    ("ERR", ExpectedReciprocalRank(), "ERR", "Σ_{i≤k} (1/i) r(i) Π_{j<i} (1 − r(j)), r = GG/(GG_max+1)", False),
    ("EBR", ExpectedBlendedRatio(), "expected blended ratio", "Σ_{i≤k} BR(i) r(i) Π_{j<i} (1 − r(j))", False),
    ("RBP", RankBiasedPrecision(), "RBP", "(1−p) Σ_{i≤k} p^(i−1) GG(i)/GG_max", True),
]

NTCIREVAL = [
    _entry("I_rec", IntentRecall, Measure(), "share of the intents covered", "intents covered within k / intents"),
    *(
        _entry(f"D_{name}", NtcirFormula, measure, f"{words} on the global gain", formula, patient=patient)
        for name, measure, words, formula, patient in _FORMS
    ),
    _entry(
        "D_nDCG_JK",
        NtcirFormula,
        DCGRatio(divisor=log2_from_2),
        "nDCG on the global gain, as Järvelin and Kekäläinen discount",
        "Σ_{i≤k} GG(i)/max(1, log2 i) / ideal",
    ),
    _entry(
        "D_nERR",
        NtcirFormula,
        NormalisedERR(),
        "ERR on the global gain over that of the ideal list",
        "ERR / ERR(ideal)",
    ),
    _entry(
        "D_AP",
        NtcirFormula,
        AveragePrecision(),
        "average precision of the documents with a global gain",
        "(1/min(k,R)) Σ over the relevant i ≤ k of hits(i)/i",
    ),
    *(
        _entry(
            f"Dsharp_{name}",
            Sharp,
            measure,
            f"I-rec blended with {words} on the global gain",
            f"0.5 · I-rec + 0.5 · D-{name}, both with four digits",
            patient=patient,
            alias=f"D#-{name}",
        )
        for name, measure, words, formula, patient in _FORMS
    ),
    *(
        _entry(
            f"IA_{name}",
            IntentAware,
            measure,
            f"{name} per intent, by the intents' probabilities",
            f"Σ_t P(t) {name}_t, each with four digits",
        )
        for name, measure in (("ERR", ExpectedReciprocalRank()), ("nERR", NormalisedERR()), ("nDCG", DCGRatio()))
    ),
    _entry(
        "iRBU",
        NtcirFormula,
        IntentwiseRBU(0.99),
        "RBU without effort on the global gain",
        "Σ_{i≤k} p^i r(i) Π_{j<i} (1 − r(j)), r = GG/(GG_max+1)",
        patient=True,
    ),
]
