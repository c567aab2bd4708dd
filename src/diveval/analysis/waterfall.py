"""How the differences between two scores of one ranking add up, one change of the metric at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from diveval.collection.judgments import Judgments
from diveval.collection.rankings import TopicRanking
from diveval.metrics.batch import PADDING, Batch
from diveval.metrics.metric import Metric
from diveval.scoring.scorer import make_batch
from diveval.settings import Options


@dataclass(frozen=True)
class WaterfallStep:
    """What a rank adds: `aspect` is None for the cost of a document, which does not depend on its aspects.

    Consecutive non-relevant documents are one step, from `rank` to `last`.
    """

    rank: int
    last: int
    document: str | None
    aspect: str | None
    relevance: float
    value: float


def waterfall(
    metric: Metric, judgments: Judgments, options: Options, topic: str, ranking: TopicRanking
) -> list[WaterfallStep]:
    """The steps of one list of a topic, from the top down to the metric's cutoff."""
    rule = metric.rule or options.relevance
    relevance = judgments.relevance(rule)[topic]
    length = ranking.length if metric.cutoff is None else min(ranking.length, metric.cutoff)
    place = relevance.place[ranking.rows]
    hits = [(int(r), int(p)) for r, p in zip(ranking.ranks, place, strict=True) if p >= 0 and r <= length]
    rows, labels = _prefixes(hits, relevance.relevance, length)
    scores = metric.score(_batch(rows, make_batch(judgments, rule, topic, [ranking], efforts=options.efforts)))
    steps = []
    for i, (rank, last, column, aspect) in enumerate(labels):
        value = float(scores[i + 1] - scores[i])
        if value or aspect is not None:
            names = ranking.documents
            document = names[rank - 1] if names is not None and rank == last and column is not None else None
            name = None if aspect is None else relevance.aspects[aspect]
            worth = 0.0 if column is None or aspect is None else float(relevance.relevance[aspect, column])
            steps.append(WaterfallStep(rank, last, document, name, worth, value))
    return steps


Prefix = tuple[int, list[tuple[int, NDArray[np.float64]]]]  # its length, and relevance by rank


def _prefixes(
    hits: list[tuple[int, int]], pool: NDArray[np.float64], length: int
) -> tuple[list[Prefix], list[tuple[int, int, int | None, int | None]]]:
    """Ever longer lists, and what each adds to the one before: ranks from and to, column, aspect."""
    rows: list[Prefix] = [(0, [])]
    labels: list[tuple[int, int, int | None, int | None]] = []
    done: list[tuple[int, NDArray[np.float64]]] = []
    for rank, column in hits:
        if rank - 1 > rows[-1][0]:
            labels.append((rows[-1][0] + 1, rank - 1, None, None))
            rows.append((rank - 1, list(done)))
        rows.append((rank, list(done)))
        labels.append((rank, rank, column, None))
        vector = np.zeros(len(pool))
        for aspect in np.flatnonzero(pool[:, column] > 0):
            vector = vector.copy()
            vector[aspect] = pool[aspect, column]
            rows.append((rank, [*done, (rank, vector)]))
            labels.append((rank, rank, column, int(aspect)))
        done.append((rank, pool[:, column]))
    if length > rows[-1][0]:
        labels.append((rows[-1][0] + 1, length, None, None))
        rows.append((length, list(done)))
    return rows, labels


def _batch(rows: list[Prefix], complete: Batch) -> Batch:
    """The prefixes of one list, with its topic and costs."""
    width = max((len(hits) for _, hits in rows), default=0)
    grid = np.zeros((len(complete.weights), len(rows), width))
    ranks = np.full((len(rows), width), PADDING, dtype=np.int64)
    for r, (_, hits) in enumerate(rows):
        for h, (rank, vector) in enumerate(hits):
            ranks[r, h] = rank
            grid[:, r, h] = vector
    return replace(
        complete,
        relevance=grid,
        ranks=ranks,
        lengths=np.array([length for length, _ in rows], dtype=np.int64),
        topic=np.zeros(len(rows), dtype=np.int64),
        costs=None if complete.costs is None else np.repeat(complete.costs, len(rows), axis=0),
        source=None,
        kept={},
    )
