"""A median may contradict the mean: what a test of medians finds significant has the direction of the median."""

from __future__ import annotations

import numpy as np
import pytest

from diveval.meta.discriminative import decide_pairs
from diveval.publishing.results_table import results_table
from diveval.results.scores import Scores
from diveval.stats import compare
from diveval.stats.tests import Significance
from diveval.views.board import leaderboard

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")


def contradiction(best: str) -> Scores:
    """`often` beats `rare` on 28 of 30 topics by a little, and loses two by so much that its mean is lower."""
    rng = np.random.default_rng(7)
    base = rng.uniform(0.3, 0.4, 30)
    gaps = np.concatenate([rng.uniform(0.001, 0.004, 28), [-0.3, -0.3]])
    values = np.stack([base + gaps, base])[:, None]
    return Scores.of(
        values if best == "high" else -values,
        runs=["often", "rare"],
        metrics=["RBU(p=0.9,e=0.01)@20"],
        topics=[f"{t:02d}" for t in range(30)],
        best=[best],  # type: ignore[list-item]
    )


@pytest.mark.parametrize("best", ["high", "low"])
@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_marks_and_ranks_follow_the_median(test: str, best: str) -> None:
    """The run that is first by its mean is marked as worse, and the other one has rank 1, in every table."""
    scores = contradiction(best)
    found = compare(scores, test=test)
    (row,) = found.rows
    assert (row.run, row.significant) == ("rare", True)
    assert row.direction == (-1 if best == "high" else 1)
    assert row.low is not None and row.high is not None and row.estimate is not None
    assert min(row.low, row.high) <= row.estimate <= max(row.low, row.high) and row.low * row.high > 0
    assert {run.run: run.ranks for run in found.runs} == {"often": (1, 1), "rare": (2, 2)}
    how = Significance(test)
    column = leaderboard(scores, decide_pairs(scores, how), how)["columns"][0]
    assert dict(zip(scores.runs, column["ranks"], strict=True)) == {"often": [1, 1], "rare": [2, 2]}
    marks = results_table(scores, baseline="rare", test=test)
    assert dict(zip(marks.runs, (cells[0].mark for cells in marks.cells), strict=True))["often"] == "†"


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "randomization", "bootstrap", "tukey"])
@pytest.mark.parametrize("correction", ["holm", "bh", "none"])
def test_the_report_decides_as_compare(test: str, correction: str) -> None:
    """By every test and correction the pairs that differ are those of `compare`."""
    rng = np.random.default_rng(3)
    values = rng.uniform(0, 0.3, (5, 2, 12)) + np.linspace(0, 0.3, 5)[:, None, None]
    scores = Scores.of(values, runs=list("abcde"), metrics=["P@5", "P@10"], topics=[f"{t:02d}" for t in range(12)])
    how = Significance(test, correction, 0.9, 500, 1)  # type: ignore[arg-type]
    power = decide_pairs(scores, how)
    for m, metric in enumerate(scores.metrics):
        rows = compare(scores, metric, test=test, correction=correction, confidence=0.9, resamples=500, seed=1).rows  # type: ignore[arg-type]
        told = {frozenset(pair) for pair, level in zip(power.pairs, power.asl[m], strict=True) if level < power.alpha}
        assert told == {frozenset((row.run, row.other)) for row in rows if row.significant}
        assert power.rows[m].significant == len(told)
