"""RBU as the authors' own program prints it (EvALL): gmax per topic and aspect, weights as given, file order."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from diveval.collection.judgments import TopicJudgments
from diveval.metrics.algebra import Array, Aspects, Cascade, Geometric
from diveval.metrics.batch import Batch, source_of
from diveval.metrics.compat.base import entries_under
from diveval.metrics.formulas import Sum
from diveval.metrics.metric import Parameter, choice
from diveval.settings import OrderRule, RelevanceRule


def rank_biased_utility(batch: Batch, cutoff: int | None, p: float, e: float, empty: Literal["drop", "nan"]) -> Array:
    """(1−p) [ Σ_t w(t) Σ_i p^(i−1) r(i,t) Π_{j<i} (1 − r(j,t)) − e Σ_{i≤n} p^(i−1) ], r = (2^g − 1)/2^gmax(t).

    An aspect without a relevant document is left out. The program divides by 0 there: a topic is not a number as soon
    as the run returns a document listed with grade 0 for such an aspect, which `empty="nan"` reproduces.
    """
    value = Sum(Aspects(), Geometric(p, start=0, scaled=True), Cascade(), e).score(batch)
    return value if empty == "drop" else np.where(_undefined(batch), np.nan, value)


def _undefined(batch: Batch) -> NDArray[np.bool_]:
    source = source_of(batch)
    traps = [_traps(source.judgments(t)) for t in range(len(batch.aspects))]
    return np.array([np.isin(source.ranking(row).rows, traps[t]).any() for row, t in enumerate(batch.topic)])


def _traps(topic: TopicJudgments) -> NDArray[np.int32]:
    """The documents listed for an aspect without a relevant document."""
    wanted = np.zeros(len(topic.aspects), dtype=bool)
    wanted[topic.columns[topic.grades > 0]] = True
    return topic.rows[~wanted[topic.columns]]


EVALL = [
    entries_under("evall", "RBU-Java 0.1, EvALL")(
        "RBU",
        rank_biased_utility,
        "rank-biased utility as the authors' program computes it",
        "(1−p) [ Σ_t w(t) Σ_i p^(i−1) r(i,t) Π_{j<i} (1 − r(j,t)) − e Σ_{i≤n} p^(i−1) ], r = (2^g−1)/2^gmax(t)",
        Parameter("p", 0.8, "probability of going on to the next document", 0, 1, True, True),
        Parameter("e", 0.03, "effort of inspecting one document", 0),
        choice(
            "empty", "aspects without a relevant document: left out, or not a number as in the program", "drop", "nan"
        ),
        rule=RelevanceRule(gmax="per-aspect", renormalise=False),
        order=OrderRule("file"),
        cutoffs=False,
    ),
]
