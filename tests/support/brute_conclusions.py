"""Conclusions for small random collections by brute force: every labelling, dense exact grids, every corner.

`PYTHONPATH=tests python -m support.brute_conclusions 450 --seed 3` runs that many cases of each kind of doubt and prints
the counts.
"""

from __future__ import annotations

import argparse
import itertools
import random
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from diveval.conclusions import Conclusion, conclude
from diveval.conclusions.exact_collection import Order
from diveval.conclusions.ranges import RangedMetric, as_ranged
from diveval.conclusions.results import names_of
from diveval.exact.symbols import decimal as approximate
from diveval.metrics.formulas import Formula
from diveval.metrics.numbers import Number
from diveval.metrics.ranking import Ranking
from support.progress import reporter
from support.rescoring import Lead, compared, lead
from support.small_cases import NUMBERS, Case, draw, grid, sign

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


class Checked(NamedTuple):
    """A verdict that agrees with brute force, and how its evidence compares with `evaluate`."""

    verdict: str
    rescored: Sequence[str] = ()


def by_parameters(rng: random.Random) -> Checked:
    """Compare the verdict of one case with parameters in doubt with a dense grid."""
    case, text = draw(rng), rng.choice(RANGED)
    metric = as_ranged(text)
    (row,) = conclude(case.judgments(), case.shapes(), text, significance=False).rows
    signs = set()
    for setting in grid(metric, 8 if len(metric.ranges) == 1 else 5):
        formula = metric.formula(setting)
        signs.add(sign(case.mean(row.better, formula) - case.mean(row.worse, formula)))
    return _agrees(row, signs, lambda: _at_witness(case, row, metric))


def _at_witness(case: Case, row: Conclusion, metric: RangedMetric) -> Lead:
    setting = {**metric.reference, **{name: Fraction(value) for name, value in row.details["setting"].items()}}
    formula = metric.formula(setting)
    exact = case.mean(row.better, formula) - case.mean(row.worse, formula)
    return Lead(exact, lead(case, row, metric.at(setting)))


def by_weights(rng: random.Random) -> Checked:
    """Compare the verdict of one case with weights in doubt with every corner and random weights."""
    case, text = draw(rng), rng.choice(WEIGHED)
    metric = as_ranged(text)
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

    def at_witness() -> Lead:
        weights = {t: {a: Fraction(w) for a, w in row.details["weights"][t].items()} for t in kept}
        corner = {t: [weights[t][a] for a in names] for t, names in kept.items()}
        exact = case.mean(row.better, formula, corner=corner) - case.mean(row.worse, formula, corner=corner)
        return Lead(exact, lead(case, row, metric.metric, weights=weights))

    return _agrees(row, signs, at_witness)


def _some_weights(rng: random.Random, case: Case, topic: str, names: list[str], order: Order) -> list[list[Fraction]]:
    n = len(names)
    if not n:
        return [[]]
    out = [[Fraction(int(i == j)) for i in range(n)] for j in range(n)]
    random_weights = [[Fraction(rng.randint(1, 9)) for _ in range(n)] for _ in range(3)]
    out += [[w / sum(ws) for w in ws] for ws in random_weights]
    if order == "given":
        given = [case.weights[topic, a] if case.weights else 1 for a in names]
        falling = sorted(range(n), key=lambda i: (-given[i], i))
        out = [ws for ws in out if all(ws[i] >= ws[j] for i, j in itertools.pairwise(falling))]
        out.append([Fraction(1, n)] * n)
    return out


def by_labels(rng: random.Random) -> Checked:
    """Compare the verdict of one case with unjudged documents with every labelling."""
    case = draw(rng, unjudged=2, topics=rng.choice([1, 1, 2]), highest=rng.choice([1, 2]))
    text = rng.choice(LABELLED)
    metric = as_ranged(text)
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

    def at_witness() -> Lead:
        labels = {
            t: {d: {a: int(g) for a, g in r.items()} for d, r in ds.items()} for t, ds in row.details["labels"].items()
        }
        exact = case.mean(row.better, formula, labels=labels) - case.mean(row.worse, formula, labels=labels)
        return Lead(exact, lead(case, row, metric.metric, labels=labels))

    return _agrees(row, signs, at_witness)


def _topic_difference(
    case: Case, topic: str, row: Conclusion, formula: Formula, labels: dict[str, dict[str, int]]
) -> Number:
    better, worse = (_topic_score(case, name, topic, formula, labels) for name in (row.better, row.worse))
    return better - worse


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
    return formula.exact(Ranking.of(listed, weights=one.weights_of(topic, kept, None), pool=[], numbers=NUMBERS))


def _agrees(row: Conclusion, signs: set[int], at_witness: Callable[[], Lead]) -> Checked:
    """The verdict, if it agrees with the signs found and, at the setting it names, with `evaluate`."""
    if row.verdict == "certain":
        assert signs == {1}, (row, signs)
        return Checked("certain", [compared(row, at_witness())] if row.details else [])
    if row.verdict == "flips":
        return Checked("flips", [compared(row, at_witness())])
    if -1 in signs:  # no order is reversed where both tie as given
        assert "tie" in row.witness and row.margin < 0, (row, signs)
        assert at_witness().exact < 0, row
        return Checked("undecided")
    assert 0 in signs or "tie" in row.witness, (row, signs)
    return Checked("undecided")


# --- judges, and everything at once -----------------------------------------------------------------------------------


def by_judges(rng: random.Random) -> Checked:
    """Compare the verdict of one case with several judges with the exact means under each."""
    case, text = draw(rng), rng.choice([*LABELLED, *WEIGHED, "alpha_nDCG@3", "Dsharp_nDCG@3"])
    cases = [case, *(second_opinion(rng, case) for _ in range(rng.randint(1, 2)))]
    metric = as_ranged(text)
    formula = metric.formula({})
    first, *others = [c.judgments() for c in cases]
    (row,) = conclude(first, case.shapes(), text, judges=others, significance=False).rows
    leads = [Lead(c.mean(row.better, formula) - c.mean(row.worse, formula), lead(c, row, metric.metric)) for c in cases]
    signs = [sign(one.exact) for one in leads]
    assert signs[0] >= 0, (row, signs)
    checked = _agrees(row, set(signs), lambda: min(leads, key=lambda one: Fraction(approximate(one.exact, 30))))
    if row.verdict == "certain":
        return Checked("certain", [compared(row, min(leads, key=lambda one: one.evaluated))])
    return checked


def second_opinion(rng: random.Random, case: Case) -> Case:
    """The same runs, topics and aspects with some grades drawn again."""
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


def by_everything(rng: random.Random) -> Checked:
    """Compare the verdict of one case with several kinds of doubt with every labelling, corner and judge on a grid.

    A pair that is undecided because the search did not find a reversal is counted separately.
    """
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
    metric = as_ranged(text if "parameters" in doubts else plain)
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
        evidence = alone[0] if alone else row
        return Checked("flips", [compared(evidence, _joint_witness(cases, evidence, metric))])
    elif -1 in signs:
        given = metric.formula(metric.reference)
        if case.mean(row.better, given) == case.mean(row.worse, given):  # no order is reversed where both tie as given
            return Checked("undecided")
        assert "tie" not in row.witness.split("alone")[0] or "alone" in row.witness, row
        return Checked("undecided, reversal not found")
    return Checked(row.verdict)


def case_lowest(case: Case, row: Conclusion, formula: Formula, order: Order | None, *, labelled: bool) -> Number:
    """The least lead at one setting under one judge, as a sum over topics, which share neither labels nor weights."""
    total: Number = Fraction(0)
    for topic in case.grades:
        cells = [(d, a) for d in case.unjudged(topic) for a in ("s0", "s1")] if labelled else []
        leads: list[Number] = []
        for grades in itertools.product((0, 1), repeat=len(cells)):
            labels: dict[str, dict[str, int]] = {}
            for (d, a), g in zip(cells, grades, strict=True):
                labels.setdefault(d, {})[a] = g
            rows = {**case.grades[topic], **labels}
            kept = [a for a in ("s0", "s1") if any(r.get(a, 0) > 0 for r in rows.values())]
            for corner in _corners(case, topic, kept, order):
                better, worse = (
                    _weighed_score(case, name, topic, formula, rows, kept, corner) for name in (row.better, row.worse)
                )
                leads.append(better - worse)
        total = total + min(leads, key=lambda v: Fraction(approximate(v, 30)))
    return total


def _corners(case: Case, topic: str, kept: list[str], order: Order | None) -> list[list[Fraction]]:
    if order is None or not kept:
        return [case.weights_of(topic, kept, None)]
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


def _joint_witness(cases: list[Case], row: Conclusion, metric: RangedMetric) -> Lead:
    """The lead at the setting, weights and labels of the evidence, under the judge that it names."""
    details = row.details
    setting = {**metric.reference, **{name: Fraction(value) for name, value in details.get("setting", {}).items()}}
    named = {t: {a: Fraction(w) for a, w in row.items()} for t, row in details.get("weights", {}).items()}
    labels = {
        t: {d: {a: int(g) for a, g in r.items()} for d, r in documents.items()}
        for t, documents in details.get("labels", {}).items()
    }
    judges = names_of([c.judgments() for c in cases])
    under = [i for i, n in enumerate(judges) if details.get("judge") == n or row.witness.startswith(f"under {n}: ")]
    case = cases[under[0] if under else 0]
    formula = metric.formula(setting)
    total: Number = Fraction(0)
    for topic in case.grades:
        rows = {**case.grades[topic], **labels.get(topic, {})}
        kept = [a for a in ("s0", "s1") if any(r.get(a, 0) > 0 for r in rows.values())]
        weights = case.weights_of(topic, kept, None)
        if topic in named:
            weights = [named[topic].get(a, Fraction(0)) for a in kept]
        for s, name in ((1, row.better), (-1, row.worse)):
            total = total + s * _weighed_score(case, name, topic, formula, rows, kept, weights)
    return Lead(total / len(case.grades), lead(case, row, metric.at(setting), labels=labels, weights=named))


KINDS = {
    "parameters": by_parameters,
    "weights": by_weights,
    "unjudged": by_labels,
    "judges": by_judges,
    "all": by_everything,
}


@dataclass
class Tally:
    """The number of cases by verdict, and of pieces of evidence that `evaluate` confirms."""

    verdicts: Counter[str] = field(default_factory=Counter)
    rescored: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        rescored = ", ".join(f"{n} {text}" for text, n in sorted(self.rescored.items()))
        return f"{dict(self.verdicts)}; by evaluate: {rescored or 'nothing to score'}"


def campaign(kind: str, cases: int, seed: int = 0, progress: Callable[[int], None] = lambda done: None) -> Tally:
    """Run many cases of one kind of doubt; an error names the seed of the case."""
    tally = Tally()
    for i in range(cases):
        progress(i)
        try:
            checked = KINDS[kind](random.Random(f"{seed}-{kind}-{i}"))
        except AssertionError as error:
            raise AssertionError(f"{seed}-{kind}-{i}: {error}") from error
        tally.verdicts[checked.verdict] += 1
        tally.rescored.update(f"{checked.verdict}: {text}" for text in checked.rescored)
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int, nargs="?", default=450)
    parser.add_argument("kinds", nargs="*", default=list(KINDS), metavar="KIND")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    every = Tally()
    for kind in arguments.kinds:
        tally = campaign(kind, arguments.cases, arguments.seed, reporter(kind, arguments.cases))
        print(kind, tally, flush=True)
        every.verdicts.update(tally.verdicts)
        every.rescored.update(tally.rescored)
    print("together", sum(every.verdicts.values()), "cases", every, flush=True)


if __name__ == "__main__":
    main()
