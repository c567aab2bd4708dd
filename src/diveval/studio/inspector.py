"""One ranking, rank by rank: what each document adds, what reading it costs, and where a reader should stop."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import TypedDict

from diveval.analysis.stopping import best_stop
from diveval.collection.rankings import EMPTY
from diveval.errors import UsageError
from diveval.metrics import Metric, Ranking
from diveval.metrics.formulas import Sum
from diveval.scoring.scorer import make_batch
from diveval.settings import Options
from diveval.studio.loaded_collection import LoadedCollection


class CurveShape(TypedDict):
    """Gain, effort and utility down to each rank."""

    gain: list[float]
    effort: list[float]
    utility: list[float]


class AspectShape(TypedDict):
    """An aspect of the topic."""

    name: str
    weight: float


class DocumentShape(TypedDict):
    """A document at its rank: relevance, and what was unsatisfied on arrival, by aspect."""

    rank: int
    document: str
    judged: bool
    relevance: list[float]
    unsatisfied: list[float]


class StopShape(TypedDict):
    """The best rank to stop at, 0 for none, and the utility there and of the whole list."""

    rank: int
    utility: float
    utility_of_all: float


class RankingShape(TypedDict):
    """One run on one topic, rank by rank."""

    run: str
    topic: str
    metric: str
    length: int
    aspects: list[AspectShape]
    documents: list[DocumentShape]
    curve: CurveShape
    stop: StopShape


def curve(metric: Metric, ranking: Ranking, depth: int) -> CurveShape:
    """Σ gain, Σ effort and their difference, the utility, down to each rank; the discount is in all three."""
    formula = replace(_sum(metric), cutoff=depth)
    utility = list(accumulate(float(term) for term in formula.terms(ranking)))
    gain = list(accumulate(float(term) for term in replace(formula, effort=0).terms(ranking)))
    return {"gain": gain, "effort": [g - u for g, u in zip(gain, utility, strict=True)], "utility": utility}


def open_needs(metric: Metric, ranking: Ranking, depth: int) -> list[list[float]]:
    """By rank and aspect, the share of the need that is still open on arrival: the metric's novelty factor."""
    formula = _sum(metric)
    columns = [formula.novelty.along(list(column), ranking.numbers) for column in ranking.relevance.T]
    return [[float(column[i]) for column in columns] for i in range(min(depth, len(ranking)))]


def stop_of(utility: list[float]) -> int:
    """The rank with the highest utility, the first of equals; 0 where no prefix has positive utility."""
    best = max([0.0, *utility])
    return 0 if best <= 0.0 else utility.index(best) + 1


def inspect(
    collection: LoadedCollection, run: str, topic: str, metric: Metric, options: Options, *, depth: int
) -> RankingShape:
    """One run on one topic, down to `depth`."""
    collection.check_topic(topic)
    formula = _sum(metric)
    order = options.order_for(metric.order)
    ranked = collection.with_documents(run, order, options).topics.get(topic, EMPTY)
    rule = metric.rule or options.relevance
    relevance = collection.judgments.relevance(rule)[topic]
    batch = make_batch(collection.judgments, rule, topic, [ranked], efforts=options.efforts)
    ranking = batch.ranking(0)
    shown = min(depth, ranked.length)
    stop, utility_there = best_stop(batch, formula)
    judged_ranks = set(ranked.ranks.tolist())
    open_need = open_needs(metric, ranking, shown)
    return {
        "run": run,
        "topic": topic,
        "metric": metric.name,
        "length": ranked.length,
        "aspects": [{"name": a, "weight": float(w)} for a, w in zip(relevance.aspects, relevance.weights, strict=True)],
        "documents": [
            {
                "rank": i + 1,
                "document": (ranked.documents or ())[i],
                "judged": i + 1 in judged_ranks,
                "relevance": ranking.relevance[i].tolist(),
                "unsatisfied": open_need[i],
            }
            for i in range(shown)
        ],
        "curve": curve(metric, ranking, shown),
        "stop": {
            "rank": int(stop[0]),
            "utility": float(utility_there[0]),
            "utility_of_all": float(metric.score(batch)[0]),
        },
    }


def _sum(metric: Metric) -> Sum:
    total = metric.formula.as_sum
    if total is None or not total.over.per_aspect:
        raise UsageError(
            "metric-needs-effort", f"a walk needs a metric over ranks and aspects, such as RBU or EU, got {metric.name}"
        )
    return total
