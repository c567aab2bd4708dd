"""Robustness to noise."""

import json
from typing import Any

import numpy as np
import pytest

from diveval.meta import kendall_tau, rescore_levels, robustness
from diveval.results.scores import Scores
from support.present import present
from support.refusals import has_facts, refuses

BASE = np.array([[0.9, 0.3], [0.6, 0.2], [0.3, 0.1]])  # run × metric


def table(means: Any, runs: Any = ("x", "y", "z"), metrics: Any = ("m", "n")) -> Any:
    return Scores.of(np.asarray(means, dtype=float)[:, :, None], runs=runs, metrics=metrics, topics=["t"])


def test_tau_and_change_per_level() -> None:
    """Each row has the mean and range of τ over the repeats, and the mean change of the means."""
    reversed_ = BASE[::-1]
    result = robustness(table(BASE), [(0.5, table(reversed_)), (0.1, table(BASE + 0.1)), (0.5, table(BASE))])
    first, second = [row for row in result.rows if row.metric == "m"]
    assert (first.level, first.repeats) == (0.1, 1)
    assert [first.value, first.change, first.absolute_change] == pytest.approx([1.0, 0.1, 0.1])
    assert (second.level, second.repeats) == (0.5, 2)
    assert [second.value, second.low, second.high] == pytest.approx([0.0, -1.0, 1.0])
    assert second.change == pytest.approx(0.0)
    assert second.absolute_change == pytest.approx((0.6 + 0 + 0.6 + 0 + 0 + 0) / 6)


def test_rescoring_by_level_and_seed() -> None:
    """The callable is called once per level and seed, and its tables are compared with the reference."""
    calls = []

    def rescore(seed: int, level: Any) -> Any:
        calls.append((seed, level))
        return table(BASE + level * np.random.default_rng(seed).normal(size=BASE.shape))

    result = robustness(table(BASE), rescore_levels(rescore, levels=[0.0, 5.0], seeds=[1, 2, 3]))
    assert calls == [(1, 0.0), (2, 0.0), (3, 0.0), (1, 5.0), (2, 5.0), (3, 5.0)]
    without_noise, with_noise = [row for row in result.rows if row.metric == "m"]
    assert (without_noise.value, without_noise.absolute_change) == (1.0, 0.0)
    expected = [present(kendall_tau(BASE[:, 0], rescore(seed, 5.0).means[:, 0])) for seed in (1, 2, 3)]
    assert with_noise.value == pytest.approx(np.mean(expected))


def test_order_of_runs_and_metrics_is_matched_by_name() -> None:
    """A perturbed table in another order is compared by the names of runs and metrics."""
    shuffled = table(BASE[::-1, ::-1], runs=("z", "y", "x"), metrics=("n", "m"))
    assert {row.absolute_change for row in robustness(table(BASE), [(1, shuffled)]).rows} == {0.0}


def test_noise_that_ties_every_run_leaves_no_value() -> None:
    """τ-b is undefined there, and the row notes how many repeats are lost."""
    row = robustness(table(BASE), [(1, table(np.ones((3, 2))))]).rows[0]
    assert (row.value, row.low, row.high) == (None, None, None)
    assert has_facts(row.note or "", "1")
    assert json.loads(robustness(table(BASE), [(1, table(BASE))]).to_json())["rows"][0]["note"] is None


def test_wrong_input_is_an_error() -> None:
    """No table, or one that lacks a run of the reference, is an error."""
    with refuses("missing-argument"):
        robustness(table(BASE), [])
    with refuses("missing-score", "z"):
        robustness(table(BASE), [(1, table(BASE[:2], runs=("x", "y")))])
