"""Relevance from grades and aspect weights under a rule, for all topics at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Real
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from diveval.columns import Floats, Places, Views, Whole, any_in, offsets_of
from diveval.errors import InputError, UsageError, shown
from diveval.grouping import LARGEST_MATRIX, JudgedColumns

Gain = Literal["exponential", "linear", "binary", "identity"]
GAINS: tuple[str, ...] = get_args(Gain)


@dataclass(frozen=True)
class RelevanceRule:
    """How grades become relevance r ∈ [0, 1] and aspects get their weights.

    `gain`: exponential (2^g − 1)/2^gmax, linear g/gmax, binary [g > 0], identity (the file has r already), raw (the
    grade itself, for other tools' formulas). `gmax`: the highest grade of the whole file, `per-aspect`, or a number.
    """

    gain: Gain | Literal["raw"] = "exponential"
    gmax: Literal["file", "per-aspect"] | float = "file"
    weights: Literal["given", "uniform"] = "given"
    renormalise: bool = True
    drop_empty_aspects: bool = True
    rel: float | None = None  # the lowest grade that counts: those below are 0

    def __post_init__(self) -> None:
        if self.gain not in (*GAINS, "raw"):
            raise UsageError(f"gain is one of {', '.join(GAINS)}, got {shown(self.gain)}")
        if isinstance(self.gmax, str):
            if self.gmax not in ("file", "per-aspect"):
                raise UsageError(f"gmax is 'file', 'per-aspect' or a number above 0, got {shown(self.gmax)}")
        elif not isinstance(self.gmax, Real) or not 0 < self.gmax <= 1000:
            raise UsageError(f"gmax must be above 0 and at most 1000, got {self.gmax}")
        if self.rel is not None and not 0 < self.rel < np.inf:
            raise UsageError(f"rel, the lowest grade that counts, must be a finite number above 0, got {self.rel}")

    def counts(self, grades: Floats) -> NDArray[np.bool_]:
        """Which grades make a document relevant."""
        return np.asarray(grades > 0 if self.rel is None else grades >= self.rel)


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
class Relevance:
    """The relevant cells (aspect, document, r) with r > 0 of every topic.

    Aspects are numbered from 0 within the topic, without those that the rule drops; documents likewise, without those
    relevant to nothing. `place` maps a judged document to its number, −1 if it has none.
    """

    aspects: Whole  # offsets: the start of each topic's weights
    documents: Whole  # offsets of the relevant documents
    cells: Whole  # offsets
    aspect: Places
    document: Places
    value: Floats
    weights: Floats
    place: Places  # by judged document of the collection
    kept: Whole  # of each aspect that counts, its index among all aspects of the collection

    def matrix(self, topic: int) -> Floats:
        """One topic's relevant documents as aspect × document."""
        wide, deep = (int(offsets[topic + 1] - offsets[topic]) for offsets in (self.aspects, self.documents))
        if wide * deep > LARGEST_MATRIX:
            raise InputError(f"a topic has {wide} aspects × {deep} relevant documents, above {LARGEST_MATRIX} cells")
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
    topic: Places = np.repeat(np.arange(count, dtype=kind), np.diff(judged.entries)).take(positive)
    grades = judged.grades.take(positive)
    aspect: Places = judged.aspects.astype(kind).take(topic) + judged.columns.take(positive)
    document: Places = judged.documents.astype(kind).take(topic) + judged.rows.take(positive)
    topic, aspect, document, grades = _best(topic, aspect, document, grades)
    wanted = np.full(judged.aspects[-1], not rule.drop_empty_aspects)
    wanted[aspect] = True
    value = _gain(grades, aspect, topic, rule, highest, judged, source)
    nonzero = value > 0
    if not nonzero.all():  # a grade so small that 2^g − 1 rounds to 0
        topic, aspect, document, value = topic[nonzero], aspect[nonzero], document[nonzero], value[nonzero]
    relevant = np.zeros(judged.documents[-1], dtype=bool)
    relevant[document] = True
    aspects, number = _numbered(wanted, judged.aspects)
    documents, place = _numbered(relevant, judged.documents)
    kept = np.flatnonzero(wanted)
    return Relevance(
        aspects,
        documents,
        offsets_of(np.bincount(topic, minlength=count)),
        number[aspect],
        place[document],
        value,
        _weights(judged, kept, aspects, rule, source),
        place,
        kept,
    )


def _numbered(marked: NDArray[np.bool_], offsets: Whole) -> tuple[Whole, Places]:
    """Offsets of the marked entries, and the number of each among those of its topic; −1 if it is not marked."""
    before = np.zeros(len(marked) + 1, dtype=np.int32 if len(marked) < np.iinfo(np.int32).max else np.int64)
    np.cumsum(marked, out=before[1:])
    own = before[offsets]
    number = np.where(marked, before[:-1] - np.repeat(own[:-1], np.diff(offsets)), before.dtype.type(-1))
    return own.astype(np.int64), number


def _best(topic: Places, aspect: Places, document: Places, grades: Floats) -> tuple[Places, Places, Places, Floats]:
    """One entry per cell, with the best of repeated judgments; entries are sorted by topic, aspect and document."""
    same = (aspect[1:] == aspect[:-1]) & (document[1:] == document[:-1])
    if not same.any():
        return topic, aspect, document, grades
    first = np.flatnonzero(np.concatenate([[True], ~same]))
    return topic[first], aspect[first], document[first], np.maximum.reduceat(grades, first)


def _gain(
    grades: Floats,
    aspect: Places,
    topic: Places,
    rule: RelevanceRule,
    highest: float,
    judged: JudgedColumns,
    source: str,
) -> Floats:
    """r of each grade."""
    if rule.gain in ("raw", "binary"):
        return gained(grades, grades, rule.gain)
    if rule.gain == "identity":
        _refuse_above(
            grades,
            np.float64(1.0),
            topic,
            judged,
            source,
            "has the relevance {grade:g}, but --gain identity needs values in [0, 1]; use exponential or linear for"
            " grades",
        )
        return grades
    top = np.full(len(grades), highest if rule.gmax == "file" else 0.0)
    if rule.gmax == "per-aspect":
        of_aspect = np.zeros(judged.aspects[-1])
        np.maximum.at(of_aspect, aspect, grades)
        top = of_aspect[aspect]
    elif rule.gmax != "file":
        top = np.full(len(grades), float(rule.gmax))
    _refuse_above(grades, top, topic, judged, source, "has the grade {grade:g}, above --gmax {top:g}; raise it")
    if rule.gain == "exponential" and top.max(initial=0.0) > 1000:
        raise InputError(f"the grade {top.max():g} is too high for 2^g; use --gain linear", source=source)
    return gained(grades, top, rule.gain)


def gained(grades: Floats, top: Floats | float, gain: str) -> Floats:
    """r of grades ≥ 0 whose highest possible values are `top`; see `RelevanceRule`."""
    if gain == "binary":
        return (grades > 0).astype(np.float64)
    if gain == "linear":
        return np.asarray(grades / top)
    return np.asarray((np.exp2(grades) - 1.0) / np.exp2(top)) if gain == "exponential" else grades


def _refuse_above(
    grades: Floats, top: Floats | np.float64, topic: Places, judged: JudgedColumns, source: str, message: str
) -> None:
    """Raise an error for the first topic that has a grade above its limit."""
    above = grades > top
    if above.any():
        at = int(topic[np.flatnonzero(above)[0]])
        entries = topic == at
        limit = float(np.broadcast_to(top, grades.shape)[entries][0])
        fault = message.format(grade=float(grades[entries].max()), top=limit)
        raise InputError(f"topic {shown(judged.topics[at])} {fault}", source=source)


def _weights(judged: JudgedColumns, kept: Whole, aspects: Whole, rule: RelevanceRule, source: str) -> Floats:
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
            f"topic {shown(topic)}: aspect {shown(aspect)} has relevant documents but no weight; add it to the weights",
            source=source,
        )
    out = np.where(given, weights, out)
    return _normalised(judged, out, weighted, aspects, source) if rule.renormalise else out


def _normalised(
    judged: JudgedColumns, weights: Floats, weighted: NDArray[np.bool_], aspects: Whole, source: str
) -> Floats:
    """Each topic's weights divided by their sum.

    Topics with equally many aspects are summed in one call, each in the order in which `np.sum` adds it alone.
    """
    sizes = np.diff(aspects)
    none = weighted & ~any_in(weights > 0, aspects)
    if none.any():
        name = shown(judged.topics[int(np.argmax(none))])
        raise InputError(f"topic {name}: the weights of its aspects with a relevant document are all 0", source=source)
    out: Floats = weights.copy()
    for size in np.unique(sizes[weighted]).tolist():
        at = aspects[:-1][weighted & (sizes == size)][:, np.newaxis] + np.arange(size)
        part = weights[at]
        out[at] = part / part.sum(axis=1)[:, np.newaxis]
    return out
