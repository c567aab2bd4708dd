"""ir_measures' ad hoc measures by our provider and by its own providers, on random collections without equal scores."""

from __future__ import annotations

import math
from typing import Any

import pandas
import pytest

from diveval.integrations.ir_measures import DivevalProvider
from support.drawn import draw
from support.refusals import refuses, warns
from support.shared import times

ir_measures = pytest.importorskip("ir_measures")
pytestmark = pytest.mark.filterwarnings(
    "ignore::diveval.errors.DivevalWarning", "ignore:The 'future.infer_string' option"
)
M = ir_measures.parse_measure
BY_PROVIDER = {
    "pytrec_eval": (
        "P@5 P(rel=2)@5 P(judged_only=True)@5 RR RR(rel=2) Rprec Rprec(rel=2) AP AP@5 AP(rel=2,judged_only=True) nDCG nDCG@5"
        " nDCG(judged_only=True)@5 R@5 R(rel=2)@30 Bpref Bpref(rel=2) NumRet NumRet(rel=2) NumQ NumRel SetAP SetF"
        " SetF(beta=0.5) SetP SetP(rel=2) SetRelP SetR Success@5 Success(rel=2)@1 IPrec@0.1 IPrec@0.55 infAP infAP(rel=2)"
    ),
    "msmarco": "RR@3 RR@10 RR(rel=2)@5",
    "judged": "Judged@5 Judged@10 Judged",
    "accuracy": "Accuracy Accuracy@5 Accuracy(rel=2)@20",
    "compat": "Compat Compat(p=0.8) Compat(p=0.9,normalize=False)",
    "cwl_eval": (
        "AP P@5 RR RBP(rel=1) RBP(rel=2,p=0.5) BPM(max_rel=3)@10 BPM(max_rel=2,T=2.0)@5 SDCG(max_rel=3)@10 NERR8(max_rel=3)@10"
        " NERR9(max_rel=3)@10 NERR10(max_rel=3) NERR11(max_rel=3,T=2.0) INST(max_rel=3) INST(max_rel=2,min_rel=1,T=3.0)"
        " INSQ(max_rel=3,T=2.0)"
    ),
    "ranx": "P@5 P(rel=2)@5 RR Rprec AP AP(rel=2)@5 nDCG nDCG@5 nDCG(dcg='exp-log2')@5 R@5 Success@5 SetP SetR NumRet(rel=1)",
    "gdeval": "ERR@5 ERR@20 nDCG(dcg='exp-log2')@5 nDCG(dcg='exp-log2')@20",
    "pyndeval": "ERR_IA@5 nERR_IA@10 alpha_DCG@5 alpha_nDCG@10 NRBP nNRBP AP_IA P_IA@5 StRecall@5 alpha_nDCG(alpha=0.3,rel=2)@5",
}


@pytest.mark.parametrize("seed", range(times(4, 500)))
@pytest.mark.parametrize("name", BY_PROVIDER)
def test_our_provider_agrees_with_each_provider(name: str, seed: int) -> None:
    """The same topics have the same values, to twelve digits."""
    peer = ir_measures.providers.registry[name]
    if not peer.is_available():
        pytest.skip(f"{name} is not installed")
    qrels, run = _collection(seed, aspects=3 if name == "pyndeval" else 1)
    for measure in map(M, BY_PROVIDER[name].split()):
        try:
            with pandas.option_context("future.infer_string", False):  # ranx takes columns of Python's strings only
                theirs = _values(peer, measure, qrels, run)
        except ZeroDivisionError:  # ir_measures' Accuracy of a list of relevant documents only
            continue
        ours = _values(DivevalProvider(name), measure, qrels, run)
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-14), measure


def _collection(seed: int, aspects: int = 1) -> tuple[list[Any], list[Any]]:
    data = draw(seed, aspects=aspects, lowest=-1 if aspects == 1 else 0, ties=False)
    qrels = [ir_measures.Qrel(topic, document, grade, aspect) for topic, aspect, document, grade in data.judgments]
    return qrels, [ir_measures.ScoredDoc(topic, document, abs(score) + 0.125) for topic, document, score in data.run]


def _values(provider: Any, measure: Any, qrels: list[Any], run: list[Any]) -> dict[str, float]:
    assert provider.supports(measure)
    return {  # nNRBP is 0/0 without a relevant document: pyndeval says NaN, we say 0
        metric.query_id: 0.0 if math.isnan(metric.value) and measure.NAME == "nNRBP" else metric.value
        for metric in provider.iter_calc([measure], qrels, run)
    }


def test_compat_does_not_depend_on_the_level_of_scores() -> None:
    """ir_measures ranks a document with a score of 0 or less behind those that the run lacks; we see the order alone."""
    qrels, run = _collection(20)
    lower = [scored._replace(score=scored.score - 100) for scored in run]
    ours = DivevalProvider("compat")
    assert _values(ours, M("Compat"), qrels, lower) == _values(ours, M("Compat"), qrels, run)
    peer = ir_measures.providers.registry["compat"]
    assert _values(peer, M("Compat"), qrels, run) == pytest.approx(_values(ours, M("Compat"), qrels, run), rel=1e-12)
    assert _values(peer, M("Compat"), qrels, lower) != pytest.approx(_values(ours, M("Compat"), qrels, lower))


def test_gdeval_to_its_five_digits() -> None:
    """ERR and nDCG with exponential gain are the numbers that gdeval prints."""
    qrels, run = _collection(3)
    peer = ir_measures.providers.registry["gdeval"]
    if not peer.is_available():
        pytest.skip("Perl is not installed")
    for measure in map(M, ("ERR@5", "ERR@20", "nDCG(dcg='exp-log2')@5", "nDCG(dcg='exp-log2')@20")):
        assert _values(DivevalProvider(), measure, qrels, run) == _values(peer, measure, qrels, run)


def test_a_provider_takes_the_place_of_the_one_it_replaces(monkeypatch: pytest.MonkeyPatch) -> None:
    """By name or by registration: gdeval's exponential nDCG, cwl_eval's quantities; elsewhere trec_eval's numbers."""
    qrels, run = _collection(4)
    plain, replacing = DivevalProvider(), DivevalProvider()
    monkeypatch.setitem(ir_measures.providers.registry, "gdeval", replacing)
    measure = M("nDCG@5")
    assert _all(replacing, measure, qrels, run) == _all(DivevalProvider("gdeval"), measure, qrels, run)
    assert _all(replacing, measure, qrels, run) != _all(plain, measure, qrels, run)
    assert not replacing.supports(measure) and plain.supports(measure)
    first = next(iter(DivevalProvider("cwl_eval").iter_calc([M("P@5")], qrels, run)))
    assert isinstance(first, ir_measures.CwlMetric)
    assert (first.expected_cost, first.expected_total_cost, first.expected_items) == pytest.approx((1, 5, 5))
    assert first.expected_total_utility == pytest.approx(5 * first.value)
    with refuses("invalid-choice", "cwl_evil", "cwl_eval"):
        DivevalProvider("cwl_evil")


def _all(provider: Any, measure: Any, qrels: list[Any], run: list[Any]) -> dict[str, float]:
    return {metric.query_id: metric.value for metric in provider.iter_calc([measure], qrels, run)}


def test_no_judgments_have_no_values() -> None:
    """As with every provider of ir_measures, with a warning."""
    _, run = _collection(4)
    with warns("no-judgment"):
        assert list(DivevalProvider().iter_calc([M("AP")], [], run)) == []
