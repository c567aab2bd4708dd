"""All evaluation options as one value: relevance, order, topics, duplicates, efforts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Literal, get_args

from diveval.errors import UsageError, named_options, shown
from diveval.judgments import Duplicates, RelevanceRule
from diveval.runs import ORDERS, TIES, OrderRule, RunDuplicates, Ties

MissingTopics = Literal["worst", "zero", "skip"]
MISSING: tuple[str, ...] = get_args(MissingTopics)
EmptyTopics = Literal["score", "skip"]
EMPTY: tuple[str, ...] = get_args(EmptyTopics)
LARGEST_TOPIC = 25_000_000  # aspects × relevant documents of one topic: about 0.8 GB


@dataclass(frozen=True)
class Efforts:
    """The effort of a document as a multiple of e: its cost divided by `unit`, or `default` if it has no cost."""

    costs: Mapping[str, float]
    unit: float = 1.0
    default: float = 1.0

    def of(self, document: str) -> float:
        cost = self.costs.get(document)
        return self.default if cost is None else cost / self.unit


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
    unless the metric's tool always skips such topics (gdeval).
    """

    relevance: RelevanceRule = field(default_factory=RelevanceRule)
    order: OrderRule | None = None
    ties: Ties | None = None
    missing_topics: MissingTopics = "worst"
    empty_topics: EmptyTopics | None = None
    duplicates: RunDuplicates | None = None
    judgment_duplicates: Duplicates = "error"
    judgment_format: str | None = None
    run_format: str | None = None
    efforts: Efforts | None = None
    jobs: int | None = None  # files read at the same time; None: as many as there are cores
    largest_topic: int = LARGEST_TOPIC  # more is an error

    def __post_init__(self) -> None:
        if self.missing_topics is None:
            object.__setattr__(self, "missing_topics", MISSING[0])
        jobs = 1 if self.jobs is None else self.jobs
        for name, number in (("jobs", jobs), ("largest_topic", self.largest_topic)):
            if isinstance(number, bool) or not isinstance(number, Integral) or number < 1:
                raise UsageError(f"{name} is at least 1, a whole number, got {shown(number)}")
        if not isinstance(self.order, OrderRule | None):
            raise UsageError(f"order is one of {', '.join(ORDERS)}, got {shown(self.order)}")
        if not isinstance(self.efforts, Efforts | None):
            raise UsageError(f"efforts are Efforts({{document: cost}}) or read_efforts(…), got {shown(self.efforts)}")
        for name, words in (("ties", TIES), ("missing_topics", MISSING), ("empty_topics", EMPTY)):
            if (word := getattr(self, name)) not in (None, *words):
                raise UsageError(f"{name} is one of {', '.join(words)}, got {shown(word)}")

    def workers(self) -> int:
        """How many jobs run at the same time: `jobs`, or the number of cores this process may use."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return self.jobs or cores

    def order_for(self, own: OrderRule | None = None) -> OrderRule:
        """The order for a metric whose tool's order is `own`: `order` if set, else `own` with `ties` for its scores."""
        order = self.order or own or OrderRule()
        return replace(order, ties=self.ties) if self.ties and not self.order and order.by == "score" else order

    @classmethod
    @named_options
    def of(
        cls,
        *,
        gain: str = "exponential",
        gmax: str | float = "file",
        renormalise: bool = True,
        empty_aspects: Literal["drop", "keep"] = "drop",
        order: str | OrderRule | None = None,
        ties: str | None = None,
        rel: float | None = None,
        missing_topics: MissingTopics = "worst",
        empty_topics: EmptyTopics | None = None,
        duplicates: RunDuplicates | None = None,
        judgment_duplicates: Duplicates = "error",
        judgment_format: str | None = None,
        run_format: str | None = None,
        efforts: Efforts | None = None,
        jobs: int | None = None,
        largest_topic: int = LARGEST_TOPIC,
    ) -> Options:
        """Options from the values that the command line and `evaluate` take.

        Args:
            gain: from grades to relevance: `exponential`, `linear`, `binary` or `identity`.
            gmax: the highest possible grade: a number, `file` (the highest of the file) or `per-aspect`.
            renormalise: scale the weights of a topic's aspects to a sum of 1.
            empty_aspects: `drop` or `keep` aspects without a relevant document.
            order: `score`, `rank` or `file`; None: see the class.
            ties: `docno-desc`, `docno-asc` or `file`, among equal scores.
            rel: grades below it count as 0.
            missing_topics: see the class.
            empty_topics: see the class.
            duplicates: a document twice in a run: `error`, `first` or `blank`; None: the rule of its format.
            judgment_duplicates: a document judged twice: `error`, `max`, `first` or `last`.
            judgment_format: the format of the judgments; None: detected from the content.
            run_format: the format of the runs; None: detected from the content.
            efforts: the effort of each document.
            jobs: files read at the same time; None: as many as there are cores.
            largest_topic: aspects × relevant documents of one topic; more is an error.
        """
        if empty_aspects not in ("drop", "keep"):
            raise UsageError(f"empty_aspects is drop or keep, got {shown(empty_aspects)}")
        rule = RelevanceRule(
            gain=gain,  # type: ignore[arg-type]
            gmax=gmax,  # type: ignore[arg-type]
            renormalise=renormalise,
            drop_empty_aspects=empty_aspects == "drop",
            rel=rel,
        )
        if isinstance(order, str):
            order, ties = OrderRule(order, ties or "docno-desc"), None  # type: ignore[arg-type]
        return cls(
            relevance=rule,
            order=order,
            ties=ties,  # type: ignore[arg-type]
            missing_topics=missing_topics,
            empty_topics=empty_topics,
            duplicates=duplicates,
            judgment_duplicates=judgment_duplicates,
            judgment_format=judgment_format,
            run_format=run_format,
            efforts=efforts,
            jobs=jobs,
            largest_topic=largest_topic,
        )
