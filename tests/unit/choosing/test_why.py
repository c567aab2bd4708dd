"""Reasons: steps that add up to the score, decisive topics, and the axiom that separates two metrics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import diveval
from diveval.analysis.reasons import chart
from diveval.analysis.waterfall import waterfall
from diveval.analysis.why import why
from diveval.cli import main
from diveval.scoring.evaluate import rank_all
from diveval.settings import Options

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
METRICS = [
    "RBU(p=0.9,e=0.05)@5",
    "RBU(p=0.8,e=0.1)",
    "alpha_nDCG@4",
    "ERR_IA@5",
    "Dsharp_nDCG@3",
    "StRecall@2",
    "AP_IA",
    "CT@5",
    "nRBU@5",
]
JUDGMENTS = {
    "1": {"a": {"d1": 3, "d2": 1}, "b": {"d3": 2}},
    "2": {"a": {"d1": 1}},
    "3": {"a": {"d9": 1}, "b": {"d9": 1}},
}
A = {"1": ["d1", "d2", "x"], "2": ["x", "d1"], "3": ["d9"]}
B = {"1": ["d3", "x", "d1"], "2": ["d1", "x"]}


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_steps_add_up_to_the_score(data: Any) -> None:
    """For every metric, the steps sum to the score, and a step with an aspect is about a relevant document."""
    documents = [f"d{i}" for i in range(6)]
    grades = st.dictionaries(st.sampled_from(documents), st.integers(0, 3), min_size=1)
    judgments = {"1": {aspect: data.draw(grades) for aspect in ("a", "b", "c")}}
    ranking = data.draw(st.permutations([*documents, "x", "y"]))[: data.draw(st.integers(1, 8))]
    metric = diveval.parse(data.draw(st.sampled_from(METRICS)))
    truth, options = diveval.as_judgments(judgments), Options()
    (ranked,) = next(iter(rank_all(truth, {"1": ranking}, [metric], options, keep_documents=True).values()))
    steps = waterfall(metric, truth, options, "1", ranked.topics["1"])
    score = diveval.evaluate(judgments, {"1": ranking}, metric).means[0, 0]
    assert sum(step.value for step in steps) == pytest.approx(score, abs=1e-9)
    for step in steps:
        if step.aspect is not None:
            assert step.document == ranking[step.rank - 1] and judgments["1"][step.aspect][step.document] > 0


def test_one_metric_names_the_decisive_topics() -> None:
    """The topic with the largest difference comes first, and the steps of every side sum to its score."""
    found = why(JUDGMENTS, A, B, "RBU(p=0.9,e=0.05)@5", topics=3)
    scores = diveval.evaluate(JUDGMENTS, {"a": A, "b": B}, "RBU(p=0.9,e=0.05)@5")
    gaps = scores.values[0, 0] - scores.values[1, 0]
    assert found.means[0] == tuple(scores.means[:, 0])
    assert found.topics[0].topic == scores.topics[int(gaps.argmax())] == "3"
    assert found.axiom is None and not found.disagree
    for reason in found.topics:
        for side in reason.sides[0]:
            assert sum(step.value for step in side.steps) == pytest.approx(side.score)
    assert "Topic 3" in str(found)


@pytest.mark.slow
def test_an_axiom_separates_two_metrics() -> None:
    """The reason names an axiom that only one of the metrics satisfies, with an example."""
    found = why(JUDGMENTS, A, B, ["RBU(p=0.9,e=0.01)@5", "StRecall@5"], time_limit=5)
    assert found.axiom is not None
    assert found.axiom.satisfied_by == "RBU(p=0.9,e=0.01)@5" and found.axiom.failed_by == "StRecall@5"
    assert found.axiom.example
    text = str(found)
    assert found.axiom.axiom in text
    shape = json.loads(found.to_json())
    assert len(shape["topics"][0]["sides"]) == 2


def test_every_panel_shows_its_topic_and_metric() -> None:
    """The bars of a panel start at 0 and end at the difference between the two runs."""
    found = why(JUDGMENTS, A, B, ["RBU(p=0.9,e=0.05)@5", "AP"], topics=2, axioms=False)
    shape = chart(found).to_dict()
    panels = [panel for row in shape["vconcat"] for panel in row["hconcat"]]
    assert len(panels) == 4
    sides = [pair for reason in found.topics for pair in reason.sides]
    for panel, (one, two) in zip(panels, sides, strict=True):
        bars = shape["datasets"][panel["layer"][0]["data"]["name"]]
        assert bars[0]["before"] == 0
        assert bars[-1]["after"] == pytest.approx(one.score - two.score)


@pytest.mark.slow
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`why` writes text, JSON and figures; wrong numbers of runs, metrics and topics exit with 2."""
    (tmp_path / "q").write_text("1 a d1 1\n1 b d2 2\n2 a d1 1\n")
    (tmp_path / "a").write_text("1 Q0 d1 1 3 a\n1 Q0 d2 2 2 a\n2 Q0 x 1 1 a\n")
    (tmp_path / "b").write_text("1 Q0 d2 1 3 b\n2 Q0 d1 1 1 b\n")
    files = [str(tmp_path / name) for name in ("q", "a", "b")]
    two = ["-m", "RBU(p=0.9,e=0.01)@5", "-m", "P@5", "--no-axioms"]
    assert main(["why", *files, *two]) == 0
    assert "Topic" in capsys.readouterr().out
    assert main(["why", *files, *two, "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["run"] == "a"
    for name in ("w.svg", "w.pdf"):
        assert main(["why", *files, *two, "-o", str(tmp_path / name)]) == 0
        assert (tmp_path / name).stat().st_size > 500
    assert main(["why", *files[:2], *two]) == 2
    assert main(["why", *files, *two, "-m", "AP"]) == 2
    assert main(["why", *files, *two, "-n", "0"]) == 2
    assert main(["why", *files, *two, "-f", "pdf"]) == 2
