"""The playground: a small ranking made by hand, and what every metric says about it, computed by the library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from diveval.errors import DivevalError, UsageError
from diveval.metrics import Metric, Ranking
from diveval.studio import fields
from diveval.studio.limits import Limits
from diveval.studio.walk import DEFAULT, curve, stop_of, unsatisfied

MOST_RANKINGS = 2  # the one at hand and the one it is compared with


def play(body: Mapping[str, Any], known: Callable[[str], Metric], limits: Limits) -> dict[str, Any]:
    """Every metric's value for each ranking given.

    A ranking is rows of relevance (one per document, one number per aspect), weights, and a bench: documents that were
    judged but not returned, which count for ideals only. A metric that cannot be had says why, beside the others.
    """
    fields.only(body, "metrics", "rankings", "walk")
    metrics = [known(name) for name in fields.texts(body, "metrics", most=limits.metrics)]
    walker = known(fields.text(body, "walk") if "walk" in body else DEFAULT)
    rankings = fields.several(body, "rankings", most=MOST_RANKINGS)
    return {"results": [_result(_ranking(given, limits), metrics, walker) for given in rankings]}


def _result(ranking: Ranking, metrics: list[Metric], walker: Metric) -> dict[str, Any]:
    values: dict[str, float | None] = {}
    notes: dict[str, str] = {}
    for metric in metrics:
        try:
            values[metric.name] = float(metric.exact(ranking))
        except (DivevalError, NotImplementedError) as error:
            values[metric.name] = None
            notes[metric.name] = str(error) or "has no value for a ranking made by hand"
    line = curve(walker, ranking, len(ranking))
    return {
        "values": values, "notes": notes, "weights": ranking.weights.tolist(), "walk": walker.name, "curve": line,
        "stop": stop_of(line["utility"]), "unsatisfied": unsatisfied(walker, ranking, len(ranking)),
    }  # fmt: skip


def _ranking(given: Any, limits: Limits) -> Ranking:
    if not isinstance(given, Mapping):
        raise UsageError("a ranking is an object with relevance, weights and bench")
    fields.only(given, "relevance", "weights", "bench")
    weights = [
        fields.number(w, "a weight", low=0, high=1e6) for w in fields.several(given, "weights", most=limits.aspects)
    ]
    total = sum(weights)
    if not total > 0:
        raise UsageError("weights are at least 0, and one of them is above 0")
    rows = _rows(given, "relevance", len(weights), limits)
    bench = _rows({"bench": [], **given}, "bench", len(weights), limits)
    if len(rows) + len(bench) > limits.documents:
        raise UsageError(f"a ranking has at most {limits.documents} documents, those on the bench included")
    # The pool holds judged documents that are relevant to something, as it does for a collection.
    pool = [row for row in [*rows, *bench] if any(row)]
    return Ranking.of(rows, weights=[w / total for w in weights], pool=pool)


def _rows(given: Mapping[str, Any], name: str, width: int, limits: Limits) -> list[list[float]]:
    rows = []
    for row in fields.several(given, name, most=limits.documents):
        if not isinstance(row, list) or len(row) != width:
            raise UsageError(f"{name} has one number for each of the {width} weights in every row")
        rows.append([fields.number(r, "relevance", low=0, high=1) for r in row])
    return rows
