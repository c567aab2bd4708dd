"""The exact forms of ndeval's measures: their values, and what axioms, violations, conclusions and residuals make of them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import diveval
from diveval.analysis.violations import violations
from diveval.axioms import check
from diveval.axioms.presentation.data_verdicts import decide_in_data, levels_of
from diveval.cli import main
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.conclusions import conclude
from diveval.metrics.names import as_metrics, entries, parse
from diveval.settings import RelevanceRule
from support.drawn import Drawn, draw
from support.refusals import refuses
from support.shared import times

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
NAMES = (
    "ndeval.alpha_nDCG@20", "ndeval.alpha_nDCG(alpha=0.1)@3", "ndeval.ERR_IA@20", "ndeval.ERR_IA@1",
    "ndeval.ERR_IA(alpha=0.3)@5", "ndeval.nERR_IA@7", "ndeval.NRBP", "ndeval.NRBP(alpha=0.1,beta=0.8)",
    "ndeval.P_IA@10", "ndeval.strec@4",
)  # fmt: skip


def rows_of(data: Drawn, topic: str) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
    """The list and the pool of a topic as graded relevance in thirds, in the order that ndeval uses."""
    of_topic = [(a, d, g) for t, a, d, g in data.judgments if t == topic]
    aspects = sorted({a for a, _, g in of_topic if g > 0})
    grades = {(d, a): Fraction(g, 3) for a, d, g in of_topic}
    listed = sorted(((s, d) for t, d, s in data.run if t == topic), reverse=True)
    relevant = sorted({d for _, d, g in of_topic if g > 0}, reverse=True)
    rows, pool = (
        [[grades.get((d, a), Fraction(0)) for a in aspects] for d in named]
        for named in ([d for _, d in listed], relevant)
    )
    return rows, pool


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(times(3, 40)))
def test_the_exact_form_has_the_tools_value(name: str, seed: int) -> None:
    """On graded rows the exact form gives what ndeval gives, whatever the grades, lists and unjudged documents."""
    data = draw(seed)
    scores = diveval.evaluate(Judgments.from_rows(data.judgments), Run.from_rows(data.run), name)
    for t, topic in enumerate(scores.topics):
        rows, pool = rows_of(data, topic)
        if rows and rows[0] and topic in data.topics:
            assert parse(name)(rows, pool=pool) == pytest.approx(scores.values[0, 0, t], abs=1e-12)


def test_verdicts_see_that_grades_are_ignored() -> None:
    """TREC's α-nDCG does not reward a better grade; on judgments with one grade it is α-nDCG times a constant."""
    assert check("ndeval.alpha_nDCG@20", "Pri").verdict == "fails"
    assert check("alpha_nDCG@20", "Pri").verdict == "holds"
    metrics = as_metrics(["ndeval.alpha_nDCG@5", "alpha_nDCG@5"])
    for grades, here in (((1, 1), "holds"), ((1, 2), "fails")):
        judgments = Judgments.from_rows([("1", "a", f"d{i}", g) for i, g in enumerate(grades)])
        levels = {metric.name: levels_of(judgments, RelevanceRule()) for metric in metrics}
        found = decide_in_data(metrics, ["Pri", "Deep"], levels, time_limit=10.0)
        assert {found[metrics[0].name, axiom].here for axiom in ("Pri", "Deep")} == {here}
        assert {found[metrics[1].name, axiom].here for axiom in ("Pri", "Deep")} == {"holds"}


def test_violations_of_a_metric_without_grades() -> None:
    """Swapping two relevant documents of different grades is a situation of Pri that TREC's metrics do not reward."""
    judgments = {"1": {"a": {"x": 1, "y": 3, "z": 1}}}
    (row,) = violations(judgments, {"r": {"1": ["x", "y", "z"]}}, "ndeval.ERR_IA@20", axioms=["Pri"]).rows
    assert (row.found, row.unrewarded) == (1, 1)
    (row,) = violations(judgments, {"r": {"1": ["x", "y", "z"]}}, "ERR_IA@20", axioms=["Pri"]).rows
    assert (row.found, row.unrewarded) == (1, 0)


@pytest.mark.parametrize("metric", ["ndeval.alpha_nDCG@5", "ndeval.ERR_IA@5", "ndeval.strec@5"])
def test_conclusions_order_as_the_scores_do(metric: str) -> None:
    """The order and the margin of conclusions are those of the scores."""
    data = [draw(seed) for seed in (3, 4)]
    judgments = Judgments.from_rows(data[0].judgments)
    runs = [Run.from_rows(one.run, name=f"r{i}") for i, one in enumerate(data)]
    scores = diveval.evaluate(judgments, runs, metric)
    (row,) = conclude(judgments, runs, metric).rows
    first, second = scores.runs.index(row.better), scores.runs.index(row.worse)
    gap = scores.means[first, 0] - scores.means[second, 0]
    assert gap >= 0 and row.margin == pytest.approx(gap, abs=1e-12)
    with refuses("range-not-taken"):
        conclude(judgments, runs, "ndeval.alpha_nDCG(alpha=0.1..0.9)@5")
    with refuses("metric-not-exact", "ndeval.MAP_IA"):
        conclude(judgments, runs, "ndeval.MAP_IA")


@pytest.mark.parametrize("seed", range(times(4, 30)))
def test_a_residual_counts_the_documents_made_relevant_in_the_ideal_too(seed: int) -> None:
    """Value plus residual is the metric with every unjudged document of the list relevant to all aspects, in list and
    pool, so that no normalised metric exceeds 1."""
    data = draw(seed)
    names = ["ndeval.alpha_nDCG@5", "alpha_nDCG@5", "nDCG@10", "AP", "Dsharp_nDCG@20", "nRBU@5", "ndeval.ERR_IA@5"]
    judgments, run = Judgments.from_rows(data.judgments), Run.from_rows(data.run)
    scores = diveval.evaluate(judgments, run, names, gain="linear", gmax=3, residuals=True)
    judged = {(t, d) for t, _, d, _ in data.judgments}
    for t, topic in enumerate(scores.topics):
        rows, pool = rows_of(data, topic)
        listed = [d for _, d in sorted(((s, d) for o, d, s in data.run if o == topic), reverse=True)]
        if not (rows and rows[0]):
            continue
        full = [Fraction(1)] * len(rows[0])
        rows = [row if (topic, d) in judged else full for row, d in zip(rows, listed, strict=True)]
        pool = [full for d in listed if (topic, d) not in judged] + pool
        for m, name in enumerate(names):
            total = scores.values[0, m, t] + scores.values[0, m + len(names), t]
            assert total == pytest.approx(parse(name)(rows, pool=pool), abs=1e-9), name
            assert total <= 1 + 1e-9


def test_what_changes_relevance_for_ours_alone_is_refused() -> None:
    """With --rel, which ndeval ignores, no residual and no count of violations of its metrics exists."""
    judgments, run = {"1": {"a": {"x": 1, "y": 2}}}, {"r": {"1": ["x", "y"]}}
    with refuses("metric-of-another-tool"):
        violations(judgments, run, "ndeval.ERR_IA@20", rel=2)
    with refuses("metric-of-another-tool"):
        diveval.evaluate(judgments, run, "ndeval.ERR_IA@20", rel=2, residuals=True)
    assert np.isfinite(diveval.evaluate(judgments, run, "ndeval.ERR_IA@20", residuals=True).values).all()


INEXACT = [
    entry.metric({}, 5 if entry.cutoffs == "needed" else None).name
    for entry in entries().values()
    if not entry.has_exact
]


@pytest.mark.parametrize("name", INEXACT)
def test_a_metric_without_an_exact_form_is_refused_by_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What needs an exact form says that the metric has none, and never takes its name for an axiom's."""
    judgments, runs = {"1": {"a": {"x": 1}}}, {"r": {"1": ["x"]}, "s": {"1": ["y"]}}
    with refuses("metric-not-exact"):
        conclude(judgments, runs, name)
    assert main(["axioms", name, "Conf"]) == 2
    assert "[metric-not-exact]" in capsys.readouterr().err
    if not name.partition("(")[0].count("."):
        with refuses("metric-not-exact"):
            violations(judgments, runs, name)
