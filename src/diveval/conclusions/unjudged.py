"""Labels of unjudged documents that reverse the order of two systems, and the fewest documents that do.

Labels are in doubt alone, or together with parameters, weights, or both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from diveval.conclusions.exact_collection import Order, corners
from diveval.conclusions.label_grids import PairGrids
from diveval.conclusions.ranges import Setting
from diveval.conclusions.unjudged_bounds import (
    SLACK,
    Labelling,
    Labels,
    TopicLabels,
    TopicProblem,
    Weights,
    least,
    spare_documents,
    supports,
)
from diveval.exact.logs import Interval
from diveval.metrics.formulas import Sum

CELLS = 96  # of the parameters, per pair
Cell = dict[str, tuple[Fraction, Fraction]]
Reversal = tuple[Interval, Setting, Weights, Labels]  # the lead after the reversal, and what causes it


def attack(labelling: Labelling, a: int, b: int) -> tuple[float, float, Labels, list[TopicProblem]]:
    """The smallest lead of a over b under any labels: a lower bound, the value reached, and the labels that reach it."""
    problems = labelling.problems(a, b)
    low = reached = labelling.efforts(b, labelling.formula) - labelling.efforts(a, labelling.formula)
    labels: Labels = {}
    for p in problems:
        bound, value, given = least(labelling, p, a, b)
        low, reached = low + bound, reached + value
        if given:
            labels[p.topic.name] = given
    return low - SLACK, reached, labels, problems


# --- the fewest documents that reverse the order ----------------------------------------------------------------------


def fewest(
    labelling: Labelling, problems: Sequence[TopicProblem], a: int, b: int, lead: float
) -> tuple[Labels, int, Interval | None]:
    """Labels on few documents that reverse the order, a proved lower bound of their number, and the lead under them.

    Documents are added greedily, each the one whose labels reduce the lead most, until the order changes; no labels if
    it never does.
    """
    pickers = [_Picker(labelling, p) for p in problems]
    offers = [picker.best() for picker in pickers]
    ceilings = sorted((x for picker in pickers for x in picker.ceilings()), reverse=True)
    needed, left = 0, lead
    while needed < len(ceilings) and left >= -SLACK:
        left -= ceilings[needed]
        needed += 1
    taken, count = 0.0, 0
    while True:
        t = max(range(len(offers)), key=lambda i: offers[i][0], default=-1)
        if t < 0 or offers[t][0] <= 0:
            break
        taken += offers[t][0]
        count += 1
        pickers[t].take(offers[t])
        offers[t] = pickers[t].best()
        if taken > lead - SLACK:
            labels = {p.p.topic.name: p.grades() for p in pickers if p.chosen}
            value = labelling.exact(a, b, labels)
            if value[1] < 0:
                return labels, min(needed, count), value
    return {}, needed, None


Offer = tuple[float, int, Mapping[int, float]]  # the reduction of the lead, the document, its relevance by channel


class _Picker:
    """The documents of one topic, labelled one after the other; only aspects that count are labelled."""

    def __init__(self, labelling: Labelling, p: TopicProblem) -> None:
        self.p = p
        weights, mean = labelling.weights(p.topic)
        total = sum(weights[: p.counting])
        self.weights = [w / total if mean and total else w for w in weights[: p.counting]]
        self.labels = np.zeros((p.counting, len(p.documents)))
        self.chosen: set[int] = set()
        self.now = [float(p.difference(c, self.labels[c : c + 1])[0]) for c in range(p.counting)]

    def ceilings(self) -> list[float]:
        """For each document an upper bound of the reduction by its labels: all it could add to the second list."""
        p, out = self.p, np.zeros(len(self.p.documents))
        side, places = p.sides[1], p.places[1]
        for c in range(p.counting):
            fixed = p.fixed[1][c]
            if not len(fixed):
                continue
            above = np.ones_like(fixed)
            np.cumprod(side.decay(fixed)[:-1], out=above[1:])
            listed = places >= 0
            worth = side.discounts[: len(fixed)] * above * p.tops[c][-1] * side.share * self.weights[c]
            out[listed] += worth[places[listed]]
        return [float(x) for x in out]

    def best(self) -> Offer:
        """The document whose labels lower the difference most, given the labels so far."""
        p = self.p
        free = [d for d in range(len(p.documents)) if d not in self.chosen]
        if not free:
            return 0.0, -1, {}
        gains = np.zeros(len(free))
        picks: list[dict[int, float]] = [{} for _ in free]
        for c in range(p.counting):
            values = [r for r in p.tops[c] if r > 0]
            trial = np.repeat(self.labels[c : c + 1], len(free) * len(values), axis=0)
            for i, d in enumerate(free):
                trial[i * len(values) : (i + 1) * len(values), d] = values
            drop = self.now[c] - p.difference(c, trial).reshape(len(free), len(values))
            for i in range(len(free)):
                if drop.shape[1] and drop[i].max() > 0:
                    k = int(drop[i].argmax())
                    gains[i] += self.weights[c] * float(drop[i, k])
                    picks[i][c] = values[k]
        i = int(gains.argmax())
        return float(gains[i]), free[i], picks[i]

    def take(self, offer: Offer) -> None:
        _, d, picks = offer
        self.chosen.add(d)
        for c, r in picks.items():
            self.labels[c, d] = r
            self.now[c] = float(self.p.difference(c, self.labels[c : c + 1])[0])

    def grades(self) -> dict[str, dict[str, float]]:
        """The labels as grades, by document and aspect."""
        out = {}
        for d in sorted(self.chosen):
            labelled = [c for c in range(self.p.counting) if self.labels[c, d]]
            row = dict(self.p.labels[c][float(self.labels[c, d])] for c in labelled)
            out[self.p.documents[d]] = row
        return out

    def singles(self) -> dict[str, float]:
        """The largest reduction of the lead by the labels of each document alone, over all aspects."""
        p, out = self.p, np.zeros(len(self.p.documents))
        for c in range(p.counting):
            taken = [self.now[c] - p.difference(c, np.eye(len(out)) * r) for r in p.tops[c] if r > 0]
            if taken and len(out):
                out += self.weights[c] * np.maximum(np.max(taken, axis=0), 0.0)
        return dict(zip(p.documents, out.tolist(), strict=True))


def worth(labelling: Labelling, problems: Sequence[TopicProblem], lead: float) -> dict[tuple[str, str], float]:
    """The share of the lead, at most 1, by which the labels of each document alone can reduce it."""
    out = {}
    for p in problems:
        for document, drop in _Picker(labelling, p).singles().items():
            if drop > 0:
                out[p.topic.name, document] = min(1.0, drop / lead) if lead > 0 else 1.0
    return out


def text(labels: Labels) -> str:
    """`topic/document aspect=grade …`, joined by semicolons."""
    parts = []
    for topic, documents in labels.items():
        for document, row in documents.items():
            parts.append(f"{topic}/{document} " + ",".join(f"{a}={g:g}" for a, g in row.items()))
    return "; ".join(parts)


# --- labels together with weights and parameters ---


class Search:
    """One pair with its labels in doubt, and optionally weights and parameters.

    Gains rise with p and fall with α whatever the labels are. So on a cell of the parameters, the first system's score
    at the end with the smallest gains minus the second's at the end with the largest is a lower bound for all labels,
    weights and parameters of the cell. The factor 1 − p of RBP falls with p, but is common to both systems: it is
    omitted and applied to the bound afterwards.
    """

    def __init__(self, base: Labelling, a: int, b: int, order: Order | None) -> None:
        self.base, self.a, self.b, self.order = base, a, b, order
        formula = base.formula
        self.weighted = order is not None and formula.over.per_aspect and formula.over.weighted
        scaled = formula.discount.scaled and "p" in base.metric.ranges
        self.bounded = replace(base.metric, unscaled=True) if scaled else base.metric

    @cached_property
    def _problems(self) -> list[TopicProblem]:
        return self.base.problems(self.a, self.b)

    @cached_property
    def _grids(self) -> PairGrids:
        return PairGrids(self.base, self._problems, self.a, self.b)

    def run(self) -> tuple[float, Reversal | None]:
        """Halve the parameter ranges until every cell is decided or too many are used: a bound, and a reversal if found."""
        metric = self.base.metric
        ends = dict(metric.ranges)
        if not all(n in ("p", "e", "alpha") for n in ends) or not supports(metric.formula(metric.reference)):
            return float("-inf"), None
        outer = [dict(zip(ends, corner, strict=True)) for corner in product(*ends.values())]
        for setting in [metric.reference, *outer]:
            reversal = self._try(setting)
            if reversal is not None:
                return float("-inf"), reversal
        curved = {n: pair for n, pair in ends.items() if n != "e"}
        if "e" not in ends:
            return self._halve([curved])
        return self._halve([{**curved, "e": (e, e)} for e in ends["e"]])  # linear in e: its ends are enough

    def _halve(self, cells: list[Cell]) -> tuple[float, Reversal | None]:
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
                return min(low, proved), None
            middle = {n: (x + y) / 2 for n, (x, y) in cell.items()}
            reversal = self._try(middle)
            if reversal is not None:
                return float("-inf"), reversal
            x, y = cell[wide]
            cells += [{**cell, wide: (middle[wide], y)}, {**cell, wide: (x, middle[wide])}]
        return proved, None

    def _try(self, setting: Setting) -> Reversal | None:
        """Labels and weights that reverse the order at one setting, verified exactly."""
        formula = self.base.metric.sum_at(setting)
        if self._least(formula, formula) >= SLACK:  # a lower bound of what labels reach
            return None
        reached, labels, weights = self._labels(formula)
        if reached >= SLACK:
            return None
        value = self.base.exact(self.a, self.b, labels, weights, setting)
        return (value, setting, weights, labels) if value[1] < 0 else None

    def _bound(self, cell: Cell) -> float:
        # A larger p raises gains and the cost of effort; a larger α lowers gains.
        poor = {n: pair[1] if n == "alpha" else pair[0] for n, pair in cell.items()}
        rich = {n: pair[0] if n == "alpha" else pair[1] for n, pair in cell.items()}
        low = self._least(self.bounded.sum_at(poor), self.bounded.sum_at(rich)) - SLACK
        if self.bounded is self.base.metric:
            return low
        least_p, most_p = cell["p"]
        return low * float(1 - (most_p if low > 0 else least_p))

    def _least(self, first: Sum, second: Sum) -> float:
        """A lower bound of the difference: gains of the first system by one formula, of the second by the other,
        efforts the other way round."""
        total = self._efforts(second, first)
        problems: Sequence[TopicProblem] = self._problems
        if not self.weighted:
            total += float(self._grids.least((self.base.sides(first), self.base.sides(second))).sum())
            problems = [problems[t] for t in self._grids.slow]
        return total + sum(self._solve(p, first, second)[0] for p in problems)

    def _labels(self, formula: Sum) -> tuple[float, Labels, Weights]:
        """The smallest difference that is reached, with its labels and weights."""
        reached = self._efforts(formula, formula)
        labels: Labels = {}
        weights: Weights = {}
        for p in self._problems:
            _, value, given, chosen = self._solve(p, formula, formula)
            reached += value
            if chosen:
                weights[p.topic.name] = chosen
            if given:
                labels[p.topic.name] = given
        return reached, labels, weights

    def _solve(
        self, problem: TopicProblem, first: Sum, second: Sum
    ) -> tuple[float, float, TopicLabels, dict[str, Fraction]]:
        """One topic: a bound, the value reached, and the labels and weights that reach it."""
        pairs = zip((first, second), problem.sides, strict=True)
        sides = [replace(self.base.sides(formula), share=side.share) for formula, side in pairs]
        p = replace(problem, sides=(sides[0], sides[1]), solved={})
        if self.weighted:
            assert self.order is not None
            return self._topic(p, self.order)
        return *least(self.base, p, self.a, self.b), {}

    def _topic(self, p: TopicProblem, order: Order) -> tuple[float, float, TopicLabels, dict[str, Fraction]]:
        """The worst weights and labels of a topic: first the labels of each aspect, then the corner of the weights."""
        solved = [p.channel(c) for c in range(p.counting)]
        options = corners(p.topic, order)
        values = [sum(float(w) * x.reached for w, x in zip(corner, solved, strict=True)) for corner in options]
        lows = [sum(float(w) * x.low for w, x in zip(corner, solved, strict=True)) for corner in options]
        best = min(range(len(options)), key=lambda i: values[i], default=-1)
        given: TopicLabels = {}
        used = {} if best < 0 else dict(zip(p.topic.aspects, options[best], strict=True))
        value, bound = (values[best], min(lows)) if options else (0.0, 0.0)
        for c in range(p.counting):
            if used[p.names[c]]:
                p.write(c, given)
        spare = spare_documents(p.topic, self.a, self.b) if p.topic.idle else []
        for c in range(p.counting, len(p.labels)):
            solved_channel = p.channel(c)
            if not (p.documents or spare):
                continue
            # Valid for weights in a given order too: a mean over aspects is at least the smallest of them.
            bound = min(bound, solved_channel.low)
            if order == "any" and solved_channel.reached < value and solved_channel.labels.any():
                value, given, used = solved_channel.reached, {}, {p.names[c]: Fraction(1)}
                p.write(c, given)
        return bound, value, given, used

    def _efforts(self, first: Sum, second: Sum) -> float:
        return self.base.efforts(self.b, second) - self.base.efforts(self.a, first)
