"""Differences that doubles cannot tell from rounding, once more with sixty digits."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from diveval.metrics.formulas import Formula
from diveval.metrics.metric import UserFormula
from diveval.metrics.numbers import Number, Numbers, exactly
from diveval.metrics.ranking import Ranking
from diveval.stats.ties import TOLERANCE
from diveval.violations.situations import Changes, TopicLists, Whole

DIGITS = 60
NOTHING = Decimal(10) ** -40  # relative to the scores: what is left of a tie after sixty digits
LARGEST = 10**6  # a double next to a fraction with a smaller denominator means that fraction: 1/3, 7/8, 0.99
Floats = NDArray[np.float64]


class Decimals(Numbers):
    """Decimals of the precision in force."""

    def of(self, value: Number) -> Decimal:
        return value if isinstance(value, Decimal) else meant(value)

    def positive(self, value: Number) -> Decimal:
        return Decimal(1 if value > 0 else 0)

    def below(self, value: Number, limit: Number) -> Decimal:
        return Decimal(1 if value < self.of(limit) else 0)

    def largest(self, values: Sequence[Number]) -> Decimal:
        return Decimal(max(values))

    def inverse_log(self, argument: int) -> Decimal:
        return _inverse_log(argument)


@lru_cache(maxsize=10_000)
def meant(value: float | Fraction) -> Decimal:
    """The number a double stands for: the simple fraction next to it, else the decimal it prints as."""
    simple = Fraction(value).limit_denominator(LARGEST)
    number = simple if float(simple) == value else exactly(value)
    with localcontext() as context:
        context.prec = DIGITS
        return Decimal(number.numerator) / Decimal(number.denominator)


@lru_cache(maxsize=10_000)
def _inverse_log(argument: int) -> Decimal:
    with localcontext() as context:
        context.prec = DIGITS
        return Decimal(2).ln() / Decimal(argument).ln()


def gains(formula: Formula, lists: TopicLists, changes: Changes, better: Floats, worse: Floats) -> Floats:
    """By how much each change raises the score: 0 where it is a tie, however doubles were rounded.

    Of a function of one's own a difference within rounding counts as none.
    """
    out = np.asarray(better - worse)
    noise = TOLERANCE * np.maximum(np.abs(better), np.abs(worse))
    doubtful = np.flatnonzero((np.abs(out) <= noise) & (out != 0))
    if isinstance(formula, UserFormula):
        out[doubtful] = 0.0
        return out
    with localcontext() as context:
        context.prec = DIGITS
        for at in doubtful.tolist():
            high = _score(formula, lists, changes.better[at], int(changes.better_lengths[at]))
            low = _score(formula, lists, changes.worse[at], int(changes.worse_lengths[at]))
            tie = abs(high - low) <= NOTHING * max(abs(high), abs(low))
            out[at] = 0.0 if tie else float(high - low)
    return out


def _score(formula: Formula, lists: TopicLists, columns: Whole, length: int) -> Decimal:
    rows, pool = lists.values[:, columns[:length]].T.tolist(), lists.values[:, :-1].T.tolist()
    ranking = Ranking.of(rows, weights=lists.weights.tolist(), pool=pool, numbers=Decimals())
    return Decimal(formula.exact(ranking))
