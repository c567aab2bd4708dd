"""Tools for RAG contexts.

FreshStack 0.0.6: Coverage, α-nDCG and Recall of nuggets, which it assigns to queries by the prefix of their ids. CRUX:
the share of sub-questions that some passage of the first k answers with a rating of at least τ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from diveval.collection.judgments import TopicJudgments
from diveval.metrics.algebra import Array, Decay, Log
from diveval.metrics.batch import Batch, source_of
from diveval.metrics.compat.base import entries_under
from diveval.metrics.ideal import Greedy
from diveval.metrics.metric import Parameter, choice
from diveval.settings import OrderRule, RelevanceRule

Support = NDArray[np.bool_]  # which document supports which nugget, (nugget, document)
Places = NDArray[np.int64]
DIGITS = 5  # of FreshStack's numbers
_RULE = RelevanceRule(gain="raw", weights="uniform", drop_empty_aspects=False)


# --- CRUX -------------------------------------------------------------------------------------------------------------


def answered_share(batch: Batch, cutoff: int | None, tau: float, oracle: Literal["no", "yes"]) -> Array:
    """|{j ∈ J : max_{i≤k} rating_ij ≥ τ}| / |J|; J are all sub-questions, or those some rated passage answers."""
    seen = batch.ranks[np.newaxis] <= batch.visible(cutoff)[:, np.newaxis]
    covered = np.asarray(((batch.relevance >= tau) & seen).any(axis=2))
    if oracle == "no":
        return np.asarray(np.count_nonzero(covered, axis=0) / np.maximum(batch.aspects, 1)[batch.topic])
    answered = np.count_nonzero((batch.pool >= tau).any(axis=2), axis=0)[batch.topic]
    # If no sub-question can be answered, the tool's own value is NaN.
    return np.where(answered > 0, np.count_nonzero(covered, axis=0) / np.maximum(answered, 1), np.nan)


CRUX = [
    entries_under("crux", "CRUX 33f2ea6")(
        "Cov",
        answered_share,
        "share of the sub-questions answered by the first k passages",
        "|{j ∈ J : max_{i≤k} rating_ij ≥ τ}| / |J|",
        Parameter("tau", 3.0, "the lowest rating that answers", 0, open_low=True, in_name=False),
        choice("oracle", "count only sub-questions that some rated passage answers (--filter_by_oracle)", "no", "yes"),
        rule=_RULE,
        order=OrderRule("rank", "file"),
        mean_over="both",
    ),
]


# --- FreshStack -------------------------------------------------------------------------------------------------------


def support_of(topic: TopicJudgments) -> Support:
    """Which document supports which nugget, including nuggets of other queries."""
    out = np.zeros((len(topic.aspects), len(topic.documents)), dtype=bool)
    supports = topic.grades != 0
    out[topic.columns[supports], topic.rows[supports]] = True
    return out


def of_nuggets(batch: Batch, cutoff: int, value: Callable[[Support, Places, Places, int], float]) -> Array:
    """`value` of each list, from the support of its topic, the ranks and rows of its judged documents down to k, and k."""
    source, out = source_of(batch), []
    support = [support_of(source.judgments(t)) for t in range(len(batch.aspects))]
    for row, t in enumerate(batch.topic):
        ranking = source.ranking(row)
        seen = ranking.ranks <= cutoff
        out.append(round(value(support[t], ranking.ranks[seen], ranking.rows[seen], cutoff), DIGITS))
    return np.array(out)


def coverage(support: Support, ranks: Places, rows: Places, depth: int) -> float:
    """Nuggets that some document of the first k supports, over nuggets."""
    return int(np.count_nonzero(support[:, rows].any(axis=1))) / max(len(support), 1)


def recall(support: Support, ranks: Places, rows: Places, depth: int) -> float:
    """Documents of the first k that support something, over all that do."""
    useful = np.asarray(support.any(axis=0))
    return int(np.count_nonzero(useful[rows])) / max(int(np.count_nonzero(useful)), 1)


def alpha_ndcg(support: Support, ranks: Places, rows: Places, depth: int) -> float:
    """α-nDCG with α = ½ over the greedy ideal."""
    pool = support[:, support.any(axis=0)].astype(np.float64)
    if not pool.size:
        return 0.0
    weights, free = np.ones((len(pool), 1)), np.zeros((1, pool.shape[1]))
    ideal = Greedy(pool[:, np.newaxis], weights, Decay(0.5), free).first(depth)[0]
    discounts = Log().table(max(len(ideal), int(ranks.max(initial=0))))  # a cutoff may be beyond any list
    seen = support[:, rows].astype(np.float64)
    gained = (seen * Decay(0.5).table(seen)).sum(axis=0) @ discounts[ranks]
    return float(gained / (ideal @ discounts[1 : len(ideal) + 1]))


_entry = entries_under("freshstack", "FreshStack 0.0.6", rule=_RULE, cutoffs="needed")

FRESHSTACK = [
    _entry(
        "Coverage",
        of_nuggets,
        "share of the nuggets that the first k documents support",
        "|{n : some document i ≤ k supports n}| / |N|",
        fixed={"value": coverage},
        order=OrderRule("score", "file"),
    ),
    _entry(
        "Recall",
        of_nuggets,
        "share of the supporting documents among the first k",
        "|{i ≤ k : i supports something}| / |{d : d supports something}|",
        fixed={"value": recall},
        order=OrderRule(),
        diversity=False,
    ),
    _entry(
        "alpha_nDCG",
        of_nuggets,
        "α-nDCG with α = ½, equal scores by document id ascending",
        "α-DCG / α-DCG(ideal)",
        fixed={"value": alpha_ndcg},
        order=OrderRule("score", "docno-asc"),
    ),
]
