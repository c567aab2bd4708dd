"""The playground: a small ranking made by hand, and what every metric says about it, computed by the library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from diveval.errors import DivevalError, UsageError
from diveval.metrics import Metric, Ranking
from diveval.studio.fields import Field, Listed, Optional, Record, number, text
from diveval.studio.limits import Limits
from diveval.studio.walk import DEFAULT, CurveShape, curve, stop_of, unsatisfied
from diveval.studio.work import Step, no_step

MOST_RANKINGS = 2  # the one at hand and the one it is compared with


class PlayedShape(TypedDict):
    """What every metric says about one ranking: its value, or null and a note why it has none."""

    values: dict[str, float | None]
    notes: dict[str, str]
    weights: list[float]
    walk: str
    curve: CurveShape
    stop: int
    unsatisfied: list[list[float]]


class PlayShape(TypedDict):
    """A result for each ranking."""

    results: list[PlayedShape]


def request(limits: Limits) -> dict[str, Field]:
    """The fields of a request: metrics, rankings, and the metric whose curve is drawn."""
    rows = Listed(Listed(number(0, 1), limits.aspects), limits.documents)
    ranking = Record(
        {"relevance": rows, "weights": Listed(number(0, 1e6), limits.aspects, 1), "bench": Optional(rows, [])},
        "SmallRanking",
        "one row per document, one number per aspect; the bench was judged but not returned",
    )
    return {
        "metrics": Listed(text(), limits.metrics),
        "rankings": Listed(ranking, MOST_RANKINGS),
        "walk": Optional(text(), DEFAULT),
    }


def play(body: Mapping[str, Any], known: Callable[[str], Metric], limits: Limits, step: Step = no_step) -> PlayShape:
    """Every metric's value for each ranking given.

    A ranking is rows of relevance (one per document, one number per aspect), weights, and a bench: documents that were
    judged but not returned, which count for ideals only. A metric that cannot be had says why, beside the others.
    """
    metrics = [known(name) for name in body["metrics"]]
    walker = known(body["walk"])
    return {"results": [_result(_ranking(given, limits), metrics, walker, step) for given in body["rankings"]]}


def _result(ranking: Ranking, metrics: list[Metric], walker: Metric, step: Step) -> PlayedShape:
    values: dict[str, float | None] = {}
    notes: dict[str, str] = {}
    for done, metric in enumerate(metrics):
        step(done, len(metrics), metric.name)
        try:
            values[metric.name] = float(metric.exact(ranking))
        except (DivevalError, NotImplementedError) as error:
            values[metric.name] = None
            notes[metric.name] = str(error) or "has no value for a ranking made by hand"
    line = curve(walker, ranking, len(ranking))
    return {
        "values": values,
        "notes": notes,
        "weights": ranking.weights.tolist(),
        "walk": walker.name,
        "curve": line,
        "stop": stop_of(line["utility"]),
        "unsatisfied": unsatisfied(walker, ranking, len(ranking)),
    }


def _ranking(given: Mapping[str, Any], limits: Limits) -> Ranking:
    rows, weights, bench = given["relevance"], given["weights"], given["bench"]
    total = sum(weights)
    if not total > 0:
        raise UsageError("weights are at least 0, and one of them is above 0")
    for name in ("relevance", "bench"):
        if any(len(row) != len(weights) for row in given[name]):
            raise UsageError(f"{name} has one number for each of the {len(weights)} weights in every row")
    if len(rows) + len(bench) > limits.documents:
        raise UsageError(f"a ranking has at most {limits.documents} documents, those on the bench included")
    # The pool holds judged documents that are relevant to something, as it does for a collection.
    pool = [row for row in [*rows, *bench] if any(row)]
    return Ranking.of(rows, weights=[w / total for w in weights], pool=pool)
