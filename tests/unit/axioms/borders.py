"""Compositions at the borders of their parameters and of their cutoffs, as further targets of the attack."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product
from typing import Any

from diveval.metrics.algebra import Always, Aspects, Cascade, Decay, Flat, Geometric, GlobalGain, Log, Reciprocal
from diveval.metrics.columnwise import NormalisedDCG, PerChannel, Precision, ReciprocalRank
from diveval.metrics.formulas import Formula, Normalised, Sum
from diveval.metrics.subtopics import Blend, SubtopicRecall
from unit.axioms.targets import Target, constant

CUTOFFS = (None, 1, 2, 3)
DISCOUNTS = (Log(), Reciprocal(), Flat(), Geometric(F(1, 2)), Geometric(F(99, 100)), Geometric(1))
NOVELTIES = (Always(), Cascade(), Decay(0), Decay(F(1, 2)), Decay(1), Decay(0, F(1)))


def _formulas() -> Iterator[Formula]:
    sums = [Sum(Aspects(), d, n, e) for d, n, e in product(DISCOUNTS, NOVELTIES, (0, F(1, 20)))]
    yield from sums
    yield from (Normalised(Sum(Aspects(), d, n)) for d, n in product(DISCOUNTS[:4], NOVELTIES[:5]))
    bases = [PerChannel(base) for base in (Precision(), ReciprocalRank(), NormalisedDCG())]
    seconds = [*sums[:4], Sum(Aspects(), Reciprocal(), Cascade()), Normalised(Sum(GlobalGain(), Log())), *bases]
    yield from bases
    yield from (Blend(share, SubtopicRecall(), second) for share, second in product((0, F(1, 2), 1), seconds))


def border_targets() -> list[Target]:
    """Every formula at every cutoff."""
    cut: Iterator[tuple[Formula, Any]] = ((formula.at(k), k) for formula, k in product(_formulas(), CUTOFFS))
    return [Target(f"border {i}", formula, constant(formula), (), k, "borders") for i, (formula, k) in enumerate(cut)]


def sample(count: int, seed: str) -> list[Target]:
    """Some of them, the same ones every time."""
    return random.Random(seed).sample(border_targets(), count)
