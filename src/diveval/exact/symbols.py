"""The kinds of numbers that proofs run on: symbols, and exact values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from diveval.exact.logs import bounds, root
from diveval.exact.polynomials import Term
from diveval.metrics.algebra import Discount
from diveval.metrics.numbers import Number, Numbers, exactly


class Symbols(Numbers):
    """Terms over named symbols. A comparison that depends on a symbol makes the run fork."""

    def of(self, value: Number) -> Term:
        return Term.of(value)

    def positive(self, value: Number) -> Term:
        return Term.of(1 if Term.of(value) > 0 else 0)

    def below(self, value: Number, limit: Number) -> Term:
        return Term.of(1 if Term.of(value) < limit else 0)

    def largest(self, values: Sequence[Number]) -> Term:
        best = Term.of(values[0])
        for value in values[1:]:
            best = max(best, Term.of(value))
        return best

    def inverse_log(self, argument: int) -> Term:
        return _inverse_log(argument)


class Exacts(Numbers):
    """Plain fractions, and beside them logarithms as exact linear forms: the second opinion on every counterexample."""

    def of(self, value: Number) -> Number:
        return value if isinstance(value, Term) else exactly(value)

    def positive(self, value: Number) -> Number:
        return self.of(1 if value > 0 else 0)

    def below(self, value: Number, limit: Number) -> Number:
        return self.of(1 if value < limit else 0)

    def largest(self, values: Sequence[Number]) -> Number:
        return max(values)

    def inverse_log(self, argument: int) -> Number:
        base, power = root(argument)
        return self.of(Fraction(1, power)) if base == 2 else _inverse_log(argument)


@cache
def _inverse_log(argument: int) -> Term:
    """1/log2 as a term: of b^c it is the symbol of b over c."""
    base, power = root(argument)
    value: Term = (Term.of(1) if base == 2 else Term.symbol(f"L{base}")) / power
    return value


@dataclass(frozen=True)
class Abstract(Discount):
    """Any positive, falling, strictly convex discount: one proof for the logarithm, 1/i and p^i alike."""

    def at(self, rank: int, numbers: Numbers) -> Number:
        return Term.symbol(f"D{rank}")


def decimal(value: Any, digits: int = 6) -> str:
    """A score in decimals, rounded from certified bounds."""
    term = Term.of(value)
    number = term.num.value
    if number is not None and term.den.value == 1:
        return round_text(number, digits)
    corners = [a / b for a in bounds(term.num.terms, 40) for b in bounds(term.den.terms, 40)]
    return round_text((min(corners) + max(corners)) / 2, digits)


def round_text(value: Fraction, digits: int) -> str:
    """A fraction in so many decimals, without trailing zeros."""
    scaled = round(value * 10**digits)
    sign = "-" if scaled < 0 else ""
    whole, rest = divmod(abs(scaled), 10**digits)
    text = f"{sign}{whole}.{rest:0{digits}d}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
