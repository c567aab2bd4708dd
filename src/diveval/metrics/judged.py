"""The share of judged documents: how much of a score rests on judgments at all."""

from __future__ import annotations

import numpy as np

from diveval.errors import UsageError
from diveval.metrics.algebra import Array
from diveval.metrics.batch import Batch
from diveval.metrics.formulas import Formula
from diveval.metrics.numbers import Number
from diveval.metrics.ranking import Ranking
from diveval.metrics.source import source_of


class Judged(Formula):
    """|{i ≤ k : judged}| / min(n, k); 0 for an empty list."""

    def score(self, batch: Batch) -> Array:
        source, visible = source_of(batch), batch.visible(self.cutoff)
        row = source.row_of_hits()
        known = np.bincount(row[source.ranks <= visible[row]], minlength=batch.rows)
        return np.asarray(known / np.maximum(visible, 1))

    def exact(self, ranking: Ranking) -> Number:
        raise UsageError("Judged is a property of the judgments, not of relevance; it has no exact form")
