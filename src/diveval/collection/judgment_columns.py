"""Judgments grouped by topic, aspect and document, and the rule for repeated judgments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.collection.columns import (
    BoolArray,
    Codes,
    Floats,
    IntArray,
    Names,
    Views,
    any_in,
    concatenate,
    offsets_of,
    owners,
    raw,
    sort_positions,
    take_parts,
)
from diveval.errors import InputError, quote
from diveval.setting_table import TABLE, Duplicates
from diveval.system import scanner

LARGEST_MATRIX = 200_000_000  # cells of one topic's aspect × document matrix; more is an error


@dataclass(frozen=True, eq=False)
class TopicJudgments:
    """One topic's judgments: documents by id descending (the tie rule), aspects in natural order.

    Entries, one per judgment, are sorted by aspect, then by document, then by grade.
    """

    topic: str
    documents: tuple[str, ...]
    aspects: tuple[str, ...]
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    grades: NDArray[np.float64]
    weights: NDArray[np.float64] | None = None  # as given; None means uniform

    @property
    def highest(self) -> float:
        return float(self.grades.max(initial=0.0))

    def matrix(self) -> NDArray[np.float64]:
        """Grades as aspect × document, the best of repeated judgments, unjudged cells and negatives 0."""
        shape = (len(self.aspects), len(self.documents))
        if shape[0] * shape[1] > LARGEST_MATRIX:
            raise InputError(
                "topic-too-large",
                f"topic {quote(self.topic)} has {shape[0]} aspects × {shape[1]} judged documents, more than"
                f" {LARGEST_MATRIX} cells",
                hint="split the topic or judge fewer aspects",
            )
        out = np.zeros(shape)
        if ((self.rows[1:] == self.rows[:-1]) & (self.columns[1:] == self.columns[:-1])).any():  # entries are sorted
            np.maximum.at(out, (self.columns, self.rows), self.grades)
        else:  # many times faster
            out[self.columns, self.rows] = np.maximum(self.grades, 0.0)
        return out


@dataclass(frozen=True, eq=False)
class JudgedColumns:
    """Every judgment of a collection, topic by topic in natural order.

    A topic's documents (rows) are by id descending (the tie rule), its aspects (columns) in natural order; its entries,
    one per judgment, are sorted by aspect, then by document, then by grade. `documents`, `aspects` and `entries` are offsets:
    the start of each topic's part, and at last the end.
    """

    topics: Names
    entries: IntArray
    rows: Codes  # of each entry: the index of its document within the topic
    columns: Codes  # of each entry: the index of its aspect within the topic
    grades: Floats
    documents: IntArray
    document_codes: Codes  # into `document_names`
    document_names: Names
    aspects: IntArray
    aspect_codes: Codes  # into `aspect_names`
    aspect_names: Names
    weights: Floats  # of each topic's aspects as given; NaN: no weight for this aspect
    weighted: BoolArray  # topics that have weights; the others are uniform
    repeats: int = 0  # judgments repeated with the same grade, which were dropped

    def __len__(self) -> int:
        return len(self.documents) - 1

    def documents_of(self, topic: int) -> tuple[str, ...]:
        """A topic's documents."""
        return tuple(self.document_names.at(self.document_codes[self.documents[topic] : self.documents[topic + 1]]))

    def aspects_of(self, topic: int) -> tuple[str, ...]:
        """A topic's aspects."""
        return tuple(self.aspect_names.at(self.aspect_codes[self.aspects[topic] : self.aspects[topic + 1]]))

    def _view(self, topic: int) -> TopicJudgments:
        entries = slice(self.entries[topic], self.entries[topic + 1])
        weights = self.weights[self.aspects[topic] : self.aspects[topic + 1]] if self.weighted[topic] else None
        return TopicJudgments(
            self.topics[topic],
            self.documents_of(topic),
            self.aspects_of(topic),
            self.rows[entries],
            self.columns[entries],
            self.grades[entries],
            weights,
        )

    def take(self, kept: IntArray) -> JudgedColumns:
        """Some of the topics, in the order given; adjacent ones without a copy of their judgments."""
        entries, judgments = take_parts(self.entries, kept)
        documents, judged = take_parts(self.documents, kept)
        aspects, own = take_parts(self.aspects, kept)
        return replace(
            self,
            topics=self.topics.take(kept),
            entries=entries,
            rows=self.rows[judgments],
            columns=self.columns[judgments],
            grades=self.grades[judgments],
            documents=documents,
            document_codes=self.document_codes[judged],
            aspects=aspects,
            aspect_codes=self.aspect_codes[own],
            weights=self.weights[own],
            weighted=self.weighted[kept],
        )

    def keep(self, some: BoolArray) -> JudgedColumns:
        """The same topics with some of their judged documents only; they keep their aspects."""
        topic, before = owners(self.entries), offsets_of(some)
        document = self.documents[topic] + self.rows
        starts, entries = before[self.documents], some[document]
        return replace(
            self,
            entries=offsets_of(np.bincount(topic[entries], minlength=len(self))),
            rows=(before[document] - starts[topic])[entries].astype(np.int32),
            columns=self.columns[entries],
            grades=self.grades[entries],
            documents=starts,
            document_codes=self.document_codes[some],
        )

    @cached_property
    def views(self) -> Views[TopicJudgments]:
        """The topics by name, each created on access."""
        return Views(self, self.topics, self._view)

    def highest(self) -> Floats:
        """The highest grade of each topic, at least 0."""
        out = np.zeros(len(self))
        filled = np.flatnonzero(np.diff(self.entries))
        if len(filled):
            out[filled] = np.maximum.reduceat(self.grades, self.entries[filled])
        return np.maximum(out, 0.0)

    @classmethod
    def of(cls, topics: Sequence[TopicJudgments]) -> JudgedColumns:
        """Columns of topics that were created one by one, in their order."""
        documents = Names.of(name for topic in topics for name in topic.documents)
        aspects = Names.of(name for topic in topics for name in topic.aspects)
        weights = [np.full(len(t.aspects), np.nan) if t.weights is None else t.weights for t in topics]
        return cls(
            Names.of(topic.topic for topic in topics),
            offsets_of([len(topic.grades) for topic in topics]),
            concatenate([topic.rows for topic in topics], np.int32),
            concatenate([topic.columns for topic in topics], np.int32),
            concatenate([topic.grades for topic in topics], np.float64),
            offsets_of([len(topic.documents) for topic in topics]),
            np.arange(len(documents), dtype=np.int32),
            documents,
            offsets_of([len(topic.aspects) for topic in topics]),
            np.arange(len(aspects), dtype=np.int32),
            aspects,
            concatenate(weights, np.float64),
            np.array([topic.weights is not None for topic in topics], dtype=bool),
        )


@dataclass(frozen=True, eq=False)
class JudgmentRows:
    """Judgments in input order: codes of topic, aspect and document, and the grade. Every topic has a judgment."""

    topics: Names
    aspects: Names
    documents: Names
    topic: Codes
    aspect: Codes
    document: Codes
    grades: Floats


def group_judgments(rows: JudgmentRows, *, duplicates: Duplicates, repeats: bool, source: str) -> JudgedColumns:
    """The rows as columns. `repeats` keeps every row of a passage-level file; otherwise `duplicates` is the rule."""
    TABLE["judgment_duplicates"].check(duplicates, "duplicates")
    if not len(rows.grades):
        raise InputError("no-judgment", "contains no judgment", source=source)
    compiled = scanner.load()
    columns = _plain_groups(rows) if compiled is None else _group_compiled(compiled, rows)
    same = _same_cell(columns)
    if not same.any():
        return columns
    return _by_grade(columns) if repeats else _without_repeats(columns, same, duplicates, source)


def _group_compiled(compiled: Any, rows: JudgmentRows) -> JudgedColumns:
    names = (rows.topics.pair, rows.aspects.pair, rows.documents.pair)
    codes = (raw(column.astype(np.int32, copy=False)) for column in (rows.topic, rows.aspect, rows.document))
    order, starts, places, columns, grades, aspects, documents = compiled.group(*names, *codes, raw(rows.grades))
    topics = np.frombuffer(order, dtype=np.int32)
    in_order = bool((np.diff(topics) == 1).all())
    return JudgedColumns(
        rows.topics if in_order else rows.topics.take(topics),
        np.frombuffer(starts, dtype=np.int64),
        np.frombuffer(places, dtype=np.int32),
        np.frombuffer(columns, dtype=np.int32),
        np.frombuffer(grades, dtype=np.float64),
        np.frombuffer(documents[0], dtype=np.int64),
        np.frombuffer(documents[1], dtype=np.int32),
        rows.documents,
        np.frombuffer(aspects[0], dtype=np.int64),
        np.frombuffer(aspects[1], dtype=np.int32),
        rows.aspects,
        *_blank_weights(len(topics), len(aspects[1]) // 4),
    )


def _blank_weights(topics: int, aspects: int) -> tuple[Floats, BoolArray]:
    return np.full(aspects, np.nan), np.zeros(topics, dtype=bool)


def _plain_groups(rows: JudgmentRows) -> JudgedColumns:
    """The same without the compiled scanner."""
    places = sort_positions(rows.topics, natural=True)
    topic = places[rows.topic]
    count = len(rows.topics)
    names = np.empty(count, dtype=np.int64)
    names[places] = np.arange(count)
    document = len(rows.documents) - 1 - sort_positions(rows.documents)[rows.document]
    aspect = _aspect_keys(rows.aspects, topic, rows.aspect, count)
    order = np.lexsort((document, aspect, topic))
    topic, aspect, document = topic[order], aspect[order], document[order]
    starts = offsets_of(np.bincount(topic, minlength=count))
    aspect_starts, aspect_first, columns = _members(topic, aspect, count)
    document_starts, document_first, places_of_documents = _members(topic, document, count)
    return JudgedColumns(
        rows.topics.take(names),
        starts,
        places_of_documents,
        columns,
        rows.grades[order],
        document_starts,
        rows.document[order][document_first],
        rows.documents,
        aspect_starts,
        rows.aspect[order][aspect_first],
        rows.aspects,
        *_blank_weights(count, len(aspect_first)),
    )


def _aspect_keys(names: Names, topic: Codes, aspect: Codes, topics: int) -> Codes:
    """A sort key for aspects: by value in topics whose aspects are all numbers, else by text."""
    listed = names.tolist()
    is_number = np.array([re.fullmatch(r"[0-9]{1,18}", name) is not None for name in listed], dtype=bool)
    by_value = np.zeros(len(listed), dtype=np.int32)
    numbers = sorted(np.flatnonzero(is_number).tolist(), key=lambda i: (int(listed[i]), listed[i]))
    by_value[numbers] = np.arange(len(numbers))
    texts = np.zeros(topics, dtype=bool)
    texts[topic[~is_number[aspect]]] = True
    return np.where(texts[topic], sort_positions(names)[aspect], by_value[aspect])


def _members(topic: Codes, key: Codes, topics: int) -> tuple[IntArray, IntArray, Codes]:
    """The distinct keys of each topic: offsets, one entry for each key, and the index of every entry's key."""
    order = np.lexsort((key, topic))
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(topic[order]) != 0) | (np.diff(key[order]) != 0)
    number = np.cumsum(new) - 1
    starts = offsets_of(np.bincount(topic[order][new], minlength=topics))
    places = np.empty(len(order), dtype=np.int32)
    places[order] = number - starts[topic[order]]
    return starts, order[new], places


# --- judgments that occur more than once ----------------------------------------------------------------------


def _same_cell(columns: JudgedColumns) -> BoolArray:
    """Which entries judge the same document for the same aspect as the entry before."""
    out = np.zeros(len(columns.grades), dtype=bool)
    out[1:] = (columns.rows[1:] == columns.rows[:-1]) & (columns.columns[1:] == columns.columns[:-1])
    out[columns.entries[:-1]] = False
    return out


def _by_grade(columns: JudgedColumns) -> JudgedColumns:
    order = np.lexsort((columns.grades, columns.rows, columns.columns, owners(columns.entries)))
    return replace(columns, grades=columns.grades[order])


def _without_repeats(columns: JudgedColumns, same: BoolArray, duplicates: Duplicates, source: str) -> JudgedColumns:
    """One grade per cell. Repeats with equal grades are counted; for others the rule decides, or raises an error."""
    first = np.flatnonzero(~same)
    cell = np.cumsum(~same) - 1
    differs = columns.grades != columns.grades[first][cell]
    conflicting = any_in(differs, offsets_of(np.bincount(cell)))
    if duplicates == "error" and conflicting.any():
        raise _contradiction(columns, int(first[np.argmax(conflicting)]), source)
    repeats = int(np.count_nonzero(same & ~conflicting[cell]))
    grades = columns.grades[first]
    if duplicates == "max":
        grades = np.maximum.reduceat(columns.grades, first)
    elif duplicates == "last":
        grades = columns.grades[np.append(first[1:], len(same)) - 1]
    counts = np.bincount(owners(columns.entries)[first], minlength=len(columns))
    return replace(
        columns,
        entries=offsets_of(counts),
        rows=columns.rows[first],
        columns=columns.columns[first],
        grades=grades,
        repeats=repeats,
    )


def _contradiction(columns: JudgedColumns, entry: int, source: str) -> InputError:
    topic = int(np.searchsorted(columns.entries, entry, side="right")) - 1
    aspect = columns.aspects_of(topic)[columns.columns[entry]]
    document = columns.documents_of(topic)[columns.rows[entry]]
    grade = columns.grades[entry]
    other = next(g for g in columns.grades[entry:].tolist() if g != grade)
    return InputError(
        "conflicting-grades",
        f"topic {quote(columns.topics[topic])}, aspect {quote(aspect)}, document {quote(document)} is judged {grade:g}"
        f" and {other:g}",
        hint="correct it, or choose with --judgment-duplicates max|first|last",
        source=source,
    )
