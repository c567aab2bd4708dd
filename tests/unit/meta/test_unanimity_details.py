"""Metric Unanimity in detail: the defaults, the interval, the groups and the notes on undefined values."""

from typing import Any

import numpy as np

from diveval.meta import unanimity
from diveval.results.scores import Scores
from support.present import present
from support.refusals import has_facts, warns


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
    """Four metrics that follow one quality, each with its own noise: two of family A, B and C."""
    rng = np.random.default_rng(seed)
    values = np.round(rng.random((1, 6, topics)) + 0.8 * rng.random((4, 6, topics)), 2)
    return scores(values, ["A(p=1)", "A(p=2)", "B", "C"])


def test_defaults_are_what_the_documentation_says() -> None:
    """1000 resamples, seed 0, 95 %, families kept, differences up to 1e-12 tied."""
    result = unanimity(noisy())
    assert (result.bootstrap, result.seed, result.confidence, result.leave_family_out) == (1000, 0, 0.95, False)
    assert (
        result == unanimity(noisy(), bootstrap=1000, seed=0, confidence=0.95, tolerance=1e-12, leave_family_out=False)
        and result.tolerance == 1e-12
    )
    assert result.topics == 14


def test_groups_span_the_intervals_of_their_members() -> None:
    """Metrics of a family that share a value are one group, from the lowest low to the highest high."""
    table = noisy()
    twice = Scores.of(
        np.concatenate([table.values, table.values[:, :1]], axis=1),
        runs=table.runs,
        topics=table.topics,
        metrics=["A(p=1)", "A(p=2)", "B", "C", "A(p=3)"],
    )
    result = unanimity(twice, bootstrap=50)
    groups = {group.metrics: group for group in result.grouped(best=False)}
    pair = groups["A(p=1)", "A(p=3)"]
    first, third = result["A(p=1)"], result["A(p=3)"]
    assert (pair.family, pair.label, pair.mu) == ("A", "A p={1,3}", first.mu)
    assert (pair.low, pair.high) == (
        min(present(first.low), present(third.low)),
        max(present(first.high), present(third.high)),
    )
    assert [group.mu for group in result.grouped(best=False)] == sorted(
        (present(g.mu) for g in groups.values()), reverse=True
    )


def test_as_dict_contains_the_groups() -> None:
    """as_dict has the rows and every group with its members as a list."""
    result = unanimity(noisy(), bootstrap=20)
    exported = result.as_dict()
    assert exported["groups"] == [
        {"family": g.family, "label": g.label, "metrics": list(g.metrics), "mu": g.mu, "low": g.low, "high": g.high}
        for g in result.grouped(best=False)
    ]
    assert [row["metric"] for row in exported["rows"]] == list(noisy().metrics)


RISE, FALL, FLAT = [[1, 1], [2, 2], [3, 3]], [[3, 3], [2, 2], [1, 1]], [[1, 1], [1, 1], [1, 1]]


def test_undefined_values_come_last_and_have_no_interval() -> None:
    """Defined values come first, undefined ones follow by name, each with its own note."""
    with warns("undefined-value") as caught:
        result = unanimity(scores([FALL, RISE, RISE], ["Z(p=2)", "Z(p=1)", "B"]), bootstrap=10, leave_family_out=True)
    assert [(row.metric, row.mu, row.low, row.high, row.pairs, row.unanimous) for row in result.ranked()] == [
        ("Z(p=1)", 1.0, 1.0, 1.0, 12, 6),
        ("B", None, None, None, 12, 0),
        ("Z(p=2)", None, None, None, 12, 6),
    ]
    first, second, third = (row.note for row in result.ranked())
    assert first is None and second and third and second != third
    (warning,) = caught
    assert has_facts(str(warning.message), "Z(p=2", "1")
    groups = [(g.label, g.mu, g.low, g.high) for g in result.grouped(best=False)]
    assert groups == [("Z p=1", 1.0, 1.0, 1.0), ("B", None, None, None), ("Z p=2", None, None, None)]
    assert [g.label for g in result.grouped()] == ["Z p=1", "B"]


def test_one_undefined_metric_is_named_alone() -> None:
    """The warning about one undefined metric mentions no others."""
    with warns("undefined-value") as caught:
        result = unanimity(scores([RISE, FALL, FLAT], ["A(p=1)", "A(p=2)", "C"]), bootstrap=0, leave_family_out=True)
    assert [(row.mu, row.unanimous) for row in result.rows] == [(0.0, 12), (0.0, 12), (None, 0)]
    assert has_facts(str(caught[0].message), "C") and "more" not in str(caught[0].message)


def test_a_group_has_no_interval_if_a_member_has_none() -> None:
    """If one member lacks an end of its interval, the group has no interval."""
    from diveval.meta.unanimity import UnanimityRow, _group

    bounded, unbounded = UnanimityRow("A(p=1)", 0.5, 0.25, 0.75, 4, 2), UnanimityRow("A(p=2)", 0.5, None, 0.875, 4, 2)
    other = UnanimityRow("A(p=3)", 0.5, 0.125, 0.625, 4, 2)
    assert (_group("A", 0.5, [bounded, unbounded]).low, _group("A", 0.5, [bounded, unbounded]).high) == (None, None)
    both = _group("A", 0.5, [bounded, other])
    assert (both.low, both.high, both.metrics, both.family) == (0.125, 0.75, ("A(p=1)", "A(p=3)"), "A")


def test_resamples_without_a_unanimous_pair_are_noted() -> None:
    """If one of two topics has unanimous pairs, some resamples have none, and the row has a note."""
    agreeing, opposed = [[2], [1]], [[1], [2]]
    values = np.concatenate([np.array([agreeing, agreeing, agreeing]), np.array([agreeing, opposed, opposed])], axis=2)
    result = unanimity(scores(values, ["A", "B", "C"]), bootstrap=40)
    assert result["B"].note
    assert (result["B"].mu, result["B"].low, result["B"].high) == (1.0, 1.0, 1.0)
