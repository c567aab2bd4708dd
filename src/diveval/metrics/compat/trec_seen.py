"""What trec_eval sees of a list: its judged documents, optionally only the first ones (-M) or only judged ones (-J)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from diveval.collection.columns import offsets_of
from diveval.metrics.algebra import Array
from diveval.metrics.batch import PADDING, Batch, Source, once, source_of
from diveval.metrics.metric import Parameter, choice

DOCUMENTS = Parameter(
    "depth", 0, "documents per topic that are scored, trec_eval's -M; 0: all", 0, in_name=False, whole=True
)
JUDGED_ONLY = choice("judged_only", "drop unjudged documents before anything else, trec_eval's -J", "no", "yes")


def on_seen(function: Callable[..., Array]) -> Callable[..., Array]:
    """The same measure with the parameters `depth` and `judged_only`."""

    @wraps(function)
    def value(batch: Batch, cutoff: int | None, *, depth: int, judged_only: str, **rest: Any) -> Array:
        return function(see(batch, depth, judged_only), cutoff, **rest)

    return value


def see(batch: Batch, depth: int, judged_only: str) -> Batch:
    """The same rankings down to `depth` (0: all), and without unjudged documents if `judged_only` is yes."""
    return batch if not depth and judged_only == "no" else _see(batch, depth or PADDING, judged_only == "yes")


@once
def _see(batch: Batch, depth: int, judged_only: bool) -> Batch:
    source = source_of(batch)
    row = source.row_of_hits()
    kept = source.ranks <= depth
    if judged_only:
        kept &= _grades(batch) >= 0
    counts = np.bincount(row[kept], minlength=batch.rows)
    hits = offsets_of(counts)
    if judged_only:
        ranks, lengths = np.arange(len(row[kept])) - hits[row[kept]] + 1, counts
    else:
        ranks, lengths = source.ranks[kept], np.minimum(batch.lengths, depth)
    shown = (
        _renumber(batch, source, row, kept, ranks)
        if judged_only
        else np.where(batch.ranks <= depth, batch.ranks, PADDING)
    )
    return replace(
        batch,
        relevance=np.where(shown == PADDING, 0.0, batch.relevance),
        ranks=shown,
        lengths=lengths,
        source=replace(source, hits=hits, ranks=ranks, documents=source.documents[kept]),
        kept={},
    )


def _renumber(
    batch: Batch, source: Source, row: NDArray[np.int64], kept: NDArray[np.bool_], ranks: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The new ranks of the relevant documents, which are among the judged ones."""
    width = int(batch.lengths.max(initial=0)) + 1
    keys = row[kept] * width + source.ranks[kept]
    wanted = np.arange(batch.rows)[:, np.newaxis] * width + batch.lookup
    place = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    if not len(keys):
        return np.full_like(batch.ranks, PADDING)
    found = (keys[place] == wanted) & (batch.ranks != PADDING)
    return np.where(found, ranks[place], PADDING)


class JudgedDocuments(NamedTuple):
    """The judged documents of each list in its order, (row, place); padding has the grade −∞ and the rank 1."""

    grades: Array
    ranks: NDArray[np.int64]


@once
def find_judged(batch: Batch) -> JudgedDocuments:
    """Grades and ranks of the documents of each list that are in the judgments; a grade below 0 is "not judged"."""
    source = source_of(batch)
    row = source.row_of_hits()
    width = int(np.diff(source.hits).max(initial=0))
    place = row, np.arange(len(row)) - source.hits[row]
    grades, ranks = np.full((batch.rows, width), -np.inf), np.ones((batch.rows, width), dtype=np.int64)
    grades[place], ranks[place] = _grades(batch), source.ranks
    return JudgedDocuments(grades, ranks)


def _grades(batch: Batch) -> Array:
    """The best grade of each judged document of the lists, one after the other."""
    source = source_of(batch)
    starts, best = best_grades(batch)
    return np.asarray(best[starts[batch.topic[source.row_of_hits()]] + source.documents])


def best_grades(batch: Batch) -> tuple[NDArray[np.int64], Array]:
    """Offsets of the topics, and the best grade of each judged document, topic by topic."""
    key = "best_grades"
    if key not in batch.pool_kept:
        batch.pool_kept[key] = source_of(batch).best_grades()
    kept: tuple[NDArray[np.int64], Array] = batch.pool_kept[key]
    return kept


def count_in_judgments(batch: Batch, marked: Callable[[Array], NDArray[np.bool_]]) -> NDArray[np.int64]:
    """How many judged documents of each row's topic have a marked grade."""
    starts, best = best_grades(batch)
    counts = np.diff(np.concatenate([[0], np.cumsum(marked(best))])[starts])
    return np.asarray(counts[batch.topic])
