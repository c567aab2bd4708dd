"""Verdicts for the grades of a collection, compared with the definition of the constraint in Fractions."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

import diveval
from diveval.analysis.choose import choose
from diveval.analysis.why import why
from diveval.axioms.presentation.data_verdicts import decide_in_data, levels_of
from diveval.metrics.names import as_metric
from diveval.settings import Options
from support.plain_violations import rbu

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
pytest.importorskip("z3")
GRADED = {"1": {"a": {"d1": 1, "d2": 2}, "b": {"d3": 3}}, "2": {"a": {"d1": 3}}}
RUNS = {"A": {"1": ["d1", "d3"], "2": ["x", "d1"]}, "B": {"1": ["d3", "d2"], "2": ["d1", "x"]}}


def deep_threshold(p: F, e: F, k: int, r: F) -> bool:
    """DeepTh, charitable: one relevant document above n that are not, for the largest n that fits the cutoff."""
    n, score = k // 2, rbu(p, e, k)
    nothing = (F(0),)
    first = ((r,), *[nothing] * (2 * n - 1))
    return score(first, [F(1)]) > score((*[nothing] * n, *[(r,)] * n), [F(1)])


@pytest.mark.parametrize(("p", "k"), [("0.9", 20), ("0.8", 10), ("0.95", 6)])
@pytest.mark.parametrize("gain", ["exponential", "linear", "binary"])
def test_a_region_is_decided_for_each_grade(p: str, k: int, gain: str) -> None:
    """DeepTh of RBU holds for exactly the grades for which the two rankings' exact scores say so; never for r = 1."""
    options = Options.of(gain=gain)  # type: ignore[arg-type]
    metric = as_metric(f"RBU(p={p},e=0.01)@{k}")
    levels = levels_of(diveval.as_judgments(GRADED), options.relevance)
    exact = {"exponential": [F(1, 8), F(3, 8), F(7, 8)], "linear": [F(1, 3), F(2, 3), F(1)], "binary": [F(1)] * 3}
    assert [(level.grade, level.relevance) for level in levels] == list(zip([1.0, 2.0, 3.0], exact[gain], strict=True))
    found = decide_in_data([metric], ["DeepTh", "Pri", "Sat"], {metric.name: levels}, time_limit=60)
    for level, answer in found[metric.name, "DeepTh"].answers:
        holds = deep_threshold(F(p), F(1, 100), k, level.relevance)
        assert answer == ("outside" if level.relevance == 1 else "holds" if holds else "fails")
    for level, answer in found[metric.name, "Pri"].answers:
        assert answer == ("outside" if level.relevance == 1 else "holds")
    assert found[metric.name, "Sat"].here == "holds"


def test_a_choice_counts_only_what_holds_for_every_grade() -> None:
    """DeepTh of RBU@20 fails for grade 1: it is not satisfied. Under binary gain no proof about r < 1 applies."""
    names = ["RBU(p=0.9,e=0.01)@20", "ERR_IA@20"]
    graded = choose(GRADED, RUNS, need=["DeepTh", "Pri"], metrics=names)
    row = next(c for c in graded.candidates if c.metric.startswith("RBU"))
    assert (row.satisfied, row.partly) == (("Pri", "AspDiv"), ("DeepTh",))  # graded judgments add AspDiv
    binary = choose(GRADED, RUNS, need=["DeepTh", "Pri"], metrics=names, gain="binary")
    assert all(not c.satisfied and set(c.partly) == {"DeepTh", "Pri"} for c in binary.candidates)
    degrees = next(s for s in binary.statements if s.kind == "degrees-of-relevance")
    assert {relevance for _, relevance in degrees.facts["degrees"]} == {1.0} and "grades" not in binary.needs


def test_shares_of_topics_sum_to_one() -> None:
    """A topic's share of a difference is its own difference over the sum of all."""
    rng = np.random.default_rng(3)
    judged = {str(t): {"a": {f"d{i}": int(rng.integers(0, 4)) for i in range(6)}} for t in range(9)}
    runs = [{str(t): [f"d{i}" for i in rng.permutation(6)[:4]] for t in range(9)} for _ in "AB"]
    found = why(judged, runs[0], runs[1], "ERR_IA@4", topics=9)
    scores = diveval.evaluate(judged, {"A": runs[0], "B": runs[1]}, "ERR_IA@4")
    gaps = dict(zip(scores.topics, scores.values[0, 0] - scores.values[1, 0], strict=True))
    total = sum(gaps.values())
    assert found.topics and all(np.isclose(reason.share, gaps[reason.topic] / total) for reason in found.topics)
    assert sum(gaps[reason.topic] for reason in found.topics) / total >= 1 - 1e-12  # the others pull the other way


@pytest.mark.parametrize("extra", [0, 3, 12])
def test_effort_is_a_cause_only_if_the_order_changes_without_it(extra: int) -> None:
    """Confidence is named a cause exactly if the metrics disagree, and agree with effort 0."""
    judged = {"1": {"a": {"d1": 3, "d2": 2}}}
    long, short = {"1": ["d1", *(f"x{i}" for i in range(extra)), "d2"]}, {"1": ["d1"]}
    found = why(judged, long, short, ["RBU(p=0.9,e=0.05)@20", "ERR_IA@20"])
    if found.axiom is not None:
        free = diveval.evaluate(judged, {"A": long, "B": short}, ["RBU(p=0.9,e=0)@20", "ERR_IA@20"]).means
        agree = len(set(np.sign(free[0] - free[1]).tolist())) == 1
        assert found.axiom.cause == (found.disagree and agree and found.axiom.axiom == "Conf")
