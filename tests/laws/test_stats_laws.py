"""Properties of the statistics: corrections, letters, ties and rank correlations."""

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from diveval.meta import kendall_tau, rbo, tau_ap
from diveval.stats import benjamini_hochberg, holm, letters
from diveval.stats.ties import dense_ranks
from support.late import late
from support.present import present

stats = late("scipy.stats")

probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def paired_arrays(sizes: Any, most: Any) -> Any:
    """Two arrays of the same size."""
    return sizes.flatmap(lambda n: st.tuples(*[hnp.arrays(np.int64, n, elements=st.integers(0, most))] * 2))


@given(probabilities)
def test_corrections_keep_the_order_and_never_lower_p(p: Any) -> None:
    """Adjusted p-values are between the raw ones and 1 and in the same order; Holm is stricter."""
    for adjust in (holm, benjamini_hochberg):
        adjusted = adjust(p)
        assert (adjusted >= np.array(p) - 1e-15).all()
        assert (adjusted <= 1).all()
        assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()
    assert (holm(p) >= benjamini_hochberg(p) - 1e-12).all()


@given(probabilities)
def test_holm_rejects_by_its_stepwise_rule(p: Any) -> None:
    """Adjusted p ≤ 0.05 exactly where Holm's stepwise rule rejects: smallest first, against 0.05/(n − i)."""
    assume(all(abs(x * k - 0.05) > 1e-12 for x in p for k in range(1, len(p) + 1)))
    rejected = set()
    for i, k in enumerate(sorted(range(len(p)), key=lambda k: p[k])):
        if p[k] > 0.05 / (len(p) - i):
            break
        rejected.add(k)
    assert set(np.flatnonzero(holm(p) <= 0.05)) == rejected


@settings(deadline=None)
@given(st.integers(1, 7), st.data())
def test_systems_share_a_letter_exactly_when_they_do_not_differ(count: Any, data: Any) -> None:
    """Systems share a letter exactly if they do not differ, and no letter covers a subset of another."""
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
    different = data.draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    shown = [set(text) for text in present(letters(count, different))]
    assert all(shown)
    for i, j in pairs:
        assert bool(shown[i] & shown[j]) == ((i, j) not in different)
    holders = {sign: frozenset(i for i in range(count) if sign in shown[i]) for sign in set().union(*shown)}
    assert not any(a < b for a, b in product(holders.values(), repeat=2))


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_ranks_of_ties_are_a_weak_order(values: Any, random: Any) -> None:
    """Ranks follow the values, have no gaps, and do not depend on the input order."""
    array = np.array(values)
    ranks = dense_ranks(array)
    assert set(ranks) == set(range(ranks.max() + 1))
    for i, j in product(range(len(array)), repeat=2):
        assert array[i] <= array[j] or ranks[i] >= ranks[j]
        if array[i] < array[j] - 1e-9 * max(1e-300, np.abs(array).max()) * len(array):
            assert ranks[i] < ranks[j]
    order = list(range(len(values)))
    random.shuffle(order)
    assert (dense_ranks(array[order]) == ranks[order]).all()


@settings(max_examples=60)
@given(paired_arrays(st.integers(2, 8), 4))
def test_kendall_equals_scipy(pair: Any) -> None:
    """τ-b equals scipy's, and is None where scipy's is undefined."""
    x, y = pair
    expected = stats.kendalltau(x, y).statistic
    ours = kendall_tau(x, y)
    assert ours is None if np.isnan(expected) else ours == pytest.approx(expected, abs=1e-12)


def tau_ap_of_a_ranking(truth: Any, order: Any) -> Any:
    """Yilmaz' definition on a strict ranking, best first; a tie in the truth counts ½."""
    total = 0.0
    for i in range(1, len(order)):
        above = [1.0 if truth[u] > truth[order[i]] else 0.5 if truth[u] == truth[order[i]] else 0.0 for u in order[:i]]
        total += sum(above) / i
    return 2 / (len(order) - 1) * total - 1


@settings(max_examples=60, deadline=None)
@given(paired_arrays(st.integers(2, 5), 3))
def test_tau_ap_is_the_mean_over_all_orders_of_the_ties(pair: Any) -> None:
    """The closed form equals the definition averaged over every ranking that respects the scores."""
    truth, other = pair
    orders = [
        order
        for order in permutations(range(len(other)))
        if all(other[order[i]] >= other[order[i + 1]] for i in range(len(order) - 1))
    ]
    expected = np.mean([tau_ap_of_a_ranking(truth, order) for order in orders])
    assert tau_ap(truth, other) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=30)
@given(st.integers(2, 8).flatmap(lambda n: st.permutations(range(n))))
def test_a_ranking_agrees_with_itself(order: Any) -> None:
    """Without ties τ, τ_AP and RBO of a ranking with itself are 1, and τ and τ_AP of its reverse −1."""
    x = np.array(order)
    assert kendall_tau(x, x) == pytest.approx(1)
    assert tau_ap(x, x) == pytest.approx(1)
    assert rbo(x, x) == pytest.approx(1)
    assert kendall_tau(x, -x) == pytest.approx(-1)
    assert tau_ap(x, -x) == pytest.approx(-1)


@settings(max_examples=50)
@given(paired_arrays(st.integers(2, 6), 4), st.floats(0.05, 0.95))
def test_rbo_equals_its_definition(pair: Any, p: Any) -> None:
    """RBO equals its sum over depths, with explicit sets of systems at each depth."""
    x, y = pair
    n = len(x)

    def top(scores: Any, depth: Any) -> Any:
        return {i for i in range(n) if sum(other > scores[i] for other in scores) + 1 <= depth}

    agreement = []
    for depth in range(1, n + 1):
        a, b = top(x, depth), top(y, depth)
        agreement.append(2 * len(a & b) / (len(a) + len(b)))
    expected = agreement[-1] * p**n + (1 - p) / p * sum(a * p**d for d, a in enumerate(agreement, 1))
    assert rbo(x, y, p=p) == pytest.approx(expected, abs=1e-12)
    assert rbo(y, x, p=p) == pytest.approx(expected, abs=1e-12)
    assert 0 <= expected <= 1 + 1e-12
