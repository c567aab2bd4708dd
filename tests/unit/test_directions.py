"""Whether higher or lower values are better: every table marks and sorts by the metric's direction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diveval
from diveval import recommend
from diveval.answers import answer_metrics
from diveval.meta.score_file import read_scores
from diveval.publishing.results_table import results_table
from diveval.recommend import list_metrics
from diveval.report.contents import table_contents
from diveval.results.scores import Scores
from support.refusals import refuses

LOW = {"Calibration_KL", "Calibration_JS", "EEL", "EED", "Gini", "ExposureGini"}


@pytest.fixture
def scores() -> Scores:
    """`good` has the better value of both metrics, in every topic: the higher RBU and the lower calibration."""
    noise = np.random.default_rng(0).normal(0, 0.05, (2, 2, 30))
    values = np.array([[[0.8], [0.1]], [[0.2], [0.6]]]) + noise
    return Scores.of(
        values,
        runs=["good", "bad"],
        metrics=["RBU(p=0.9,e=0.01)@10", "Calibration_KL@10"],
        topics=[str(t) for t in range(30)],
        best=["high", "low"],
    )


def test_which_recommender_metrics_are_better_low() -> None:
    """Inequality, miscalibration and exposure loss are better low; all other recommender metrics are better high."""
    assert {name for name, entry in list_metrics.entries().items() if entry.best == "low"} == LOW


def test_counts_and_lengths_of_answers_have_no_direction() -> None:
    """Counts and lengths have no direction, except that failed labels and criteria are better low."""
    best = {name: entry.best for name, entry in answer_metrics.entries().items()}
    assert {best[name] for name in ("Tokens", "RBU_stop", "argue.sentences", "ragdoll.nugget_count")} == {"none"}
    assert {name for name, direction in best.items() if direction == "low"} == {
        "ragdoll.failed_count",
        "ragdoll.n_mandatory_fail",
    }
    assert best["argue.correct_nuggets"] == best["Coverage"] == "high"


@pytest.mark.parametrize("bold", [Scores.to_text, Scores.to_markdown, Scores.to_latex, Scores._repr_html_])
def test_tables_mark_the_lowest_where_lower_is_better(scores: Any, bold: Any) -> None:
    """The row of the better run has all marks of the table, the other row none."""
    signs = {Scores.to_text: "*", Scores.to_markdown: "**", Scores.to_latex: r"\textbf", Scores._repr_html_: "<b>"}
    marks = signs[bold]
    good, bad = (next(line for line in bold(scores).splitlines() if name in line) for name in ("good", "bad"))
    assert good.count(marks) >= 2
    assert marks not in bad


@pytest.mark.parametrize("metric", ["RBU", "Calibration_KL"])
def test_the_best_run_comes_first_whatever_the_direction(scores: Any, metric: str) -> None:
    """Sorting and comparing put the better run first; the difference keeps its sign."""
    assert scores.sorted(metric).runs[0] == "good"
    compared = scores.compare(metric)
    assert [run.run for run in compared.runs] == ["good", "bad"]
    assert (compared.rows[0].difference > 0) == (metric == "RBU")


def test_a_paper_marks_better_not_higher(scores: Any) -> None:
    """Bold and † follow the direction in the table of a results section, in every form."""
    table = results_table(scores, baseline="bad")
    ((good, bad),) = [table.cells]
    assert [cell.best for cell in good] == [True, True]
    assert [cell.best for cell in bad] == [False, False]
    assert {cell.mark for cell in good} == {"†"}
    assert table.to_latex().count(r"\textbf") == table.to_markdown().count("**") / 2 == 2


def test_metrics_of_opposite_direction_agree(scores: Any) -> None:
    """Two metrics that prefer the same runs are unanimous, whatever their directions."""
    assert all(row.mu == pytest.approx(1.0) for row in scores.unanimity(bootstrap=0).rows)


def test_a_report_contains_the_direction(scores: Any) -> None:
    """Every column of the report's leaderboard has a direction."""
    columns = table_contents(scores)["leaderboard"]["columns"]
    assert [column["best"] for column in columns] == ["high", "low"]


def test_directions_survive_files_and_parts_of_a_table(scores: Any, tmp_path: Path) -> None:
    """The direction survives a CSV file, a selection and a join."""
    scores.to_csv(tmp_path / "scores.csv")
    assert read_scores(tmp_path / "scores.csv").best == scores.best
    assert scores.select(metrics=["Calibration_KL@10"]).best == ("low",)
    parts = [scores.select(runs=[run]) for run in scores.runs]
    assert Scores.joined(parts).best == scores.best


def test_scores_have_the_directions_of_the_catalogue() -> None:
    """Scores have the directions that the catalogues declare; counts of other tools have none."""
    rated, lists = {"u": {"a": 5, "b": 1}, "v": {"b": 4}}, {"u": ["a", "b"], "v": ["b"]}
    table = recommend.evaluate(rated, lists, ["Gini@2", "RBU@2"], aspects={"a": "x|y", "b": "y"})
    assert dict(zip(table.metrics, table.best, strict=True))["Gini@2"] == "low"
    own = diveval.evaluate({"1": {"a": {"d": 1}}}, {"1": {"d": 1.0}}, ["AP", "trec_eval.num_ret"])
    assert own.best == ("high", "none")


def test_a_table_needs_a_direction_for_every_metric() -> None:
    """Too few directions are an error, not a guess."""
    with refuses("wrong-shape"):
        Scores.of(np.zeros((1, 2, 1)), runs=["r"], metrics=["a", "b"], topics=["1"], best=["low"])
