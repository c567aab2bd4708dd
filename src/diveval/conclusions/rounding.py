"""Ideals and logarithms put into polynomials, in whole numbers of 2^-190: 57 digits, and how far they may be off."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from diveval.axioms.arithmetic.logs import bounds, enclosure, is_log
from diveval.axioms.arithmetic.polynomials import Monomial, Poly, Term

DIGITS = 60  # of an ideal's reciprocal, and of logarithms
BITS = 190
FINE = 2**BITS
Ideals = Mapping[str, tuple[Fraction, Fraction]]  # middle and radius of each reciprocal
Scaled = tuple[int, int]  # bounds, in units of 1/FINE


class Rounder:
    """One topic's ideals; products of them and of logarithms are made once."""

    def __init__(self, ideals: Ideals) -> None:
        self._ideals = {name: _scaled(middle - error, middle + error) for name, (middle, error) in ideals.items()}
        self._products: dict[Monomial, tuple[Scaled, Monomial]] = {}

    def put_in(self, poly: Poly) -> tuple[Poly, Fraction]:
        """The ideals' reciprocals and the logarithms put in; every other symbol is at most 1, so that the error of the
        value is at most that of the coefficients together."""
        parts: dict[Monomial, Scaled] = {}
        for monomial, coefficient in poly.terms.items():
            if monomial not in self._products:
                self._products[monomial] = self._product(monomial)
            (low, high), rest = self._products[monomial]
            top, bottom = coefficient.numerator, coefficient.denominator
            if top < 0:
                low, high = high, low
            below, above = parts.get(rest, (0, 0))
            parts[rest] = (below + top * low // bottom, above - (-top * high // bottom))
        middles = {rest: (low + high) // 2 for rest, (low, high) in parts.items()}
        error = sum(max(high - middles[rest], middles[rest] - low) for rest, (low, high) in parts.items())
        return Poly({rest: Fraction(middle, FINE) for rest, middle in middles.items()}), Fraction(error, FINE)

    def _product(self, monomial: Monomial) -> tuple[Scaled, Monomial]:
        """Bounds of what is a number in a monomial, and what is left of it."""
        low = high = FINE
        rest = []
        for name, power in monomial:
            known = self._ideals.get(name) or (_log(int(name[1:])) if is_log(name) else None)
            if known is None:
                rest.append((name, power))
                continue
            for _ in range(power):
                low, high = low * known[0] >> BITS, -(-high * known[1] >> BITS)
        return (low, high), tuple(rest)


@lru_cache(maxsize=4096)
def _log(base: int) -> Scaled:
    return _scaled(*enclosure(base, DIGITS))


def _scaled(low: Fraction, high: Fraction) -> Scaled:
    return low.numerator * FINE // low.denominator, -(-high.numerator * FINE // high.denominator)


def reciprocal(best: Term) -> tuple[Fraction, Fraction]:
    """1/x as a rational and how far it may be off; 0 where nothing is attainable."""
    if not best.num.terms:
        return Fraction(0), Fraction(0)
    value = best.num.value
    if value is not None and best.den.value == 1:
        return 1 / value, Fraction(0)
    low, high = bounds(best.num.terms, DIGITS)
    below, above = _scaled(1 / high, 1 / low)
    middle = (below + above) // 2
    return Fraction(middle, FINE), Fraction(max(above - middle, middle - below), FINE)
