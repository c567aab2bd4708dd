"""Exact algebra for proofs: quotients of polynomials, and comparisons of them.

A symbolic run of a metric yields a `Term`; each comparison on the way is a `Condition`. Both turn into solver queries,
into readable text, or into a rational once their symbols have values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from operator import eq, le, lt, ne
from typing import Any

import numpy as np

from diveval.exact.logs import certify_sign
from diveval.exact.poly import ONE, UNIT, Monomial, Poly, divide, find_common, without
from diveval.exact.value_only import NotExact, ValueOnly, current_run
from diveval.metrics.numbers import exactly

__all__ = ["Condition", "Monomial", "Poly", "Term", "Truth", "settle"]


class Term(ValueOnly):
    """A quotient of polynomials that behaves like a number; comparing it gives a `Condition`, or a plain bool."""

    __slots__ = ("den", "num")

    def __init__(self, num: Poly, den: Poly | None = None) -> None:
        self.num = num
        self.den = den if den is not None else UNIT

    @classmethod
    def of(cls, value: Any) -> Term:
        """A term from a number; a float means the decimal a person wrote."""
        if isinstance(value, Term):
            return value
        if type(value) is int:
            return _whole(value)
        return cls(Poly.constant(value if type(value) is Fraction else exactly(value)))

    @classmethod
    def symbol(cls, name: str) -> Term:
        return cls(Poly.symbol(name))

    @classmethod
    def inverse(cls, name: str) -> Term:
        """1 / symbol: dividing by it multiplies by the symbol, and stays a polynomial."""
        return cls(UNIT, Poly.symbol(name))

    def __add__(self, other: Any) -> Any:
        o = other if type(other) is Term else _lift(other)
        if o is None:
            return NotImplemented
        if self.den is o.den or self.den == o.den:
            return Term(self.num + o.num, self.den)
        return Term(self.num * o.den + o.num * self.den, self.den * o.den)

    __radd__ = __add__

    def __neg__(self) -> Term:
        return Term(-self.num, self.den)

    def __pos__(self) -> Term:
        return self

    def __sub__(self, other: Any) -> Any:
        o = other if type(other) is Term else _lift(other)
        if o is None:
            return NotImplemented
        if self.den is o.den or self.den == o.den:
            return Term(self.num - o.num, self.den)
        return Term(self.num * o.den - o.num * self.den, self.den * o.den)

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other

    def __mul__(self, other: Any) -> Any:
        o = other if type(other) is Term else _lift(other)
        if o is None:
            return NotImplemented
        if self.den is UNIT is o.den:
            return Term(self.num * o.num)
        return _reduce(self.num * o.num, self.den * o.den)

    __rmul__ = __mul__

    @property
    def vanishes(self) -> bool:
        """Whether it is 0 whatever its symbols are."""
        return not self.num.terms

    def __truediv__(self, other: Any) -> Any:
        o = _lift(other)
        if o is None:
            return NotImplemented
        if o.vanishes:
            raise ZeroDivisionError("the metric divides by zero")
        return _reduce(self.num * o.den, self.den * o.num)

    def __rtruediv__(self, other: Any) -> Any:
        o = _lift(other)
        return NotImplemented if o is None else o / self

    def __pow__(self, power: Any) -> Any:
        exponent = exactly(power) if isinstance(power, (int, float, Fraction)) else None
        if exponent is None or exponent.denominator != 1:
            raise NotExact(f"a power of {power!r} has no exact form")
        base = self if exponent >= 0 else 1 / self
        out = Term.of(1)
        for _ in range(abs(int(exponent))):
            out = out * base
        return out

    def __abs__(self) -> Term:
        return -self if self < 0 else self

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __hash__(self) -> int:
        """A set looks for equal values by their hash alone, so a symbol that may equal others must not have one."""
        value = self._value
        if value is None and current_run() is not None:
            self._require_value("puts relevance into a set or a dictionary")
        return hash((self.num, self.den)) if value is None else hash(value)

    @property
    def _value(self) -> Fraction | None:
        return self.num.value if self.den == UNIT else None

    def __lt__(self, other: Any) -> Any:
        return _compare(self, other, "<")

    def __le__(self, other: Any) -> Any:
        return _compare(self, other, "<=")

    def __gt__(self, other: Any) -> Any:
        return _compare(Term.of(other), self, "<")

    def __ge__(self, other: Any) -> Any:
        return _compare(Term.of(other), self, "<=")

    def __eq__(self, other: object) -> Any:
        return _compare(self, other, "==") if _lift(other) is not None else False

    def __ne__(self, other: object) -> Any:
        return _compare(self, other, "!=") if _lift(other) is not None else True

    def signed(self) -> Poly:
        """A polynomial of the same sign."""
        return self.num if self.den == UNIT else self.num * self.den

    def at(self, values: Mapping[str, Fraction]) -> Term:
        """The same with some symbols replaced by rationals."""
        num, den = self.num.at(values), self.den.at(values)
        return self if num is self.num and den is self.den else _reduce(num, den)

    def __repr__(self) -> str:
        return str(self.num) if self.den == UNIT else f"({self.num}) / ({self.den})"


class Condition:
    """`poly op 0`, with op one of < <= == !=; asking for its truth makes the run fork (see `paths`)."""

    __slots__ = ("op", "poly", "smt")

    def __init__(self, poly: Poly, op: str) -> None:
        self.poly, self.op = poly, op
        self.smt: str | None = None  # its text in SMT-LIB, once the solver has needed it

    def negate(self) -> Condition:
        if self.op == "<":
            return Condition(-self.poly, "<=")
        if self.op == "<=":
            return Condition(-self.poly, "<")
        return Condition(self.poly, "!=" if self.op == "==" else "==")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and self.op == other.op and self.poly == other.poly

    def __hash__(self) -> int:
        return hash((self.poly, self.op))

    def __bool__(self) -> bool:
        if (run := current_run()) is None:
            raise NotExact(f"nothing is known that decides whether {self}")
        return run.decide(self)

    def at(self, values: Mapping[str, Fraction]) -> Condition | bool:
        return settle(self.poly.at(values), self.op)

    def __repr__(self) -> str:
        return f"{self.poly} {self.op} 0"

    def __str__(self) -> str:
        """Readable text with the constant on the right: `1 − α − e ≤ 0` reads `α + e ≥ 1`."""
        poly, sign = -self.poly, {"<": ">", "<=": "≥", "==": "=", "!=": "≠"}[self.op]
        constant = poly.terms.get(ONE, Fraction(0))
        rest = poly - Poly.constant(constant)
        if rest.terms and all(c < 0 for c in rest.terms.values()):
            rest, constant, sign = -rest, -constant, {">": "<", "≥": "≤"}.get(sign, sign)
        return f"{rest} {sign} {-constant}"


Truth = Condition | bool


def settle(poly: Poly, op: str) -> Truth:
    """A bool where the sign is known for certain (no symbols, or only logarithms), else a condition."""
    sign = certify_sign(poly.terms)
    if sign is None:
        return Condition(poly, op)
    return {"<": sign < 0, "<=": sign <= 0, "==": sign == 0, "!=": sign != 0}[op]


def _compare(left: Any, right: Any, op: str) -> Truth:
    a = left if type(left) is Term else _lift(left)
    b = right if type(right) is Term else _lift(right)
    assert a is not None and b is not None
    if a.den is UNIT is b.den and not a.num.symbols and not b.num.symbols:
        # Two numbers: a search for counterexamples compares thousands of them.
        return bool(_MEANS[op](a.num.terms.get(ONE, 0), b.num.terms.get(ONE, 0)))
    return settle((a - b).signed(), op)


_MEANS: dict[str, Callable[[Any, Any], Any]] = {"<": lt, "<=": le, "==": eq, "!=": ne}


@lru_cache(maxsize=1024)
def _whole(value: int) -> Term:
    """An integer as a term. Metrics use few of them, again and again."""
    return Term(Poly.constant(value) if value != 1 else UNIT)


def _lift(value: Any) -> Term | None:
    if isinstance(value, Term):
        return value
    return Term.of(value) if isinstance(value, (int, float, Fraction, np.generic)) else None


def _reduce(num: Poly, den: Poly) -> Term:
    """Keep quotients small: a rational denominator goes into the numerator, shared symbols cancel."""
    if den is UNIT or den == UNIT:
        return Term(num)
    value = den.value
    if value is not None:
        return Term(Poly({m: divide(c, value) for m, c in num.terms.items()}))
    if len(den.terms) == 1 and num.terms:
        ((monomial, coefficient),) = den.terms.items()
        shared = find_common(dict(monomial), num.terms)
        num = Poly({without(m, shared): divide(c, coefficient) for m, c in num.terms.items()})
        rest = without(monomial, shared)
        return Term(num, Poly({rest: 1})) if rest else Term(num)
    return Term(num, den) if num.terms else Term(num)
