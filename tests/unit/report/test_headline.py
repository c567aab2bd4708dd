"""The first sentence of the page: the leading run, and the runs that do not differ significantly from it."""

from __future__ import annotations

import re

import numpy as np

from diveval.results.scores import Scores
from diveval.views.board import MetricQuality, leaderboard
from diveval.views.headline import headline
from diveval.views.titles import find_titles

RUNS = ["a", "b", "c", "d", "e"]


def first_sentence(leaders: list[str], *, noise: float = 0.01) -> str:
    """The headline of a table in which each metric has the given leaders, one letter each."""
    rng = np.random.default_rng(0)
    values = rng.uniform(0.3, 0.3 + noise, (len(RUNS), len(leaders), 20))
    for m, leading in enumerate(leaders):
        for run in leading:
            values[RUNS.index(run), m] = np.linspace(0.6, 0.9, 20)
    metrics = [f"P@{m + 1}" for m in range(len(leaders))]
    scores = Scores.of(values, runs=RUNS, metrics=metrics, topics=[str(t) for t in range(20)])
    return "".join(part["text"] for part in headline(scores, MetricQuality.of(scores), {})[0])


def assert_mentions(text: str, *words: str) -> None:
    """The words occur in this order."""
    assert re.search(".*".join(rf"\b{word}\b" for word in words), text), text


def test_every_leader_is_counted() -> None:
    """Up to three other leaders are named with their counts; of more, the first two and the number of the rest."""
    assert_mentions(first_sentence(["a", "a", "a", "b", "b", "c", "d"]), "a", "3 of 7", "b", "2", "c", "1", "d", "1")
    many = first_sentence(["a", "a", "b", "c", "d", "e"])
    assert_mentions(many, "b", "1", "c", "1", "2", "1")
    assert not re.search(r"\bd\b", many)


def test_equal_means_lead_together() -> None:
    """A run with the same mean as the leader is named too."""
    assert_mentions(first_sentence(["ae", "ae"]), "e", "2")


def test_runs_without_a_significant_difference_are_in_order() -> None:
    """The runs that do not differ significantly from the leader are named in order of their means."""
    rng = np.random.default_rng(1)
    base = rng.uniform(0.2, 0.8, 20)
    values = np.stack([base - 0.001 * shift + rng.normal(0, 0.05, 20) for shift in (0, 1, 2, 3, 400)])[:, None, :]
    scores = Scores.of(values, runs=RUNS[::-1], metrics=["P@5"], topics=[str(t) for t in range(20)])
    clauses = headline(scores, MetricQuality.of(scores), {})[0]
    order = [scores.runs[r] for r in np.argsort(-scores.means[:, 0])]
    assert clauses[0]["text"].startswith(order[0])
    assert "3 of 4" in clauses[-1]["text"] and ", ".join(order[1:4]) in clauses[-1]["text"]


def test_means_that_differ_by_rounding_lead_together() -> None:
    """Sums that are equal but for the last digit: both systems lead, in the headline and in the title."""
    values = np.array([[4, 2, 4], [1, 6, 3], [1, 0, 1]])[:, None, :] / 6
    scores = Scores.of(values, runs=["a", "b", "c"], metrics=["P@5"], topics=list("123"))
    assert 0 < abs(scores.means[0, 0] - scores.means[1, 0]) < 1e-15
    quality = MetricQuality.of(scores)
    said = {part["kind"]: part["facts"] for part in headline(scores, quality, {})[0] if "kind" in part}
    assert (said["best-mean"]["run"], said["other-best-means"]["counts"]) == ("a", [["b", 1]])
    data = {"leaderboard": leaderboard(scores, quality.power)}
    assert find_titles(scores, quality, data)["leaderboard"]["facts"]["also"] == ["b"]
