"""Small random collections, and their conclusions by brute force: every labelling, dense exact grids, every corner.

`PYTHONPATH=tests python -m support.brute_conclusions 450 --seed 3` runs that many cases of each kind of doubt and prints
what it counted.
"""

from __future__ import annotations

import argparse
import itertools
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from diveval.axioms.arithmetic.numbers import Exacts
from diveval.axioms.arithmetic.numbers import decimal as approximate
from diveval.conclusions import Conclusion, conclude
from diveval.conclusions.ranges import RangedMetric, ranged
from diveval.conclusions.weights import Order
from diveval.judgments import Judgments
from diveval.metrics.formulas import Formula
from diveval.metrics.numbers import Number
from diveval.metrics.ranking import Ranking
from diveval.reading.shapes import as_judgments

NUMBERS = Exacts()
RANGED = [
    "RBU(p=0.5..0.9,e=0..0.2)@3",
    "RBU(p=0.3..1,e=0.05)",
    "RBP(p=0.2..0.9)@3",
    "RBP_IA(p=0.2..0.9)",
    "ERR@3",
    "ERR_IA@4",
    "NRBP(p=0.2..0.9,alpha=0.1..0.9)@4",
    "EU(alpha=0..1,e=0..0.3)@3",
    "alpha_DCG(alpha=0..1)@4",
    "CT(alpha=0..1,limit=0.5..2)@4",
    "Dsharp_nDCG(lam=0..1)@3",
    "iRBU(p=0.2..1)@3",
    "alpha_nDCG(alpha=0..1)@3",
    "alpha_nDCG(alpha=0.2..0.8)",
]
LABELLED = ["RBU(p=0.8,e=0.1)@3", "ERR_IA@3", "ERR@3", "RBP_IA(p=0.5)@3", "alpha_DCG@3", "NRBP@3", "EU@3", "RBP@2"]
ORDERS: list[Order] = ["any", "given"]
WEIGHED = ["RBU@3", "ERR_IA@3", "RBP_IA@3", "EU@3", "RR_IA@3", "CT@3"]

Grades = dict[str, dict[str, dict[str, int]]]  # by topic, document and aspect
Weights = dict[str, list[Fraction]]  # by topic, in the order of its aspects


@dataclass
class Case:
    """Grades by topic, document and aspect; lists by run and topic; weights by topic."""

    grades: Grades
    runs: dict[str, dict[str, list[str]]]
    weights: dict[tuple[str, str], float] | None = None
    labels: Grades = field(default_factory=dict)

    def judgments(self) -> Judgments:
        """What diveval is given."""
        shape: Grades = {}
        for topic, documents in self.grades.items():
            for document, row in documents.items():
                for aspect, grade in row.items():
                    shape.setdefault(topic, {}).setdefault(aspect, {})[document] = grade
        made = as_judgments(shape)
        return made if self.weights is None else made.with_weights(self.weights)

    def shapes(self) -> dict[str, dict[str, dict[str, float]]]:
        """The runs as diveval takes them."""
        return {
            name: {topic: {d: -float(i) for i, d in enumerate(listed)} for topic, listed in topics.items()}
            for name, topics in self.runs.items()
        }

    def mean(
        self, run: str, formula: Formula, *, corner: Weights | None = None, labels: Grades | None = None
    ) -> Number:
        """The mean of a run, exactly, from nothing but the definition of relevance and the formula."""
        highest = max(g for t in self.grades.values() for row in t.values() for g in row.values())
        total = Fraction(0)
        for topic in self.grades:
            rows = {d: dict(row) for d, row in self.grades[topic].items()}
            rows |= (labels or {}).get(topic, {})
            names = sorted({a for row in self.grades[topic].values() for a in row})
            kept = [a for a in names if any(row.get(a, 0) > 0 for row in rows.values())]
            gains = {d: [Fraction(2 ** row.get(a, 0) - 1, 2**highest) for a in kept] for d, row in rows.items()}
            weights = self._weights(topic, kept, corner)
            listed = [gains.get(d, [Fraction(0)] * len(kept)) for d in self.runs[run][topic]]
            pool = [gains[d] for d in sorted(gains, reverse=True) if any(gains[d])]
            if not kept:
                weights, listed = [Fraction(1)], [[Fraction(0)] for _ in listed]
            total = total + formula.exact(Ranking.of(listed, weights=weights, pool=pool, numbers=NUMBERS))
        return total / len(self.grades)

    def _weights(self, topic: str, kept: list[str], corner: Weights | None) -> list[Fraction]:
        if corner is not None:
            return corner[topic]
        if self.weights is None:
            return [Fraction(1, max(len(kept), 1))] * len(kept)
        given = [Fraction(repr(self.weights[topic, a])) for a in kept]
        return [w / sum(given) for w in given]

    def unjudged(self, topic: str) -> list[str]:
        """Documents of any list that nobody judged."""
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
        known = [*judged, "dx", "q0", "q1"] if not unjudged else [*judged, *(f"u{i}" for i in range(unjudged))]
        if not unjudged:
            grades[topic].update({q: {f"s{a}": 0 for a in range(aspects)} for q in ("q0", "q1")})
        for run in lists.values():
            run[topic] = rng.sample(known, rng.randint(1, min(4, len(known))))
    grades["t0"]["d0"]["s0"] = highest
    weights = None
    if rng.random() < 0.3:
        weights = {(t, f"s{a}"): rng.choice([0.1, 0.25, 0.3, 0.5]) for t in grades for a in range(aspects)}
    return Case(grades, lists, weights)


def sign(value: Number) -> int:
    """The sign of an exact number, logarithms included; what is 0 to thirty digits counts as 0."""
    number = Fraction(approximate(value, 30))
    return (number > 0) - (number < 0)


def grid(metric: RangedMetric, steps: int) -> list[dict[str, Fraction]]:
    """Exact settings over every range, ends included."""
    axes = [[low + (high - low) * Fraction(i, steps) for i in range(steps + 1)] for low, high in metric.ranges.values()]
    return [dict(zip(metric.ranges, point, strict=True)) for point in itertools.product(*axes)]


def by_parameters(rng: random.Random) -> str:
    """One case of parameters in doubt: the verdict against a dense grid."""
    case, text = draw(rng), rng.choice(RANGED)
    metric = ranged(text)
    (row,) = conclude(case.judgments(), case.shapes(), text, significance=False).rows
    signs = set()
    for setting in grid(metric, 8 if len(metric.ranges) == 1 else 5):
        formula = metric.formula(setting)
        signs.add(sign(case.mean(row.better, formula) - case.mean(row.worse, formula)))
    return _agrees(row, signs, lambda: _at_witness(case, row, metric))


def _at_witness(case: Case, row: Conclusion, metric: RangedMetric) -> int:
    setting = {name: Fraction(value) for name, value in row.details["setting"].items()}
    formula = metric.formula({**metric.middle, **setting})
    return sign(case.mean(row.better, formula) - case.mean(row.worse, formula))


def by_weights(rng: random.Random) -> str:
    """One case of weights in doubt: the verdict against every corner and random weights."""
    case, text = draw(rng), rng.choice(WEIGHED)
    metric = ranged(text)
    order = rng.choice(ORDERS)
    (row,) = conclude(case.judgments(), case.shapes(), text, any_weights=order, significance=False).rows
    formula = metric.formula({})
    signs = set()
    kept = {
        t: [a for a in sorted({a for r in rows.values() for a in r}) if any(r.get(a, 0) > 0 for r in rows.values())]
        for t, rows in case.grades.items()
    }
    axes = [_some_weights(rng, case, t, names, order) for t, names in kept.items()]
    for point in itertools.product(*axes):
        corner = dict(zip(kept, point, strict=True))
        signs.add(sign(case.mean(row.better, formula, corner=corner) - case.mean(row.worse, formula, corner=corner)))

    def at_witness() -> int:
        corner = {t: [Fraction(row.details["weights"][t][a]) for a in names] for t, names in kept.items()}
        return sign(case.mean(row.better, formula, corner=corner) - case.mean(row.worse, formula, corner=corner))

    return _agrees(row, signs, at_witness)


def _some_weights(rng: random.Random, case: Case, topic: str, names: list[str], order: Order) -> list[list[Fraction]]:
    n = len(names)
    if not n:
        return [[]]
    out = [[Fraction(int(i == j)) for i in range(n)] for j in range(n)]
    drawn = [[Fraction(rng.randint(1, 9)) for _ in range(n)] for _ in range(3)]
    out += [[w / sum(ws) for w in ws] for ws in drawn]
    if order == "given":
        given = [case.weights[topic, a] if case.weights else 1 for a in names]
        falling = sorted(range(n), key=lambda i: (-given[i], i))
        out = [ws for ws in out if all(ws[i] >= ws[j] for i, j in itertools.pairwise(falling))]
        out.append([Fraction(1, n)] * n)
    return out


def by_labels(rng: random.Random) -> str:
    """One case of unjudged documents in doubt: the verdict against every labelling."""
    case = draw(rng, unjudged=2, topics=rng.choice([1, 1, 2]), highest=rng.choice([1, 2]))
    text = rng.choice(LABELLED)
    metric = ranged(text)
    (row,) = conclude(case.judgments(), case.shapes(), text, unjudged=True, significance=False).rows
    formula = metric.formula({})
    highest = max(g for t in case.grades.values() for r in t.values() for g in r.values())
    totals: dict[str, list[Number]] = {}
    for t in case.grades:
        alone = Case({t: case.grades[t]}, {n: {t: lists[t]} for n, lists in case.runs.items()}, case.weights)
        alone.grades[t] = {**alone.grades[t], "top": {"s9": highest}}  # keeps the highest grade of the file
        totals[t] = []
        cells = [(d, a) for d in case.unjudged(t) for a in ("s0", "s1")]
        for grades in itertools.product(range(highest + 1), repeat=len(cells)):
            labels: dict[str, dict[str, int]] = {}
            for (d, a), g in zip(cells, grades, strict=True):
                labels.setdefault(d, {})[a] = g
            totals[t].append(_topic_difference(case, t, row, formula, labels))
    low = sum(min(values, key=lambda v: Fraction(approximate(v, 30))) for values in totals.values())
    signs = {sign(low), 1}

    def at_witness() -> int:
        labels = {
            t: {d: {a: int(g) for a, g in r.items()} for d, r in ds.items()} for t, ds in row.details["labels"].items()
        }
        return sign(case.mean(row.better, formula, labels=labels) - case.mean(row.worse, formula, labels=labels))

    return _agrees(row, signs, at_witness)


def _topic_difference(
    case: Case, topic: str, row: Conclusion, formula: Formula, labels: dict[str, dict[str, int]]
) -> Number:
    other = Case(dict(case.grades), case.runs, case.weights)
    alone = {row.better: Fraction(0), row.worse: Fraction(0)}
    for name in alone:
        alone[name] = _topic_score(other, name, topic, formula, labels)
    return alone[row.better] - alone[row.worse]


def _topic_score(case: Case, name: str, topic: str, formula: Formula, labels: dict[str, dict[str, int]]) -> Number:
    highest = max(g for t in case.grades.values() for r in t.values() for g in r.values())
    one = Case({topic: case.grades[topic]}, {name: {topic: case.runs[name][topic]}}, case.weights)
    rows = {**one.grades[topic], **labels}
    names = sorted({a for r in case.grades[topic].values() for a in r})
    kept = [a for a in names if any(r.get(a, 0) > 0 for r in rows.values())]
    gains = {d: [Fraction(2 ** r.get(a, 0) - 1, 2**highest) for a in kept] for d, r in rows.items()}
    listed = [gains.get(d, [Fraction(0)] * len(kept)) for d in case.runs[name][topic]]
    if not kept:
        return formula.exact(Ranking.of([[Fraction(0)] for _ in listed], weights=[1], pool=[], numbers=NUMBERS))
    return formula.exact(Ranking.of(listed, weights=one._weights(topic, kept, None), pool=[], numbers=NUMBERS))


def _agrees(row: Conclusion, signs: set[int], at_witness: Callable[[], int]) -> str:
    """The verdict, once it is seen to agree with the signs met and its witness."""
    if row.verdict == "certain":
        assert signs == {1}, (row, signs)
    elif row.verdict == "flips":
        assert at_witness() < 0, row
    else:
        assert -1 not in signs, (row, signs)
        assert 0 in signs or "tie" in row.witness, (row, signs)
    return row.verdict


# --- judges, and everything at once -----------------------------------------------------------------------------------


def by_judges(rng: random.Random) -> str:
    """One case of several judges: the verdict against the exact means under each."""
    case, text = draw(rng), rng.choice([*LABELLED, *WEIGHED, "alpha_nDCG@3", "Dsharp_nDCG@3"])
    cases = [case, *(second_opinion(rng, case) for _ in range(rng.randint(1, 2)))]
    formula = ranged(text).formula({})
    first, *others = [c.judgments() for c in cases]
    (row,) = conclude(first, case.shapes(), text, judges=others, significance=False).rows
    signs = [sign(c.mean(row.better, formula) - c.mean(row.worse, formula)) for c in cases]
    assert signs[0] >= 0, (row, signs)
    return _agrees(row, set(signs), lambda: min(signs))


def second_opinion(rng: random.Random, case: Case) -> Case:
    """The same runs, topics and aspects with some grades drawn anew."""
    highest = max(g for t in case.grades.values() for row in t.values() for g in row.values())
    grades = {
        t: {
            d: {a: rng.randint(0, highest) if rng.random() < 0.3 else g for a, g in row.items()}
            for d, row in rows.items()
        }
        for t, rows in case.grades.items()
    }
    grades["t0"]["d0"]["s0"] = highest
    return Case(grades, case.runs, case.weights)


JOINT = [
    ("RBU(p=0.5..0.9,e=0..0.2)@3", "RBU(p=0.8,e=0.1)@3"),
    ("RBP(p=0.2..0.9)@2", "RBP@2"),
    ("RBP_IA(p=0.2..0.9)@3", "RBP_IA(p=0.5)@3"),
    ("NRBP(p=0.2..0.9,alpha=0.1..0.9)@3", "NRBP@3"),
    ("EU(alpha=0..1,e=0..0.3)@3", "EU@3"),
    ("alpha_DCG(alpha=0..1)@3", "alpha_DCG@3"),
    ("ERR_IA@3", "ERR_IA@3"),
]


def by_everything(rng: random.Random) -> str:
    """One case of at least two kinds of doubt at once: the verdict against every labelling, corner and judge, at the
    points of a grid. A reversal that the search did not find leaves a pair undecided, which is counted by itself."""
    text, plain = rng.choice(JOINT)
    choices = [
        {"weights", "unjudged"},
        {"weights", "judges"},
        {"unjudged", "judges"},
        {"weights", "unjudged", "judges"},
    ]
    doubts = rng.choice(choices)
    if rng.random() < 0.6 or not doubts:
        doubts = {"parameters", *rng.sample(sorted(doubts), rng.randint(1, len(doubts)))}
    metric = ranged(text if "parameters" in doubts else plain)
    case = draw(rng, unjudged=2 if "unjudged" in doubts else 0, topics=rng.choice([1, 2]), highest=1)
    cases = [case, second_opinion(rng, case)] if "judges" in doubts else [case]
    order = rng.choice(ORDERS) if "weights" in doubts else None
    first, *others = [c.judgments() for c in cases]
    rows = conclude(
        first,
        case.shapes(),
        metric.name,
        any_weights=order or False,
        unjudged="unjudged" in doubts,
        judges=others,
        significance=False,
    ).rows
    row = rows[-1]
    lowest = [
        case_lowest(c, row, metric.formula(setting), order, labelled="unjudged" in doubts)
        for c in cases
        for setting in grid(metric, 3)
    ]
    signs = {sign(value) for value in lowest}
    if row.verdict == "certain":
        assert signs == {1}, (row, signs)
    elif row.verdict == "flips":
        alone = [r for r in rows if row.witness.startswith(f"{r.doubt} alone: ")]
        assert _joint_witness(cases, alone[0] if alone else row, metric) < 0, row
    elif -1 in signs:
        assert "tie" not in row.witness.split("alone")[0] or "alone" in row.witness, row
        return "undecided, reversal not found"
    return row.verdict


def case_lowest(case: Case, row: Conclusion, formula: Formula, order: Order | None, *, labelled: bool) -> Number:
    """The least lead at one setting under one judge: topics share neither labels nor weights."""
    total: Number = Fraction(0)
    for topic in case.grades:
        cells = [(d, a) for d in case.unjudged(topic) for a in ("s0", "s1")] if labelled else []
        found: list[Number] = []
        for grades in itertools.product((0, 1), repeat=len(cells)):
            labels: dict[str, dict[str, int]] = {}
            for (d, a), g in zip(cells, grades, strict=True):
                labels.setdefault(d, {})[a] = g
            rows = {**case.grades[topic], **labels}
            kept = [a for a in ("s0", "s1") if any(r.get(a, 0) > 0 for r in rows.values())]
            for corner in _corners(case, topic, kept, order):
                lead = [
                    _weighed_score(case, name, topic, formula, rows, kept, corner) for name in (row.better, row.worse)
                ]
                found.append(lead[0] - lead[1])
        total = total + min(found, key=lambda v: Fraction(approximate(v, 30)))
    return total


def _corners(case: Case, topic: str, kept: list[str], order: Order | None) -> list[list[Fraction]]:
    if order is None or not kept:
        return [case._weights(topic, kept, None)]
    n = len(kept)
    if order == "any":
        return [[Fraction(int(i == j)) for i in range(n)] for j in range(n)]
    falling = sorted(range(n), key=lambda i: (-(case.weights[topic, kept[i]] if case.weights else 1), i))
    return [[Fraction(int(i in falling[:j]), j) for i in range(n)] for j in range(1, n + 1)]


def _weighed_score(
    case: Case,
    name: str,
    topic: str,
    formula: Formula,
    rows: dict[str, dict[str, int]],
    kept: list[str],
    weights: list[Fraction],
) -> Number:
    gains = {d: [Fraction(r.get(a, 0), 2) for a in kept] for d, r in rows.items()}
    listed = [gains.get(d, [Fraction(0)] * len(kept)) for d in case.runs[name][topic]]
    if not kept:
        return formula.exact(Ranking.of([[Fraction(0)] for _ in listed], weights=[1], pool=[], numbers=NUMBERS))
    return formula.exact(Ranking.of(listed, weights=weights, pool=[], numbers=NUMBERS))


def _joint_witness(cases: list[Case], row: Conclusion, metric: RangedMetric) -> int:
    """The sign of the lead at the settings, weights and labels that the evidence names, under the judge that is worst."""
    details = row.details
    setting = {name: Fraction(value) for name, value in details.get("setting", {}).items()}
    formula = metric.formula({**metric.middle, **setting})
    signs = []
    for case in cases:
        total: Number = Fraction(0)
        for topic in case.grades:
            labels = {d: {a: int(g) for a, g in r.items()} for d, r in details.get("labels", {}).get(topic, {}).items()}
            rows = {**case.grades[topic], **labels}
            kept = [a for a in ("s0", "s1") if any(r.get(a, 0) > 0 for r in rows.values())]
            named = details.get("weights", {}).get(topic)
            weights = case._weights(topic, kept, None)
            if named is not None:
                weights = [Fraction(named.get(a, 0)) for a in kept]
            for s, name in ((1, row.better), (-1, row.worse)):
                total = total + s * _weighed_score(case, name, topic, formula, rows, kept, weights)
        signs.append(sign(total))
    return min(signs)


KINDS = {
    "parameters": by_parameters,
    "weights": by_weights,
    "unjudged": by_labels,
    "judges": by_judges,
    "all": by_everything,
}


def campaign(kind: str, cases: int, seed: int = 0) -> Counter[str]:
    """Many cases of one kind of doubt; a case that disagrees is named by its seed."""
    counts: Counter[str] = Counter()
    for i in range(cases):
        try:
            counts[KINDS[kind](random.Random(f"{seed}-{kind}-{i}"))] += 1
        except AssertionError as error:
            raise AssertionError(f"{seed}-{kind}-{i}: {error}") from error
    return counts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int, nargs="?", default=450)
    parser.add_argument("kinds", nargs="*", default=list(KINDS), metavar="KIND")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    for kind in asked.kinds:
        print(kind, dict(campaign(kind, asked.cases, asked.seed)), flush=True)
