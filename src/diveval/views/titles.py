"""Titles of the views that state what is found, each a statement from numbers that the view shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from diveval.errors import count_of
from diveval.metrics.names import MetricText, labels
from diveval.results.scores import Scores
from diveval.results.statements import Statement, words
from diveval.stats.ties import noise_of
from diveval.views.board import MetricQuality, best_first, share_first


def find_titles(scores: Scores, judged: MetricQuality, data: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """By view, a title that states its finding; a view without one keeps its name."""
    short = dict(zip(scores.metrics, labels(scores.metrics), strict=True))
    found = {
        "leaderboard": _leader(scores, data, short),
        "bump": _disagreement(scores, judged, short),
        "conclusions": count_certain(data.get("conclusions"), scores.runs),
        "topics": _topic(scores, short),
        "metrics": _power(judged, short),
        "axioms": _title_of_verdict(data.get("verdict")),
        "parameters": count_leaders(data.get("parameters")),
        "judging": find_resolution(data.get("judging"), len(scores.topics)),
    }
    return {view: title.as_dict() for view, title in found.items() if title is not None}


def _leader(scores: Scores, data: Mapping[str, Any], short: Mapping[str, str]) -> Statement | None:
    """Who is first by the first metric, and how many are not significantly behind."""
    if len(scores.runs) < 2:
        return None
    metric, order = scores.metrics[0], best_first(scores, 0)
    best = order[0]
    alike = next(column["alike"] for column in data["leaderboard"]["columns"] if column["metric"] == metric)
    means = scores.means[:, 0]
    also = [scores.runs[r] for r in share_first(scores, 0)[1:]]
    rows = tuple(
        {"run": scores.runs[r], "mean": float(means[r]), "significantly behind": r != best and r not in alike[best]}
        if alike is not None
        else {"run": scores.runs[r], "mean": float(means[r])}
        for r in order
    )
    facts = {
        "metric": short[metric], "run": scores.runs[best], "also": also, "others": len(order) - 1,
        "alike": None if alike is None else len(alike[best]),
    }  # fmt: skip
    return Statement("first-system", facts, rows)


@words("first-system")
def _word_leader(metric: str, run: str, also: Sequence[str], others: int, alike: int | None) -> str:
    named = f"{run} and {also[0]}" if len(also) == 1 else f"{run} and {len(also)} others"
    first = f"{named} share the best mean {metric}" if also else f"{run} has the best mean {metric}"
    if alike is None:
        return first
    if not alike and not also:
        return f"{first}, significantly ahead of {'the other' if others == 1 else f'all {others} others'}"
    behind = f" {run}" if also else ""
    if others == 1:
        return f"{first}; the other is {'not ' if alike else ''}significantly behind" if not also else first
    return f"{first}; {alike} of {others} others {'is' if alike == 1 else 'are'} not significantly behind{behind}"


def disagreeing_pairs(scores: Scores, metrics: Sequence[str]) -> dict[tuple[str, str], int]:
    """How many pairs of systems each two metrics order in opposite ways by their means, noise aside."""
    means = (scores.means * scores.signs)[:, [scores.metric_index(name) for name in metrics]].T
    gaps = means[:, :, np.newaxis] - means[:, np.newaxis, :]
    noise = np.array([float(np.max(noise_of(own, axis=0))) for own in means])[:, np.newaxis, np.newaxis]
    signs = np.where(abs(gaps) > noise, np.sign(gaps), 0)
    every = [(i, j) for i in range(len(metrics)) for j in range(i + 1, len(metrics))]
    return {(metrics[i], metrics[j]): int((signs[i] * signs[j] < 0).sum()) // 2 for i, j in every}


def _disagreement(scores: Scores, judged: MetricQuality, short: Mapping[str, str]) -> Statement | None:
    """The two metrics that order most pairs of systems in opposite ways."""
    tested = [] if judged.agreement is None else list(judged.agreement.metrics)
    counts = disagreeing_pairs(scores, tested)
    if not counts:
        return None
    (one, two), most = max(counts.items(), key=lambda item: item[1])
    total = len(scores.runs) * (len(scores.runs) - 1) // 2
    rows = tuple({"metric": a, "other": b, "opposite": count} for (a, b), count in counts.items())
    facts = {"metric": short[one], "other": short[two], "opposite": most, "pairs": total, "metrics": len(tested)}
    return Statement("most-opposed", facts, rows)


@words("most-opposed")
def _word_disagreement(metric: str, other: str, opposite: int, pairs: int, metrics: int) -> str:
    if opposite == 0 and metrics > 2:
        return f"No two metrics order two systems in opposite ways ({count_of(pairs, 'pair')})"
    return f"{metric} and {other} order {opposite:,} of {count_of(pairs, 'pair')} of systems in opposite ways"


def count_certain(conclusions: Mapping[str, Any] | None, runs: Sequence[str]) -> Statement | None:
    """How many conclusions hold for every setting in doubt."""
    if not conclusions or "rows" not in conclusions:
        return None
    named = conclusions["verdicts"]
    rows = tuple({"better": runs[a], "worse": runs[b], "verdict": named[v]} for a, b, v, *_ in conclusions["rows"])
    return Statement("certain-here", {"certain": conclusions["certain"], "pairs": len(rows)}, rows)


@words("certain-here")
def _word_certain(certain: int, pairs: int) -> str:
    verb = "holds" if certain == 1 else "hold"
    return f"{certain:,} of {count_of(pairs, 'conclusion')} {verb} for every setting in doubt"


def _topic(scores: Scores, short: Mapping[str, str]) -> Statement | None:
    """The topic whose values of the first metric differ most between systems."""
    if len(scores.runs) < 2 or len(scores.topics) < 2:
        return None
    spread = np.where(scores.counted[:, 0].all(axis=0), scores.values[:, 0].std(axis=0), -1.0)
    spread = np.where(np.isfinite(spread), spread, -1.0)
    most = int(spread.argmax())
    if spread[most] <= 0:
        return None
    rows = tuple({"topic": t, "standard deviation": float(s)} for t, s in zip(scores.topics, spread, strict=True))
    facts = {"topic": scores.topics[most], "metric": short[scores.metrics[0]]}
    return Statement("separating-topic", facts, rows)


@words("separating-topic")
def _word_topic(topic: str, metric: str) -> str:
    return f"Topic {topic} separates the systems most by {metric}"


def _power(judged: MetricQuality, short: Mapping[str, str]) -> Statement | None:
    if judged.power is None:
        return None
    counts = {row.metric: row.significant for row in judged.power.rows}
    most = max(counts, key=lambda name: counts[name])
    pairs = judged.power.rows[0].pairs
    rows = tuple({"metric": name, "significant": count, "pairs": pairs} for name, count in counts.items())
    tied = [short[name] for name in counts if counts[name] == counts[most]]
    return Statement(
        "most-power", {"metrics": tied, "significant": counts[most], "pairs": pairs, "of": len(rows)}, rows
    )


@words("most-power")
def _word_power(metrics: Sequence[str], significant: int, pairs: int, of: int) -> str:
    total = f"{count_of(pairs, 'pair')} of systems"
    if significant == 0:
        return f"{metrics[0]} tells none of {total} apart" if of == 1 else f"No metric tells any of {total} apart"
    if of == 1:
        return f"{metrics[0]} tells {significant:,} of {total} apart"
    if len(metrics) == of:
        return f"All {of} metrics tell {significant:,} of {total} apart"
    first = metrics[0] if len(metrics) == 1 else f"{', '.join(metrics[:-1])} and {metrics[-1]}"
    return f"{first} {'tells' if len(metrics) == 1 else 'tell'} most systems apart: {significant:,} of {count_of(pairs, 'pair')}"


def count_leaders(parameters: Mapping[str, Any] | None) -> Statement | None:
    """Who leads under the settings of p and e that the table shows."""
    if not parameters or not parameters["cells"]:
        return None
    rows = tuple({"p": p, "e": e, "tau": tau, "leader": leader} for p, e, tau, leader in parameters["cells"])
    counts = Counter(row["leader"] for row in rows).most_common()
    (leader, most), *others = counts
    facts = {
        "metric": parameters["reference"],
        "leader": leader,
        "leads": most,
        "settings": len(rows),
        "others": len(others),
    }
    return Statement("leads-settings", facts, rows)


@words("leads-settings")
def _word_leaders(metric: str, leader: str, leads: int, settings: int, others: int) -> str:
    family = MetricText.of(metric).name
    if not others:
        return f"{leader} leads under all {settings} settings of {family}’s p and e"
    rest = "another system" if others == 1 else f"{others} other systems"
    return f"{leader} leads under {leads} of {settings} settings of {family}’s p and e, {rest} under the rest"


def find_resolution(judging: Mapping[str, Any] | None, topics: int) -> Statement | None:
    """The difference that the topics of the collection find, by the first metric."""
    power = (judging or {}).get("power")
    rows = power["rows"] if power else []
    own = [row for row in rows if row["metric"] == rows[0]["metric"]]
    here = next((row for row in own if row["topics"] == topics and row["smallest"]), None)
    if here is None or power is None:
        return None
    facts = {name: here[name] for name in ("metric", "topics", "smallest", "level")} | {"power": power["power"]}
    return Statement("topics-find", facts, tuple(own))


@words("topics-find")
def _word_resolution(metric: str, topics: int, smallest: float, level: float, power: float) -> str:
    return f"{count_of(topics, 'topic')} find differences of {smallest:.3f} by {labels([metric])[0]}"


def _title_of_verdict(verdict: Mapping[str, Any] | None) -> Statement | None:
    if not verdict:
        return None
    every: Sequence[Mapping[str, Any]] = [row for row in verdict["rows"] if row["satisfied"] is not None]
    best, worst = every[0], min(every, key=lambda row: row["satisfied"])
    if best["satisfied"] == worst["satisfied"]:
        return None
    rows = tuple({"metric": row["metric"], "satisfied": row["satisfied"]} for row in every)
    facts = {
        "metric": best["label"], "satisfied": best["satisfied"], "of": len(verdict["axioms"]),
        "other": worst["label"], "fewer": worst["satisfied"],
    }  # fmt: skip
    return Statement("satisfied-constraints", facts, rows)


@words("satisfied-constraints")
def _word_satisfied(metric: str, satisfied: int, of: int, other: str, fewer: int) -> str:
    return f"{metric} satisfies {satisfied} of {of} constraints, {other} {fewer}"
