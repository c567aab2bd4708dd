"""ir_measures on random collections: its diversity, ad hoc and gdeval providers, their defaults and means."""

from __future__ import annotations

import shutil
from typing import Any

import ir_measures
import pytest
from ir_measures import (
    AP,
    AP_IA,
    ERR,
    ERR_IA,
    NRBP,
    P_IA,
    RR,
    Bpref,
    P,
    R,
    Rprec,
    StRecall,
    Success,
    alpha_nDCG,
    nDCG,
    nERR_IA,
)

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from support.drawn import draw

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")

DIVERSITY = {
    ERR_IA @ 5: "ndeval.ERR_IA@5",
    ERR_IA @ 20: "ndeval.ERR_IA@20",
    nERR_IA @ 10: "ndeval.nERR_IA@10",
    alpha_nDCG @ 20: "ndeval.alpha_nDCG@20",
    P_IA @ 10: "ndeval.P_IA@10",
    StRecall @ 5: "ndeval.strec@5",
    NRBP: "ndeval.NRBP",
    AP_IA: "ndeval.MAP_IA",
}
AD_HOC = {
    AP: "trec_eval.map",
    AP @ 10: "trec_eval.map_cut_10",
    RR: "trec_eval.recip_rank",
    P @ 5: "trec_eval.P_5",
    R @ 10: "trec_eval.recall_10",
    Rprec: "trec_eval.Rprec",
    Bpref: "trec_eval.bpref",
    Success @ 3: "trec_eval.success_3",
    nDCG: "trec_eval.ndcg",
    nDCG @ 10: "trec_eval.ndcg_cut_10",
}
PERL = {nDCG(dcg="exp-log2") @ 20: "gdeval.nDCG@20", ERR @ 20: "gdeval.ERR@20"}


def _compare(data: Any, measures: Any, **options: Any) -> Any:
    """Compare every value by topic; ir_measures counts topics missing from the run as 0."""
    qrels = [ir_measures.Qrel(topic, document, grade, aspect) for topic, aspect, document, grade in data.judgments]
    run = [ir_measures.ScoredDoc(*row) for row in data.run]
    scores = evaluate(
        Judgments.from_rows(data.judgments),
        Run.from_rows(data.run),
        list(measures.values()),
        missing_topics="zero",
        **options,
    )
    compared = 0
    for metric in ir_measures.iter_calc(list(measures), qrels, run):
        ours = scores.per_topic("run", measures[metric.measure]).get(metric.query_id)
        if ours is not None:
            assert ours == pytest.approx(metric.value, abs=1e-12), metric
            compared += 1
    assert compared >= len(measures)
    return scores


@pytest.mark.parametrize("seed", range(10))
def test_diversity_measures_agree(seed: int) -> None:
    """Measures that ir_measures takes from ndeval equal ours of ndeval, ties by ascending document id."""
    data = draw(seed)
    scores = _compare(data, DIVERSITY, order="score", ties="docno-asc")
    qrels = [ir_measures.Qrel(topic, document, grade, aspect) for topic, aspect, document, grade in data.judgments]
    means = ir_measures.calc_aggregate(list(DIVERSITY), qrels, [ir_measures.ScoredDoc(*row) for row in data.run])
    for measure, name in DIVERSITY.items():
        assert scores.mean()["run"][name] == pytest.approx(means[measure], abs=1e-12), name


@pytest.mark.parametrize("seed", range(10))
def test_ad_hoc_measures_agree(seed: int) -> None:
    """Measures that ir_measures takes from trec_eval equal ours of trec_eval, and our own."""
    data = draw(seed, aspects=1)
    scores = _compare(data, AD_HOC)
    own = {"trec_eval.map": "AP", "trec_eval.recip_rank": "RR", "trec_eval.P_5": "P@5", "trec_eval.ndcg": "nDCG"}
    judgments, run = Judgments.from_rows(data.judgments), Run.from_rows(data.run)
    ours = evaluate(judgments, run, list(own.values()), gain="linear")
    for theirs, name in own.items():
        assert ours.array(name) == pytest.approx(scores.array(theirs), abs=1e-12), name


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl program")
@pytest.mark.parametrize("seed", range(3))
def test_gdeval_agrees_to_its_five_digits(seed: int) -> None:
    """nDCG with exponential gain and ERR with highest grade 4 equal those of the script."""
    data = draw(seed, aspects=1, highest=4)
    qrels = [ir_measures.Qrel(topic, document, grade) for topic, _, document, grade in data.judgments]
    run = [ir_measures.ScoredDoc(*row) for row in data.run]
    scores = evaluate(Judgments.from_rows(data.judgments), Run.from_rows(data.run), list(PERL.values()))
    values = list(ir_measures.gdeval.iter_calc(list(PERL), qrels, run))
    assert values
    for value in values:
        ours = scores.per_topic("run", PERL[value.measure]).get(value.query_id, 0.0)
        assert f"{ours:.5f}" == f"{value.value:.5f}"
