"""Relevance from grades and aspect weights under a rule, for all topics at once.

Relevance is a table of distinct levels and a code per cell. Doubles and fractions are two renderings of that table, so
scores and exact conclusions start from the same numbers, and what one refuses the other refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.collection.columns import Floats, IndexArray, IntArray, Views, any_in, offsets_of
from diveval.collection.judgment_columns import LARGEST_MATRIX, JudgedColumns
from diveval.errors import InputError, quote
from diveval.settings import RelevanceRule

LevelCodes = NDArray[np.integer[Any]]  # in 8 bits where that is enough


@dataclass(frozen=True, eq=False)
class TopicRelevance:
    """A topic under a rule: the relevance of documents relevant to any aspect, and the aspects' weights."""

    topic: str
    aspects: tuple[str, ...]
    relevance: Floats  # (aspect, relevant document), by document id descending
    weights: Floats
    place: NDArray[np.int64]  # judged document row → column of `relevance`, −1 if not relevant
    documents: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Levels:
    """Levels of relevance: a grade and the highest possible grade, which a gain makes a number in [0, 1]."""

    grades: Floats
    tops: Floats
    gain: str

    @cached_property
    def doubles(self) -> Floats:
        """The levels for scoring."""
        return np.asarray(render_gain(self.grades, self.tops, self.gain, np.exp2))

    def fractions(self, number: Callable[[float], Fraction]) -> list[Fraction]:
        """The levels for exact conclusions; `number` makes a double the decimal that it prints as."""
        grades, tops = (
            np.array([number(x) for x in column.tolist()], dtype=object) for column in (self.grades, self.tops)
        )

        def power(exponents: Any) -> Any:
            """2^g; of a fractional g it is the nearest double."""
            whole = [g.denominator == 1 for g in exponents]
            pairs = zip(exponents, whole, strict=True)
            return np.array(
                [Fraction(2 ** int(g)) if w else number(float(np.exp2(float(g)))) for g, w in pairs], dtype=object
            )

        return [Fraction(r) for r in render_gain(grades, tops, self.gain, power)]


@dataclass(frozen=True, eq=False)
class Relevance:
    """The relevant cells (aspect, document, r) with r > 0 of every topic.

    Aspects are numbered from 0 within the topic, without those that the rule drops; documents likewise, without those
    relevant to nothing. `place` maps a judged document to its number, −1 if it has none.
    """

    aspects: IntArray  # offsets: the start of each topic's weights
    documents: IntArray  # offsets of the relevant documents
    cells: IntArray  # offsets
    aspect: IndexArray
    document: IndexArray
    level: LevelCodes  # of each cell, into `levels`
    levels: Levels
    weights: Floats
    place: IndexArray  # by judged document of the collection
    kept: IntArray  # of each aspect that counts, its index among all aspects of the collection

    @cached_property
    def value(self) -> Floats:
        """The relevance of each cell, as doubles."""
        return self.levels.doubles.take(self.level)

    def matrix(self, topic: int) -> Floats:
        """One topic's relevant documents as aspect × document."""
        wide, deep = (int(offsets[topic + 1] - offsets[topic]) for offsets in (self.aspects, self.documents))
        if wide * deep > LARGEST_MATRIX:
            raise InputError(
                "topic-too-large",
                f"a topic has {wide} aspects × {deep} relevant documents, above {LARGEST_MATRIX} cells",
            )
        out = np.zeros((wide, deep))
        cells = slice(self.cells[topic], self.cells[topic + 1])
        out[self.aspect[cells], self.document[cells]] = self.value[cells]
        return out


def topics_under_rule(judged: JudgedColumns, columns: Relevance) -> Views[TopicRelevance]:
    """The topics of `columns` by name, each created on access."""

    def view(topic: int) -> TopicRelevance:
        aspects = slice(columns.aspects[topic], columns.aspects[topic + 1])
        judgments = judged.views.at(topic)
        return TopicRelevance(
            judgments.topic,
            tuple(judged.aspect_names.at(judged.aspect_codes[columns.kept[aspects]])),
            columns.matrix(topic),
            columns.weights[aspects],
            columns.place[judged.documents[topic] : judged.documents[topic + 1]].astype(np.int64),
            judgments.documents,
        )

    return Views(columns, judged.topics, view)


def relevance_of(judged: JudgedColumns, rule: RelevanceRule, highest: float, source: str = "") -> Relevance:
    """The collection under a rule; `highest` is the highest grade of the whole file."""
    count = len(judged)
    # 32-bit numbers if they are enough, which is nearly always so: half the memory.
    kind = np.int32 if max(len(judged.grades), int(judged.documents[-1])) < np.iinfo(np.int32).max else np.int64
    positive = np.flatnonzero(rule.counts(judged.grades))
    topic: IndexArray = np.repeat(np.arange(count, dtype=kind), np.diff(judged.entries)).take(positive)
    grades = judged.grades.take(positive)
    aspect: IndexArray = judged.aspects.astype(kind).take(topic) + judged.columns.take(positive)
    document: IndexArray = judged.documents.astype(kind).take(topic) + judged.rows.take(positive)
    topic, aspect, document, grades = _best(topic, aspect, document, grades)
    wanted = np.full(judged.aspects[-1], not rule.drop_empty_aspects)
    wanted[aspect] = True
    level, levels = _level(grades, aspect, topic, rule, highest, judged, source)
    nothing = (levels.doubles <= 0) & (levels.grades > 0)
    if nothing.any():  # a grade so small that 2^g − 1 rounds to 0
        some = ~nothing.take(level)
        topic, aspect, document, level = topic[some], aspect[some], document[some], level[some]
    relevant = np.zeros(judged.documents[-1], dtype=bool)
    relevant[document] = True
    aspects, number = _number(wanted, judged.aspects)
    documents, place = _number(relevant, judged.documents)
    kept = np.flatnonzero(wanted)
    return Relevance(
        aspects,
        documents,
        offsets_of(np.bincount(topic, minlength=count)),
        number[aspect],
        place[document],
        level,
        levels,
        _weights(judged, kept, aspects, rule, source),
        place,
        kept,
    )


def _number(marked: NDArray[np.bool_], offsets: IntArray) -> tuple[IntArray, IndexArray]:
    """Offsets of the marked entries, and the number of each among those of its topic; −1 if it is not marked."""
    before = np.zeros(len(marked) + 1, dtype=np.int32 if len(marked) < np.iinfo(np.int32).max else np.int64)
    np.cumsum(marked, out=before[1:])
    own = before[offsets]
    number = np.where(marked, before[:-1] - np.repeat(own[:-1], np.diff(offsets)), before.dtype.type(-1))
    return own.astype(np.int64), number


def _best(
    topic: IndexArray, aspect: IndexArray, document: IndexArray, grades: Floats
) -> tuple[IndexArray, IndexArray, IndexArray, Floats]:
    """One entry per cell, with the best of repeated judgments; entries are sorted by topic, aspect and document."""
    same = (aspect[1:] == aspect[:-1]) & (document[1:] == document[:-1])
    if not same.any():
        return topic, aspect, document, grades
    first = np.flatnonzero(np.concatenate([[True], ~same]))
    return topic[first], aspect[first], document[first], np.maximum.reduceat(grades, first)


def _level(
    grades: Floats,
    aspect: IndexArray,
    topic: IndexArray,
    rule: RelevanceRule,
    highest: float,
    judged: JudgedColumns,
    source: str,
) -> tuple[LevelCodes, Levels]:
    """The level of each grade, and the table of levels; grades that the rule does not allow are an error."""
    codes, distinct = _distinct(grades)
    if rule.gain not in ("exponential", "linear"):
        if rule.gain == "identity":
            _refuse_above(
                grades,
                np.float64(1.0),
                topic,
                judged,
                source,
                "has the relevance {grade:g}, but --gain identity needs values in [0, 1]",
                "use exponential or linear for grades",
            )
        return codes, Levels(distinct, np.ones(len(distinct)), rule.gain)
    if rule.gmax == "per-aspect":
        codes, distinct, tops = _of_aspects(grades, aspect, int(judged.aspects[-1]))
    else:
        top = np.float64(highest if rule.gmax == "file" else rule.gmax)
        _refuse_above(grades, top, topic, judged, source, "has the grade {grade:g}, above --gmax {top:g}", "raise it")
        tops = np.full(len(distinct), top)
    if rule.gain == "exponential" and len(grades) and tops.max() > 1000:
        raise InputError(
            "grade-too-high", f"the grade {tops.max():g} is too high for 2^g", hint="use --gain linear", source=source
        )
    return codes, Levels(distinct, tops, rule.gain)


def _distinct(grades: Floats) -> tuple[LevelCodes, Floats]:
    """A code of each grade, and the grade of each code; small integers are their own codes, which needs no sorting."""
    if len(grades) and grades.max() < 256:
        codes = grades.astype(np.uint8)
        if (codes == grades).all():
            return codes, np.arange(int(codes.max()) + 1, dtype=np.float64)
    distinct, found = np.unique(grades, return_inverse=True)
    return found, distinct


def _of_aspects(grades: Floats, aspect: IndexArray, aspects: int) -> tuple[LevelCodes, Floats, Floats]:
    """A code of each grade and the highest grade of its aspect, and both for each code."""
    highest = np.zeros(aspects)
    np.maximum.at(highest, aspect, grades)
    (own, distinct), (of_aspect, tops) = _distinct(grades), _distinct(highest)
    pairs, codes = np.unique(of_aspect[aspect].astype(np.int64) * len(distinct) + own, return_inverse=True)
    return codes, distinct[pairs % max(len(distinct), 1)], tops[pairs // max(len(distinct), 1)]


def render_gain(grades: Any, tops: Any, gain: str, power: Callable[[Any], Any]) -> Any:
    """r of grades ≥ 0 whose highest possible values are `tops`, in any kind of number; see `RelevanceRule`."""
    if gain == "binary":
        return (grades > 0) * np.ones_like(tops)
    if gain == "linear":
        return grades / tops
    return (power(grades) - 1) / power(tops) if gain == "exponential" else grades


def _refuse_above(
    grades: Floats,
    top: Floats | np.float64,
    topic: IndexArray,
    judged: JudgedColumns,
    source: str,
    message: str,
    hint: str,
) -> None:
    """Raise an error for the first topic that has a grade above its limit."""
    above = grades > top
    if above.any():
        at = int(topic[np.flatnonzero(above)[0]])
        entries = topic == at
        limit = float(np.broadcast_to(top, grades.shape)[entries][0])
        fault = message.format(grade=float(grades[entries].max()), top=limit)
        raise InputError("grade-above-gmax", f"topic {quote(judged.topics[at])} {fault}", hint=hint, source=source)


def _weights(judged: JudgedColumns, kept: IntArray, aspects: IntArray, rule: RelevanceRule, source: str) -> Floats:
    """The weight of each aspect that counts."""
    sizes = np.diff(aspects)
    out: Floats = np.repeat(1.0 / np.maximum(sizes, 1), sizes)
    weighted = judged.weighted & (sizes > 0)
    if rule.weights == "uniform" or not weighted.any():
        return out
    given = np.repeat(weighted, sizes)
    weights = judged.weights[kept]
    lost = np.flatnonzero(given & np.isnan(weights))
    if len(lost):
        at = int(kept[lost[0]])
        topic = judged.topics[int(np.searchsorted(judged.aspects, at, side="right")) - 1]
        aspect = judged.aspect_names[int(judged.aspect_codes[at])]
        raise InputError(
            "missing-weights",
            f"topic {quote(topic)}: aspect {quote(aspect)} has relevant documents but no weight",
            hint="add it to the weights",
            source=source,
        )
    out = np.where(given, weights, out)
    return _normalise(judged, out, weighted, aspects, source) if rule.renormalise else out


def _normalise(
    judged: JudgedColumns, weights: Floats, weighted: NDArray[np.bool_], aspects: IntArray, source: str
) -> Floats:
    """Each topic's weights divided by their sum.

    Topics with equally many aspects are summed in one call, each in the order in which `np.sum` adds it alone.
    """
    sizes = np.diff(aspects)
    none = weighted & ~any_in(weights > 0, aspects)
    if none.any():
        name = quote(judged.topics[int(np.argmax(none))])
        raise InputError(
            "weights-all-zero",
            f"topic {name}: the weights of its aspects with a relevant document are all 0",
            source=source,
        )
    out: Floats = weights.copy()
    for size in np.unique(sizes[weighted]).tolist():
        at = aspects[:-1][weighted & (sizes == size)][:, np.newaxis] + np.arange(size)
        part = weights[at]
        out[at] = part / part.sum(axis=1)[:, np.newaxis]
    return out
