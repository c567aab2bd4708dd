"""Every choice between files and scores in one value: relevance, order, topics, duplicates, efforts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from diveval.errors import UsageError, shown
from diveval.judgments import Duplicates, RelevanceRule
from diveval.rankings import RunDuplicates
from diveval.runs import OrderRule

MISSING: tuple[str, ...] = ("zero", "skip")
EMPTY: tuple[str, ...] = ("score", "skip")


@dataclass(frozen=True)
class Efforts:
    """Effort of a document as a multiple of e: its cost over `unit`, `default` for a document without a cost."""

    costs: Mapping[str, float]
    unit: float = 1.0
    default: float = 1.0

    def of(self, document: str) -> float:
        cost = self.costs.get(document)
        return self.default if cost is None else cost / self.unit


@dataclass(frozen=True)
class Options:
    """How judgments and runs become scores.

    `order` None: each metric's own order under another tool's name, score descending for ours. `missing_topics`: a
    judged topic the run lacks scores 0, or is left out of the run's mean. `empty_topics`: a topic without any relevant
    document is scored like the others (0, or below with effort), or left out. None: zero and score, but under another
    tool's name that tool's own rule where it has no other (gdeval skips empty topics, Cube Test missing ones).
    """

    relevance: RelevanceRule = field(default_factory=RelevanceRule)
    order: OrderRule | None = None
    missing_topics: Literal["zero", "skip"] | None = None
    empty_topics: Literal["score", "skip"] | None = None
    duplicates: RunDuplicates | None = None
    judgment_duplicates: Duplicates = "error"
    judgment_format: str | None = None
    run_format: str | None = None
    efforts: Efforts | None = None
    jobs: int | None = None  # files read at the same time; None: as many as there are cores

    def __post_init__(self) -> None:
        if self.jobs is not None and self.jobs < 1:
            raise UsageError(f"jobs is at least 1, got {self.jobs}")
        if self.missing_topics not in (None, *MISSING):
            raise UsageError(f"missing_topics is one of {', '.join(MISSING)}, got {shown(self.missing_topics)}")
        if self.empty_topics not in (None, *EMPTY):
            raise UsageError(f"empty_topics is one of {', '.join(EMPTY)}, got {shown(self.empty_topics)}")

    @classmethod
    def of(
        cls,
        *,
        gain: str = "exponential",
        gmax: str | float = "file",
        renormalise: bool = True,
        empty_aspects: Literal["drop", "keep"] = "drop",
        order: str | OrderRule | None = None,
        ties: str = "docno-desc",
        **rest: Any,
    ) -> Options:
        """Options from the words the command line and `evaluate` take."""
        if empty_aspects not in ("drop", "keep"):
            raise UsageError(f"empty_aspects is drop or keep, got {shown(empty_aspects)}")
        rule = RelevanceRule(
            gain=gain, gmax=gmax, renormalise=renormalise, drop_empty_aspects=empty_aspects == "drop"  # type: ignore[arg-type]
        )
        if isinstance(order, str) or (order is None and ties != "docno-desc"):
            order = OrderRule(order or "score", ties)  # type: ignore[arg-type]
        unknown = set(rest) - set(cls.__dataclass_fields__)
        if unknown:
            raise UsageError(f"no option is called {', '.join(sorted(unknown))}")
        return cls(relevance=rule, order=order, **rest)
