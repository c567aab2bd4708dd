"""The view on labels and topics in a browser: every number is the library's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.collection.judgments import Judgments
from diveval.judging.planning import trace_power
from diveval.judging.pool_audit import audit_rankings
from diveval.report.contents import contents
from diveval.report.page import page
from diveval.scoring.study import Evaluation
from diveval.stats.ranks import write_ranks
from diveval.views.judging import Decisions, judging
from support.judged import quietly
from support.shared import made_once

from .conftest import make_study, opened, table

METRICS = ["RBU(p=0.9,e=0.01)@20", "StRecall@20"]


def test_the_pool_and_the_topics_needed(report: Any, study: Evaluation) -> None:
    """The tables of the report hold the rows of the pool audit and of the power curve."""
    audit = quietly(
        lambda: audit_rankings(study.judgments, study.rankings, study.metrics, study.options, scores=study.scores)
    )
    rows = table(report, "pool")
    assert [row[2:5] for row in rows] == [
        [f"{value:.4f}" if value is not None else "–" for value in (row.score, row.without, row.effect)]
        for row in audit.rows
        if row.metric == study.scores.metrics[0]
    ]
    points = {(p.metric, p.topics): p.smallest for p in quietly(lambda: trace_power(study.scores))}
    for metric, row in zip(study.scores.metrics, table(report, "topics-needed"), strict=True):
        assert row[1:] == [f"{points[metric, topics]:.4f}" for topics in (25, 50, 100, 200)]
    assert report.locator("#chart-topics-needed path.series").count() == len(study.metrics)


@pytest.fixture(scope="module")
def judged() -> tuple[Evaluation, Decisions]:
    """Three runs under people's labels, and a model that is wrong about some."""
    study = make_study({}, topics=12, systems=3, depth=30, metrics=METRICS)
    rows = [(t, a, d, (g + 1) % 2 if i % 7 == 0 else g) for i, (t, a, d, g) in enumerate(study.judgments.rows())]
    model = Judgments.from_rows(rows, source="model")
    runs = {
        run.name: {topic: list(ranking.documents or ()) for topic, ranking in run.topics.items()}
        for run in study.explained_runs()
    }
    return study, Decisions(model, runs, study.scores.runs[0], 0.02, ("RBU(p=0.8..0.9,e=0.01)@20", "P@10"))


def test_judges_and_gate(judged: tuple[Evaluation, Decisions], watched: Any, tmp_path_factory: Any) -> None:
    """Agreement, estimates by people, model and both, and the outcome of the gate for every other run."""
    study, asked = judged
    expected = quietly(lambda: judging(study, asked))

    def make(path: Path) -> None:
        data = quietly(lambda: contents(study, axiom_seconds=0, conclusions=False, decisions=asked))
        path.write_text(page(data), encoding="utf-8")

    shown = opened(watched, made_once(tmp_path_factory, "judged.html", make).as_uri())
    assert watched.complaints == []
    rows = table(shown, "judges")
    assert [row[:4] for row in rows] == [
        [r["run"], r["metric"], r["estimator"], f"{r['estimate']:.4f}"]
        for r in expected["judges"]["rows"]
        if r["metric"] == METRICS[0]
    ]
    (one,) = expected["judges"]["agreement"]
    assert [[int(cell) for cell in row[1:]] for row in table(shown, "labels")] == [
        list(row) for row in one["confusion"]
    ]
    assert [row[2] for row in table(shown, "gate")] == [row["outcome"] for row in expected["gate"]["rows"]]
    assert shown.locator("#chart-judges circle").count() == 3 * 3
    model = asked.model
    assert model is not None
    ranked = quietly(lambda: diveval.board(study.judgments, asked.runs, list(asked.board), judges=[model]))
    assert table(shown, "possible-ranks") == [
        [
            row.run,
            write_ranks(row.best, row.worst),
            write_ranks(row.best_proved, row.worst_proved),
            str(row.above),
            str(row.below),
        ]
        for row in ranked.rows
    ]


def test_parts_that_cannot_be_computed_are_left_out_with_a_note() -> None:
    """One topic: no power curve, a note that says why, and the pool all the same."""
    study = make_study({}, topics=1, systems=3, depth=20, metrics=METRICS)
    found = quietly(lambda: judging(study, Decisions()))
    assert found["power"] is None and found["pool"] and found["notes"]
    assert found["judges"] is None and found["gate"] is None
