"""Exact algebra for proofs: polynomials over the rationals, their quotients, and comparisons that remember themselves.

A symbolic run of a metric yields a `Term`; what it compared on the way is a `Condition`. Both turn into solver queries,
into text for people, or into a rational once their symbols have values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import Any

import numpy as np

from diveval.axioms.arithmetic.logs import certified_sign, symbol_text
from diveval.axioms.arithmetic.opaque import NotExact, Opaque, innermost
from diveval.metrics.numbers import exactly

Monomial = tuple[tuple[str, int], ...]
_ONE: Monomial = ()


class Poly:
    """A polynomial: monomials to non-zero rational coefficients."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: Mapping[Monomial, Fraction]) -> None:
        self.terms = {m: c for m, c in terms.items() if c}
        self._hash: int | None = None

    @classmethod
    def constant(cls, value: Fraction | int) -> Poly:
        return cls({_ONE: Fraction(value)})

    @classmethod
    def symbol(cls, name: str) -> Poly:
        return cls({((name, 1),): Fraction(1)})

    # Most of a proof's time passes here, so fractions are made only where they are needed: nothing is added to 0 or
    # multiplied by the unit, which most denominators are.
    def __add__(self, other: Poly) -> Poly:
        out = dict(self.terms)
        for m, c in other.terms.items():
            out[m] = out[m] + c if m in out else c
        return Poly(out)

    def __neg__(self) -> Poly:
        return Poly({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Poly) -> Poly:
        return self + (-other)

    def __mul__(self, other: Poly) -> Poly:
        if self is _UNIT or other is _UNIT:
            return other if self is _UNIT else self
        out: dict[Monomial, Fraction] = {}
        for m, c in self.terms.items():
            for k, d in other.terms.items():
                product = _times(m, k)
                out[product] = out[product] + c * d if product in out else c * d
        return Poly(out)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Poly) and self.terms == other.terms)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    @property
    def symbols(self) -> set[str]:
        """The names that occur."""
        return {name for m in self.terms for name, _ in m}

    @property
    def value(self) -> Fraction | None:
        """The rational this is, or None when a symbol occurs."""
        return self.terms.get(_ONE, Fraction(0)) if self.terms.keys() <= {_ONE} else None

    def at(self, values: Mapping[str, Fraction]) -> Poly:
        """The same with some symbols replaced by rationals."""
        out: dict[Monomial, Fraction] = {}
        for m, c in self.terms.items():
            kept = tuple(pair for pair in m if pair[0] not in values)
            value = c
            for name, power in m:
                if name in values:
                    value = value * values[name] ** power
            out[kept] = out[kept] + value if kept in out else value
        return Poly(out)

    def by_power(self, name: str) -> dict[int, Poly]:
        """The coefficients of this as a polynomial in one symbol, by exponent."""
        out: dict[int, dict[Monomial, Fraction]] = {}
        for m, c in self.terms.items():
            power = dict(m).get(name, 0)
            rest = tuple(pair for pair in m if pair[0] != name)
            out.setdefault(power, {})[rest] = c
        return {power: Poly(terms) for power, terms in out.items()}

    def lowest(self, name: str) -> Poly:
        """The leading coefficient as the symbol goes to 0."""
        parts = self.by_power(name)
        return parts[min(parts)] if parts else self

    def without_positive_factors(self, positive: Callable[[str], bool]) -> Poly:
        """Divide by the content and by every positive symbol that all monomials share: the sign stays."""
        if not self.terms:
            return self
        shared = _shared({name: power for name, power in next(iter(self.terms)) if positive(name)}, self.terms)
        content = _content(self.terms.values())
        return Poly({_less(m, shared): c / content for m, c in self.terms.items()})

    def without_complement(self, name: str) -> Poly:
        """Divide by 1 − x as often as it goes: for 0 < x < 1 the sign stays."""
        poly = self
        while poly.terms and not poly.at({name: Fraction(1)}).terms:
            rest = poly.by_power(name)
            quotient = running = Poly({})
            for power in range(max(rest)):
                running = running + rest.get(power, Poly({}))
                quotient = quotient + running * _power(name, power)
            poly = quotient
        return poly

    def __str__(self) -> str:
        """Highest total degree last, coefficients as fractions: `p² + p³ − 1` reads `−1 + p² + p³`."""
        if not self.terms:
            return "0"
        pieces = []
        ordered = sorted(self.terms.items(), key=lambda item: (sum(p for _, p in item[0]), item[0]))
        ordered.sort(key=lambda item: item[1] < 0)  # positive terms first: a difference then reads as one
        for m, c in ordered:
            factors = [symbol_text(n) + (str(p).translate(_DIGITS) if p > 1 else "") for n, p in m]
            size = abs(c)
            body = "·".join(([str(size)] if size != 1 or not factors else []) + factors)
            pieces.append(("− " if c < 0 else "+ ") + body)
        text = " ".join(pieces)
        return text[2:] if text.startswith("+ ") else "−" + text[2:]


def _power(name: str, power: int) -> Poly:
    return Poly({((name, power),) if power else _ONE: Fraction(1)})


def _times(a: Monomial, b: Monomial) -> Monomial:
    if not a or not b:
        return a or b
    powers = dict(a)
    for name, power in b:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted(powers.items()))


def _shared(powers: dict[str, int], monomials: Iterable[Monomial]) -> dict[str, int]:
    """The symbols that all monomials have, each to its lowest power."""
    for m in monomials:
        own = dict(m)
        powers = {name: min(power, own[name]) for name, power in powers.items() if name in own}
    return powers


def _less(m: Monomial, shared: Mapping[str, int]) -> Monomial:
    return tuple((name, power - shared.get(name, 0)) for name, power in m if power > shared.get(name, 0))


def _content(coefficients: Iterable[Fraction]) -> Fraction:
    numerators = denominators = 0
    for c in coefficients:
        numerators = gcd(numerators, c.numerator)
        denominators = lcm(denominators or 1, c.denominator)
    return Fraction(numerators, denominators)


_DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Term(Opaque):
    """A quotient of polynomials that behaves like a number; comparing it gives a `Condition`, or a plain bool."""

    __slots__ = ("den", "num")

    def __init__(self, num: Poly, den: Poly | None = None) -> None:
        self.num = num
        self.den = den if den is not None else _UNIT

    @classmethod
    def of(cls, value: Any) -> Term:
        """A term from a number; a float means the decimal a person wrote."""
        if isinstance(value, Term):
            return value
        if type(value) is int:
            return _whole(value)
        return cls(Poly({_ONE: value if type(value) is Fraction else exactly(value)}))

    @classmethod
    def symbol(cls, name: str) -> Term:
        return cls(Poly.symbol(name))

    @classmethod
    def inverse(cls, name: str) -> Term:
        """1 / symbol: dividing by it multiplies by the symbol, and stays a polynomial."""
        return cls(_UNIT, Poly.symbol(name))

    def __add__(self, other: Any) -> Any:
        o = _lift(other)
        if o is None:
            return NotImplemented
        if self.den == o.den:
            return Term(self.num + o.num, self.den)
        return Term(self.num * o.den + o.num * self.den, self.den * o.den)

    __radd__ = __add__

    def __neg__(self) -> Term:
        return Term(-self.num, self.den)

    def __pos__(self) -> Term:
        return self

    def __sub__(self, other: Any) -> Any:
        o = _lift(other)
        return NotImplemented if o is None else self + (-o)

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other

    def __mul__(self, other: Any) -> Any:
        o = _lift(other)
        return NotImplemented if o is None else _reduced(self.num * o.num, self.den * o.den)

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
        return _reduced(self.num * o.den, self.den * o.num)

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
        if value is None and innermost() is not None:
            self._known("puts relevance into a set or a dictionary")
        return hash((self.num, self.den)) if value is None else hash(value)

    @property
    def _value(self) -> Fraction | None:
        return self.num.value if self.den == _UNIT else None

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
        return self.num if self.den == _UNIT else self.num * self.den

    def at(self, values: Mapping[str, Fraction]) -> Term:
        """The same with some symbols replaced by rationals."""
        return _reduced(self.num.at(values), self.den.at(values))

    def __repr__(self) -> str:
        return str(self.num) if self.den == _UNIT else f"({self.num}) / ({self.den})"


class Condition:
    """`poly op 0`, with op one of < <= == !=; asking for its truth makes the run fork (see `paths`)."""

    __slots__ = ("op", "poly")

    def __init__(self, poly: Poly, op: str) -> None:
        self.poly, self.op = poly, op

    def negated(self) -> Condition:
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
        if (run := innermost()) is None:
            raise NotExact(f"nothing is known that decides whether {self}")
        return run.decide(self)

    def at(self, values: Mapping[str, Fraction]) -> Condition | bool:
        return settle(self.poly.at(values), self.op)

    def __repr__(self) -> str:
        return f"{self.poly} {self.op} 0"

    def __str__(self) -> str:
        """For people, the constant on the right: `1 − α − e ≤ 0` reads `α + e ≥ 1`."""
        poly, sign = -self.poly, {"<": ">", "<=": "≥", "==": "=", "!=": "≠"}[self.op]
        constant = poly.terms.get(_ONE, Fraction(0))
        rest = poly - Poly.constant(constant)
        if rest.terms and all(c < 0 for c in rest.terms.values()):
            rest, constant, sign = -rest, -constant, {">": "<", "≥": "≤"}.get(sign, sign)
        return f"{rest} {sign} {-constant}"


Truth = Condition | bool
_UNIT = Poly.constant(1)


def settle(poly: Poly, op: str) -> Truth:
    """A bool where the sign is known for certain (no symbols, or only logarithms), else a condition."""
    sign = certified_sign(poly.terms)
    if sign is None:
        return Condition(poly, op)
    return {"<": sign < 0, "<=": sign <= 0, "==": sign == 0, "!=": sign != 0}[op]


def _compare(left: Any, right: Any, op: str) -> Truth:
    difference = _lift(left) - _lift(right)  # type: ignore[operator]
    return settle(difference.signed(), op)


@lru_cache(maxsize=1024)
def _whole(value: int) -> Term:
    """A whole number as a term: the few that metrics use are asked for again and again."""
    return Term(Poly.constant(value) if value != 1 else _UNIT)


def _lift(value: Any) -> Term | None:
    if isinstance(value, Term):
        return value
    return Term.of(value) if isinstance(value, (int, float, Fraction, np.generic)) else None


def _reduced(num: Poly, den: Poly) -> Term:
    """Keep quotients small: a rational denominator goes into the numerator, shared symbols cancel."""
    if den == _UNIT:
        return Term(num)
    value = den.value
    if value is not None:
        return Term(Poly({m: c / value for m, c in num.terms.items()}))
    if len(den.terms) == 1 and num.terms:
        ((monomial, coefficient),) = den.terms.items()
        shared = _shared(dict(monomial), num.terms)
        num = Poly({_less(m, shared): c / coefficient for m, c in num.terms.items()})
        return Term(num, Poly({_less(monomial, shared): Fraction(1)}))
    return Term(num, den) if num.terms else Term(num)
