"""Stopping ranks: the rank at which a metric with effort is highest, and what reading further costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from diveval.errors import UsageError
from diveval.judgments import Judgments
from diveval.metrics.batch import PADDING, Batch
from diveval.metrics.formulas import Sum
from diveval.metrics.metric import Metric
from diveval.options import Options
from diveval.rankings import EMPTY, unanswered
from diveval.scoring import RankingsByOrder, make_batch, worst_counts


@dataclass(frozen=True)
class Stop:
    """One run and topic: the best rank to stop at, the utility there and that of the whole list.

    Rank 0 means that no prefix has positive utility. A topic that the run lacks has the utility of a missing topic in
    `diveval.evaluate`.
    """

    run: str
    topic: str
    length: int
    rank: int
    utility: float
    utility_of_all: float
    missing: bool = False


def stopping_points(judgments: Judgments, rankings: RankingsByOrder, metric: Metric, options: Options) -> list[Stop]:
    """The best stopping rank for each run and topic, by run and then topic."""
    formula = metric.formula
    if not isinstance(formula, Sum):
        raise UsageError(f"a stopping rank needs a metric with effort, such as RBU or EU, got {metric.name}")
    (runs,) = rankings.values()
    relevances = judgments.relevance(options.relevance)
    stops: dict[str, list[Stop]] = {run.name: [] for run in runs}
    for topic, relevance in relevances.items():
        shown = [run.topics.get(topic) for run in runs]
        # As in scoring: a list of non-relevant documents, down to the cutoff or as many as were judged.
        instead = EMPTY
        if worst_counts(metric, options):
            instead = unanswered(metric.cutoff or len(judgments.topics[topic].documents))
        listed = [instead if ranking is None else ranking for ranking in shown]
        batch = make_batch(relevance, judgments.topics[topic], listed, None, options.efforts)
        ranks, utilities = best_stop(batch, formula)
        everything = formula.score(batch)
        for s, run in enumerate(runs):
            ranking = shown[s]
            if ranking is None and options.missing_topics == "skip":
                continue
            length, best = 0 if ranking is None else ranking.length, float(utilities[s])
            stop = Stop(run.name, topic, length, int(ranks[s]), best, float(everything[s]), ranking is None)
            stops[run.name].append(stop)
    return [stop for run in runs for stop in stops[run.name]]


def best_stop(batch: Batch, formula: Sum) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The rank with the highest utility and that utility, for each row.

    Utility only falls between two relevant documents, so only their ranks and 0 can be best; ties go to the first.
    """
    reached = np.where(batch.ranks <= (formula.cutoff or PADDING - 1), batch.lookup, 0)
    gained = np.cumsum(batch.discounts(formula.discount) * batch.gain(formula.over, formula.novelty), axis=-1)
    effort = float(formula.effort)
    paid = np.zeros_like(gained)
    for hit in range(reached.shape[1]):
        paid[:, hit] = batch.effort(formula.discount, reached[:, hit])
    utility = np.where(reached > 0, gained - effort * paid, -np.inf)
    with_start = np.concatenate([np.zeros((batch.rows, 1)), utility], axis=1)
    best = np.argmax(with_start, axis=1)
    ranks = np.concatenate([np.zeros((batch.rows, 1), dtype=np.int64), reached], axis=1)
    every = np.arange(batch.rows)
    return ranks[every, best], with_start[every, best]


def mean_stop(stops: Sequence[Stop], run: str) -> Stop:
    """A run's means over its topics, as the topic `all`; ranks are rounded."""
    own = [stop for stop in stops if stop.run == run]
    count = max(len(own), 1)
    return Stop(
        run,
        "all",
        round(sum(s.length for s in own) / count),
        round(sum(s.rank for s in own) / count),
        sum(s.utility for s in own) / count,
        sum(s.utility_of_all for s in own) / count,
    )
