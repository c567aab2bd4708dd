"""Labels of two judges, item by item: which items both labelled, and how far they agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from diveval.collection.judgments import Judgments, naturally
from diveval.collection.topic_ids import no_shared_topic
from diveval.errors import InputError, count_of, preview, warn
from diveval.stats.agreement import COEFFICIENTS, Floats, count_pairs, resample_topics
from diveval.stats.intervals import percentiles_if_most

Item = tuple[str, str, str]  # topic, aspect, document; or query, nugget, answer


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of agreement with its interval over resampled topics; None where it is undefined."""

    name: str
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class LabelAgreement:
    """Two judges on the items that both labelled.

    `confusion[i][j]` counts items with label i by the first judge and j by the second, in the order of `labels`.
    """

    first: str
    second: str
    items: int
    topics: int
    first_only: int  # items of the shared topics that the second judge did not label
    second_only: int
    topics_first_only: int
    topics_second_only: int
    labels: tuple[float, ...]
    confusion: tuple[tuple[int, ...], ...]
    coefficients: tuple[Coefficient, ...]
    matched: str  # what identifies an item
    topics_of_first: tuple[str, ...] = ()  # those that the second judge does not cover
    topics_of_second: tuple[str, ...] = ()

    def describe_left_out(self) -> str:
        """What is left out, in words; empty if nothing is."""
        parts = []
        for name, items, topics in (
            (self.first, self.first_only, self.topics_of_first),
            (self.second, self.second_only, self.topics_of_second),
        ):
            if items:
                parts.append(f"{count_of(items, 'item')} that only {name} labelled")
            if topics:
                parts.append(f"{count_of(len(topics), 'topic')} of {name} only ({preview(topics)})")
        return f"left out: {'; '.join(parts)}" if parts else ""

    def value(self, name: str) -> float | None:
        """A coefficient by its name, such as `kappa`."""
        return next(c.value for c in self.coefficients if c.name == name)

    def as_dict(self) -> dict[str, Any]:
        """Everything, in JSON types."""
        return {
            **{name: value for name, value in vars(self).items() if name != "coefficients"},
            "coefficients": {c.name: {"value": c.value, "low": c.low, "high": c.high} for c in self.coefficients},
        }


def labels_of(judgments: Judgments, *, aspects: bool) -> dict[Item, float]:
    """The label of every item; without aspects, of every topic and document."""
    return {(t, a if aspects else "", d): grade for t, a, d, grade in judgments.rows()}


def have_shared_aspects(first: Judgments, second: Judgments) -> bool:
    """Whether items are matched by aspect too: not if each judge has one aspect only, whose name then says nothing."""
    names = [set(one.columns.aspect_names.at(np.unique(one.columns.aspect_codes))) for one in (first, second)]
    return not (len(names[0]) == len(names[1]) == 1)


def compare_labels(
    first: Judgments, second: Judgments, names: tuple[str, str], *, confidence: float, resamples: int, seed: int
) -> LabelAgreement:
    """The agreement of two judges of the same documents."""
    aspects = have_shared_aspects(first, second)
    mine, theirs = (labels_of(judge, aspects=aspects) for judge in (first, second))
    matched = "topic, aspect and document" if aspects else "topic and document"
    return compare_items(mine, theirs, names, matched, confidence=confidence, resamples=resamples, seed=seed)


def compare_items(
    first: Mapping[Item, float],
    second: Mapping[Item, float],
    names: tuple[str, str],
    matched: str,
    *,
    confidence: float,
    resamples: int,
    seed: int,
) -> LabelAgreement:
    """The agreement of two judges on the items that both labelled, in the topics that both cover."""
    named = [dict.fromkeys(item[0] for item in labels) for labels in (first, second)]
    topics = [set(own) for own in named]
    shared = topics[0] & topics[1]
    if all(topics) and not shared:
        raise no_shared_topic(named[1], named[0], source=names[1], others=names[0])
    items = sorted(item for item in first if item in second)
    if not items:
        raise InputError(
            "no-shared-item",
            f"{names[0]} and {names[1]} have {count_of(len(shared), 'topic')} but no labelled item in common"
            f" (matched by {matched}): {_examples(first, second)}",
            hint="are their ids of the same collection?",
        )
    grades, codes = np.unique([[first[item], second[item]] for item in items], return_inverse=True)
    place = {topic: i for i, topic in enumerate(dict.fromkeys(item[0] for item in items))}
    which = np.array([place[item[0]] for item in items], dtype=np.intp)
    a, b = codes.reshape(-1, 2).T
    tables = count_pairs(a, b, which, len(grades))
    result = LabelAgreement(
        *names,
        len(items),
        len(place),
        sum(item[0] in shared for item in first) - len(items),
        sum(item[0] in shared for item in second) - len(items),
        len(topics[0] - shared),
        len(topics[1] - shared),
        tuple(grades.tolist()),
        tuple(tuple(row) for row in tables.sum(axis=0).astype(int).tolist()),
        _coefficients(tables, grades, confidence, resamples, seed),
        matched,
        tuple(naturally(topics[0] - shared)),
        tuple(naturally(topics[1] - shared)),
    )
    _warn(result)
    return result


def _examples(first: Mapping[Item, float], second: Mapping[Item, float]) -> str:
    shown = [preview([" ".join(filter(None, item)) for item in list(labels)[:2]], 2) for labels in (first, second)]
    return f"one has {shown[0]}, the other {shown[1]}"


def _coefficients(
    tables: Floats, grades: Floats, confidence: float, resamples: int, seed: int
) -> tuple[Coefficient, ...]:
    """Every coefficient and both prevalences, with percentiles over resampled topics."""
    functions = dict(COEFFICIENTS)
    functions["prevalence_first"] = lambda c: _share(c.sum(axis=-1), grades)
    functions["prevalence_second"] = lambda c: _share(c.sum(axis=-2), grades)
    whole = tables.sum(axis=0)
    drawn = resample_topics(tables, resamples, seed) if len(tables) > 1 else None
    out = []
    for name, function in functions.items():
        ends = (None, None) if drawn is None else percentiles_if_most(function(drawn), confidence)
        value = float(function(whole))
        out.append(Coefficient(name, None, None, None) if np.isnan(value) else Coefficient(name, value, *ends))
    return tuple(out)


def _share(counts: Floats, grades: Floats) -> Floats:
    """The share of items with a label above 0."""
    shares: Floats = (counts * (grades > 0)).sum(axis=-1) / np.maximum(counts.sum(axis=-1), 1.0)
    return shares


def _warn(found: LabelAgreement) -> None:
    """Warn about labels that make agreement meaningless or show that something else than two judges is compared."""
    pair = f"{found.first} and {found.second}"
    table = np.array(found.confusion)
    if len(found.labels) == 1:
        warn("constant-labels", f"{pair} give every one of {found.items:,} items the same label: κ and α are undefined")
    else:
        for name, sums in ((found.first, table.sum(axis=1)), (found.second, table.sum(axis=0))):
            if np.count_nonzero(sums) == 1:
                warn("constant-labels", f"{name} gives every one of {found.items:,} items the same label")
        if table.trace() == found.items:
            warn("same-judge", f"{pair} agree on every one of {found.items:,} items: are they the same labels?")
    if found.first_only or found.second_only:
        warn(
            "unpaired-labels",
            f"in the topics of both, {found.first_only:,} items are labelled by {found.first} only and"
            f" {found.second_only:,} by {found.second} only: left out of the agreement, and not relevant in the scores"
            " of the judge who lacks them",
        )
