"""Confidence intervals of means."""

import json
from typing import Any

import numpy as np
import pytest

from diveval.results.scores import Scores
from diveval.stats import interval
from support.late import late
from support.refusals import refuses

stats = late("scipy.stats")


@pytest.fixture
def scores() -> Any:
    values = np.random.default_rng(5).random((3, 2, 30))
    return Scores.of(values, runs=["a", "b", "c"], metrics=["m", "n"], topics=[str(t) for t in range(30)])


def test_student_intervals_equal_scipy(scores: Any) -> None:
    """Mean and interval are those of scipy's one-sample t-test."""
    for row in interval(scores, "n", confidence=0.9).rows:
        values = scores.array("n")[scores.runs.index(row.run)]
        expected = stats.ttest_1samp(values, 0).confidence_interval(0.9)
        assert row.mean == pytest.approx(values.mean())
        assert (row.low, row.high) == pytest.approx((expected.low, expected.high))


def test_bootstrap_intervals_are_near_scipy(scores: Any) -> None:
    """Percentile intervals agree with scipy's bootstrap up to resampling noise."""
    row = interval(scores, "m", method="bootstrap", seed=1).rows[0]
    expected = stats.bootstrap((scores.array("m")[0],), np.mean, method="percentile", n_resamples=9999)
    assert (row.low, row.high) == pytest.approx(tuple(expected.confidence_interval), abs=0.02)


def test_only_counted_topics_are_used(scores: Any) -> None:
    """An uncounted topic has no effect, and a run with one topic has a mean but no interval."""
    counted = np.ones(scores.values.shape, dtype=bool)
    counted[0, 0, 5:] = False
    counted[1, 0, 1:] = False
    counted[2, 0, :] = False
    masked = Scores(scores.runs, scores.metrics, scores.topics, scores.values, counted)
    few, one, none = interval(masked, "m").rows
    assert few.topics == 5 and few.mean == pytest.approx(scores.values[0, 0, :5].mean())
    assert (one.topics, one.mean, one.low) == (1, scores.values[1, 0, 0], None)
    assert (none.topics, none.mean, none.low) == (0, None, None)
    assert none.note
    assert json.loads(interval(masked, "m").to_json())["rows"][2]["mean"] is None


def test_wrong_arguments_are_named(scores: Any) -> None:
    """Invalid confidence, method and metric are errors."""
    with refuses("out-of-range", "0", "1", "95"):
        interval(scores, "m", confidence=95)
    with refuses("invalid-choice", "z"):
        interval(scores, "m", method="z")  # type: ignore[arg-type]
    with refuses("no-metric"):
        interval(scores)
