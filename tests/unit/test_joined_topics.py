"""Inputs without a common topic are refused with ids of both, wherever two inputs are joined by topic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import diveval
from support.refusals import refuses

JUDGMENTS = {"wt12-151": {"a": {"d1": 1}, "b": {"d2": 1}}, "wt12-152": {"a": {"d1": 1}, "b": {"d3": 1}}}
OTHERS = {"151": {"a": {"d1": 1}, "b": {"d2": 0}}, "152": {"a": {"d1": 1}, "b": {"d3": 0}}}
MODEL = {"wt12-151": {"a": {"d1": 1}, "b": {"d2": 0}}, "wt12-152": {"a": {"d1": 0}, "b": {"d3": 1}}}
RUNS: Any = {
    name: {topic: order for judged in (JUDGMENTS, OTHERS) for topic in judged}
    for name, order in {"A": ["d1", "d2"], "B": ["d2", "d1"], "C": ["d3"]}.items()
}
METRIC = "RBU@5"
JOINS: dict[str, Callable[[], Any]] = {
    "runs": lambda: diveval.evaluate(JUDGMENTS, {"A": {"151": ["d1"]}}, METRIC),
    "weights": lambda: diveval.evaluate(JUDGMENTS, RUNS, METRIC, weights={("151", "a"): 0.5, ("151", "b"): 0.5}),
    "judges of conclusions": lambda: diveval.conclude(JUDGMENTS, RUNS, METRIC, judges=[OTHERS]),
    "people and a model": lambda: diveval.judges(JUDGMENTS, OTHERS, RUNS, METRIC),
    "people and models": lambda: diveval.judges(JUDGMENTS, MODEL, RUNS, METRIC, models=[OTHERS]),
    "a panel": lambda: diveval.panel([JUDGMENTS, OTHERS], RUNS, METRIC),
    "a board": lambda: diveval.board(JUDGMENTS, RUNS, METRIC, judges=[OTHERS]),
    "slices": lambda: diveval.gate(
        JUDGMENTS, {"A": RUNS["A"]}, {"B": RUNS["B"]}, METRIC, margin=0.1, slices={"151": "x"}
    ),
}


@pytest.mark.filterwarnings("ignore::diveval.DivevalWarning")  # a few labels are too few for κ
@pytest.mark.parametrize("join", JOINS)
def test_ids_of_both_sides_are_shown(join: str) -> None:
    """`wt12-151` beside `151` explains what a sentence about collections does not."""
    with refuses("no-shared-topic", "wt12-151", "151,") as caught:
        JOINS[join]()
    assert "wt12-" in str(caught.value.hint)
