"""Strictness, compared with a literal implementation of its definition."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from diveval.meta import strictness
from diveval.results.scores import Scores
from support.refusals import refuses


def table(values: Any, counted: Any = None) -> Any:
    """Scores from metric × run × topic."""
    values = np.asarray(values, dtype=float).transpose(1, 0, 2)
    runs, metrics, topics = (range(n) for n in values.shape)
    return Scores.of(
        values,
        runs=[f"r{r}" for r in runs],
        metrics=[f"m{m}" for m in metrics],
        topics=[f"t{t}" for t in topics],
        counted=counted,
    )


def plain(values: Any, m: Any) -> Any:
    """1 − mean of max(0, place under m − lowest place under another)."""
    excess = []
    _, runs, topics = values.shape
    for t in range(topics):
        for a in range(runs):
            places = [
                np.mean([(x[a, t] > x[b, t]) + 0.5 * (x[a, t] == x[b, t]) for b in range(runs) if b != a])
                for x in values
            ]
            excess.append(max(0.0, places[m] - min(p for k, p in enumerate(places) if k != m)))
    return 1 - np.mean(excess)


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(st.integers(2, 4), st.integers(2, 5), st.integers(1, 3)).flatmap(
        lambda shape: hnp.arrays(np.int64, shape, elements=st.integers(0, 3))
    )
)
def test_fast_and_plain_agree(values: Any) -> None:
    """The vectorised form equals the definition."""
    for m, row in enumerate(strictness(table(values)).rows):
        assert row.strictness == pytest.approx(plain(values, m), abs=1e-12)
        assert row.outputs == values.shape[1] * values.shape[2]


def test_a_metric_that_never_outscores_is_strict() -> None:
    """Metrics that rank the outputs alike have strictness 1; adding one that reverses them lowers all."""
    good = [[[3], [2], [1]], [[30], [20], [10]]]
    assert [row.strictness for row in strictness(table(good)).rows] == [1.0, 1.0]
    rows = strictness(table([*good, [[1], [2], [3]]])).rows
    assert all(row.strictness < 1 for row in rows)
    assert rows[2].overscored == pytest.approx(1 / 3)


def test_uncounted_outputs_are_left_out() -> None:
    """An output that does not count for one metric has no place and changes no other place."""
    values = np.array([[[3], [2], [1], [9]], [[1], [2], [3], [0]]])
    counted = np.ones((4, 2, 1), dtype=bool)
    counted[3, 1, 0] = False
    assert strictness(table(values, counted)).rows == strictness(table(values[:, :3])).rows


def test_undefined_and_wrong_input() -> None:
    """One metric, or no common topic, is an error; exports have a header and the reference."""
    with refuses("wrong-number-of-metrics", "1"):
        strictness(table([[[1], [2]]]))
    with refuses("too-few-topics"):
        strictness(table(np.ones((2, 2, 1)), np.zeros((2, 2, 1), dtype=bool)))
    result = strictness(table([[[1], [2]], [[1], [2]]]))
    assert result.to_csv().splitlines()[0] == "metric,strictness,overscored,outputs"
    assert "SIGIR 2013" in json.loads(result.to_json())["reference"]
