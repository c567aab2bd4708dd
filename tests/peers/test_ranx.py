"""ranx objects as input, and scores written back into them."""

from __future__ import annotations

from typing import Any

import pytest

import diveval
from support.refusals import refuses

QRELS = {"q1": {"a": 1, "b": 2, "c": 1}, "q2": {"a": 1, "d": 3}}
RUNS = {
    "one": {"q1": {"a": 1.0, "x": 0.9, "c": 0.5}, "q2": {"d": 0.1, "a": 0.7}},
    "two": {"q1": {"b": 1.0, "a": 0.9}, "q2": {"x": 0.1, "d": 0.7}},
}


@pytest.fixture(scope="module")
def objects() -> Any:
    """ranx Qrels and two named ranx Runs."""
    ranx = pytest.importorskip("ranx")  # not at the top: its import takes two seconds
    return ranx.Qrels(QRELS), [ranx.Run(run, name=name) for name, run in RUNS.items()]


def test_ranx_objects_are_the_dicts_they_hold(objects: Any) -> None:
    """Qrels and runs of ranx give the scores of the same dicts, under the names of the runs."""
    qrels, runs = objects
    ours = diveval.evaluate(QRELS, RUNS, ["AP", "nDCG@3"])
    scores = diveval.evaluate(qrels, runs, ["AP", "nDCG@3"])
    assert scores.runs == ("one", "two")
    assert scores.to_dict() == ours.to_dict()


def test_ranx_qrels_cannot_carry_aspects(objects: Any) -> None:
    """The error names the metric and the cause; as_judgments states that there is one aspect."""
    qrels, runs = objects
    with refuses("metric-needs-aspects", "RBU"):
        diveval.evaluate(qrels, runs, "RBU")
    assert diveval.evaluate(diveval.as_judgments(qrels), runs, "RBU").mean()["one"]


def test_scores_are_written_to_ranx_runs(objects: Any) -> None:
    """Values and means are stored where ranx stores its own, so that its reports can read them."""
    qrels, runs = objects
    scores = diveval.evaluate(diveval.as_judgments(qrels), runs, ["RBU(p=0.9,e=0.05)", "AP"])
    scores.to_ranx(runs)
    for run in runs:
        assert dict(run.scores["AP"]) == scores.per_topic(run.name, "AP")
        assert run.mean_scores["RBU(p=0.9,e=0.05)"] == scores.mean()[run.name]["RBU(p=0.9,e=0.05)"]
    with refuses("unknown-run"):
        scores.to_ranx([type(runs[0])(RUNS["one"], name="other")])
