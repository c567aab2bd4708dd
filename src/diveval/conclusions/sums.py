"""Sums over ranks as polynomials: what the declaration of a metric says, with the work that lists share done once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from diveval.axioms.arithmetic.polynomials import Monomial, Poly, Term
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
        discounts = self._along(formula, visible, ranking)
        total = dict(self._paid(formula, visible, ranking, discounts))
        ranks = [i for i in range(visible) if any(ranking.relevance[i])]
        gains: list[Any] = [Fraction(0)] * len(ranks)
        for weight, column in formula.over.columns(replace(ranking, relevance=ranking.relevance[ranks])):
            for k, gained in enumerate(formula.novelty.gained(column, ranking.numbers)):
                if not is_zero(gained):
                    gains[k] = gains[k] + weight * gained
        for i, gain in zip(ranks, gains, strict=True):
            _add(total, discounts[i], Term.of(gain).num.terms)
        return Poly(total)

    def _along(self, formula: Sum, count: int, ranking: Ranking) -> list[Coefficients]:
        held = self._discounts.get(formula, [])
        if len(held) < count:
            held = [_polynomial(d) for d in formula.discount.along(count, ranking.numbers)]
            self._discounts[formula] = held
        return held

    def _paid(self, formula: Sum, count: int, ranking: Ranking, discounts: list[Coefficients]) -> Coefficients:
        """−Σ_i discount(i) · effort · cost(i)."""
        if is_zero(formula.effort):
            return {}
        if ranking.costs is None and (formula, count) in self._efforts:
            return self._efforts[formula, count]
        effort = _polynomial(-ranking.numbers.of(formula.effort))
        out: Coefficients = {}
        for i in range(count):
            cost = Fraction(1) if ranking.costs is None else ranking.costs[i]
            _add(out, discounts[i], {m: c * cost for m, c in effort.items()})
        if ranking.costs is None:
            self._efforts[formula, count] = out
        return out


def _polynomial(value: Any) -> Coefficients:
    term = Term.of(value)
    assert term.den.value == 1
    return term.num.terms


def _add(total: Coefficients, first: Mapping[Monomial, Fraction], second: Mapping[Monomial, Fraction]) -> None:
    """Add a product to a sum in place: a sum of a thousand terms would copy a thousand times."""
    for monomial, coefficient in (Poly(first) * Poly(second)).terms.items():
        total[monomial] = total.get(monomial, Fraction(0)) + coefficient
