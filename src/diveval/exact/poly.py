"""Immutable polynomials over the rationals: what proofs add, multiply and compare."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from diveval.exact.logs import symbol_text

Monomial = tuple[tuple[str, int], ...]
# Whole coefficients are integers, which Python adds and multiplies ten times as fast as fractions. What divides one
# coefficient by another goes through `divide`: Python's own quotient of two integers is a float.
Coefficient = Fraction | int
ONE: Monomial = ()


class Poly:
    """A polynomial: monomials to non-zero rational coefficients. Immutable, so its hash and symbols are kept."""

    __slots__ = ("_hash", "_symbols", "terms")

    def __init__(self, terms: Mapping[Monomial, Coefficient]) -> None:
        self.terms: dict[Monomial, Coefficient] = {m: c for m, c in terms.items() if c}
        self._hash: int | None = None
        self._symbols: frozenset[str] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # The hash depends on the process, since that of a string does: a copy in another process makes its own.
        return _rebuild, (self.terms,)

    @classmethod
    def constant(cls, value: Fraction | int) -> Poly:
        return _make_unchecked({ONE: _whole_or_not(value)} if value else {})

    @classmethod
    def symbol(cls, name: str) -> Poly:
        return _make_unchecked({((name, 1),): 1})

    # Proofs spend most of their time here: hence the shortcuts for 0, for the unit (most denominators) and for single
    # terms. Monomials stay in the order in which they arise, since queries and certificates are written in that order.
    def __add__(self, other: Poly) -> Poly:
        if not self.terms or not other.terms:
            return self if self.terms else other
        out = dict(self.terms)
        for m, c in other.terms.items():
            if m not in out:
                out[m] = c
            elif total := out[m] + c:
                out[m] = total
            else:
                del out[m]
        return _make_unchecked(out)

    def __neg__(self) -> Poly:
        return _make_unchecked({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Poly) -> Poly:
        if not other.terms:
            return self
        out = dict(self.terms)
        for m, c in other.terms.items():
            if m not in out:
                out[m] = -c
            elif total := out[m] - c:
                out[m] = total
            else:
                del out[m]
        return _make_unchecked(out)

    def __mul__(self, other: Poly) -> Poly:
        if self is UNIT or other is UNIT:
            return other if self is UNIT else self
        if len(self.terms) == 1:
            return _scale(self, other)
        if len(other.terms) == 1:
            return _scale(other, self)
        out: dict[Monomial, Coefficient] = {}
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
    def symbols(self) -> frozenset[str]:
        """The names that occur."""
        if self._symbols is None:
            self._symbols = frozenset([name for m in self.terms for name, _ in m])
        return self._symbols

    @property
    def value(self) -> Fraction | None:
        """The rational this is, or None when a symbol occurs."""
        if not self.terms:
            return Fraction(0)
        if len(self.terms) > 1 or ONE not in self.terms:
            return None
        constant = self.terms[ONE]
        return constant if isinstance(constant, Fraction) else Fraction(constant)

    def at(self, values: Mapping[str, Fraction], powers: dict[tuple[str, int], Fraction] | None = None) -> Poly:
        """The same with some symbols replaced by rationals; `powers` is a cache for many polynomials at one point."""
        if self.symbols.isdisjoint(values):
            return self
        powers = {} if powers is None else powers
        out: dict[Monomial, Coefficient] = {}
        for m, c in self.terms.items():
            value, kept = c, []
            for factor in m:
                name, power = factor
                if name not in values:
                    kept.append(factor)
                    continue
                if factor not in powers:
                    powers[factor] = values[name] ** power
                value = value * powers[factor]
            rest = tuple(kept)
            out[rest] = out[rest] + value if rest in out else value
        return Poly(out)

    def by_power(self, name: str) -> dict[int, Poly]:
        """The coefficients of this as a polynomial in one symbol, by exponent."""
        out: dict[int, dict[Monomial, Coefficient]] = {}
        for m, c in self.terms.items():
            power = dict(m).get(name, 0)
            rest = tuple(pair for pair in m if pair[0] != name)
            out.setdefault(power, {})[rest] = c
        return {power: Poly(terms) for power, terms in out.items()}

    def in_one_symbol(self, name: str) -> list[Fraction]:
        """The coefficients of a polynomial that has no other symbol, lowest power first."""
        parts = self.by_power(name)
        values = [parts.get(i, Poly({})).value for i in range(max(parts, default=-1) + 1)]
        known = [value for value in values if value is not None]
        assert len(known) == len(values), "the polynomial has other symbols"
        return known

    def lowest(self, name: str) -> Poly:
        """The leading coefficient as the symbol goes to 0."""
        parts = self.by_power(name)
        return parts[min(parts)] if parts else self

    def without_positive_factors(self, positive: Callable[[str], bool]) -> Poly:
        """Divide by the content and by every positive symbol that all monomials share: the sign stays."""
        if not self.terms:
            return self
        shared = find_common({name: power for name, power in next(iter(self.terms)) if positive(name)}, self.terms)
        content = _content(self.terms.values())
        return Poly({without(m, shared): divide(c, content) for m, c in self.terms.items()})

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


def _make_unchecked(terms: dict[Monomial, Coefficient]) -> Poly:
    """A polynomial of terms that are known to have no zeros, and that no one else keeps."""
    poly = Poly.__new__(Poly)
    poly.terms = terms
    poly._hash = poly._symbols = None
    return poly


def _rebuild(terms: dict[Monomial, Coefficient]) -> Poly:
    """A polynomial that another process sent; the unit is the one of this process, which shortcuts compare with `is`."""
    return UNIT if terms == UNIT.terms else _make_unchecked(terms)


def _scale(one: Poly, many: Poly) -> Poly:
    """The product with a single term."""
    ((m, c),) = one.terms.items()
    if m:
        return _make_unchecked({_times(m, k): c * d for k, d in many.terms.items()})
    return many if c == 1 else _make_unchecked({k: c * d for k, d in many.terms.items()})


def _whole_or_not(value: Coefficient) -> Coefficient:
    """An integer where the value is one."""
    return value.numerator if value.denominator == 1 else value


def divide(a: Coefficient, b: Coefficient) -> Coefficient:
    if b == 1:
        return a
    if type(a) is type(b) is int:
        return _whole_or_not(Fraction(a, b)) if a % b else a // b
    return _whole_or_not(Fraction(a) / b)


def _power(name: str, power: int) -> Poly:
    return Poly({((name, power),) if power else ONE: 1})


def _times(a: Monomial, b: Monomial) -> Monomial:
    if not a or not b:
        return a or b
    # Symbols are in alphabetical order: where all of one monomial come before those of the other, nothing is merged.
    if a[-1][0] < b[0][0]:
        return a + b
    if b[-1][0] < a[0][0]:
        return b + a
    powers = dict(a)
    for name, power in b:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted(powers.items()))


def find_common(powers: dict[str, int], monomials: Iterable[Monomial]) -> dict[str, int]:
    """The symbols that all monomials have, each to its lowest power."""
    for m in monomials:
        own = dict(m)
        powers = {name: min(power, own[name]) for name, power in powers.items() if name in own}
    return powers


def without(m: Monomial, shared: Mapping[str, int]) -> Monomial:
    return tuple((name, power - shared.get(name, 0)) for name, power in m if power > shared.get(name, 0))


def _content(coefficients: Iterable[Coefficient]) -> Fraction:
    numerators = denominators = 0
    for c in coefficients:
        numerators = gcd(numerators, c.numerator)
        denominators = lcm(denominators or 1, c.denominator)
    return Fraction(numerators, denominators)


def sum_polys(polys: Iterable[Poly], share: Fraction) -> Poly:
    """Σ of polynomials times a share, with a common denominator per monomial: adding Fractions would reduce each sum,
    which is much slower."""
    sums: dict[Monomial, tuple[int, int]] = {}
    for poly in polys:
        for monomial, coefficient in poly.terms.items():
            top, bottom = coefficient.numerator, coefficient.denominator
            so_far = sums.get(monomial)
            if so_far is None:
                sums[monomial] = (top, bottom)
            elif so_far[1] % bottom == 0:
                sums[monomial] = (so_far[0] + top * (so_far[1] // bottom), so_far[1])
            else:
                common = lcm(so_far[1], bottom)
                sums[monomial] = (so_far[0] * (common // so_far[1]) + top * (common // bottom), common)
    a, b = share.numerator, share.denominator
    return Poly({m: Fraction(top * a, bottom * b) for m, (top, bottom) in sums.items() if top})


_DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


UNIT = Poly.constant(1)
