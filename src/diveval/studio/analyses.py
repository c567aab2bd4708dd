"""What the views show beyond plain scores, computed as the report computes it, with progress and a place to stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from diveval.conclusions.collection import Order
from diveval.conclusions.ranges import ranged
from diveval.metrics import Metric
from diveval.options import Options
from diveval.studio.collection import LoadedCollection
from diveval.studio.work import Step
from diveval.views.board import absent, leaderboard, unjudged
from diveval.views.headline import headline
from diveval.views.judging import MetricQuality
from diveval.views.occurrences import occurrences
from diveval.views.parameters import parameters
from diveval.views.survival import Doubts, survival

# How the weights of aspects are put in doubt, by the word of a request.
WEIGHTS: dict[str, Order | None] = {"as given": None, "in their order": "given", "any": "any"}
HIGHEST = {"p": 0.999, "e": 1.0}  # ends of the ranges that parameters may be put in doubt over


def sure(collection: LoadedCollection, metric: Metric, options: Options, step: Step) -> dict[str, Any]:
    """One metric by run: mean, 95 % interval, letters, and the runs that are not significantly different."""
    from diveval.meta import discriminative
    from diveval.views.judging import RESAMPLES
    from diveval.views.study import attempt, testable

    step(0, 2, "scores")
    scores = collection.scores([metric], options)
    step(1, 2, "comparing every pair of systems")
    power, notes = attempt(lambda: discriminative(testable(scores), resamples=RESAMPLES))
    board = leaderboard(scores, power)
    return {**board["columns"][0], "test": board["test"], "notes": list(dict.fromkeys([*notes, *board["notes"]]))}


def judged(collection: LoadedCollection, metrics: Sequence[Metric], options: Options, step: Step) -> dict[str, Any]:
    """The metrics together: agreement, unanimity, power; the headline; every column's intervals and letters."""
    scores = collection.scores(metrics, options, step)
    found = MetricQuality.of(scores, step)
    runs = collection.any_rankings
    missing, share = absent(runs, scores.topics), unjudged(runs, scores.topics)
    return {
        **found.tables(),
        "headline": headline(scores, found, missing, share),
        "leaderboard": leaderboard(scores, found.power),
    }


def occurring(collection: LoadedCollection, metrics: Sequence[Metric], options: Options, step: Step) -> dict[str, Any]:
    """How often each axiom's failure occurs in the collection's rankings."""
    step(0, 1, "looking for the axioms' situations in the rankings")
    rankings = collection.rankings(metrics, options, step)
    counts, notes = occurrences(collection.judgments, rankings, metrics, options, most=None)
    return {"violations": counts, "notes": notes}


def over_parameters(
    collection: LoadedCollection, metric: Metric, options: Options, body: Mapping[str, Any], step: Step
) -> dict[str, Any]:
    """The map over p and e, and the table of a few settings."""
    return parameters(metric, lambda metrics: collection.scores(metrics, options), step)


def surviving(
    collection: LoadedCollection, metric: Metric, options: Options, body: Mapping[str, Any], step: Step
) -> dict[str, Any]:
    """Which conclusions hold over ranges of p and e, and over weights if asked."""
    ends = {name: body[name] for name in HIGHEST if body[name] is not None}
    usual = Doubts.usual(metric, collection.judgments, **ends)
    asked = usual if body["weights"] is None else replace(usual, weights=WEIGHTS[body["weights"]])
    ranked = collection.rankings([ranged(asked.metric).metric], options, step)
    return survival(collection.judgments, ranked, options, asked, step)
