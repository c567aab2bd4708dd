"""Sums over ranks as polynomials, and the ideals and logarithms put into them.

What the declaration of a metric says, with the work that lists share done once. Ideals and logarithms are whole numbers
of 2^-190: 57 digits, and how far they may be off.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

from diveval.axioms.arithmetic.logs import bounds, enclosure, is_log
from diveval.axioms.arithmetic.polynomials import Monomial, Poly, Term
from diveval.conclusions.exact_collection import NUMBERS
from diveval.metrics.formulas import Sum
from diveval.metrics.numbers import is_zero
from diveval.metrics.ranking import Ranking

Coefficients = dict[Monomial, Fraction | int]


class SumPolys:
    """Σ_i discount(i) · ( Σ_c weight(c) · r(i,c) · novelty(i,c) − effort(i) ) of many lists under one metric.

    Only ranks with something relevant are followed: no novelty changes at the others (`Novelty.table` is built on the
    same). Discounts, and the efforts of lists of one length, are made once.
    """

    def __init__(self) -> None:
        self._discounts: dict[Sum, list[Coefficients]] = {}
        self._efforts: dict[tuple[Sum, int], Coefficients] = {}

    def of(self, formula: Sum, ranking: Ranking) -> Poly:
        """The score of one list."""
        visible = formula.visible(ranking)
        discounts = self._along(formula, visible)
        total = dict(self._paid(formula, visible, ranking.costs, discounts))
        ranks = [i for i in range(visible) if any(ranking.relevance[i])]
        gains: list[Any] = [Fraction(0)] * len(ranks)
        for weight, column in formula.over.columns(replace(ranking, relevance=ranking.relevance[ranks])):
            for k, gained in enumerate(formula.novelty.gained(column, ranking.numbers)):
                if not is_zero(gained):
                    gains[k] = gains[k] + weight * gained
        for i, gain in zip(ranks, gains, strict=True):
            _add(total, discounts[i], Term.of(gain).num.terms)
        return Poly(total)

    def _along(self, formula: Sum, count: int) -> list[Coefficients]:
        held = self._discounts.get(formula, [])
        if len(held) < count:
            held = [_polynomial(d) for d in formula.discount.along(count, NUMBERS)]
            self._discounts[formula] = held
        return held

    def _paid(self, formula: Sum, count: int, costs: Any, discounts: list[Coefficients]) -> Coefficients:
        """−Σ_i discount(i) · effort · cost(i); every cost is 1 where none are given."""
        if is_zero(formula.effort):
            return {}
        if costs is None and (formula, count) in self._efforts:
            return self._efforts[formula, count]
        effort = _polynomial(-NUMBERS.of(formula.effort))
        out: Coefficients = {}
        for i in range(count):
            cost = Fraction(1) if costs is None else costs[i]
            _add(out, discounts[i], {m: c * cost for m, c in effort.items()})
        if costs is None:
            self._efforts[formula, count] = out
        return out


def summed(polys: Iterable[Poly], share: Fraction) -> Poly:
    """Σ of polynomials times a share, over one denominator for each monomial: sums of fractions would reduce each."""
    found: dict[Monomial, tuple[int, int]] = {}
    for poly in polys:
        for monomial, coefficient in poly.terms.items():
            top, bottom = coefficient.numerator, coefficient.denominator
            known = found.get(monomial)
            if known is None:
                found[monomial] = (top, bottom)
            elif known[1] % bottom == 0:
                found[monomial] = (known[0] + top * (known[1] // bottom), known[1])
            else:
                common = lcm(known[1], bottom)
                found[monomial] = (known[0] * (common // known[1]) + top * (common // bottom), common)
    a, b = share.numerator, share.denominator
    return Poly({m: Fraction(top * a, bottom * b) for m, (top, bottom) in found.items() if top})


def _polynomial(value: Any) -> Coefficients:
    term = Term.of(value)
    assert term.den.value == 1
    return term.num.terms


def _add(total: Coefficients, first: Coefficients, second: Coefficients) -> None:
    """Add a product to a sum in place: a sum of a thousand terms would copy a thousand times."""
    for monomial, coefficient in (Poly(first) * Poly(second)).terms.items():
        total[monomial] = total.get(monomial, Fraction(0)) + coefficient


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
