"""The options of an evaluation as one value, and the rules they consist of; `setting_table` lists the options."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from diveval.errors import UsageError, quote
from diveval.setting_table import (
    LARGEST_TOPIC,
    TABLE,
    Aspects,
    Duplicates,
    EmptyTopics,
    Gain,
    Gmax,
    MissingTopics,
    Order,
    RunDuplicates,
    Ties,
    Unit,
    refuse_unknown,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Settings(TypedDict, total=False):
    """The options as keyword arguments; `SETTINGS` says what each means."""

    gain: Gain
    gmax: Gmax | float
    rel: float | None
    renormalise: bool
    empty_aspects: Aspects
    order: Order | OrderRule | None
    ties: Ties | None
    missing_topics: MissingTopics
    empty_topics: EmptyTopics | None
    duplicates: RunDuplicates | None
    judgment_duplicates: Duplicates
    judged_only: bool
    judgment_format: str | None
    run_format: str | None
    effort_file: str | PathLike[str] | None
    effort_unit: Unit | float
    effort_default: float
    efforts: Efforts | Mapping[str, float] | None
    document_groups: Groups | str | PathLike[str] | Iterable[object] | None
    ordinal_groups: Sequence[str] | str | None
    largest_topic: int
    jobs: int | None


@dataclass(frozen=True)
class RelevanceRule:
    """How grades become relevance r ∈ [0, 1] and aspects get their weights.

    `gain`: exponential (2^g − 1)/2^gmax, linear g/gmax, binary [g > 0], identity (the file has r already), raw (the
    grade itself, for other tools' formulas). `gmax`: the highest grade of the whole file, `per-aspect`, or a number.
    """

    gain: Gain | Literal["raw"] = "exponential"
    gmax: Gmax | float = "file"
    weights: Literal["given", "uniform"] = "given"
    renormalise: bool = True
    drop_empty_aspects: bool = True
    rel: float | None = None  # the lowest grade that counts: those below are 0

    def __post_init__(self) -> None:
        for name in ("gmax", "renormalise", "rel", *(() if self.gain == "raw" else ("gain",))):
            object.__setattr__(self, name, TABLE[name].check(getattr(self, name)))

    def counts(self, grades: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which grades make a document relevant."""
        return np.asarray(grades > 0 if self.rel is None else grades >= self.rel)


@dataclass(frozen=True)
class OrderRule:
    """How lines are ordered.

    `score`: descending as doubles, equal scores by `ties`; `rank`: by the rank column; `file`: in file order. With
    `rank` and ties `file`, a run without a rank column stays in file order; otherwise it is an error.
    """

    by: Order = "score"
    ties: Ties = "docno-desc"

    def __post_init__(self) -> None:
        TABLE["order"].check(str(self.by))  # None is not a rule here
        TABLE["ties"].check(str(self.ties))


@dataclass(frozen=True)
class Efforts:
    """The effort of a document as a multiple of e: its cost divided by `unit`, or `default` if it has no cost."""

    costs: Mapping[str, float]
    unit: float = 1.0
    default: float = 1.0

    def of(self, document: str) -> float:
        cost = self.costs.get(document)
        return self.default if cost is None else cost / self.unit


def make_efforts(costs: Mapping[str, float], unit: Unit | float = 1.0, default: float = 1.0) -> Efforts:
    """Efforts from costs by document; the unit `mean` is their mean."""
    TABLE["efforts"].check(costs)
    for document, cost in costs.items():
        TABLE["effort_default"].check(cost, f"the effort of document {quote(document)}")
    divisor = sum(costs.values()) / max(len(costs), 1) if unit == "mean" else unit
    return Efforts(dict(costs), TABLE["effort_unit"].check(divisor), TABLE["effort_default"].check(default))


@dataclass(frozen=True)
class GroupedTopic:
    """One attribute of the documents of a topic, such as gender: each document's shares in its groups, and the target.

    A document without shares belongs to all groups alike, since nothing is known of it.
    """

    attribute: str
    groups: tuple[str, ...]
    target: tuple[float, ...]
    ordinal: bool
    shares: Mapping[str, tuple[float, ...]]

    def of(self, document: str) -> tuple[float, ...]:
        known = self.shares.get(document)
        return (1.0 / len(self.groups),) * len(self.groups) if known is None else known

    def cross(self, other: GroupedTopic) -> GroupedTopic:
        """The combinations of both attributes' groups, whose shares are the products: an attribute without an order."""

        def multiply(first: tuple[float, ...], second: tuple[float, ...]) -> tuple[float, ...]:
            return tuple(a * b for a in first for b in second)

        documents = [*self.shares, *(name for name in other.shares if name not in self.shares)]
        return GroupedTopic(
            f"{self.attribute}×{other.attribute}",
            tuple(f"{a}×{b}" for a in self.groups for b in other.groups),
            multiply(self.target, other.target),
            False,
            {name: multiply(self.of(name), other.of(name)) for name in documents},
        )


@dataclass(frozen=True)
class Groups:
    """The groups of documents: attributes by topic, and those that hold for every topic under the empty name."""

    topics: Mapping[str, Sequence[GroupedTopic]]

    def of_topic(self, topic: str) -> list[GroupedTopic]:
        own = list(self.topics.get(topic, ()))
        names = {one.attribute for one in own}
        return [*own, *(one for one in self.topics.get("", ()) if one.attribute not in names)]

    def knows(self, document: str) -> bool:
        """Whether a document has a share in any group."""
        return document in self._known

    @cached_property
    def _known(self) -> set[str]:
        return {name for attributes in self.topics.values() for one in attributes for name in one.shares}


@dataclass(frozen=True)
class Options:
    """How judgments and runs become scores.

    `order` None: a metric under another tool's name uses that tool's order, our metrics use descending scores; `ties`
    then orders equal scores, and has no effect for a tool that uses the rank column or the file's order.
    `missing_topics`: with `worst`, our metrics score a judged topic that the run lacks as a list of non-relevant
    documents down to the cutoff (without a cutoff, as many as the topic has judged documents, so that the score does
    not depend on other runs), and a metric under another tool's name follows that tool; with `zero` it scores 0 for
    all; with `skip` it is left out of the run's mean. A topic with an empty list is not missing. `empty_topics`: a
    topic without any relevant document is scored like the others (0, or below with effort), or left out; None: score,
    unless the metric's tool always skips such topics (gdeval). `judged_only`: lists are scored without their unjudged
    documents (condensed lists), also by metrics under other tools' names; trec_eval has it as -J.
    """

    relevance: RelevanceRule = field(default_factory=RelevanceRule)
    order: OrderRule | None = None
    ties: Ties | None = None
    missing_topics: MissingTopics = "worst"
    empty_topics: EmptyTopics | None = None
    duplicates: RunDuplicates | None = None
    judgment_duplicates: Duplicates = "error"
    judged_only: bool = False
    judgment_format: str | None = None
    run_format: str | None = None
    efforts: Efforts | None = None
    document_groups: Groups | None = None
    jobs: int | None = None  # files read at the same time; None: as many as there are cores
    largest_topic: int = LARGEST_TOPIC  # more is an error

    def __post_init__(self) -> None:
        for name in Options.__dataclass_fields__:
            if name in TABLE and name not in ("order", "efforts", "document_groups"):
                object.__setattr__(self, name, TABLE[name].check(getattr(self, name)))
        if not isinstance(self.order, OrderRule | None):
            object.__setattr__(self, "order", OrderRule(self.order))
        if not isinstance(self.efforts, Efforts | None):
            object.__setattr__(self, "efforts", make_efforts(self.efforts))
        if not isinstance(self.document_groups, Groups | None):
            raise UsageError(
                "wrong-type", f"document_groups are read with diveval.read_groups(…), got {quote(self.document_groups)}"
            )

    def workers(self) -> int:
        """How many jobs run at the same time: `jobs`, or the number of cores this process may use."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return self.jobs or cores

    def order_for(self, own: OrderRule | None = None) -> OrderRule:
        """The order for a metric whose tool's order is `own`: `order` if set, else `own` with `ties` for its scores."""
        order = self.order or own or OrderRule()
        return replace(order, ties=self.ties) if self.ties and not self.order and order.by == "score" else order

    @classmethod
    def of(cls, **settings: Unpack[Settings]) -> Options:
        """Options from single ones, by the names that `diveval.evaluate` has.

        Args:
            settings: the single options; `effort_file` has to be read first: `efforts=read_efforts(…)`.
        """
        refuse_unknown(settings)
        if settings.get("effort_file") is not None:
            fault = "Options.of reads no file"
            raise UsageError("wrong-type", fault, hint="give efforts=diveval.read_efforts(effort_file)")
        objects: dict[str, Any] = {name: settings.get(name) for name in ("order", "efforts", "document_groups")}
        given = {name: setting.check(settings.get(name)) for name, setting in TABLE.items() if name not in objects}
        del given["effort_file"], given["ordinal_groups"]
        TABLE["document_groups"].check(objects["document_groups"])
        unit, default = given.pop("effort_unit"), given.pop("effort_default")
        if not isinstance(objects["efforts"], Efforts | None):
            objects["efforts"] = make_efforts(objects["efforts"], unit, default)
        if not isinstance(objects["order"], OrderRule | None):
            ties: Ties = given.pop("ties") or OrderRule.ties
            objects["order"] = OrderRule(objects["order"], ties)
        dropped = given.pop("empty_aspects") == "drop"
        rule = {name: given.pop(name) for name in ("gain", "gmax", "renormalise", "rel")}
        return cls(RelevanceRule(**rule, drop_empty_aspects=dropped), **given, **objects)
