"""Sums over ranks as polynomials: what the declaration of a metric says, with the work that lists share done once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import lcm
from typing import Any

from diveval.axioms.arithmetic.polynomials import Monomial, Poly, Term
from diveval.conclusions.collection import NUMBERS, DoubtedTopic, ExactCollection
from diveval.conclusions.ranges import BETA
from diveval.metrics.algebra import Always, Aspects, Cascade, Decay, Novelty
from diveval.metrics.formulas import Sum
from diveval.metrics.numbers import is_zero
from diveval.metrics.ranking import Ranking

Coefficients = dict[Monomial, Fraction]
Gain = tuple[int, int, int, int]  # aspect, numerator, how often the denominator counts, power of β


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

    def of_list(
        self, formula: Sum, made: ExactCollection, topic: DoubtedTopic, system: int, weights: list[str] | None
    ) -> Poly | None:
        """The same from a topic's own list, in whole numbers; None for metrics and costs that this does not cover.

        Relevance is n/D for one D of the topic, so that a gain is a product of whole numbers over a power of D.
        `weights` names the symbols of the aspects, where their weights are not given.
        """
        gained = _GAINED.get(type(formula.novelty))
        if gained is None or type(formula.over) is not Aspects or topic.costs is not None:
            return None
        if isinstance(formula.novelty, Decay) and not _followed(formula.novelty):
            return None
        listed = topic.lists[system]
        documents = (None,) * made.filler(topic) if listed is None else listed[: made.depth]
        documents = documents if formula.cutoff is None else documents[: formula.cutoff]
        discounts = self._along(formula, len(documents))
        total = dict(self._paid(formula, len(documents), None, discounts))
        rows, base = topic.whole
        ranks = [i for i, document in enumerate(documents) if document in rows]
        shares = topic.weights if formula.over.weighted and weights is None else (Fraction(1),) * len(topic.aspects)
        parts = lcm(*(w.denominator for w in shares))
        times = [w.numerator * (parts // w.denominator) for w in shares]
        names = weights if formula.over.weighted else None
        for i, gains in zip(
            ranks, gained(formula.novelty, [rows[str(documents[i])] for i in ranks], base), strict=True
        ):
            found: dict[Monomial, tuple[int, int]] = {}  # numerator, and how often D divides it
            for aspect, value, power, beta in gains:
                key: Monomial = ((BETA, beta),) if beta else ()  # where α is a number, β is put in at the end
                if names is not None:
                    key = (*key, (names[aspect], 1))
                known, often = found.get(key, (0, 0))
                if often < power:
                    known, often = known * base ** (power - often), power
                found[key] = (known + times[aspect] * value * base ** (often - power), often)
            for monomial, (value, often) in found.items():
                gain = Fraction(value, parts * base**often)
                for discount, coefficient in discounts[i].items():
                    # The symbols of discounts (p, logarithms) are not those of gains.
                    both = tuple(sorted((*discount, *monomial))) if monomial else discount
                    more = gain if coefficient == 1 else gain * coefficient
                    total[both] = total[both] + more if both in total else more
        if isinstance(formula.novelty, Decay) and not isinstance(formula.novelty.alpha, Term):
            return Poly(total).at({BETA: 1 - NUMBERS.of(formula.novelty.alpha)})
        return Poly(total)

    def _along(self, formula: Sum, count: int) -> list[Coefficients]:
        held = self._discounts.get(formula, [])
        if len(held) < count:
            held = [_polynomial(d) for d in formula.discount.along(count, NUMBERS)]
            self._discounts[formula] = held
        return held

    def _paid(self, formula: Sum, count: int, ranking: Ranking | None, discounts: list[Coefficients]) -> Coefficients:
        """−Σ_i discount(i) · effort · cost(i); every cost is 1 without a ranking."""
        if is_zero(formula.effort):
            return {}
        costs = None if ranking is None else ranking.costs
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


def _followed(novelty: Decay) -> bool:
    """Whether 1 − α is the symbol β or a number, and the limit, if there is one, a number."""
    if isinstance(novelty.limit, Term):
        return False
    return not isinstance(novelty.alpha, Term) or (1 - novelty.alpha) == Term.symbol(BETA)


def _cascade(novelty: Novelty, rows: list[tuple[int, ...]], base: int) -> Iterable[list[Gain]]:
    """r(i) Π_{j<i} (1 − r(j)) of each aspect, rank by rank."""
    left = [1] * (len(rows[0]) if rows else 0)
    powers = [0] * len(left)
    for row in rows:
        gains = []
        for c, n in enumerate(row):
            if n:
                powers[c] += 1
                gains.append((c, n * left[c], powers[c], 0))
                left[c] *= base - n
        yield gains


def _decay(novelty: Novelty, rows: list[tuple[int, ...]], base: int) -> Iterable[list[Gain]]:
    """r(i) β^c(i), c counting the relevant documents above; nothing once the relevance above reaches the limit."""
    assert isinstance(novelty, Decay)
    limit = None if novelty.limit is None else NUMBERS.of(novelty.limit) * base
    seen = [0] * (len(rows[0]) if rows else 0)
    above = [0] * len(seen)
    for row in rows:
        yield [(c, n, 1, seen[c]) for c, n in enumerate(row) if n and (limit is None or above[c] < limit)]
        seen = [k + bool(n) for k, n in zip(seen, row, strict=True)]
        above = [k + n for k, n in zip(above, row, strict=True)]


def _always(novelty: Novelty, rows: list[tuple[int, ...]], base: int) -> Iterable[list[Gain]]:
    return ([(c, n, 1, 0) for c, n in enumerate(row) if n] for row in rows)


_GAINED: dict[type[Novelty], Callable[[Novelty, list[tuple[int, ...]], int], Iterable[list[Gain]]]] = {
    Cascade: _cascade,
    Decay: _decay,
    Always: _always,
}


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
