"""Unjudged documents in doubt: can any labels of theirs change the order of two systems, and which few documents do?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from diveval.axioms.arithmetic.polynomials import Poly, Term
from diveval.conclusions.collection import DoubtedTopic, ExactCollection
from diveval.conclusions.labels import SLACK, SPARE, LabelledList, LeastDifference, TopicProblem, least, problem
from diveval.conclusions.objectives import Interval, Objective
from diveval.conclusions.ranges import RangedMetric, Setting
from diveval.conclusions.terms import Scored
from diveval.metrics.algebra import Aspects
from diveval.metrics.formulas import Sum

Labels = dict[str, dict[str, dict[str, float]]]  # topic → document → aspect → grade


@dataclass(frozen=True, eq=False)
class Labelling:
    """A metric at one setting over a collection, ready to be attacked through the labels of unjudged documents."""

    collection: ExactCollection
    metric: RangedMetric
    scored: Scored  # at the setting
    setting: Setting

    @property
    def formula(self) -> Sum:
        formula = self.metric.formula(self.setting)
        assert isinstance(formula, Sum)
        return formula

    def problems(self, a: int, b: int, other: Setting | None = None) -> tuple[list[TopicProblem], float]:
        """Every topic of a pair, and what their efforts add; the second system may be taken at another setting."""
        first = self.formula
        second = self.metric.formula(other) if other is not None else first
        assert isinstance(second, Sum)
        longest = max((len(held or ()) for t in self.collection.topics for held in t.lists), default=0)
        longest = max(longest, self.collection.depth or 0, *(self.collection.filler(t) for t in self.collection.topics))
        tables = [formula.discount.table(longest)[1:] for formula in (first, second)]
        out, effort = [], 0.0
        for t, topic in enumerate(self.collection.topics):
            sides = []
            for sign, s, formula, table in zip((1, -1), (a, b), (first, second), tables, strict=True):
                share = float(self.collection.shares[s]) if t in self.collection.counted[s] else 0.0
                sides.append(LabelledList(table, formula, share))
                effort -= sign * share * float(formula.effort) * paid(self.collection, topic, s, table)
            out.append(problem(topic, a, b, (sides[0], sides[1]), self.collection.depth))
        return out, effort

    def exact(self, a: int, b: int, labels: Labels) -> Interval:
        """The difference of means under these labels, by the metric's own declaration in exact numbers."""
        total = Poly({})
        formula = self.formula
        for t, topic in enumerate(self.collection.topics):
            given = labels.get(topic.name)
            if not given:
                total = total + self.scored.raw_difference(t, a, b)
                continue
            changed = topic.labelled(given)
            for sign, s in ((1, a), (-1, b)):
                if t in self.collection.counted[s]:
                    ranking = changed.ranking(s, self.collection.depth, self.collection.filler(topic))
                    value = Term.of(formula.exact(ranking)).num
                    total = total + value * Poly.constant(sign * self.collection.shares[s])
        return Objective([[total]]).at({})[0]

    def weights(self, topic: DoubtedTopic) -> tuple[list[float], bool]:
        """Weights of the aspects that count and of idle ones, and whether they are made to sum to 1."""
        over = self.formula.over
        if not isinstance(over, Aspects):
            return [1.0], False
        names = [*topic.aspects, *topic.idle]
        if not over.weighted:
            return [1.0] * len(names), False
        if topic.given is None:
            return [1.0] * len(names), True
        return [float(topic.given.get(a, 0)) for a in names], topic.rule.renormalise


def paid(collection: ExactCollection, topic: DoubtedTopic, system: int, table: Any) -> float:
    """Σ discount · cost over the ranks of a list."""
    listed = topic.lists[system]
    if listed is None:
        n = collection.filler(topic)
        return float(table[:n].sum()) * float(topic.filler_cost)
    if topic.costs is None:
        return float(table[: len(listed)].sum())
    return float(np.dot(table[: len(listed)], [float(c) for c in topic.costs[system][: len(listed)]]))


@dataclass(frozen=True)
class Attack:
    """The most that labels can do to a lead: a bound, what was reached, and the labels that reach it."""

    low: float
    reached: float
    labels: Labels


def spare_documents(topic: DoubtedTopic, a: int, b: int) -> list[str]:
    """Unjudged documents of other systems' lists, or below the cutoff."""
    here = {d for s in (a, b) for d in topic.lists[s] or ()}
    others = {d for held in topic.lists for d in held or () if d is not None}
    found = sorted(d for d in others - here if d not in topic.judged)
    return found or [d for d in (topic.below,) if d is not None]


def attack(labelling: Labelling, a: int, b: int) -> tuple[Attack, list[TopicProblem]]:
    """The labels that hurt the lead of a over b most."""
    problems, effort = labelling.problems(a, b)
    low = reached = effort
    labels: Labels = {}
    for p in problems:
        answer, given = answer_of(labelling, p, a, b)
        low, reached = low + answer.low, reached + answer.reached
        if given:
            labels[p.topic.name] = given
    return Attack(low - SLACK, reached, labels), problems


def answer_of(
    labelling: Labelling, p: TopicProblem, a: int, b: int
) -> tuple[LeastDifference, dict[str, dict[str, float]]]:
    """One topic's worst labels, with a real document in the place of the spare one."""
    weights, mean = labelling.weights(p.topic)
    spare = spare_documents(p.topic, a, b) if p.topic.idle else []
    answer = least(p, weights, mean=mean, spare=bool(spare))
    given = {spare[0] if d == SPARE else d: dict(row) for d, row in answer.labels.items()}
    return answer, given


# --- the fewest documents that decide it ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fewest:
    """Labels on few documents that reverse the order; `least` is a proved lower bound of their number, if any."""

    labels: Labels
    count: int
    least: int


def fewest(labelling: Labelling, problems: Sequence[TopicProblem], a: int, b: int, lead: float) -> Fewest:
    """Documents one by one, each the one whose labels take most from the lead, until the order changes."""
    pickers = [_Picker(labelling, p) for p in problems]
    offers = [picker.best() for picker in pickers]
    ceilings = sorted((x for picker in pickers for x in picker.ceilings()), reverse=True)
    needed, left = 0, lead
    while needed < len(ceilings) and left >= -SLACK:
        left -= ceilings[needed]
        needed += 1
    taken = 0.0
    labels: Labels = {}
    count = 0
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
            if labelling.exact(a, b, labels)[1] < 0:
                return Fewest(labels, count, min(needed, count))
    return Fewest({}, 0, needed)


Offer = tuple[float, int, Mapping[int, float]]  # what it takes from the lead, the document, its relevance by channel


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
        """For each document, more than its labels can ever take from the lead: all it could add to the second list."""
        p, out = self.p, np.zeros(len(self.p.documents))
        side, places = p.sides[1], p.places[1]
        for c in range(p.counting):
            fixed = p.fixed[1][c]
            if not len(fixed):
                continue
            above = np.ones_like(fixed)
            np.cumprod(side.decay(fixed)[:-1], out=above[1:])
            here = places >= 0
            worth = side.discounts[: len(fixed)] * above * p.tops[c][-1] * side.share * self.weights[c]
            out[here] += worth[places[here]]
        return [float(x) for x in out]

    def best(self) -> Offer:
        """The document whose labels lower the difference most, given those labelled already."""
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
            row = {self.p.names[c]: self.p.grades[c][float(self.labels[c, d])] for c in labelled}
            out[self.p.documents[d]] = row
        return out

    def singles(self) -> dict[str, float]:
        """What the labels of each document alone can take from the lead, on all aspects together."""
        p, out = self.p, np.zeros(len(self.p.documents))
        for c in range(p.counting):
            taken = [self.now[c] - p.difference(c, np.eye(len(out)) * r) for r in p.tops[c] if r > 0]
            if taken and len(out):
                out += self.weights[c] * np.maximum(np.max(taken, axis=0), 0.0)
        return dict(zip(p.documents, out.tolist(), strict=True))


def worth(labelling: Labelling, problems: Sequence[TopicProblem], lead: float) -> dict[tuple[str, str], float]:
    """The share of the lead, at most 1, that the labels of each document alone can take away."""
    out = {}
    for p in problems:
        for document, drop in _Picker(labelling, p).singles().items():
            if drop > 0:
                out[p.topic.name, document] = min(1.0, drop / lead) if lead > 0 else 1.0
    return out


def text(labels: Labels) -> str:
    """`topic/document aspect=grade …`, a document after the other."""
    parts = []
    for topic, documents in labels.items():
        for document, row in documents.items():
            parts.append(f"{topic}/{document} " + ",".join(f"{a}={g:g}" for a, g in row.items()))
    return "; ".join(parts)
