"""trec_eval 10.0: every measure of `all_trec`, and under `trec_eval9.` those that older versions round in another way.

A document judged for several aspects counts with its best grade. `level` is trec_eval's -l: a document is relevant from
that grade on. R is the number of relevant documents in the judgments. A negative grade means "in the pool but not judged".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from diveval.metrics.algebra import Array
from diveval.metrics.compat import trec_graded, trec_judged
from diveval.metrics.compat.base import entries_under
from diveval.metrics.compat.trec_binary import (
    ELEVEN,
    Rounding,
    average_precision,
    binary_gain,
    interpolate_precision,
    log_of,
    mean_of_interpolation,
    precision,
    precision_at_multiple,
    r_precision,
    recall,
    reciprocal_rank,
    relative_precision,
    relevant,
    relevant_retrieved,
    retrieved,
    round_from_a_tenth,
    round_half_up,
    set_average_precision,
    set_f,
    set_precision,
    set_recall,
    set_relative_precision,
    success,
    topics,
    utility,
)
from diveval.metrics.compat.trec_seen import DOCUMENTS, JUDGED_ONLY, on_seen
from diveval.metrics.metric import Entry, Parameter
from diveval.settings import OrderRule, RelevanceRule

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
_RECALLS = Parameter("recalls", ELEVEN, "shares of the relevant documents", 0, listed=True, in_name=False)


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
    *_interpolated(_entry, round_half_up),
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
        Parameter("worth", "1;-1;0;0", "a;b;c;d", listed=True, size=4, in_name=False),
        Parameter("collection", 0, "documents in the collection, trec_eval's -N", 0, in_name=False, whole=True),
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
TREC_EVAL_9 = _interpolated(_under("trec_eval9", "trec_eval 9.0.8, NIST"), round_from_a_tenth)
