"""Every metric of ours in doubles against exact rational arithmetic, down to rank 1,000 with p = 0.99."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

import diveval
from diveval.metrics import Ranking, parse
from diveval.metrics.catalogue import OWN
from laws.test_interpreters import Fractions
from support.shared import THOROUGH, times
from support.small import Small

CLOSE = Fraction(1, 10**12)
DEPTHS = (1, 37, 250, 1000) if THOROUGH else (37, 1000)
JUDGED = times(16, 40)  # documents; the search for the exact ideal of nRBU takes most of the time


def named(entry: Any) -> Any:
    """A metric with p = 0.99 where it has a p, and without a cutoff: every rank counts."""
    given = {"p": 0.99} if any(parameter.name == "p" for parameter in entry.parameters) else {}
    return entry.metric(given, None).name


NAMES = [named(entry) for entry in OWN if entry.name != "Judged"]


def random_topic(seed: int, depth: int) -> Small:
    """A topic of four aspects and a few judged documents, shuffled into a ranking of that depth."""
    rng = random.Random(seed)
    relevance = {f"d{i:03d}": [Fraction(rng.choice((0, 0, 0, 1, 2, 3)), 4) for _ in range(4)] for i in range(JUDGED)}
    relevance["d000"][0] = Fraction(1, 2)
    ranking = rng.sample([*relevance, *(f"u{i:04d}" for i in range(1000))], depth)
    return Small(relevance, [Fraction(rng.randint(1, 9)) for _ in range(4)], ranking)


@pytest.mark.filterwarnings("ignore:.*proven:diveval.errors.DivevalWarning")
@pytest.mark.parametrize("depth", DEPTHS)
def test_every_metric_is_within_1e_12_of_exact_arithmetic(depth: Any) -> None:
    """On random rankings of any depth no value differs from the exact one by 1e-12 or more."""
    for seed in range(times(1, 4)):
        small = random_topic(1000 * depth + seed, depth)
        scores = diveval.evaluate(small.judgments(), small.run(), NAMES, gain="identity", weights=small.weight_map())
        ranking = Ranking.of(small.rows(), weights=small.exact_weights(), pool=small.pool(), numbers=Fractions())
        for m, name in enumerate(scores.metrics):
            exact = parse(name).exact(ranking)
            assert abs(Fraction(float(scores.values[0, m, 0])) - exact) < CLOSE, f"{name}, seed {seed}"
