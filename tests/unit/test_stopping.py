"""The rank at which a reader should stop."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

import diveval
from diveval.analysis.stopping import mean_stop, stopping_points
from diveval.metrics import parse
from diveval.scoring.evaluate import load_judgments, rank_all
from diveval.settings import Options
from support.refusals import refuses
from support.small import small_collections


def stops(judgments: Any, runs: Any, metric: Any, **choices: Any) -> Any:
    """Stopping points from dicts."""
    options, asked = Options.of(**choices), parse(metric)
    truth = load_judgments(judgments, options)
    return stopping_points(truth, rank_all(truth, runs, [asked], options, keep_documents=False), asked, options)


@settings(max_examples=40, deadline=None)
@given(small=small_collections())
def test_no_prefix_is_better_than_the_stopping_rank(small: Any) -> None:
    """The utility at the stopping rank is the largest over all prefixes, the empty one included."""
    truth = diveval.as_judgments(small.judgments()).with_weights(small.weight_map())
    (stop,) = stops(truth, small.run(), "RBU(p=0.9,e=0.1)", gain="identity")
    utilities = [0.0] + [
        float(diveval.evaluate(truth, small.run(), f"RBU(p=0.9,e=0.1)@{k}", gain="identity").values[0, 0, 0])
        for k in range(1, len(small.ranking) + 1)
    ]
    assert stop.utility == pytest.approx(max(utilities), abs=1e-14)
    assert utilities[stop.rank] == pytest.approx(max(utilities), abs=1e-14)
    assert stop.utility_of_all == pytest.approx(utilities[-1], abs=1e-14)


def test_a_list_without_relevant_documents_stops_at_rank_0() -> None:
    """No prefix has positive utility, so the rank is 0 and the utility 0."""
    (stop,) = stops({"1": {"a": {"d": 1}}}, {"1": ["x", "y"]}, "RBU")
    assert (stop.rank, stop.utility, stop.length) == (0, 0.0, 2) and stop.utility_of_all < 0
    assert mean_stop([stop], "run").topic == "all"


def test_a_metric_without_effort_has_no_stopping_rank() -> None:
    """AP raises a UsageError."""
    with refuses("metric-needs-effort"):
        stops({"1": {"a": {"d": 1}}}, {"1": ["d"]}, "AP")
