"""The headline: a few computed sentences, each clause with the test behind it and a link to its evidence.

A clause is `{"text", "test", "open"}`: the text, the test, and the state of the page that shows the evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.errors import count_of, share_text
from diveval.metrics.names import name_with_variant
from diveval.results.scores import Scores
from diveval.results.setup import JUDGED_DEPTH, NO_LIST_UNJUDGED
from diveval.results.statements import Statement, words
from diveval.stats.tests import describe_test
from diveval.views.board import MetricQuality, best_first, share_first

BOOTSTRAP, SEED = 400, 1
FEW = 3  # names in a row
Clause = dict[str, Any]


def headline(scores: Scores, judged: MetricQuality, absent: Mapping[str, Sequence[str]]) -> list[list[Clause]]:
    """Who leads; where metrics disagree, and because of which topics; what is missing. A sentence is its clauses."""
    sentences = [_leaders(scores, judged), _disagreement(scores, judged), _missing(scores, absent)]
    return [sentence for sentence in sentences if sentence]


def sizes(scores: Scores) -> str:
    """`22 systems, 50 topics, 1 metric.`"""
    many = count_of(len(scores.runs), "system"), count_of(len(scores.topics), "topic")
    return f"{', '.join(many)}, {count_of(len(scores.metrics), 'metric')}."


def clause(said: Statement | str, test: str = "", **opened: Any) -> Clause:
    """One part of a sentence, with its facts and the rows that it follows from."""
    if isinstance(said, str):
        return {"text": said, "test": test, "open": opened or None}
    return {**said.as_dict(), "test": test, "open": opened or None}


# --- who leads ----------------------------------------------------------------------------------------------------


def _leaders(scores: Scores, judged: MetricQuality) -> list[Clause]:
    """The run that is first by most metrics, and those that are not significantly behind it."""
    rows = tuple(
        {"run": run, "metric": name, "mean": float(mean)}
        for run, values in zip(scores.runs, scores.means, strict=True)
        for name, mean in zip(scores.metrics, values, strict=True)
    )
    if len(scores.runs) < 2:
        return [clause(Statement("only-system", {"run": scores.runs[0]}, rows), view="leaderboard")]
    first = [[scores.runs[r] for r in share_first(scores, m)] for m in range(len(scores.metrics))]
    leads = [run for runs in first for run in runs]
    counts = sorted({run: leads.count(run) for run in leads}.items(), key=lambda item: (-item[1], item[0]))
    (leader, count), *others = counts
    led = next(name for name, runs in zip(scores.metrics, first, strict=True) if leader in runs)
    total = len(scores.metrics)
    lead = Statement("best-mean", {"run": leader, "count": count, "metrics": total, "metric": led}, rows)
    out = [clause(lead, "means over topics", view="leaderboard", sort=led, run=leader)]
    if others:
        metric = next(name for name, runs in zip(scores.metrics, first, strict=True) if others[0][0] in runs)
        rest = Statement("other-best-means", {"counts": [[run, number] for run, number in others]}, rows)
        out.append(clause(rest, "means over topics", view="bump", sort=metric, run=others[0][0]))
    return [
        *out,
        *_describe_ties(leader, led, judged, [scores.runs[r] for r in best_first(scores, scores.metric_index(led))]),
    ]


def _describe_ties(leader: str, metric: str, judged: MetricQuality, order: Sequence[str]) -> list[Clause]:
    power = judged.power
    if power is None or metric not in [row.metric for row in power.rows]:
        return [clause(". No significance test was possible: the notes say why.", view="leaderboard")]
    levels = power.asl[[row.metric for row in power.rows].index(metric)]
    alike = [
        b if a == leader else a
        for (a, b), level in zip(power.pairs, levels, strict=True)
        if leader in (a, b) and level >= power.alpha
    ]
    alike.sort(key=order.index)
    others = len({run for pair in power.pairs for run in pair}) - 1
    test = describe_test(power.setup)
    opened = {"view": "leaderboard", "sort": metric, "run": leader}
    rows = tuple(
        {"run": a, "other": b, "p_adjusted": float(level)}
        for (a, b), level in zip(power.pairs, levels, strict=True)
        if leader in (a, b)
    )
    facts = {"metric": metric, "run": leader, "others": others, "alike": alike}
    return [clause(Statement("not-significantly-behind", facts, rows), test, **opened)]


@words("only-system")
def _word_only(run: str) -> str:
    return f"{run} is the only system: there is nothing to compare it with."


@words("best-mean")
def _word_best(run: str, count: int, metrics: int, metric: str) -> str:
    metric = name_with_variant(metric)
    by = (
        f"by {metric}"
        if metrics == 1
        else "by both metrics"
        if count == metrics == 2
        else f"by {_of(count, metrics)} metrics"
    )
    return f"{run} has the best mean {by}"


@words("other-best-means")
def _word_others(counts: Sequence[tuple[str, int]]) -> str:
    shown = counts if len(counts) <= FEW else counts[: FEW - 1]
    rest = counts[len(shown) :]
    more = f", {len(rest)} others by at most {rest[0][1]}" if rest else ""
    return f" ({', '.join(f'{run} by {number}' for run, number in shown)}{more})"


@words("not-significantly-behind")
def _word_behind(metric: str, run: str, others: int, alike: Sequence[str]) -> str:
    metric = name_with_variant(metric)
    if not alike:
        return f". By {metric}, it is significantly ahead of every other system."
    if len(alike) == others:
        return f". By {metric}, it is significantly ahead of no other system."
    verb = "is" if len(alike) == 1 else "are"
    return f". By {metric}, {len(alike)} of {others} systems {verb} not significantly behind it ({_few(alike)})."


# --- where metrics disagree ---------------------------------------------------------------------------------------


def _disagreement(scores: Scores, judged: MetricQuality) -> list[Clause]:
    """The two metrics whose rankings of the systems are least alike, and the pair of systems and topics behind it."""
    alike = judged.agreement
    if alike is None or len(scores.runs) < 3 or len(alike.metrics) < 2:
        return []
    pairs = [
        (value, i, j)
        for i, row in enumerate(alike.matrix)
        for j, value in enumerate(row)
        if i < j and value is not None
    ]
    if not pairs:
        return []
    value, i, j = min(pairs)
    one, two = alike.metrics[i], alike.metrics[j]
    first, second = scores.array(one), scores.array(two)
    interval = _tau_interval(first, second)
    test = f"Kendall's τ-b between the rankings by mean; 95 % interval over {BOOTSTRAP} bootstrap samples of topics"
    flipped = most_flipped(scores, one, two)
    opened: dict[str, str] = {"view": "bump", "sort": one, "against": two}
    if flipped is not None:
        opened |= {"run": scores.runs[flipped[0]], "other": scores.runs[flipped[1]]}
    rows = tuple(
        {"metric": a, "other": b, "tau": alike.matrix[m][n]}
        for m, a in enumerate(alike.metrics)
        for n, b in enumerate(alike.metrics)
        if m < n
    )
    facts = {"metric": one, "other": two, "tau": float(value), "interval": None if interval is None else list(interval)}
    out = [clause(Statement("least-alike", facts, rows), test, **opened)]
    if flipped is None:
        return [*out, clause(".")]
    a, b, topics = flipped
    better, worse, named = scores.runs[a], scores.runs[b], [scores.topics[t] for t in topics]
    rows = tuple(
        {"topic": scores.topics[t], one: float(first[a, t] - first[b, t]), two: float(second[a, t] - second[b, t])}
        for t in topics
    )
    facts = {"better": better, "worse": worse, "metric": one, "other": two, "topics": named}
    return [
        *out,
        clause(
            Statement("most-flipped", facts, rows),
            "the pair of systems with the largest opposite differences of means, in standard deviations over"
            " systems; the topics with the largest opposite differences, the same way",
            view="inspector",
            run=better,
            other=worse,
            topic=scores.topics[topics[0]],
            sort=one,
            against=two,
        ),
    ]


@words("least-alike")
def _word_least_alike(metric: str, other: str, tau: float, interval: Sequence[float] | None) -> str:
    metric, other = name_with_variant(metric), name_with_variant(other)
    size = "rank the systems least alike" + ("" if tau < 0.9 else ", and still much the same way")
    ends = "" if interval is None else f", {interval[0]:.2f} to {interval[1]:.2f}"
    return f"{metric} and {other} {size} (τ = {tau:.2f}{ends})"


@words("most-flipped")
def _word_flipped(better: str, worse: str, metric: str, other: str, topics: Sequence[str]) -> str:
    plural = "s" if len(topics) > 1 else ""
    metric, other = name_with_variant(metric), name_with_variant(other)
    return (
        f": {better} is above {worse} by {metric} and below by {other}; the metrics differ most in this direction"
        f" on topic{plural} {', '.join(topics)}."
    )


def most_flipped(scores: Scores, one: str, two: str) -> tuple[int, int, list[int]] | None:
    """Two runs that the metrics order in opposite ways, by the largest smaller difference, and the topics behind it."""
    first, second = scores.array(one), scores.array(two)
    gaps = [_gaps(scores.means[:, scores.metric_index(name)]) for name in (one, two)]
    opposed = np.where(gaps[0] * gaps[1] < 0, np.minimum(abs(gaps[0]), abs(gaps[1])), 0.0)
    a, b = (int(x) for x in np.unravel_index(int(opposed.argmax()), opposed.shape))
    if opposed[a, b] <= 0:
        return None
    if gaps[0][a, b] < 0:
        a, b = b, a
    return a, b, opposing_topics(first[a] - first[b], second[a] - second[b])


def opposing_topics(one: NDArray[np.float64], two: NDArray[np.float64]) -> list[int]:
    """The topics in which two differences point in opposite ways, the strongest first, each in its own spread."""
    scaled = [values / spread if (spread := float(values.std())) > 0 else values * 0.0 for values in (one, two)]
    apart = scaled[0] - scaled[1]
    order = np.argsort(-apart, kind="stable")
    return [int(t) for t in order[:FEW] if apart[t] > 0] or [int(order[0])]


def _gaps(means: NDArray[np.float64]) -> NDArray[np.float64]:
    spread = float(means.std())
    return (means[:, None] - means[None, :]) / spread if spread > 0 else np.zeros((len(means), len(means)))


def _tau_interval(one: NDArray[np.float64], two: NDArray[np.float64]) -> tuple[float, float] | None:
    """Ends of the middle 95 % of τ-b over resampled topics, None where it is never defined; runs × topics in."""
    rng = np.random.default_rng(SEED)
    topics = one.shape[1]
    taus = []
    for _ in range(BOOTSTRAP):
        sample = rng.integers(topics, size=topics)
        signs = [np.sign(_gaps(values[:, sample].mean(axis=1))) for values in (one, two)]
        size = float(np.sqrt((signs[0] ** 2).sum() * (signs[1] ** 2).sum()))
        if size > 0:
            taus.append(float((signs[0] * signs[1]).sum()) / size)
    return (float(np.percentile(taus, 2.5)), float(np.percentile(taus, 97.5))) if taus else None


# --- what is missing ----------------------------------------------------------------------------------------------


def _missing(scores: Scores, absent: Mapping[str, Sequence[str]]) -> list[Clause]:
    unjudged = {run: 1 - share for run, share in scores.setup.judged.items() if run in scores.runs}
    out = []
    if absent:
        # The systems that lack most topics come first, since only a few are named.
        listed = sorted(absent.items(), key=lambda item: -len(item[1]))
        held = {run: len(scores.topics) - len(topics) for run, topics in listed}
        facts = {"held": held, "topics": len(scores.topics), "systems": len(scores.runs)}
        rows = tuple({"run": run, "topic": topic} for run, topics in listed for topic in topics)
        run, topics = listed[0]
        test = "topics of the judgments that are not in the run"
        out.append(clause(Statement("systems-lack-topics", facts, rows), test, view="topics", run=run, topic=topics[0]))
    most = max(unjudged, key=lambda run: unjudged[run], default="")
    if unjudged and unjudged[most] > 0:
        shares = tuple({"run": run, "unjudged": share} for run, share in unjudged.items())
        facts = {
            "share": float(np.mean(list(unjudged.values()))), "depth": JUDGED_DEPTH,
            "most": most if len(scores.runs) > 1 else None, "share_of_most": unjudged[most], "first": not out,
            **scores.setup.lists_lacking(scores.runs),
        }  # fmt: skip
        test = f"1 − Judged@{JUDGED_DEPTH}, mean over topics and systems"
        out.append(clause(Statement("unjudged-share", facts, shares), test, view="inspector", run=most))
    return [*out, clause(".")] if out else []


@words("systems-lack-topics")
def _word_lack(held: Mapping[str, int], topics: int, systems: int) -> str:
    named = _few([f"{run} {count}/{topics}" for run, count in held.items()])
    return f"{len(held)} of {systems} systems {'lacks' if len(held) == 1 else 'lack'} judged topics ({named})"


@words("unjudged-share")
def _word_unjudged(
    share: float, depth: int, most: str | None, share_of_most: float, first: bool, without_list: int = 0
) -> str:
    worst = "" if most is None else f", {share_text(share_of_most)} for {most}"
    return f"{'' if first else '; '}{share_text(share)} of the first {depth} documents are not judged{worst}" + (
        NO_LIST_UNJUDGED if without_list else ""
    )


def _of(count: int, total: int) -> str:
    return f"all {total}" if count == total else f"{count} of {total}"


def _few(names: Sequence[str]) -> str:
    return ", ".join([*names[:FEW], *(["…"] if len(names) > FEW else [])])
