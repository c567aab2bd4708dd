"""Where a block's arrays come from: judgments and rankings, for rules that relevance does not carry.

Passages, rounds, and documents judged not relevant are not in a `Batch`'s relevance. Rules over many topics read the
columns; rules of rarely used tools ask for one topic or one ranking at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from diveval.columns import Whole, spans
from diveval.errors import UsageError
from diveval.grouping import JudgedColumns
from diveval.judgments import TopicJudgments
from diveval.metrics.batch import Batch
from diveval.rankings import TopicRanking


@dataclass(frozen=True, eq=False)
class Source:
    """The judgments of a block's topics and, end to end, the judged documents of its rows."""

    judged: JudgedColumns  # of the whole collection
    topics: Whole  # the block's topics, as places in it
    hits: Whole  # offsets: where each row's judged documents start
    ranks: Whole
    documents: Whole  # rows of the judgments, counted within the topic
    view: Callable[[int], TopicRanking]  # one row as it was ranked
    blanks: Callable[[], tuple[Whole, Whole]]  # rows and ranks of repeated documents, which count as not relevant

    def judgments(self, topic: int) -> TopicJudgments:
        """The judgments of one topic of the block."""
        return self.judged.views.at(int(self.topics[topic]))

    def topic_name(self, topic: int) -> str:
        """What a topic of the block is called."""
        return self.judged.topics[int(self.topics[topic])]

    def ranking(self, row: int) -> TopicRanking:
        """One ranking, with its rounds."""
        return self.view(row)

    def row_of_hits(self) -> Whole:
        """The row of each judged document."""
        return np.repeat(np.arange(len(self.hits) - 1), np.diff(self.hits))

    def best_grades(self) -> tuple[Whole, NDArray[np.float64]]:
        """The best grade of each judged document, the block's topics one after the other, and where each starts."""
        judged, topics = self.judged, self.topics
        sizes = judged.documents[topics + 1] - judged.documents[topics]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        counts = judged.entries[topics + 1] - judged.entries[topics]
        entries = spans(judged.entries[topics], counts)
        best = np.full(starts[-1], -np.inf)
        np.maximum.at(best, np.repeat(starts[:-1], counts) + judged.rows[entries], judged.grades[entries])
        return starts, best


def source_of(batch: Batch) -> Source:
    """Judgments and rankings of a batch that has them."""
    if batch.source is None:
        raise UsageError("this metric needs the judgments themselves; score it with diveval.evaluate")
    return batch.source
