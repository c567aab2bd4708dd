"""Conclusions about unjudged documents, recomputed by scoring every labelling of a small collection with `evaluate`.

The collections have what random ones rarely have: topics and aspects without a relevant document, one document, weights
of 0, missing topics, and every rule for relevance. `PYTHONPATH=tests python -m support.labelled_conclusions 2000` runs
that many and prints the counts.
"""

from __future__ import annotations

import itertools
import random
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from diveval import conclude, evaluate
from diveval.conclusions import Conclusion
from diveval.errors import DivevalError

METRICS = ["ERR@3", "RBP@2", "RBU(p=0.8,e=0.1)@3", "ERR_IA@3", "alpha_DCG@3", "NRBP@3", "EU@3", "RBP_IA(p=0.5)@2"]
RULES: dict[str, tuple[Any, ...]] = {
    "gmax": ("file", "file", "per-aspect", 2),
    "gain": ("exponential", "exponential", "linear", "binary"),
    "empty_aspects": ("drop", "drop", "keep"),
    "renormalise": (True, True, False),
    "missing_topics": ("worst", "worst", "zero", "skip"),
    "rel": (None, None, 1),
}
Grades = dict[str, dict[str, float]]  # by aspect and document
Label = tuple[str, str, float]  # aspect, document, grade
ROUNDING = 1e-9


@dataclass(frozen=True)
class Labelled:
    """A small collection of two runs with unjudged documents."""

    judged: Mapping[str, Grades]
    runs: Mapping[str, Mapping[str, list[str]]]
    weights: Mapping[tuple[str, str], float] | None
    rules: Mapping[str, Any]
    metric: str

    @property
    def highest(self) -> float:
        """The highest grade of the file, or 1: what a label may be."""
        return max((g for t in self.judged.values() for row in t.values() for g in row.values()), default=0) or 1

    def shapes(self, topics: Mapping[str, str]) -> dict[str, dict[str, dict[str, float]]]:
        """The runs, with the list of a topic under each of its other names."""
        return {
            name: {new: {d: -float(i) for i, d in enumerate(lists[old])} for new, old in topics.items() if old in lists}
            for name, lists in self.runs.items()
        }

    def labellings(self, topic: str) -> Iterator[list[Label]]:
        """Every assignment of grades to the unjudged documents of a topic."""
        known = {d for row in self.judged[topic].values() for d in row}
        listed = sorted({d for lists in self.runs.values() for d in lists.get(topic, ())} - known)
        cells = [(aspect, d) for aspect in self.judged[topic] for d in listed]
        per_cell = [self._grades(topic, aspect) for aspect, _ in cells]
        for grades in itertools.product(*per_cell):
            yield [(*cell, grade) for cell, grade in zip(cells, grades, strict=True)]

    def _grades(self, topic: str, aspect: str) -> list[int]:
        """The possible labels: up to gmax, which is the aspect's own highest grade with --gmax per-aspect."""
        top, rule = self.highest, self.rules["gmax"]
        if rule == "per-aspect":
            top = max(self.judged[topic][aspect].values()) or top
        elif rule != "file":
            top = rule
        return [0, 1] if self.rules["gain"] == "binary" else list(range(int(top) + 1))


def draw(rng: random.Random) -> Labelled:
    """A collection with one or two topics, of which one may have nothing relevant."""
    highest = rng.choice([1, 1, 2])
    judged: dict[str, Grades] = {}
    runs: dict[str, dict[str, list[str]]] = {"a": {}, "b": {}}
    aspects = rng.choice([["x"], ["x"], ["x", "y"], ["y", "10", "9"]])
    for topic in ["1", "2"][: rng.choice([1, 2, 2])]:
        documents = [f"d{i}" for i in range(rng.choice([1, 1, 2, 3]))]
        empty = rng.random() < 0.35
        judged[topic] = {a: {d: rng.randint(0, highest) for d in documents} for a in aspects}
        for aspect in aspects:
            if empty or rng.random() < 0.35:
                judged[topic][aspect] = dict.fromkeys(documents, 0)
        unjudged = ["u0"] if len(aspects) == 3 or highest == 2 else ["u0", "u1"]
        for run in runs.values():
            if rng.random() < 0.9 or topic == "1":
                everything = [*documents, *unjudged]
                run[topic] = rng.sample(everything, rng.randint(1, min(3, len(everything))))
    weights = None
    if rng.random() < 0.4:
        weights = {(t, a): rng.choice([0.0, 0.25, 1.0, 3.0]) for t in judged for a in aspects}
    rules = {name: rng.choice(values) for name, values in RULES.items()}
    return Labelled(judged, runs, weights, rules, rng.choice(METRICS))


def leads(case: Labelled, better: str, worse: str) -> float:
    """The least lead of a system over another under any labels: topics share none, so each has its own minimum."""
    low = 0.0
    shares = {name: 1 / max(len(_counted(case, name)), 1) for name in (better, worse)}
    for topic in case.judged:
        values = _score_labellings(case, topic)
        both = [values[name] * (shares[name] if topic in _counted(case, name) else 0.0) for name in (better, worse)]
        low += float(np.min(both[0] - both[1]))
    return low


def _counted(case: Labelled, name: str) -> list[str]:
    """The topics in the mean of a system."""
    skips = case.rules["missing_topics"] == "skip"
    return [t for t in case.judged if not skips or t in case.runs[name]]


def _score_labellings(case: Labelled, topic: str) -> dict[str, Any]:
    """The scores of one topic, by system, under each labelling, scored as that many topics of one collection."""
    judged: dict[str, Grades] = {t: {a: dict(row) for a, row in g.items()} for t, g in case.judged.items()}
    copies = {}
    for i, labels in enumerate(case.labellings(topic)):
        copy = {aspect: dict(row) for aspect, row in case.judged[topic].items()}
        for aspect, document, grade in labels:
            copy[aspect][document] = grade
        judged[f"{topic}/{i}"] = copy
        copies[f"{topic}/{i}"] = topic
    weights = None
    if case.weights is not None:
        weights = {(t, a): case.weights[copies.get(t, t), a] for t, grades in judged.items() for a in grades}
    names = {**{t: t for t in case.judged}, **copies}
    found = evaluate(judged, case.shapes(names), case.metric, weights=weights, empty_topics="score", **case.rules)
    place = {name: i for i, name in enumerate(found.topics)}
    rows = [place[name] for name in copies]
    table = {run: found.values[r, 0, :][rows] for r, run in enumerate(found.runs)}
    return {run: np.nan_to_num(values) for run, values in table.items()}


def check(case: Labelled) -> str:
    """The verdict, which must agree with the least lead over every labelling; `refused` for an error with a code."""
    try:
        (row,) = conclude(
            case.judged,
            case.shapes({t: t for t in case.judged}),
            case.metric,
            unjudged="any",
            significance=False,
            weights=case.weights,
            empty_topics="score",
            **case.rules,
        ).rows
        low = leads(case, row.better, row.worse)
    except DivevalError as error:
        return f"refused: {error.code}"
    _compare(case, row, low)
    return row.verdict


def _compare(case: Labelled, row: Conclusion, low: float) -> None:
    if row.verdict == "certain":
        assert low > -ROUNDING, (case, row, low)
        assert row.margin <= low + ROUNDING, (case, row, low)
    elif row.verdict == "flips":
        assert low < ROUNDING, (case, row, low)
        assert low <= row.margin + ROUNDING, (case, row, low)
        assert abs(_lead(case, row, row.details["labels"]) - row.margin) < ROUNDING, (case, row, low)
    else:  # nobody leads as given, or no labels reverse the order
        assert low > -ROUNDING or abs(_lead(case, row, {})) < ROUNDING, (case, row, low)


def _lead(case: Labelled, row: Conclusion, labels: Mapping[str, Any]) -> float:
    """The lead under some labels, by topic, document and aspect, by `evaluate`."""
    judged = {t: {a: dict(r) for a, r in grades.items()} for t, grades in case.judged.items()}
    for topic, documents in labels.items():
        for document, grades in documents.items():
            for aspect, grade in grades.items():
                judged[topic][aspect][document] = grade
    runs = case.shapes({t: t for t in case.judged})
    found = evaluate(judged, runs, case.metric, weights=case.weights, empty_topics="score", **case.rules)
    means = dict(zip(found.runs, found.means[:, 0].tolist(), strict=True))
    return float(means[row.better] - means[row.worse])


def campaign(cases: int, seed: int = 0) -> Counter[str]:
    """The verdicts of many collections; an error names the seed of the case."""
    out: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(cases):
            try:
                out[check(draw(random.Random(f"{seed}-{i}")))] += 1
            except AssertionError as error:
                raise AssertionError(f"{seed}-{i}: {error}") from error
    return out


if __name__ == "__main__":
    print(campaign(int(sys.argv[1]) if len(sys.argv) > 1 else 2000, int(sys.argv[2]) if len(sys.argv) > 2 else 0))
