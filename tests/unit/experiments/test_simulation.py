"""Simulated collections on disk: read back, they give exactly the scores of the scenario."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diveval import evaluate
from diveval.collection.runs import Run
from diveval.collection.scenarios import regrade, reweight, truncate
from diveval.experiments.sources import Scenario, simulate
from diveval.metrics import as_metrics
from diveval.scoring.scorer import score
from diveval.settings import Options
from support.refusals import refuses, warns

METRICS = ["RBU(p=0.9,e=0.05)", "alpha_nDCG@10", "EU", "AP_IA", "ERR_IA@20", "Dsharp_nDCG@10", "NRBP"]


def scores_of_files(folder: Any, runs: Any, **choices: Any) -> Any:
    """Every metric on the files written, in the order of the runs."""
    paths = [folder / "runs" / f"{run.name}.run" for run in runs]
    return evaluate(folder / "qrels.txt", paths, METRICS, weights=folder / "weights.txt", **choices)


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")  # an empty list is a missing topic
@pytest.mark.parametrize("longest", [None, 10])
def test_files_give_exactly_the_scores_of_the_scenario(small: Any, tmp_path: Path, longest: Any) -> None:
    """Relevance, weights and cuts are written without loss of precision."""
    scenario = Scenario(7, grades=True, weights=True, lengths=True, longest=longest)
    simulate(small.judgments, small.runs, scenario, tmp_path)
    judgments = reweight(regrade(small.judgments, 7), 7)
    rankings = {o: [truncate(r, 7, longest=longest) for r in runs] for o, runs in small.rankings.items()}
    expected = score(judgments, rankings, as_metrics(METRICS), Options.of(gain="identity"))
    assert np.array_equal(
        scores_of_files(tmp_path, small.runs, gain="identity", missing_topics="zero").values, expected.values
    )


def test_only_the_requested_steps_are_simulated(small: Any, tmp_path: Path) -> None:
    """With weights alone, grades are still whole numbers and rankings are complete."""
    simulate(small.judgments, small.runs, Scenario(1, weights=True), tmp_path)
    expected = score(reweight(small.judgments, 1), small.rankings, as_metrics(METRICS), Options())
    assert np.array_equal(scores_of_files(tmp_path, small.runs).values, expected.values)
    assert {line.split()[3] for line in (tmp_path / "qrels.txt").open()} <= set("01234")


def test_the_readme_gives_the_options_to_read_the_files(small: Any, tmp_path: Path) -> None:
    """The README has the seed, the steps and the options required to read the files."""
    options = Options.of(order="rank")
    runs = [
        replace(run, topics={t: replace(x, ranks=np.arange(1, len(x.documents) + 1)) for t, x in run.topics.items()})
        for run in small.runs
    ]
    files, reading = simulate(
        small.judgments, runs, Scenario(4, grades=True, lengths=True, longest=50), tmp_path, options=options
    )
    readme = (tmp_path / "README.txt").read_text()
    assert "seed 4" in readme and "rand(0..50)" in readme and "--gain identity" in readme
    assert reading == " --weights weights.txt --gain identity --missing-topics zero --order rank --ties docno-desc"
    assert {path.name for path in files} >= {"qrels.txt", "weights.txt", "README.txt"}


def test_a_run_cut_to_nothing_is_not_written(small: Any, tmp_path: Path) -> None:
    """An empty file is not a valid run, so there is a warning instead."""
    with warns("empty-run"):
        files, _ = simulate(small.judgments, small.runs, Scenario(0, lengths=True, longest=0), tmp_path)
    assert not list((tmp_path / "runs").iterdir()) and len(files) == 3


def test_invalid_simulations_are_errors(small: Any, tmp_path: Path) -> None:
    """No step, two runs of one name and a folder that has runs are errors."""
    with refuses("missing-argument"):
        Scenario(1)
    scenario = Scenario(1, weights=True)
    with refuses("duplicate-run"):
        simulate(small.judgments, [small.runs[0], small.runs[0]], scenario, tmp_path / "twice")
    assert not (tmp_path / "twice").exists()
    simulate(small.judgments, small.runs, scenario, tmp_path)
    with refuses("folder-not-empty"):
        simulate(small.judgments, small.runs, scenario, tmp_path)


def test_a_run_name_cannot_leave_the_folder(small: Any, tmp_path: Path) -> None:
    """Separators and leading dots of a run name are removed from the path."""
    run = Run("../../evil name", small.runs[0].topics)
    files, _ = simulate(small.judgments, [run], Scenario(1, weights=True), tmp_path)
    assert all(path.resolve().is_relative_to(tmp_path) for path in files)
