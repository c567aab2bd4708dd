"""Evidence for the choice of metrics: grades and weights in the judgments, and how the metrics behave on the runs.

The most important part is which pairs of systems all metrics order alike, and which depend on the choice of metric.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.analysis.violations import SITUATIONS, can_count, find_violations
from diveval.axioms.presentation.data_verdicts import levels_of
from diveval.collection.judgments import Judgments
from diveval.errors import UsageError, preview
from diveval.meta.discriminative import decide_pairs
from diveval.meta.unanimity import unanimity
from diveval.metrics.metric import Metric
from diveval.results.scores import Scores
from diveval.results.statements import Statement, words
from diveval.scoring.scorer import RankingsByOrder, score
from diveval.settings import Options
from diveval.stats.tests import Significance
from diveval.stats.ties import noise_of
from diveval.system.progress import Progress


@dataclass(frozen=True)
class Conflict:
    """Two runs and the metrics that order them in opposite ways, with a topic in which two of the metrics do so.

    `first` is a metric that prefers `run`, `second` one that prefers `other`; their values on the topic are of `run`
    and of `other`. The topic is None if there is none in which these two disagree.
    """

    run: str
    other: str
    prefers_run: tuple[str, ...]
    prefers_other: tuple[str, ...]
    first: str
    second: str
    topic: str | None
    first_values: tuple[float, float] | None
    second_values: tuple[float, float] | None


@dataclass(frozen=True)
class OrderedPairs:
    """How many pairs of runs there are, how many no two metrics order in opposite ways, and the other pairs."""

    pairs: int
    agreed: int
    conflicts: tuple[Conflict, ...]
    means: tuple[dict[str, Any], ...]  # a row per run, with its mean by each metric


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
    named = [dict(zip(table.metrics, row, strict=True)) for row in means.tolist()]
    rows = tuple({"run": run, **row} for run, row in zip(table.runs, named, strict=True))
    return OrderedPairs(pairs, agreed, tuple(conflicts), rows)


def _conflict(table: Scores, a: int, b: int, up: NDArray[np.intp], down: NDArray[np.intp]) -> Conflict:
    """The example is a topic in which both metrics differ as their means do, as far as possible, in standard deviations."""
    differences = table.values[a] - table.values[b]
    spread = differences.std(axis=1, keepdims=True)
    standard = np.divide(differences, spread, out=np.zeros_like(differences), where=spread > 0)
    first, second = int(up[0]), int(down[0])
    topic = int(np.minimum(standard[first], -standard[second]).argmax())
    shows = differences[first, topic] > 0 > differences[second, topic]
    names = table.metrics
    return Conflict(
        table.runs[a],
        table.runs[b],
        tuple(names[m] for m in up),
        tuple(names[m] for m in down),
        names[first],
        names[second],
        table.topics[topic] if shows else None,
        *(
            (float(table.values[a, m, topic]), float(table.values[b, m, topic])) if shows else None
            for m in (first, second)
        ),
    )


def needs_shown(judgments: Judgments, options: Options) -> list[str]:
    """Needs that follow from the judgments as they are scored: under binary gain no document is better than another."""
    degrees = {level.relevance for level in levels_of(judgments, options.relevance)}
    shown = {"grades": len(degrees) > 1, "weights": _weighted(judgments)}
    return [word for word, yes in shown.items() if yes]


def _weighted(judgments: Judgments) -> bool:
    """Whether the aspects of some topic have different weights."""
    by_topic: dict[str, set[float]] = {}
    for (topic, _), weight in judgments.aspect_weights().items():
        by_topic.setdefault(topic, set()).add(round(weight, 12))
    return any(len(weights) > 1 for weights in by_topic.values())


def observe(judgments: Judgments, rankings: RankingsByOrder, options: Options) -> list[Statement]:
    """What the data shows: degrees of relevance, weights, lengths of lists, runs that lack topics."""
    first = next(iter(rankings.values()))
    lengths = {topic: {run.topics[topic].length for run in first if topic in run.topics} for topic in judgments.topics}
    differ = sum(len(own) > 1 for own in lengths.values())
    held = {run.name: sum(topic in run.topics for topic in judgments.topics) for run in first}
    whole = len(judgments.topics)
    lacking = {run: count for run, count in held.items() if count < whole}
    levels = levels_of(judgments, options.relevance)
    degrees = [[level.grade, float(level.relevance)] for level in levels]
    rows = tuple({"grade": level.grade, "relevance": str(level.relevance)} for level in levels)
    long = tuple({"topic": topic, "lengths": sorted(own)} for topic, own in lengths.items())
    weights = tuple(
        {"topic": name, "weights": "equal" if topic.weights is None else list(topic.weights)}
        for name, topic in judgments.topics.items()
    )
    statements = [
        Statement("degrees-of-relevance", {"degrees": degrees, "gain": options.relevance.gain}, rows),
        Statement("different-weights", {"different": _weighted(judgments)}, weights),
        Statement("different-lengths", {"topics": differ, "of": whole}, long),
    ]
    if lacking:
        missing = tuple({"run": run, "topics": count} for run, count in lacking.items())
        statements.append(Statement("runs-lack-topics", {"held": lacking, "of": whole}, missing))
    return statements


@words("degrees-of-relevance")
def _word_degrees(degrees: Sequence[tuple[float, float]], gain: str) -> str:
    if not degrees:
        return "no document is relevant"
    distinct = sorted({relevance for _, relevance in degrees})
    more = ", …" if len(degrees) > 6 else ""
    grades = ", ".join(f"{grade:g}" for grade, _ in degrees[:6]) + more
    if len(distinct) > 1:
        shown = ", ".join(f"{grade:g} is {relevance:.3g}" for grade, relevance in degrees[:6]) + more
        return f"documents have {len(distinct)} degrees of relevance ({gain} gain: grade {shown})"
    merged = f" ({gain} gain: grades {grades} count the same)" if len(degrees) > 1 else ""
    return f"documents are relevant or not{merged}"


@words("different-weights")
def _word_weights(different: bool) -> str:
    return "aspects have different weights" if different else "all aspects of a topic have the same weight"


@words("different-lengths")
def _word_lengths(topics: int, of: int) -> str:
    return f"the runs' lists differ in length in {topics} of {of} topics"


@words("runs-lack-topics")
def _word_lacking(held: Mapping[str, int], of: int) -> str:
    return f"runs that lack topics: {preview([f'{run} ({count}/{of})' for run, count in held.items()], 8)}"


@dataclass(frozen=True)
class MetricBehaviour:
    """How a metric behaves on the runs: unanimity, discriminative power, and violations of the needed axioms.

    `situations` satisfy the premises of the axioms' verdicts and `violations` of them are not rewarded; `found` are all
    situations, of which `unrewarded` are not rewarded.
    """

    mu: float | None = None
    power: float | None = None
    situations: int = 0
    violations: int = 0
    found: int = 0
    unrewarded: int = 0


Behaviour = dict[str, MetricBehaviour]  # by metric
COUNTS = ("situations", "violations", "found", "unrewarded")


def evidence_of(
    judgments: Judgments,
    rankings: RankingsByOrder,
    metrics: Sequence[Metric],
    axioms: Sequence[str],
    options: Options,
    depth: int,
    how: Significance,
    progress: Progress,
) -> tuple[Behaviour, OrderedPairs, Scores]:
    """How the metrics behave on the runs, the pairs of runs that they order alike, and the scores behind both."""
    names = [metric.name for metric in metrics]
    scores = score(judgments, rankings, metrics, options)
    if len(scores.runs) < 2:
        raise UsageError(
            "too-few-runs", f"at least two runs are needed to see how metrics behave, got {len(scores.runs)}"
        )
    progress("unanimity", 0, 3)
    agreed = {row.metric: row.mu for row in unanimity(scores, bootstrap=0).rows}
    progress("discriminative power", 1, 3)
    power = {row.metric: row.share for row in decide_pairs(scores, how).rows}
    progress("violations", 2, 3)
    counted = [name for name in axioms if name in SITUATIONS]
    own = [metric for metric in metrics if can_count(metric, options)]
    counts = {name: dict.fromkeys(COUNTS, 0) for name in names}
    if counted and own and options.efforts is None:
        for row in find_violations(judgments, rankings, own, options, axioms=counted, depth=depth).rows:
            for count in COUNTS:
                counts[row.metric][count] += getattr(row, count)
    behaviour = {name: MetricBehaviour(agreed.get(name), power.get(name), **counts[name]) for name in names}
    return behaviour, agreement(scores, names), scores
