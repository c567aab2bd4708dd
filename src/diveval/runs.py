"""Runs: what a system returned, and the rule by which its lines become a ranking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from diveval.errors import InputError, UsageError, shown
from diveval.judgments import naturally

ORDERS: tuple[str, ...] = ("score", "rank", "file")
TIES: tuple[str, ...] = ("docno-desc", "docno-asc", "file")
RUN_DUPLICATES: tuple[str, ...] = ("error", "first", "blank")


@dataclass(frozen=True)
class OrderRule:
    """score: descending as doubles, equal scores by `ties`; rank: the rank column ascending; file: as it stands."""

    by: Literal["score", "rank", "file"] = "score"
    ties: Literal["docno-desc", "docno-asc", "file"] = "docno-desc"

    def __post_init__(self) -> None:
        if self.by not in ORDERS:
            raise UsageError(f"order is one of {', '.join(ORDERS)}, got {shown(self.by)}")
        if self.ties not in TIES:
            raise UsageError(f"ties is one of {', '.join(TIES)}, got {shown(self.ties)}")


@dataclass(frozen=True, eq=False)
class TopicRun:
    """One topic's lines, in file order. A format without a column has None there."""

    documents: Sequence[str]
    scores: NDArray[np.float64] | None = None
    ranks: NDArray[np.int64] | None = None
    iterations: NDArray[np.int64] | None = None  # Dynamic Domain: documents come in rounds

    def order(self, rule: OrderRule, *, where: str = "") -> NDArray[np.intp]:
        """The permutation that makes the ranking; rounds stay together, in their order."""
        places = np.arange(len(self.documents))
        if rule.by == "rank" and self.ranks is None:
            raise InputError("has no usable rank column; use --order score or file", source=where)
        if rule.by == "rank":
            places = np.argsort(self.ranks, kind="stable")  # type: ignore[arg-type]
        elif rule.by == "score" and self.scores is not None:
            places = self._by_score(rule)
        if self.iterations is not None:
            places = places[np.argsort(self.iterations[places], kind="stable")]
        return places

    def _by_score(self, rule: OrderRule) -> NDArray[np.intp]:
        scores = self.scores
        assert scores is not None
        if len(scores) < 2 or (np.diff(scores) < 0).all():
            return np.arange(len(scores))
        if rule.ties == "file":
            return np.argsort(-scores, kind="stable")
        by_name = sorted(range(len(scores)), key=self.documents.__getitem__, reverse=rule.ties == "docno-desc")
        names = np.array(by_name, dtype=np.intp)
        return names[np.argsort(-scores[names], kind="stable")]

    def contradicts(self) -> bool:
        """Does the rank column put a lower score above a higher one?"""
        if self.ranks is None or self.scores is None or self.iterations is not None:
            return False
        return bool((np.diff(self.scores[np.argsort(self.ranks, kind="stable")]) > 0).any())


@dataclass(frozen=True, eq=False)
class Run:
    """A system's lists, by topic in natural order."""

    name: str
    topics: Mapping[str, TopicRun]
    source: str = ""
    format: str = ""
    tag: str = ""  # what the run calls itself in its last column

    @classmethod
    def from_rows(
        cls, rows: Iterable[tuple[str, str, float]], *, name: str = "run", source: str = ""
    ) -> Run:
        """Build from `(topic, document, score)`."""
        documents: dict[str, list[str]] = {}
        scores: dict[str, list[float]] = {}
        for topic, document, score in rows:
            documents.setdefault(topic, []).append(document)
            scores.setdefault(topic, []).append(float(score))
        for topic, values in scores.items():
            if not np.isfinite(values).all():
                at = int(np.flatnonzero(~np.isfinite(values))[0])
                raise InputError(
                    f"topic {shown(topic)}, document {shown(documents[topic][at])}: a score is a finite number, got"
                    f" {values[at]}", source=source,
                )  # fmt: skip
        return cls(name, {t: TopicRun(documents[t], np.array(scores[t])) for t in naturally(documents)}, source)

    def contradictions(self) -> int:
        """In how many topics rank and score disagree."""
        return sum(topic.contradicts() for topic in self.topics.values())
