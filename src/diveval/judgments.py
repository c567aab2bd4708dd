"""Judgments: how relevant each document is to each aspect of a topic, as columns with one offset per topic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from numbers import Real

import numpy as np

from diveval.columns import Views, interned, naturally, owners
from diveval.errors import InputError, count_of, few, shown, warn
from diveval.grouping import (
    JUDGMENT_DUPLICATES,
    LARGEST_MATRIX,
    Duplicates,
    JudgedColumns,
    JudgmentRows,
    TopicJudgments,
    grouped,
)
from diveval.relevance import GAINS, Gain, RelevanceRule, TopicRelevance, relevance_of, topics_under_rule

__all__ = [
    "GAINS",
    "JUDGMENT_DUPLICATES",
    "LARGEST_MATRIX",
    "Duplicates",
    "Gain",
    "JudgedColumns",
    "JudgmentRows",
    "Judgments",
    "RelevanceRule",
    "TopicJudgments",
    "TopicRelevance",
    "naturally",
]
LARGEST_WEIGHT = 1e300  # so that the sum of a topic's weights is finite


@dataclass(frozen=True, eq=False)
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
        topics, aspects, documents, grades = [list(column) for column in zip(*rows, strict=True)] or [[], [], [], []]
        (t, topic), (a, aspect), (d, document) = (interned(column) for column in (topics, aspects, documents))
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
        columns = grouped(rows, duplicates=duplicates, repeats=repeats, source=source)
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
                raise InputError(f"weights are given as {{(topic, aspect): weight}}, got {shown(key)}", source=source)
            name, aspect = key
            if not isinstance(weight, (Real, Decimal)) or not 0 <= weight <= LARGEST_WEIGHT:
                raise InputError(
                    f"topic {shown(name)}, aspect {shown(aspect)}: a weight is at most {LARGEST_WEIGHT:g} and a"
                    f" finite number of at least 0, got {weight}",
                    source=source,
                )
        named = {name for name, _ in weights}
        columns = self.columns
        topics = columns.topics.tolist()
        if not quiet:
            warn_of_weights([name for name in topics if name not in named], len(topics), source)
        keys = zip(owners(columns.aspects).tolist(), columns.aspect_names.at(columns.aspect_codes), strict=True)
        # NaN marks an aspect without a weight: an error only if a document is relevant to it.
        given = np.array([float(weights.get((topics[t], aspect), np.nan)) for t, aspect in keys])
        weighted = np.array([name in named for name in topics], dtype=bool)
        return replace(self, topics=replace(columns, weights=given, weighted=weighted).views)

    def relevance(self, rule: RelevanceRule) -> Views[TopicRelevance]:
        """Every topic under a rule."""
        highest = self.highest if rule.gmax == "file" else 0.0
        return topics_under_rule(self.columns, relevance_of(self.columns, rule, highest, self.source))


def warn_of_repeats(count: int, source: str) -> None:
    """Warn that judgments are repeated with the same grade, which changes no score."""
    number = count_of(count, "judgment occurs", "judgments occur")
    warn(f"{source or 'judgments'}: {number} more than once, always with the same grade")


def warn_of_weights(unnamed: Sequence[str], topics: int, source: str) -> None:
    """Warn about topics without weights; weights for none of the topics are an error."""
    if len(unnamed) == topics:
        raise InputError("names no topic of the judgments; are they for another collection?", source=source)
    if unnamed:
        warn(
            f"{source}: names no weight for {len(unnamed)} of {topics} judged topics ({few(unnamed)}): their aspects"
            " are weighted equally"
        )
