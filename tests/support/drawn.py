"""Seeded random small collections with unusual cases, for comparisons with other tools."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Drawn:
    """Judgments as rows (topic, aspect, document, grade), sorted; a run as rows (topic, document, score)."""

    judgments: list[tuple[str, str, str, int]]
    run: list[tuple[str, str, float]]

    @property
    def topics(self) -> list[str]:
        """Judged topics of the run, in the run's order."""
        judged = {row[0] for row in self.judgments}
        return [topic for topic in dict.fromkeys(row[0] for row in self.run) if topic in judged]


def draw(seed: int, *, aspects: int = 5, highest: int = 3, lowest: int = 0, ties: bool = True) -> Drawn:
    """Four topics, with empty aspects, an aspect "0", short runs, unjudged documents, and a topic without relevant ones."""
    rng = np.random.default_rng(seed)
    judgments, run = [], []
    for topic in ("1", "2", "10", "11"):
        documents = [f"d{i:02d}" for i in rng.permutation(40)]
        for aspect in range(int(rng.integers(1, aspects + 1))):
            for document in documents[: int(rng.integers(1, 30))]:
                grade = int(rng.integers(lowest, highest + 1)) if rng.random() < 0.5 and topic != "11" else 0
                judgments.append((topic, str(aspect), document, grade))
        shown = rng.permutation(documents)[: int(rng.integers(1, 40))]
        scores = rng.integers(0, 12, len(shown)) / 4 if ties else rng.permutation(len(shown)) / 8
        run += [(topic, str(document), float(score)) for document, score in zip(shown, scores, strict=True)]
    return Drawn(sorted(judgments), run)
