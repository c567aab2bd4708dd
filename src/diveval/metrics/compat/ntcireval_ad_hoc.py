"""NTCIREVAL's ad hoc measures: Q-, O- and P-measure, NCU and the others, of full and of condensed lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.metrics.algebra import Array, running
from diveval.metrics.batch import PADDING, Batch, divide, last, once
from diveval.metrics.compat.base import overall, overall_pool
from diveval.metrics.compat.group_fairness import GROUP_FAIRNESS
from diveval.metrics.compat.ntcireval import (
    NTCIREVAL,
    PATIENCE,
    GainColumn,
    Measure,
    average_precision,
    blended_ratio,
    dcg_ratio,
    expected_blended_ratio,
    expected_reciprocal_rank,
    gains_of,
    log2_from_2,
    make_column,
    normalised_err,
    of_tool,
    q_measure,
    rank_biased_precision,
)
from diveval.metrics.compat.trec_judged import binary_preference
from diveval.metrics.compat.trec_seen import see
from diveval.metrics.metric import Entry, Parameter, choice
from diveval.settings import RelevanceRule


def reciprocal_rank(column: GainColumn, cutoff: int | None, p: float) -> Array:
    """1 / rank of the first document with a gain."""
    first = _first(column, column.gains > 0.0)
    return np.where(first < PADDING, 1.0 / first, 0.0)


def o_measure(column: GainColumn, cutoff: int | None, p: float) -> Array:
    """The blended ratio at the first document with a gain."""
    return _at(column, _first(column, column.gains > 0.0), blended_ratio(column))


def p_measure(column: GainColumn, cutoff: int | None, p: float) -> Array:
    """The blended ratio at the preferred rank, that of the first document of the highest gain in the list."""
    return _at(column, _preferred(column), blended_ratio(column))


def p_plus(column: GainColumn, cutoff: int | None, p: float) -> Array:
    """The mean of the blended ratio over the documents with a gain down to the preferred rank."""
    counts = (column.gains > 0.0) & (column.batch.ranks <= _preferred(column)[:, np.newaxis])
    return divide(last(counts * blended_ratio(column)), np.count_nonzero(counts, axis=1))


def normalised_cumulative_utility(column: GainColumn, cutoff: int | None, p: float, *, blended: bool) -> Array:
    """Σ over the n-th document found of p^(n−1) · precision (or blended ratio), over Σ_{n≤R} p^(n−1)."""
    found = column.gains > 0.0
    benefit = blended_ratio(column) if blended else np.asarray(running(found) / column.batch.divisors)
    stops = np.where(found, float(p) ** np.maximum(running(found) - 1.0, 0.0), 0.0)
    relevant = np.count_nonzero(column.ideal, axis=1)
    every = np.concatenate([[0.0], np.cumsum(float(p) ** np.arange(column.ideal.shape[1]))])
    return divide(last(stops * benefit), every[relevant][column.batch.topic])


def precision(column: GainColumn, cutoff: int | None, p: float) -> Array:
    """Documents with a gain among the first k, over k."""
    return _found(column, cutoff) / np.maximum(column.batch.lengths if cutoff is None else cutoff, 1)


def hit(column: GainColumn, cutoff: int | None, p: float) -> Array:
    """1 if one of the first k has a gain."""
    return np.minimum(_found(column, cutoff), 1.0)


def _found(column: GainColumn, cutoff: int | None) -> Array:
    return column.batch.at_cutoff(running(column.gains > 0.0), cutoff)


def _first(column: GainColumn, marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The rank of the first marked document; PADDING without one."""
    return np.asarray(np.where(marked, column.batch.ranks, PADDING).min(axis=1, initial=PADDING))


def _preferred(column: GainColumn) -> NDArray[np.int64]:
    best = column.gains.max(axis=1, initial=0.0)[:, np.newaxis]
    return _first(column, (column.gains == best) & (best > 0.0))


def _at(column: GainColumn, rank: NDArray[np.int64], values: Array) -> Array:
    """The value at a rank of each row, 0 where the rank is none."""
    return last(np.where((column.batch.ranks == rank[:, np.newaxis]) & (rank < PADDING)[:, np.newaxis], values, 0.0))


@once
def _ad_hoc_gain(batch: Batch, gain: str, top: int) -> GainColumn:
    return make_column(batch, gains_of(gain, overall(batch)), gains_of(gain, overall_pool(batch)), gain, top)


def on_best_grade(batch: Batch, cutoff: int | None, measure: Measure, p: float, gain: str, top: int) -> Array:
    """The ad hoc measures: a document judged for several intents counts with its best grade."""
    return measure(_ad_hoc_gain(batch, gain, top), cutoff, p)


# --- the catalogue ---------------------------------------------------------------------------------------------------

_AD_HOC: list[tuple[str, Measure, str, str, float | None]] = [
    ("RR", reciprocal_rank, "1 / rank of the first relevant document", "1/r1", None),
    ("O", o_measure, "O-measure: the blended ratio at the first relevant document", "BR(r1)", None),
    ("P_measure", p_measure, "P-measure: the blended ratio at the preferred rank", "BR(rp)", None),
    (
        "P_plus",
        p_plus,
        "P-plus: the mean blended ratio down to the preferred rank",
        "mean of BR over the relevant i ≤ rp",
        None,
    ),
    ("AP", average_precision, "average precision", "(1/min(k,R)) Σ over the relevant i ≤ k of hits(i)/i", None),
    ("Q", q_measure, "Q-measure: graded average precision", "(1/min(k,R)) Σ over the relevant i ≤ k of BR(i)", None),
    (
        "NCU_P",
        partial(normalised_cumulative_utility, blended=False),
        "normalised cumulative utility of a user who stops at a relevant document",
        "Σ_n p^(n−1) hits/i / Σ_{n≤R} p^(n−1)",
        0.95,
    ),
    (
        "NCU_BR",
        partial(normalised_cumulative_utility, blended=True),
        "the same with the blended ratio",
        "Σ_n p^(n−1) BR / Σ_{n≤R} p^(n−1)",
        0.95,
    ),
    ("RBP", rank_biased_precision, "RBP", "(1−p) Σ_{i≤k} p^(i−1) g(i)/g_max", 0.95),
    ("ERR", expected_reciprocal_rank, "ERR", "Σ_{i≤k} (1/i) r(i) Π_{j<i} (1 − r(j)), r = g/(g_max+1)", None),
    ("nERR", normalised_err, "ERR over that of the ideal list", "ERR / ERR(ideal)", None),
    ("EBR", expected_blended_ratio, "expected blended ratio", "Σ_{i≤k} BR(i) r(i) Π_{j<i} (1 − r(j))", None),
    (
        "nDCG",
        partial(dcg_ratio, divisor=log2_from_2),
        "nDCG, discounted from rank 3 on",
        "Σ_{i≤k} g(i)/max(1, log2 i) / ideal",
        None,
    ),
    ("MSnDCG", dcg_ratio, "nDCG as usual today", "Σ_{i≤k} g(i)/log(i+1) / ideal", None),
    ("P", precision, "precision at k", "hits(k)/k", None),
    ("Hit", hit, "1 if a relevant document stands among the first k", "[hits(k) > 0]", None),
]


def _condensable(measure: Measure) -> Callable[..., Array]:
    """An ad hoc measure, optionally of the list without its unjudged documents (a condensed list)."""

    def value(batch: Batch, cutoff: int | None, condensed: str, **values: Any) -> Array:
        return on_best_grade(see(batch, 0, condensed), cutoff, measure=measure, **values)

    return value


def bpref(batch: Batch, cutoff: int | None, gain: str, top: int) -> Array:
    """trec_eval's bpref, which sees no unjudged document."""
    return binary_preference(batch, None, 1)


_CONDENSED = choice("condensed", "remove unjudged documents from the list first: M′ of the literature", "no", "yes")


def _ad_hoc_entries() -> Iterator[Entry]:
    for name, measure, meaning, formula, patience in _AD_HOC:
        p = () if patience is None else (Parameter("p", patience, PATIENCE, 0, 1, True, True, in_name=False),)
        fixed = {} if p else {"p": 0.0}
        rest = (name, _condensable(measure), meaning, formula, _CONDENSED, *p)
        yield of_tool(*rest, fixed=fixed, diversity=False, rule=RelevanceRule(gain="raw", weights="uniform"))
    words = "share of judged pairs in the right order"
    formula = "(1/R) Σ over the relevant found of 1 − min(judged not relevant above, R) / min(judged not relevant, R)"
    yield of_tool(
        "bpref",
        bpref,
        words,
        formula,
        diversity=False,
        cutoffs=False,
        rule=RelevanceRule(gain="raw", weights="uniform"),
    )


ALL_OF_NTCIREVAL = [*NTCIREVAL, *_ad_hoc_entries(), *GROUP_FAIRNESS]
