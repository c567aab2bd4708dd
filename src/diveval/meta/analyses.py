"""Every meta-evaluation of a set of metrics on one collection, each with its picture: what `diveval meta` writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from diveval.collection.scenarios import flip, rejudge, thin
from diveval.defaults import RBU
from diveval.meta import (
    agreement,
    concordance,
    discriminative,
    plots,
    prediction,
    rescore_levels,
    robustness,
    sensitivity,
    strictness,
    unanimity,
)
from diveval.meta.correlation import METHODS
from diveval.meta.discriminative import MEASURES
from diveval.metrics.metric import Metric
from diveval.metrics.names import as_metrics
from diveval.results.protocol import Result
from diveval.results.scores import Scores
from diveval.scoring.scorer import score
from diveval.scoring.study import Evaluation
from diveval.stats.tests import describe_test

GRID_PATIENCE = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
GRID_EFFORT = (0, 0.001, 0.01, 0.05, 0.1, 0.5)
DIVERSITY_GOLD, RELEVANCE_GOLD = "StRecall@20", "P@20"
LEVELS = (0.1, 0.3, 0.5, 0.7)
REPEATS = 5


@dataclass(frozen=True)
class Analysis:
    """One result: the name of its files, what it answers, and its pictures by the name of their file."""

    name: str
    question: str
    result: Result
    charts: dict[str, Any]


def extra_metrics() -> list[Metric]:
    """What some analyses score beside the metrics asked for: rankings must be made for their orders too."""
    return as_metrics([*_grid(), DIVERSITY_GOLD, RELEVANCE_GOLD])


def _draw(name: str, question: str, result: Result, chart: Callable[[Any], Any]) -> Analysis:
    """A result with one picture, under one name."""
    return Analysis(name, question, result, {name: chart(result)})


def _unanimity(study: Evaluation, resamples: int, seed: int) -> Iterator[Analysis]:
    result = unanimity(study.scores, bootstrap=resamples, seed=seed)
    question = "Does a metric agree when all others agree that one output is better?"
    yield _draw("unanimity", question, result, plots.unanimity_chart)


def _discriminative(study: Evaluation, resamples: int, seed: int) -> Iterator[Analysis]:
    for method in MEASURES:
        result = discriminative(study.scores, method=method, resamples=resamples, seed=seed)
        question = f"How many pairs of systems can a metric tell apart ({describe_test(result.setup)})?"
        yield _draw(f"discriminative-{method}", question, result, plots.discriminative_chart)


def _agreement(study: Evaluation, resamples: int, seed: int) -> Iterator[Analysis]:
    for method in METHODS:
        result = agreement(study.scores, method=method)
        question = f"Do two metrics rank the systems alike ({method})?"
        yield _draw(f"agreement-{method}", question, result, plots.agreement_chart)


def _strictness(study: Evaluation, resamples: int, seed: int) -> Iterator[Analysis]:
    result = strictness(study.scores)
    question = "Does a high score from a metric ensure a high score from the others?"
    yield _draw("strictness", question, result, plots.strictness_chart)


def _concordance(study: Evaluation, resamples: int, seed: int) -> Iterator[Analysis]:
    both = [DIVERSITY_GOLD, RELEVANCE_GOLD]
    golds = {"diversity": [DIVERSITY_GOLD], "relevance": [RELEVANCE_GOLD], "both": both}
    scores = study.score(as_metrics([*study.metrics, *both]))
    compared = [name for name in scores.metrics if name not in both]
    for kind, gold in golds.items():
        result = concordance(scores, gold=gold, metrics=compared)
        question = f"Where two metrics disagree, which sides with {' and '.join(gold)}?"
        yield _draw(f"concordance-{kind}", question, result, plots.concordance_chart)


def _sensitivity(study: Evaluation, resamples: int, seed: int) -> Iterator[Analysis]:
    result = sensitivity(study.score(as_metrics(_grid())), reference=RBU)
    charts = {"sensitivity": plots.sensitivity_chart(result), "sensitivity-ranks": plots.rank_range_chart(result)}
    question = f"How much do p and e of RBU change the order of the systems, against {RBU}?"
    yield Analysis("sensitivity", question, result, charts)


def _robustness(study: Evaluation, resamples: int, seed: int) -> Iterator[Analysis]:
    # The highest grade of the whole file sets the scale: it must not change because a judgment was lost.
    rule = study.options.relevance
    fixed = study.judgments.highest if rule.gmax == "file" and study.judgments.highest > 0 else rule.gmax
    options = replace(study.options, relevance=replace(rule, gmax=fixed))

    def wrong(seed: int, share: float) -> Scores:
        return score(flip(study.judgments, share, seed), study.rankings, study.metrics, options)

    def incomplete(seed: int, share: float) -> Scores:
        left = thin(study.judgments, share, seed)
        rankings = {order: rejudge(runs, study.judgments, left) for order, runs in study.rankings.items()}
        return score(left, rankings, study.metrics, options)

    seeds = range(seed, seed + REPEATS)
    for kind, rescore in (("wrong", wrong), ("incomplete", incomplete)):
        result = robustness(study.scores, rescore_levels(rescore, levels=LEVELS, seeds=seeds))
        question = f"Does the order of the systems survive {kind} judgments?"
        yield _draw(f"robustness-{kind}", question, result, plots.robustness_chart)


def predicting(answers: Scores, study: Evaluation, resamples: int, seed: int) -> Iterator[Analysis]:
    """Metrics of the contexts against scores of the answers that the same systems made from them."""
    result = prediction(study.scores, answers, resamples=resamples, seed=seed)
    question = "Does a metric of contexts rank the systems as the metrics of their answers do?"
    yield _draw("prediction", question, result, plots.prediction_chart)


def _grid() -> list[str]:
    return [f"RBU(p={p},e={e})" for p in GRID_PATIENCE for e in GRID_EFFORT]


# Each takes the evaluation, how many resamples it draws, and the seed.
Analyse = Callable[[Evaluation, int, int], Iterator[Analysis]]
ANALYSES: dict[str, Analyse] = {
    "unanimity": _unanimity,
    "discriminative": _discriminative,
    "agreement": _agreement,
    "sensitivity": _sensitivity,
    "robustness": _robustness,
    "strictness": _strictness,
    "concordance": _concordance,
}
