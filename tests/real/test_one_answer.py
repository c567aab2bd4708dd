"""One question, one answer: what every command, the report and a track say of the Web track of 2011."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from diveval.analysis.choose import choose
from diveval.axioms import check
from diveval.axioms.presentation.data_verdicts import decide_in_data, levels_of
from diveval.axioms.specification.constraints import AXIOMS
from diveval.conclusions import conclude
from diveval.meta.discriminative import discriminative
from diveval.metrics.names import as_metrics
from diveval.publishing.results_table import results_table
from diveval.report.axiom_section import AxiomSection
from diveval.scoring.evaluate import rank_all, score_runs
from diveval.settings import Options, RelevanceRule
from diveval.stats import compare
from diveval.views.board import MetricQuality
from diveval.views.survival import Doubts, survival

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")]
RBU = "RBU(p=0.9,e=0.01)@20"
RANGED = "RBU(p=0.8..0.95,e=0..0.02)@20"


@pytest.fixture(scope="module")
def web2011(collection: Any) -> Any:
    """Judgments and runs."""
    found = collection(2011)
    return found.diversity, list(found.runs)


def test_do_two_runs_differ_by_rbu(web2011: Any) -> None:
    """compare, its letters, the table of a paper, discriminative power, the report, choose and conclusions name the same
    pairs."""
    judgments, runs = web2011
    scores = score_runs(judgments, runs, as_metrics([RBU]), Options())
    compared = compare(scores, "RBU@20")  # bare RBU is the same metric
    answer = {frozenset((row.run, row.other)) for row in compared.rows if row.significant}
    assert compared.metric == RBU and 0 < len(answer) < len(compared.rows)
    pairs = len(compared.rows)
    letters = {run.run: set(run.letters or "") for run in compared.runs}
    table = results_table(scores)
    marks = {run: set(cells[0].mark) for run, cells in zip(table.runs, table.cells, strict=True)}
    for shared in (letters, marks):
        apart = {frozenset((a, b)) for a, b in combinations(shared, 2) if not shared[a] & shared[b]}
        assert apart == answer
    power = discriminative(scores)
    shown = MetricQuality.of(scores).power
    assert shown is not None
    for one in (power, shown):
        decided = {frozenset(p) for p, level in zip(one.pairs, one.asl[0], strict=True) if level < one.alpha}
        assert decided == answer
    concluded = conclude(judgments, runs, RANGED).rows
    assert {frozenset((row.better, row.worse)) for row in concluded if row.significant} == answer
    (candidate,) = [
        one for one in choose(judgments, runs, need=["length"], metrics=[RBU, "P@20"]).candidates if one.metric == RBU
    ]
    assert candidate.power == pytest.approx(len(answer) / pairs)


def test_does_rbu_satisfy_deepth_here(web2011: Any) -> None:
    """It holds for grades 2 and 3 and fails for grade 1: axioms, the report's matrix, choose and why's decisions agree."""
    judgments, runs = web2011
    verdict = check(RBU, "DeepTh")
    assert verdict.verdict == "region"
    metrics = as_metrics([RBU])
    with AxiomSection(metrics) as section:
        cells = section.finish(seconds=60.0)["rows"][0]["cells"]
    assert cells[list(AXIOMS).index("DeepTh")]["verdict"] == "region"
    here = decide_in_data(metrics, ["DeepTh"], {RBU: levels_of(judgments, RelevanceRule())}, time_limit=30.0)[
        RBU, "DeepTh"
    ]
    assert {level.grade: answer for level, answer in here.answers} == {1.0: "fails", 2.0: "holds", 3.0: "holds"}
    found = choose(judgments, runs, need=["DeepTh"], metrics=[RBU, "P@20"])
    (candidate,) = [one for one in found.candidates if one.metric == RBU]
    assert candidate.partly == ("DeepTh",) and "DeepTh" not in (candidate.satisfied or ())
    (said,) = [one for one in found.statements if one.kind == "verdict-here"]
    assert said.facts["grades"] == {"fails": [1.0], "holds": [2.0, 3.0]}


def test_how_many_pairs_are_certain(web2011: Any) -> None:
    """conclusions and the report count the same pairs, and as many of them as significant."""
    judgments, runs = web2011
    found = conclude(judgments, runs, RANGED)
    options = Options()
    rankings = rank_all(judgments, runs, as_metrics([RBU]), options, keep_documents=True)
    shown = survival(judgments, rankings, options, Doubts(RANGED, None))
    assert shown["certain"] == len(found.surviving()) == found.statements[0].facts["surviving"]
    assert shown["significant"] == found.statements[0].facts["significant"]
