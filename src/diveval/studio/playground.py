"""The playground: a small ranking made by hand, and every metric's value for it.

The ten constraints of the paper (Section 3) are situations: a ranking before, one after, and what the score must do.
Values are small examples chosen so that the premises hold. Both rankings have the same judged documents (those not
returned are on the bench), so that ideals are the same, and the same length unless the constraint is about length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, Literal, TypedDict

from diveval.defaults import RBU
from diveval.errors import DivevalError, UsageError
from diveval.metrics import Metric, Ranking
from diveval.studio.fields import Field, list_of, number, optional, record, text
from diveval.studio.inspector import CurveShape, curve, open_needs, stop_of
from diveval.studio.limits import Limits
from diveval.system.progress import Progress, silent
from diveval.views.walks import too_large

MOST_RANKINGS = 2  # the edited one and the one it is compared with
Rows = tuple[tuple[float, ...], ...]
Wanted = Literal["rises", "falls", "does not rise", "does not fall"]


class HandMadeShape(TypedDict):
    """One row per document, one number per aspect; the bench was judged but not returned."""

    relevance: list[list[float]]
    weights: list[float]
    bench: list[list[float]]


class SituationShape(TypedDict):
    """Two rankings, and what a constraint wants the score to do from the first to the second."""

    key: str
    title: str
    says: str
    why: str
    expected: Wanted
    before: HandMadeShape
    after: HandMadeShape


class PlayedShape(TypedDict):
    """Every metric's value for one ranking, or null and a note why it has none."""

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
    rows = list_of(list_of(number(0, 1), limits.aspects), limits.documents)
    ranking = record(
        {"relevance": rows, "weights": list_of(number(0, 1e6), limits.aspects, 1), "bench": optional(rows, [])},
        "SmallRanking",
        "one row per document, one number per aspect; the bench was judged but not returned",
    )
    return {
        "metrics": list_of(text(), limits.metrics),
        "rankings": list_of(ranking, MOST_RANKINGS),
        "walk": optional(text(), RBU),
    }


def play(body: Mapping[str, Any], find: Callable[[str], Metric], limits: Limits, step: Progress = silent) -> PlayShape:
    """Every metric's value for each ranking given; where a metric has no value, the reason.

    A ranking is rows of relevance (one per document, one number per aspect), weights, and a bench: documents that were
    judged but not returned, which count for ideals only.
    """
    metrics = [find(name) for name in body["metrics"]]
    walker = find(body["walk"])
    return {"results": [_result(_ranking(given, limits), metrics, walker, step) for given in body["rankings"]]}


def _result(ranking: Ranking, metrics: list[Metric], walker: Metric, step: Progress) -> PlayedShape:
    values: dict[str, float | None] = {}
    notes: dict[str, str] = {}
    for done, metric in enumerate(metrics):
        step(metric.name, done, len(metrics))
        try:
            value = float(metric.exact(ranking))
            if not isfinite(value):
                raise too_large()
            values[metric.name] = value
        except OverflowError:
            values[metric.name], notes[metric.name] = None, str(too_large())
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
        "unsatisfied": open_needs(walker, ranking, len(ranking)),
    }


def _ranking(given: Mapping[str, Any], limits: Limits) -> Ranking:
    rows, weights, bench = given["relevance"], given["weights"], given["bench"]
    total = sum(weights)
    if not total > 0:
        raise UsageError("weights-all-zero", "weights are at least 0, and one of them is above 0")
    for name in ("relevance", "bench"):
        if any(len(row) != len(weights) for row in given[name]):
            raise UsageError(
                "wrong-shape", f"{name} has one number for each of the {len(weights)} weights in every row"
            )
    if len(rows) + len(bench) > limits.documents:
        raise UsageError(
            "out-of-range", f"a ranking has at most {limits.documents} documents, those on the bench included"
        )
    # The pool holds judged documents that are relevant to something, as it does for a collection.
    pool = [row for row in [*rows, *bench] if any(row)]
    return Ranking.of(rows, weights=[w / total for w in weights], pool=pool)


# --- the paper's constraints as situations ------------------------------------------------------------------------------


def situation(
    key: str,
    title: str,
    says: str,
    why: str,
    before: Rows,
    after: Rows,
    expected: Wanted = "rises",
    weights: tuple[float, ...] = (1.0,),
    pool: Rows | None = None,
) -> SituationShape:
    """Before and after; `expected` is what the constraint wants the score to do from one to the other.

    What of the judged documents (`pool`; without one, those of both rankings) a ranking does not return is on its bench.
    """
    judged = Counter(before) | Counter(after) if pool is None else Counter(pool)

    def make(rows: Rows) -> HandMadeShape:
        bench = [row for row in (judged - Counter(rows)).elements() if pool is not None or any(row)]
        return {"relevance": [list(r) for r in rows], "weights": list(weights), "bench": [list(r) for r in bench]}

    return {
        "key": key,
        "title": title,
        "says": says,
        "why": why,
        "expected": expected,
        "before": make(before),
        "after": make(after),
    }


def _one(*values: float) -> Rows:
    """A ranking with a single aspect."""
    return tuple((value,) for value in values)


EVEN = (0.5, 0.5)

SITUATIONS = [
    situation(
        "Pri",
        "Priority",
        "Swapping two documents so that the more relevant one comes first raises the score.",
        "A reader meets the better document earlier.",
        _one(0.4, 0.1, 0.3, 0),
        _one(0.4, 0.3, 0.1, 0),
    ),
    situation(
        "Deep",
        "Deepness",
        "The same right swap counts for more near the top than further down.",
        "Before: ranks 5 and 6 were put right. After: ranks 1 and 2 instead.",
        _one(0, 0.2, 0, 0, 0.2, 0),
        _one(0.2, 0, 0, 0, 0, 0.2),
    ),
    situation(
        "DeepTh",
        "Deepness threshold",
        "One relevant document at the top beats n relevant documents behind n others, once n is large enough.",
        "Nobody reads that far. Here n = 6; a more patient metric may need more.",
        _one(*[0.0] * 6, *[0.95] * 6),
        _one(0.95, *[0.0] * 11),
    ),
    situation(
        "CloseTh",
        "Closeness threshold",
        "One relevant document at the top is worse than m relevant documents behind m others, for a small m.",
        "The first few ranks are read anyway: there, how much counts for more than where. Here m = 2.",
        _one(0.2, 0, 0, 0),
        _one(0, 0, 0.2, 0.2),
    ),
    situation(
        "Conf",
        "Confidence",
        "Adding a non-relevant document at the end lowers the score.",
        "It costs a look and gives nothing; a system that knows when to stop deserves credit.",
        _one(0.4, 0.3, 0.2),
        _one(0.4, 0.3, 0.2, 0),
        "falls",
    ),
    situation(
        "AspDiv",
        "Query aspect diversity",
        "A document that is more relevant to every aspect raises the score.",
        "More for the same look: the document at rank 2 says more about both aspects.",
        ((0.3, 0), (0.1, 0.1), (0, 0.2)),
        ((0.3, 0), (0.3, 0.3), (0, 0.2)),
        weights=EVEN,
    ),
    situation(
        "Red",
        "Redundancy",
        "The next document counts for more on the aspect that fewer documents have covered.",
        "Two documents on the first aspect, one on the second: another on the first repeats more.",
        ((0.3, 0), (0.3, 0), (0, 0.3), (0.3, 0)),
        ((0.3, 0), (0.3, 0), (0, 0.3), (0, 0.3)),
        weights=EVEN,
    ),
    situation(
        "MRed",
        "Monotonic redundancy",
        "Where every document above says more about one aspect, the next counts for more on the other.",
        "As redundancy, but grades count: 0.4 against 0.1 leaves less to say than 0.1 against 0.4.",
        ((0.4, 0.1), (0.3, 0.2), (0.2, 0)),
        ((0.4, 0.1), (0.3, 0.2), (0, 0.2)),
        weights=EVEN,
    ),
    situation(
        "Sat",
        "Aspect relevance saturation",
        "Once a document satisfies an aspect in full, another on that aspect does not raise the score.",
        "The need is met; the rest is reading without gain.",
        ((0, 0.5), (1, 0)),
        ((0, 0.5), (1, 0), (0.7, 0)),
        "does not rise",
        EVEN,
    ),
    situation(
        "AspRel",
        "Aspect relevance",
        "On aspects not yet covered, a document on the weightier one counts for more.",
        "Most people who ask mean the second aspect here.",
        ((0, 0, 0.2), (0.5, 0, 0)),
        ((0, 0, 0.2), (0, 0.5, 0)),
        weights=(0.2, 0.6, 0.2),
    ),
]
