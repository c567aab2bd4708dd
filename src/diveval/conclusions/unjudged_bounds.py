"""Labels of unjudged documents that reduce one system's lead over another most, by topic and aspect.

Topics do not share labels, nor do the aspects of a topic, so each aspect is a separate small problem: minimise
Σ_i d_i r_i Π_{j<i} δ_j of the first list minus the same of the second over the labels of unjudged documents.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from diveval.conclusions.exact_collection import ZERO, ExactCollection, ExactTopic, Scale
from diveval.conclusions.objectives import Objective
from diveval.conclusions.ranges import RangedMetric, Setting
from diveval.conclusions.terms import Scored
from diveval.exact.logs import Interval
from diveval.exact.polynomials import Poly, Term
from diveval.metrics.algebra import Array
from diveval.metrics.formulas import Formula, Sum

TopicLabels = dict[str, dict[str, float]]  # document → aspect → grade
Labels = dict[str, TopicLabels]  # by topic
Weights = dict[str, dict[str, Fraction]]  # topic → aspect → weight
ENUMERATED = 1 << 12  # labellings that are enumerated; more are searched by branch and bound
FEW = 1 << 7  # labellings of an aspect that are kept for all settings of the parameters
NODES = 20_000
SLACK = 1e-10  # more than all rounding in a mean of sums of at most a few thousand products


def supports(formula: Formula) -> bool:
    """Whether a formula is a sum over aspects, or over the best aspect, with a product over documents as novelty."""
    total = formula.as_sum
    if total is None or not (total.over.per_aspect or total.over.takes_best):
        return False
    return total.novelty.decay_of(np.zeros(0)) is not None


@dataclass(frozen=True)
class LabelledList:
    """One list of the problem: its discounts and its novelty."""

    discounts: Array
    formula: Sum
    share: float  # of the topic in this system's mean

    def decay(self, r: Array) -> Array:
        found = self.formula.novelty.decay_of(r)
        assert found is not None  # `supports` metrics only
        return found

    def value(self, gains: Array, decays: Array) -> Array:
        """The list's part of the mean of its system."""
        return self.sum_gains(gains, decays) * self.share

    def sum_gains(self, gains: Array, decays: Array) -> Array:
        """Σ d_i g_i Π_{j<i} δ_j along the last axis."""
        if not gains.shape[-1]:
            return np.zeros(gains.shape[:-1])
        above = np.empty_like(decays)
        above[..., 0] = 1.0
        np.multiply.accumulate(decays[..., :-1], axis=-1, out=above[..., 1:])
        return np.asarray((gains * above) @ self.discounts[: gains.shape[-1]])


@dataclass
class Channel:
    """The solution for one aspect: a lower bound of the difference, the value reached, and the labels that reach it."""

    low: float
    reached: float
    labels: Array  # relevance of each unjudged document


@dataclass
class TopicProblem:
    """One topic of one pair: the unjudged documents of the two lists and their ranks."""

    topic: ExactTopic
    documents: list[str]
    places: tuple[NDArray[np.int64], NDArray[np.int64]]  # rank index of each document in the two lists, −1 if absent
    fixed: tuple[Array, Array]  # (channel, rank): judged relevance
    labels: list[Scale]  # by channel: those of aspects that count, then of idle ones
    counting: int
    sides: tuple[LabelledList, LabelledList]
    solved: dict[int, Channel] = field(default_factory=dict)

    @cached_property
    def tops(self) -> list[list[float]]:
        """By channel, the possible relevance of a label, ascending from 0."""
        return [list(scale) for scale in self.labels]

    @property
    def names(self) -> list[str]:
        """The aspects by channel: those that count, then idle ones."""
        return [*self.topic.aspects, *self.topic.idle]

    def channel(self, c: int) -> Channel:
        if c not in self.solved:
            self.solved[c] = _solve(self, c)
        return self.solved[c]

    def write(self, c: int, out: TopicLabels, labels: Array | None = None) -> None:
        """Add the labels of a channel as grades: those of its solution, or others."""
        for d, value in enumerate((self.channel(c).labels if labels is None else labels).tolist()):
            if value:
                aspect, grade = self.labels[c][value]
                out.setdefault(self.documents[d], {})[aspect] = grade

    def relevance(self, k: int, c: int, labels: Array) -> Array:
        """The relevance at each rank of the first or second list, for each row of labels, (labelling, document)."""
        fixed, places = self.fixed[k], self.places[k]
        out = np.empty((len(labels), fixed.shape[1]))  # `np.broadcast_to` is too slow for small problems
        out[:] = fixed[c]
        listed = places >= 0
        out[:, places[listed]] = labels[:, listed]
        return out

    def difference(self, c: int, labels: Array) -> Array:
        """First less second for each row of labels, (labelling, document)."""
        out = np.zeros(len(labels))
        for k, (sign, side) in enumerate(zip((1, -1), self.sides, strict=True)):
            grid = self.relevance(k, c, labels)
            out += sign * side.value(grid, side.decay(grid))
        return out

    def bound(self, c: int, labels: Array, free: NDArray[np.bool_]) -> Array:
        """A lower bound of the difference over all labels of the free documents."""
        top = self.tops[c][-1]
        out = np.zeros(len(labels))
        for k, (sign, side, places) in enumerate(zip((1, -1), self.sides, self.places, strict=True)):
            grid = self.relevance(k, c, np.where(free, 0.0 if sign > 0 else top, labels))
            listed = places >= 0
            decays = side.decay(grid)
            if side.formula.novelty.counts_documents:
                # The bound combines the worst of both: a label that lowers novelty and adds nothing (first list), or
                # adds the most and lowers no novelty (second list).
                ranks = places[listed & free]
                decays[:, ranks] = side.decay(np.ones(1))[0] if sign > 0 else 1.0
            out += sign * side.value(grid, decays)
        return out


def problem(topic: ExactTopic, a: int, b: int, sides: tuple[LabelledList, LabelledList]) -> TopicProblem:
    """Set up one topic of a pair."""
    overall = sides[0].formula.over.takes_best
    lists = [topic.lists[s] or () for s in (a, b)]
    unjudged = list(dict.fromkeys(d for listed in lists for d in listed if d is not None and d not in topic.judged))
    index = {d: i for i, d in enumerate(unjudged)}
    idle = 0 if overall else len(topic.idle)
    width = 1 if overall else len(topic.aspects)
    fixed, places = [], []
    for listed in lists:
        grid = np.zeros((width + idle, len(listed)))
        place = np.full(len(unjudged), -1, dtype=np.int64)
        for i, d in enumerate(listed):
            if d in index:
                place[index[d]] = i
            elif d is not None and d in topic.relevance:
                row = topic.floats[d]
                grid[:width, i] = max(row) if overall else row
        fixed.append(grid)
        places.append(place)
    labels = topic.scales(overall=overall)
    return TopicProblem(topic, unjudged, (places[0], places[1]), (fixed[0], fixed[1]), labels, width, sides)


def _choices(p: TopicProblem, c: int) -> list[list[float]]:
    """For each document the labels of one aspect among which the least difference is found."""
    top, low = p.tops[c][-1], p.tops[c][1] if len(p.tops[c]) > 1 else 0.0
    by_count = p.sides[0].formula.novelty.counts_documents
    # With several relevance levels, a weakly relevant document may lower later gains by more than it adds.
    graded = by_count and sum(r > 0 for r in p.tops[c]) > 1
    options: list[list[float]] = []
    for in_a, in_b in zip((p.places[0] >= 0).tolist(), (p.places[1] >= 0).tolist(), strict=True):
        if not graded and not (in_a and in_b):
            # More relevance never lowers a score here: 0 is worst in the first list only, the top in the second only.
            options.append([0.0] if in_a else [top])
        elif not by_count:
            options.append([0.0, top])  # linear in each label, so only the ends matter
        else:
            options.append(sorted({0.0, low, top} if in_a else {0.0, top}))
    return options


def labellings_of(p: TopicProblem, c: int, most: int) -> Array | None:
    """The labellings of one aspect of which one has the least difference, or None if they are too many."""
    if not p.documents:
        return np.zeros((1, 0))
    options = _choices(p, c)
    return np.array(list(product(*options))) if math.prod(map(len, options)) <= most else None


def _solve(p: TopicProblem, c: int) -> Channel:
    """The least difference over all labels of one aspect."""
    grid = labellings_of(p, c, ENUMERATED)
    if grid is None:
        return _branch(p, c, _choices(p, c))
    values = p.difference(c, grid)
    best = int(values.argmin())
    return Channel(float(values[best]), float(values[best]), grid[best])


def _branch(p: TopicProblem, c: int, options: list[list[float]]) -> Channel:
    """Branch and bound, one document per level, the most influential first; all nodes of a level at once.

    If a level has too many nodes, those with the highest bounds are dropped, and the lower bound includes theirs.
    """
    weight = [
        sum(s.discounts[place[d]] * s.share for s, place in zip(p.sides, p.places, strict=True) if place[d] >= 0)
        for d in range(len(options))
    ]
    order = sorted((d for d in range(len(options)) if len(options[d]) > 1), key=lambda d: -weight[d])
    nodes = np.array([[choice[0] for choice in options]])
    free = np.array([len(choice) > 1 for choice in options])
    value = p.difference(c, nodes)
    best, labels = float(value[0]), nodes[0].copy()
    dropped = np.inf
    for d in order:
        nodes = np.concatenate([_with(nodes, d, choice) for choice in options[d]])
        free[d] = False
        for guess in (nodes, np.where(free & (p.places[1] >= 0), p.tops[c][-1], nodes)):
            values = p.difference(c, guess)
            i = int(values.argmin())
            if values[i] < best:
                best, labels = float(values[i]), guess[i].copy()
        bounds = p.bound(c, nodes, free)
        keep = bounds < best - 1e-15
        nodes, bounds = nodes[keep], bounds[keep]
        if len(nodes) > NODES:
            kept = np.argsort(bounds, kind="stable")
            dropped = min(dropped, float(bounds[kept[NODES]]))
            nodes = nodes[kept[:NODES]]
        if not len(nodes):
            break
    return Channel(min(best, dropped), best, labels)


def _with(nodes: Array, d: int, choice: float) -> Array:
    out: Array = nodes.copy()
    out[:, d] = choice
    return out


@dataclass(frozen=True, eq=False)
class Labelling:
    """A metric at one setting over a collection, whose unjudged documents may get any labels."""

    collection: ExactCollection
    metric: RangedMetric
    scored: Scored  # at the setting
    setting: Setting

    @cached_property
    def formula(self) -> Sum:
        return self.metric.sum_at(self.setting)

    def sides(self, formula: Sum) -> LabelledList:
        """A list's discounts and novelty, with a share of 1."""
        return LabelledList(formula.discount.table(self.collection.longest)[1:], formula, 1.0)

    def problems(self, a: int, b: int) -> list[TopicProblem]:
        """Every topic of a pair."""
        side = self.sides(self.formula)
        out = []
        for t, topic in enumerate(self.collection.topics):
            shares = [self.collection.share(s, t) for s in (a, b)]
            out.append(problem(topic, a, b, (replace(side, share=shares[0]), replace(side, share=shares[1]))))
        return out

    def efforts(self, system: int, formula: Sum) -> float:
        """The efforts in a system's mean."""
        if not formula.effort:
            return 0.0
        costs = self.collection.costs_by_rank(system)
        table = formula.discount.table(self.collection.longest)[1:]
        return float(formula.effort) * float(self.collection.shares[system]) * float(table[: len(costs)] @ costs)

    def exact(
        self, a: int, b: int, labels: Labels, weights: Weights | None = None, setting: Setting | None = None
    ) -> Interval:
        """The difference of means under these labels, by the metric's own declaration in exact numbers.

        Topics may have other weights, and the metric may be at another setting.
        """
        made, total = self.collection, Poly({})
        formula = self.formula if setting is None else self.metric.formula(setting)
        for t, topic in enumerate(made.topics):
            given = labels.get(topic.name, {})
            if setting is None and not given:
                total = total + self.scored.raw_difference(t, a, b)
                continue
            changed = topic.add_labels(given)
            if weights is not None and topic.name in weights:
                shares = weights[topic.name]
                changed = replace(changed, weights=tuple(shares.get(aspect, ZERO) for aspect in changed.aspects))
            for sign, s in ((1, a), (-1, b)):
                if t in made.counted[s]:
                    value = Term.of(formula.exact(changed.ranking(s, made.depth, made.filler(topic)))).num
                    total = total + value * Poly.constant(sign * made.shares[s])
        return Objective([[total]]).at({})[0]

    def weights(self, topic: ExactTopic) -> tuple[list[float], bool]:
        """Weights of the aspects that count and of idle ones, and whether they are normalised to sum to 1."""
        over = self.formula.over
        if not over.per_aspect:
            return [1.0], False
        names = [*topic.aspects, *topic.idle]
        if not over.weighted:
            return [1.0] * len(names), False
        if topic.given is None:
            return [1.0] * len(names), True
        return [float(topic.given.get(a, 0)) for a in names], topic.rule.renormalise


def least(labelling: Labelling, p: TopicProblem, a: int, b: int) -> tuple[float, float, TopicLabels]:
    """The smallest difference of a topic under its weights: a bound, the value reached, and the labels that reach it.

    An idle aspect with a relevant label counts and gets its share of the weights. A label of an unjudged document
    outside both lists can make an aspect count without changing either list.
    """
    weights, mean = labelling.weights(p.topic)
    spare = spare_documents(p.topic, a, b) if p.topic.idle else []
    counting = [(weights[c], p.channel(c)) for c in range(p.counting)]
    idle = [
        (weights[c], c, _with_relevant(p, c, bool(spare)))
        for c in range(p.counting, len(p.labels))
        if weights[c] > 0 and (p.documents or spare) and len(p.tops[c]) > 1  # some label makes the aspect count
    ]
    low, _ = _weigh([(w, x.low) for w, x in counting], [(w, x.low) for w, _, x in idle], mean)
    reached, added = _weigh([(w, x.reached) for w, x in counting], [(w, x.reached) for w, _, x in idle], mean)
    labels: TopicLabels = {}
    for c in range(p.counting):
        p.write(c, labels)
    for i in added:
        _, c, solution = idle[i]
        p.write(c, labels, solution.labels)
        if not solution.labels.any():
            aspect, grade = p.labels[c][p.tops[c][1]]
            labels.setdefault(spare[0], {})[aspect] = grade
    return low, reached, labels


def _with_relevant(p: TopicProblem, c: int, spare: bool) -> Channel:
    """The smallest difference on an idle aspect that has at least one relevant document."""
    solution = p.channel(c)
    if solution.labels.any() or spare:
        return solution
    levels = sorted({0.0, p.tops[c][1], p.tops[c][-1]})  # the score is linear in a label between these
    if len(levels) ** len(p.documents) <= ENUMERATED:
        grid = np.array(list(product(levels, repeat=len(p.documents))))
        some = grid[grid.any(axis=1)]
        values = p.difference(c, some)
        i = int(values.argmin())
        return Channel(float(values[i]), float(values[i]), some[i])
    single = np.eye(len(p.documents)) * p.tops[c][1]
    values = p.difference(c, single)
    i = int(values.argmin())
    return Channel(0.0, float(values[i]), single[i])


def _weigh(
    counting: Sequence[tuple[float, float]], idle: Sequence[tuple[float, float]], mean: bool
) -> tuple[float, list[int]]:
    """The smallest sum or mean over the counting aspects and any idle ones, and which idle ones are included."""
    total, weight = sum(w * x for w, x in counting), sum(w for w, _ in counting)
    added = []
    for i in sorted(range(len(idle)), key=lambda i: idle[i][1]):
        w, x = idle[i]
        if x < (total / weight if mean and weight > 0 else 0.0):
            total, weight = total + w * x, weight + w
            added.append(i)
    return (total / weight if mean and weight > 0 else total), added


def spare_documents(topic: ExactTopic, a: int, b: int) -> list[str]:
    """Unjudged documents of other systems' lists, or below the cutoff."""
    own = {d for s in (a, b) for d in topic.lists[s] or ()}
    others = {d for listed in topic.lists for d in listed or () if d is not None}
    spare = sorted(d for d in others - own if d not in topic.judged)
    return spare or [d for d in (topic.below,) if d is not None]
