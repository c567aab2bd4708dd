"""Random settings that try to refute every certain conclusion, scored by `evaluate`.

`PYTHONPATH=tests python -m support.attack_conclusions 104000` tries that many settings of the parameters in total, and a
tenth as many weights, labels and combinations of all, and prints the counts.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from diveval import evaluate
from diveval.conclusions import Conclusions, conclude
from diveval.conclusions.ranges import RangedMetric, Setting, as_ranged
from diveval.reading.objects import as_judgments
from support.progress import reporter

METRICS = [
    "RBU(p=0.5..0.99,e=0..0.1)@10",
    "NRBP(p=0.4..0.9,alpha=0.2..0.9)@10",
    "EU(alpha=0..0.9,e=0..0.1)@10",
    "alpha_nDCG(alpha=0.1..0.9)@5",
]
JOINT = [  # the kinds of doubt, and the metric
    (("weights",), "RBU(p=0.8,e=0.02)@10"),
    (("weights",), "ERR_IA@10"),
    (("unjudged",), "RBU(p=0.8,e=0.02)@10"),
    (("unjudged",), "alpha_DCG@10"),
    (("parameters", "weights"), "RBU(p=0.5..0.95,e=0..0.1)@10"),
    (("parameters", "unjudged"), "NRBP(p=0.4..0.7,alpha=0.4..0.6)@10"),
    (("parameters", "weights", "unjudged"), "RBU(p=0.6..0.8,e=0..0.05)@10"),
]
BATCH = 400  # settings scored by one call
COPIES = 40  # of the collection with other weights and labels, scored by one call
COLLECTIONS = 5

Grades = dict[str, dict[str, float]]  # by aspect and document
Runs = dict[str, dict[str, dict[str, float]]]


class Withstood(NamedTuple):
    """The number of certain pairs, of settings that refuted none, and of flips that `evaluate` confirmed."""

    certain: int
    settings: int
    flips: int

    def __str__(self) -> str:
        return f"{self.certain} certain pairs withstood {self.settings} settings; {self.flips} flips confirmed"


def collection(rng: random.Random, *, topics: int, systems: int) -> tuple[dict[str, Grades], Runs]:
    """Graded judgments of three aspects, and systems of different quality."""
    documents = [f"d{i}" for i in range(14)]
    qrels: dict[str, Grades] = {}
    runs: Runs = {f"s{i}": {} for i in range(systems)}
    for t in range(topics):
        grades: Grades = {a: {d: rng.choice([0, 0, 0, 1, 2]) for d in documents} for a in "xyz"}
        grades["x"]["d0"] = 2
        qrels[str(t)] = grades
        for i, run in enumerate(runs.values()):
            worth = {
                d: sum(grades[a][d] for a in "xyz") * (systems - i) / systems + rng.random() * (1 + i)
                for d in documents
            }
            run[str(t)] = {d: worth[d] for d in sorted(documents, key=lambda d: -worth[d])[: rng.randint(4, 12)]}
    return qrels, runs


def random_settings(rng: random.Random, metric: RangedMetric, count: int) -> list[Setting]:
    """Random settings of the ranges, many of them at an end."""
    return [
        {
            name: rng.choice([low, high, low + (high - low) * Fraction(rng.random())])
            for name, (low, high) in metric.ranges.items()
        }
        for _ in range(count)
    ]


def certain_pairs(result: Conclusions) -> list[tuple[int, int]]:
    """(better, worse) of the conclusions that are certain under all doubts."""
    place = result.systems.index
    return [(place(r.better), place(r.worse)) for r in result.rows[-_pairs(result) :] if r.verdict == "certain"]


def _pairs(result: Conclusions) -> int:
    return len(result.systems) * (len(result.systems) - 1) // 2


def attack(
    text: str,
    settings: int,
    seed: int,
    progress: Callable[[int], None] = lambda done: None,
    *,
    topics: int = 8,
    systems: int = 6,
) -> Withstood:
    """Fail if a setting of the parameters refutes a certain pair, or if a reported flip is none."""
    rng = random.Random(f"{text}-{seed}")
    qrels, runs = collection(rng, topics=topics, systems=systems)
    metric = as_ranged(text)
    result = conclude(as_judgments(qrels), runs, text, significance=False)
    certain = certain_pairs(result)
    for done in range(0, settings, BATCH):
        progress(done)
        chosen = random_settings(rng, metric, min(BATCH, settings - done))
        means = evaluate(qrels, runs, list({m.name: m for m in map(metric.at, chosen)}.values())).means
        for better, worse in certain:
            assert (means[better] > means[worse]).all(), (text, result.systems[better], result.systems[worse])
    flipped = [r for r in result.rows if r.verdict == "flips"]
    for row in flipped:
        setting = {name: Fraction(value) for name, value in row.details["setting"].items()}
        means = evaluate(qrels, runs, metric.at({**metric.reference, **setting})).means[:, 0]
        lead = means[result.systems.index(row.better)] - means[result.systems.index(row.worse)]
        assert lead < 1e-12, (text, row)
        assert np.isclose(lead, row.margin, atol=1e-9)
    return Withstood(len(certain), settings, len(flipped))


def attack_jointly(
    doubts: Sequence[str], text: str, settings: int, seed: int, progress: Callable[[int], None] = lambda done: None
) -> Withstood:
    """Fail if random weights, labels of unjudged documents and parameters refute a certain pair."""
    rng = random.Random(f"{text}-{doubts}-{seed}")
    qrels, runs = collection(rng, topics=4, systems=5)
    hidden: dict[str, list[str]] = {}
    if "unjudged" in doubts:
        for topic, grades in qrels.items():
            hidden[topic] = rng.sample([d for d in grades["x"] if d != "d0"], 1)
            for row in grades.values():
                for document in hidden[topic]:
                    del row[document]
    metric = as_ranged(text)
    result = conclude(
        as_judgments(qrels),
        runs,
        text,
        any_weights="weights" in doubts,
        unjudged="unjudged" in doubts,
        significance=False,
    )
    certain = certain_pairs(result)
    for done in range(0, settings, COPIES):
        progress(done)
        copies = range(min(COPIES, settings - done))
        (setting,) = random_settings(rng, metric, 1)
        judged: dict[str, Any] = {}
        weights: dict[tuple[str, str], float] = {}
        for i in copies:
            for topic, grades in qrels.items():
                labels = {a: {d: rng.choice([0, 1, 2]) for d in hidden.get(topic, ())} for a in "xyz"}
                judged[f"{topic}/{i}"] = {a: {**row, **labels[a]} for a, row in grades.items()}
                weights |= {(f"{topic}/{i}", a): w for a, w in _random_weights(rng, "weights" in doubts).items()}
        lists = {name: {f"{t}/{i}": run[t] for i in copies for t in qrels} for name, run in runs.items()}
        values = evaluate(judged, lists, metric.at(setting), weights=weights)
        place = {topic: k for k, topic in enumerate(values.topics)}
        order = [[place[f"{t}/{i}"] for t in qrels] for i in copies]
        means = values.values[:, 0, :][:, order].mean(axis=2)
        for better, worse in certain:
            assert (means[better] > means[worse]).all(), (text, result.systems[better], result.systems[worse])
    return Withstood(len(certain), settings, 0)


def _random_weights(rng: random.Random, free: bool) -> dict[str, float]:
    """All weight on one aspect, or random weights; uniform weights where they are not in doubt."""
    if not free:
        return dict.fromkeys("xyz", 1.0)
    if rng.random() < 0.5:
        only = rng.choice("xyz")
        return {a: float(a == only) for a in "xyz"}
    return {a: rng.expovariate(1.0) for a in "xyz"}


def main() -> None:
    warnings.simplefilter("ignore")
    settings = int(sys.argv[1]) if len(sys.argv) > 1 else 104_000
    total = Withstood(0, 0, 0)
    joint = Withstood(0, 0, 0)
    each = max(settings // len(METRICS) // COLLECTIONS, 1)
    for text in METRICS:
        for seed in range(COLLECTIONS):
            result = attack(text, each, seed, reporter(text, each))
            print(text, result, flush=True)
            total = Withstood(*map(sum, zip(total, result, strict=True)))
    each = max(settings // 10 // len(JOINT) // COLLECTIONS, 1)
    for doubts, text in JOINT:
        for seed in range(COLLECTIONS):
            result = attack_jointly(doubts, text, each, seed, reporter(text, each))
            print("+".join(doubts), text, result, flush=True)
            joint = Withstood(*map(sum, zip(joint, result, strict=True)))
    print("parameters:", total, "(none broken)")
    print("weights, labels, all:", joint, "(none broken)")


if __name__ == "__main__":
    main()
