"""Rankings: a run met with judgments. Only judged documents are kept; the rest is felt through ranks and lengths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from diveval.errors import InputError, UsageError, shown
from diveval.judgments import Judgments
from diveval.runs import RUN_DUPLICATES, OrderRule, Run, TopicRun

RunDuplicates = Literal["error", "first", "blank"]


@dataclass(frozen=True, eq=False)
class TopicRanking:
    """Where judged documents stand: ranks ascending from 1, their row in the topic's judgments, and the length n."""

    ranks: NDArray[np.int64]
    rows: NDArray[np.int64]
    length: int
    iterations: NDArray[np.int64] | None = None  # of every rank, where the run came in rounds
    documents: tuple[str, ...] | None = None  # every document in order, only where efforts or pictures need them


@dataclass(frozen=True, eq=False)
class Rankings:
    """One run's rankings under one order, by topic; topics without judgments are named, with their length."""

    name: str
    topics: Mapping[str, TopicRanking]
    unjudged_topics: Mapping[str, int]  # topics without judgments, with their length
    order: OrderRule
    source: str = ""
    tag: str = ""  # what the run calls itself
    contradictions: int = 0  # topics in which rank and score disagree


EMPTY = TopicRanking(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), 0)


def rank(
    judgments: Judgments,
    run: Run,
    order: OrderRule,
    *,
    duplicates: RunDuplicates | None = None,
    keep_documents: bool = False,
) -> Rankings:
    """Order a run and keep what is judged.

    A document that stands twice in a topic is an error; with `first` later ones are dropped, with `blank` they keep
    their rank but count as not relevant (the rule of the Dynamic Domain track, and the default for its runs).
    """
    rule = duplicates or ("blank" if run.format == "dynamic-domain" else "first" if run.format == "evall" else "error")
    if rule not in RUN_DUPLICATES:
        raise UsageError(f"duplicates is one of {', '.join(RUN_DUPLICATES)}, got {shown(rule)}")
    topics: dict[str, TopicRanking] = {}
    unjudged: dict[str, int] = {}
    for name, listed in run.topics.items():
        judged = judgments.topics.get(name)
        if judged is None:
            unjudged[name] = len(listed.documents)
            continue
        row_of = {document: i for i, document in enumerate(judged.documents)}
        topics[name] = _rank_topic(listed, row_of, order, rule, keep_documents, f"{run.source or run.name}", name)
    return Rankings(run.name, topics, unjudged, order, run.source, run.tag, run.contradictions())


def _rank_topic(
    listed: TopicRun,
    row_of: Mapping[str, int],
    order: OrderRule,
    duplicates: str,
    keep_documents: bool,
    where: str,
    topic: str,
) -> TopicRanking:
    places = listed.order(order, where=where)
    documents = [listed.documents[i] for i in places]
    iterations = None if listed.iterations is None else listed.iterations[places]
    repeated: list[int] = []
    if len(set(documents)) < len(documents):
        repeated = _repeats(documents)
        if duplicates == "error":
            raise InputError(
                f"topic {shown(topic)}: document {shown(documents[repeated[0]])} stands there more than once; correct"
                " the run, or choose with --duplicates first|blank", source=where,
            )  # fmt: skip
        if duplicates == "first":
            dropped = set(repeated)
            kept = [i for i in range(len(documents)) if i not in dropped]
            documents = [documents[i] for i in kept]
            iterations = None if iterations is None else iterations[kept]
            repeated = []
    blank = set(repeated)
    hits = [(i + 1, row_of[d]) for i, d in enumerate(documents) if d in row_of and i not in blank]
    return TopicRanking(
        np.array([r for r, _ in hits], dtype=np.int64), np.array([row for _, row in hits], dtype=np.int64),
        len(documents), iterations, tuple(documents) if keep_documents else None,
    )  # fmt: skip


def _repeats(documents: list[str]) -> list[int]:
    """The places of documents that stood above already."""
    seen: set[str] = set()
    out = []
    for i, document in enumerate(documents):
        if document in seen:
            out.append(i)
        seen.add(document)
    return out
