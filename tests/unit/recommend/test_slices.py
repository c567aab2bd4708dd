"""Slices of users: from a mapping or a column, each compared by itself, with one correction over all."""

from __future__ import annotations

import random

import numpy as np
import pytest

from diveval.errors import capture_warnings
from diveval.recommend import evaluate
from diveval.results.scores import Scores
from diveval.stats import compare_slices, holm
from support.late import late
from support.refusals import refuses, warns

pd, stats = late("pandas"), late("scipy.stats")

DRAW = random.Random(5)
USERS = [f"u{i}" for i in range(60)]
RATINGS = pd.DataFrame(
    [{"user": u, "item": f"i{DRAW.randrange(15)}", "team": "odd" if k % 3 else "even"} for k, u in enumerate(USERS)]
)
LISTS = {run: {u: [f"i{i}" for i in DRAW.sample(range(15), 6)] for u in USERS} for run in ("a", "b", "c")}
GROUPS = dict(zip(RATINGS.user, RATINGS.team, strict=True))


def sliced(slices: object) -> Scores:
    """nDCG of three runs, with slices."""
    with capture_warnings():
        return evaluate(RATINGS, LISTS, "nDCG@6", slices=slices)  # type: ignore[arg-type]


def test_slices_are_compared_as_scipy_does() -> None:
    """Means and paired t-tests within each slice; Holm over all of them."""
    result = compare_slices(sliced(GROUPS))
    scores = sliced(GROUPS)
    expected = []
    for row in result.rows:
        users = [u for u in USERS if GROUPS[u] == row.slice]
        first, second = (np.array([scores.per_topic(run, "nDCG@6")[u] for u in users]) for run in (row.run, row.other))
        assert row.topics == len(users)
        assert row.mean == pytest.approx(first.mean())
        assert row.difference == pytest.approx((first - second).mean())
        expected.append(stats.ttest_rel(first, second).pvalue)
        assert row.p == pytest.approx(expected[-1])
    assert [row.p_adjusted for row in result.rows] == pytest.approx(holm(expected).tolist())
    assert len(result.rows) == 6


def test_a_column_is_the_same_as_a_mapping() -> None:
    """The column of the ratings; a user with two values is an error."""
    assert compare_slices(sliced("team")).rows == compare_slices(sliced(GROUPS)).rows
    twice = pd.concat([RATINGS, RATINGS.assign(item="i99", team="other")])
    with refuses("wrong-value"):
        evaluate(twice, LISTS, "nDCG@6", slices="team")


def test_slices_of_other_users_are_refused() -> None:
    """A few users without a slice are a warning, most of them an error."""
    with warns("topics-left-out", "u0"):
        scores = evaluate(RATINGS, LISTS, "nDCG@6", slices=dict.fromkeys(USERS[1:], "x"))
    (found,) = (one for one in scores.setup.joins if one.table == "slices")
    assert (found.matched, found.total) == (len(USERS) - 1, len(USERS)) and str(found) in scores.notes
    with refuses("ids-unmatched"):
        evaluate(RATINGS, LISTS, "nDCG@6", slices={f"0{u}": "x" for u in USERS})
    with refuses("missing-argument"):
        compare_slices(evaluate(RATINGS, LISTS, "nDCG@6"))
