"""Data for the leaderboard and the topics picture: means, intervals, letters, and every topic's values."""

from __future__ import annotations

import math
from typing import Any

from diveval.meta.discriminative import Discriminative
from diveval.report.study import Study, attempt
from diveval.scores import Scores
from diveval.stats import Intervals, compare, interval, letters

CONFIDENCE = 0.95


def leaderboard(study: Study, power: Discriminative | None) -> dict[str, Any]:
    """Per metric: the mean of each run, its interval, its letters, and which pairs are not significantly different.

    Letters and pairs come from Tukey's HSD (`meta.discriminative`), which holds for all pairs at once.
    """
    scores = study.scores
    means = scores.means
    columns, notes = [], []
    for m, name in enumerate(scores.metrics):
        ends, said = attempt(lambda name=name: interval(scores, name, confidence=CONFIDENCE))  # type: ignore[misc]
        notes += said
        column = [plain(mean) for mean in means[:, m]]
        columns.append({"metric": name, "mean": column, **_ends(ends, len(scores.runs)), **_told(scores, m, power)})
    if power is not None:
        # The same test on the first metric, for what it says of how well the data can carry it.
        first = power.rows[0].metric
        notes += attempt(lambda: compare(scores, first, test="tukey", resamples=power.resamples, seed=power.seed))[1]
    test = None if power is None else {"resamples": power.resamples, "seed": power.seed, "alpha": power.alpha}
    return {"confidence": CONFIDENCE, "columns": columns, "test": test, "notes": list(dict.fromkeys(notes))}


def _ends(ends: Intervals | None, runs: int) -> dict[str, list[float | None]]:
    if ends is None:
        return {"low": [None] * runs, "high": [None] * runs}
    return {"low": [row.low for row in ends.rows], "high": [row.high for row in ends.rows]}


def _told(scores: Scores, m: int, power: Discriminative | None) -> dict[str, Any]:
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
    """The runs by their mean of one metric, ties by name."""
    means = scores.means[:, m]
    return sorted(range(len(scores.runs)), key=lambda r: (-means[r], scores.runs[r]))


def topic_values(study: Study, *, most: int) -> dict[str, Any]:
    """`values[metric][run][topic]`, null where a topic does not count; beyond `most` values metrics are left out."""
    scores = study.scores
    per_metric = max(len(scores.runs) * len(scores.topics), 1)
    kept = max(1, min(len(scores.metrics), most // per_metric))
    values = [
        [
            [plain(v, 6) if counts else None for v, counts in zip(row, mask, strict=True)]
            for row, mask in zip(scores.values[:, m].tolist(), scores.counted[:, m].tolist(), strict=True)
        ]
        for m in range(kept)
    ]
    note = None
    if kept < len(scores.metrics):
        note = f"To keep this file small, topics are shown for the first {kept} of {len(scores.metrics)} metrics."
    return {"values": values, "note": note}


def plain(value: float, digits: int | None = None) -> float | None:
    """A number JSON knows; None for what is not finite."""
    number = float(value)
    if not math.isfinite(number):
        return None
    return number if digits is None else round(number, digits)
