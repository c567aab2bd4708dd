"""Random settings against every conclusion that is called certain, scored by `evaluate`.

`PYTHONPATH=tests python -m support.attack_conclusions 104000` tries that many settings, shared by metrics and collections,
and prints what it counted.
"""

from __future__ import annotations

import random
import sys
import warnings
from fractions import Fraction

import numpy as np

from diveval import evaluate
from diveval.conclusions import conclude
from diveval.conclusions.ranges import ranged
from diveval.reading.shapes import as_judgments

METRICS = [
    "RBU(p=0.5..0.99,e=0..0.1)@10",
    "NRBP(p=0.4..0.9,alpha=0.2..0.9)@10",
    "EU(alpha=0..0.9,e=0..0.1)@10",
    "alpha_nDCG(alpha=0.1..0.9)@5",
]


Grades = dict[str, dict[str, int]]  # by aspect and document


def collection(
    rng: random.Random, *, topics: int = 8, systems: int = 6
) -> tuple[dict[str, Grades], dict[str, dict[str, dict[str, float]]]]:
    """Graded judgments of three aspects, and systems of different quality."""
    documents = [f"d{i}" for i in range(14)]
    qrels: dict[str, Grades] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {f"s{i}": {} for i in range(systems)}
    for t in range(topics):
        grades = {a: {d: rng.choice([0, 0, 0, 1, 2]) for d in documents} for a in "xyz"}
        grades["x"]["d0"] = 2
        qrels[str(t)] = grades
        for i, run in enumerate(runs.values()):
            worth = {
                d: sum(grades[a][d] for a in "xyz") * (systems - i) / systems + rng.random() * (1 + i)
                for d in documents
            }
            run[str(t)] = {d: worth[d] for d in sorted(documents, key=lambda d: -worth[d])[: rng.randint(4, 12)]}
    return qrels, runs


def attack(text: str, settings: int, seed: int) -> tuple[int, int]:
    """How many certain pairs there are, and how many settings each withstood; a setting that breaks one fails."""
    rng = random.Random(f"{text}-{seed}")
    qrels, runs = collection(rng)
    metric = ranged(text)
    result = conclude(as_judgments(qrels), runs, text, significance=False)
    certain = [
        (result.systems.index(r.better), result.systems.index(r.worse)) for r in result.rows if r.verdict == "certain"
    ]
    flipped = [r for r in result.rows if r.verdict == "flips"]
    done = 0
    while done < settings:
        count = min(400, settings - done)
        chosen = [
            {
                name: rng.choice([low, high, low + (high - low) * Fraction(rng.random())])
                for name, (low, high) in metric.ranges.items()
            }
            for _ in range(count)
        ]
        means = evaluate(qrels, runs, list({m.name: m for m in map(metric.at, chosen)}.values())).means
        for better, worse in certain:
            assert (means[better] > means[worse]).all(), (text, result.systems[better], result.systems[worse])
        done += count
    for row in flipped:  # what is called a flip is one, as evaluate scores it
        setting = {name: Fraction(value) for name, value in row.details["setting"].items()}
        means = evaluate(qrels, runs, metric.at({**metric.middle, **setting})).means[:, 0]
        lead = means[result.systems.index(row.better)] - means[result.systems.index(row.worse)]
        assert lead < 1e-12, (text, row)
        assert np.isclose(lead, row.margin, atol=1e-9)
    return len(certain), done


COLLECTIONS = 5

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    settings = int(sys.argv[1]) if len(sys.argv) > 1 else 104_000
    for text in METRICS:
        for seed in range(COLLECTIONS):
            print(text, *attack(text, settings // len(METRICS) // COLLECTIONS, seed), flush=True)
