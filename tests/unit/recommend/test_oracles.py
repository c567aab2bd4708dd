"""Metrics of recommended lists against loops over dicts, on collections with every odd case."""

from __future__ import annotations

import random
from typing import Any

import pytest

from diveval.recommend.user_scoring import evaluate
from support.plain_recommend import alphabeta, draw, metrics
from support.refusals import refuses
from support.shared import times

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")


@pytest.mark.parametrize("seed", range(times(60, 1000)))
def test_metrics_of_lists_equal_their_definitions(seed: int) -> None:
    """Exposure, fairness, distance, popularity and serendipity: every user's value, and which users have one."""
    rng = random.Random(seed)
    data, k = draw(rng), rng.choice([1, 2, 5, 20])
    for name, function in metrics(rng, k).items():
        expected = {user: function(data, user, items[:k]) for user, items in data.lists.items()}
        defined = {user: value for user, value in expected.items() if value is not None}
        arguments: Any = {"aspects": data.genres, "history": data.history, "catalogue": data.catalogue}
        if not defined:
            with refuses("no-counted-topic"):
                evaluate(data.ratings, data.lists, [name], rel=data.rel, **arguments)
            continue
        scores = evaluate(data.ratings, data.lists, [name], rel=data.rel, **arguments)
        assert scores.per_topic("run", scores.metrics[0]) == pytest.approx(defined, abs=1e-9), (seed, name)


@pytest.mark.parametrize("seed", range(times(60, 1000)))
def test_alphabeta_equals_its_definition(seed: int) -> None:
    """Unrated items of wanted genres count with α, rated ones with β r, and the ideal list is greedy."""
    rng = random.Random(10_000 + seed)
    data, k = draw(rng), rng.choice([1, 2, 5, 20])
    for item in data.genres:
        data.genres[item] = data.genres[item] or ["z"]
    alpha, beta = rng.choice([0, 0.1, 0.5]), rng.choice([0.3, 0.5, 1])
    scores = evaluate(
        data.ratings,
        data.lists,
        [f"alphabeta_nDCG(alpha={alpha},beta={beta})@{k}"],
        aspects=data.genres,
        rel=data.rel,
        gain="linear",
        profiles="uniform",
    )
    found = scores.per_topic("run", scores.metrics[0])
    assert set(found) == set(data.ratings)
    for user, value in found.items():
        possible = alphabeta(data, user, data.lists.get(user, []), k, alpha, beta)
        assert min(abs(value - one) for one in possible) < 1e-9, (user, value, possible)
