"""A system's score on a topic as a polynomial in what is in doubt: the metric's own declaration applied to symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from diveval.conclusions.exact_collection import ExactCollection, ExactTopic, Order, Row, corners
from diveval.conclusions.objectives import Lead, Objective, Systems
from diveval.conclusions.ranges import RangedMetric, setting_of
from diveval.conclusions.sums import Rounder, SumPolys, reciprocal
from diveval.errors import UsageError
from diveval.exact.poly import sum_polys
from diveval.exact.polynomials import Poly, Term
from diveval.exact.value_only import NotExact
from diveval.metrics.formulas import Formula, Sum
from diveval.metrics.ideal import TIE
from diveval.metrics.numbers import is_zero
from diveval.metrics.ranking import Ranking

Asked = Mapping[str, tuple[Formula, int]]


def weight_symbol(aspect: int) -> str:
    return f"w{aspect}"


@dataclass(frozen=True, eq=False)
class Scored:
    """Every system's score on every topic, as polynomials in the symbols of the ranges.

    Weights are symbols w0, w1, … if requested. If a score is a share of an ideal, N0, N1, … are the reciprocals of the
    ideals; `ideals` encloses them, topic by topic, unless they depend on the ranges themselves.
    """

    collection: ExactCollection
    polys: Sequence[Sequence[Poly]]  # [topic][system]
    ideals: Sequence[Mapping[str, tuple[Fraction, Fraction]]]  # [topic]: middle and radius of each reciprocal
    same: Sequence[Mapping[str, str | None]]  # [topic]: one symbol for equal ideals of all topics; None: the ideal is 0
    moving: Formula | None = None  # the normalised formula whose ideal depends on the ranges
    asked: Sequence[Asked] = ()  # [topic]: the formula and channel of each N
    origin: tuple[Scored, Mapping[str, Fraction]] | None = None  # the scores and the point that this was computed from
    _exact_means: dict[int, Poly] = field(init=False, default_factory=dict)
    _weighted: dict[Order, Systems] = field(init=False, default_factory=dict)

    @cached_property
    def means(self) -> list[Poly]:
        """The mean of each system, for metrics without ideals."""
        if self.origin is not None:
            before, point = self.origin
            return _all_at(before.means, point, {})
        counted, shares = self.collection.counted, self.collection.shares
        return [sum_polys((self.polys[t][s] for t in counted[s]), share) for s, share in enumerate(shares)]

    def at(self, point: Mapping[str, Fraction]) -> Scored:
        """The same at a point of the ranges; the caller substitutes ideals that depend on the ranges."""
        return replace(self, polys=_RowsAt(self.polys, point), origin=(self, point))

    def difference(self, a: int, b: int) -> Objective:
        """Mean of a minus mean of b."""
        if not any(self.ideals):
            return Objective([[self.means[a] - self.means[b]]])
        first, second = self._rounded_means[a], self._rounded_means[b]
        return Objective([[first - second]], self.radius(a, b), lambda: self.exact_mean(a) - self.exact_mean(b))

    def radius(self, a: int, b: int) -> Fraction:
        """The error bound of the difference after ideals and logarithms are substituted."""
        total = Fraction(0)
        for t in range(len(self.polys) if any(self.ideals) else 0):
            x, y = self.share(t, a), self.share(t, b)
            if x != y or self.polys[t][a] is not self.polys[t][b]:
                total += x * self._rounded[t][a][1] + y * self._rounded[t][b][1]
        return total

    def substitute(self, topic: int, system: int) -> Poly:
        """A score with the ideals substituted; its error is included in `radius`."""
        return self._rounded[topic][system][0] if any(self.ideals) else self.polys[topic][system]

    def exact_mean(self, system: int) -> Poly:
        """The mean of a system with a symbol for each ideal; equal ideals of different topics have the same symbol. If
        two means are the same polynomial, or become the same at a setting, the systems are exactly tied."""
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
    def _rounded(self) -> list[list[tuple[Poly, Fraction]]]:
        """Scores with the ideals substituted, to 57 digits, and their error bounds."""
        out = []
        for row, ideals in zip(self.polys, self.ideals, strict=True):
            rounded: dict[int, tuple[Poly, Fraction]] = {}
            rounder = Rounder(ideals)
            for poly in row:
                if id(poly) not in rounded:
                    rounded[id(poly)] = rounder.substitute(poly)
            out.append([rounded[id(poly)] for poly in row])
        return out

    @cached_property
    def _rounded_means(self) -> list[Poly]:
        counted, shares = self.collection.counted, self.collection.shares
        return [sum_polys((self._rounded[t][s][0] for t in counted[s]), share) for s, share in enumerate(shares)]

    def pair_up(self, a: int, b: int) -> Lead:
        """Mean of a minus mean of b, for signs over whole ranges."""
        return Lead(self._systems, a, b, lambda: self.difference(a, b), self.radius(a, b))

    def pair_over_weights(self, a: int, b: int, order: Order) -> Lead:
        """Mean of a minus mean of b, at the corner of the weights of each topic that is worst for a."""
        if order not in self._weighted:
            self._weighted[order] = self._with_corners(order)
        systems = self._weighted[order]
        return Lead(systems, a, b, lambda: self._at_corners(a, b, systems.mixing), self.radius(a, b))

    def _with_corners(self, order: Order) -> Systems:
        topics, systems = self.collection.topics, range(len(self.collection.systems))
        return Systems(
            [[self.substitute(t, s) for t in range(len(topics))] for s in systems],
            [[weight_symbol(i) for i in range(len(topic.aspects))] for topic in topics],
            [corners(topic, order) or [()] for topic in topics],
            [[self.share(t, s) for t in range(len(topics))] for s in systems],
        )

    def _at_corners(self, a: int, b: int, options: Sequence[Sequence[Row]]) -> Objective:
        groups = []
        for t, of_topic in enumerate(options):
            poly = self.raw_difference(t, a, b)
            named = [{weight_symbol(i): w for i, w in enumerate(corner)} for corner in of_topic]
            groups.append([poly.at(corner) for corner in (named if poly.terms else named[:1])])
        return Objective(groups, self.radius(a, b))

    @cached_property
    def _systems(self) -> Systems:
        means = self._rounded_means if any(self.ideals) else self.means
        return Systems([[mean] for mean in means], [()], [[()]], [[Fraction(1)]] * len(means))

    def raw_difference(self, topic: int, a: int, b: int) -> Poly:
        """The contribution of one topic to the difference of the means."""
        x, y = self.share(topic, a), self.share(topic, b)
        if x == y and self.polys[topic][a] is self.polys[topic][b]:
            return Poly({})
        return self.substitute(topic, a) * Poly.constant(x) - self.substitute(topic, b) * Poly.constant(y)

    def share(self, topic: int, system: int) -> Fraction:
        """The weight of the topic in the mean of the system."""
        counted = topic in self.collection.counted[system]
        return self.collection.shares[system] if counted else Fraction(0)


class _RowsAt(Sequence[Sequence[Poly]]):
    """Scores by topic at a point of the ranges, computed on access, since means do not need them."""

    def __init__(self, rows: Sequence[Sequence[Poly]], point: Mapping[str, Fraction]) -> None:
        self._rows, self._point = rows, point
        self._powers: dict[tuple[str, int], Fraction] = {}
        self._made: dict[int, list[Poly]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, topic: Any) -> Any:
        if topic not in self._made:
            self._made[topic] = _all_at(self._rows[topic], self._point, self._powers)
        return self._made[topic]


def _all_at(
    polys: Sequence[Poly], point: Mapping[str, Fraction], powers: dict[tuple[str, int], Fraction]
) -> list[Poly]:
    """Polynomials at a point; polynomials that are the same object stay the same object, which later steps use."""
    made: dict[int, Poly] = {}
    for poly in polys:
        if id(poly) not in made:
            made[id(poly)] = poly.at(point, powers)
    return [made[id(poly)] for poly in polys]


def score_symbolically(
    collection: ExactCollection, metric: RangedMetric, setting: Mapping[str, Fraction], *, weights: bool = False
) -> Scored:
    """Apply the declaration to each list: `setting` is fixed, other ranges are symbols, and so are weights if `weights`."""
    formula = metric.formula(setting)
    polys = []
    asks: list[Asked] = []
    moving: Formula | None = None
    sums = SumPolys()
    for topic in collection.topics:
        symbols = [Term.symbol(weight_symbol(i)) for i in range(len(topic.aspects))] if weights else None
        by_list: dict[Any, Poly] = {}
        asked: dict[tuple[Any, int], str] = {}

        def normaliser(part: Any, channel: int, asked: dict[tuple[Any, int], str] = asked) -> Term:
            name = asked.setdefault((part, channel), f"N{len(asked)}")
            return Term.inverse(name)

        row = []
        for s in range(len(collection.systems)):
            key = _key(topic, s)
            if key not in by_list:
                ranking = topic.ranking(s, collection.depth, collection.filler(topic), symbols)
                by_list[key] = _poly(formula, replace(ranking, normaliser=normaliser), sums)
            row.append(by_list[key])
        polys.append(row)
        asks.append({name: (part, channel) for (part, channel), name in asked.items()})
        moving = next((part for part, _ in asked if symbols_in(part)), moving)
    ideals, same = _ideals(collection, asks)
    return Scored(collection, polys, ideals, same, moving, asks)


def score_at(scored: Scored, metric: RangedMetric, point: Mapping[str, Fraction]) -> Scored:
    """Scores at one point of the ranges, with the ideals of that point."""
    at_point = scored.at(point)
    if scored.moving is None:
        return at_point
    formula = metric.formula(setting_of(point))
    if formula.share_of is None or formula.has_user_code:
        return score_symbolically(scored.collection, metric, setting_of(point))
    asks = [dict.fromkeys(asked, (formula, 0)) for asked in scored.asked]
    ideals, same = _ideals(scored.collection, asks)
    return replace(at_point, ideals=ideals, same=same, moving=None, asked=asks)


def _ideals(collection: ExactCollection, asks: Sequence[Asked]) -> tuple[list[Any], list[Any]]:
    """By topic, the reciprocal of each ideal, and a symbol that equal ideals share."""
    ideals, same = [], []
    shared: dict[Any, str] = {}
    for topic, asked in zip(collection.topics, asks, strict=True):
        reciprocals: dict[str, tuple[Fraction, Fraction]] = {}
        named: dict[str, str | None] = {}
        for name, (part, channel) in asked.items():
            pool = topic.ranking(0, 0, 0)
            if symbols_in(part):
                # The order of the pool decides ties of a greedy ideal, so only identical pools certainly share an ideal.
                rows, costs = map(tuple, pool.pool.tolist()), pool.pool_costs
                identity: Any = (part, channel, *pool.weights, *rows, *(() if costs is None else costs))
            else:
                best = ideal(part, channel, pool)
                reciprocals[name] = reciprocal(best)
                identity = (best.num, best.den) if best.num.terms else None
            named[name] = None if identity is None else shared.setdefault(identity, f"N/{len(shared)}")
        ideals.append(reciprocals)
        same.append(named)
    return ideals, same


def _key(topic: ExactTopic, system: int) -> Any:
    """A key that is equal for lists with equal scores under every metric."""
    listed = topic.lists[system]
    if listed is None:
        return None
    costs = None if topic.costs is None else topic.costs[system]
    return tuple(d if d in topic.relevance else None for d in listed), costs


def _poly(formula: Formula, ranking: Ranking, sums: SumPolys) -> Poly:
    try:
        total, share_of = (None, None) if formula.has_user_code else (formula.as_sum, formula.share_of)
        if total is not None:
            return sums.of(total, ranking)
        if share_of is not None and ranking.normaliser is not None:
            plain = replace(share_of, cutoff=formula.cutoff)
            term: Term = Term(sums.of(plain, ranking)) / ranking.normaliser(formula, 0)
        else:
            term = Term.of(formula.exact(ranking))
    except NotExact as error:
        raise UsageError("metric-not-exact", f"this metric cannot be computed exactly: {error}") from error
    assert term.den.value == 1
    return term.num


# --- ideals -----------------------------------------------------------------------------------------------------------


def ideal(part: Formula, channel: int, ranking: Ranking) -> Term:
    """The divisor of a normalised formula, from the pool of the ranking."""
    total = None if part.has_user_code else part.share_of
    if total is not None and part.ideal == "greedy" and is_zero(total.effort):
        nets = greedy_by_kind(replace(total, cutoff=part.cutoff), ranking)
        discounts = total.discount.along(len(nets), ranking.numbers)
        return Term.of(sum((d * net for d, net in zip(discounts, nets, strict=True)), ranking.numbers.of(0)))
    best = part.attainable(ranking, channel)
    return Term.of(0 if best is None else best)


def greedy_by_kind(total: Sum, ranking: Ranking) -> list[Fraction]:
    """The result of `metrics.ideal.greedy_generic` without effort, for rationals, but faster: documents of equal
    relevance are one kind, and exact gains are computed only for kinds that doubles cannot separate from the best."""
    numbers, novelty = ranking.numbers, total.novelty
    weights = total.over.weigh(ranking)
    places: dict[Any, list[int]] = {}
    for i, row in enumerate(total.over.pool(ranking)):
        places.setdefault(tuple(row), []).append(i)
    kinds = [[w * r for w, r in zip(weights, row, strict=True)] for row in places]
    rows, left = list(places), [positions[::-1] for positions in places.values()]
    doubles = np.array([[float(x) for x in kind] for kind in kinds]).reshape(len(kinds), len(weights))
    states = [novelty.begin(numbers) for _ in weights]
    nets: list[Fraction] = []
    tie = numbers.of(TIE)
    while total.cutoff is None or len(nets) < total.cutoff:
        fresh = [novelty.factor(state, numbers) for state in states]
        near = doubles @ np.array([float(f) for f in fresh])
        open_now = [k for k in range(len(kinds)) if left[k]]
        # The relative error of doubles and the tolerance for ties are both far below 1e-9.
        least = max((near[k] for k in open_now), default=0.0) * (1 - 1e-9)
        close = [k for k in open_now if near[k] >= least or least < 1e-200]
        exact = {k: sum((x * f for x, f in zip(kinds[k], fresh, strict=True)), Fraction(0)) for k in close}
        best = max(exact.values(), default=Fraction(0))
        if best <= 0:
            break
        taken = min((k for k in close if exact[k] >= best - tie * best), key=lambda k: left[k][-1])
        nets.append(exact[taken])
        left[taken].pop()
        states = [novelty.after(state, r, numbers) for state, r in zip(states, rows[taken], strict=True)]
    return nets


def symbols_in(value: Any) -> set[str]:
    """The free symbols of a declaration."""
    if isinstance(value, Term):
        return {*value.num.symbols, *value.den.symbols}
    if is_dataclass(value) and not isinstance(value, type):
        return {name for f in fields(value) for name in symbols_in(getattr(value, f.name))}
    return set()
