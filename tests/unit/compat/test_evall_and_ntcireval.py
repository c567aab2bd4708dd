"""Metrics of EvALL (the RBU authors' program) and NTCIREVAL: weights, gains and rounding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run, TopicRun
from diveval.metrics import entries


def score(judgments: Any, run: Any, *names: Any, weights: Any = None) -> Any:
    """Values by name for one topic and a list of documents."""
    listed = Run("run", {"1": TopicRun(list(run))})
    scores = evaluate(Judgments.from_rows(judgments), listed, list(names), weights=weights)
    return dict(zip(names, scores.values[0, :, 0].tolist(), strict=True))


def test_evall_rbu_by_hand() -> None:
    """gmax is per aspect, weights are not normalised, and effort counts to the end of the list."""
    rows = [("1", "1", "a", 2), ("1", "1", "b", 1), ("1", "2", "b", 1)]
    weights = {("1", "1"): 0.5, ("1", "2"): 0.3}
    value = score(rows, ["b", "x", "a"], "evall.RBU(p=0.8,e=0.03)", weights=weights)["evall.RBU(p=0.8,e=0.03)"]
    gained = 0.5 * (1 / 4 + 0.64 * 3 / 4 * 3 / 4) + 0.3 * 1 / 2
    assert value == pytest.approx(0.2 * (gained - 0.03 * (1 + 0.8 + 0.64)), abs=1e-15)


def test_evall_rbu_is_the_papers_times_one_minus_p_over_p() -> None:
    """EvALL's p^(i−1) and (1−p) differ from the paper's p^i by the factor (1−p)/p."""
    rows, run = [("1", "1", "a", 2), ("1", "2", "b", 2)], Run("run", {"1": TopicRun(["b", "x", "a"])})
    scores = evaluate(Judgments.from_rows(rows), run, ["evall.RBU(p=0.9,e=0.05)", "RBU(p=0.9,e=0.05)"])
    assert scores.values[0, 0, 0] == pytest.approx(scores.values[0, 1, 0] / 9)


def test_an_aspect_without_a_relevant_document_is_left_out_or_nan() -> None:
    """With empty=nan the score is NaN, as in the program, if a returned document has grade 0 for such an aspect."""
    rows = [("1", "1", "a", 1), ("1", "0", "b", 0)]
    for run, undefined in ((["a", "b"], True), (["a", "x"], False)):
        values = list(score(rows, run, "evall.RBU(p=0.8,e=0.03)", "evall.RBU(p=0.8,e=0.03,empty=nan)").values())
        assert math.isfinite(values[0])
        assert math.isnan(values[1]) == undefined


def test_a_repeated_document_counts_once_in_an_evall_run() -> None:
    """Only the first of repeated documents counts, as in the program."""
    once = Run("run", {"1": TopicRun(["a", "b"])}, format="evall")
    twice = Run("run", {"1": TopicRun(["a", "a", "b"])}, format="evall")
    judgments = Judgments.from_rows([("1", "1", "a", 1), ("1", "1", "b", 1)])
    values = [evaluate(judgments, run, "evall.RBU").values[0, 0, 0] for run in (once, twice)]
    assert values[0] == values[1]


def test_d_ndcg_by_hand() -> None:
    """Global gain is Σ P·grade with P as given, and the ideal sorts it in descending order."""
    rows = [("1", "1", "a", 1), ("1", "2", "b", 3), ("1", "2", "c", 1)]
    weights = {("1", "1"): 0.6, ("1", "2"): 0.2}
    names = ["ntcireval.D_nDCG@2", "ntcireval.D_nDCG_JK@2", "ntcireval.I_rec@2", "ntcireval.I_rec@1"]
    found = score(rows, ["b", "c", "a"], *names, weights=weights)
    assert found["ntcireval.D_nDCG@2"] == pytest.approx((0.6 + 0.2 / math.log2(3)) / (0.6 + 0.6 / math.log2(3)))
    assert found["ntcireval.D_nDCG_JK@2"] == pytest.approx(0.8 / 1.2)
    assert (found["ntcireval.I_rec@2"], found["ntcireval.I_rec@1"]) == (0.5, 0.5)


def test_dsharp_blends_rounded_values() -> None:
    """I-rec and D-nDCG are rounded to four digits before they are averaged."""
    rows = [("1", aspect, document, 1) for aspect, document in zip("123", "abc", strict=True)]
    found = score(rows, ["x", "a"], "ntcireval.Dsharp_nDCG@10", "ntcireval.D_nDCG@10")
    printed = float(f"{found['ntcireval.D_nDCG@10']:.4f}")
    assert found["ntcireval.Dsharp_nDCG@10"] == 0.5 * 0.3333 + 0.5 * printed


def test_irbu_and_err_divide_by_the_highest_gain_plus_1() -> None:
    """r = GG/(GG_max + 1) with the topic's maximum or a given grade; gains may be exponential."""
    rows = [("1", "1", "a", 1), ("1", "1", "b", 3)]
    names = [
        "ntcireval.iRBU@10",
        "ntcireval.iRBU(p=0.8,gain=exponential,top=4)@10",
        "ntcireval.D_ERR@10",
        "ntcireval.D_RBP@10",
    ]
    found = list(score(rows, ["a", "b"], *names).values())
    assert found[0] == pytest.approx(0.99 / 4 + 0.99**2 * 3 / 4 * 3 / 4)
    assert found[1] == pytest.approx(0.8 / 16 + 0.64 * 15 / 16 * 7 / 16)
    assert found[2] == pytest.approx(1 / 4 + 3 / 4 * 3 / 4 / 2)
    assert found[3] == pytest.approx(0.05 * (1 / 3 + 0.95))


def test_q_and_ap_divide_by_the_attainable_within_k() -> None:
    """Q and AP divide by min(k, R), and Q blends hits with gain."""
    rows = [("1", "1", document, 2) for document in "abc"]
    found = score(rows, ["a", "x", "b"], "ntcireval.D_Q@3", "ntcireval.D_AP@3", "ntcireval.D_AP@1", "ntcireval.D_EBR@3")
    assert found["ntcireval.D_Q@3"] == pytest.approx((3 / 3 + (2 + 4) / (3 + 6)) / 3)
    assert found["ntcireval.D_AP@3"] == pytest.approx((1 + 2 / 3) / 3)
    assert found["ntcireval.D_AP@1"] == 1.0
    assert found["ntcireval.D_EBR@3"] == pytest.approx(2 / 3 + 2 / 3 * 1 / 3 * 6 / 9)


def test_intent_aware_means_keep_the_probabilities() -> None:
    """An intent without a relevant document is left out, and the others are not renormalised."""
    rows = [("1", "1", "a", 1), ("1", "2", "b", 1), ("1", "3", "c", 0)]
    weights = {("1", "1"): 0.5, ("1", "2"): 0.2, ("1", "3"): 0.3}
    found = score(rows, ["a"], "ntcireval.IA_nDCG@10", "ntcireval.IA_ERR@10", weights=weights)
    assert found == {"ntcireval.IA_nDCG@10": 0.5, "ntcireval.IA_ERR@10": 0.25}


@pytest.mark.filterwarnings("ignore:judgments.*document")
def test_no_relevant_document_is_0() -> None:
    """All of NTCIREVAL's metrics are 0 without a relevant document."""
    own = [entry for entry in entries().values() if entry.name.startswith("ntcireval.") and not entry.needs_groups]
    names = [entry.metric({}, 10 if entry.cutoffs else None).name for entry in own]
    assert len(names) == 18 + 17
    assert not np.any(list(score([("1", "1", "a", 0)], ["a", "x"], *names).values()))
