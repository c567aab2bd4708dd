"""Random collections with every unusual case at once, and random settings, for laws that compare ways to a number.

Empty topics, one document, ties, all tied, all unjudged, huge, tiny, zero and missing weights, missing topics, negative
and fractional grades, unusual ids, short lists, repeated documents and judgments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from diveval.settings import Efforts

IDS = ["d1", "D1", "10", "9", "é", "\u20ac5", "\U0001f600", "x" * 40, "-7", "a:b|c", "nan", "None", "0x1", "1e5", "="]
TOPICS = (["1", "2", "10"], ["a", "10", "9"], ["été", "nan", "7"], ["1"], ["z", "Z"])
METRICS = (
    "RBU(p=0.9,e=0.02)@3",
    "RBU(p=0.8,e=0.1)",
    "EU(alpha=0.5,e=0.05)@2",
    "ERR_IA@2",
    "ERR@10",
    "alpha_nDCG(alpha=0.5)@3",
    "nDCG@2",
    "nDCG",
    "AP",
    "AP_IA@5",
    "P@3",
    "StRecall@2",
    "StRecall(weights=given)@2",
    "Dsharp_nDCG@3",
    "RR_IA",
    "NRBP",
)
GRADES: tuple[tuple[float, ...], ...] = (
    (0, 1),
    (0, 1),
    (0, 1, 2, 3, 4),
    (0, 1, 2, 3, 4),
    (-2, 0, 1, 3),
    (0, 0.25, 0.5, 1),
    (0,),
    (1,),
    (0, 60, 5),
    (0, 1e-300, 2),
    (0, 1500),
)
WEIGHTS: tuple[tuple[float, ...], ...] = ((1, 2, 3), (0, 1, 4), (1e-300, 1), (1e299, 1), (0,), (0.1, 0.2, 0.7))
# Every setting and the values it is drawn from; the first is the default, and is drawn most often.
SETTINGS: dict[str, tuple[Any, ...]] = {
    "gain": ("exponential", "linear", "binary", "identity"),
    "gmax": ("file", "per-aspect", 4, 1, 0.5, 60),
    "rel": (None, 1, 2, 0.3),
    "renormalise": (True, False),
    "empty_aspects": ("drop", "keep"),
    "order": (None, "score", "rank", "file"),
    "ties": (None, "docno-desc", "docno-asc", "file"),
    "missing_topics": ("worst", "zero", "skip"),
    "empty_topics": (None, "score", "skip"),
    "duplicates": (None, "error", "first", "blank"),
    "judgment_duplicates": ("error", "max", "first", "last"),
    "judged_only": (False, True),
}
Judged = tuple[str, str, str, float]
Listed = tuple[str, str, int, float]


@dataclass(frozen=True)
class Hostile:
    """Judgments (topic, aspect, document, grade), runs of (topic, document, rank, score), weights, settings, metrics."""

    judged: tuple[Judged, ...]
    runs: Mapping[str, tuple[Listed, ...]]
    weights: Mapping[tuple[str, str], float] | None
    settings: Mapping[str, Any]
    metrics: tuple[str, ...]
    genres: Mapping[str, tuple[str, ...]] | None = None  # of documents, if every aspect of a document has one grade

    @property
    def judged_twice(self) -> bool:
        """Whether a document is judged twice for an aspect."""
        return len({row[:3] for row in self.judged}) < len(self.judged)

    @property
    def listed_twice(self) -> bool:
        """Whether a run repeats a document."""
        return any(len({row[:2] for row in rows}) < len(rows) for rows in self.runs.values())

    def without(self, *settings: str) -> Hostile:
        """The collection with the defaults of some settings."""
        return replace(self, settings={k: v for k, v in self.settings.items() if k not in settings})

    def prefixed(self, prefix: str) -> Hostile:
        """The collection with other names of its topics, to be joined with others."""
        return replace(
            self,
            judged=tuple((prefix + row[0], *row[1:]) for row in self.judged),
            runs={name: tuple((prefix + row[0], *row[1:]) for row in rows) for name, rows in self.runs.items()},
            weights=None if self.weights is None else {(prefix + t, a): w for (t, a), w in self.weights.items()},
        )

    def dict_judgments(self) -> dict[str, dict[str, dict[str, float]]]:
        """{topic: {aspect: {document: grade}}}."""
        out: dict[str, dict[str, dict[str, float]]] = {}
        for topic, aspect, document, grade in self.judged:
            out.setdefault(topic, {}).setdefault(aspect, {})[document] = grade
        return out

    def dict_runs(self) -> dict[str, dict[str, dict[str, float]]]:
        """{run: {topic: {document: score}}}."""
        out: dict[str, dict[str, dict[str, float]]] = {}
        for name, rows in self.runs.items():
            for topic, document, _, score in rows:
                out.setdefault(name, {}).setdefault(topic, {})[document] = score
        return out


def draw(seed: int) -> Hostile:
    """The collection of a seed."""
    rng = np.random.default_rng(seed)
    topics = TOPICS[int(rng.integers(len(TOPICS)))]
    documents = [str(d) for d in rng.permutation(IDS)[: rng.choice([1, 2, 4, 8])]]
    grades = GRADES[int(rng.integers(len(GRADES)))]
    aspects = [["1"], ["1", "2", "10"], ["b", "1"], ["g1", "g2"]][int(rng.integers(4))]
    genres = None
    if rng.random() < 0.6:  # each document has its own aspects, as items have genres
        genres = {d: tuple(a for a in aspects if rng.random() < 0.6) or (aspects[0],) for d in documents}
    judged = _draw_judgments(rng, topics, documents, grades, aspects, genres)
    judged = judged or [
        (topics[0], a, documents[0], float(grades[-1])) for a in (genres or {}).get(documents[0], ["1"])
    ]
    listed = documents if rng.random() < 0.9 else []
    runs = {name: _draw_run(rng, topics, [*listed, "u1", "u2", "u3"], judged) for name in ("A", "B")}
    return Hostile(
        tuple(judged), runs, _draw_weights(rng, judged), _draw_settings(rng, documents), _draw_metrics(rng), genres
    )


def _draw_judgments(
    rng: np.random.Generator,
    topics: Sequence[str],
    documents: Sequence[str],
    grades: Sequence[float],
    aspects: Sequence[str],
    genres: Mapping[str, Sequence[str]] | None,
) -> list[Judged]:
    out: list[Judged] = []
    for topic in topics:
        nothing = rng.random() < 0.15  # a topic without a relevant document
        for document in documents:
            if rng.random() < 0.3:
                continue
            grade = 0.0 if nothing else float(rng.choice(grades))
            for aspect in aspects if genres is None else genres[document]:
                if genres is None:
                    grade = 0.0 if nothing else float(rng.choice(grades))
                out.append((topic, aspect, document, grade))
                if genres is None and rng.random() < 0.02:
                    out.append((topic, aspect, document, grade + float(rng.integers(2))))
    return out


def _draw_run(
    rng: np.random.Generator, topics: Sequence[str], documents: Sequence[str], judged: Sequence[Judged]
) -> tuple[Listed, ...]:
    """A run with at least one judged topic; tied scores, and ranks that may contradict the scores."""
    tied, twice = rng.random() < 0.3, rng.random() < 0.05
    honest = rng.random() < 0.6
    present = [topic for topic in topics if rng.random() < 0.8] or [judged[0][0]]
    if not any(row[0] in present for row in judged) and rng.random() < 0.9:
        present.append(judged[0][0])
    rows: list[Listed] = []
    for topic in present:
        shown = [str(d) for d in rng.permutation(documents)[: rng.integers(1, 7)]]
        shown += shown[:1] if twice else []
        ranks = list(range(1, len(shown) + 1)) if honest else (1 + rng.permutation(len(shown))).tolist()
        for i, document in enumerate(shown):
            score = 1.0 if tied else float(rng.integers(3)) / 2 if not honest else 10.0 - i
            rows.append((topic, document, int(ranks[i]), score))
    return tuple(rows)


def _draw_weights(rng: np.random.Generator, judged: Sequence[Judged]) -> dict[tuple[str, str], float] | None:
    if rng.random() < 0.5:
        return None
    values = WEIGHTS[int(rng.integers(len(WEIGHTS)))]
    named = sorted({row[:2] for row in judged})
    return {pair: float(rng.choice(values)) for pair in named if rng.random() < 0.98} or None


def _draw_settings(rng: np.random.Generator, documents: Sequence[str]) -> dict[str, Any]:
    out = {}
    for name, values in SETTINGS.items():
        value = values[int(rng.integers(len(values)))] if rng.random() < 0.35 else values[0]
        if value != values[0]:
            out[name] = value
    if rng.random() < 0.1:
        costs = {d: float(rng.integers(0, 4)) for d in documents if rng.random() < 0.7}
        out["efforts"] = Efforts(costs, float(rng.choice([1.0, 2.0])), float(rng.choice([1.0, 0.5])))
    return out


def _draw_metrics(rng: np.random.Generator) -> tuple[str, ...]:
    """One metric with effort and one other."""
    return METRICS[int(rng.integers(3))], METRICS[int(rng.integers(3, len(METRICS)))]
