"""What measures of the groups of documents share, and source crowding, the one of our own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from diveval.errors import UsageError, quote
from diveval.metrics.algebra import Array
from diveval.metrics.batch import Batch, source_of
from diveval.metrics.compat.base import ToolFormula
from diveval.metrics.metric import Entry
from diveval.settings import GroupedTopic, Groups


def groups_of(batch: Batch) -> Groups:
    """The groups that were given; an error if there are none."""
    groups = source_of(batch).groups
    if groups is None:
        raise UsageError(
            "no-groups",
            "the metric needs the groups of documents",
            hint="give them with --document-groups (document_groups=)",
        )
    return groups


def find_attributes(batch: Batch, topic: int) -> list[GroupedTopic]:
    """The attributes of a topic."""
    name = batch.topic_name(topic)
    found = groups_of(batch).of_topic(name)
    if not found:
        raise UsageError(
            "no-groups", f"no document of topic {quote(name)} has a group", hint="add it to the table of groups"
        )
    return found


def score_by_row(batch: Batch, cutoff: int | None, value: Callable[[int, list[str]], float]) -> Array:
    """A value for each row from its documents down to the cutoff; 0 for an empty list."""
    groups_of(batch)
    out = np.zeros(batch.rows)
    for row in np.flatnonzero(batch.lengths).tolist():
        documents = source_of(batch).ranking(row).documents
        if documents is None:
            raise UsageError("no-groups", "the ids of documents were not kept, so their groups are unknown")
        out[row] = value(row, list(documents)[:cutoff])
    return out


def crowd_sources(batch: Batch, cutoff: int | None) -> Array:
    """The share of the first k documents whose source stands above them already.

    A document's source is its group, or its combination of groups where there are several attributes. A document
    without a group is a source of its own: nothing says that it comes from where another one does.
    """

    def value(row: int, documents: list[str]) -> float:
        attributes = find_attributes(batch, int(batch.topic[row]))
        sources = {_source(document, attributes) for document in documents}
        return 1.0 - len(sources) / len(documents)

    return score_by_row(batch, cutoff, value)


def _source(document: str, attributes: list[GroupedTopic]) -> tuple[object, ...]:
    """What documents of one source have in common."""
    known = [one.shares[document] for one in attributes if document in one.shares]
    if any(max(shares) < 1.0 for shares in known):
        raise UsageError(
            "several-sources",
            f"document {quote(document)} is shared by several groups, and a source is one group",
            hint="give each document one group with the share 1",
        )
    return tuple(shares.index(1.0) for shares in known) if len(known) == len(attributes) else (document, None)


SOURCE_CROWDING = Entry(
    "SourceCrowding",
    lambda: ToolFormula(crowd_sources),
    "share of the first k documents from a source that stands above them already",
    "1 − |{source of document i : i ≤ min(n, k)}| / min(n, k)",
    "diveval",
    diversity=False,
    mean_over="both",  # fewest repetitions are best, so a topic without a list must not count as one without any
    best="low",
    needs_groups=True,
)
