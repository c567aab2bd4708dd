"""Ideal lists equal the best ordered subset of the pool, in doubles and fractions; no list scores above 1."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction as F
from itertools import permutations
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import diveval
from diveval.metrics import Ranking, ideal, parse, subtopics
from diveval.metrics.algebra import Cascade, Decay, Geometric, Log
from diveval.metrics.batch import Batch
from diveval.metrics.ideal import TIE, Greedy, alike
from diveval.metrics.numbers import Floats
from diveval.metrics.optimum import LARGE, STEPS, _Search, optimum, optimum_generic
from support.refusals import refuses, warns
from support.shared import times

pytestmark = pytest.mark.slow(seconds=0.5)  # together: `make check` leaves the file out

often = settings(max_examples=60, deadline=None)
GRADES = st.sampled_from([0.0, 0.05, 0.15, 0.25, 0.5, 0.75, 1.0])


@st.composite
def pools(draw: Any, most: int = 7) -> Any:
    """Up to 7 documents over up to 3 aspects, an effort for each, weights, and the number of ranks."""
    aspects, documents = draw(st.integers(1, 3)), draw(st.integers(1, most))
    pool = np.array([[draw(GRADES) for _ in range(documents)] for _ in range(aspects)])
    costs = draw(st.sampled_from([0.0, 0.05, 0.15, None]))
    effort = (
        np.full(documents, costs)
        if costs is not None
        else np.array([draw(st.sampled_from([0.05, 0.1, 0.3])) for _ in range(documents)])
    )
    weights = np.array([draw(st.sampled_from([0.2, 1.0, 1 / 3])) for _ in range(aspects)])
    return pool, weights, effort, draw(st.integers(1, documents))


def best_of_all(pool: Any, weights: Any, novelty: Any, effort: Any, discounts: Any) -> Any:
    """The best value over all ordered subsets, found by extending lists one document at a time."""
    numbers, best = Floats(), 0.0
    documents = range(pool.shape[1])

    def extend(taken: Any, value: Any, states: Any) -> None:
        nonlocal best
        best = max(best, value)
        if len(taken) == len(discounts):
            return
        for d in documents:
            if d not in taken:
                gain = sum(
                    w * r * novelty.factor(s, numbers) for w, r, s in zip(weights, pool[:, d], states, strict=True)
                )
                after = [novelty.after(s, r, numbers) for s, r in zip(states, pool[:, d], strict=True)]
                extend((*taken, d), value + discounts[len(taken)] * (gain - effort[d]), after)

    extend((), 0.0, [novelty.begin(numbers) for _ in weights])
    return best


@pytest.mark.slow
@often
@given(
    drawn=pools(),
    novelty=st.sampled_from([Cascade(), Decay(0.5), Decay(1.0), Decay(0.0), Decay(0.5, 1.0)]),
    discount=st.sampled_from([Log(), Geometric(0.99), Geometric(0.5), Geometric(1.0)]),
)
def test_the_optimum_is_the_best_ordered_subset(drawn: Any, novelty: Any, discount: Any) -> None:
    """Branch and bound, in doubles and in fractions, equals exhaustive search."""
    pool, weights, effort, ranks = drawn
    discounts = discount.table(ranks)[1:]
    wanted = best_of_all(pool, weights, novelty, effort, discounts)
    assert optimum(pool, weights, novelty, effort, discounts, steps=10**6) == pytest.approx(
        wanted, rel=1e-11, abs=1e-12
    )
    rows = pool.T.tolist()
    found = optimum_generic(rows, list(weights), novelty, list(effort), list(discounts), Floats(), steps=10**6)
    assert found == pytest.approx(wanted, rel=1e-11, abs=1e-12)


@often
@given(
    drawn=pools(),
    data=st.data(),
    name=st.sampled_from(
        [
            "alpha_nDCG(alpha=1,ideal=exact)",
            "alpha_nDCG(alpha=0.5,ideal=exact)",
            "alpha_nDCG(alpha=0,ideal=exact)",
            "nRBU(p=0.99,e=0.05)",
            "nRBU(p=0.5,e=0.2)",
            "nRBU(p=1,e=0.15)",
            "nRBU(p=0.9,e=0)",
        ]
    ),
    cutoff=st.sampled_from(["", "@1", "@2", "@5"]),
)
def test_no_list_of_the_pool_scores_above_1(drawn: Any, data: Any, name: str, cutoff: str) -> None:
    """Both interpreters agree, and no list of pool documents scores above 1."""
    pool, weights, _, _ = drawn
    order = data.draw(st.permutations(range(pool.shape[1])))
    shown = order[: data.draw(st.integers(0, len(order)))]
    relevant = pool[:, (pool > 0).any(axis=0)]
    judged = [d for d in shown if pool[:, d].any()]
    batch = Batch.of_topic(
        pool[:, np.newaxis, judged],
        np.array([[shown.index(d) + 1 for d in judged]], dtype=np.int64).reshape(1, -1),
        np.array([len(shown)]),
        weights / weights.sum(),
        relevant,
    )
    metric = parse(name + cutoff)
    value = float(metric.score(batch)[0])
    assert value <= 1 + 1e-9
    assert float(metric.exact(batch.ranking(0))) == pytest.approx(value, rel=1e-9, abs=1e-12)


@given(
    columns=st.tuples(st.integers(1, 4), st.integers(0, 30)).flatmap(
        lambda shape: hnp.arrays(np.float64, shape, elements=st.sampled_from([0.0, -0.0, 0.5, 1 / 3, np.inf]))
    )
)
def test_equal_columns_match_numpy_unique(columns: Any) -> None:
    """Sorting row by row gives the kinds, order and first columns of `np.unique`."""
    _, first, kind = np.unique(columns, axis=1, return_index=True, return_inverse=True)
    found = alike(columns)
    assert (found[0].tolist(), found[1].tolist()) == (first.tolist(), kind.ravel().tolist())


def test_greedy_is_not_optimal_but_exact_is() -> None:
    """The best list scores above 1 over the greedy ideal, and exactly 1 over the proven one."""
    pool = [[1, 0, 1, 1, 0], [1, 1, 0, 1, 0], [1, 1, 1, 0, 0], [0, 0, 0, 1, 1]]
    lists = list(permutations(pool))
    for alpha in (0.5, 1):
        greedy = max(parse(f"alpha_nDCG(alpha={alpha})@3")(rows, pool=pool) for rows in lists)
        exact = max(parse(f"alpha_nDCG(alpha={alpha},ideal=exact)@3")(rows, pool=pool) for rows in lists)
        assert exact == pytest.approx(1.0)
        assert greedy > 1.02


def test_rounding_errors_are_not_gains() -> None:
    """0.05 + 0.05 + 0.05 − 0.15 is 2.8e-17 in doubles but exactly 0, so nothing is attainable and the score is 0."""
    rows: list[list[float]] = [[0.15, 0.15, 0.15], [0, 0, 0]]
    judgments = {"1": {a: {"d": 0.15} for a in "abc"}}
    scores = diveval.evaluate(
        judgments,
        {"x": {"1": ["d", "u"]}},
        "nRBU(p=0.99,e=0.15)",
        gain="identity",
        weights={("1", a): 1.0 for a in "abc"},
    )
    assert scores.values.tolist() == [[[0.0]]]
    assert parse("nRBU(p=0.99,e=0.15)")(rows, weights=[1 / 3] * 3) == 0.0
    for share, expected in ((1 + TIE / 2, 0.0), (1.01, 1.0)):
        assert parse("nRBU(p=1,e=0.15)")([[0.15 * share]]) == pytest.approx(expected)


def hard_pool(documents: int = 40, aspects: int = 12, seed: int = 5) -> Any:
    """A pool whose best order cannot be proven in a few thousand steps."""
    rng = np.random.default_rng(seed)
    judged = {
        f"a{a}": {f"d{d:02}": g for d, g in enumerate(rng.integers(0, 4, documents).tolist())} for a in range(aspects)
    }
    return {"hard": judged, "easy": {"a": {"d00": 1}}}, {"x": {"hard": ["d00", "d01"], "easy": ["d00"]}}


def test_an_unproven_ideal_is_not_exact() -> None:
    """ideal=exact raises and names the topic; ideal=best uses the greedy list, with a warning and a note."""
    judgments, runs = hard_pool()
    with refuses("ideal-not-proven", "hard", "ideal=greedy"):
        diveval.evaluate(judgments, runs, "alpha_nDCG(ideal=exact)@20")
    with warns("ideal-not-proven", "alpha_nDCG(alpha=0.5,ideal=best)@20"):
        scores = diveval.evaluate(judgments, runs, ["alpha_nDCG(ideal=best)@20", "alpha_nDCG@20"])
    assert any("hard" in note and "easy" not in note for note in scores.notes)
    best, greedy = (scores.per_topic("x", metric) for metric in scores.metrics)
    assert best["hard"] == greedy["hard"] and best["easy"] == 1.0


def test_the_ideal_in_fractions() -> None:
    """With fractions, the value is exact and the ideal is a proven best list."""

    class Fractions(Floats):
        def of(self, value: Any) -> Any:
            return F(value) if not isinstance(value, float) else F(repr(value))

        def positive(self, value: Any) -> Any:
            return F(int(value > 0))

    rows = [[F(1, 2), F(0)], [F(1, 4), F(1)]]
    value = parse("nRBU(p=0.5,e=0.25)").exact(Ranking.of(rows, numbers=Fractions()))
    # The second document first: (1/8 + 1/2 − 1/4)/2; then the first: 1/4·3/4 < 1/4, not worth its effort.
    assert value == (F(1, 2) * (F(1, 4) - F(1, 4)) + F(1, 4) * (F(1, 16) + F(1, 2) - F(1, 4))) / (F(1, 2) * F(3, 8))


@often
@given(
    drawn=pools(most=30),
    novelty=st.sampled_from([Cascade(), Decay(0.5), Decay(1.0), Decay(0.0), Decay(0.5, 1.0)]),
    tie=st.sampled_from([TIE, 0.0]),
    promising=st.integers(1, 8),
    count=st.sampled_from([None, 1, 3, 12]),
)
def test_a_long_list_equals_the_plain_greedy_list(
    drawn: Any, novelty: Any, tie: Any, promising: int, count: Any
) -> None:
    """Grouping by kinds and pruning by bounds change no bit of what each rank adds."""
    pool, weights, effort, _ = drawn
    arguments = (pool[:, np.newaxis], weights[:, np.newaxis], novelty, effort[np.newaxis])
    plain = Greedy(*arguments, tie=tie).first(count)
    with patch.object(ideal, "LONG", 0), patch.object(ideal, "PROMISING", promising):
        assert Greedy(*arguments, tie=tie).first(count).tolist() == plain.tolist()
        block = [np.concatenate([part, part[..., ::-1]], axis=1) for part in (arguments[0], arguments[3][np.newaxis])]
        both = Greedy(block[0], np.repeat(arguments[1], 2, axis=1), novelty, block[1][0], tie=tie).first(count)
    assert both[0, : plain.shape[1]].tolist() == plain[0].tolist()


@often
@given(drawn=pools(most=20), cutoff=st.sampled_from([None, 1, 5]))
def test_a_long_list_changes_nothing_for_alpha_beta(drawn: Any, cutoff: Any) -> None:
    """αβ-nDCG uses the same greedy list in both implementations."""
    pool, weights, _, _ = drawn
    batch = Batch.of_topic(
        pool[:, np.newaxis], np.arange(1, pool.shape[1] + 1)[np.newaxis], np.array([50]), weights, pool
    )
    formula = parse("alphabeta_nDCG").formula.at(cutoff)
    plain = formula.score(batch)
    with patch.object(subtopics, "LONG", 0):
        assert formula.score(replace(batch, kept={}, pool_kept={})).tolist() == pytest.approx(plain.tolist(), rel=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize(("documents", "graded"), [(100_000, False), (times(30_000, 100_000), True)])
def test_many_thousand_relevant_documents_take_seconds(documents: int, graded: bool) -> None:
    """Metrics with a greedy ideal and no cutoff finish in seconds; quadratic time would take many minutes."""
    rng = np.random.default_rng(1)
    pool = rng.random((5, documents)) if graded else (rng.random((5, documents)) < 0.3).astype(np.float64)
    pool[0, ~(pool > 0).any(axis=0)] = 1.0
    batch = Batch.of_topic(pool[:, np.newaxis, :5], np.arange(1, 6)[np.newaxis], np.array([9]), np.full(5, 0.2), pool)
    began = time.process_time()
    for name in (
        "alpha_nDCG",
        "alpha_nDCG(alpha=0.1)",
        "alphabeta_nDCG",
        "nRBU(ideal=greedy)",
        "ndeval.alpha_nDCG@1000",
    ):
        assert 0 < parse(name).score(batch)[0] <= 1
    assert time.process_time() - began < 60


def test_steps_over_large_pools_cost_more() -> None:
    """The limit is on time, not steps: a pool with a hundred times the cells gets a hundredth of the steps."""
    rng, steps = np.random.default_rng(3), STEPS // 10
    counts = []
    for documents in (LARGE // 10, LARGE * 10):
        pool = rng.uniform(0.1, 1, size=(5, documents))
        with patch.object(_Search, "bound", autospec=True, return_value=np.inf) as bound:
            found = optimum(pool, np.full(5, 0.2), Decay(0.5), np.zeros(documents), Log().table(20)[1:], steps=steps)
        assert found is None
        counts.append(bound.call_count)
    assert counts[0] <= steps and counts[1] <= steps // 50 < counts[0]
