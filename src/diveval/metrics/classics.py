"""Measures of ad hoc retrieval and newer ones of diversity, by the one rule of relevance, order and topics that ours have.

Under the names that ir_measures gave them. R, Success and SDCG are formulas; the others have no exact form.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.metrics.algebra import Array, Aspects, Overall, weighted_sum
from diveval.metrics.batch import PADDING, Batch, once, source_of
from diveval.metrics.columnwise import DiscountedShare, PerChannel, Recall, Success
from diveval.metrics.compat import cwl, irm, trec_binary, trec_judged
from diveval.metrics.compat.base import ToolFormula, overall, overall_pool
from diveval.metrics.compat.trec_seen import count_in_judgments, find_judged
from diveval.metrics.grouped import SOURCE_CROWDING
from diveval.metrics.metric import Entry, Parameter
from diveval.metrics.user_models import Continuation

ANY = 5e-324  # the lowest level of relevance that is above 0


def _entry(
    name: str,
    function: Callable[..., Array],
    meaning: str,
    formula: str,
    reference: str,
    *parameters: Parameter,
    continuation: Continuation | None = None,
    judged: bool = False,
    **own: Any,
) -> Entry:
    def build(**values: Any) -> ToolFormula:
        return ToolFormula(function, tuple(values.items()), continuation, judged)

    return Entry(name, build, meaning, formula, reference, parameters, **{"diversity": False, **own})


def _binary(function: Callable[..., Array], **fixed: Any) -> Callable[..., Array]:
    """trec_eval's measure for documents of any relevance."""

    def value(batch: Batch, cutoff: int | None, **values: Any) -> Array:
        return function(batch, cutoff, level=ANY, **fixed, **values)

    return value


# --- rules that see which documents are judged ------------------------------------------------------------------------


@once
def _relevant(batch: Batch) -> NDArray[np.bool_]:
    """Which of the judged documents of each list are relevant, (row, place), as `find_judged` lists them."""
    shown, width = find_judged(batch), int(batch.lengths.max(initial=0)) + 1
    row, hit = np.nonzero((overall(batch) > 0) & (batch.ranks != PADDING))
    keys = np.arange(batch.rows)[:, np.newaxis] * width + shown.ranks
    return np.isin(keys, row * width + batch.ranks[row, hit]) & np.isfinite(shown.grades)


def _in_judgments(batch: Batch) -> NDArray[np.int64]:
    return np.asarray(np.count_nonzero(overall_pool(batch) > 0, axis=1)[batch.topic])


def binary_preference(batch: Batch, cutoff: int | None) -> Array:
    """bpref: judged documents that are not relevant count, whatever grade makes a document relevant."""
    relevant, count = _relevant(batch), _in_judgments(batch)
    others = ~relevant & (find_judged(batch).grades >= 0)
    return trec_judged.prefer(relevant, others, count, count_in_judgments(batch, lambda grades: grades >= 0) - count)


def infer_precision(batch: Batch, cutoff: int | None) -> Array:
    """infAP."""
    relevant, shown = _relevant(batch), find_judged(batch)
    return trec_judged.infer(shown, relevant, ~relevant & (shown.grades >= 0), _in_judgments(batch))


def accuracy(batch: Batch, cutoff: int | None) -> Array:
    """Accuracy, 0 where nothing relevant was found."""
    return np.nan_to_num(irm.accuracy(batch, cutoff, level=ANY))  # type: ignore[arg-type]


# --- user models ------------------------------------------------------------------------------------------------------


def _make_expectation(continuation: Continuation) -> Callable[..., Array]:
    def value(batch: Batch, cutoff: int | None, **values: Any) -> Array:
        gains = cwl.gains_by_rank(batch, overall(batch))
        return cwl.expect(gains, continuation(gains, cutoff, **values))

    return value


def _make_expectation_by_aspect(continuation: Continuation) -> Callable[..., Array]:
    """The mean over the aspects, by their weights, of what a user who wants only this aspect expects."""

    def value(batch: Batch, cutoff: int | None, **values: Any) -> Array:
        out = []
        for column in batch.by_channel(Aspects()):
            gains = cwl.gains_by_rank(batch, column)
            out.append(cwl.expect(gains, continuation(gains, cutoff, **values)))
        return weighted_sum(np.array(out), batch.row_weights(Aspects())) if out else np.zeros(batch.rows)

    return value


# --- compatibility with an ideal ranking ------------------------------------------------------------------------------


def diverse_compatibility(batch: Batch, cutoff: int | None, p: float, alpha: float) -> Array:
    """Rank-biased overlap with a greedy ideal ranking of α-nDCG, over that of the ideal with itself.

    Of documents that add the same, the ideal takes the one that the list has first, so that the overlap is largest.
    """
    out = np.zeros(batch.rows)
    for row in range(batch.rows):
        ranks, pool = _ranks_of_pool(batch, row), batch.pool[:, batch.topic[row]]
        ideal = ranks[_greedy(pool, ranks, float(alpha))]
        depth = max(int(batch.lengths[row]), len(ideal))
        if len(ideal):
            shared = np.maximum(ideal, np.arange(1, len(ideal) + 1))
            weights = float(p) ** np.arange(depth) / np.arange(1.0, depth + 1)
            overlap = np.cumsum(np.bincount(shared[shared <= depth], minlength=depth + 1)[1:])
            best = np.minimum(np.arange(1, depth + 1), len(ideal))
            out[row] = (weights * overlap).sum() / (weights * best).sum()
    return out


def _greedy(pool: Array, ranks: NDArray[np.int64], alpha: float) -> list[int]:
    """The documents of the ideal, in its order: relevant ones only."""
    relevant, left = pool > 0, [int(d) for d in np.argsort(ranks, kind="stable") if pool[:, d].any()]
    factor, out = np.ones(len(pool)), []
    while left:
        gains = (factor[:, np.newaxis] * pool[:, left]).sum(axis=0)
        out.append(left.pop(int(np.argmax(gains >= gains.max() * (1 - 1e-12)))))
        factor = np.where(relevant[:, out[-1]], factor * (1.0 - alpha), factor)
    return out


def _ranks_of_pool(batch: Batch, row: int) -> NDArray[np.int64]:
    """The rank in a list of each relevant document of its topic; PADDING if the list lacks it."""
    source, topic = source_of(batch), int(batch.topic[row])
    hits = slice(source.hits[row], source.hits[row + 1])
    out = np.full(batch.pool.shape[2], PADDING)
    assert source.place is not None
    place = source.place[source.judged.documents[source.topics[topic]] + source.documents[hits]]
    out[place[place >= 0]] = source.ranks[hits][place >= 0]
    return out


_P = Parameter("p", 0.95, "probability of going on to the next document", 0, 1, True, True)
_MOFFAT = "Moffat, Bailey, Scholer, Thomas 2017"
_NERR = "Azzopardi, Mackenzie, Moffat, ICTIR 2021"
_TREC = "Buckley and Voorhees 2005"

CLASSICS = [
    Entry(
        "R",
        lambda: PerChannel(Recall(), Overall()),
        "share of the relevant documents that are among the first k",
        "hits(k) / R",
        "Cleverdon 1967",
        aliases=("Recall", "SetR"),
        diversity=False,
    ),
    Entry(
        "R_IA",
        lambda: PerChannel(Recall(), Aspects()),
        "R per aspect, averaged by aspect weight",
        "Σ_t w(t) hits_t(k) / R_t",
        "Agrawal et al. 2009",
        aliases=("Recall-IA",),
    ),
    Entry(
        "Success",
        lambda: PerChannel(Success(), Overall()),
        "1 if a relevant document is among the first k",
        "[hits(k) > 0]",
        "Craswell and Hawking, TREC 2004",
        aliases=("Hit", "HitRate"),
        diversity=False,
    ),
    _entry(
        "Rprec",
        _binary(trec_binary.r_precision),
        "precision at R, the number of relevant documents",
        "hits(R) / R",
        _TREC,
        aliases=("R-Precision",),
        cutoffs=False,
    ),
    _entry(
        "Bpref",
        binary_preference,
        "share of judged pairs in the right order; unjudged documents do not count",
        "(1/R) Σ over the relevant found of 1 − min(judged not relevant above, R) / min(judged not relevant, R)",
        "Buckley and Voorhees 2004",
        cutoffs=False,
        judged=True,
    ),
    _entry(
        "infAP",
        infer_precision,
        "average precision inferred from a judged sample of the pool",
        "(1/R) Σ over the relevant i of 1/i + (i−1)/i · (share pooled above) · (share relevant of those judged above)",
        "Yilmaz and Aslam 2006",
        cutoffs=False,
        judged=True,
    ),
    _entry(
        "IPrec",
        _binary(trec_binary.interpolate_precision, rounding=trec_binary.round_half_up),
        "the highest precision from a recall on",
        "max_{i ≥ j} hits(i)/i, j the rank at which recall·R documents are found",
        _TREC,
        Parameter("recall", 0.1, "share of the relevant documents", 0, 1),
        cutoffs=False,
    ),
    _entry(
        "SetP",
        _binary(trec_binary.set_precision),
        "precision of the list as a set",
        "hits(n) / n",
        "van Rijsbergen 1979",
        cutoffs=False,
    ),
    _entry(
        "SetRelP",
        _binary(trec_binary.set_relative_precision),
        "precision of the list as a set over the best possible",
        "hits(n) / min(n, R)",
        "trec_eval",
        cutoffs=False,
    ),
    _entry(
        "SetF",
        _binary(trec_binary.set_f),
        "weighted harmonic mean of precision and recall of the list as a set",
        "(β+1) P R / (R + β P)",
        "van Rijsbergen 1979",
        Parameter("beta", 1.0, "weight of recall", 0),
        cutoffs=False,
    ),
    _entry(
        "SetAP",
        _binary(trec_binary.set_average_precision),
        "precision times recall of the list as a set",
        "P · R",
        "trec_eval",
        cutoffs=False,
    ),
    _entry(
        "Accuracy",
        accuracy,
        "share of pairs of a relevant and another retrieved document in the right order",
        "1 − Σ over the relevant i of (not relevant above i) / (relevant · not relevant); 0 if none is relevant",
        "ir_measures",
        judged=True,
    ),
    Entry(
        "SDCG",
        lambda: PerChannel(DiscountedShare(), Overall()),
        "DCG over that of fully relevant documents only",
        "Σ_{i≤k} r(i)/log2(i+1) / Σ_{i≤k} 1/log2(i+1)",
        _MOFFAT,
        cutoffs="needed",
        diversity=False,
    ),
    _entry(
        "BPM",
        _make_expectation(cwl.go_on_to_goal),
        "bejewelled player model: gain of a user who stops at a goal or at k",
        "Σ W(i) r(i), C(i) = [i < k and Σ_{j≤i} r(j) < T]",
        "Zhang et al. 2017",
        cwl.GOAL,
        continuation=cwl.go_on_to_goal,
        cutoffs="needed",
    ),
    _entry(
        "NERR8",
        _make_expectation(cwl.stop_by_gain),
        "nearly ERR, cut at k",
        "Σ W(i) r(i), C(i) = 1 − r(i) before k",
        _NERR,
        continuation=cwl.stop_by_gain,
        cutoffs="needed",
    ),
    _entry(
        "NERR9",
        _make_expectation(cwl.stop_by_gain_and_rank),
        "nearly ERR with a discount by rank, cut at k",
        "Σ W(i) r(i), C(i) = (1 − r(i)) i/(i+1) before k",
        _NERR,
        continuation=cwl.stop_by_gain_and_rank,
        cutoffs="needed",
    ),
    _entry(
        "NERR10",
        _make_expectation(cwl.stop_by_gain_and_patience),
        "nearly ERR with patience",
        "Σ W(i) r(i), C(i) = p (1 − r(i))",
        _NERR,
        Parameter("p", 0.9, "probability of going on to the next document", 0, 1, True, True),
        continuation=cwl.stop_by_gain_and_patience,
        cutoffs=False,
    ),
    _entry(
        "NERR11",
        _make_expectation(cwl.stop_by_gain_and_goal),
        "nearly ERR with a goal",
        "Σ W(i) r(i), C(i) = (1 − r(i)) ((i+2T−1)/(i+2T))²",
        _NERR,
        cwl.GOAL,
        continuation=cwl.stop_by_gain_and_goal,
        cutoffs=False,
    ),
    _entry(
        "INSQ",
        _make_expectation(cwl.go_on_for_goal),
        "gain of a user whose patience grows with rank and goal",
        "Σ W(i) r(i), C(i) = ((i+2T−1)/(i+2T))²",
        "Moffat, Scholer, Thomas 2012",
        cwl.GOAL,
        continuation=cwl.go_on_for_goal,
        cutoffs=False,
    ),
    _entry(
        "INST",
        _make_expectation(cwl.go_on_for_missing_gain),
        "gain of a user whose patience depends on the gain still missing",
        "Σ W(i) r(i), C(i) = ((i+T+T(i)−1)/(i+T+T(i)))², T(i) = T − Σ_{j≤i} r(j)",
        _MOFFAT,
        cwl.GOAL,
        continuation=cwl.go_on_for_missing_gain,
        cutoffs=False,
    ),
    _entry(
        "INST_IA",
        _make_expectation_by_aspect(cwl.go_on_for_missing_gain),
        "INST per aspect, averaged by aspect weight",
        "Σ_t w(t) INST_t, each of a user who wants T of aspect t",
        "Moffat et al. 2017; Agrawal et al. 2009",
        cwl.GOAL,
        continuation=cwl.go_on_for_missing_gain,
        cutoffs=False,
        diversity=True,
    ),
    _entry(
        "Compat",
        partial(irm.compatibility, normalise="yes"),
        "rank-biased overlap with the closest ideal ranking",
        "Σ_i p^(i−1) |top i ∩ ideal top i| / i over the same of the ideal with itself",
        "Clarke, Vtyurina, Smucker 2021",
        _P,
        cutoffs=False,
    ),
    _entry(
        "dCompat",
        diverse_compatibility,
        "rank-biased overlap with the closest greedy ideal for diversity",
        "Compat with the greedy ideal of α-nDCG",
        "Clarke, Vtyurina, Smucker, ICTIR 2020",
        _P,
        Parameter("alpha", 0.5, "how much each document already seen on an aspect takes off the next", 0, 1),
        cutoffs=False,
        diversity=True,
        judged=True,
    ),
    SOURCE_CROWDING,
]
_BY_NAME = {entry.name: entry for entry in CLASSICS}
# As the command line lists them, by what people look for.
_FAMILIES = {
    "found or not: recall, sets, success": (
        *("R", "R_IA", "Rprec", "Success", "SetP", "SetRelP", "SetF", "SetAP", "IPrec", "Bpref", "infAP", "Accuracy"),
    ),
    "user models": ("INST", "INST_IA", "INSQ", "BPM", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11"),
    "overlap with an ideal ranking, repeated sources": ("Compat", "dCompat", "SourceCrowding"),
}
CLASSIC_FAMILIES = {family: [_BY_NAME[name] for name in names] for family, names in _FAMILIES.items()}
