"""Data for the leaderboard and the topics: means, intervals, letters, every topic's values, and what is missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from diveval.meta.discriminative import Discriminative
from diveval.rankings import Rankings
from diveval.scores import Scores
from diveval.stats import Intervals, compare, interval, letters
from diveval.views.study import attempt

CONFIDENCE = 0.95


def leaderboard(scores: Scores, power: Discriminative | None) -> dict[str, Any]:
    """Per metric: the mean of each run, its interval, its letters, and which pairs are not significantly different.

    Letters and pairs come from Tukey's HSD (`meta.discriminative`), which holds for all pairs at once.
    """
    means = scores.means
    columns, notes = [], []
    for m, name in enumerate(scores.metrics):
        ends, warned = attempt(lambda name=name: interval(scores, name, confidence=CONFIDENCE))  # type: ignore[misc]
        notes += warned
        column = [plain(mean) for mean in means[:, m]]
        columns.append(
            {
                "metric": name,
                "best": scores.best[m],
                "mean": column,
                **_ends(ends, len(scores.runs)),
                **_tested(scores, m, power),
            }
        )
    if power is not None:
        # The same test on the first metric, for its warnings about how well the data can carry it.
        first = power.rows[0].metric
        notes += attempt(lambda: compare(scores, first, test="tukey", resamples=power.resamples, seed=power.seed))[1]
    unlettered = [column["metric"] for column in columns if column["alike"] is not None and column["letters"] is None]
    if unlettered:
        notes.append(
            f"no letters for {', '.join(unlettered)}: there are more groups of systems than letters; choose a system to"
            " see which ones are not significantly different from it"
        )
    test = None if power is None else {"resamples": power.resamples, "seed": power.seed, "alpha": power.alpha}
    return {"confidence": CONFIDENCE, "columns": columns, "test": test, "notes": list(dict.fromkeys(notes))}


def _ends(ends: Intervals | None, runs: int) -> dict[str, list[float | None]]:
    if ends is None:
        return {"low": [None] * runs, "high": [None] * runs}
    return {"low": [row.low for row in ends.rows], "high": [row.high for row in ends.rows]}


def _tested(scores: Scores, m: int, power: Discriminative | None) -> dict[str, Any]:
    """Letters by run, and by run the runs it cannot be told from."""
    tested = [] if power is None else [row.metric for row in power.rows]
    if power is None or scores.metrics[m] not in tested:
        return {"letters": None, "alike": None}
    levels = power.asl[tested.index(scores.metrics[m])]
    number = {run: r for r, run in enumerate(scores.runs)}
    place = {r: i for i, r in enumerate(best_first(scores, m))}
    pairs = [(number[a], number[b]) for a, b in power.pairs]
    different = [
        (min(place[a], place[b]), max(place[a], place[b]))
        for (a, b), level in zip(pairs, levels, strict=True)
        if level < power.alpha
    ]
    signs = letters(len(scores.runs), different)
    alike: list[list[int]] = [[] for _ in scores.runs]
    for (a, b), level in zip(pairs, levels, strict=True):
        if level >= power.alpha:
            alike[a].append(b)
            alike[b].append(a)
    shown = None if signs is None else [signs[place[r]] for r in range(len(scores.runs))]
    return {"letters": shown, "alike": alike}


def best_first(scores: Scores, m: int) -> list[int]:
    """The runs by their mean of one metric from the best, ties by name."""
    means = scores.means[:, m] * scores.signs[m]
    return sorted(range(len(scores.runs)), key=lambda r: (-means[r], scores.runs[r]))


def topic_values(scores: Scores) -> list[list[list[float | None]]]:
    """`values[metric][run][topic]`, null where a topic does not count."""
    return [
        [
            [plain(v, 6) if counts else None for v, counts in zip(row, mask, strict=True)]
            for row, mask in zip(scores.values[:, m].tolist(), scores.counted[:, m].tolist(), strict=True)
        ]
        for m in range(len(scores.metrics))
    ]


def absent(runs: Sequence[Rankings], topics: Sequence[str]) -> dict[str, list[str]]:
    """By run, the judged topics it returned nothing for; runs that lack none are left out."""
    lacking = {run.name: [topic for topic in topics if topic not in run.topics] for run in runs}
    return {run: missing for run, missing in lacking.items() if missing}


def unjudged(runs: Sequence[Rankings], topics: Sequence[str], depth: int = 20) -> list[float]:
    """By run, the share of the documents down to `depth` that nobody judged, over all topics it has."""
    out = []
    for run in runs:
        listed = [ranking for topic in topics if (ranking := run.topics.get(topic)) is not None]
        seen = sum(min(ranking.length, depth) for ranking in listed)
        known = sum(int((ranking.ranks <= depth).sum()) for ranking in listed)
        out.append(1.0 - known / seen if seen else 0.0)
    return out


def plain(value: float, digits: int | None = None) -> float | None:
    """A number JSON knows; None for what is not finite."""
    number = float(value)
    if not math.isfinite(number):
        return None
    return number if digits is None else round(number, digits)
