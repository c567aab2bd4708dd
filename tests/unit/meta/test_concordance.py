"""Concordance with gold metrics, compared with a literal implementation of Sakai's algorithm."""

import json
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from diveval.meta import concordance
from diveval.meta.outputs import sign_test
from diveval.results.scores import Scores
from support.late import late
from support.refusals import refuses

stats = late("scipy.stats")


def table(values: Any, names: Any) -> Any:
    """Scores from metric × run × topic."""
    values = np.asarray(values, dtype=float).transpose(1, 0, 2)
    runs, topics = [f"r{r}" for r in range(values.shape[0])], [f"t{t}" for t in range(values.shape[2])]
    return Scores.of(values, runs=runs, metrics=names, topics=topics)


def plain(values: Any, one: Any, other: Any, golds: Any) -> Any:
    """The counts of the concordance test, pair by pair: disagreements, correct by either metric, by both."""
    counts = [0, 0, 0, 0]
    for t in range(values.shape[2]):
        for a, b in combinations(range(values.shape[1]), 2):
            delta = np.sign(values[:, a, t] - values[:, b, t])
            if delta[one] * delta[other] < 0:
                right = [all(delta[m] * delta[g] >= 0 for g in golds) for m in (one, other)]
                counts = [c + k for c, k in zip(counts, [1, right[0], right[1], all(right)], strict=True)]
    return counts


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(st.just(4), st.integers(2, 5), st.integers(1, 3)).flatmap(
        lambda shape: hnp.arrays(np.int64, shape, elements=st.integers(0, 3))
    ),
    st.sampled_from([[2], [3], [2, 3]]),
)
def test_fast_and_plain_agree(values: Any, golds: Any) -> None:
    """Shares and p equal those of the literal algorithm, with one gold metric or two."""
    names = ["a", "b", "gold1", "gold2"]
    row = concordance(table(values, names), gold=[names[g] for g in golds], metrics=["a", "b"]).rows[0]
    disagreements, correct, correct_other, both = plain(values, 0, 1, golds)
    assert row.disagreements == disagreements
    if disagreements:
        assert (row.share, row.share_other) == (correct / disagreements, correct_other / disagreements)
        ours, theirs = correct - both, correct_other - both
        assert row.p == (pytest.approx(stats.binomtest(ours, ours + theirs).pvalue) if ours + theirs else None)
    else:
        assert (row.share, row.share_other, row.p) == (None, None, None)
        assert row.note


@pytest.mark.parametrize(("wins", "losses"), [(0, 1), (5, 5), (3, 9), (40, 22)])
def test_sign_test_equals_scipy(wins: int, losses: int) -> None:
    """The two-sided binomial p equals scipy's, and is symmetric."""
    assert sign_test(wins, losses) == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)
    assert sign_test(losses, wins) == sign_test(wins, losses)


def test_the_block_size_does_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting a few pairs at a time gives the same table."""
    import sys

    scores = table(np.random.default_rng(0).random((4, 6, 9)), ["a", "b", "c", "gold"])
    expected = concordance(scores, gold="gold")
    monkeypatch.setattr(sys.modules["diveval.meta.outputs"], "BLOCK", 20)
    assert concordance(scores, gold="gold") == expected
    assert [(row.metric, row.other) for row in expected.rows] == [("a", "b"), ("a", "c"), ("b", "c")]


def test_gold_metrics_may_have_the_names_of_the_paper() -> None:
    """S-Recall@10 is found under its canonical name, and is not compared with itself."""
    scores = table(np.random.default_rng(0).random((3, 4, 5)), ["a", "b", "StRecall@10"])
    result = concordance(scores, gold="S-Recall@10")
    assert result.gold == ("StRecall@10",)
    assert [(row.metric, row.other) for row in result.rows] == [("a", "b")]


def test_wrong_arguments_and_exports() -> None:
    """Unknown gold metrics and too few metrics are errors; exports include the gold metrics."""
    scores = table(np.random.default_rng(0).random((3, 4, 5)), ["a", "b", "gold"])
    with refuses("unknown-metric", "S-Recall"):
        concordance(scores, gold="S-Recall")
    with refuses("missing-argument"):
        concordance(scores, gold=[])
    with refuses("wrong-number-of-metrics", "1"):
        concordance(scores, gold=["gold", "b"])
    with refuses("too-few-topics"):
        sign_test(0, 0)
    result = concordance(scores, gold="gold")
    assert json.loads(result.to_json())["gold"] == ["gold"]
    assert result.to_csv().splitlines()[0] == "metric,other,disagreements,share,share_other,p,note"
