"""The two interpreters of a declaration, on arrays of doubles and on single numbers of any type, agree."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings

import diveval
from diveval.metrics import Ranking, parse
from diveval.metrics.catalogue import OWN
from diveval.metrics.numbers import Floats, Numbers, exactly
from support.shared import times
from support.small import Small, small_collections


class Fractions(Numbers):
    """Exact rationals, with logarithms replaced by the nearest double."""

    def of(self, value: Any) -> Any:
        return exactly(value)

    def positive(self, value: Any) -> Any:
        return Fraction(int(value > 0))

    def below(self, value: Any, limit: Any) -> Any:
        return Fraction(int(value < limit))

    def largest(self, values: Any) -> Any:
        return max(values)

    def inverse_log(self, argument: Any) -> Any:
        return Fraction(1 / math.log2(argument))


NAMES = [entry.metric({}, cutoff).name for entry in OWN if entry.name != "Judged" for cutoff in (None, 3)] + [
    "SRR(coverage=0.5)",
    "CT(alpha=0.25,limit=0.5)@5",
    "RBU(p=1,e=0)",
    "RBU(p=0.5,e=0.2,scale=evall)@4",
    "NRBP(alpha=1)",
    "RBU(novelty=best)@4",
    "StRecall(weights=given)@3",
]


@pytest.mark.slow
@pytest.mark.parametrize("numbers", [Floats(), Fractions()], ids=["floats", "fractions"])
@settings(max_examples=40, deadline=None)
@given(small=small_collections())
def test_both_interpreters_agree_on_every_metric(small: Any, numbers: Any) -> None:
    """For every metric of the catalogue, the vectorised value equals the generic value within rounding."""
    scores = diveval.evaluate(small.judgments(), small.run(), NAMES, gain="identity", weights=small.weight_map())
    ranking = Ranking.of(small.rows(), weights=small.exact_weights(), pool=small.pool(), numbers=numbers)
    for m, name in enumerate(scores.metrics):
        expected = float(parse(name).exact(ranking))
        assert scores.values[0, m, 0] == pytest.approx(expected, rel=1e-12, abs=1e-13), name


@pytest.mark.slow
@settings(max_examples=times(4, 10), deadline=None)
@given(small=small_collections())
def test_scores_of_deep_rankings_stay_within_1e_12_of_exact_arithmetic(small: Any) -> None:
    """RBU with p = 0.99 down to rank 1,000 is within 1e-12 of exact rational evaluation."""
    unjudged = [f"x{i:04d}" for i in range(1000 - len(small.ranking))]
    deep = Small(small.relevance, small.weights, [*unjudged[:490], *small.ranking, *unjudged[490:]])
    scores = diveval.evaluate(
        deep.judgments(), deep.run(), "RBU(p=0.99,e=0.05)", gain="identity", weights=deep.weight_map()
    )
    ranking = Ranking.of(deep.rows(), weights=deep.exact_weights(), pool=deep.pool(), numbers=Fractions())
    assert abs(Fraction(float(scores.values[0, 0, 0])) - parse("RBU(p=0.99,e=0.05)").exact(ranking)) < Fraction(
        1, 10**12
    )
