"""Edge cases of simulations: invalid folders and what the file format cannot represent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.experiments.reproduction import _range
from diveval.experiments.sources import Scenario, simulate
from diveval.results.scores import Scores
from diveval.stats import interval
from support.refusals import refuses, warns

JUDGED = Judgments.from_rows([("1", "a", "x", 1.0), ("1", "b", "y", 1.0)])


def run(tag: str = "") -> Any:
    """A run of two documents."""
    return Run("r", Run.from_rows([("1", "x", 2.0), ("1", "y", 1.0)]).topics, tag=tag)


def test_a_folder_that_cannot_be_created_is_an_error(tmp_path: Path) -> None:
    """A file in place of the folder is an error."""
    (tmp_path / "out").write_text("")
    with refuses("cannot-write"):
        simulate(JUDGED, [run()], Scenario(seed=1, grades=True), tmp_path / "out")


def test_a_changed_tag_is_a_warning(tmp_path: Path) -> None:
    """A tag of two words becomes one word in the file, with a warning that names the run."""
    with warns("information-lost"):
        simulate(JUDGED, [run("two words")], Scenario(seed=1, grades=True), tmp_path / "out")
    assert (tmp_path / "out" / "runs" / "r.run").read_text().split()[5] == "two_words"


def test_without_weights_none_are_written(tmp_path: Path) -> None:
    """With uniform weights there is neither a file of weights nor the option to read it."""
    _, reading = simulate(JUDGED, [run()], Scenario(seed=1, grades=True), tmp_path / "out")
    assert not (tmp_path / "out" / "weights.txt").exists() and "--weights" not in str(reading)


def test_a_range_without_ends_is_undefined() -> None:
    """A range with a missing end is shown as undefined."""
    assert _range(None, 0.5) == "undefined" and _range(0.5, 0.5) == "0.5000" and _range(0.25, 0.5) == "0.2500..0.5000"


def test_too_few_resamples_are_refused() -> None:
    """Fewer than a hundred resamples are an error."""
    scores = Scores.of([[[0.5, 0.25]]], runs=["r"], metrics=["P"], topics=["1", "2"])
    with refuses("out-of-range", "100"):
        interval(scores, "P", method="bootstrap", resamples=99)
