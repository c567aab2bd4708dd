"""A fingerprint of what the metrics of a track compute: a changed metric is noticed whatever its version says."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from diveval.errors import gathered
from diveval.evaluation import score_runs
from diveval.judgments import Judgments
from diveval.metrics.names import as_metrics
from diveval.options import Options
from diveval.runs import Run

UNKNOWN = "0" * 16  # of records that were written without a probe


def probe(metrics: Sequence[str], options: Options) -> str:
    """16 hex digits over the values of each metric on a small built-in collection.

    Values are taken to 12 significant digits: the last bits of a double may differ between processors and versions of
    numpy without the metric being another one.
    """
    judgments, runs = _collection()
    digest = hashlib.sha256()
    with gathered():
        scores = score_runs(judgments, runs, as_metrics(list(metrics)), options)
    for r in range(len(scores.runs)):
        for m, metric in enumerate(scores.metrics):
            digest.update(metric.encode() + b"\0")
            for value, counted in zip(scores.values[r, m], scores.counted[r, m], strict=True):
                digest.update(f"{value:.11e} {int(counted)}\n".encode())
    return digest.hexdigest()[:16]


def _collection() -> tuple[Judgments, list[Run]]:
    """Six topics with one to four weighted aspects, grades 0 to 3, and three runs, one of which lacks a topic."""
    draws = np.random.Generator(np.random.MT19937(20180708))
    rows, weights = [], {}
    for t in range(1, 7):
        for a in range(1, 2 + t % 4):
            weights[str(t), str(a)] = float(a)
            for d in range(1, 13):
                rows.append((str(t), str(a), f"d{d:02d}", float(int(draws.random() * 4))))
    runs = []
    for name, topics in (("x", range(1, 7)), ("y", range(1, 7)), ("z", range(1, 6))):
        listed = []
        for t in topics:
            order = sorted(range(1, 19), key=lambda _: draws.random())
            listed += [(str(t), f"d{d:02d}", 18.0 - place) for place, d in enumerate(order)]
        runs.append(Run.from_rows(listed, name=name))
    return Judgments.from_rows(rows).with_weights(weights), runs
