"""Write workload N as TREC files: many small topics, as in search logs, recommenders and RAG.

    python benchmarks/narrow.py FOLDER [TOPICS]

Every topic has one ranking of 20 documents, 12 judged documents and 4 aspects; about 17 judgments per topic.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

DEPTH, JUDGED, ASPECTS, AT_ONCE = 20, 12, 4, 10_000


def topics(first: int, count: int) -> dict[str, Any]:
    """Columns of judgments and run for `count` topics from `first` on; each block has its own seed."""
    rng = np.random.default_rng([14, first])
    judged = rng.permuted(np.tile(np.arange(100), (count, 1)), axis=1)[:, :JUDGED]
    cells = rng.random((count, JUDGED, ASPECTS)) < 0.29
    cells[:, :, 0] |= ~cells.any(axis=2)  # every judged document has a judgment
    topic, document, aspect = np.nonzero(cells)
    grades = rng.choice([0, 0, 1, 1, 2, 3], len(topic))
    relevant = rng.random((count, 100))
    np.put_along_axis(relevant, judged, rng.random((count, JUDGED)) + 0.35, axis=1)
    ranking = np.argsort(-relevant, axis=1)[:, :DEPTH]
    scores = np.round(np.take_along_axis(relevant, ranking, axis=1) * 20, 4)
    return {
        "judgments": (topic + first, aspect + 1, judged[topic, document], grades),
        "run": (
            np.repeat(np.arange(first, first + count), DEPTH),
            ranking.ravel(),
            np.tile(np.arange(1, DEPTH + 1), count),
            scores.ravel(),
        ),
    }


def blocks(count: int) -> Iterator[dict[str, Any]]:
    """All topics, in blocks."""
    for first in range(1, count + 1, AT_ONCE):
        yield topics(first, min(AT_ONCE, count + 1 - first))


def document(topic: Any, number: Any) -> str:
    """A document id; topics share no documents, as with passages and log entries."""
    return f"doc-{topic:07d}-{number:02d}"


def write(folder: Path, count: int) -> tuple[Path, Path]:
    """`qrels.txt` and `n.run`."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / "qrels.txt", folder / "n.run"
    with paths[0].open("w") as qrels, paths[1].open("w") as run:
        for block in blocks(count):
            rows = zip(*(column.tolist() for column in block["judgments"]), strict=True)
            qrels.write("".join(f"{t} {a} {document(t, d)} {g}\n" for t, a, d, g in rows))
            rows = zip(*(column.tolist() for column in block["run"]), strict=True)
            run.write("".join(f"{t} Q0 {document(t, d)} {r} {s:.4f} n\n" for t, d, r, s in rows))
    return paths


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 50_000)
