"""The operations beyond + − × ÷ that metrics need, so that one declaration works on any kind of number.

Floats are for scoring, `Fraction`s for exact decisions, solver terms for proofs; each kind implements the same five
operations. The kinds that only proofs need are in `diveval.axioms`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any

Number = Any  # float, Fraction, or a solver's term: the values of the Numbers in use


class Numbers(ABC):
    """One kind of number."""

    @abstractmethod
    def of(self, value: Number) -> Number:
        """A parameter or constant as a number of this kind; a float means the decimal that it prints as."""

    @abstractmethod
    def positive(self, value: Number) -> Number:
        """1 where the value is above 0, else 0: the paper's b = [r > 0]."""

    @abstractmethod
    def below(self, value: Number, limit: Number) -> Number:
        """1 where value < limit, else 0."""

    @abstractmethod
    def largest(self, values: Sequence[Number]) -> Number:
        """The maximum of a non-empty sequence."""

    @abstractmethod
    def inverse_log(self, argument: int) -> Number:
        """1 / log2(argument), for an integer argument of at least 2."""


class Floats(Numbers):
    """Doubles."""

    def of(self, value: Number) -> float:
        return float(value)

    def positive(self, value: Number) -> float:
        return 1.0 if value > 0 else 0.0

    def below(self, value: Number, limit: Number) -> float:
        return 1.0 if value < limit else 0.0

    def largest(self, values: Sequence[Number]) -> float:
        return float(max(values))

    def inverse_log(self, argument: int) -> float:
        return 1.0 / math.log2(argument)


def exactly(value: Number) -> Fraction:
    """The rational that a number is written as: 0.05 is 1/20, not the nearest double."""
    if type(value) is Fraction:
        return value
    # float() first: numpy's doubles are floats too, but their repr is np.float64(0.05).
    return Fraction(repr(float(value))) if isinstance(value, float) else Fraction(_plain(value))


def _plain(value: Number) -> Number:
    """numpy's integers as Python's: a Fraction of numpy integers cannot be hashed."""
    return value.__index__() if hasattr(value, "__index__") else value


def is_zero(value: Number) -> bool:
    """Whether a value is certainly 0; False for a solver's term that may or may not be zero."""
    return value == 0 if isinstance(value, (Real, Decimal)) else bool(getattr(value, "vanishes", False))
