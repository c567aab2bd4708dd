"""Blocks of topics: which topics are scored together, and their rankings as one batch of arrays.

Scoring one small topic at a time spends more on calls than on arithmetic, and scoring all topics at once does not fit
into the processor's cache. So topics of similar size are scored together, as many as fit; few topics are not worth a
block of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from diveval.collection.columns import IntArray, concatenate, offsets_of, owners, spans
from diveval.collection.judgment_columns import JudgedColumns
from diveval.collection.rankings import EMPTY, RankedColumns, TopicRanking
from diveval.collection.relevance import Relevance
from diveval.errors import InputError, quote
from diveval.metrics.batch import PADDING, Batch, Source
from diveval.settings import Efforts, Groups

TOPICS = 4096  # at most, in a block
CELLS = 1 << 17  # at most, aspects × rows × hits of a block of several topics: a megabyte of doubles
FEW = 64  # topics of a block whose calls cost more than padding: it is joined with the next, up to twice as many cells
Prefixes = tuple[IntArray, IntArray]  # of each, the number of the ranking and the rank at which it ends
BYTES = 32  # of memory for each aspect × relevant document of a topic: about four arrays of doubles


def plan_blocks(
    aspects: IntArray, depths: IntArray, runs: int, *, topics: int = TOPICS, cells: int = CELLS
) -> Iterator[IntArray]:
    """Topics in blocks, by the number of aspects of each and the largest number of hits of a ranking (`depths`).

    If `depths` are the numbers of relevant documents, the blocks depend only on the judgments and the number of runs,
    so the ideal lists of a block can be reused for later runs.
    """
    # Topics are grouped by size rounded up to a power of two, so that padding at most doubles each dimension.
    size = [np.frexp(np.maximum(of, 1) - 0.5)[1].astype(np.int64) for of in (aspects, depths)]
    order = np.lexsort((depths, aspects, *size))
    kind = size[0][order] * 64 + size[1][order]
    held, wide, deep = np.empty(0, dtype=np.int64), 1, 1
    for group in np.split(order, np.flatnonzero(np.diff(kind)) + 1) if len(order) else []:
        each = max(int(aspects[group].max()), 1) * max(int(depths[group].max()), 1) * max(runs, 1)
        step = max(1, min(topics, cells // each))
        for start in range(0, len(group), step):
            block = group[start : start + step]
            width, depth = max(int(aspects[block].max()), 1), max(int(depths[block].max()), 1)
            most = len(held) + len(block), max(wide, width), max(deep, depth)
            if len(held) and (most[0] > min(FEW, topics) or math.prod(most) * max(runs, 1) > 2 * cells):
                yield held
                held, most = held[:0], (len(block), width, depth)
            held, (_, wide, deep) = np.concatenate([held, block]), most
    if len(held):
        yield held


def refuse_large(judged: JudgedColumns, relevance: Relevance, limit: int) -> None:
    """Raise an error for a topic whose aspects × relevant documents would take too much memory as an array.

    A file of a few hundred kilobytes can name 14,000 aspects and 14,000 documents, with almost all cells empty.
    """
    aspects, documents = np.diff(relevance.aspects), np.diff(relevance.documents)
    cells = aspects * documents
    if cells.max(initial=0) > limit:
        worst = int(cells.argmax())
        raise InputError(
            "topic-too-large",
            f"topic {quote(judged.topics[worst])} has {aspects[worst]} aspects × {documents[worst]} relevant documents:"
            f" scoring it takes about {cells[worst] * BYTES / 1e9:.1f} GB of memory",
            hint=f"split the topic, or allow it with --largest-topic {cells[worst]} (largest_topic={cells[worst]})",
        )


class JoinedRuns(NamedTuple):
    """Several runs whose judged documents stand one behind the other, so that a block takes all of its rows at once."""

    runs: Sequence[RankedColumns]
    offsets: IntArray  # (run, topic), as in `RankedColumns`, and the end of the last topic
    ranks: IntArray
    rows: IntArray
    lengths: IntArray  # (run, topic)

    @classmethod
    def of(cls, runs: Sequence[RankedColumns]) -> JoinedRuns:
        starts = offsets_of([len(run.ranks) for run in runs])
        alone = runs[0] if len(runs) == 1 else None  # nothing is copied
        return cls(
            runs,
            np.array([run.judged_offsets + start for run, start in zip(runs, starts, strict=False)]),
            concatenate([run.ranks for run in runs], np.int64) if alone is None else alone.ranks,
            concatenate([run.rows for run in runs], np.int64) if alone is None else alone.rows,
            np.array([run.lengths for run in runs]),
        )


class TopicBlock:
    """The relevant documents of a block's topics as arrays, for any number of batches of runs."""

    def __init__(
        self,
        judged: JudgedColumns,
        relevance: Relevance,
        topics: IntArray,
        efforts: Efforts | None = None,
        groups: Groups | None = None,
    ) -> None:
        self.judged, self.relevance, self.topics, self.efforts, self.groups = judged, relevance, topics, efforts, groups
        self.aspects = sizes_at(relevance.aspects, topics)
        self.documents = sizes_at(relevance.documents, topics)
        self.judged_documents = sizes_at(judged.documents, topics)
        self.kept: dict[Hashable, Any] = {}
        wide, deep = int(self.aspects.max(initial=0)), int(self.documents.max(initial=0))
        # The last document is relevant to nothing: hits that are padding point to it.
        self._padded = _grid(wide, len(topics), deep + 1)
        cells = spans(relevance.cells[topics], counts := sizes_at(relevance.cells, topics))
        place = np.repeat(np.arange(len(topics)), counts)
        if len(cells):
            # One flat index instead of three: numpy needs a third of the time.
            flat, (each, row, column) = _in_memory(self._padded)
            aspect, document = (codes.take(cells).astype(np.int64) for codes in (relevance.aspect, relevance.document))
            flat[aspect * each + place * row + document * column] = relevance.value.take(cells)
        self.pool = self._padded[:, :, :deep]
        self.weights = np.zeros((wide, len(topics)))
        own = spans(relevance.aspects[topics], self.aspects)
        nth = np.arange(len(own)) - np.repeat(np.cumsum(self.aspects) - self.aspects, self.aspects)
        self.weights[nth, np.repeat(np.arange(len(topics)), self.aspects)] = relevance.weights[own]
        self.costs = None if efforts is None else self._costs(efforts)

    def _costs(self, efforts: Efforts) -> NDArray[np.float64]:
        """Effort of the pool's documents, (topic, document)."""
        out = np.zeros(self.pool.shape[1:])
        for t, topic in enumerate(self.topics):
            start, end = self.judged.documents[topic : topic + 2]
            held = np.flatnonzero(self.relevance.place[start:end] >= 0)
            names = self.judged.documents_of(int(topic))
            out[t, : len(held)] = [efforts.of(names[i]) for i in held]
        return out

    def batch(self, joined: JoinedRuns, tables: dict[Hashable, Any] | None = None) -> Batch:
        """The rankings of some runs: row r × topics + t is the run r on the topic t of the block."""
        topics, count, runs = self.topics, len(self.topics), joined.runs
        starts = joined.offsets[:, topics]
        sizes = (joined.offsets[:, topics + 1] - starts).ravel()
        some = spans(starts.ravel(), sizes)
        return self._batch(
            joined.ranks.take(some).astype(np.int64, copy=False),
            joined.rows.take(some).astype(np.int64, copy=False),
            offsets_of(sizes),
            joined.lengths[:, topics].ravel(),
            lambda number: runs[number // count].view(int(topics[number % count])),
            lambda: _blanks(runs, topics),
            tables,
        )

    def rankings(
        self,
        listed: Sequence[TopicRanking],
        tables: dict[Hashable, Any] | None = None,
        prefixes: Prefixes | None = None,
    ) -> Batch:
        """Rankings of the block's only topic, or their prefixes, without building `RankedColumns` for each of thousands."""
        lengths = np.array([ranking.length for ranking in listed], dtype=np.int64)
        of, ends = prefixes or (np.arange(len(listed)), lengths)
        starts = offsets_of([len(ranking.ranks) for ranking in listed])
        ranks = concatenate([ranking.ranks for ranking in listed], np.int64)
        rows = concatenate([ranking.rows for ranking in listed], np.int64)
        # Ranks ascend in each ranking; behind the ranking's number all of them do.
        beyond = int(max(ranks.max(initial=0), ends.max(initial=0))) + 1
        sizes = (owners(starts) * beyond + ranks).searchsorted(of * beyond + ends, side="right") - starts[of]
        some = spans(starts[of], sizes)

        def view(number: int) -> TopicRanking:
            ranking: TopicRanking = listed[of[number]].cut(int(ends[number]))
            return ranking

        def blanks() -> tuple[IntArray, IntArray]:
            parts = [view(number).blanks for number in range(len(of))]
            held = [EMPTY.ranks if part is None else part for part in parts]
            return np.repeat(np.arange(len(held)), [len(part) for part in held]), concatenate(held, np.int64)

        reached = np.minimum(ends, lengths[of])
        return self._batch(ranks[some], rows[some], offsets_of(sizes), reached, view, blanks, tables)

    def _batch(
        self,
        ranks: IntArray,
        rows: IntArray,
        hits: IntArray,
        lengths: IntArray,
        view: Callable[[int], TopicRanking],
        blanks: Callable[[], tuple[IntArray, IntArray]],
        tables: dict[Hashable, Any] | None,
    ) -> Batch:
        """A batch from `ranks` and `rows` of the judged documents; row i has the entries `hits[i]` to `hits[i + 1]`.

        Rows cycle through the block's topics.
        """
        topics, count = self.topics, len(self.topics)
        row = np.repeat(np.arange(len(lengths)), np.diff(hits))
        topic = np.tile(np.arange(count), len(lengths) // max(count, 1))
        place = self.relevance.place[self.judged.documents[topics[topic[row]]] + rows]
        padded, grid = self._place_relevant(ranks, row, place, topic)
        costs = None if self.efforts is None else _costs([view(i) for i in range(len(lengths))], self.efforts)
        return Batch(
            grid,
            padded,
            lengths,
            self.weights,
            self.pool,
            topic,
            self.aspects,
            self.documents,
            costs,
            self.costs,
            Source(self.judged, topics, hits, ranks, rows, view, blanks, self.relevance.place, self.groups),
            {} if tables is None else tables,
            {},
            self.kept,
        )

    def batch_without_answers(self, lengths: IntArray, tables: dict[Hashable, Any] | None = None) -> Batch:
        """A list of non-relevant documents for each topic: how a run is scored on a topic it lacks."""
        everywhere, empty = int(self.topics.max(initial=-1)) + 1, np.empty(0, dtype=np.int64)
        of_topic = np.zeros(everywhere, dtype=np.int64)
        of_topic[self.topics] = lengths
        none = np.zeros(everywhere + 1, dtype=np.int64)
        return self.batch(JoinedRuns.of([RankedColumns(none, empty, empty, of_topic, of_topic < 0)]), tables)

    def _place_relevant(
        self, ranks: IntArray, row: IntArray, place: IntArray, topic: IntArray
    ) -> tuple[IntArray, NDArray[np.float64]]:
        """Ranks and relevance of the relevant documents, in the first hits of their rows."""
        held = np.flatnonzero(place >= 0)
        row = row.take(held)
        sizes = np.bincount(row, minlength=len(topic))
        width = int(sizes.max(initial=0))
        hit = np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        padded, document = (_grid(1, len(topic), width, fill) for fill in (PADDING, self._padded.shape[2] - 1))
        flat, (_, down, across) = _in_memory(padded)
        at = row * down + hit * across
        flat[at] = ranks.take(held)
        _in_memory(document)[0][at] = place.take(held)
        padded, document = padded[0], document[0]
        # One flat index into each aspect's topics × documents. It is built in the memory layout of the result, and the
        # pool is flattened in its own layout (order="K"), so neither is copied into another order.
        wide, count, deep = self._padded.shape
        step = (1, count) if count > deep else (deep, 1)
        index = document * step[1] + (topic * step[0])[:, np.newaxis]
        flat = self._padded.ravel(order="K").reshape(wide, count * deep)
        if len(topic) > width:
            return padded, flat.take(index.T, axis=1).transpose(0, 2, 1)
        return padded, flat.take(index, axis=1)


def _grid(wide: int, rows: int, width: int, fill: float = 0.0) -> Any:
    """An array (wide, row, width). If there are more rows than columns, the rows are contiguous in memory: numpy is
    fast along a long contiguous axis, and arrays computed from this one keep its layout (`algebra.running` uses it)."""
    kind = np.float64 if isinstance(fill, float) else np.int64
    if rows > width:
        return np.full((wide, width, rows), fill, dtype=kind).transpose(0, 2, 1)
    return np.full((wide, rows, width), fill, dtype=kind)


def _in_memory(grid: NDArray[Any]) -> tuple[NDArray[Any], list[int]]:
    """A grid's cells as one axis, in their order in memory, and how far apart neighbours along each of its axes are."""
    flat = (grid if grid.flags.c_contiguous else grid.transpose(0, 2, 1)).reshape(-1)
    return flat, [step // grid.itemsize for step in grid.strides]


def sizes_at(offsets: IntArray, parts: IntArray) -> IntArray:
    """The sizes of some parts. `np.diff` over all offsets would be slow: a block is small, a collection may be large."""
    return np.asarray(offsets[parts + 1] - offsets[parts])


def _blanks(runs: Sequence[RankedColumns], topics: IntArray) -> tuple[IntArray, IntArray]:
    """Rows and ranks of repeated documents."""
    row, ranks = [], []
    for r, run in enumerate(runs):
        if run.blank_starts is not None and run.blanks is not None:
            sizes = sizes_at(run.blank_starts, topics)
            row.append(np.repeat(np.arange(len(topics)) + r * len(topics), sizes))
            ranks.append(run.blanks[spans(run.blank_starts[topics], sizes)])
    return concatenate(row, np.int64), concatenate(ranks, np.int64)


def _costs(listed: Sequence[Any], efforts: Efforts) -> NDArray[np.float64]:
    """Effort of each document of each ranking, (row, rank)."""
    out = np.zeros((len(listed), max((ranking.length for ranking in listed), default=0)))
    for s, ranking in enumerate(listed):
        named = ranking.documents is not None  # a list that stands for a missing topic has no documents
        out[s, : ranking.length] = [efforts.of(d) for d in ranking.documents or ()] if named else efforts.default
    return out
