"""Small random collections of two runs, and their exact means from the definition of relevance and a formula."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from fractions import Fraction

from diveval.collection.judgments import Judgments
from diveval.conclusions.ranges import RangedMetric
from diveval.exact.symbols import Exacts
from diveval.exact.symbols import decimal as approximate
from diveval.metrics.formulas import Formula
from diveval.metrics.numbers import Number
from diveval.metrics.ranking import Ranking
from diveval.reading.objects import as_judgments

NUMBERS = Exacts()

Grades = dict[str, dict[str, dict[str, int]]]  # by topic, document and aspect
Weights = dict[str, list[Fraction]]  # by topic, in the order of its aspects


@dataclass
class Case:
    """Grades by topic, document and aspect; lists by run and topic; weights by topic."""

    grades: Grades
    runs: dict[str, dict[str, list[str]]]
    weights: dict[tuple[str, str], float] | None = None

    def judgments(self) -> Judgments:
        """The judgments as diveval reads them."""
        shape: Grades = {}
        for topic, documents in self.grades.items():
            for document, row in documents.items():
                for aspect, grade in row.items():
                    shape.setdefault(topic, {}).setdefault(aspect, {})[document] = grade
        judgments = as_judgments(shape)
        return judgments if self.weights is None else judgments.with_weights(self.weights)

    def shapes(self) -> dict[str, dict[str, dict[str, float]]]:
        """The runs as diveval reads them."""
        return {
            name: {topic: {d: -float(i) for i, d in enumerate(listed)} for topic, listed in topics.items()}
            for name, topics in self.runs.items()
        }

    def mean(
        self, run: str, formula: Formula, *, corner: Weights | None = None, labels: Grades | None = None
    ) -> Number:
        """The exact mean of a run, from the definition of relevance and the formula."""
        highest = max(g for t in self.grades.values() for row in t.values() for g in row.values())
        total = Fraction(0)
        for topic in self.grades:
            rows = {d: dict(row) for d, row in self.grades[topic].items()}
            rows |= (labels or {}).get(topic, {})
            names = sorted({a for row in self.grades[topic].values() for a in row})
            kept = [a for a in names if any(row.get(a, 0) > 0 for row in rows.values())]
            gains = {d: [Fraction(2 ** row.get(a, 0) - 1, 2**highest) for a in kept] for d, row in rows.items()}
            weights = self.weights_of(topic, kept, corner)
            listed = [gains.get(d, [Fraction(0)] * len(kept)) for d in self.runs[run][topic]]
            pool = [gains[d] for d in sorted(gains, reverse=True) if any(gains[d])]
            if not kept:
                weights, listed = [Fraction(1)], [[Fraction(0)] for _ in listed]
            total = total + formula.exact(Ranking.of(listed, weights=weights, pool=pool, numbers=NUMBERS))
        return total / len(self.grades)

    def labelled(self, labels: Grades) -> Case:
        """The same case with judgments of more documents."""
        grades = {t: {**rows, **labels.get(t, {})} for t, rows in self.grades.items()}
        return Case(grades, self.runs, self.weights)

    def weights_of(self, topic: str, kept: list[str], corner: Weights | None) -> list[Fraction]:
        if corner is not None:
            return corner[topic]
        if self.weights is None:
            return [Fraction(1, max(len(kept), 1))] * len(kept)
        given = [Fraction(repr(self.weights[topic, a])) for a in kept]
        return [w / sum(given) for w in given]

    def unjudged(self, topic: str) -> list[str]:
        """The unjudged documents of all lists."""
        return sorted({d for lists in self.runs.values() for d in lists[topic]} - set(self.grades[topic]))


def draw(rng: random.Random, *, unjudged: int = 0, topics: int = 2, aspects: int = 2, highest: int = 2) -> Case:
    """A small collection of two runs."""
    grades: Grades = {}
    lists: dict[str, dict[str, list[str]]] = {"a": {}, "b": {}}
    for t in range(topics):
        topic = f"t{t}"
        judged = [f"d{i}" for i in range(rng.randint(2, 4))]
        grades[topic] = {d: {f"s{a}": rng.choice([0, 0, *range(highest + 1)]) for a in range(aspects)} for d in judged}
        grades[topic]["dx"] = {f"s{a}": int(rng.random() < 0.8) * rng.randint(1, highest) for a in range(aspects)}
        documents = [*judged, "dx", "q0", "q1"] if not unjudged else [*judged, *(f"u{i}" for i in range(unjudged))]
        if not unjudged:
            grades[topic].update({q: {f"s{a}": 0 for a in range(aspects)} for q in ("q0", "q1")})
        for run in lists.values():
            run[topic] = rng.sample(documents, rng.randint(1, min(4, len(documents))))
    grades["t0"]["d0"]["s0"] = highest
    weights = None
    if rng.random() < 0.3:
        weights = {(t, f"s{a}"): rng.choice([0.1, 0.25, 0.3, 0.5]) for t in grades for a in range(aspects)}
    return Case(grades, lists, weights)


def sign(value: Number) -> int:
    """The sign of an exact number, possibly with logarithms; a number that is 0 to thirty digits counts as 0."""
    number = Fraction(approximate(value, 30))
    return (number > 0) - (number < 0)


def grid(metric: RangedMetric, steps: int) -> list[dict[str, Fraction]]:
    """Exact settings over every range, ends included."""
    axes = [[low + (high - low) * Fraction(i, steps) for i in range(steps + 1)] for low, high in metric.ranges.values()]
    return [dict(zip(metric.ranges, point, strict=True)) for point in itertools.product(*axes)]
