"""Judgments: how relevant each document is to each aspect of a topic, as columns with one offset per topic."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from diveval.collection.columns import Views, columns_of, intern, naturally, owners, preview_html, preview_rows
from diveval.collection.judgment_columns import (
    LARGEST_MATRIX,
    JudgedColumns,
    JudgmentRows,
    TopicJudgments,
    group_judgments,
)
from diveval.collection.relevance import TopicRelevance, relevance_of, topics_under_rule
from diveval.collection.topic_ids import no_shared_topic
from diveval.errors import InputError, count_of, need, preview, quote, warn
from diveval.setting_table import Duplicates
from diveval.settings import RelevanceRule

if TYPE_CHECKING:
    import pandas
    import polars

__all__ = [
    "LARGEST_MATRIX",
    "JudgedColumns",
    "JudgmentRows",
    "Judgments",
    "TopicJudgments",
    "TopicRelevance",
    "naturally",
]
HEADER = ("topic", "aspect", "document", "grade")
LARGEST_WEIGHT = 1e300  # so that the sum of a topic's weights is finite


@dataclass(frozen=True, eq=False, repr=False)
class Judgments:
    """The judgments of a collection, by topic in natural order.

    `topics` are views of `columns`, or objects that the caller created, from which `columns` is built.
    `highest_of_all`: the highest grade of the collection, if these are only some of its topics.
    """

    topics: Mapping[str, TopicJudgments]
    source: str = ""
    format: str = ""
    highest_of_all: float | None = None

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[tuple[str, str, str, float]],
        *,
        weights: Mapping[tuple[str, str], float] | None = None,
        duplicates: Duplicates = "error",
        repeats: bool = False,
        source: str = "",
        format: str = "",
    ) -> Judgments:
        """Build from `(topic, aspect, document, grade)`; `repeats` keeps every line of a passage-level file."""
        topics, aspects, documents, grades = columns_of(rows, 4)
        (t, topic), (a, aspect), (d, document) = (intern(column) for column in (topics, aspects, documents))
        coded = JudgmentRows(t, a, d, topic, aspect, document, np.array(grades, dtype=np.float64))
        out = cls.from_coded(coded, duplicates=duplicates, repeats=repeats, source=source, format=format)
        return out if weights is None else out.with_weights(weights)

    @classmethod
    def from_coded(
        cls,
        rows: JudgmentRows,
        *,
        duplicates: Duplicates = "error",
        repeats: bool = False,
        source: str = "",
        format: str = "",
        quiet: bool = False,
    ) -> Judgments:
        """Build from columns of codes, one entry per judgment. `quiet`: do not warn about repeats; the caller does."""
        columns = group_judgments(rows, duplicates=duplicates, repeats=repeats, source=source)
        if columns.repeats and not quiet:
            warn_of_repeats(columns.repeats, source)
        return cls(columns.views, source, format)

    @cached_property
    def columns(self) -> JudgedColumns:
        """Every topic's entries, one topic after the other."""
        if isinstance(self.topics, Views):
            columns: JudgedColumns = self.topics.columns
            return columns
        return JudgedColumns.of(list(self.topics.values()))

    @property
    def highest(self) -> float:
        """The highest grade of the collection, at least 0."""
        if self.highest_of_all is not None:
            return self.highest_of_all
        return float(self.columns.grades.max(initial=0.0))

    def __len__(self) -> int:
        return len(self.topics)

    def __iter__(self) -> Iterator[str]:
        return iter(self.topics)

    def __contains__(self, topic: object) -> bool:
        return topic in self.topics

    def __getitem__(self, topic: str) -> dict[str, dict[str, float]]:
        """One topic's grades as `{aspect: {document: grade}}`; the best one where a document is judged repeatedly."""
        judged = self.topics[topic]
        out: dict[str, dict[str, float]] = {aspect: {} for aspect in judged.aspects}
        for r, c, grade in zip(judged.rows.tolist(), judged.columns.tolist(), judged.grades.tolist(), strict=True):
            of_aspect = out[judged.aspects[c]]
            of_aspect[judged.documents[r]] = max(grade, of_aspect.get(judged.documents[r], grade))
        return out

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas frame with the columns topic, aspect, document and grade."""
        return need("pandas", "frames").DataFrame(self.rows(), columns=list(HEADER))

    def to_polars(self) -> polars.DataFrame:
        """A polars frame with the columns topic, aspect, document and grade."""
        frame: polars.DataFrame = need("polars", "polars").DataFrame(list(self.rows()), schema=HEADER, orient="row")
        return frame

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self.columns, self.source, self.format, self.highest_of_all)

    def __repr__(self) -> str:
        columns = self.columns
        sizes = (count_of(len(self), "topic"), count_of(len(columns.weights), "aspect"))
        of = f" of {self.source}" if self.source else ""
        title = f"<Judgments{of}: {', '.join(sizes)}, {count_of(len(columns.grades), 'judgment')}>"
        return preview_rows(title, HEADER, self.rows(), len(columns.grades))

    def _repr_html_(self) -> str:
        return preview_html(repr(self))

    def rows(self) -> Iterable[tuple[str, str, str, float]]:
        """`(topic, aspect, document, grade)`, topics in natural order."""
        for name, topic in self.topics.items():
            for r, c, grade in zip(topic.rows.tolist(), topic.columns.tolist(), topic.grades.tolist(), strict=True):
                yield name, topic.aspects[c], topic.documents[r], grade

    def aspect_weights(self) -> dict[tuple[str, str], float]:
        """The weights as given, by (topic, aspect); empty when none were."""
        columns = self.columns
        given = np.flatnonzero(~np.isnan(columns.weights))
        topics, aspects = columns.topics.tolist(), columns.aspect_names.at(columns.aspect_codes[given])
        keys = zip((topics[t] for t in owners(columns.aspects)[given].tolist()), aspects, strict=True)
        return dict(zip(keys, columns.weights[given].tolist(), strict=True))

    def with_weights(
        self, weights: Mapping[tuple[str, str], float], *, source: str = "weights", quiet: bool = False
    ) -> Judgments:
        """The same judgments with these aspect weights; topics without an entry stay uniform.

        `quiet`: do not warn about topics without an entry, since these are only some topics; the caller warns.
        """
        for key, weight in weights.items():
            if not isinstance(key, tuple) or len(key) != 2:
                raise InputError(
                    "wrong-type", f"weights are given as {{(topic, aspect): weight}}, got {quote(key)}", source=source
                )
            name, aspect = key
            if not isinstance(weight, (Real, Decimal)) or not 0 <= weight <= LARGEST_WEIGHT:
                raise InputError(
                    "invalid-weight",
                    f"topic {quote(name)}, aspect {quote(aspect)}: a weight is at most {LARGEST_WEIGHT:g} and a"
                    f" finite number of at least 0, got {weight}",
                    source=source,
                )
        named = {name for name, _ in weights}
        columns = self.columns
        topics = columns.topics.tolist()
        if not quiet:
            warn_of_weights([name for name in topics if name not in named], len(topics), source, named)
        keys = zip(owners(columns.aspects).tolist(), columns.aspect_names.at(columns.aspect_codes), strict=True)
        # NaN marks an aspect without a weight: an error only if a document is relevant to it.
        given = np.array([float(weights.get((topics[t], aspect), np.nan)) for t, aspect in keys])
        weighted = np.array([name in named for name in topics], dtype=bool)
        return replace(self, topics=replace(columns, weights=given, weighted=weighted).views)

    def with_unjudged(self, aspects: Mapping[str, Sequence[str]]) -> Judgments:
        """The same judgments with further aspects by topic that have no judgment, in known topics or new ones."""
        topics = dict(self.topics)
        for name, more in aspects.items():
            known = topics.get(name) or _nothing_judged(name)
            names = tuple(naturally({*known.aspects, *more}))
            place = np.array([names.index(aspect) for aspect in known.aspects], dtype=np.int32)
            columns = place[known.columns] if len(place) else known.columns
            order = np.lexsort((known.rows, columns))
            parts = (known.rows[order], columns[order], known.grades[order])
            topics[name] = TopicJudgments(name, known.documents, names, *parts)
        return replace(self, topics={name: topics[name] for name in naturally(topics)})

    def without(self, documents: Mapping[str, Iterable[str]]) -> Judgments:
        """The same judgments as if some documents of some topics had not been judged.

        Aspects and their weights stay, and so does the highest grade: a gain that depends on it must not change.
        """
        topics = dict(self.topics)
        for name, some in documents.items():
            known = topics[name]
            gone = set(some)
            kept = np.array([document not in gone for document in known.documents], dtype=bool)
            place = np.cumsum(kept, dtype=np.int32) - 1
            entries = kept[known.rows]
            parts = (place[known.rows[entries]], known.columns[entries], known.grades[entries], known.weights)
            left = tuple(document for document in known.documents if document not in gone)
            topics[name] = TopicJudgments(name, left, known.aspects, *parts)
        return replace(self, topics=topics, highest_of_all=self.highest)

    def relevance(self, rule: RelevanceRule) -> Views[TopicRelevance]:
        """Every topic under a rule, computed once."""
        known = _relevances.setdefault(self, {})
        if rule not in known:
            columns = relevance_of(self.columns, rule, self.highest, self.source)
            known[rule] = topics_under_rule(self.columns, columns)
        return known[rule]


# Beside the judgments and not in them, so that judgments can be pickled.
_relevances: WeakKeyDictionary[Judgments, dict[RelevanceRule, Views[TopicRelevance]]] = WeakKeyDictionary()


def _unpickle(columns: JudgedColumns, source: str, format: str, highest: float | None) -> Judgments:
    return Judgments(columns.views, source, format, highest)


def _nothing_judged(topic: str) -> TopicJudgments:
    none = np.empty(0, dtype=np.int32)
    return TopicJudgments(topic, (), (), none, none, np.empty(0))


def warn_of_repeats(count: int, source: str) -> None:
    """Warn that judgments are repeated with the same grade, which changes no score."""
    number = count_of(count, "judgment occurs", "judgments occur")
    warn("duplicate-judgment", f"{source or 'judgments'}: {number} more than once, always with the same grade")


def warn_of_weights(unnamed: Sequence[str], topics: int, source: str, named: Collection[str]) -> None:
    """Warn about topics without weights; weights for none of the topics are an error."""
    if len(unnamed) == topics:
        raise no_shared_topic(named, unnamed, source=source)
    if unnamed:
        warn(
            "missing-weights",
            f"{source}: names no weight for {len(unnamed)} of {topics} judged topics ({preview(unnamed)}): their aspects"
            " are weighted equally",
        )


AD_HOC = ("0", "Q0")  # the second column of ad hoc judgments, which has no meaning


def is_ad_hoc(judgments: Judgments) -> bool:
    """Whether every topic has the same single aspect, called as in ad hoc judgments."""
    columns = judgments.columns
    sizes = np.diff(columns.aspects)
    return bool(
        len(sizes) and (sizes == 1).all() and all(columns.aspects_of(t)[0] in AD_HOC for t in range(len(sizes)))
    )
