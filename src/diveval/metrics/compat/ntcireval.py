"""NTCIREVAL, the scorer of the NTCIR diversity tasks: D-measures on the global gain, and their blend with I-rec.

The global gain of a document is GG(d) = Σ_t P(t) x(g(d,t)), with six significant digits, x being the grade itself
(`gain=linear`) or 2^g − 1 (`gain=exponential`). P(t) is taken as given. Gains are turned into r = GG/(GG_max + 1).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from diveval.metrics.algebra import Array, Aspects, Cascade, Geometric, running, weighted_sum
from diveval.metrics.batch import Batch, divide, last, once
from diveval.metrics.compat.base import at_first, at_hits, entries_under, four_digits
from diveval.metrics.metric import Entry, Parameter, choice
from diveval.metrics.subtopics import SubtopicRecall
from diveval.settings import OrderRule, RelevanceRule


@dataclass(frozen=True, eq=False)
class GainColumn:
    """One gain per document: of the hits of each row, and of the ideal list of each topic, falling."""

    gains: Array  # (row, hit)
    ideal: Array  # (topic, rank)
    highest: Array  # of each topic
    batch: Batch


Measure = Callable[[GainColumn, int | None, float], Array]  # a column, the cutoff k and p to a value for each row


def log_of_next(rank: int) -> float:
    """log(i + 1), as the tool discounts."""
    return math.log(rank + 1)


def log2_from_2(rank: int) -> float:
    """The form of Järvelin and Kekäläinen: no discount down to rank 2, then log2 i."""
    return math.log2(max(rank, 2))


def dcg_ratio(
    column: GainColumn, cutoff: int | None, p: float, *, divisor: Callable[[int], float] = log_of_next
) -> Array:
    """Σ_{i≤k} gain/divisor(i) over that of the ideal list."""
    gained = column.batch.at_cutoff(running(column.gains / at_hits(column.batch, divisor)), cutoff)
    ideal = column.ideal[:, :cutoff]
    best = last(ideal / at_first(column.batch, divisor, ideal.shape[1]))
    return divide(gained, best[column.batch.topic])


def average_precision(column: GainColumn, cutoff: int | None, p: float) -> Array:
    """Σ over the relevant i ≤ k of hits(i)/i, over min(k, R)."""
    return _mean_benefit(np.asarray(running(column.gains > 0.0) / column.batch.divisors), column, cutoff)


def q_measure(column: GainColumn, cutoff: int | None, p: float) -> Array:
    """The same with the blended ratio (hits(i) + Σ gain) / (i + Σ ideal gain) in place of precision."""
    return _mean_benefit(blended_ratio(column), column, cutoff)


def _mean_benefit(benefit: Array, column: GainColumn, cutoff: int | None) -> Array:
    gained = running((column.gains > 0.0) * benefit)
    most = np.count_nonzero(column.ideal[:, :cutoff], axis=1)
    return divide(column.batch.at_cutoff(gained, cutoff), most[column.batch.topic])


def blended_ratio(column: GainColumn) -> Array:
    """BR(i) = (hits(i) + Σ_{j≤i} gain(j)) / (i + Σ_{j≤i} ideal gain(j)) at each hit."""
    ranks, ideal = column.batch.divisors, running(np.pad(column.ideal, ((0, 0), (0, 1))))
    gained = running(column.gains > 0.0) + running(column.gains)
    reached = np.minimum(ranks, ideal.shape[1]) - 1
    return np.asarray(gained / (ranks + ideal[column.batch.topic[:, np.newaxis], reached]))


def expected_reciprocal_rank(column: GainColumn, cutoff: int | None, p: float) -> Array:
    """Σ_{i≤k} r(i) Π_{j<i} (1 − r(j)) / i with r = gain/(highest + 1)."""
    return _expect(np.asarray(1.0 / column.batch.divisors), column, cutoff)


def expected_blended_ratio(column: GainColumn, cutoff: int | None, p: float) -> Array:
    """The same with the blended ratio in place of 1/i."""
    return _expect(blended_ratio(column), column, cutoff)


def intentwise_rbu(column: GainColumn, cutoff: int | None, p: float) -> Array:
    """The same with p^i."""
    return _expect(column.batch.discounts(Geometric(p)), column, cutoff)


def _expect(benefit: Array, column: GainColumn, cutoff: int | None) -> Array:
    """Σ_{i≤k} benefit(i) r(i) Π_{j<i} (1 − r(j))."""
    r = np.asarray(column.gains / (column.highest[column.batch.topic] + 1.0)[:, np.newaxis])
    return column.batch.at_cutoff(running(r * Cascade().table(r) * benefit), cutoff)


def normalised_err(column: GainColumn, cutoff: int | None, p: float) -> Array:
    """ERR over that of the ideal list."""
    r = column.ideal[:, :cutoff] / (column.highest + 1.0)[:, np.newaxis]
    best = last(r * Cascade().table(r) / np.arange(1.0, r.shape[1] + 1))
    return divide(expected_reciprocal_rank(column, cutoff, p), best[column.batch.topic])


def rank_biased_precision(column: GainColumn, cutoff: int | None, p: float) -> Array:
    """(1−p) Σ_{i≤k} p^(i−1) gain/highest."""
    discounts = column.batch.discounts(Geometric(p, start=0, scaled=True))
    gains = divide(column.gains, column.highest[column.batch.topic][:, np.newaxis])
    return column.batch.at_cutoff(running(gains * discounts), cutoff)


# --- the ways to apply a measure; `top` is the highest grade, 0 means the highest of the topic ------------------------


def gains_of(gain: str, grades: Array) -> Array:
    return grades if gain == "linear" else np.exp2(grades) - 1.0


def make_column(batch: Batch, gains: Array, pool: Array, gain: str, top: int) -> GainColumn:
    highest = pool.max(axis=1, initial=0.0)
    if top:
        highest = np.repeat(gains_of(gain, np.array([float(top)])), len(pool))
    return GainColumn(gains, -np.sort(-pool), highest, batch)


@once
def _global_gain(batch: Batch, gain: str, top: int) -> GainColumn:
    seen = weighted_sum(gains_of(gain, batch.relevance), batch.row_weights(Aspects()))
    pool = weighted_sum(gains_of(gain, batch.pool), batch.weights)
    return make_column(batch, _six_digits(seen), _six_digits(pool), gain, top)


def on_global_gain(batch: Batch, cutoff: int | None, measure: Measure, p: float, gain: str, top: int) -> Array:
    """The D-measures."""
    return measure(_global_gain(batch, gain, top), cutoff, p)


def intent_recall(batch: Batch, cutoff: int | None, **_: Any) -> Array:
    """Intents covered within k, over the intents that have a relevant document."""
    return SubtopicRecall(cutoff=cutoff).score(batch)


def sharp(batch: Batch, cutoff: int | None, measure: Measure, p: float, gain: str, top: int) -> Array:
    """D# = 0.5 · I-rec + 0.5 · D, from the two as printed, with four digits."""
    recall = four_digits(intent_recall(batch, cutoff))
    return np.asarray(0.5 * recall + 0.5 * four_digits(on_global_gain(batch, cutoff, measure, p, gain, top)))


def intent_aware(batch: Batch, cutoff: int | None, measure: Measure, p: float, gain: str, top: int) -> Array:
    """Σ_t P(t) M_t from the M_t as printed, over the intents with a relevant document; P is not renormalised."""
    seen, pool = gains_of(gain, batch.relevance), gains_of(gain, batch.pool)
    value = np.zeros(batch.rows)
    for weight, hits, documents in zip(batch.row_weights(Aspects()), seen, pool, strict=True):
        value += weight * four_digits(measure(make_column(batch, hits, documents, gain, top), cutoff, p))
    return value


def _six_digits(values: Array) -> Array:
    """As awk prints them, %.6g."""
    different, where = np.unique(values, return_inverse=True)
    return np.array([float(f"{v:.6g}") for v in different])[where].reshape(values.shape)


# --- the catalogue ----------------------------------------------------------------------------------------------------

of_tool = entries_under(
    "ntcireval",
    "NTCIREVAL 230128, Sakai",
    choice("gain", "of a grade g: g, or 2^g − 1", "linear", "exponential"),
    Parameter(
        "top", 0, "the highest grade there may be; 0 for the highest of the topic", 0, 1000, in_name=False, whole=True
    ),
    order=OrderRule("file"),
    rule=RelevanceRule(gain="raw", renormalise=False),
)
PATIENCE = "probability of going on to the next document"


def _entry(
    name: str,
    kind: Callable[..., Array],
    measure: Measure | None,
    meaning: str,
    formula: str,
    *,
    patience: float | None = None,
    alias: str | None = None,
) -> Entry:
    """`patience`: the default of p, if the measure has it."""
    p = () if patience is None else (Parameter("p", patience, PATIENCE, 0, 1, True, True, in_name=False),)
    fixed = {"measure": measure, "p": patience or 0.0}
    aliases = () if alias is None else (f"ntcireval.{alias}",)
    return of_tool(name, kind, meaning, formula, *p, fixed=fixed, aliases=aliases)


_FORMS: list[tuple[str, Measure, str, str, float | None]] = [
    ("nDCG", dcg_ratio, "nDCG", "Σ_{i≤k} GG(i)/log(i+1) / ideal", None),
    ("Q", q_measure, "Q-measure", "(1/min(k,R)) Σ over the relevant i ≤ k of BR(i)", None),
    ("ERR", expected_reciprocal_rank, "ERR", "Σ_{i≤k} (1/i) r(i) Π_{j<i} (1 − r(j)), r = GG/(GG_max+1)", None),
    ("EBR", expected_blended_ratio, "expected blended ratio", "Σ_{i≤k} BR(i) r(i) Π_{j<i} (1 − r(j))", None),
    ("RBP", rank_biased_precision, "RBP", "(1−p) Σ_{i≤k} p^(i−1) GG(i)/GG_max", 0.95),
]

NTCIREVAL = [
    _entry("I_rec", intent_recall, None, "share of the intents covered", "intents covered within k / intents"),
    *(
        _entry(f"D_{name}", on_global_gain, measure, f"{words} on the global gain", formula, patience=patience)
        for name, measure, words, formula, patience in _FORMS
    ),
    _entry(
        "D_nDCG_JK",
        on_global_gain,
        partial(dcg_ratio, divisor=log2_from_2),
        "nDCG on the global gain, as Järvelin and Kekäläinen discount",
        "Σ_{i≤k} GG(i)/max(1, log2 i) / ideal",
    ),
    _entry(
        "D_nERR",
        on_global_gain,
        normalised_err,
        "ERR on the global gain over that of the ideal list",
        "ERR / ERR(ideal)",
    ),
    _entry(
        "D_AP",
        on_global_gain,
        average_precision,
        "average precision of the documents with a global gain",
        "(1/min(k,R)) Σ over the relevant i ≤ k of hits(i)/i",
    ),
    *(
        _entry(
            f"Dsharp_{name}",
            sharp,
            measure,
            f"I-rec blended with {words} on the global gain",
            f"0.5 · I-rec + 0.5 · D-{name}, both with four digits",
            patience=patience,
            alias=f"D#-{name}",
        )
        for name, measure, words, formula, patience in _FORMS
    ),
    *(
        _entry(
            f"IA_{name}",
            intent_aware,
            measure,
            f"{name} per intent, by the intents' probabilities",
            f"Σ_t P(t) {name}_t, each with four digits",
        )
        for name, measure in (("ERR", expected_reciprocal_rank), ("nERR", normalised_err), ("nDCG", dcg_ratio))
    ),
    _entry(
        "iRBU",
        on_global_gain,
        intentwise_rbu,
        "RBU without effort on the global gain",
        "Σ_{i≤k} p^i r(i) Π_{j<i} (1 − r(j)), r = GG/(GG_max+1)",
        patience=0.99,
    ),
]
