"""Metric Unanimity, number by number: the defaults, the interval, the groups and what is said of an undefined value."""

from typing import Any

import numpy as np
import pytest

from diveval.errors import DivevalWarning
from diveval.meta import unanimity
from diveval.scores import Scores
from support.present import present
from support.wording import says


def scores(values: Any, metrics: Any) -> Any:
    """From metric × run × topic."""
    table = np.asarray(values, dtype=float).transpose(1, 0, 2)
    return Scores.of(
        table,
        runs=[f"r{r}" for r in range(table.shape[0])],
        metrics=metrics,
        topics=[f"t{t:03}" for t in range(table.shape[2])],
    )


def noisy(topics: int = 14, seed: int = 3) -> Any:
    """Four metrics that follow one quality, each with noise of its own: A twice, B and C."""
    rng = np.random.default_rng(seed)
    values = np.round(rng.random((1, 6, topics)) + 0.8 * rng.random((4, 6, topics)), 2)
    return scores(values, ["A(p=1)", "A(p=2)", "B", "C"])


def test_defaults_are_what_the_documentation_says() -> None:
    """A thousand resamples, seed 0, 95 %, siblings kept, float noise tied."""
    told = unanimity(noisy())
    assert (told.bootstrap, told.seed, told.confidence, told.leave_family_out) == (1000, 0, 0.95, False)
    assert (
        told == unanimity(noisy(), bootstrap=1000, seed=0, confidence=0.95, tolerance=1e-12, leave_family_out=False)
        and told.tolerance == 1e-12
    )
    assert told.topics == 14


def test_groups_span_the_intervals_of_their_members() -> None:
    """Members that share a value are one group, from the lowest low to the highest high."""
    table = noisy()
    twice = Scores.of(
        np.concatenate([table.values, table.values[:, :1]], axis=1),
        runs=table.runs,
        topics=table.topics,
        metrics=["A(p=1)", "A(p=2)", "B", "C", "A(p=3)"],
    )
    told = unanimity(twice, bootstrap=50)
    groups = {group.metrics: group for group in told.grouped(best=False)}
    pair = groups["A(p=1)", "A(p=3)"]
    first, third = told["A(p=1)"], told["A(p=3)"]
    assert (pair.family, pair.label, pair.mu) == ("A", "A p={1,3}", first.mu)
    assert (pair.low, pair.high) == (
        min(present(first.low), present(third.low)),
        max(present(first.high), present(third.high)),
    )
    assert [group.mu for group in told.grouped(best=False)] == sorted(
        (present(g.mu) for g in groups.values()), reverse=True
    )


def test_groups_travel_with_the_rows() -> None:
    """as_dict names every group's members as a list."""
    told = unanimity(noisy(), bootstrap=20)
    shown = told.as_dict()
    assert shown["groups"] == [
        {"family": g.family, "label": g.label, "metrics": list(g.metrics), "mu": g.mu, "low": g.low, "high": g.high}
        for g in told.grouped(best=False)
    ]
    assert [row["metric"] for row in shown["rows"]] == list(noisy().metrics)


RISE, FALL, FLAT = [[1, 1], [2, 2], [3, 3]], [[3, 3], [2, 2], [1, 1]], [[1, 1], [1, 1], [1, 1]]


def test_undefined_values_come_last_and_have_no_interval() -> None:
    """Z(p=1) confirms B, Z(p=2) contradicts it, B finds them disagreeing: the defined value first, then by name."""
    with pytest.warns(DivevalWarning) as said:
        told = unanimity(scores([FALL, RISE, RISE], ["Z(p=2)", "Z(p=1)", "B"]), bootstrap=10, leave_family_out=True)
    assert [(row.metric, row.mu, row.low, row.high, row.pairs, row.unanimous) for row in told.ranked()] == [
        ("Z(p=1)", 1.0, 1.0, 1.0, 12, 6),
        ("B", None, None, None, 12, 0),
        ("Z(p=2)", None, None, None, 12, 6),
    ]
    first, second, third = (row.note for row in told.ranked())
    assert first is None and second and third and second != third
    (warning,) = said
    assert says("unanimity of Z(p=2) and 1 more is undefined", str(warning.message))
    groups = [(g.label, g.mu, g.low, g.high) for g in told.grouped(best=False)]
    assert groups == [("Z p=1", 1.0, 1.0, 1.0), ("B", None, None, None), ("Z p=2", None, None, None)]
    assert [g.label for g in told.grouped()] == ["Z p=1", "B"]


def test_one_undefined_metric_is_named_alone() -> None:
    """Nothing follows its name when no other value is undefined."""
    with pytest.warns(DivevalWarning) as said:
        told = unanimity(scores([RISE, FALL, FLAT], ["A(p=1)", "A(p=2)", "C"]), bootstrap=0, leave_family_out=True)
    assert [(row.mu, row.unanimous) for row in told.rows] == [(0.0, 12), (0.0, 12), (None, 0)]
    assert says("unanimity of C is undefined", str(said[0].message)) and "more" not in str(said[0].message)


def test_an_interval_is_refused_where_a_member_has_none() -> None:
    """A group is as sure as its least sure member: without a low end in one of them the group has no ends."""
    from diveval.meta.unanimity import UnanimityRow, _group

    sure, unsure = UnanimityRow("A(p=1)", 0.5, 0.25, 0.75, 4, 2), UnanimityRow("A(p=2)", 0.5, None, 0.875, 4, 2)
    other = UnanimityRow("A(p=3)", 0.5, 0.125, 0.625, 4, 2)
    assert (_group("A", 0.5, [sure, unsure]).low, _group("A", 0.5, [sure, unsure]).high) == (None, None)
    both = _group("A", 0.5, [sure, other])
    assert (both.low, both.high, both.metrics, both.family) == (0.125, 0.75, ("A(p=1)", "A(p=3)"), "A")


def test_resamples_without_a_unanimous_pair_are_told() -> None:
    """Three topics of two runs, unanimous in one of them only: some resamples miss it, and the row says so."""
    agreeing, opposed = [[2], [1]], [[1], [2]]
    values = np.concatenate([np.array([agreeing, agreeing, agreeing]), np.array([agreeing, opposed, opposed])], axis=2)
    told = unanimity(scores(values, ["A", "B", "C"]), bootstrap=40)
    assert told["B"].note == "some resamples of the topics have no unanimous pair"
    assert (told["B"].mu, told["B"].low, told["B"].high) == (1.0, 1.0, 1.0)
