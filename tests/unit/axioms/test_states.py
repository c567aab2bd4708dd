"""Metrics whose value depends on what they were asked before: nothing may be said of them."""

from __future__ import annotations

from typing import Any

import pytest

from diveval.axioms import check
from unit.axioms.targets import Cached

FIRST_SEEN: dict[int, Any] = {}


def of_the_module(ranking: Any) -> Any:
    """Returns for every list of one length what it found for the first."""
    value = sum(max(row) / i for i, row in enumerate(ranking.relevance, 1))
    return FIRST_SEEN.setdefault(len(ranking.relevance), value)


def default_of(ranking: Any, seen: dict[Any, Any] = {}) -> Any:  # noqa: B006 - what a careless person writes
    """The same by length and number of aspects, kept in a default."""
    value = sum(max(row) / i for i, row in enumerate(ranking.relevance, 1))
    return seen.setdefault((len(ranking.relevance), len(ranking.weights)), value)


@pytest.mark.parametrize("metric", [Cached(), of_the_module, default_of])
def test_what_a_metric_saw_first_is_a_state(metric: Any) -> None:
    """Such a metric repeats itself, and its values still depend on what came before."""
    for axiom in ("CloseTh", "DeepTh", "Pri"):
        assert check(metric, axiom, reading="as-written").verdict == "unknown"
