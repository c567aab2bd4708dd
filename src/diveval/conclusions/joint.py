"""Everything at once: labels of unjudged documents together with parameters, weights, or both.

Gains rise with p and fall with α whatever the labels are, so over a cell of the parameters the first system is scored
where gains are least and the second where they are most: no labels, weights and parameters of the cell give less. The
factor 1 − p of RBP, which falls with p, is common to both systems: it is left out, and scales the bound afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from diveval.axioms.arithmetic.polynomials import Poly, Term
from diveval.conclusions.collection import Order, corners
from diveval.conclusions.labels import SLACK, TopicProblem, supported
from diveval.conclusions.objectives import Interval, Objective
from diveval.conclusions.ranges import RangedMetric, Setting
from diveval.conclusions.unjudged import Labelling, Labels, answer_of, paid, spare_documents
from diveval.metrics.algebra import Aspects, Geometric
from diveval.metrics.formulas import Formula, Sum

CELLS = 96  # of the parameters, per pair
Weights = dict[str, dict[str, Fraction]]
Cell = dict[str, tuple[Fraction, Fraction]]


@dataclass(frozen=True)
class Joint:
    """What was found: a bound, and where one was met, settings, weights and labels that reverse the order."""

    low: float
    value: Interval | None = None
    setting: Setting | None = None
    weights: Weights | None = None
    labels: Labels | None = None


@dataclass(frozen=True)
class _Reached:
    low: float
    reached: float
    labels: Labels
    weights: Weights


class _Unscaled(RangedMetric):
    """The same metric without the factor 1 − p."""

    def formula(self, setting: Mapping[str, Fraction]) -> Formula:
        formula: Any = super().formula(setting)
        return replace(formula, discount=replace(formula.discount, scaled=False))  # type: ignore[no-any-return]


class Search:
    """One pair, its labels in doubt, and perhaps weights and parameters."""

    def __init__(self, base: Labelling, a: int, b: int, order: Order | None) -> None:
        self.base, self.a, self.b, self.order = base, a, b, order
        formula = base.formula
        self.weighted = isinstance(formula.over, Aspects) and formula.over.weighted
        discount = formula.discount
        scaled = isinstance(discount, Geometric) and discount.scaled and "p" in base.metric.ranges
        self.bounded = _Unscaled(**vars(base.metric)) if scaled else base.metric

    def run(self) -> Joint:
        """Halve the parameters until every cell is decided or the cells run out."""
        metric = self.base.metric
        ends = {n: metric.ranges[n] for n in metric.ranges}
        if not all(n in ("p", "e", "alpha") for n in ends) or not supported(metric.formula(metric.middle)):
            return Joint(float("-inf"))
        start: list[Cell] = []
        for e in ends.get("e", (None,)):  # linear in e, so that its ends decide
            cell = {n: pair for n, pair in ends.items() if n != "e"}
            start.append(cell if e is None else {**cell, "e": (e, e)})
        outer = [dict(zip(ends, corner, strict=True)) for corner in product(*ends.values())]
        for setting in [metric.middle, *outer]:
            found = self._try(setting)
            if found is not None:
                return found
        return self._halve(start)

    def _halve(self, cells: list[Cell]) -> Joint:
        proved, used = float("inf"), 0
        while cells:
            cell = cells.pop()
            used += 1
            low = self._bound(cell)
            if low > 0:
                proved = min(proved, low)
                continue
            wide = max(cell, key=lambda n: cell[n][1] - cell[n][0], default="")
            if used >= CELLS or not wide or cell[wide][0] == cell[wide][1]:
                return Joint(min(low, proved))
            middle = {n: (x + y) / 2 for n, (x, y) in cell.items()}
            found = self._try(middle)
            if found is not None:
                return found
            x, y = cell[wide]
            cells += [{**cell, wide: (middle[wide], y)}, {**cell, wide: (x, middle[wide])}]
        return Joint(proved)

    def _try(self, setting: Setting) -> Joint | None:
        """Labels and weights that reverse the order at one setting, checked exactly."""
        found = self._worst(setting, setting, setting, setting)
        if found.reached >= SLACK:
            return None
        value = self.exact(setting, found.labels, found.weights)
        return Joint(float("-inf"), value, setting, found.weights, found.labels) if value[1] < 0 else None

    def _bound(self, cell: Cell) -> float:
        # p up raises gains and what effort costs; α up lowers gains.
        poor = {n: pair[1] if n == "alpha" else pair[0] for n, pair in cell.items()}
        rich = {n: pair[0] if n == "alpha" else pair[1] for n, pair in cell.items()}
        low = self._worst(poor, rich, rich, poor).low - SLACK
        if self.bounded is self.base.metric:
            return low
        least, most = cell["p"]
        return low * float(1 - (most if low > 0 else least))

    def _worst(self, first: Setting, second: Setting, first_effort: Setting, second_effort: Setting) -> _Reached:
        # Reversals are looked for at one setting with the metric itself, bounds over a cell without its common factor.
        metric = self.base.metric if first is second else self.bounded
        labelling = replace(self.base, setting=first, metric=metric)
        problems, _ = labelling.problems(self.a, self.b, second)
        low = reached = self._efforts(metric, first_effort, second_effort)
        labels: Labels = {}
        weights: Weights = {}
        for p in problems:
            if self.order is None or not self.weighted:
                answer, given = answer_of(labelling, p, self.a, self.b)
                low, reached = low + answer.low, reached + answer.reached
            else:
                bound, value, given, chosen = self._topic(p)
                low, reached = low + bound, reached + value
                if chosen:
                    weights[p.topic.name] = chosen
            if given:
                labels[p.topic.name] = given
        return _Reached(low, reached, labels, weights)

    def _topic(self, p: TopicProblem) -> tuple[float, float, Any, dict[str, Fraction]]:
        """The worst weights and labels of a topic: labels of each aspect first, then the corner."""
        solved = [p.channel(c) for c in range(p.counting)]
        options = corners(p.topic, self.order or "any")
        values = [sum(float(w) * x.reached for w, x in zip(corner, solved, strict=True)) for corner in options]
        lows = [sum(float(w) * x.low for w, x in zip(corner, solved, strict=True)) for corner in options]
        best = min(range(len(options)), key=lambda i: values[i], default=-1)
        given: dict[str, dict[str, float]] = {}
        used = {} if best < 0 else dict(zip(p.topic.aspects, options[best], strict=True))
        value, bound = (values[best], min(lows)) if options else (0.0, 0.0)
        for c in range(p.counting):
            if used[p.names[c]]:
                _write(given, p, c)
        spare = spare_documents(p.topic, self.a, self.b) if p.topic.idle else []
        for c in range(p.counting, len(p.names)):
            found = p.channel(c)
            if not (p.documents or spare):
                continue
            bound = min(bound, found.low)  # also with weights in a given order: a mean of aspects is at least the least
            if self.order == "any" and found.reached < value and found.labels.any():
                value, given, used = found.reached, {}, {p.names[c]: Fraction(1)}
                _write(given, p, c)
        return bound, value, given, used

    def _efforts(self, metric: RangedMetric, first: Setting, second: Setting) -> float:
        total = 0.0
        made = self.base.collection
        for sign, s, setting in ((1, self.a, first), (-1, self.b, second)):
            formula = metric.formula(setting)
            assert isinstance(formula, Sum)
            e = float(formula.effort)
            if e:
                longest = max(max(len(t.lists[s] or ()), made.filler(t)) for t in made.topics)
                table = formula.discount.table(longest)[1:]
                share = float(made.shares[s])
                total -= sign * e * share * sum(paid(made, made.topics[t], s, table) for t in made.counted[s])
        return total

    def exact(self, setting: Setting, labels: Labels, weights: Weights) -> Interval:
        """The difference of means at a setting, under labels and weights, in exact numbers."""
        made = self.base.collection
        formula = self.base.metric.formula(setting)
        total = Poly({})
        for t, topic in enumerate(made.topics):
            changed = topic.labelled(labels.get(topic.name, {}))
            if topic.name in weights:
                given = weights[topic.name]
                changed = replace(changed, weights=tuple(given.get(a, Fraction(0)) for a in changed.aspects))
            for sign, s in ((1, self.a), (-1, self.b)):
                if t in made.counted[s]:
                    value = Term.of(formula.exact(changed.ranking(s, made.depth, made.filler(topic)))).num
                    total = total + value * Poly.constant(sign * made.shares[s])
        return Objective([[total]]).at({})[0]


def _write(given: dict[str, dict[str, float]], p: TopicProblem, c: int) -> None:
    for d, value in enumerate(p.channel(c).labels.tolist()):
        if value:
            given.setdefault(p.documents[d], {})[p.names[c]] = p.grades[c][value]
