"""Titles of the views that state what is found, each from numbers that the view shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from diveval.errors import count_of
from diveval.metrics.names import labels
from diveval.results.scores import Scores
from diveval.stats.ties import noise_of
from diveval.views.board import MetricQuality, best_first


def find_titles(scores: Scores, judged: MetricQuality, data: Mapping[str, Any]) -> dict[str, str]:
    """By view, a title that states its finding; a view without one keeps its name."""
    short = dict(zip(scores.metrics, labels(scores.metrics), strict=True))
    found = {
        "leaderboard": _leader(scores, data, short),
        "bump": _disagreement(scores, judged, short),
        "conclusions": count_certain(data.get("conclusions")),
        "topics": _topic(scores, short),
        "metrics": _power(judged, short),
        "axioms": _title_of_verdict(data.get("verdict")),
    }
    return {view: title for view, title in found.items() if title}


def _leader(scores: Scores, data: Mapping[str, Any], short: Mapping[str, str]) -> str:
    """Who is first by the first metric, and how many are not significantly behind."""
    if len(scores.runs) < 2:
        return ""
    metric, best = scores.metrics[0], best_first(scores, 0)[0]
    alike = next(column["alike"] for column in data["leaderboard"]["columns"] if column["metric"] == metric)
    first = f"{scores.runs[best]} has the best mean {short[metric]}"
    if alike is None:
        return first
    behind = len(alike[best])
    verb = "is" if behind == 1 else "are"
    return f"{first}; {behind} of {len(scores.runs) - 1} others {verb} not significantly behind"


def disagreeing_pairs(scores: Scores, one: str, two: str) -> int:
    """How many pairs of systems two metrics order in opposite ways by their means, noise aside."""
    signs = []
    for m in (scores.metric_index(name) for name in (one, two)):
        means = scores.means[:, m] * scores.signs[m]
        gaps = means[:, None] - means[None, :]
        signs.append(np.where(abs(gaps) > float(np.max(noise_of(means, axis=0))), np.sign(gaps), 0))
    return int((signs[0] * signs[1] < 0).sum()) // 2


def _disagreement(scores: Scores, judged: MetricQuality, short: Mapping[str, str]) -> str:
    """The two metrics that order most pairs of systems in opposite ways."""
    tested = [] if judged.agreement is None else list(judged.agreement.metrics)
    pairs = [(a, b) for i, a in enumerate(tested) for b in tested[i + 1 :]]
    if not pairs:
        return ""
    counts = {pair: disagreeing_pairs(scores, *pair) for pair in pairs}
    (one, two), most = max(counts.items(), key=lambda item: item[1])
    total = len(scores.runs) * (len(scores.runs) - 1) // 2
    if most == 0:
        return f"No two metrics disagree about the order of two systems ({count_of(total, 'pair')})"
    return f"{short[one]} and {short[two]} disagree on {most} of {count_of(total, 'pair')}"


def count_certain(conclusions: Mapping[str, Any] | None) -> str:
    """How many conclusions hold for every setting in doubt."""
    if not conclusions or "rows" not in conclusions:
        return ""
    pairs = len(conclusions["rows"])
    verb = "holds" if conclusions["certain"] == 1 else "hold"
    return f"{conclusions['certain']} of {count_of(pairs, 'conclusion')} {verb} for every setting in doubt"


def _topic(scores: Scores, short: Mapping[str, str]) -> str:
    """The topic whose values of the first metric differ most between systems."""
    if len(scores.runs) < 2 or len(scores.topics) < 2:
        return ""
    spread = np.where(scores.counted[:, 0].all(axis=0), scores.values[:, 0].std(axis=0), -1.0)
    spread = np.where(np.isfinite(spread), spread, -1.0)
    return f"Topic {scores.topics[int(spread.argmax())]} separates the systems most by {short[scores.metrics[0]]}"


def _power(judged: MetricQuality, short: Mapping[str, str]) -> str:
    if judged.power is None:
        return ""
    most = max(judged.power.rows, key=lambda row: row.significant)
    if most.significant == 0:
        return f"No metric tells any of {count_of(most.pairs, 'pair')} of systems apart"
    return f"{short[most.metric]} tells most systems apart: {most.significant} of {count_of(most.pairs, 'pair')}"


def _title_of_verdict(verdict: Mapping[str, Any] | None) -> str:
    if not verdict:
        return ""
    every: Sequence[Mapping[str, Any]] = verdict["rows"]
    best, worst = every[0], min(every, key=lambda row: row["satisfied"] or 0)
    if best["satisfied"] == worst["satisfied"]:
        return ""
    of = len(verdict["axioms"])
    return f"{best['label']} satisfies {best['satisfied']} of {of} constraints, {worst['label']} {worst['satisfied']}"
