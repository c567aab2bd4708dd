"""Runs: the lists that a system returned, and the rule that orders their lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from diveval.collection.columns import (
    MOST_ROWS,
    BoolArray,
    Codes,
    Floats,
    IntArray,
    Memory,
    Names,
    Views,
    any_in,
    columns_of,
    intern,
    offsets_of,
    owners,
    preview_html,
    preview_rows,
    sort_positions,
    take_parts,
    without_unused,
)
from diveval.errors import InputError, count_of, need, quote
from diveval.settings import OrderRule

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True, eq=False)
class TopicRun:
    """One topic's lines, in file order. A column that the format lacks is None."""

    documents: Sequence[str]
    scores: NDArray[np.float64] | None = None
    ranks: NDArray[np.int64] | None = None
    iterations: NDArray[np.int64] | None = None  # Dynamic Domain: documents come in rounds

    def order(self, rule: OrderRule, *, where: str = "") -> NDArray[np.intp]:
        """The permutation that orders the lines; rounds stay together, in their order."""
        return _columns_of({"": self}).places(rule, where=where)


@dataclass(frozen=True, eq=False)
class RunColumns:
    """Every line of a run, topic by topic in natural order, the lines of a topic in file order.

    If a topic lacks a column, the values are neutral: descending scores, ascending ranks, round 0, or a single 0 without
    memory for each line if all topics lack it; `has_scores`, `has_ranks` and `has_rounds` say for each topic whether the
    values come from the file.
    """

    topics: Names
    starts: IntArray  # one entry more than there are topics
    codes: Codes  # of documents
    documents: Names  # each once
    scores: Floats
    ranks: IntArray
    rounds: IntArray
    has_scores: BoolArray
    has_ranks: BoolArray
    has_rounds: BoolArray

    def __len__(self) -> int:
        return len(self.topics)

    def take(self, kept: IntArray) -> RunColumns:
        """Some of the topics, in the order given; adjacent ones without a copy of their lines."""
        starts, lines = take_parts(self.starts, kept)
        return RunColumns(
            self.topics.take(kept),
            starts,
            self.codes[lines],
            self.documents,
            self.scores[lines],
            self.ranks[lines],
            self.rounds[lines],
            self.has_scores[kept],
            self.has_ranks[kept],
            self.has_rounds[kept],
        )

    def contradictions(self) -> int:
        """In how many topics the rank column puts a lower score above a higher one."""
        if not (self.has_scores & self.has_ranks).any():
            return 0
        topic = owners(self.starts)
        both = (self.has_scores & self.has_ranks & ~self.has_rounds)[topic]
        scores = self.scores
        if not _rises(self.ranks, topic):
            order = np.lexsort((self.ranks, topic))
            scores = scores[order]  # topics keep their place
        rose = np.zeros(len(scores), dtype=bool)
        rose[1:] = (scores[1:] > scores[:-1]) & (topic[1:] == topic[:-1])
        return int(np.count_nonzero(any_in(rose & both, self.starts)))

    def places(self, rule: OrderRule, *, where: str = "") -> IntArray:
        """The line numbers in ranking order; topics keep their place, and rounds their order."""
        topic = owners(self.starts)
        out = np.arange(len(self.codes))
        if rule.by == "rank":
            if rule.ties != "file" and not self.has_ranks.all():
                raise InputError(
                    "missing-column", "has no usable rank column", hint="use --order score or file", source=where
                )
            if not _rises(self.ranks, topic):
                out = np.lexsort((self.ranks, topic))
        elif rule.by == "score" and self.has_scores.any():
            out = self._by_score(rule, topic)
        if self.has_rounds.any() and not _rises(self.rounds[out], topic):
            out = out[np.lexsort((self.rounds[out], topic))]
        return out

    def _by_score(self, rule: OrderRule, topic: IntArray) -> IntArray:
        out = np.arange(len(self.codes))
        if not _rises(-self.scores, topic):
            out = np.lexsort((-self.scores, topic))
        if rule.ties == "file":
            return out
        scores = self.scores[out]
        same = (scores[1:] == scores[:-1]) & (topic[1:] == topic[:-1])
        if not same.any():
            return out
        # Only tied lines are sorted again, by document id.
        tied = np.flatnonzero(np.r_[same, False] | np.r_[False, same])
        names, codes = without_unused(self.documents, self.codes[out[tied]])
        by_name = sort_positions(names)[codes] * (-1 if rule.ties == "docno-desc" else 1)
        out[tied] = out[tied][np.lexsort((by_name, -scores[tied], topic[tied]))]
        return out


def _rises(values: NDArray[Any], topic: IntArray) -> bool:
    """Whether the values are non-decreasing within every topic."""
    return bool(((values[1:] >= values[:-1]) | (topic[1:] != topic[:-1])).all())


@dataclass(frozen=True, eq=False)
class RunRows:
    """Lines in file order: codes of topic and document, and the columns that the format has. NaN and `NO_NUMBER` stand
    for a missing number. Every topic has a line."""

    topics: Names
    documents: Names
    topic: Codes
    document: Codes
    scores: Floats | None = None
    ranks: IntArray | None = None
    rounds: IntArray | None = None


NO_NUMBER = np.iinfo(np.int64).min  # NO_RANK in csrc/columns.h


def run_columns(rows: RunRows) -> RunColumns:
    """Lines grouped by topic. If a value of a column is missing in a topic, the topic is treated as lacking the column."""
    natural = sort_positions(rows.topics, natural=True)
    topic = natural[rows.topic]
    count = len(rows.topics)
    in_order = bool((topic[1:] >= topic[:-1]).all())
    order = slice(None) if in_order else np.argsort(topic, kind="stable")
    starts = offsets_of(np.bincount(topic, minlength=count))
    by_place = np.empty(count, dtype=np.int64)
    by_place[natural] = np.arange(count)

    def neutral() -> IntArray:
        """The number of each line within its topic."""
        return np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts))

    def whole(column: NDArray[Any] | None, sign: int, kind: Any) -> tuple[NDArray[Any], BoolArray]:
        """A column by topic, and the topics that have it."""
        if column is None:
            return np.broadcast_to(kind(0), int(starts[-1])), np.zeros(count, dtype=bool)
        ordered = column[order]
        has = any_in(~np.isnan(ordered), starts) if kind is np.float64 else ~any_in(ordered == NO_NUMBER, starts)
        return ordered if has.all() else np.where(np.repeat(has, np.diff(starts)), ordered, sign * neutral()), has

    scores, has_scores = whole(rows.scores, -1, np.float64)
    ranks, has_ranks = whole(rows.ranks, 1, np.int64)
    rounds, has_rounds = whole(rows.rounds, 0, np.int64)
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
    """The topics of a run whose columns are built on first access."""

    def __init__(self, make: Callable[[], RunColumns]) -> None:
        self._make = make

    @cached_property
    def views(self) -> Views[TopicRun]:
        """The topics as views of the columns."""
        return views_of(self._make())

    def __getitem__(self, name: str) -> TopicRun:
        return self.views[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.views)

    def __len__(self) -> int:
        return len(self.views)


def views_of(columns: RunColumns) -> Views[TopicRun]:
    """The topics of columns, each created on access."""

    def view(topic: int) -> TopicRun:
        lines = slice(columns.starts[topic], columns.starts[topic + 1])
        return TopicRun(
            columns.documents.at(columns.codes[lines]),
            columns.scores[lines] if columns.has_scores[topic] else None,
            columns.ranks[lines] if columns.has_ranks[topic] else None,
            columns.rounds[lines] if columns.has_rounds[topic] else None,
        )

    return Views(columns, columns.topics, view)


# A run in an Arrow table, which the compiled scanner reads in place (csrc/_scanner_arrow.c describes the layout):
# batches, and the rows of the run if the table holds several.
Scannable = tuple[tuple[Any, ...], Memory | None]


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A system's lists, by topic in natural order.

    `topics` are views of `columns`, or objects that the caller created, from which `columns` is built. With `rows`, the
    compiled scanner can rank the run without building either.
    """

    name: str
    topics: Mapping[str, TopicRun]
    source: str = ""
    format: str = ""
    tag: str = ""  # the run's name in the last column of its file
    rows: Scannable | None = None

    @classmethod
    def of(cls, columns: RunColumns, name: str, *, source: str = "", format: str = "", tag: str = "") -> Run:
        """A run over columns."""
        return cls(name, views_of(columns), source, format, tag)

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[str, str, float]], *, name: str = "run", source: str = "") -> Run:
        """Build from `(topic, document, score)`."""
        topics, documents, scores = columns_of(rows, 3)
        values = np.array(scores, dtype=np.float64)
        if not np.isfinite(values).all():
            at = int(np.flatnonzero(~np.isfinite(values))[0])
            raise InputError(
                "not-a-number",
                f"topic {quote(topics[at])}, document {quote(documents[at])}: a score is a finite number, got"
                f" {values[at]}",
                source=source,
            )
        (t, topic), (d, document) = intern(topics), intern(documents)
        return cls.of(run_columns(RunRows(t, d, topic, document, values)), name, source=source)

    @cached_property
    def columns(self) -> RunColumns:
        """Every topic's lines, topic by topic."""
        topics = self.topics.views if isinstance(self.topics, Unread) else self.topics
        if isinstance(topics, Views):
            columns: RunColumns = topics.columns
            return columns
        return _columns_of(topics)

    def take(self, kept: IntArray) -> Run:
        """The same run with some of its topics."""
        return replace(self, topics=views_of(self.columns.take(kept)), rows=None)

    def contradictions(self) -> int:
        """In how many topics rank and score disagree."""
        return self.columns.contradictions()

    def _table(self, most: int | None = None) -> dict[str, list[Any]]:
        """Lines in the order of the file: topic, document, and score and rank where a topic has them."""
        columns, topic = self.columns, owners(self.columns.starts)[:most]
        names = columns.topics.tolist()
        out: dict[str, list[Any]] = {
            "topic": [names[t] for t in topic.tolist()],
            "document": list(columns.documents.at(columns.codes[:most])),
        }
        given = (("score", columns.scores, columns.has_scores), ("rank", columns.ranks, columns.has_ranks))
        for name, values, has in given:
            if has.any():
                pairs = zip(values[:most].tolist(), has[topic].tolist(), strict=True)
                out[name] = [value if known else None for value, known in pairs]
        return out

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas frame with the columns topic, document, and score and rank where the run has them."""
        return need("pandas", "frames").DataFrame(self._table())

    def to_polars(self) -> polars.DataFrame:
        """A polars frame with the columns topic, document, and score and rank where the run has them."""
        frame: polars.DataFrame = need("polars", "polars").DataFrame(self._table())
        return frame

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self.columns, self.name, self.source, self.format, self.tag)

    def __repr__(self) -> str:
        lines = len(self.columns.codes)
        title = f"<Run {self.name}: {count_of(len(self.topics), 'topic')}, {count_of(lines, 'document')}>"
        table = self._table(MOST_ROWS)
        return preview_rows(title, list(table), zip(*table.values(), strict=True), lines)

    def _repr_html_(self) -> str:
        return preview_html(repr(self))


def _unpickle(columns: RunColumns, name: str, source: str, format: str, tag: str) -> Run:
    return Run.of(columns, name, source=source, format=format, tag=tag)


def _columns_of(topics: Mapping[str, TopicRun]) -> RunColumns:
    """Columns of topics that were created one by one, in their order."""
    listed = list(topics.values())
    sizes = np.array([len(topic.documents) for topic in listed], dtype=np.int64)
    documents, codes = intern([document for topic in listed for document in topic.documents])
    starts = offsets_of(sizes)
    line = np.arange(starts[-1]) - starts[owners(starts)]

    def column(parts: Sequence[NDArray[Any] | None], otherwise: NDArray[Any]) -> tuple[NDArray[Any], BoolArray]:
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
