"""The lists of a topic by all runs, and pairs of lists of which an axiom says that one must score higher.

Lists are rows of column numbers in the topic's relevance table, whose last column is a non-relevant document.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from diveval.analysis.violations.premises import Flags, within_limits
from diveval.axioms.specification.readings import Reading
from diveval.collection.columns import Floats, IntArray

LARGEST_ARRAY = 2_000_000  # numbers held at once for the runs of a topic


def first_equal(values: Floats) -> IntArray:
    """For each column the first column with the same values."""
    first: dict[bytes, int] = {}
    columns = np.ascontiguousarray(values.T) + 0.0  # no negative zeros
    return np.array([first.setdefault(column.tobytes(), i) for i, column in enumerate(columns)], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class TopicLists:
    """The lists of all runs for one topic, down to a depth."""

    columns: IntArray  # (run, rank): column of `values`; the last column, all zeros, is a non-relevant document
    lengths: IntArray
    values: Floats  # (aspect, document + 1)
    weights: Floats
    first_run: int = 0  # where these are a portion of the runs
    _limited: dict[Reading, Flags] = field(default_factory=dict)

    @property
    def nothing(self) -> int:
        """The column of a non-relevant document."""
        return int(self.values.shape[1]) - 1

    @property
    def runs(self) -> int:
        return len(self.lengths)

    @cached_property
    def kinds(self) -> IntArray:
        """For each column the first column with the same relevance: documents that no metric tells apart."""
        return first_equal(self.values)

    @cached_property
    def inside(self) -> Flags:
        """By run and rank, whether the list is that long."""
        return np.asarray(np.arange(self.columns.shape[1]) < self.lengths[:, np.newaxis])

    @cached_property
    def shown(self) -> IntArray:
        """The columns, those of non-relevant documents behind the end of a list."""
        return np.where(self.inside, self.columns, self.nothing)

    @cached_property
    def relevance(self) -> Floats:
        """By aspect, run and rank; 0 behind the end of a list."""
        return self.values[:, self.shown]

    def limited(self, reading: Reading) -> Flags:
        """By run, whether the relevance in its list is as small as the reading's r ≪ 1 asks."""
        if reading not in self._limited:
            self._limited[reading] = within_limits(self.relevance, reading)
        return self._limited[reading]

    def portions(self, size: int) -> Iterator[TopicLists]:
        """The same lists, so many runs at a time that arrays of `size` numbers per run fit in memory."""
        step = max(1, LARGEST_ARRAY // max(size, 1))
        if step >= self.runs:
            yield self
            return
        for start in range(0, self.runs, step):
            part = slice(start, start + step)
            first = self.first_run + start
            yield replace(self, columns=self.columns[part], lengths=self.lengths[part], first_run=first, _limited={})


@dataclass(frozen=True, eq=False)
class Changes:
    """Pairs of lists, one row each: `better` must score higher than `worse`; they differ at `rank` (and `other`)."""

    run: IntArray
    rank: IntArray
    other: IntArray  # 0 where only one rank is concerned
    better: IntArray
    better_lengths: IntArray
    worse: IntArray
    worse_lengths: IntArray
    within: Flags  # whether the premises of the reading hold
    same_ideal: Flags  # whether the judgments give the two aspects concerned, if any, the same ideal
    strict: bool = True  # else it may score the same

    def __len__(self) -> int:
        return len(self.run)


def make_changes(
    lists: TopicLists,
    run: IntArray,
    rank: IntArray,
    other: IntArray | None,
    better: IntArray,
    within: Flags,
    worse: IntArray | None = None,
    lengths: tuple[IntArray, IntArray] | None = None,
    same_ideal: Flags | None = None,
    strict: bool = True,
) -> Changes:
    """Changes of lists, by run; without `worse` they are compared with the list itself, at its full length."""
    own = lists.lengths[run]
    before = lists.columns[run] if worse is None else worse
    long, short = lengths or (own, own)
    ideals = np.ones(len(run), dtype=bool) if same_ideal is None else same_ideal
    at = np.zeros_like(rank) if other is None else other
    return Changes(run + lists.first_run, rank, at, better, long, before, short, within, ideals, strict)


def replace_documents(rows: IntArray, places: IntArray, documents: IntArray) -> IntArray:
    """Copies of the rows, each with another document at one place (from 0)."""
    out: IntArray = rows.copy()
    out[np.arange(len(places)), places] = documents
    return out
