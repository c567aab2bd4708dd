"""Judgments: who judged what as how relevant to which aspect, and the rule that turns grades into relevance."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from diveval.errors import InputError, UsageError, shown, warn

Gain = Literal["exponential", "linear", "binary", "identity"]
Duplicates = Literal["error", "max", "first", "last"]
GAINS: tuple[str, ...] = ("exponential", "linear", "binary", "identity")
JUDGMENT_DUPLICATES: tuple[str, ...] = ("error", "max", "first", "last")
# What topics have of one kind of name: where each topic's names start, the names as numbers, and for each judgment the
# place of its name among its topic's.
Members = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]
LARGEST_WEIGHT = 1e300  # so that the sum of a topic's weights is a number
LARGEST_MATRIX = 200_000_000  # cells of one topic's aspect × document matrix; beyond it a clear error, not a crash


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

    def __post_init__(self) -> None:
        if self.gain not in (*GAINS, "raw"):
            raise UsageError(f"gain is one of {', '.join(GAINS)}, got {shown(self.gain)}")
        if isinstance(self.gmax, str):
            if self.gmax not in ("file", "per-aspect"):
                raise UsageError(f"gmax is 'file', 'per-aspect' or a number above 0, got {shown(self.gmax)}")
        elif not 0 < self.gmax <= 1000:
            raise UsageError(f"gmax must be above 0 and at most 1000, got {self.gmax}")


@dataclass(frozen=True, eq=False)
class TopicJudgments:
    """One topic's judgments: documents by id descending (the tie rule), aspects in natural order.

    Entries, one a line of the file, are by aspect, then by document, then the best first.
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
                f"topic {shown(self.topic)} has {shape[0]} aspects × {shape[1]} judged documents, more than"
                f" {LARGEST_MATRIX} cells; split the topic or judge fewer aspects"
            )
        out = np.zeros(shape)
        if _repeated(self.rows, self.columns):
            np.maximum.at(out, (self.columns, self.rows), self.grades)
        else:  # many times faster
            out[self.columns, self.rows] = np.maximum(self.grades, 0.0)
        return out


@dataclass(frozen=True, eq=False)
class TopicRelevance:
    """A topic under a rule: relevance of the documents that are relevant to something, and the aspects' weights."""

    topic: str
    aspects: tuple[str, ...]
    relevance: NDArray[np.float64]  # (aspect, relevant document), by document id descending
    weights: NDArray[np.float64]
    place: NDArray[np.int64]  # judged document row → column of `relevance`, −1 if not relevant
    documents: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Judgments:
    """The judgments of a collection, by topic in natural order."""

    topics: Mapping[str, TopicJudgments]
    source: str = ""
    format: str = ""
    notes: tuple[str, ...] = ()

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
        if duplicates not in JUDGMENT_DUPLICATES:
            raise UsageError(f"duplicates is one of {', '.join(JUDGMENT_DUPLICATES)}, got {shown(duplicates)}")
        gathered: dict[str, dict[tuple[str, str], list[float]]] = {}
        for topic, aspect, document, grade in rows:
            gathered.setdefault(topic, {}).setdefault((aspect, document), []).append(grade)
        if not gathered:
            raise InputError("holds no judgment", source=source)
        same = 0
        if not repeats:
            same = sum(_settle(topic, cells, duplicates, source) for topic, cells in gathered.items())
        if same:
            warn(f"{source or 'judgments'}: {same} judgments stand there more than once, always with the same grade")
        topics = {t: _topic(t, gathered[t]) for t in naturally(gathered)}
        out = cls(topics, source, format)
        return out if weights is None else out.with_weights(weights)

    @classmethod
    def from_codes(
        cls,
        names: tuple[Sequence[str], Sequence[str], Sequence[str]],
        topics: NDArray[np.int32],
        aspects: NDArray[np.int32],
        documents: NDArray[np.int32],
        grades: NDArray[np.float64],
        *,
        source: str = "",
    ) -> Judgments | None:
        """Build from columns of numbers into the names of topics, aspects and documents, one entry a judgment.

        None if a judgment stands there twice: `from_rows` has the rules for that.
        """
        topic_names, aspect_names, document_names = names
        code_of = {name: i for i, name in enumerate(topic_names)}
        order = np.argsort(topics, kind="stable")
        bounds = np.searchsorted(topics[order], np.arange(len(topic_names) + 1)).tolist()
        out = {}
        for topic in naturally(topic_names):
            code = code_of[topic]
            here = order[bounds[code] : bounds[code + 1]]
            own_documents, rows = _ranked(documents[here], document_names, lambda few: sorted(few, reverse=True))
            own_aspects, columns = _ranked(aspects[here], aspect_names, naturally)
            sorting = np.lexsort((rows, columns))
            made = _sorted_topic(topic, own_documents, own_aspects, rows, columns, grades[here], sorting)
            if made is None:
                return None
            out[topic] = made
        return cls(out, source, "trec")

    @classmethod
    def from_groups(
        cls,
        names: tuple[Sequence[str], Sequence[str], Sequence[str]],
        starts: NDArray[np.int64],
        aspects: Members,
        documents: Members,
        grades: NDArray[np.float64],
        *,
        source: str = "",
    ) -> Judgments | None:
        """The same from judgments that are grouped by topic already, inside a topic by document id descending."""
        topic_names, aspect_names, document_names = names
        code_of = {name: i for i, name in enumerate(topic_names)}
        bounds, aspect_bounds, document_bounds = (column.tolist() for column in (starts, aspects[0], documents[0]))
        out = {}
        for topic in naturally(topic_names):
            code = code_of[topic]
            here = slice(bounds[code], bounds[code + 1])
            codes = documents[1][document_bounds[code] : document_bounds[code + 1]].tolist()
            own_documents = tuple([document_names[i] for i in codes])
            codes = aspects[1][aspect_bounds[code] : aspect_bounds[code + 1]].tolist()
            as_found = [aspect_names[i] for i in codes]
            own_aspects = naturally(as_found)
            place = {name: i for i, name in enumerate(own_aspects)}
            columns = np.array([place[name] for name in as_found], dtype=np.int32)[aspects[2][here]]
            # Numbers of two bytes are sorted without comparing any.
            narrow = columns.astype(np.uint16) if len(own_aspects) < 1 << 16 else columns
            sorting = np.argsort(narrow, kind="stable")
            made = _sorted_topic(
                topic, own_documents, tuple(own_aspects), documents[2][here], columns, grades[here], sorting
            )
            if made is None:
                return None
            out[topic] = made
        return cls(out, source, "trec")

    @property
    def highest(self) -> float:
        """The highest grade of the file."""
        return max(topic.highest for topic in self.topics.values())

    def __len__(self) -> int:
        return len(self.topics)

    def rows(self) -> Iterable[tuple[str, str, str, float]]:
        """`(topic, aspect, document, grade)`, in the house's order."""
        for name, topic in self.topics.items():
            for r, c, grade in zip(topic.rows, topic.columns, topic.grades, strict=True):
                yield name, topic.aspects[c], topic.documents[r], float(grade)

    def aspect_weights(self) -> dict[tuple[str, str], float]:
        """The weights as given, by (topic, aspect); empty when none were."""
        return {
            (name, aspect): float(weight)
            for name, topic in self.topics.items() if topic.weights is not None
            for aspect, weight in zip(topic.aspects, topic.weights, strict=True) if not np.isnan(weight)
        }  # fmt: skip

    def with_weights(self, weights: Mapping[tuple[str, str], float], *, source: str = "weights") -> Judgments:
        """The same judgments with these aspect weights; topics the mapping does not name stay uniform."""
        for (name, aspect), weight in weights.items():
            if not 0 <= weight <= LARGEST_WEIGHT:
                raise InputError(
                    f"topic {shown(name)}, aspect {shown(aspect)}: a weight is at most {LARGEST_WEIGHT:g} and a"
                    f" finite number of at least 0, got {weight}", source=source,
                )  # fmt: skip
        named = {name for name, _ in weights}
        if named.isdisjoint(self.topics):
            raise InputError("names no topic of the judgments; are they for another collection?", source=source)
        topics = {}
        for name, topic in self.topics.items():
            given = None
            if name in named:  # NaN marks an aspect the weights leave out: an error only if something is relevant to it
                given = np.array([weights.get((name, aspect), np.nan) for aspect in topic.aspects])
            topics[name] = replace(topic, weights=given)
        return replace(self, topics=topics)

    def relevance(self, rule: RelevanceRule) -> dict[str, TopicRelevance]:
        """Every topic under a rule."""
        highest = self.highest if rule.gmax == "file" else 0.0
        return {name: _relevance(topic, rule, highest, self.source) for name, topic in self.topics.items()}


def _repeated(rows: NDArray[np.int32], columns: NDArray[np.int32]) -> bool:
    """Does a judgment stand there twice? The entries are sorted."""
    return bool(((rows[1:] == rows[:-1]) & (columns[1:] == columns[:-1])).any())


def _sorted_topic(
    topic: str,
    documents: tuple[str, ...],
    aspects: tuple[str, ...],
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    grades: NDArray[np.float64],
    sorting: NDArray[np.intp],
) -> TopicJudgments | None:
    """A topic whose entries `sorting` brings into order, by column and row; None if one stands there twice."""
    rows, columns = rows[sorting], columns[sorting]
    if _repeated(rows, columns):
        return None
    return TopicJudgments(topic, documents, aspects, rows, columns, grades[sorting])


def _ranked(
    codes: NDArray[np.int32], names: Sequence[str], arrange: Callable[[list[str]], list[str]]
) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """The names that occur, arranged, and for each code the place of its name among them."""
    found, inverse = np.unique(codes, return_inverse=True)
    here = [names[i] for i in found.tolist()]
    arranged = arrange(here)
    place = {name: i for i, name in enumerate(arranged)}
    return tuple(arranged), np.array([place[name] for name in here], dtype=np.int32)[inverse]


def naturally(names: Iterable[str]) -> list[str]:
    """Sorted as people expect: numbers by value where all are numbers, else by text."""
    listed = list(names)
    if all(re.fullmatch(r"[0-9]{1,18}", name) for name in listed):
        return sorted(listed, key=lambda name: (int(name), name))
    return sorted(listed)


def _settle(topic: str, cells: dict[tuple[str, str], list[float]], duplicates: Duplicates, source: str) -> int:
    """Leave one grade per (aspect, document); count the harmless repeats."""
    same = 0
    for (aspect, document), grades in cells.items():
        if len(grades) == 1:
            continue
        if len(set(grades)) == 1:
            same += len(grades) - 1
        elif duplicates == "error":
            raise InputError(
                f"topic {shown(topic)}, aspect {shown(aspect)}, document {shown(document)} is judged {grades[0]:g} and"
                f" {next(g for g in grades if g != grades[0]):g}; correct it, or choose with"
                " --judgment-duplicates max|first|last", source=source,
            )  # fmt: skip
        grades[:] = [{"max": max(grades), "first": grades[0], "last": grades[-1], "error": grades[0]}[duplicates]]
    return same


def _topic(topic: str, cells: Mapping[tuple[str, str], Sequence[float]]) -> TopicJudgments:
    documents = sorted({document for _, document in cells}, reverse=True)
    aspects = naturally({aspect for aspect, _ in cells})
    row = {document: i for i, document in enumerate(documents)}
    column = {aspect: i for i, aspect in enumerate(aspects)}
    entries = sorted(
        (column[aspect], row[document], grade)
        for (aspect, document), grades in cells.items()
        for grade in sorted(grades, reverse=True)
    )
    return TopicJudgments(
        topic, tuple(documents), tuple(aspects),
        np.array([r for _, r, _ in entries], dtype=np.int32),
        np.array([c for c, _, _ in entries], dtype=np.int32),
        np.array([g for _, _, g in entries], dtype=np.float64),
    )  # fmt: skip


def _relevance(topic: TopicJudgments, rule: RelevanceRule, highest: float, source: str) -> TopicRelevance:
    grades = topic.matrix()
    kept = np.flatnonzero((grades > 0).any(axis=1)) if rule.drop_empty_aspects else np.arange(len(grades))
    grades = grades[kept]
    relevance = _gain(grades, rule, highest, topic.topic, source)
    relevant = (relevance > 0).any(axis=0)
    place = np.full(len(topic.documents), -1, dtype=np.int64)
    place[relevant] = np.arange(np.count_nonzero(relevant))
    return TopicRelevance(
        topic.topic, tuple(topic.aspects[i] for i in kept), np.ascontiguousarray(relevance[:, relevant]),
        _weights(topic, kept, rule, source), place, topic.documents,
    )  # fmt: skip


def _gain(
    grades: NDArray[np.float64], rule: RelevanceRule, highest: float, topic: str, source: str
) -> NDArray[np.float64]:
    if rule.gain == "raw":
        return grades
    if rule.gain == "binary":
        return (grades > 0).astype(np.float64)
    if rule.gain == "identity":
        if grades.max(initial=0.0) > 1:
            raise InputError(
                f"topic {shown(topic)} has the relevance {grades.max():g}, but --gain identity needs values in [0, 1];"
                " use exponential or linear for grades", source=source,
            )  # fmt: skip
        return grades
    if rule.gmax == "per-aspect":
        top = grades.max(axis=1, initial=0.0)[:, np.newaxis]
    else:
        top = np.full((len(grades), 1), highest if rule.gmax == "file" else float(rule.gmax))
    if (grades > top).any():
        raise InputError(
            f"topic {shown(topic)} has the grade {grades.max():g}, above --gmax {top[0, 0]:g}; raise it", source=source
        )
    top = np.where(top > 0, top, 1.0)
    if rule.gain == "linear":
        return grades / top
    if top.max(initial=0.0) > 1000:
        raise InputError(f"the grade {top.max():g} is too high for 2^g; use --gain linear", source=source)
    return np.asarray((np.exp2(grades) - 1.0) / np.exp2(top))


def _weights(
    topic: TopicJudgments, kept: NDArray[np.intp], rule: RelevanceRule, source: str
) -> NDArray[np.float64]:
    if topic.weights is None or rule.weights == "uniform":
        return np.full(len(kept), 1.0 / max(len(kept), 1))
    weights = topic.weights[kept]
    if np.isnan(weights).any():
        lost = topic.aspects[kept[int(np.flatnonzero(np.isnan(weights))[0])]]
        raise InputError(
            f"topic {shown(topic.topic)}: aspect {shown(lost)} has relevant documents but no weight; add it to the"
            " weights", source=source,
        )  # fmt: skip
    if not rule.renormalise or not len(kept):
        return weights
    total = float(weights.sum())
    if total <= 0:
        raise InputError(
            f"topic {shown(topic.topic)}: the weights of its aspects with a relevant document are all 0", source=source
        )
    return weights / total
