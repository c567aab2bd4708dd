"""On random collections under random options, every value equals that of plain loops over the rows."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diveval
from diveval.errors import DivevalWarning
from support import plain_evaluation as plain
from support.refusals import refuses
from support.shared import times

pytestmark = pytest.mark.slow(seconds=0.6)  # together: `make check` leaves the file out

COLLECTIONS = times(60, 300)
DOCUMENTS = ["d1", "d2", "d10", "D3", "é", "\u20ac5", "\U0001f600", "0", "-7", "a:b|c"]
CHOICES: dict[str, list[Any]] = {
    "gain": ["exponential", "linear", "binary"],
    "gmax": ["file", "per-aspect", 5],
    "rel": [None, None, 2],
    "empty_aspects": ["drop", "keep"],
    "duplicates": ["first", "blank"],
    "judgment_duplicates": ["error", "max", "first", "last"],
    "order": [None, "rank", "score", "file"],
    "ties": [None, "docno-desc", "docno-asc", "file"],
    "missing_topics": ["worst", "zero", "skip"],
    "empty_topics": [None, "skip"],
}


def draw(seed: int) -> tuple[list[Any], list[Any], dict[tuple[str, str], float] | None, int, dict[str, Any]]:
    """Judgments, a run, weights, a cutoff and options."""
    rng = np.random.default_rng(seed)
    judgments, run = [], []
    for topic in ("1", "2", "10", "z"):
        highest = 0 if rng.random() < 0.1 else 4
        for aspect in ("1", "2", "10")[: rng.integers(1, 4)]:
            for document in rng.permutation(DOCUMENTS)[: rng.integers(1, 8)]:
                judgments.append((topic, aspect, str(document), float(rng.integers(-2, highest + 1))))
                if rng.random() < 0.1:
                    judgments.append((*judgments[-1][:3], float(rng.integers(0, highest + 1))))
        if rng.random() < 0.2:
            continue
        documents = rng.permutation([*DOCUMENTS, "u1", "u2"])[: rng.integers(1, 12)].tolist()
        documents += documents[: rng.integers(0, 3)]
        ranks = rng.permutation(len(documents)) + 1
        run += [
            (topic, document, int(rank), float(rng.integers(0, 6)))
            for document, rank in zip(documents, ranks, strict=True)
        ]
    run = run or [("1", "d1", 1, 1.0)]
    weights = None
    if rng.random() < 0.5:
        weights = {(topic, aspect): float(rng.integers(1, 9)) for topic, aspect, *_ in judgments}
    options = {name: values[int(rng.integers(len(values)))] for name, values in CHOICES.items()}
    if options["order"] == "rank":
        options["ties"] = None
    return judgments, run, weights, int(rng.integers(1, 14)), options


def write_files(folder: Path, judgments: list[Any], run: list[Any]) -> tuple[Path, Path]:
    qrels, listed = folder / "qrels", folder / "x.run"
    qrels.write_text("".join(f"{t} {a} {d} {g:g}\n" for t, a, d, g in judgments), encoding="utf-8")
    listed.write_text("".join(f"{t} Q0 {d} {r} {s!r} tag\n" for t, d, r, s in run), encoding="utf-8")
    return qrels, listed


@pytest.mark.parametrize("part", range(6))
def test_values_equal_plain_loops(tmp_path: Path, part: int) -> None:
    """Per-topic values and means of twenty-one metrics equal plain loops; contradictory judgments are refused."""
    values = refused = 0
    for seed in range(part, COLLECTIONS, 6):
        judgments, run, weights, k, options = draw(seed)
        qrels, listed = write_files(tmp_path, judgments, run)
        names = [f"{name}@{k}" for name in plain.METRICS]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DivevalWarning)
            try:
                expected = plain.evaluate(judgments, run, k, weights, options)
            except ValueError:
                refused += 1
                with refuses("conflicting-grades"):
                    diveval.evaluate(qrels, listed, names, weights=weights, **options)
                continue
            if not any(by_topic for by_topic, _ in expected.values()):
                continue  # no topic counts
            scores = diveval.evaluate(qrels, listed, names, weights=weights, **options)
        for name, (by_topic, mean) in zip(scores.metrics, expected.values(), strict=True):
            got = scores.per_topic("x", name)
            counted = {topic: value for topic, value in got.items() if topic in by_topic}
            assert counted == pytest.approx(by_topic, rel=1e-10, abs=1e-12), (seed, name, k, options)
            assert scores.mean()["x"][name] == pytest.approx(mean, rel=1e-10, abs=1e-12), (seed, name, options)
            values += len(by_topic)
    assert values > 5 * COLLECTIONS and refused > 0
