"""Identities between metrics, and changes of the input that must not change scores."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import diveval
from diveval.metrics import parse
from diveval.metrics.catalogue import OWN
from support.small import Small, small_collections

ALL = [entry.metric({}, cutoff).name for entry in OWN for cutoff in (None, 5)]
quick = settings(max_examples=40, deadline=None)


def values(small: Small, metrics: Any, run: Any = None, **choices: Any) -> Any:
    """The values of a small collection with its weights."""
    scores = diveval.evaluate(
        small.judgments(),
        small.run() if run is None else run,
        metrics,
        gain="identity",
        weights=small.weight_map(),
        **choices,
    )
    return scores.values[0, :, 0]


@quick
@given(small=small_collections(), p=st.sampled_from([0.5, 0.8, 0.9, 0.99]))
def test_rbu_without_effort_tends_to_rbp_ia_as_relevance_vanishes(small: Any, p: float) -> None:
    """RBU(e=0) → p/(1−p) · RBP-IA as r → 0: the cascade's product tends to 1."""
    tiny = Small({d: [r / 10**7 for r in row] for d, row in small.relevance.items()}, small.weights, small.ranking)
    rbu, rbp = values(tiny, [f"RBU(p={p},e=0)", f"RBP_IA(p={p})"])
    assert rbu == pytest.approx(p / (1 - p) * rbp, rel=1e-5, abs=1e-20)


@quick
@given(small=small_collections(aspects=st.just(1)))
def test_the_intent_aware_form_of_one_aspect_is_its_base_metric(small: Any) -> None:
    """With a single aspect M-IA = M for every M."""
    bases = ["P@5", "RR", "AP", "DCG@5", "nDCG@5", "ERR@5", "RBP(p=0.8)"]
    aware = ["P_IA@5", "RR_IA", "AP_IA", "DCG_IA@5", "nDCG_IA@5", "ERR_IA@5", "RBP_IA(p=0.8)"]
    assert values(small, bases) == pytest.approx(values(small, aware), rel=1e-14)


@quick
@given(small=small_collections(aspects=st.just(1)), p=st.sampled_from([0.5, 0.8, 0.99]))
def test_nrbp_without_novelty_on_one_aspect_is_rbp(small: Any, p: float) -> None:
    """NRBP(α=0) with one aspect equals RBP/(1−p)."""
    nrbp, rbp = values(small, [f"NRBP(p={p},alpha=0)", f"RBP(p={p})"])
    assert nrbp == pytest.approx(rbp / (1 - p), rel=1e-12)


@pytest.mark.slow
@quick
@given(small=small_collections(), seed=st.integers(0, 10**6))
def test_document_ids_and_the_order_of_rows_never_matter(small: Any, seed: int) -> None:
    """Renaming documents (scores distinct) and shuffling judgments and lines changes no value."""
    rng = random.Random(seed)
    names = [f"z{i}" for i in range(200)]
    rng.shuffle(names)
    every = list(dict.fromkeys([*small.relevance, *small.ranking]))
    rename = dict(zip(every, names, strict=False))
    judged = list(small.relevance)
    rng.shuffle(judged)
    other = Small({rename[d]: small.relevance[d] for d in judged}, small.weights, [rename[d] for d in small.ranking])
    lines = list(other.run()["1"].items())
    rng.shuffle(lines)
    # The greedy ideals of α-nDCG and nRBU break ties by document id, so they may change.
    metrics = [name for name in ALL if not name.startswith(("alpha_nDCG", "nRBU"))]
    assert values(other, metrics, run={"1": dict(lines)}) == pytest.approx(values(small, metrics), rel=1e-13, abs=1e-15)


@pytest.mark.slow
@quick
@given(small=small_collections(), extra=st.integers(1, 30))
def test_appending_unjudged_documents_changes_only_n(small: Any, extra: int) -> None:
    """Metrics that depend neither on effort nor on n are unchanged; RBU falls by the effort of the extra ranks."""
    longer = Small(small.relevance, small.weights, [*small.ranking, *(f"y{i}" for i in range(extra))])
    still = [n for n in ALL if not n.startswith(("RBU", "nRBU", "EU", "ACT", "Judged")) and n not in ("P", "P_IA")]
    assert values(longer, still) == pytest.approx(values(small, still), rel=1e-14)
    before, after = values(small, "RBU(p=0.9,e=0.1)")[0], values(longer, "RBU(p=0.9,e=0.1)")[0]
    n = len(small.ranking)
    assert after == pytest.approx(before - 0.1 * sum(0.9**i for i in range(n + 1, n + extra + 1)), abs=1e-12)


@pytest.mark.slow
@quick
@given(small=small_collections(), seed=st.integers(0, 10**6))
def test_permuting_aspects_changes_nothing(small: Any, seed: int) -> None:
    """The names and order of aspects do not change any value."""
    order = list(range(len(small.weights)))
    random.Random(seed).shuffle(order)
    other = Small(
        {d: [row[t] for t in order] for d, row in small.relevance.items()},
        [small.weights[t] for t in order],
        small.ranking,
    )
    assert values(other, ALL) == pytest.approx(values(small, ALL), rel=1e-12, abs=1e-15)


@quick
@given(small=small_collections())
def test_metrics_that_are_shares_stay_between_0_and_1(small: Any) -> None:
    """Recall, precision, reciprocal ranks, normalised gains, and judged shares lie in [0, 1]."""
    shares = [
        "P@5",
        "RR",
        "AP",
        "nDCG@5",
        "ERR",
        "RBP",
        "StRecall@5",
        "SRR",
        "D_nDCG",
        "Dsharp_nDCG@5",
        "nDCG_IA",
        "Judged@5",
    ]
    found = values(small, shares)
    assert (found >= 0).all() and (found <= 1 + 1e-12).all()


@quick
@given(small=small_collections())
def test_the_exact_ideal_is_never_below_the_greedy_one(small: Any) -> None:
    """α-nDCG over the proven optimum is at most α-nDCG over the greedy list, and at most 1."""
    greedy, exact = values(small, ["alpha_nDCG(alpha=0.5)@4", "alpha_nDCG(alpha=0.5,ideal=exact)@4"])
    assert exact <= greedy + 1e-12 and exact <= 1 + 1e-12


@quick
@given(small=small_collections())
def test_residuals_are_what_relevant_unjudged_documents_would_add(small: Any) -> None:
    """M + residual equals M scored with every unjudged document judged fully relevant, for sums without an ideal."""
    metrics = ["RBU(p=0.9,e=0.1)", "P@5", "ERR_IA@5", "alpha_DCG@5", "StRecall@5", "RR"]
    found = values(small, metrics, residuals=True)
    full = [Fraction(1) if t in small.aspects else Fraction(0) for t in range(len(small.weights))]
    optimistic = Small({**dict.fromkeys(small.ranking, full), **small.relevance}, small.weights, small.ranking)
    assert found[: len(metrics)] + found[len(metrics) :] == pytest.approx(values(optimistic, metrics), rel=1e-12)


@quick
@given(small=small_collections())
def test_a_users_function_is_scored_like_the_catalogue(small: Any) -> None:
    """RBU written as a user's function equals the catalogue's RBU."""

    def mine(ranking: Any) -> Any:
        total, left = 0.0, np.ones(ranking.aspects)
        for i, row in enumerate(ranking.relevance, 1):
            total += 0.9**i * (float((ranking.weights * row * left).sum()) - 0.05)
            left = left * (1 - row)
        return total

    user, own = values(small, [mine, "RBU(p=0.9,e=0.05)"])
    assert user == pytest.approx(own, rel=1e-12, abs=1e-14)


@quick
@given(small=small_collections(), k=st.integers(1, 12))
def test_a_cutoff_is_the_same_as_cutting_the_list(small: Any, k: int) -> None:
    """M@k of a list is M of its first k documents, for every metric whose ideal or size does not depend on k."""
    free = [
        e.name
        for e in OWN
        if e.name
        not in ("P", "P_IA", "nDCG", "nDCG_IA", "alpha_nDCG", "alphabeta_nDCG", "D_nDCG", "Dsharp_nDCG", "nRBU")
    ]
    shorter = Small(small.relevance, small.weights, small.ranking[:k])
    at_k = values(small, [f"{name}@{k}" for name in free])
    assert at_k == pytest.approx(values(shorter, free), rel=1e-12, abs=1e-15)


def test_worked_value_of_rbu() -> None:
    """Two aspects of 1/2, r(1) = (1/4, 0), r(3) = (1/2, 1/4), p = 4/5, e = 1/20: RBU = 0.125536."""
    rows: list[list[float]] = [[0.25, 0], [0, 0], [0.5, 0.25], [0, 0], [0, 0]]
    assert parse("RBU(p=0.8,e=0.05)")(rows) == pytest.approx(0.125536, abs=1e-15)


def test_rbu_with_p_1_is_not_err_ia() -> None:
    """The paper's remark drops the 1/i: on [0, 1/2] RBU gives 1/2 and ERR-IA 1/4."""
    rows = [[0.0], [0.5]]
    assert parse("RBU(p=1,e=0)")(rows) == 0.5
    assert parse("ERR_IA")(rows) == 0.25
