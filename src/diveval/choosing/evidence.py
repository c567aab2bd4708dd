"""Evidence for the choice of metrics: grades and weights in the judgments, and how the metrics behave on the runs.

The most important part is which pairs of systems all metrics order alike, and which depend on the choice of metric.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from diveval.errors import UsageError, few
from diveval.judgments import Judgments
from diveval.meta.discriminative import discriminative
from diveval.meta.unanimity import unanimity
from diveval.metrics.metric import Metric
from diveval.options import Options
from diveval.scores import Scores
from diveval.scoring import RankingsByOrder, score
from diveval.stats.ties import noise_of
from diveval.violations import SITUATIONS, find_violations

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Conflict:
    """Two runs and two metrics that order them differently, with the topic in which they differ most.

    `first` is a metric that prefers `run`, `second` one that prefers `other`; their values on the topic are of `run`
    and of `other`.
    """

    run: str
    other: str
    prefers_run: tuple[str, ...]
    prefers_other: tuple[str, ...]
    topic: str
    first: str
    first_values: tuple[float, float]
    second: str
    second_values: tuple[float, float]


@dataclass(frozen=True)
class OrderedPairs:
    """How many pairs of runs there are, how many every metric orders alike, and the pairs that depend on the choice."""

    pairs: int
    agreed: int
    conflicts: tuple[Conflict, ...]


def agreement(scores: Scores, metrics: Sequence[str]) -> OrderedPairs:
    """Compare the order of the means under each metric; the conflict that divides them most evenly comes first."""
    table = scores.select(metrics=list(metrics))
    means, noise = table.means, noise_of(table.means, axis=0)
    conflicts, agreed, pairs = [], 0, 0
    for a, b in combinations(range(len(table.runs)), 2):
        pairs += 1
        difference = means[a] - means[b]
        up, down = np.flatnonzero(difference > noise), np.flatnonzero(difference < -noise)
        if len(up) and len(down):
            conflicts.append(_conflict(table, a, b, up, down))
        else:
            agreed += 1
    conflicts.sort(key=lambda c: (-min(len(c.prefers_run), len(c.prefers_other)), c.run, c.other))
    return OrderedPairs(pairs, agreed, tuple(conflicts))


def _conflict(table: Scores, a: int, b: int, up: NDArray[np.intp], down: NDArray[np.intp]) -> Conflict:
    """The topic is one in which the two metrics disagree as well, as far as possible, in standard deviations."""
    differences = table.values[a] - table.values[b]
    spread = differences.std(axis=1, keepdims=True)
    standard = np.divide(differences, spread, out=np.zeros_like(differences), where=spread > 0)
    first, second = int(up[0]), int(down[0])
    topic = int(np.minimum(standard[first], -standard[second]).argmax())
    names = table.metrics
    return Conflict(
        table.runs[a],
        table.runs[b],
        tuple(names[m] for m in up),
        tuple(names[m] for m in down),
        table.topics[topic],
        names[first],
        (float(table.values[a, first, topic]), float(table.values[b, first, topic])),
        names[second],
        (float(table.values[a, second, topic]), float(table.values[b, second, topic])),
    )


def needs_shown(judgments: Judgments) -> list[str]:
    """Needs that follow from the judgments."""
    shown = {"grades": len(_grades(judgments)) > 1, "weights": _weighted(judgments)}
    return [word for word, yes in shown.items() if yes]


def _grades(judgments: Judgments) -> list[float]:
    return sorted({float(g) for topic in judgments.topics.values() for g in np.unique(topic.grades) if g > 0})


def _weighted(judgments: Judgments) -> bool:
    """Whether the aspects of some topic have different weights."""
    by_topic: dict[str, set[float]] = {}
    for (topic, _), weight in judgments.aspect_weights().items():
        by_topic.setdefault(topic, set()).add(round(weight, 12))
    return any(len(weights) > 1 for weights in by_topic.values())


def observe(judgments: Judgments, rankings: RankingsByOrder) -> list[str]:
    """What the data shows, in words: grades, weights, lengths of lists, runs that lack topics."""
    first = next(iter(rankings.values()))
    lengths = [[run.topics[topic].length for run in first if topic in run.topics] for topic in judgments.topics]
    differ = np.mean([len(set(own)) > 1 for own in lengths if own]) if lengths else 0.0
    grades = _grades(judgments)
    shown = ", ".join(f"{grade:g}" for grade in grades[:6])
    answered = {run.name: sum(topic in run.topics for topic in judgments.topics) for run in first}
    whole = len(judgments.topics)
    lacking = [f"{run} ({count}/{whole})" for run, count in answered.items() if count < whole]
    return [
        f"documents are graded ({shown})" if len(grades) > 1 else "documents are relevant or not",
        "aspects have different weights" if _weighted(judgments) else "all aspects have the same weight",
        f"lists of a topic differ in length in {differ:.0%} of the topics".replace("%", " %"),
        *([f"runs that lack topics: {few(lacking, 8)}"] if lacking else []),
    ]


# By metric: unanimity, discriminative power, situations of the axioms in which it fails, and all of them.
Behaviour = dict[str, tuple[float | None, float | None, int, int]]


def evidence_of(
    judgments: Judgments,
    rankings: RankingsByOrder,
    metrics: Sequence[Metric],
    axioms: Sequence[str],
    options: Options,
    depth: int,
    resamples: int,
    seed: int,
    say: Progress,
) -> tuple[Behaviour, OrderedPairs, Scores]:
    """How the metrics behave on the runs, the pairs of runs that they order alike, and the scores behind both."""
    names = [metric.name for metric in metrics]
    scores = score(judgments, rankings, metrics, options)
    if len(scores.runs) < 2:
        raise UsageError(f"at least two runs are needed to see how metrics behave, got {len(scores.runs)}")
    say("unanimity")
    agreed = {row.metric: row.mu for row in unanimity(scores, bootstrap=0, seed=seed).rows}
    say("discriminative power")
    power = {row.metric: row.share for row in discriminative(scores, resamples=resamples, seed=seed).rows}
    say("violations")
    counted = [name for name in axioms if any(s.axiom == name for s in SITUATIONS.values())]
    own = [metric for metric in metrics if metric.rule is None and metric.order is None]
    violated: dict[str, tuple[int, int]] = {}
    if counted and own and options.efforts is None:
        for row in find_violations(judgments, rankings, own, options, axioms=counted, depth=depth).rows:
            if row.axiom == "Pri-contiguous":  # part of Pri already
                continue
            failed, all_of_them = violated.get(row.metric, (0, 0))
            violated[row.metric] = (failed + row.violations, all_of_them + row.situations)
    behaviour = {name: (agreed.get(name), power.get(name), *violated.get(name, (0, 0))) for name in names}
    return behaviour, agreement(scores, names), scores
