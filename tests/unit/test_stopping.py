"""Where a reader should stop."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

import diveval
from diveval.errors import UsageError
from diveval.evaluation import load_judgments, rank_all
from diveval.metrics import parse
from diveval.options import Options
from diveval.stopping import mean_stop, stopping_points
from support.small import small_collections
from support.wording import wording


def stops(judgments: Any, runs: Any, metric: Any, **choices: Any) -> Any:
    """Stopping points from plain shapes."""
    options, asked = Options.of(**choices), parse(metric)
    truth = load_judgments(judgments, options)
    return stopping_points(truth, rank_all(truth, runs, [asked], options, keep_documents=False), asked, options)


@settings(max_examples=40, deadline=None)
@given(small=small_collections())
def test_no_prefix_is_better_than_the_stopping_rank(small: Any) -> None:
    """The utility at the stopping rank is the largest over all prefixes, and the rank is the first that reaches it."""
    truth = diveval.as_judgments(small.judgments()).with_weights(small.weight_map())
    (stop,) = stops(truth, small.run(), "RBU(p=0.9,e=0.1)", gain="identity")
    every = [0.0] + [
        float(diveval.evaluate(truth, small.run(), f"RBU(p=0.9,e=0.1)@{k}", gain="identity").values[0, 0, 0])
        for k in range(1, len(small.ranking) + 1)
    ]
    assert stop.utility == pytest.approx(max(every), abs=1e-14)
    assert every[stop.rank] == pytest.approx(max(every), abs=1e-14)
    assert stop.utility_of_all == pytest.approx(every[-1], abs=1e-14)


def test_a_list_with_nothing_to_find_is_best_not_started() -> None:
    """Rank 0, utility 0."""
    (stop,) = stops({"1": {"a": {"d": 1}}}, {"1": ["x", "y"]}, "RBU")
    assert (stop.rank, stop.utility, stop.length) == (0, 0.0, 2) and stop.utility_of_all < 0
    assert mean_stop([stop], "run").topic == "all"


def test_a_metric_without_effort_cannot_tell_where_to_stop() -> None:
    """AP is refused with a reason."""
    with pytest.raises(UsageError, match=wording("needs a metric with effort")):
        stops({"1": {"a": {"d": 1}}}, {"1": ["d"]}, "AP")
