"""Agreement between metrics: worked examples, the matrix and its order."""

import json
from typing import Any, Literal

import numpy as np
import pytest

from diveval.meta import agreement, kendall_tau, rbo, tau_ap
from diveval.results.scores import Scores
from support.late import late
from support.refusals import refuses

stats = late("scipy.stats")


def table(means: Any, names: Any = None) -> Any:
    """Scores of one topic whose values are the means: metric × run."""
    values = np.asarray(means, dtype=float).T[:, :, None]
    runs = [f"r{r}" for r in range(values.shape[0])]
    return Scores.of(values, runs=runs, metrics=names or [f"m{m}" for m in range(values.shape[1])], topics=["t"])


def test_worked_examples() -> None:
    """Three systems, the last two swapped: τ = 1/3, τ_AP = ½, RBO from its three depths."""
    x, y = [3, 2, 1], [3, 1, 2]
    assert kendall_tau(x, y) == pytest.approx(1 / 3)
    assert tau_ap(x, y) == pytest.approx(2 / 2 * (1 / 1 + 1 / 2) - 1)
    p = 0.9
    assert rbo(x, y, p=p) == pytest.approx(p**3 + (1 - p) / p * (p + p**2 / 2 + p**3))


def test_tau_ap_weighs_the_top() -> None:
    """A swap at the top costs more than one at the bottom; Kendall's τ does not distinguish them."""
    truth = [5, 4, 3, 2, 1]
    top, bottom = [4, 5, 3, 2, 1], [5, 4, 3, 1, 2]
    assert tau_ap(truth, top) < tau_ap(truth, bottom)
    assert kendall_tau(truth, top) == kendall_tau(truth, bottom)


def test_ties_of_a_constant_metric() -> None:
    """If all values are tied, τ-b is undefined and τ_AP is 0 in both directions."""
    assert kendall_tau([1, 2, 3], [5, 5, 5]) is None
    assert tau_ap([1, 2, 3], [5, 5, 5]) == pytest.approx(0)
    assert tau_ap([5, 5, 5], [1, 2, 3]) == pytest.approx(0)


def test_matrix_equals_scipy_on_means() -> None:
    """Each cell is scipy's τ of the two rankings by mean."""
    values = np.round(np.random.default_rng(1).random((7, 4, 9)), 1)
    scores = Scores.of(values, runs=list("abcdefg"), metrics=list("wxyz"), topics=[str(t) for t in range(9)])
    result = agreement(scores)
    for i, j in np.ndindex(4, 4):
        means = np.round(scores.means, 12)
        assert result.matrix[i][j] == pytest.approx(stats.kendalltau(means[:, i], means[:, j]).statistic)
    assert result.value("w", "w") == pytest.approx(1.0)


def test_tau_ap_takes_the_row_as_reference() -> None:
    """matrix[i][j] compares the ranking by j with the reference ranking by i."""
    result = agreement(table([[3, 2, 1, 0], [2, 3, 0, 1]]), method="tau_ap")
    assert result.value("m0", "m1") == pytest.approx(tau_ap([3, 2, 1, 0], [2, 3, 0, 1]))


def test_clustering_puts_similar_metrics_together() -> None:
    """Two groups of metrics, given interleaved, are separated in the order, whatever the input order."""
    up, down = [1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1]
    near_up, near_down = [2, 1, 3, 4, 5, 6], [5, 6, 4, 3, 2, 1]
    names = ["a", "b", "c", "d"]
    result = agreement(table([up, down, near_up, near_down], names))
    assert {frozenset(result.order[:2]), frozenset(result.order[2:])} == {frozenset("ac"), frozenset("bd")}
    shuffled = agreement(table([near_down, near_up, up, down], ["d", "c", "a", "b"]))
    assert shuffled.order == result.order


@pytest.mark.parametrize("method", ["tau", "tau_ap", "rbo"])
def test_a_constant_metric_is_not_an_error(method: Literal["tau", "tau_ap", "rbo"]) -> None:
    """An undefined cell is None, never NaN, and the order contains every metric."""
    result = agreement(table([[1, 2, 3], [1, 1, 1], [3, 2, 1]]), method=method)
    parsed = json.loads(result.to_json())
    assert sorted(result.order) == ["m0", "m1", "m2"]
    assert (parsed["matrix"][0][1] is None) == (method == "tau")
    assert parsed["p"] == (0.9 if method == "rbo" else None)
    assert result.to_csv().splitlines()[0] == "metric,other,value"


def test_one_or_two_metrics_need_no_clustering() -> None:
    """Small sets are ordered by name."""
    assert agreement(table([[1, 2]])).order == ("m0",)
    assert agreement(table([[1, 2], [2, 1]])).order == ("m0", "m1")


def test_wrong_arguments_are_named() -> None:
    """Unknown methods, invalid p, mismatched systems and runs without means are errors."""
    with refuses("invalid-choice", "spearman", "tau_ap"):
        agreement(table([[1, 2]]), method="spearman")  # type: ignore[arg-type]
    with refuses("out-of-range", "0", "1"):
        agreement(table([[1, 2]]), method="rbo", p=1.0)
    with refuses("too-few-runs"):
        kendall_tau([1, 2], [1, 2, 3])
    with refuses("not-a-number"):
        tau_ap([1, float("nan")], [1, 2])
    scores = table([[1, 2]])
    nothing = Scores(scores.runs, scores.metrics, scores.topics, scores.values, scores.values > 1)
    with refuses("no-counted-topic", "r0", "m0"):
        agreement(nothing)
