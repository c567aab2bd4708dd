"""Rankings: the ranks of a run's judged documents, and the length of each list."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.collection.columns import (
    BoolArray,
    Codes,
    IndexArray,
    IntArray,
    Names,
    Picked,
    Views,
    concatenate,
    find_repeats,
    intern,
    offsets_of,
    owners,
    raw,
    spans,
)
from diveval.collection.judgments import JudgedColumns, Judgments
from diveval.collection.runs import Run, RunColumns
from diveval.errors import InputError, quote
from diveval.setting_table import TABLE, RunDuplicates
from diveval.settings import OrderRule
from diveval.system import scanner

_BY_FORMAT: dict[str, RunDuplicates] = {"dynamic-domain": "blank", "evall": "first"}  # the rules of those tools


@dataclass(frozen=True, eq=False)
class TopicRanking:
    """The judged documents of one list: ranks ascending from 1, rows in the topic's judgments, and the length n."""

    ranks: NDArray[np.int64]
    rows: NDArray[np.int64]
    length: int
    iterations: NDArray[np.int64] | None = None  # the round of every rank, if the run has rounds
    documents: Sequence[str] | None = None  # every document in order, only if efforts or pictures need them
    blanks: NDArray[np.int64] | None = None  # ranks of repeated documents, which count as not relevant

    def cut(self, depth: int) -> TopicRanking:
        """The first documents."""
        if depth >= self.length:
            return self
        size = max(depth, 0)
        seen = int(self.ranks.searchsorted(size, side="right"))
        return TopicRanking(
            self.ranks[:seen],
            self.rows[:seen],
            size,
            None if self.iterations is None else self.iterations[:size],
            None if self.documents is None else self.documents[:size],
            None if self.blanks is None else self.blanks[: self.blanks.searchsorted(size, side="right")],
        )

    def keep(self, kept: NDArray[np.bool_], positions: NDArray[np.bool_], rows: NDArray[np.int64]) -> TopicRanking:
        """The list without some documents and their positions; ranks are counted again. `rows` are those of the rest."""
        ranks = np.cumsum(positions, dtype=np.int64)
        own = np.flatnonzero(positions)
        blanks = None if self.blanks is None else self.blanks[positions[self.blanks - 1]]
        return TopicRanking(
            ranks[self.ranks[kept] - 1],
            rows,
            len(own),
            None if self.iterations is None else self.iterations[own],
            None if self.documents is None else [self.documents[i] for i in own.tolist()],
            None if blanks is None else ranks[blanks - 1],
        )


@dataclass(frozen=True, eq=False)
class RankedColumns:
    """One run's rankings under one order for every judged topic, in the order of the judgments.

    `judged_offsets` are offsets: the start of each topic's judged documents. `places`, the offsets of all documents of each
    ranking, and the columns of these documents are present only if rounds, efforts or pictures need them.
    """

    judged_offsets: IntArray
    ranks: IndexArray
    rows: IndexArray  # indices among the topic's judged documents
    lengths: IntArray
    present: BoolArray  # topics that the run has
    topics: Names | None = None
    places: IntArray | None = None
    rounds: IntArray | None = None  # of every document, valid for topics with `has_rounds`
    has_rounds: BoolArray | None = None
    codes: Codes | None = None  # of every document
    documents: Names | None = None
    blank_starts: IntArray | None = None  # offsets, if a run repeats documents: the start of each topic's `blanks`
    blanks: IntArray | None = None  # the ranks of repeated documents
    submitted: RankedColumns | None = None  # the lists with their unjudged documents, if those were removed

    def __len__(self) -> int:
        return len(self.lengths)

    def by_name(self) -> Views[TopicRanking]:
        """The topics that the run has, each as a ranking."""
        return Views(self, self.topics or Names.of(()), self.view, np.flatnonzero(self.present))

    def view(self, topic: int) -> TopicRanking:
        """One topic as a ranking, empty if the run lacks it."""
        hits = slice(self.judged_offsets[topic], self.judged_offsets[topic + 1])
        rounds, documents = None, None
        if self.places is not None:
            places = slice(self.places[topic], self.places[topic + 1])
            if self.rounds is not None and self.has_rounds is not None and self.has_rounds[topic]:
                rounds = self.rounds[places]
            if self.codes is not None and self.documents is not None and self.present[topic]:
                documents = Picked(self.documents, self.codes[places])
        blanks = None
        if self.blank_starts is not None and self.blanks is not None:
            blanks = self.blanks[self.blank_starts[topic] : self.blank_starts[topic + 1]]
        ranks, rows = self.ranks[hits].astype(np.int64), self.rows[hits].astype(np.int64)
        return TopicRanking(ranks, rows, int(self.lengths[topic]), rounds, documents, blanks)

    def cut(self, depth: int) -> RankedColumns:
        """The judged documents of lists down to a depth; columns of all documents are dropped."""
        within = self.ranks <= depth
        blanks, starts = self.blanks, self.blank_starts
        if blanks is not None and starts is not None:
            starts, blanks = _offsets_of_some(starts, blanks <= depth), blanks[blanks <= depth]
        return RankedColumns(
            _offsets_of_some(self.judged_offsets, within),
            self.ranks[within],
            self.rows[within],
            np.minimum(self.lengths, depth),
            self.present,
            self.topics,
            blank_starts=starts,
            blanks=blanks,
        )

    def condense(self) -> RankedColumns:
        """The lists without unjudged documents; only for columns of judged documents, without repeated ones."""
        kept = np.diff(self.judged_offsets)
        ranks = np.arange(len(self.ranks)) - np.repeat(self.judged_offsets[:-1], kept) + 1
        return replace(self, ranks=ranks.astype(self.ranks.dtype), lengths=kept, submitted=self)

    @classmethod
    def of(cls, listed: Sequence[TopicRanking | None], topics: Names | None = None) -> RankedColumns:
        """Columns of rankings that were created one by one; None for a topic the run lacks."""
        rankings = [EMPTY if ranking is None else ranking for ranking in listed]
        lengths = np.array([ranking.length for ranking in rankings], dtype=np.int64)
        present = np.array([r is not None and r is not EMPTY for r in listed], dtype=bool)
        documents, codes = None, None
        if any(r.documents is not None for r in rankings):
            documents, codes = intern([d for r in rankings for d in r.documents or ("",) * r.length])
        has_rounds = np.array([r.iterations is not None for r in rankings], dtype=bool)
        rounds = [np.zeros(r.length, dtype=np.int64) if r.iterations is None else r.iterations for r in rankings]
        blanks = [EMPTY.ranks if r.blanks is None else r.blanks for r in rankings]
        return cls(
            offsets_of([len(r.ranks) for r in rankings]),
            concatenate([r.ranks for r in rankings], np.int64),
            concatenate([r.rows for r in rankings], np.int64),
            lengths,
            present,
            topics,
            offsets_of(lengths),
            concatenate(rounds, np.int64) if has_rounds.any() else None,
            has_rounds,
            codes,
            documents,
            offsets_of([len(some) for some in blanks]),
            concatenate(blanks, np.int64),
        )


def _offsets_of_some(starts: IntArray, some: BoolArray) -> IntArray:
    """The offsets of parts of which only some entries are kept."""
    return offsets_of(np.bincount(owners(starts)[some], minlength=len(starts) - 1))


@dataclass(frozen=True, eq=False)
class Rankings:
    """One run's rankings under one order, by topic."""

    name: str
    topics: Mapping[str, TopicRanking]
    unjudged_topics: Mapping[str, int]  # topics without judgments, with their length
    order: OrderRule
    source: str = ""
    tag: str = ""  # the run's name in its own file
    contradictions: int = 0  # judged topics in which rank and score disagree

    def columns(self, judgments: Judgments) -> RankedColumns:
        """All judged topics as columns; topics that the run lacks are empty lists."""
        topics = judgments.columns.topics
        if isinstance(self.topics, Views):
            columns: RankedColumns = self.topics.columns
            if columns.topics is not None and columns.topics.equals(topics):
                return columns
        return RankedColumns.of([self.topics.get(name) for name in topics], topics)

    def cut(self, judgments: Judgments, depth: int) -> Rankings:
        """The same lists down to a depth."""
        return replace(self, topics=self.columns(judgments).cut(depth).by_name())


EMPTY = TopicRanking(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), 0)


def default_duplicates(format: str) -> RunDuplicates:
    """The default rule for a document that occurs twice in a topic."""
    return _BY_FORMAT.get(format, "error")


def rank(
    judgments: Judgments,
    run: Run,
    order: OrderRule,
    *,
    duplicates: RunDuplicates | None = None,
    keep_documents: bool = False,
    judged_only: bool = False,
) -> Rankings:
    """Order a run and keep its judged documents; with `judged_only` its lists consist of these alone.

    A document that occurs twice in a topic is an error; with `first` later occurrences are dropped, with `blank` they
    keep their rank but count as not relevant (the rule of the Dynamic Domain track, and the default for its runs).
    """
    rule = duplicates or default_duplicates(run.format)
    TABLE["duplicates"].check(rule)
    lines = run.columns
    judged = _find_topics(judgments, lines.topics)
    others = np.flatnonzero(judged < 0)
    unjudged = dict(zip(lines.topics.at(others), np.diff(lines.starts)[others].tolist(), strict=True))
    part = _of_judged(lines, judged)
    ordered = _order(part[0], order, rule, run.source or run.name)
    columns = _rank(judgments, part, ordered, keep_documents)
    if judged_only:
        condensed = _drop_unjudged(judgments, part, ordered)
        columns = replace(_rank(judgments, part, condensed, keep_documents), submitted=columns)
    return Rankings(run.name, columns.by_name(), unjudged, order, run.source, run.tag, part[0].contradictions())


def _find_topics(judgments: Judgments, names: Names) -> IntArray:
    """The index of each topic of a run among the judged topics; −1 if it is not judged."""
    compiled = scanner.load()
    if compiled is None:
        index = judgments.columns.topics.by_name
        return np.fromiter((index.get(name, -1) for name in names), dtype=np.int64, count=len(names))
    indices = compiled.match_topics(hash_judged(judgments, compiled), names.pair)
    return np.frombuffer(indices, dtype=np.int32).astype(np.int64)


def _of_judged(run: RunColumns, judged: IntArray) -> tuple[RunColumns, IntArray]:
    """The judged topics of a run in the order of the judgments, and the index of each there."""
    kept = np.flatnonzero(judged >= 0)
    kept = kept[np.argsort(judged[kept], kind="stable")]
    if len(kept) == len(run) and (np.diff(kept) == 1).all():
        return run, judged
    return run.take(kept), judged[kept]


def _drop_unjudged(judgments: Judgments, part: tuple[RunColumns, IntArray], lines: OrderedLines) -> OrderedLines:
    """The lines of judged documents; a repeated one stays a repeated one."""
    run, judged = part
    topic = owners(lines.starts)
    kept = find_rows(judgments, judged[topic], lines.codes, run.documents) >= 0
    starts = _offsets_of_some(lines.starts, kept)
    return OrderedLines(starts, lines.codes[kept], lines.rounds[kept], lines.repeated[kept])


def _rank(
    judgments: Judgments, part: tuple[RunColumns, IntArray], lines: OrderedLines, keep_documents: bool
) -> RankedColumns:
    run, judged = part
    codes, starts, twice = lines.codes, lines.starts, lines.repeated
    topic = owners(starts)
    rows = find_rows(judgments, judged[topic], codes, run.documents)
    hits = np.flatnonzero((rows >= 0) & ~twice)
    total = len(judgments.columns)
    lengths, present = np.zeros(total, dtype=np.int64), np.zeros(total, dtype=bool)
    lengths[judged], present[judged] = np.diff(starts), True
    has_rounds = np.zeros(total, dtype=bool)
    has_rounds[judged] = run.has_rounds
    with_rounds = bool(has_rounds.any())
    blanks = np.flatnonzero(twice)
    return RankedColumns(
        offsets_of(np.bincount(judged[topic[hits]], minlength=total)),
        hits - starts[topic[hits]] + 1,
        rows[hits].astype(np.int64),
        lengths,
        present,
        judgments.columns.topics,
        offsets_of(lengths) if keep_documents or with_rounds else None,
        lines.rounds if with_rounds else None,
        has_rounds if with_rounds else None,
        codes if keep_documents else None,
        run.documents if keep_documents else None,
        offsets_of(np.bincount(judged[topic[blanks]], minlength=total)) if len(blanks) else None,
        blanks - starts[topic[blanks]] + 1 if len(blanks) else None,
    )


@dataclass(frozen=True, eq=False)
class OrderedLines:
    """The lines of a run in ranking order, topic by topic."""

    starts: IntArray
    codes: Codes  # of documents
    rounds: IntArray
    repeated: BoolArray  # documents that occur above in the same topic, which count as not relevant


def order_lines(run: Run, order: OrderRule, duplicates: RunDuplicates | None = None) -> OrderedLines:
    """A run in an order, with a rule for repeated documents as in `rank`."""
    return _order(run.columns, order, duplicates or default_duplicates(run.format), run.source or run.name)


def _order(run: RunColumns, order: OrderRule, duplicates: str, where: str) -> OrderedLines:
    places = run.places(order, where=where)
    codes, starts, rounds = run.codes[places], run.starts, run.rounds[places]
    twice = find_repeats(starts, codes, len(run.documents))
    if twice.any():
        if duplicates == "error":
            at = int(np.argmax(twice))
            named = run.topics[int(np.searchsorted(starts, at, side="right")) - 1]
            raise InputError(
                "duplicate-document",
                f"topic {quote(named)}: document {quote(run.documents[int(codes[at])])} occurs more than once",
                hint="correct the run, or choose with --duplicates first|blank",
                source=where,
            )
        if duplicates == "first":
            kept = ~twice
            starts = offsets_of(np.bincount(owners(starts)[kept], minlength=len(run)))
            codes, rounds, twice = codes[kept], rounds[kept], np.zeros(np.count_nonzero(kept), dtype=bool)
    return OrderedLines(starts, codes, rounds, twice)


def find_rows(judgments: Judgments, topic: IntArray, codes: Codes, documents: Names) -> Codes:
    """The row of each line's document among the judged documents of its topic; −1 if it is not judged."""
    compiled, columns = scanner.load(), judgments.columns
    if compiled is not None:
        judged, topics = hash_judged(judgments, compiled), topic.astype(np.int32)
        rows = compiled.match(judged, raw(topics), raw(codes), documents.pair)
        return np.frombuffer(rows, dtype=np.int32)
    judged_names = columns.document_names.tolist()
    row_of = {
        (t, judged_names[code]): row
        for t in range(len(columns))
        for row, code in enumerate(columns.document_codes[columns.documents[t] : columns.documents[t + 1]])
    }
    names = documents.tolist()
    pairs = zip(topic.tolist(), codes.tolist(), strict=True)
    return np.fromiter((row_of.get((t, names[code]), -1) for t, code in pairs), dtype=np.int32, count=len(codes))


def in_judged_order(
    judgments: Judgments, judged: IntArray, lengths: IntArray, starts: IntArray, ranks: IndexArray, rows: IndexArray
) -> RankedColumns:
    """Hits of topics in file order, sorted into the order of the judgments; `judged` has each topic's index there."""
    total = len(judgments.columns)
    kept = np.flatnonzero(judged >= 0)
    kept = kept[np.argsort(judged[kept], kind="stable")]
    sizes = np.zeros(total, dtype=np.int64)
    sizes[judged[kept]] = np.diff(starts)[kept]
    if len(kept) < len(judged) or (np.diff(kept) != 1).any():
        hits = spans(starts[:-1][kept], np.diff(starts)[kept])
        ranks, rows = ranks[hits], rows[hits]
    all_lengths, present = np.zeros(total, dtype=np.int64), np.zeros(total, dtype=bool)
    all_lengths[judged[kept]], present[judged[kept]] = lengths[kept], True
    return RankedColumns(offsets_of(sizes), ranks, rows, all_lengths, present, judgments.columns.topics)


_judged_sets: weakref.WeakKeyDictionary[JudgedColumns, Any] = weakref.WeakKeyDictionary()
_building = threading.Lock()


def forget_judged_set(judgments: Judgments) -> None:
    """Free the memory of the table that `hash_judged` built; it is built again if needed."""
    with _building:
        _judged_sets.pop(judgments.columns, None)


def hash_judged(judgments: Judgments, compiled: Any) -> Any:
    """The compiled scanner's hash table of the judged documents, built once."""
    columns = judgments.columns
    with _building:
        if columns not in _judged_sets:
            _judged_sets[columns] = compiled.judged_set(
                scanner.random_key(),
                columns.topics.pair,
                raw(columns.documents),
                raw(columns.document_codes),
                columns.document_names.pair,
            )
        return _judged_sets[columns]
