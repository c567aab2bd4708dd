"""Sums over ranks as polynomials: what the declaration of a metric says, with the work that lists share done once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import lcm
from typing import Any

from diveval.axioms.arithmetic.polynomials import Monomial, Poly, Term
from diveval.conclusions.collection import NUMBERS
from diveval.metrics.formulas import Sum
from diveval.metrics.numbers import is_zero
from diveval.metrics.ranking import Ranking

Coefficients = dict[Monomial, Fraction]


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


def _add(total: Coefficients, first: Mapping[Monomial, Fraction], second: Mapping[Monomial, Fraction]) -> None:
    """Add a product to a sum in place: a sum of a thousand terms would copy a thousand times."""
    for monomial, coefficient in (Poly(first) * Poly(second)).terms.items():
        total[monomial] = total.get(monomial, Fraction(0)) + coefficient
