"""FreshStack 0.0.6: Coverage, α-nDCG and Recall of nuggets, which it joins to queries by the beginning of their ids."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from diveval.judgments import RelevanceRule, TopicJudgments
from diveval.metrics.algebra import Array, Decay, Log
from diveval.metrics.batch import Batch
from diveval.metrics.compat.base import ToolFormula
from diveval.metrics.ideal import Greedy
from diveval.metrics.metric import Entry
from diveval.metrics.source import source_of
from diveval.runs import OrderRule

DIGITS = 5


def supported(topic: TopicJudgments) -> NDArray[np.bool_]:
    """Which document supports which nugget, (nugget, document), those taken from other queries included."""
    out = np.zeros((len(topic.aspects), len(topic.documents)), dtype=bool)
    held = topic.grades != 0
    out[topic.columns[held], topic.rows[held]] = True
    return out


@dataclass(frozen=True)
class OfNuggets(ToolFormula):
    """A number of the nuggets and of the judged documents down to the cutoff."""

    def score(self, batch: Batch) -> Array:
        source, out = source_of(batch), []
        support = [supported(source.judgments(t)) for t in range(len(batch.aspects))]
        for row, t in enumerate(batch.topic):
            ranking = source.ranking(row)
            seen = ranking.ranks <= self.depth
            out.append(round(self.value(support[t], ranking.ranks[seen], ranking.rows[seen]), DIGITS))
        return np.array(out)

    def value(self, support: NDArray[np.bool_], ranks: NDArray[np.int64], rows: NDArray[np.int64]) -> float:
        """The value of one list: the ranks of judged documents, and which they are."""
        raise NotImplementedError


class Coverage(OfNuggets):
    """Nuggets that some document of the first k supports, over nuggets."""

    def value(self, support: NDArray[np.bool_], ranks: NDArray[np.int64], rows: NDArray[np.int64]) -> float:
        return int(np.count_nonzero(support[:, rows].any(axis=1))) / max(len(support), 1)


class Recall(OfNuggets):
    """Documents of the first k that support something, over all that do."""

    def value(self, support: NDArray[np.bool_], ranks: NDArray[np.int64], rows: NDArray[np.int64]) -> float:
        useful = np.asarray(support.any(axis=0))
        return int(np.count_nonzero(useful[rows])) / max(int(np.count_nonzero(useful)), 1)


class AlphaNDCG(OfNuggets):
    """α-nDCG with α = ½ over the greedy ideal."""

    def value(self, support: NDArray[np.bool_], ranks: NDArray[np.int64], rows: NDArray[np.int64]) -> float:
        pool = support[:, support.any(axis=0)].astype(np.float64)
        if not pool.size:
            return 0.0
        weights, free = np.ones((len(pool), 1)), np.zeros((1, pool.shape[1]))
        ideal = Greedy(pool[:, np.newaxis], weights, Decay(0.5), free).first(self.depth)[0]
        discounts = Log().table(max(self.depth, int(ranks.max(initial=0))))
        seen = support[:, rows].astype(np.float64)
        gained = (seen * Decay(0.5).table(seen)).sum(axis=0) @ discounts[ranks]
        return float(gained / (ideal @ discounts[1 : len(ideal) + 1]))


_RULE = RelevanceRule(gain="raw", weights="uniform", drop_empty_aspects=False)
_REFERENCE = "FreshStack 0.0.6"

FRESHSTACK = [
    Entry(
        "freshstack.Coverage",
        Coverage,
        "share of the nuggets that the first k documents support",
        "|{n : some document i ≤ k supports n}| / |N|",
        _REFERENCE,
        rule=_RULE,
        order=OrderRule("score", "file"),
        cutoffs="needed",
    ),
    Entry(
        "freshstack.Recall",
        Recall,
        "share of the supporting documents among the first k",
        "|{i ≤ k : i supports something}| / |{d : d supports something}|",
        _REFERENCE,
        rule=_RULE,
        order=OrderRule(),
        cutoffs="needed",
        diversity=False,
    ),
    Entry(
        "freshstack.alpha_nDCG",
        AlphaNDCG,
        "α-nDCG with α = ½, equal scores by document id ascending",
        "α-DCG / α-DCG(ideal)",
        _REFERENCE,
        rule=_RULE,
        order=OrderRule("score", "docno-asc"),
        cutoffs="needed",
    ),
]
