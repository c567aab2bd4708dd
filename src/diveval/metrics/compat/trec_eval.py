"""The ad hoc scorers of TREC: trec_eval and, for the Web tracks, gdeval 1.3.

A document judged for several aspects counts with its best grade. gdeval has nDCG with exponential gain, and ERR with 4 as
the highest grade.

`level` is trec_eval's -l: a document is relevant from that grade on. R is the number of relevant documents in the
judgments. A negative grade means "in the pool but not judged". trec_eval's rbp is missing here, because it reads
uninitialised memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from diveval.judgments import RelevanceRule
from diveval.metrics.algebra import Array, Cascade, running
from diveval.metrics.batch import PADDING, Batch, divided, last, once, once_for_pool, source_of
from diveval.metrics.compat.base import at_first, at_hits, entries_under, overall, overall_pool
from diveval.metrics.metric import Parameter
from diveval.runs import OrderRule


@once
def _relevant(batch: Batch, level: int) -> NDArray[np.bool_]:
    """Which hits are relevant, (row, hit)."""
    return overall(batch) >= level


@once
def _hits(batch: Batch, level: int) -> Array:
    """Relevant documents so far, at each hit."""
    return running(_relevant(batch, level))


@once
def _precisions(batch: Batch, level: int) -> Array:
    return running(_relevant(batch, level) * (_hits(batch, level) / batch.divisors))


def _in_judgments(batch: Batch, level: int) -> NDArray[np.int64]:
    """R, by row."""
    return np.asarray(np.count_nonzero(overall_pool(batch) >= level, axis=1)[batch.topic])


def _found(batch: Batch, level: int, cutoff: int | NDArray[np.int64] | None) -> Array:
    """Relevant documents down to the cutoff, by row."""
    return batch.at_cutoff(_hits(batch, level), cutoff)


def retrieved(batch: Batch, cutoff: int | None) -> Array:
    """Documents in the list. For this and the next two counts, trec_eval's `all` row has the sum, not the mean."""
    return batch.lengths.astype(np.float64)


def relevant(batch: Batch, cutoff: int | None, level: int) -> Array:
    """R."""
    return _in_judgments(batch, level).astype(np.float64)


def relevant_retrieved(batch: Batch, cutoff: int | None, level: int) -> Array:
    """Relevant documents in the list."""
    return _found(batch, level, None)


def average_precision(batch: Batch, cutoff: int | None, level: int) -> Array:
    """(1/R) Σ over the relevant i ≤ k of hits(i)/i."""
    return divided(batch.at_cutoff(_precisions(batch, level), cutoff), _in_judgments(batch, level))


def precision(batch: Batch, cutoff: int, level: int) -> Array:
    """Relevant documents among the first k, over k."""
    return _found(batch, level, cutoff) / cutoff


def recall(batch: Batch, cutoff: int, level: int) -> Array:
    """Relevant documents among the first k, over R."""
    return divided(_found(batch, level, cutoff), _in_judgments(batch, level))


def success(batch: Batch, cutoff: int, level: int) -> Array:
    """1 if one of the first k is relevant."""
    return np.minimum(_found(batch, level, cutoff), 1.0)


def r_precision(batch: Batch, cutoff: int | None, level: int) -> Array:
    """Relevant documents among the first R, over R."""
    in_judgments = _in_judgments(batch, level)
    return divided(_found(batch, level, in_judgments), in_judgments)


def reciprocal_rank(batch: Batch, cutoff: int | None, level: int) -> Array:
    """1 / rank of the first relevant document."""
    ranks = np.where(_relevant(batch, level), batch.ranks, PADDING)
    first = ranks.min(axis=1, initial=PADDING)
    return np.where(first < PADDING, 1.0 / first, 0.0)


def binary_preference(batch: Batch, cutoff: int | None, level: int) -> Array:
    """(1/R) Σ over the relevant found of 1 − min(judged not relevant above, R) / min(judged not relevant, R)."""
    source = source_of(batch)
    starts, best = source.best_grades()
    good, bad = best >= level, (best >= 0) & (best < level)
    in_judgments, others = (_in_each(starts, kind)[batch.topic] for kind in (good, bad))
    row = source.row_of_hits()
    document = starts[batch.topic[row]] + source.documents
    # Judged documents in the order of the list, one column each; those that are neither good nor bad add nothing.
    place = row, np.arange(len(row)) - source.hits[row]
    above = np.zeros((batch.rows, int(np.diff(source.hits).max(initial=0))))
    counts = np.zeros(above.shape, dtype=bool)
    above[place], counts[place] = bad[document], good[document]
    above = np.minimum(running(above), in_judgments[:, np.newaxis])
    share = 1.0 - above / np.maximum(np.minimum(others, in_judgments), 1)[:, np.newaxis]
    return divided(last(np.where(counts, share, 0.0)), in_judgments)


def _in_each(starts: NDArray[np.int64], marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many are marked in each topic."""
    return np.diff(np.concatenate([[0], np.cumsum(marked)])[starts])


def log2_of_next(rank: int) -> float:
    """log2(i + 1), the divisor of DCG."""
    return math.log2(rank + 1)


def normalised_dcg(batch: Batch, cutoff: int | None, *, divisor: Callable[[int], float] = log2_of_next) -> Array:
    """Σ g(i)/log2(i+1) over the same of the ideal order, g being the gain: for trec_eval the grade."""
    best = _ideal_gains(batch, divisor)[:, :cutoff].max(axis=1, initial=0.0)  # never falling: the maximum is the last
    return divided(batch.at_cutoff(_gains(batch, divisor), cutoff), best[batch.topic])


@once
def _gains(batch: Batch, divisor: Callable[[int], float]) -> Array:
    return running(overall(batch) / at_hits(batch, divisor))


@once_for_pool
def _ideal_gains(batch: Batch, divisor: Callable[[int], float]) -> Array:
    falling = -np.sort(-overall_pool(batch))
    return running(falling / at_first(batch, divisor, falling.shape[1]))


SUMMED = tuple(f"trec_eval.num_{what}" for what in ("ret", "rel", "rel_ret"))

_LEVEL = Parameter("level", 1, "the grade from which a document is relevant, trec_eval's -l", 1, in_name=False)


_entry = entries_under(
    "trec_eval",
    "trec_eval, NIST",
    diversity=False,
    rule=RelevanceRule(gain="raw", weights="uniform"),
    order=OrderRule(),
    cutoffs=False,
)
_cut = partial(_entry, cutoffs="needed", cutoff_mark="_")

TREC_EVAL = [
    _entry("num_ret", retrieved, "documents retrieved", "n", best="none"),
    _entry("num_rel", relevant, "relevant documents in the judgments", "R", _LEVEL, best="none"),
    _entry("num_rel_ret", relevant_retrieved, "relevant documents retrieved", "hits(n)", _LEVEL),
    _entry("map", average_precision, "average precision", "(1/R) Σ over the relevant i of hits(i)/i", _LEVEL),
    _cut("map_cut", average_precision, "average precision down to k", "the same for i ≤ k, over R", _LEVEL),
    _entry("Rprec", r_precision, "precision at R", "hits(R) / R", _LEVEL),
    _entry(
        "bpref",
        binary_preference,
        "share of judged pairs in the right order",
        "(1/R) Σ over the relevant found of 1 − min(judged not relevant above, R) / min(judged not relevant, R)",
        _LEVEL,
    ),
    _entry("recip_rank", reciprocal_rank, "1 / rank of the first relevant document", "1 / min{i : relevant}", _LEVEL),
    _cut("P", precision, "precision at k", "hits(k) / k", _LEVEL),
    _cut("recall", recall, "recall at k", "hits(k) / R", _LEVEL),
    _cut("success", success, "1 if a relevant document stands among the first k", "[hits(k) > 0]", _LEVEL),
    _entry("ndcg", normalised_dcg, "DCG of the whole list over the ideal's", "DCG / DCG(ideal)"),
    _cut("ndcg_cut", normalised_dcg, "nDCG at k", "DCG@k / DCG@k(ideal)"),
]


# --- gdeval -----------------------------------------------------------------------------------------------------------


def log_over_log_2(rank: int) -> float:
    """log2(i + 1) as gdeval computes it. Gains are (2^g − 1)/2^4, whose denominator cancels."""
    return math.log(rank + 1) / math.log(2.0)


def expected_reciprocal_rank(batch: Batch, cutoff: int) -> Array:
    """Σ_{i≤k} (1/i) r(i) Π_{j<i} (1 − r(j)) with r = (2^g − 1)/2^4."""
    return batch.at_cutoff(_stops(batch), cutoff)


@once
def _stops(batch: Batch) -> Array:
    r = overall(batch)
    return running(r * Cascade().table(r) / batch.divisors)


_of_gdeval = entries_under(
    "gdeval",
    "gdeval 1.3, TREC Web Track 2014",
    diversity=False,
    rule=RelevanceRule(gain="exponential", gmax=4.0, weights="uniform"),
    order=OrderRule(),
    mean_over="judged-relevant",
    cutoffs="needed",
)

GDEVAL = [
    _of_gdeval(
        "nDCG",
        normalised_dcg,
        "DCG with exponential gain over that of the ideal order",
        "Σ_{i≤k} (2^g−1)/log2(i+1) / ideal",
        fixed={"divisor": log_over_log_2},
    ),
    _of_gdeval(
        "ERR",
        expected_reciprocal_rank,
        "expected reciprocal rank with 4 as the highest grade",
        "Σ_{i≤k} (1/i) r(i) Π_{j<i} (1 − r(j)), r = (2^g−1)/2^4",
    ),
]
