"""Properties of perturbations: the order of rows, topics and lines does not matter, and larger shares include smaller ones."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.collection.scenarios import flip, regrade, reweight, thin, truncate

names = st.sampled_from(["1", "2", "10", "t", "é", "a b"])
grades = st.integers(-2, 4).map(float)
judged = st.dictionaries(st.tuples(names, names, names), grades, min_size=1, max_size=40)
listed = st.dictionaries(st.tuples(names, names), st.integers(-3, 3).map(float), min_size=1, max_size=30)
seeds = st.integers(0, 2**32)
shares = st.floats(0, 1)


def rows(cells: dict[tuple[str, str, str], float]) -> list[tuple[str, str, str, float]]:
    """Judgment rows from a table of cells."""
    return [(*key, grade) for key, grade in cells.items()]


def state(judgments: Judgments) -> tuple[object, object]:
    """Everything that a perturbation can change, in comparable form."""
    return list(judgments.rows()), judgments.aspect_weights()


@settings(max_examples=60, deadline=None)
@given(judged, seeds, shares, st.randoms(use_true_random=False))
def test_the_order_of_rows_never_matters(
    cells: dict[tuple[str, str, str], float], seed: int, share: float, shuffler: random.Random
) -> None:
    """Judgments with the same rows in another order are perturbed in the same way."""
    shuffled = rows(cells)
    shuffler.shuffle(shuffled)
    one, other = Judgments.from_rows(rows(cells)), Judgments.from_rows(shuffled)
    assert state(regrade(one, seed)) == state(regrade(other, seed))
    assert state(reweight(one, seed)) == state(reweight(other, seed))
    assert state(flip(one, share, seed)) == state(flip(other, share, seed))
    assert state(thin(one, share, seed)) == state(thin(other, share, seed))


@settings(max_examples=60, deadline=None)
@given(judged, seeds, shares)
def test_a_topic_does_not_depend_on_the_others(
    cells: dict[tuple[str, str, str], float], seed: int, share: float
) -> None:
    """Leaving out other topics does not change the perturbation of a topic, except through the highest grade."""
    complete = Judgments.from_rows(rows(cells))
    topic = next(iter(complete.topics))
    alone = Judgments.from_rows([row for row in rows(cells) if row[0] == topic])
    perturbations: list[Callable[[Judgments], Judgments]] = [
        lambda j: reweight(j, seed),
        lambda j: flip(j, share, seed),
        lambda j: thin(j, share, seed),
    ]
    for perturb in perturbations:
        one, other = perturb(complete).topics[topic], perturb(alone).topics[topic]
        assert one.documents == other.documents
        assert np.array_equal(one.grades, other.grades)
        assert (one.weights is None) == (other.weights is None)
        assert one.weights is None or other.weights is None or np.array_equal(one.weights, other.weights)


@settings(max_examples=60, deadline=None)
@given(judged, seeds, shares, shares)
def test_larger_shares_remove_more_of_the_same(
    cells: dict[tuple[str, str, str], float], seed: int, one: float, other: float
) -> None:
    """With the same seed, the judgments left by a larger share are among those left by a smaller one."""
    judgments = Judgments.from_rows(rows(cells))
    few, many = (set(thin(judgments, share, seed).rows()) for share in sorted((one, other), reverse=True))
    assert few <= many


@settings(max_examples=60, deadline=None)
@given(judged, seeds, shares)
def test_flipping_keeps_aspects_and_never_adds_relevance(
    cells: dict[tuple[str, str, str], float], seed: int, share: float
) -> None:
    """An aspect with a relevant document keeps at least one, and none has more than before."""
    before = Judgments.from_rows(rows(cells))
    after = flip(before, share, seed)
    for name, topic in before.topics.items():
        for column in range(len(topic.aspects)):
            was, now = (int((t.grades[t.columns == column] > 0).sum()) for t in (topic, after.topics[name]))
            assert now <= was
            assert (now > 0) == (was > 0)


@settings(max_examples=60, deadline=None)
@given(listed, seeds, st.none() | st.integers(0, 8), st.randoms(use_true_random=False))
def test_the_order_of_lines_never_matters_to_a_cut(
    cells: dict[tuple[str, str], float], seed: int, longest: int | None, shuffler: random.Random
) -> None:
    """A truncated run keeps the same documents if its lines are shuffled, and no more than allowed."""
    lines = [(*key, score) for key, score in cells.items()]
    shuffled = lines.copy()
    shuffler.shuffle(shuffled)
    one, other = (truncate(Run.from_rows(given, name="r"), seed, longest=longest) for given in (lines, shuffled))
    for name, topic in one.topics.items():
        assert sorted(topic.documents) == sorted(other.topics[name].documents)
        assert longest is None or len(topic.documents) <= longest
