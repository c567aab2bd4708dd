"""Runs: what a system returned, and the rule by which its lines become a ranking."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from diveval.columns import (
    Codes,
    Floats,
    Marks,
    Memory,
    Names,
    Views,
    Whole,
    any_in,
    interned,
    offsets_of,
    owners,
    standing,
    without_unused,
)
from diveval.errors import InputError, UsageError, shown

ORDERS: tuple[str, ...] = ("score", "rank", "file")
Ties = Literal["docno-desc", "docno-asc", "file"]
TIES: tuple[str, ...] = get_args(Ties)
RUN_DUPLICATES: tuple[str, ...] = ("error", "first", "blank")


@dataclass(frozen=True)
class OrderRule:
    """score: descending as doubles, equal scores by `ties`; rank: the rank column ascending; file: as it stands.

    By rank with ties `file`, a run without a rank column is taken as it stands; otherwise it is an error.
    """

    by: Literal["score", "rank", "file"] = "score"
    ties: Ties = "docno-desc"

    def __post_init__(self) -> None:
        if self.by not in ORDERS:
            raise UsageError(f"order is one of {', '.join(ORDERS)}, got {shown(self.by)}")
        if self.ties not in TIES:
            raise UsageError(f"ties is one of {', '.join(TIES)}, got {shown(self.ties)}")


@dataclass(frozen=True, eq=False)
class TopicRun:
    """One topic's lines, in file order. A format without a column has None there."""

    documents: Sequence[str]
    scores: NDArray[np.float64] | None = None
    ranks: NDArray[np.int64] | None = None
    iterations: NDArray[np.int64] | None = None  # Dynamic Domain: documents come in rounds

    def order(self, rule: OrderRule, *, where: str = "") -> NDArray[np.intp]:
        """The permutation that makes the ranking; rounds stay together, in their order."""
        return _put_together({"": self}).places(rule, where=where)


@dataclass(frozen=True, eq=False)
class RunColumns:
    """Every line of a run, one topic after the other in natural order, lines of a topic in file order.

    A column that a topic lacks is filled so that it changes nothing: scores that fall, ranks that rise, round 0; the
    `has_…` say for each topic whether the values are real.
    """

    topics: Names
    starts: Whole  # one entry more than there are topics
    codes: Codes  # of documents
    documents: Names  # each once
    scores: Floats
    ranks: Whole
    rounds: Whole
    has_scores: Marks
    has_ranks: Marks
    has_rounds: Marks

    def __len__(self) -> int:
        return len(self.topics)

    def contradictions(self) -> int:
        """In how many topics the rank column puts a lower score above a higher one."""
        topic = owners(self.starts)
        both = (self.has_scores & self.has_ranks & ~self.has_rounds)[topic]
        scores = self.scores
        if not _rises(self.ranks, topic):
            order = np.lexsort((self.ranks, topic))
            scores = scores[order]  # topics stay where they are
        rose = np.zeros(len(scores), dtype=bool)
        rose[1:] = (scores[1:] > scores[:-1]) & (topic[1:] == topic[:-1])
        return int(np.count_nonzero(any_in(rose & both, self.starts)))

    def places(self, rule: OrderRule, *, where: str = "") -> Whole:
        """The lines in the order of the ranking; topics stay where they are, and rounds in their order."""
        topic = owners(self.starts)
        out = np.arange(len(self.codes))
        if rule.by == "rank":
            if rule.ties != "file" and not self.has_ranks.all():
                raise InputError("has no usable rank column; use --order score or file", source=where)
            if not _rises(self.ranks, topic):
                out = np.lexsort((self.ranks, topic))
        elif rule.by == "score":
            out = self._by_score(rule, topic)
        if self.has_rounds.any() and not _rises(self.rounds[out], topic):
            out = out[np.lexsort((self.rounds[out], topic))]
        return out

    def _by_score(self, rule: OrderRule, topic: Whole) -> Whole:
        out = np.arange(len(self.codes))
        if not _rises(-self.scores, topic):
            out = np.lexsort((-self.scores, topic))
        if rule.ties == "file":
            return out
        scores = self.scores[out]
        same = (scores[1:] == scores[:-1]) & (topic[1:] == topic[:-1])
        if not same.any():
            return out
        # Only what is tied is sorted again, by document.
        tied = np.flatnonzero(np.r_[same, False] | np.r_[False, same])
        names, codes = without_unused(self.documents, self.codes[out[tied]])
        by_name = standing(names)[codes] * (-1 if rule.ties == "docno-desc" else 1)
        out[tied] = out[tied][np.lexsort((by_name, -scores[tied], topic[tied]))]
        return out


def _rises(values: NDArray[Any], topic: Whole) -> bool:
    """Do the values of no topic fall?"""
    return bool(((values[1:] >= values[:-1]) | (topic[1:] != topic[:-1])).all())


@dataclass(frozen=True, eq=False)
class RunRows:
    """Lines as they come: for each the codes of topic and document and what the format has besides; NaN and `NO_NUMBER`
    stand for a number that is not there. No topic is unused."""

    topics: Names
    documents: Names
    topic: Codes
    document: Codes
    scores: Floats | None = None
    ranks: Whole | None = None
    rounds: Whole | None = None


NO_NUMBER = np.iinfo(np.int64).min  # NO_RANK in csrc/columns.h


def run_columns(rows: RunRows) -> RunColumns:
    """Lines by topic. A column in which a topic lacks a value does not count for that topic."""
    natural = standing(rows.topics, natural=True)
    topic = natural[rows.topic]
    count = len(rows.topics)
    order = np.arange(len(topic)) if (np.diff(topic) >= 0).all() else np.argsort(topic, kind="stable")
    starts = offsets_of(np.bincount(topic, minlength=count))
    by_place = np.empty(count, dtype=np.int64)
    by_place[natural] = np.arange(count)
    line = np.arange(len(order)) - starts[topic[order]]

    def whole(column: Whole | None, otherwise: NDArray[Any]) -> tuple[Whole, Marks]:
        if column is None:
            return otherwise, np.zeros(count, dtype=bool)
        held = column[order]
        has = ~any_in(held == NO_NUMBER, starts)
        return np.where(has[owners(starts)], held, otherwise), has

    scores, has_scores = -line.astype(np.float64), np.zeros(count, dtype=bool)
    if rows.scores is not None:
        held = rows.scores[order]
        has_scores = any_in(~np.isnan(held), starts)
        scores = np.where(has_scores[owners(starts)], held, scores)
    ranks, has_ranks = whole(rows.ranks, line)
    rounds, has_rounds = whole(rows.rounds, np.zeros(len(line), dtype=np.int64))
    return RunColumns(
        rows.topics.take(by_place),
        starts,
        rows.document[order],
        rows.documents,
        scores,
        ranks,
        rounds,
        has_scores,
        has_ranks,
        has_rounds,
    )


class Unread(Mapping[str, TopicRun]):
    """The topics of a run whose rows are put in order when somebody asks for them."""

    def __init__(self, make: Callable[[], RunColumns]) -> None:
        self._make = make

    @cached_property
    def views(self) -> Views[TopicRun]:
        """The topics, read."""
        return views_of(self._make())

    def __getitem__(self, name: str) -> TopicRun:
        return self.views[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.views)

    def __len__(self) -> int:
        return len(self.views)


def views_of(columns: RunColumns) -> Views[TopicRun]:
    """The topics of columns, each made when it is asked for."""

    def view(topic: int) -> TopicRun:
        here = slice(columns.starts[topic], columns.starts[topic + 1])
        return TopicRun(
            columns.documents.at(columns.codes[here]),
            columns.scores[here] if columns.has_scores[topic] else None,
            columns.ranks[here] if columns.has_ranks[topic] else None,
            columns.rounds[here] if columns.has_rounds[topic] else None,
        )

    return Views(columns, columns.topics, view)


# A run in a table of Arrow's, as the compiled scanner reads it in place (csrc/_scanner_arrow.c says how): batches, and the
# rows of the run where the table holds several.
Scannable = tuple[tuple[Any, ...], Memory | None]


@dataclass(frozen=True, eq=False)
class Run:
    """A system's lists, by topic in natural order.

    `topics` are views of `columns`, or objects that somebody made, which `columns` then puts together. Where `rows` are
    there, the compiled scanner can rank the run without either.
    """

    name: str
    topics: Mapping[str, TopicRun]
    source: str = ""
    format: str = ""
    tag: str = ""  # what the run calls itself in its last column
    rows: Scannable | None = None

    @classmethod
    def of(cls, columns: RunColumns, name: str, *, source: str = "", format: str = "", tag: str = "") -> Run:
        """A run over columns."""
        return cls(name, views_of(columns), source, format, tag)

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[str, str, float]], *, name: str = "run", source: str = "") -> Run:
        """Build from `(topic, document, score)`."""
        topics, documents, scores = [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
        values = np.array(scores, dtype=np.float64)
        if not np.isfinite(values).all():
            at = int(np.flatnonzero(~np.isfinite(values))[0])
            raise InputError(
                f"topic {shown(topics[at])}, document {shown(documents[at])}: a score is a finite number, got"
                f" {values[at]}",
                source=source,
            )
        (t, topic), (d, document) = interned(topics), interned(documents)
        return cls.of(run_columns(RunRows(t, d, topic, document, values)), name, source=source)

    @cached_property
    def columns(self) -> RunColumns:
        """Every topic's lines, one topic after the other."""
        topics = self.topics.views if isinstance(self.topics, Unread) else self.topics
        if isinstance(topics, Views):
            columns: RunColumns = topics.columns
            return columns
        return _put_together(topics)

    def contradictions(self) -> int:
        """In how many topics rank and score disagree."""
        return self.columns.contradictions()


def _put_together(topics: Mapping[str, TopicRun]) -> RunColumns:
    """Columns of topics that somebody made one by one, in their order."""
    listed = list(topics.values())
    sizes = np.array([len(topic.documents) for topic in listed], dtype=np.int64)
    documents, codes = interned([document for topic in listed for document in topic.documents])
    starts = offsets_of(sizes)
    line = np.arange(starts[-1]) - starts[owners(starts)]

    def column(parts: Sequence[NDArray[Any] | None], otherwise: NDArray[Any]) -> tuple[NDArray[Any], Marks]:
        out = otherwise.copy()
        for i, part in enumerate(parts):
            if part is not None:
                out[starts[i] : starts[i + 1]] = part
        return out, np.array([part is not None for part in parts], dtype=bool)

    scores, has_scores = column([topic.scores for topic in listed], -line.astype(np.float64))
    ranks, has_ranks = column([topic.ranks for topic in listed], line)
    rounds, has_rounds = column([topic.iterations for topic in listed], np.zeros(len(line), dtype=np.int64))
    return RunColumns(
        Names.of(topics), starts, codes, documents, scores, ranks, rounds, has_scores, has_ranks, has_rounds
    )
