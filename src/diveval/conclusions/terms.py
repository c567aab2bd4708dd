"""A system's score on a topic as a polynomial in what is in doubt: the metric's own declaration, run on symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from diveval.axioms.arithmetic.logs import bounds, enclosure, is_log
from diveval.axioms.arithmetic.polynomials import NotExact, Poly, Term
from diveval.conclusions.collection import DoubtedTopic, ExactCollection
from diveval.conclusions.ranges import RangedMetric
from diveval.conclusions.signs import Objective
from diveval.errors import UsageError
from diveval.metrics.algebra import Aspects, GlobalGain
from diveval.metrics.columnwise import Each
from diveval.metrics.formulas import Formula, Normalised, PrefixMean, Sum
from diveval.metrics.ranking import Ranking
from diveval.metrics.subtopics import Blend

DIGITS = 60  # of an ideal's reciprocal
FINE = 2**190


def weight_symbol(aspect: int) -> str:
    return f"w{aspect}"


@dataclass(frozen=True, eq=False)
class Scored:
    """Every system's score on every topic, as polynomials in the symbols of the ranges.

    Weights are symbols w0, w1, … if asked. Where a score is a share of an ideal, N0, N1, … stand for the reciprocals
    of the ideals; `ideals` encloses them, topic by topic, unless they depend on the ranges themselves.
    """

    collection: ExactCollection
    polys: Sequence[Sequence[Poly]]  # [topic][system]
    ideals: Sequence[Mapping[str, tuple[Fraction, Fraction]]]  # [topic]: middle and radius of each reciprocal
    same: Sequence[Mapping[str, str | None]]  # [topic]: a symbol that equal ideals of all topics share; None: it is 0
    moving: Formula | None = None  # the normalised formula whose ideal depends on the ranges

    @cached_property
    def means(self) -> list[Poly]:
        """The mean of each system, for metrics without ideals."""
        out = []
        for s in range(len(self.collection.systems)):
            total: dict[Any, Fraction] = {}
            for t in self.collection.counted[s]:
                for monomial, coefficient in self.polys[t][s].terms.items():
                    total[monomial] = total.get(monomial, Fraction(0)) + coefficient
            out.append(Poly({m: c * self.collection.shares[s] for m, c in total.items()}))
        return out

    def difference(self, a: int, b: int) -> Objective:
        """Mean of a minus mean of b."""
        if not any(self.ideals):
            return Objective([[self.means[a] - self.means[b]]])
        radius = Fraction(0)
        for t in range(len(self.polys)):
            x, y = self._share(t, a), self._share(t, b)
            if x != y or self.polys[t][a] is not self.polys[t][b]:
                radius += x * self._rounded[t][a][1] + y * self._rounded[t][b][1]
        first, second = self._rounded_means[a], self._rounded_means[b]
        return Objective([[first - second]], radius, lambda: self.exact_mean(a) - self.exact_mean(b))

    def exact_mean(self, system: int) -> Poly:
        """The mean of a system with a symbol for each ideal, the same for ideals that are the same in two topics: where
        two means are one polynomial, or become one at a setting, the systems tie exactly."""
        if system not in self._exact_means:
            total: dict[Any, Fraction] = {}
            for t in self.collection.counted[system]:
                for monomial, coefficient in self.polys[t][system].terms.items():
                    named = [(self.same[t].get(name, name), power) for name, power in monomial]
                    if all(name is not None for name, _ in named):
                        key = tuple(sorted(named))
                        total[key] = total.get(key, Fraction(0)) + coefficient
            share = self.collection.shares[system]
            self._exact_means[system] = Poly({m: c * share for m, c in total.items() if c})
        return self._exact_means[system]

    @cached_property
    def _exact_means(self) -> dict[int, Poly]:
        return {}

    @cached_property
    def _rounded(self) -> list[list[tuple[Poly, Fraction]]]:
        """Scores with the ideals put in, to 57 digits, and how far they may be off."""
        out = []
        for row, ideals in zip(self.polys, self.ideals, strict=True):
            known: dict[int, tuple[Poly, Fraction]] = {}
            for poly in row:
                if id(poly) not in known:
                    known[id(poly)] = _put_in(poly, ideals)
            out.append([known[id(poly)] for poly in row])
        return out

    @cached_property
    def _rounded_means(self) -> list[Poly]:
        out = []
        for s, counted in enumerate(self.collection.counted):
            total: dict[Any, Fraction] = {}
            for t in counted:
                for monomial, coefficient in self._rounded[t][s][0].terms.items():
                    total[monomial] = total.get(monomial, Fraction(0)) + coefficient
            out.append(Poly({m: c * self.collection.shares[s] for m, c in total.items()}))
        return out

    def raw_difference(self, topic: int, a: int, b: int) -> Poly:
        """The same with the ideals as symbols."""
        x, y = self._share(topic, a), self._share(topic, b)
        if x == y and self.polys[topic][a] is self.polys[topic][b]:
            return Poly({})
        return self.polys[topic][a] * Poly.constant(x) - self.polys[topic][b] * Poly.constant(y)

    def _share(self, topic: int, system: int) -> Fraction:
        held = topic in self.collection.counted[system]
        return self.collection.shares[system] if held else Fraction(0)


def _put_in(poly: Poly, ideals: Mapping[str, tuple[Fraction, Fraction]]) -> tuple[Poly, Fraction]:
    """The ideals' reciprocals and the logarithms put in; every other symbol is at most 1, so that the error of the
    value is at most that of the coefficients together."""
    parts: dict[Any, tuple[Fraction, Fraction]] = {}
    for monomial, coefficient in poly.terms.items():
        low = high = Fraction(1)
        rest = []
        for name, power in monomial:
            if name in ideals:
                middle, error = ideals[name]
                low, high = low * (middle - error) ** power, high * (middle + error) ** power
            elif is_log(name):
                below, above = enclosure(int(name[1:]), DIGITS)
                low, high = low * below**power, high * above**power
            else:
                rest.append((name, power))
        ends = sorted((coefficient * low, coefficient * high))
        middle = Fraction(int((ends[0] + ends[1]) / 2 * FINE), FINE)
        known, error = parts.get(tuple(rest), (Fraction(0), Fraction(0)))
        parts[tuple(rest)] = (known + middle, error + _coarse(max(ends[1] - middle, middle - ends[0])))
    return Poly({m: c for m, (c, _) in parts.items()}), sum((error for _, error in parts.values()), Fraction(0))


def score_symbolically(
    collection: ExactCollection, metric: RangedMetric, setting: Mapping[str, Fraction], *, weights: bool = False
) -> Scored:
    """Run the declaration once per list: `setting` is fixed, other ranges are symbols, and so are weights if asked."""
    formula = metric.formula(setting)
    polys, ideals, same = [], [], []
    shared: dict[Any, str] = {}
    moving: Formula | None = None
    for topic in collection.topics:
        symbols = [Term.symbol(weight_symbol(i)) for i in range(len(topic.aspects))] if weights else None
        known: dict[Any, Poly] = {}
        asked: dict[tuple[Any, int], str] = {}

        def normaliser(part: Any, channel: int, asked: dict[tuple[Any, int], str] = asked) -> Term:
            name = asked.setdefault((part, channel), f"N{len(asked)}")
            return Term.inverse(name)

        row = []
        for s in range(len(collection.systems)):
            key = _key(topic, s)
            if key not in known:
                ranking = topic.ranking(s, collection.depth, collection.filler(topic), symbols)
                known[key] = _poly(formula, replace(ranking, normaliser=normaliser))
            row.append(known[key])
        polys.append(row)
        found = {}
        named: dict[str, str | None] = {}
        for (part, channel), name in asked.items():
            pool = topic.ranking(0, 0, 0)
            if symbols_in(part):
                moving = part
                # The order of the pool decides ties of a greedy ideal, so only the same pools have one ideal for sure.
                rows, costs = map(tuple, pool.pool.tolist()), pool.pool_costs
                identity: Any = (part, channel, *pool.weights, *rows, *(() if costs is None else costs))
            else:
                best = ideal(part, channel, pool)
                found[name] = reciprocal(best)
                identity = (best.num, best.den) if best.num.terms else None
            named[name] = None if identity is None else shared.setdefault(identity, f"N/{len(shared)}")
        ideals.append(found)
        same.append(named)
    return Scored(collection, polys, ideals, same, moving)


def _key(topic: DoubtedTopic, system: int) -> Any:
    """Lists that no metric can tell apart."""
    listed = topic.lists[system]
    if listed is None:
        return None
    costs = None if topic.costs is None else topic.costs[system]
    return tuple(d if d in topic.relevance else None for d in listed), costs


def _poly(formula: Formula, ranking: Ranking) -> Poly:
    try:
        if isinstance(formula, Sum):  # gathered at once: a sum of a thousand terms would copy a thousand times
            total: dict[Any, Fraction] = {}
            for part in formula.terms(ranking):
                for monomial, coefficient in Term.of(part).num.terms.items():
                    total[monomial] = total.get(monomial, Fraction(0)) + coefficient
            return Poly(total)
        term = Term.of(formula.exact(ranking))
    except NotExact as error:
        raise UsageError(f"this metric cannot be followed exactly: {error}") from error
    assert term.den.value == 1
    return term.num


# --- ideals -----------------------------------------------------------------------------------------------------------


def ideal(part: Formula, channel: int, ranking: Ranking) -> Term:
    """What a normalised formula divides by, from the pool that the ranking carries."""
    numbers = ranking.numbers
    if isinstance(part, Each):
        column = [row[channel] for row in part.over.pool(ranking)]
        return Term.of(part.base.best(column, numbers, part.cutoff))
    assert isinstance(part, Normalised)
    best = part.attainable(ranking)
    return Term.of(0 if best is None else best)


def reciprocal(best: Term) -> tuple[Fraction, Fraction]:
    """1/x as a rational and how far it may be off; 0 where nothing is attainable."""
    if not best.num.terms:
        return Fraction(0), Fraction(0)
    value = best.num.value
    if value is not None and best.den.value == 1:
        return 1 / value, Fraction(0)
    low, high = bounds(best.num.terms, DIGITS)
    middle = Fraction(int((1 / low + 1 / high) / 2 * FINE), FINE)
    return middle, _coarse(max(1 / low - middle, middle - 1 / high))


def _coarse(error: Fraction) -> Fraction:
    """A bound no smaller, with a denominator that sums stay small with."""
    return Fraction(int(error * FINE) + 1, FINE)


def symbols_in(value: Any) -> set[str]:
    """The free symbols of a declaration."""
    if isinstance(value, Term):
        return value.num.symbols | value.den.symbols
    if is_dataclass(value) and not isinstance(value, type):
        return {name for f in fields(value) for name in symbols_in(getattr(value, f.name))}
    return set()


# --- what a metric's shape allows -------------------------------------------------------------------------------------


def sums(formula: Formula) -> bool:
    """A plain sum over ranks, whose value is a polynomial in its parameters."""
    return isinstance(formula, (Sum, PrefixMean))


def linear_in_weights(formula: Formula) -> bool:
    """Whether the score is a weighted mean over aspects, so that corners of the weights decide."""
    if isinstance(formula, Sum):
        return isinstance(formula.over, Aspects) and formula.over.weighted
    if isinstance(formula, PrefixMean):
        return linear_in_weights(formula.sum)
    return isinstance(formula, Each) and isinstance(formula.over, Aspects)


def sees_weights(formula: Formula) -> bool:
    """Whether weights matter at all."""
    if isinstance(formula, Blend):
        return sees_weights(formula.first) or sees_weights(formula.second)
    if isinstance(formula, (Normalised, PrefixMean)):
        return sees_weights(formula.sum)
    over = getattr(formula, "over", None)
    return isinstance(over, GlobalGain) or (isinstance(over, Aspects) and over.weighted)
