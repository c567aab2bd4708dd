"""trec_eval 10.0: every measure of `all_trec`, and under `trec_eval9.` those that older versions round in another way.

A document judged for several aspects counts with its best grade. `level` is trec_eval's -l: a document is relevant from
that grade on. R is the number of relevant documents in the judgments. A negative grade means "in the pool but not judged".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.metrics.algebra import Array, look_up, running
from diveval.metrics.batch import PADDING, Batch, divide, last, once
from diveval.metrics.compat import trec_graded, trec_judged
from diveval.metrics.compat.base import at_first, entries_under, log2_of_next, overall, overall_pool
from diveval.metrics.compat.trec_seen import DOCUMENTS, JUDGED_ONLY, on_seen
from diveval.metrics.metric import Entry, Parameter
from diveval.settings import OrderRule, RelevanceRule

LOWEST = 0.00001  # trec_eval's MIN_GEO_MEAN: a topic's value in a geometric mean is at least this
ELEVEN = ";".join(f"{i / 10:g}" for i in range(11))


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


@once
def _in_judgments(batch: Batch, level: int) -> NDArray[np.int64]:
    """R, by row."""
    return np.asarray(np.count_nonzero(overall_pool(batch) >= level, axis=1)[batch.topic])


def _count_relevant(batch: Batch, level: int, cutoff: int | NDArray[np.int64] | None) -> Array:
    """Relevant documents down to the cutoff, by row."""
    return batch.at_cutoff(_hits(batch, level), cutoff)


# --- counts and sets --------------------------------------------------------------------------------------------------


def topics(batch: Batch, cutoff: int | None) -> Array:
    """1 for every topic."""
    return np.ones(batch.rows)


def retrieved(batch: Batch, cutoff: int | None) -> Array:
    """Documents in the list. Of counts, trec_eval's `all` row has the sum, not the mean."""
    return batch.lengths.astype(np.float64)


def relevant(batch: Batch, cutoff: int | None, level: int) -> Array:
    """R."""
    return _in_judgments(batch, level).astype(np.float64)


def relevant_retrieved(batch: Batch, cutoff: int | None, level: int) -> Array:
    """Relevant documents in the list."""
    return _count_relevant(batch, level, None)


def set_precision(batch: Batch, cutoff: int | None, level: int) -> Array:
    """Relevant documents in the list, over its length."""
    return divide(_count_relevant(batch, level, None), batch.lengths)


def set_recall(batch: Batch, cutoff: int | None, level: int) -> Array:
    """Relevant documents in the list, over R."""
    return divide(_count_relevant(batch, level, None), _in_judgments(batch, level))


def set_relative_precision(batch: Batch, cutoff: int | None, level: int) -> Array:
    """Relevant documents in the list, over the most that a list of its length can have."""
    return divide(_count_relevant(batch, level, None), np.minimum(batch.lengths, _in_judgments(batch, level)))


def set_average_precision(batch: Batch, cutoff: int | None, level: int) -> Array:
    """Precision times recall of the list as a set."""
    found, possible = _count_relevant(batch, level, None), _in_judgments(batch, level)
    return divide(found * found, batch.lengths.astype(np.float64) * possible)


def set_f(batch: Batch, cutoff: int | None, level: int, beta: float) -> Array:
    """(β+1)·P·R / (R + β·P) of the list as a set: β is not squared, unlike in the literature."""
    share, found = set_precision(batch, None, level), set_recall(batch, None, level)
    x = float(beta)
    return divide((x + 1.0) * share * found, found + x * share)


def utility(batch: Batch, cutoff: int | None, level: int, worth: str, collection: int) -> Array:
    """a per relevant document retrieved, b per other one retrieved, c and d per one of each kind not retrieved."""
    a, b, c, d = map(float, worth.split(";"))
    found, possible = _count_relevant(batch, level, None), _in_judgments(batch, level)
    elsewhere = collection + found - batch.lengths - possible
    return np.asarray(a * found + b * (batch.lengths - found) + c * (possible - found) + d * elsewhere)


# --- binary relevance by rank -----------------------------------------------------------------------------------------


def average_precision(batch: Batch, cutoff: int | None, level: int) -> Array:
    """(1/R) Σ over the relevant i ≤ k of hits(i)/i."""
    return divide(batch.at_cutoff(_precisions(batch, level), cutoff), _in_judgments(batch, level))


def precision(batch: Batch, cutoff: int, level: int) -> Array:
    """Relevant documents among the first k, over k."""
    return _count_relevant(batch, level, cutoff) / cutoff


def relative_precision(batch: Batch, cutoff: int, level: int) -> Array:
    """Relevant documents among the first k, over the most that k documents can have."""
    return divide(_count_relevant(batch, level, cutoff), np.minimum(cutoff, _in_judgments(batch, level)))


def recall(batch: Batch, cutoff: int, level: int) -> Array:
    """Relevant documents among the first k, over R."""
    return divide(_count_relevant(batch, level, cutoff), _in_judgments(batch, level))


def success(batch: Batch, cutoff: int, level: int) -> Array:
    """1 if one of the first k is relevant."""
    return np.minimum(_count_relevant(batch, level, cutoff), 1.0)


def r_precision(batch: Batch, cutoff: int | None, level: int) -> Array:
    """Relevant documents among the first R, over R."""
    in_judgments = _in_judgments(batch, level)
    return divide(_count_relevant(batch, level, in_judgments), in_judgments)


def precision_at_multiple(batch: Batch, cutoff: int | None, level: int, multiple: float) -> Array:
    """Relevant documents among the first c, over c, c being a multiple of R rounded up from 0.1."""
    depth = (float(multiple) * _in_judgments(batch, level) + 0.9).astype(np.int64)
    return divide(_count_relevant(batch, level, depth), depth)


def reciprocal_rank(batch: Batch, cutoff: int | None, level: int) -> Array:
    """1 / rank of the first relevant document."""
    ranks = np.where(_relevant(batch, level), batch.ranks, PADDING)
    first = ranks.min(axis=1, initial=PADDING)
    return np.where(first < PADDING, 1.0 / first, 0.0)


def _round_half_up(values: Array) -> NDArray[np.int64]:
    """C's lround for values from 0 on; adding ½ first would round 0.49999999999999994 up."""
    whole = np.floor(values)
    return (whole + (values - whole >= 0.5)).astype(np.int64)


def _round_from_a_tenth(values: Array) -> NDArray[np.int64]:
    """trec_eval 9: 0.9 is added and the fraction cut off."""
    return (values + 0.9).astype(np.int64)


Rounding = Callable[[Array], NDArray[np.int64]]


def interpolate_precision(batch: Batch, cutoff: int | None, level: int, recall: float, rounding: Rounding) -> Array:
    """The highest precision from the rank at which this share of R, rounded, is found."""
    wanted = rounding(np.asarray(float(recall) * _in_judgments(batch, level), dtype=np.float64))[:, np.newaxis]
    counts = _relevant(batch, level) & (_hits(batch, level) >= wanted)
    return np.asarray(np.where(counts, _hits(batch, level) / batch.divisors, 0.0).max(axis=1, initial=0.0))


def mean_of_interpolation(batch: Batch, cutoff: int | None, level: int, recalls: str, rounding: Rounding) -> Array:
    """The mean of the interpolated precision at several shares of R."""
    points = [float(point) for point in recalls.split(";")]
    total = np.zeros(batch.rows)
    for point in reversed(points):  # trec_eval adds from the end of the list
        total = total + interpolate_precision(batch, None, level, point, rounding)
    return total / len(points)


def binary_gain(batch: Batch, cutoff: int | None, level: int) -> Array:
    """(1/R) Σ over the relevant found of 1 / log2(2 + not relevant above)."""
    place = np.where(_relevant(batch, level), 1 + batch.divisors - _hits(batch, level), 1).astype(np.int64)
    logs = look_up(at_first(batch, log2_of_next, int(place.max(initial=1))), place - 1)
    return divide(last(np.where(_relevant(batch, level), 1.0 / logs, 0.0)), _in_judgments(batch, level))


def log_of(measure: Callable[..., Array]) -> Callable[..., Array]:
    """The logarithm of a measure, of at least 0.00001: its mean is the logarithm of the geometric mean."""

    def value(batch: Batch, cutoff: int | None, level: int) -> Array:
        logs = [math.log(one) for one in np.maximum(measure(batch, cutoff, level), LOWEST).tolist()]
        return np.array(logs)  # by the C library, whose last bit may differ from numpy's

    return value


# --- the catalogue ----------------------------------------------------------------------------------------------------


SUMMED = tuple(f"trec_eval.num_{what}" for what in ("q", "ret", "rel", "rel_ret", "nonrel_judged_ret"))
GEOMETRIC = ("trec_eval.gm_map", "trec_eval.gm_bpref")

_LEVEL = Parameter("level", 1, "the grade from which a document is relevant, trec_eval's -l", 1, in_name=False)
_GAINS = Parameter(
    "gains",
    trec_graded.GRADE,
    "gains of grades, grade:gain;…; other grades gain themselves",
    listed=True,
    in_name=False,
)
_RECALL = Parameter("recall", 0.5, "share of the relevant documents", 0)
_RECALLS = Parameter("recalls", ELEVEN, "shares of the relevant documents", listed=True, in_name=False)


def _under(tool: str, reference: str) -> Callable[..., Entry]:
    plain = entries_under(
        tool,
        reference,
        DOCUMENTS,
        JUDGED_ONLY,
        diversity=False,
        rule=RelevanceRule(gain="raw", weights="uniform"),
        order=OrderRule(),
        cutoffs=False,
    )

    def entry(name: str, function: Callable[..., Array], *rest: Any, **own: Any) -> Entry:
        return plain(name, on_seen(function), *rest, **own)

    return entry


_entry = _under("trec_eval", "trec_eval 10.0, NIST")
_cut = partial(_entry, cutoffs="needed", cutoff_mark="_")


def _interpolated(entry: Callable[..., Entry], rounding: Rounding) -> list[Entry]:
    """The two measures at shares of R, which versions round differently."""
    return [
        entry(
            "iprec_at_recall",
            interpolate_precision,
            "the highest precision from a recall on",
            "max_{i ≥ j} hits(i)/i, j the rank at which recall·R documents are found; 0 if never",
            _LEVEL,
            _RECALL,
            fixed={"rounding": rounding},
        ),
        entry(
            "11pt_avg",
            mean_of_interpolation,
            "the mean of the interpolated precision at eleven recalls",
            "(1/11) Σ iprec at recall 0, 0.1, …, 1",
            _LEVEL,
            _RECALLS,
            fixed={"rounding": rounding},
        ),
    ]


TREC_EVAL = [
    _entry("num_q", topics, "topics", "1; the sum in trec_eval's last lines", best="none"),
    _entry("num_ret", retrieved, "documents retrieved", "n", best="none"),
    _entry("num_rel", relevant, "relevant documents in the judgments", "R", _LEVEL, best="none"),
    _entry("num_rel_ret", relevant_retrieved, "relevant documents retrieved", "hits(n)", _LEVEL),
    _entry("map", average_precision, "average precision", "(1/R) Σ over the relevant i of hits(i)/i", _LEVEL),
    _entry(
        "gm_map", log_of(average_precision), "logarithm of map, for the geometric mean", "ln max(map, 0.00001)", _LEVEL
    ),
    _cut("map_cut", average_precision, "average precision down to k", "the same for i ≤ k, over R", _LEVEL),
    _entry("Rprec", r_precision, "precision at R", "hits(R) / R", _LEVEL),
    _entry(
        "bpref",
        trec_judged.binary_preference,
        "share of judged pairs in the right order",
        "(1/R) Σ over the relevant found of 1 − min(judged not relevant above, R) / min(judged not relevant, R)",
        _LEVEL,
    ),
    _entry(
        "gm_bpref",
        log_of(trec_judged.binary_preference),
        "logarithm of bpref, for the geometric mean",
        "ln max(bpref, 0.00001)",
        _LEVEL,
    ),
    _entry("recip_rank", reciprocal_rank, "1 / rank of the first relevant document", "1 / min{i : relevant}", _LEVEL),
    *_interpolated(_entry, _round_half_up),
    _cut("P", precision, "precision at k", "hits(k) / k", _LEVEL),
    _cut("recall", recall, "recall at k", "hits(k) / R", _LEVEL),
    _entry(
        "infAP",
        trec_judged.infer_precision,
        "average precision inferred from a judged sample of the pool",
        "(1/R) Σ over the relevant i of 1/i + (i−1)/i · (share pooled above) · (share relevant of those judged above)",
        _LEVEL,
    ),
    _entry(
        "Rprec_mult",
        precision_at_multiple,
        "precision at a multiple of R",
        "hits(c) / c, c = ⌊multiple·R + 0.9⌋",
        _LEVEL,
        Parameter("multiple", 1.0, "of R", 0),
    ),
    _entry(
        "utility",
        utility,
        "worth of what was and was not retrieved",
        "a·hits(n) + b·(n − hits(n)) + c·(R − hits(n)) + d·(N − n − R + hits(n))",
        _LEVEL,
        Parameter("worth", "1;-1;0;0", "a;b;c;d", listed=True, in_name=False),
        Parameter("collection", 0, "documents in the collection, trec_eval's -N", 0, in_name=False),
    ),
    _entry(
        "binG", binary_gain, "G with gains 0 and 1", "(1/R) Σ over the relevant i of 1/log2(2 + i − hits(i))", _LEVEL
    ),
    _entry(
        "G",
        trec_graded.gain_over_ideal,
        "gain discounted by what was missed above",
        "Σ_i g(i)/log2(2 + Σ_{j≤i} max(ideal(j), 1) − Σ_{j≤i} g(j)) / Σ ideal",
        _GAINS,
    ),
    _entry("ndcg", trec_graded.normalised_dcg, "DCG of the whole list over the ideal's", "DCG / DCG(ideal)", _GAINS),
    _entry(
        "ndcg_rel",
        trec_graded.dcg_at_relevant,
        "mean nDCG at the documents with a gain",
        "mean of DCG@i / DCG@i(ideal) over them; at the end of the list for those not found",
        _GAINS,
    ),
    _entry(
        "Rndcg",
        trec_graded.dcg_at_levels,
        "mean nDCG at the ranks where the ideal gain falls",
        "mean of DCG@c / DCG@c(ideal), c the documents of at least each gain, and n if n > R + 1",
        _LEVEL,
        _GAINS,
    ),
    _cut("ndcg_cut", trec_graded.normalised_dcg_by, "nDCG at k", "DCG@k / DCG@k(ideal)"),
    _cut("relative_P", relative_precision, "precision at k over the best possible", "hits(k) / min(k, R)", _LEVEL),
    _cut("success", success, "1 if a relevant document stands among the first k", "[hits(k) > 0]", _LEVEL),
    _entry("set_P", set_precision, "precision of the list as a set", "hits(n) / n", _LEVEL),
    _entry(
        "set_relative_P",
        set_relative_precision,
        "precision of the set over the best possible",
        "hits(n) / min(n, R)",
        _LEVEL,
    ),
    _entry("set_recall", set_recall, "recall of the list as a set", "hits(n) / R", _LEVEL),
    _entry("set_map", set_average_precision, "precision times recall of the set", "hits(n)² / (n·R)", _LEVEL),
    _entry(
        "set_F",
        set_f,
        "weighted harmonic mean of precision and recall of the set",
        "(β+1)·P·R / (R + β·P)",
        _LEVEL,
        Parameter("beta", 1.0, "importance of recall beside precision", 0, in_name=False),
    ),
    _entry(
        "num_nonrel_judged_ret",
        trec_judged.nonrelevant_judged,
        "documents retrieved that are judged not relevant",
        "|{i : 0 ≤ g(i) < level}|",
        _LEVEL,
        best="none",
    ),
    _entry(
        "rbp",
        trec_graded.rank_biased_precision,
        "rank-biased precision",
        "(1−p) Σ_i p^(i−1) g(i), gains moved to [0, 1] if they lie outside",
        Parameter("p", 0.9, "probability of going on to the next document", 0, 1, True, True, in_name=False),
        _GAINS,
    ),
    _entry(
        "rbp_resid",
        trec_judged.residual_of_rbp,
        "what rbp could rise by if unjudged documents were relevant",
        "p^n + (1−p) Σ over the unjudged i of p^(i−1), p = 0.9; 0 if all are judged",
        best="low",
    ),
    _cut(
        "unj",
        trec_judged.share_unjudged,
        "share of unjudged documents among the first k",
        "|unjudged in k| / k",
        best="low",
    ),
]
TREC_EVAL_9 = _interpolated(_under("trec_eval9", "trec_eval 9.0.8, NIST"), _round_from_a_tenth)
