"""Sums over ranks as polynomials, and the substitution of ideals and logarithms into them.

The polynomials equal what `Sum.exact` computes, but work that lists share is done once. Ideals and logarithms are
substituted as integer multiples of 2^-190 (57 digits) with error bounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from diveval.conclusions.exact_collection import MOST_RANKS, NUMBERS
from diveval.errors import UsageError
from diveval.exact.logs import bounds, enclosure, is_log
from diveval.exact.polynomials import Monomial, Poly, Term
from diveval.metrics.algebra import Novelty
from diveval.metrics.formulas import Sum
from diveval.metrics.numbers import Number, is_zero
from diveval.metrics.ranking import Ranking

Coefficients = dict[Monomial, Fraction | int]


class SumPolys:
    """Σ_i discount(i) · ( Σ_c weight(c) · r(i,c) · novelty(i,c) − effort(i) ) of many lists under one metric.

    Only documents relevant to a channel are computed: no novelty changes at the others (`Novelty.table` relies on that
    too). Discounts, and the efforts of lists of the same length, are computed once.
    """

    def __init__(self) -> None:
        self._discounts: dict[Sum, list[Coefficients]] = {}
        self._efforts: dict[tuple[Sum, int], Coefficients] = {}
        self._gains: dict[tuple[Novelty, Number, tuple[Number, ...]], list[Number]] = {}

    def of(self, formula: Sum, ranking: Ranking) -> Poly:
        """The score of one list."""
        visible = formula.visible(ranking)
        discounts = self._along(formula, visible)
        total = dict(self._sum_effort(formula, visible, ranking.costs, discounts))
        ranks = [i for i in range(visible) if any(ranking.relevance[i])]
        gains: list[Any] = [Fraction(0)] * len(ranks)
        for weight, column in formula.over.columns(replace(ranking, relevance=ranking.relevance[ranks])):
            held = [k for k, r in enumerate(column) if not is_zero(r)]
            for k, gained in zip(held, self._gain(formula, weight, [column[k] for k in held], ranking), strict=True):
                gains[k] = gains[k] + gained
        for i, gain in zip(ranks, gains, strict=True):
            _add(total, discounts[i], Term.of(gain).num.terms)
        return Poly(total)

    def _gain(self, formula: Sum, weight: Number, column: list[Number], ranking: Ranking) -> list[Number]:
        """The gains of a channel's relevant documents. Lists differ in where these stand, and seldom in what they are."""
        key = formula.novelty, weight, tuple(column)
        if key not in self._gains:
            self._gains[key] = [weight * gained for gained in formula.novelty.gain(column, ranking.numbers)]
        return self._gains[key]

    def _along(self, formula: Sum, count: int) -> list[Coefficients]:
        discounts = self._discounts.get(formula, [])
        if len(discounts) < count:
            if count > MOST_RANKS:
                raise UsageError(
                    "out-of-range",
                    f"a list of {count} documents is too long for exact numbers",
                    hint=f"choose a cutoff of at most {MOST_RANKS}",
                )
            discounts = [_polynomial(d) for d in formula.discount.along(count, NUMBERS)]
            self._discounts[formula] = discounts
        return discounts

    def _sum_effort(self, formula: Sum, count: int, costs: Any, discounts: list[Coefficients]) -> Coefficients:
        """−Σ_i discount(i) · effort · cost(i); every cost is 1 if none are given."""
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


def _polynomial(value: Any) -> Coefficients:
    term = Term.of(value)
    assert term.den.value == 1
    return term.num.terms


def _add(total: Coefficients, first: Coefficients, second: Coefficients) -> None:
    """Add a product to a sum in place, since polynomials are immutable and a sum of n terms would be copied n times."""
    number = second.get((), None) if len(second) == 1 else None
    product = (Poly(first) * Poly(second)).terms if number is None else {m: c * number for m, c in first.items()}
    for monomial, coefficient in product.items():
        total[monomial] = total.get(monomial, Fraction(0)) + coefficient


DIGITS = 60  # of an ideal's reciprocal, and of logarithms
BITS = 190
FINE = 2**BITS
Ideals = Mapping[str, tuple[Fraction, Fraction]]  # middle and radius of each reciprocal
Scaled = tuple[int, int]  # bounds, in units of 1/FINE


class Rounder:
    """Substitutes one topic's ideals and the logarithms; their products are computed once."""

    def __init__(self, ideals: Ideals) -> None:
        self._ideals = {name: _scale(middle - error, middle + error) for name, (middle, error) in ideals.items()}
        self._products: dict[Monomial, tuple[Scaled, Monomial]] = {}

    def substitute(self, poly: Poly) -> tuple[Poly, Fraction]:
        """The polynomial with the ideals' reciprocals and the logarithms substituted, and an error bound: every other
        symbol is in [0, 1], so the error of a value is at most the sum of the coefficients' errors. Bounds are rounded
        outwards (`//` down, negated `//` up)."""
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
        """Bounds of the numeric factor of a monomial, and its remaining symbols."""
        low = high = FINE
        rest = []
        for name, power in monomial:
            number = self._ideals.get(name) or (_log(int(name[1:])) if is_log(name) else None)
            if number is None:
                rest.append((name, power))
                continue
            for _ in range(power):
                low, high = low * number[0] >> BITS, -(-high * number[1] >> BITS)
        return (low, high), tuple(rest)


@lru_cache(maxsize=4096)
def _log(base: int) -> Scaled:
    return _scale(*enclosure(base, DIGITS))


def _scale(low: Fraction, high: Fraction) -> Scaled:
    return low.numerator * FINE // low.denominator, -(-high.numerator * FINE // high.denominator)


def reciprocal(best: Term) -> tuple[Fraction, Fraction]:
    """1/x as a rational with an error bound; 0 if nothing is attainable."""
    if not best.num.terms:
        return Fraction(0), Fraction(0)
    value = best.num.value
    if value is not None and best.den.value == 1:
        return 1 / value, Fraction(0)
    low, high = bounds(best.num.terms, DIGITS)
    below, above = _scale(1 / high, 1 / low)
    middle = (below + above) // 2
    return Fraction(middle, FINE), Fraction(max(above - middle, middle - below), FINE)
