"""The catalogue of diveval's own metrics: every metric of the paper, and later ones, each declared once."""

from __future__ import annotations

from typing import Any

from diveval.defaults import EFFORT, PATIENCE
from diveval.metrics.algebra import (
    Aspects,
    BestSoFar,
    Cascade,
    Decay,
    Geometric,
    GlobalGain,
    Log,
    Overall,
    Reciprocal,
    ShiftedLog,
)
from diveval.metrics.columnwise import AveragePrecision, NormalisedDCG, PerChannel, Precision, ReciprocalRank
from diveval.metrics.formulas import Judged, Normalised, PrefixMean, Sum
from diveval.metrics.metric import Entry, Parameter
from diveval.metrics.subtopics import AlphaBeta, Blend, SubtopicRecall, SubtopicReciprocalRank

RBU_PAPER = "Amigó, Spina, Carrillo-de-Albornoz, SIGIR 2018"


def _patience(default: float, *, below_one: bool = False) -> Parameter:
    return Parameter("p", default, "probability of going on to the next document", 0, 1, True, below_one)


def _alpha(meaning: str = "how much each document already seen on an aspect takes off the next") -> Parameter:
    return Parameter("alpha", 0.5, meaning, 0, 1)


def _effort() -> Parameter:
    return Parameter("e", EFFORT, "effort of inspecting one document", 0)


def _ideal(default: str) -> Parameter:
    return Parameter(
        "ideal", default, "the best list: greedy; exact, proven or refused; best, proven where that is feasible and"
        " greedy elsewhere, with a warning", choices=("greedy", "exact", "best"), in_name=False,
    )


def _rbu(p: Any, e: Any, scale: str, novelty: str = "cascade") -> Sum:
    discount = Geometric(p) if scale == "paper" else Geometric(p, start=0, scaled=True)
    return Sum(Aspects(), discount, BestSoFar() if novelty == "best" else Cascade(), e)


_SCALE = Parameter(
    "scale", "paper", "evall multiplies by (1−p)/p, as the authors' program does",
    choices=("paper", "evall"), in_name=False,
)

_COVERED = Parameter(
    "weights", "uniform", "given: the weight of the covered aspects", choices=("uniform", "given"), in_name=False
)
_NOVELTY = Parameter(
    "novelty", "cascade", "best: a document brings what it has beyond the best above it, r(i,t) − max_{j<i} r(j,t)",
    choices=("cascade", "best"), in_name=False,
)

AD_HOC = [
    Entry(
        "P", lambda: PerChannel(Precision(), Overall()), "share of relevant documents among the first k",
        "(1/k) Σ_{i≤k} [r(i) > 0]", "Cleverdon 1967", aliases=("Precision",), diversity=False,
    ),
    Entry(
        "RR", lambda: PerChannel(ReciprocalRank(), Overall()), "1 / rank of the first relevant document",
        "1 / min{i : r(i) > 0}", "Voorhees, TREC-8 1999", aliases=("MRR",), diversity=False,
    ),
    Entry(
        "AP", lambda: PerChannel(AveragePrecision(), Overall()), "mean precision at the relevant documents",
        "(1/R) Σ_i [r(i) > 0] · hits(i)/i", "Buckley and Voorhees 2005", aliases=("MAP",), diversity=False,
    ),
    Entry(
        "DCG", lambda: Sum(Overall(), Log()), "relevance, discounted by the logarithm of the rank",
        "Σ_i r(i) / log2(i+1)", "Järvelin and Kekäläinen 2002", diversity=False,
    ),
    Entry(
        "nDCG", lambda: PerChannel(NormalisedDCG(), Overall()), "DCG over the DCG of the ideal order",
        "DCG / DCG(ideal)", "Järvelin and Kekäläinen 2002", diversity=False,
    ),
    Entry(
        "ERR", lambda: Sum(Overall(), Reciprocal(), Cascade()), "1 / the rank at which a cascade user stops, expected",
        "Σ_i (1/i) r(i) Π_{j<i} (1 − r(j))", "Chapelle et al. 2009", diversity=False,
    ),
    Entry(
        "RBP", lambda p: Sum(Overall(), Geometric(p, start=0, scaled=True)), "gain per document of a patient user",
        "(1−p) Σ_i p^(i−1) r(i)", "Moffat and Zobel 2008", (_patience(0.8, below_one=True),), diversity=False,
    ),
]

INTENT_AWARE = [
    Entry(
        "P_IA", lambda: PerChannel(Precision(), Aspects()), "P per aspect, averaged by aspect weight",
        "Σ_t w(t) P_t", "Agrawal et al. 2009",
    ),
    Entry(
        "RR_IA", lambda: PerChannel(ReciprocalRank(), Aspects()), "RR per aspect, averaged by aspect weight",
        "Σ_t w(t) RR_t", "Agrawal et al. 2009", aliases=("MRR-IA",),
    ),
    Entry(
        "AP_IA", lambda: PerChannel(AveragePrecision(), Aspects()), "AP per aspect, averaged by aspect weight",
        "Σ_t w(t) AP_t", "Agrawal et al. 2009", aliases=("MAP-IA",),
    ),
    Entry(
        "DCG_IA", lambda: Sum(Aspects(), Log()), "DCG per aspect, averaged by aspect weight",
        "Σ_t w(t) DCG_t", "Agrawal et al. 2009",
    ),
    Entry(
        "nDCG_IA", lambda: PerChannel(NormalisedDCG(), Aspects()), "nDCG per aspect, averaged by aspect weight",
        "Σ_t w(t) nDCG_t", "Agrawal et al. 2009",
    ),
    Entry(
        "ERR_IA", lambda: Sum(Aspects(), Reciprocal(), Cascade()), "ERR per aspect, averaged by aspect weight",
        "Σ_t w(t) Σ_i (1/i) r(i,t) Π_{j<i} (1 − r(j,t))", "Chapelle et al. 2011",
        variant="graded",
    ),
    Entry(
        "RBP_IA", lambda p: Sum(Aspects(), Geometric(p, start=0, scaled=True)), "RBP per aspect, by aspect weight",
        "Σ_t w(t) (1−p) Σ_i p^(i−1) r(i,t)", RBU_PAPER, (_patience(0.8, below_one=True),),
    ),
]

DIVERSITY = [
    Entry(
        "StRecall", lambda weights: SubtopicRecall(weights), "share of the aspects covered by the first k documents",
        "|{t : r(i,t) > 0 for some i ≤ k}| / |T|; weights=given: Σ w(t) over them", "Zhai, Cohen, Lafferty 2003",
        (_COVERED,), aliases=("S-Recall", "I-rec", "strec"), label="S-Recall",
    ),
    Entry(
        "SRR", lambda coverage: SubtopicReciprocalRank(coverage=coverage), "1 / rank at which the aspects are covered",
        "1 / min{k : S-Recall@k ≥ coverage}, 0 if never", "Zhai, Cohen, Lafferty 2003",
        (Parameter("coverage", 1.0, "share of the aspects to be covered", 0, 1, True),), aliases=("S-RR",),
        label="S-RR",
    ),
    Entry(
        "alpha_DCG", lambda alpha: Sum(Aspects(weighted=False), Log(), Decay(alpha)), "DCG that rewards an aspect less with every repetition",
        "Σ_i Σ_t r(i,t) (1−α)^c(i,t) / log2(i+1)", "Clarke et al. 2008", (_alpha(),), aliases=("α-DCG", "alpha-DCG-IA"),
        label="α-DCG", variant="graded",
    ),
    Entry(
        "alpha_nDCG",
        lambda alpha, ideal: Normalised(Sum(Aspects(weighted=False), Log(), Decay(alpha)), ideal),
        "α-DCG over that of the ideal list", "α-DCG / α-DCG(ideal), the ideal greedy by default", "Clarke et al. 2008",
        (_alpha(), _ideal("greedy")), aliases=("α-nDCG",), label="α-nDCG", variant="graded",
    ),
    Entry(
        "alphabeta_nDCG", lambda beta: AlphaBeta(beta), "accuracy and diversity in one, as a share of the ideal list",
        "Σ_i G(i)/log2(i+1) / ideal, G(i) = 1 − Π_t (1 − w(t) β r(i,t) Π_{j<i} (1 − β r(j,t)))",
        "Parapar and Radlinski 2021", (Parameter("beta", 0.5, "how far a fully relevant item satisfies", 0, 1, True),),
        aliases=("αβ-nDCG",), label="αβ-nDCG",
    ),
    Entry(
        "NRBP", lambda p, alpha: Sum(Aspects(weighted=False), Geometric(p, start=0), Decay(alpha)),
        "RBP that rewards an aspect less with every repetition (the paper's form, not normalised)",
        "Σ_i p^(i−1) Σ_t r(i,t) (1−α)^c(i,t)", "Clarke, Kolla, Vechtomova 2009", (_patience(0.8), _alpha()), variant="graded",
        unnormalised=True,
    ),
    Entry(
        "D_nDCG", lambda: Normalised(Sum(GlobalGain(), Log())), "nDCG on the global gain",
        "nDCG of Σ_t w(t) r(i,t)", "Sakai et al. 2010", aliases=("D-nDCG",),
    ),
    Entry(
        "Dsharp_nDCG", lambda lam: Blend(lam, SubtopicRecall(), Normalised(Sum(GlobalGain(), Log()))),
        "aspect recall blended with D-nDCG", "λ · S-Recall + (1−λ) · D-nDCG", "Sakai and Song 2011",
        (Parameter("lam", 0.5, "share of aspect recall", 0, 1),), aliases=("D#-nDCG", "D#-Measure"), label="D#-nDCG",
    ),
    Entry(
        "EU", lambda alpha, e: Sum(Aspects(), ShiftedLog(), Decay(alpha), e), "expected utility: gain less effort",
        "Σ_i (Σ_t w(t) r(i,t) (1−α)^c(i,t) − e) / (1 + log2 i)", "Yang and Lad 2009", (_alpha(), _effort()),
    ),
    Entry(
        "CT", lambda alpha, limit: Sum(Aspects(), Reciprocal(), Decay(alpha, limit)), "Cube Test: gain until full",
        "Σ_i (1/i) Σ_t w(t) r(i,t) (1−α)^c(i,t) [Σ_{j<i} r(j,t) < L]", "Luo et al. 2013",
        (_alpha(), Parameter("limit", 1, "relevance at which an aspect is full", 0, open_low=True)),
    ),
    Entry(
        "ACT", lambda alpha, limit: PrefixMean(Sum(Aspects(), Reciprocal(), Decay(alpha, limit))),
        "the mean of CT over the prefixes of the list", "(1/m) Σ_{j≤m} CT@j, m = min(n, k)", "Luo et al. 2013",
        (_alpha(), Parameter("limit", 1, "relevance at which an aspect is full", 0, open_low=True)),
    ),
    Entry(
        "RBU", _rbu, "rank-biased utility: new relevance to the aspects, minus the effort of each document",
        "Σ_i p^i ( Σ_t w(t) r(i,t) Π_{j<i} (1 − r(j,t)) − e )", RBU_PAPER,
        (_patience(PATIENCE), _effort(), _SCALE, _NOVELTY),
    ),
    Entry(
        "nRBU", lambda p, e, ideal: Normalised(_rbu(p, e, "paper"), ideal),
        "RBU over the best attainable, which may stop early",
        "RBU / max over ordered subsets of the relevant documents of RBU; 0 where none is worth its effort", "diveval",
        (_patience(PATIENCE), _effort(), _ideal("best")),
    ),
    Entry(
        "iRBU", lambda p: Sum(GlobalGain(), Geometric(p), Cascade()), "RBU without effort, on the global gain",
        "Σ_i p^i r(i) Π_{j<i} (1 − r(j)), r = Σ_t w(t) r(i,t)", "Sakai and Zeng 2019", (_patience(0.99),),
    ),
]

TRUST = [
    Entry(
        "Judged", Judged, "share of the first k documents that are judged",
        "|{i ≤ k : document i is judged}| / min(n, k)", "diveval", diversity=False,
    ),
]

# The families as the command line and the documentation list them.
FAMILIES = {
    "diversity": DIVERSITY, "intent-aware": INTENT_AWARE, "ad hoc (aspects are ignored)": AD_HOC,
    "how much was judged": TRUST,
}
OWN = [*AD_HOC, *INTENT_AWARE, *DIVERSITY, *TRUST]
