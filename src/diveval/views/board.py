"""Data for the leaderboard, the topics and the view on metrics.

Leaderboard and topics: means, intervals, letters, every topic's values, and what is missing. Metrics: do they agree, does
each agree where all others agree, what can each tell apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from diveval.collection.rankings import Rankings
from diveval.defaults import QUICK_RESAMPLES
from diveval.errors import count_of
from diveval.meta import Agreement, Discriminative, Unanimity, agreement, unanimity
from diveval.meta.discriminative import decide_pairs
from diveval.meta.unanimity import UnanimityGroup
from diveval.results.scores import Scores
from diveval.stats import compare, interval, letters
from diveval.stats.comparison import are_readable
from diveval.stats.pairwise import DEFAULT
from diveval.stats.ranks import rank_sets
from diveval.stats.tests import Significance, describe_test
from diveval.stats.ties import rank_means
from diveval.system.progress import Progress, silent
from diveval.views.shared import attempt, testable

# --- leaderboard and topics -----------------------------------------------------------------------------------------


def leaderboard(scores: Scores, power: Discriminative | None, how: Significance = DEFAULT) -> dict[str, Any]:
    """Per metric: the mean of each run, its interval, its letters, its possible ranks, and which pairs do not differ.

    Letters, ranks and pairs are decided as in `compare`, over all pairs of the metric.
    """
    means = scores.means
    columns, notes = [], []
    for m, name in enumerate(scores.metrics):
        ends, warned = attempt(lambda name=name: interval(scores, name, confidence=how.confidence))  # type: ignore[misc]
        notes += warned
        columns.append(
            {
                "metric": name,
                "confidence": how.confidence,
                "best": scores.best[m],
                "mean": [plain(mean) for mean in means[:, m]],
                "low": [None] * len(scores.runs) if ends is None else [row.low for row in ends.rows],
                "high": [None] * len(scores.runs) if ends is None else [row.high for row in ends.rows],
                **_test(scores, m, power),
            }
        )
    if power is not None and power.rows:
        # The same test on the first metric, for its warnings about too few topics or runs.
        first = power.rows[0].metric
        notes += attempt(lambda: compare(scores, first, **asdict(how)))[1]
    unlettered = [column["metric"] for column in columns if column["alike"] is not None and column["letters"] is None]
    if unlettered:
        notes.append(
            f"no letters for {', '.join(unlettered)}: there are more groups of systems than letters; choose a system to"
            " see which ones are not significantly different from it"
        )
    test = None if power is None else {"name": power.method, "words": describe_test(power.setup), "alpha": power.alpha}
    return {"confidence": how.confidence, "columns": columns, "test": test, "notes": list(dict.fromkeys(notes))}


def _test(scores: Scores, m: int, power: Discriminative | None) -> dict[str, Any]:
    """Letters and possible ranks by run, and by run the runs that are not significantly different from it."""
    tested = [] if power is None else [row.metric for row in power.rows]
    if power is None or scores.metrics[m] not in tested:
        return {"letters": None, "alike": None, "ranks": None}
    levels = power.asl[tested.index(scores.metrics[m])]
    number = {run: r for r, run in enumerate(scores.runs)}
    place = {r: i for i, r in enumerate(best_first(scores, m))}
    pairs = [(number[a], number[b]) for a, b in power.pairs]
    told = power.directions[tested.index(scores.metrics[m])] if power.directions else [0] * len(pairs)
    lower = [way * scores.signs[m] < 0 if way else place[a] > place[b] for (a, b), way in zip(pairs, told, strict=True)]
    differ = [
        (place[b], place[a]) if turned else (place[a], place[b])
        for (a, b), level, turned in zip(pairs, levels, lower, strict=True)
        if level < power.alpha
    ]
    different = [(min(pair), max(pair)) for pair in differ]
    signs = letters(len(scores.runs), different)
    alike: list[list[int]] = [[] for _ in scores.runs]
    for (a, b), level in zip(pairs, levels, strict=True):
        if level >= power.alpha:
            alike[a].append(b)
            alike[b].append(a)
    shown = [signs[place[r]] for r in range(len(scores.runs))] if signs is not None and are_readable(signs) else None
    ranks = rank_sets(len(scores.runs), differ)
    return {"letters": shown, "alike": alike, "ranks": [list(ranks[place[r]]) for r in range(len(scores.runs))]}


def best_first(scores: Scores, m: int) -> list[int]:
    """The runs by their mean of one metric from the best, ties by name."""
    ranks = rank_means(scores, m)
    return sorted(range(len(scores.runs)), key=lambda r: (-ranks[r], scores.runs[r]))


def share_first(scores: Scores, m: int) -> list[int]:
    """The runs with the best mean of one metric, by name: several where it is the same within rounding."""
    ranks = rank_means(scores, m)
    return [r for r in best_first(scores, m) if ranks[r] == ranks.max()]


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


def plain(value: float, digits: int | None = None) -> float | None:
    """A number for JSON; None for one that is not finite."""
    number = float(value)
    if not math.isfinite(number):
        return None
    return number if digits is None else round(number, digits)


# --- metrics --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MetricQuality:
    """How good the metrics are; a measure is None where it cannot be computed, and the notes say why."""

    agreement: Agreement | None
    unanimity: Unanimity | None
    power: Discriminative | None
    notes: tuple[str, ...]
    how: Significance = DEFAULT

    @classmethod
    def of(cls, scores: Scores, step: Progress = silent, how: Significance = DEFAULT) -> MetricQuality:
        """Compute all three; `step` is called with the progress, and may end the work by raising."""
        finite = testable(scores)
        step("agreement", 0, 3)
        alike, first = attempt(lambda: agreement(finite))
        step("unanimity", 1, 3)
        agreed, second = attempt(lambda: unanimity(finite, bootstrap=QUICK_RESAMPLES))
        step("comparing every pair of systems", 2, 3)
        power, third = attempt(lambda: decide_pairs(finite, how))
        lost = len(scores.metrics) - len(finite.metrics)
        notes = [*first, *second, *third]
        if lost:
            left_out = count_of(lost, "metric is", "metrics are")
            notes.insert(0, f"{left_out} left out here: undefined on a topic by their tool's own rule")
        return cls(alike, agreed, power, tuple(dict.fromkeys(notes)), how)

    def tables(self) -> dict[str, Any]:
        """As plain data."""
        alike, agreed, power = self.agreement, self.unanimity, self.power
        groups = [] if agreed is None else agreed.grouped(best=False)
        return {
            "agreement": None
            if alike is None
            else {
                "metrics": list(alike.metrics),
                "matrix": [list(row) for row in alike.matrix],
                "order": list(alike.order),
            },
            "unanimity": [{"label": _name(g), "mu": g.mu, "low": g.low, "high": g.high} for g in groups],
            "power": None if power is None else _power(power),
            "notes": list(self.notes),
        }


def _name(group: UnanimityGroup) -> str:
    """One metric under its own name, as everywhere on the page; several under what they share."""
    return group.metrics[0] if len(group.metrics) == 1 else group.label


def _power(power: Discriminative) -> dict[str, Any]:
    """Per metric how many pairs differ, most first."""
    rows: list[dict[str, Any]] = [
        {"metric": row.metric, "significant": row.significant, "pairs": row.pairs, "required": row.required}
        for row in power.rows
    ]
    rows.sort(key=lambda row: (-row["significant"], row["metric"]))
    return {"alpha": power.alpha, "test": describe_test(power.setup), "rows": rows}
