"""The first sentence of the page: who leads by how many metrics, and who cannot be told apart from the leader."""

from __future__ import annotations

import numpy as np

from diveval.scores import Scores
from diveval.views.board import MetricQuality
from diveval.views.headline import headline

RUNS = ["a", "b", "c", "d", "e"]


def first_sentence(leaders: list[str], *, noise: float = 0.01) -> str:
    """Of a table in which each metric has the leaders that are given, one letter each."""
    rng = np.random.default_rng(0)
    values = rng.uniform(0.3, 0.3 + noise, (len(RUNS), len(leaders), 20))
    for m, led in enumerate(leaders):
        for run in led:
            values[RUNS.index(run), m] = np.linspace(0.6, 0.9, 20)
    metrics = [f"P@{m + 1}" for m in range(len(leaders))]
    scores = Scores.of(values, runs=RUNS, metrics=metrics, topics=[str(t) for t in range(20)])
    return "".join(part["text"] for part in headline(scores, MetricQuality.of(scores), {}, [])[0])


def test_every_leader_is_counted() -> None:
    """Three others are named with their counts; of more the first two are, and the largest count of the rest."""
    told = first_sentence(["a", "a", "a", "b", "b", "c", "d"])
    assert "a has" in told and "3 of 7" in told
    assert "(b by 2, c by 1, d by 1)" in told
    assert "b by 1, c by 1, 2 others by at most 1" in first_sentence(["a", "a", "b", "c", "d", "e"])


def test_equal_means_lead_together() -> None:
    """A run with the same mean as the leader is not passed over."""
    assert "(e by 2)" in first_sentence(["ae", "ae"])


def test_those_not_behind_stand_in_the_order_of_their_means() -> None:
    """The runs that the test cannot tell apart from the leader are named from the best down."""
    rng = np.random.default_rng(1)
    base = rng.uniform(0.2, 0.8, 20)
    values = np.stack([base - 0.001 * shift + rng.normal(0, 0.05, 20) for shift in (0, 1, 2, 3, 400)])[:, None, :]
    scores = Scores.of(values, runs=RUNS[::-1], metrics=["P@5"], topics=[str(t) for t in range(20)])
    clauses = headline(scores, MetricQuality.of(scores), {}, [])[0]
    order = [scores.runs[r] for r in np.argsort(-scores.means[:, 0])]
    assert clauses[0]["text"].startswith(order[0])
    assert "3 of 4" in clauses[-1]["text"] and ", ".join(order[1:4]) in clauses[-1]["text"]
