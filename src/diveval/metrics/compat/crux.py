"""CRUX: the share of sub-questions that some passage of the first k answers with a rating of at least τ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from diveval.judgments import RelevanceRule
from diveval.metrics.algebra import Array
from diveval.metrics.batch import Batch
from diveval.metrics.compat.base import ToolFormula
from diveval.metrics.metric import Entry, Parameter
from diveval.runs import OrderRule


@dataclass(frozen=True)
class Coverage(ToolFormula):
    """|{j ∈ J : max_{i≤k} rating_ij ≥ τ}| / |J|; J are all sub-questions, or those some rated passage answers."""

    tau: float = 3.0
    oracle: Literal["no", "yes"] = "no"

    def score(self, batch: Batch) -> Array:
        seen = batch.ranks[np.newaxis] <= batch.visible(self.cutoff)[:, np.newaxis]
        covered = np.asarray(((batch.relevance >= self.tau) & seen).any(axis=2))
        if self.oracle == "no":
            return np.asarray(np.count_nonzero(covered, axis=0) / np.maximum(batch.aspects, 1)[batch.topic])
        answered = np.count_nonzero((batch.pool >= self.tau).any(axis=2), axis=0)[batch.topic]
        # Where nothing can be answered, the tool's own value is not a number.
        return np.where(answered > 0, np.count_nonzero(covered, axis=0) / np.maximum(answered, 1), np.nan)


CRUX = [
    Entry(
        "crux.Cov",
        Coverage,
        "share of the sub-questions answered by the first k passages",
        "|{j ∈ J : max_{i≤k} rating_ij ≥ τ}| / |J|",
        "CRUX 33f2ea6",
        (
            Parameter("tau", 3.0, "the lowest rating that answers", 0, open_low=True, in_name=False),
            Parameter(
                "oracle",
                "no",
                "count only sub-questions that some rated passage answers (--filter_by_oracle)",
                choices=("no", "yes"),
                in_name=False,
            ),
        ),
        rule=RelevanceRule(gain="raw", weights="uniform", drop_empty_aspects=False),
        order=OrderRule("rank", "file"),
        mean_over="both",
    ),
]
