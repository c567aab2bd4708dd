"""Metric Unanimity: whether a metric agrees when all others agree, for every metric in one pass over the pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from diveval.argument_types import explain_types
from diveval.defaults import CONFIDENCE, QUICK_RESAMPLES, SEED, TOLERANCE
from diveval.errors import UsageError, warn
from diveval.meta.outputs import Outputs, outputs
from diveval.meta.variants import family, label
from diveval.results.protocol import Result
from diveval.results.scores import Scores
from diveval.results.table_text import align, number_text
from diveval.stats.intervals import draw_with_replacement
from diveval.stats.ties import require_fraction, require_resamples, require_scores

BUDGET = 1 << 24  # bytes of memory for a block of pairs, of which the busiest buffers fit into the cache


@dataclass(frozen=True)
class UnanimityRow:
    """One metric. `unanimous` counts the ordered pairs that the other metrics agree on; `note` explains a None."""

    metric: str
    mu: float | None
    low: float | None
    high: float | None
    pairs: int
    unanimous: int
    note: str | None = None


@dataclass(frozen=True)
class UnanimityGroup:
    """Variants of one family that share a value; the interval spans those of its members."""

    family: str
    label: str
    metrics: tuple[str, ...]
    mu: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, repr=False)
class Unanimity(Result):
    """MU of every metric, in the order of the scores."""

    rows: tuple[UnanimityRow, ...]
    topics: int
    confidence: float
    bootstrap: int
    seed: int
    tolerance: float
    leave_family_out: bool

    reference: ClassVar[str] = (
        "E. Amigó, D. Spina, J. Carrillo-de-Albornoz. An Axiomatic Analysis of Diversity Evaluation Metrics: "
        "Introducing the Rank-Biased Utility Metric. SIGIR 2018."
    )
    header: ClassVar[tuple[str, ...]] = ("metric", "mu", "low", "high", "pairs", "unanimous")

    def __getitem__(self, metric: str) -> UnanimityRow:
        for row in self.rows:
            if row.metric == metric:
                return row
        raise KeyError(metric)

    def ranked(self) -> list[UnanimityRow]:
        """Highest MU first, undefined ones last, ties by name."""
        return sorted(self.rows, key=lambda row: (-or_least(row.mu), row.metric))

    def grouped(self, *, best: bool = True) -> list[UnanimityGroup]:
        """Variants of a family that share a value, as the paper's tables show them, highest first.

        With `best` only the highest group of every family, which is what the paper prints.
        """
        members: dict[tuple[str, float | None], list[UnanimityRow]] = {}
        for row in self.ranked():
            members.setdefault((family(row.metric), row.mu), []).append(row)
        groups = [_group(name, mu, rows) for (name, mu), rows in members.items()]
        groups.sort(key=lambda group: (-or_least(group.mu), group.label))
        if not best:
            return groups
        first: dict[str, UnanimityGroup] = {}
        for group in groups:
            first.setdefault(group.family, group)
        return list(first.values())

    def to_text(self, width: int = 80) -> str:
        """Metrics from the highest MU down, with intervals."""
        rows = [["metric", "MU", "interval"]]
        for row in self.ranked():
            mu = number_text(row.mu, missing="none")
            span = "" if row.low is None or row.high is None else f"{row.low:.4f}–{row.high:.4f}"
            rows.append([row.metric, mu, span])
        return "\n".join(align(rows, ["<", ">7", "<"])) + "\n"

    def as_dict(self) -> dict[str, Any]:
        """Everything, with the groups of variants beside the metrics."""
        groups = [{**vars(group), "metrics": list(group.metrics)} for group in self.grouped(best=False)]
        return {**super().as_dict(), "groups": groups}


@explain_types
def unanimity(
    scores: Scores,
    *,
    leave_family_out: bool = False,
    bootstrap: int = QUICK_RESAMPLES,
    seed: int = SEED,
    confidence: float = CONFIDENCE,
    tolerance: float = TOLERANCE,
) -> Unanimity:
    """Metric Unanimity of every metric of the table against all the others (Amigó et al., SIGIR 2018, section 6.1).

    Over the ordered pairs (a, b) of runs on the same topic, all topics pooled:

        MU(m) = log2( P(Δm, ΔM) / (½ · P(ΔM)) )
        Δm = [m(a) > m(b)], ½ on a tie;    ΔM = [m'(a) ≥ m'(b) for every other metric m']

    A pair is used if every metric counts the topic for both runs. The result does not depend on the order of runs,
    topics or metrics.

    Args:
        scores: scores per topic on two metrics or more.
        leave_family_out: leave the siblings of m (same name before `(` or `@`) out of ΔM, to see whether a metric is
            high only because its siblings are in the set.
        bootstrap: resamples of the topics for the intervals (their percentiles); 0 for none.
        seed: seed of the resampling.
        confidence: confidence level of the intervals.
        tolerance: values this close are ties, as in `stats.ties.dense_ranks`.
    """
    require_scores(scores, "unanimity")
    if len(scores.metrics) < 2:
        raise UsageError(
            "wrong-number-of-metrics",
            f"unanimity compares a metric with others: two or more are needed, got {len(scores.metrics)}",
        )
    require_resamples("bootstrap", bootstrap, seed, topics=len(scores.topics), least=0)
    require_fraction("confidence", confidence)
    groups = [family(metric) for metric in scores.metrics] if leave_family_out else list(scores.metrics)
    counts = _count(outputs(scores, tolerance=tolerance), _members(groups))
    ends = _intervals(counts, scores.topics, bootstrap, seed, confidence)
    alone = leave_family_out and len(set(groups)) == 1
    rows = tuple(_row(scores.metrics, m, counts, ends[m], alone) for m in range(len(scores.metrics)))
    undefined = [row for row in rows if row.mu is None]
    if undefined:
        others = f" and {len(undefined) - 1} more" if len(undefined) > 1 else ""
        warn("undefined-value", f"unanimity of {undefined[0].metric}{others} is undefined: {undefined[0].note}")
    topics = int(np.count_nonzero(counts[0]))
    return Unanimity(rows, topics, confidence, bootstrap, seed, tolerance, leave_family_out)


# Per topic: the ordered pairs, and per metric (metric × topic) those unanimous among the others and their balance.
# The balance is wins minus losses of the metric on its unanimous pairs, so that 2 · P(Δm, ΔM) is proportional to
# unanimous + balance and MU = log2((unanimous + balance) / unanimous).
Integers = NDArray[np.int64]
Counts = tuple[Integers, Integers, Integers]


def _members(groups: Sequence[str]) -> list[list[int]]:
    """The metrics of each group, which are left out of M together."""
    members: dict[str, list[int]] = {}
    for m, group in enumerate(groups):
        members.setdefault(group, []).append(m)
    return list(members.values())


def _count(judged: Outputs, members: list[list[int]]) -> Counts:
    """Count the unanimous pairs of every metric, a block of topics at a time.

    A pair (a, b) to which no metric objects ("a < b") is unanimous for all of them. A pair with objections from one
    group only is unanimous for the metrics of that group, since the group is left out of M. No other pair counts. So it
    is enough to know for each pair whether no group objects, or exactly one: O(metrics × pairs).
    """
    metrics, topics, runs = judged.ranks.shape
    counted = np.zeros(topics, dtype=np.int64)
    unanimous, balance = np.zeros((2, metrics, topics), dtype=np.int64)
    for block in _blocks(topics, runs * runs):
        ranks, present = judged.ranks[:, block], judged.present[block]
        pairs = present[:, :, None] & present[:, None, :] & ~np.eye(runs, dtype=bool)
        counted[block] = np.count_nonzero(pairs, axis=(1, 2))
        some, several = _objections(ranks, members)
        _add_agreed(unanimous, balance, block, ranks, pairs & ~some)
        _add_disputed(unanimous, balance, block.start, ranks, pairs & some & ~several, members)
    return counted, unanimous, balance


def _blocks(topics: int, pairs: int) -> Iterator[slice]:
    """Ranges of topics whose pairs fit into a part of the budget that fits into the processor's cache."""
    step = max(1, BUDGET // 32 // pairs)
    for start in range(0, topics, step):
        yield slice(start, min(start + step, topics))


def _objections(
    ranks: NDArray[np.unsignedinteger], members: list[list[int]]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Per pair (topic × a × b): whether some group has a < b, and whether several have."""
    _, topics, runs = ranks.shape
    some, several, less, also = (np.zeros((topics, runs, runs), dtype=bool) for _ in range(4))
    for group in members:
        first, *siblings = (ranks[m] for m in group)
        np.less(first[:, :, None], first[:, None, :], out=less)
        for sibling in siblings:
            np.less(sibling[:, :, None], sibling[:, None, :], out=also)
            np.logical_or(less, also, out=less)
        np.logical_and(some, less, out=also)
        np.logical_or(several, also, out=several)
        np.logical_or(some, less, out=some)
    return some, several


def _add_agreed(
    unanimous: Integers, balance: Integers, block: slice, ranks: NDArray[np.unsignedinteger], agreed: NDArray[np.bool_]
) -> None:
    """Count pairs without objections: unanimous for every metric, and a win or a tie for each."""
    unanimous[:, block] += np.count_nonzero(agreed, axis=(1, 2))
    wins = np.empty_like(agreed)
    for m, judged in enumerate(ranks):
        np.greater(judged[:, :, None], judged[:, None, :], out=wins)
        np.logical_and(wins, agreed, out=wins)
        balance[m, block] += [np.count_nonzero(topic) for topic in wins]


def _add_disputed(
    unanimous: Integers,
    balance: Integers,
    start: int,
    ranks: NDArray[np.unsignedinteger],
    disputed: NDArray[np.bool_],
    members: list[list[int]],
) -> None:
    """Count pairs to which one group objects: unanimous for that group's metrics, whatever their own order."""
    for topics, starts, a, b in _choose_pairs(disputed, len(ranks)):
        flat = ranks.reshape(len(ranks), -1)
        left, right = flat[:, a], flat[:, b]
        for group in members:
            losses = left[group] < right[group]
            objecting = losses.any(axis=0)
            wins = (left[group] > right[group]) & objecting
            cells = np.ix_(np.array(group), start + topics)
            unanimous[cells] += np.add.reduceat(objecting, starts, dtype=np.int64)
            balance[cells] += np.add.reduceat(wins, starts, axis=1, dtype=np.int64)
            balance[cells] -= np.add.reduceat(losses, starts, axis=1, dtype=np.int64)


Pairs = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]


def _choose_pairs(mask: NDArray[np.bool_], metrics: int) -> Iterator[Pairs]:
    """The chosen pairs in portions: their topics, the start of each topic, and both outputs as topic × run."""
    _, runs, _ = mask.shape
    where = np.flatnonzero(mask)
    portion = max(1, BUDGET // metrics)
    for begin in range(0, len(where), portion):
        output, b = np.divmod(where[begin : begin + portion], runs)
        topic = output // runs
        topics, starts = np.unique(topic, return_index=True)
        yield topics, starts, output, topic * runs + b


def _intervals(
    counts: Counts, topics: Sequence[str], bootstrap: int, seed: int, confidence: float
) -> list[tuple[float | None, float | None, str | None]]:
    """Percentile intervals of MU: topics drawn with replacement, which only reweights the counts per topic."""
    pairs, unanimous, balance = counts
    nothing: list[tuple[float | None, float | None, str | None]] = [(None, None, None)] * len(unanimous)
    # Sorted by name, so that the random draw does not depend on the order of topics in the table.
    used = [t for t in sorted(range(len(topics)), key=lambda t: topics[t]) if pairs[t]]
    if bootstrap == 0 or not used:
        return nothing
    if len(used) == 1:
        return [(None, None, "one topic: no interval")] * len(nothing)
    weights = draw_with_replacement(len(used), bootstrap, seed)
    below = weights @ unanimous[:, used].T
    above = below + weights @ balance[:, used].T
    tail = (1 - confidence) / 2
    return [_ends(above[:, m], below[:, m], tail) for m in range(len(nothing))]


def _ends(
    above: NDArray[np.float64], below: NDArray[np.float64], tail: float
) -> tuple[float | None, float | None, str | None]:
    """Both ends from the resamples that have a value; order statistics, since minus infinity may be among them."""
    defined = below > 0
    if not defined.any():
        return None, None, None
    with np.errstate(divide="ignore"):
        values = np.log2(above[defined] / below[defined])
    low = float(np.quantile(values, tail, method="lower"))
    high = float(np.quantile(values, 1 - tail, method="higher"))
    note = "some resamples of the topics have no unanimous pair" if not defined.all() else None
    if math.isinf(low):
        note = "the interval has no lower end: some resamples contradict every unanimous pair"
    return _finite(low), _finite(high), note


def _row(
    metrics: Sequence[str],
    m: int,
    counts: Counts,
    ends: tuple[float | None, float | None, str | None],
    alone: bool,
) -> UnanimityRow:
    pairs, unanimous, balance = int(counts[0].sum()), int(counts[1][m].sum()), int(counts[2][m].sum())
    above = unanimous + balance
    if pairs == 0:
        reason = "no two runs share a topic that every metric counts"
    elif alone:
        reason = "every metric is of one family, so no other metric is left to compare with"
    elif unanimous == 0:
        reason = "no pair is unanimous among the other metrics"
    elif above == 0:
        reason = "minus infinity: the metric contradicts every unanimous pair"
    else:
        low, high, note = ends
        return UnanimityRow(metrics[m], math.log2(above / unanimous), low, high, pairs, unanimous, note)
    return UnanimityRow(metrics[m], None, None, None, pairs, 0 if alone else unanimous, reason)


def _group(name: str, mu: float | None, rows: list[UnanimityRow]) -> UnanimityGroup:
    lows = [row.low for row in rows if row.low is not None]
    highs = [row.high for row in rows if row.high is not None]
    metrics = tuple(row.metric for row in rows)
    spans = len(lows) == len(highs) == len(rows)
    low, high = (min(lows), max(highs)) if spans else (None, None)
    return UnanimityGroup(name, label(metrics), metrics, mu, low, high)


def or_least(value: float | None) -> float:
    """A sort key that puts None below everything."""
    return -math.inf if value is None else value


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
