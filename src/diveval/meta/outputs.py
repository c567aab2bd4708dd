"""Ranks of system outputs per topic, without float noise; strictness and concordance of metrics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from diveval.argument_types import explain_types
from diveval.defaults import TOLERANCE
from diveval.errors import InputError, UsageError, need
from diveval.results.protocol import Result
from diveval.results.scores import Scores
from diveval.stats.ties import dense_ranks, require_finite


@dataclass(frozen=True)
class Outputs:
    """Dense ranks of the runs per metric and topic (0 is worst, also if lower values are better).

    An output is what one run returned for one topic. It is used if every metric counts that topic for that run, so that
    all metrics are compared on the same pairs.
    """

    ranks: NDArray[np.unsignedinteger]  # metric × topic × run, the smallest type that fits
    present: NDArray[np.bool_]  # topic × run


def outputs(scores: Scores, *, tolerance: float = TOLERANCE) -> Outputs:
    """Rank the outputs of every topic under every metric (the rule of `stats.ties.dense_ranks`)."""
    if not tolerance >= 0.0:
        raise UsageError("out-of-range", f"tolerance must be 0 or more, got {tolerance}")
    if len(scores.runs) < 2:
        raise UsageError("too-few-runs", f"at least two runs are needed to compare outputs, got {len(scores.runs)}")
    require_finite(scores)
    present = scores.counted.all(axis=1).T
    small = np.min_scalar_type(len(scores.runs) - 1)
    ranks = np.empty((len(scores.metrics), len(scores.topics), len(scores.runs)), dtype=small)
    # An absent output gets the value of a present one, so that it changes no tie.
    stand_in = np.argmax(present, axis=1)
    for m in range(len(scores.metrics)):
        table = scores.values[:, m, :].T * scores.signs[m]
        shown = np.where(present, table, np.take_along_axis(table, stand_in[:, None], axis=1))
        ranks[m] = dense_ranks(np.where(present.any(axis=1, keepdims=True), shown, 0.0), tolerance=tolerance)
    return Outputs(ranks, present)


@dataclass(frozen=True)
class StrictnessRow:
    """One metric; `overscored` is the share of outputs it places above their lowest place under another metric."""

    metric: str
    strictness: float
    overscored: float
    outputs: int


@dataclass(frozen=True, repr=False)
class Strictness(Result):
    """Strictness of every metric, in the order the metrics came."""

    rows: tuple[StrictnessRow, ...]

    reference: ClassVar[str] = (
        "E. Amigó, J. Gonzalo, F. Verdejo. A General Evaluation Measure for Document Organization Tasks. SIGIR 2013 "
        "(the idea; the definition here is exact and our own)."
    )
    header: ClassVar[tuple[str, ...]] = tuple(StrictnessRow.__dataclass_fields__)


@explain_types
def strictness(scores: Scores) -> Strictness:
    """How seldom, and how little, a metric outscores outputs that another metric scores low.

    Amigó et al. (2013) call a metric strict when a high score from it ensures a high score from the others; the
    RBU paper recalls it as "to what extent a metric can outscore [outputs] that achieve a low score according to other
    metrics". The exact definition used here: let u_m(a) ∈ [0, 1] be the place of output a among the outputs of its
    topic under m (share of the others that m places below a, a tie counts ½). Then

        Strictness(m) = 1 − mean over outputs a of max(0, u_m(a) − min over m' ≠ m of u_m'(a))

    1 means that no output is ranked higher by m than by the strictest other metric. Ranks, not scores, are compared, so
    the scale of a metric does not matter. An output is used if every metric counts it.
    """
    if len(scores.metrics) < 2:
        raise UsageError(
            "wrong-number-of-metrics",
            f"strictness compares a metric with others: two or more are needed, got {len(scores.metrics)}",
        )
    places = _places(outputs(scores))
    count = places.shape[1]
    if count == 0:
        raise InputError(
            "too-few-topics", "no two runs share a topic that every metric counts: strictness is undefined"
        )
    lowest, second = np.sort(places, axis=0)[:2]
    harshest = np.argmin(places, axis=0)
    rows = []
    for m, metric in enumerate(scores.metrics):
        others = np.where(harshest == m, second, lowest)
        excess = np.maximum(0.0, places[m] - others)
        rows.append(StrictnessRow(metric, float(1 - excess.mean()), float((excess > 0).mean()), count))
    return Strictness(tuple(rows))


def _places(judged: Outputs) -> NDArray[np.float64]:
    """u, metric × output: the share of the topic's other outputs that are ranked below, ties counting ½."""
    columns = []
    for t, present in enumerate(judged.present):
        if present.sum() < 2:
            continue
        ranks = np.sort(judged.ranks[:, t, present], axis=1)
        ours = judged.ranks[:, t, present]
        below = np.array([np.searchsorted(row, x, "left") for row, x in zip(ranks, ours, strict=True)])
        upto = np.array([np.searchsorted(row, x, "right") for row, x in zip(ranks, ours, strict=True)])
        columns.append((below + upto - 1) / 2 / (present.sum() - 1))
    return np.concatenate(columns, axis=1) if columns else np.empty((len(judged.ranks), 0))


BLOCK = 1 << 16  # pairs counted together
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class ConcordanceRow:
    """Two metrics: how often they disagree, the share in which each sides with the gold, and the sign test's p."""

    metric: str
    other: str
    disagreements: int
    share: float | None
    share_other: float | None
    p: float | None
    note: str | None = None


@dataclass(frozen=True, repr=False)
class Concordance(Result):
    """Every pair of metrics, judged by the gold metrics together."""

    gold: tuple[str, ...]
    rows: tuple[ConcordanceRow, ...]

    reference: ClassVar[str] = (
        "T. Sakai. Evaluation with Informational and Navigational Intents. WWW 2012; T. Sakai. How Intuitive Are "
        "Diversified Search Metrics? Concordance Test Results for the Diversity U-measures. AIRS 2013."
    )
    header: ClassVar[tuple[str, ...]] = tuple(ConcordanceRow.__dataclass_fields__)


@explain_types
def concordance(scores: Scores, *, gold: str | Sequence[str], metrics: Sequence[str] | None = None) -> Concordance:
    """Sakai's concordance test between metrics, against one or several gold metrics of the same table.

    Over the unordered pairs of outputs of a topic, all topics pooled: the metrics m1 and m2 disagree when one strictly
    prefers what the other strictly rejects. m1 is concordant there when no gold metric contradicts it,
    Δm1 · Δgold ≥ 0 for every gold (a gold tie contradicts neither, so both may be concordant). The share of m1 is
    concordant / disagreements. The two-sided sign test uses the disagreements where exactly one of the two is
    concordant. Gold metrics are deliberately simple: S-Recall for diversity, P for relevance, or both.
    """
    golds = _names(scores, (gold,) if isinstance(gold, str) else gold)
    if not golds:
        raise UsageError("missing-argument", "concordance needs at least one gold metric")
    others = [metric for metric in scores.metrics if metric not in golds]
    chosen = others if metrics is None else _names(scores, metrics)
    if len(chosen) < 2:
        raise UsageError(
            "wrong-number-of-metrics",
            f"concordance compares metrics: at least two beside the gold are needed, got {len(chosen)}",
        )
    judged = outputs(scores.select(metrics=[*chosen, *golds]))
    disagree, correct, both = _tally(judged, len(chosen))
    rows = [
        _row(chosen[i], chosen[j], int(disagree[i, j]), int(correct[i, j]), int(correct[j, i]), int(both[i, j]))
        for i in range(len(chosen))
        for j in range(i + 1, len(chosen))
    ]
    return Concordance(tuple(golds), tuple(rows))


def _names(scores: Scores, metrics: Sequence[str]) -> list[str]:
    """The metrics as the table spells them."""
    return [scores.metrics[scores.metric_index(metric)] for metric in metrics]


def _tally(judged: Outputs, metrics: int) -> tuple[Counts, Counts, Counts]:
    """Per pair of metrics: disagreements, those in which the first is concordant, and those in which both are."""
    # kinds[i, j, m, n]: pairs with m up and n down, where the golds allow up (i) and allow down (j).
    kinds = np.zeros((2, 2, metrics, metrics), dtype=np.int64)
    for left, right in _pairs(judged):
        # Single precision counts exactly up to 2^24, far beyond a block.
        up, down = (left > right).astype(np.float32), (left < right).astype(np.float32)
        allows_up, allows_down = (~part[metrics:].any(axis=0) for part in (down, up))
        for i, j in np.ndindex(2, 2):
            chosen = (allows_up == i) & (allows_down == j)
            kinds[i, j] += np.matmul(up[:metrics, chosen], down[:metrics, chosen].T).astype(np.int64)
    # A metric is the first of a pair either with "up" or, in the transposed count, with "down".
    disagree = kinds.sum(axis=(0, 1)) + kinds.sum(axis=(0, 1)).T
    correct = kinds[1].sum(axis=0) + kinds[:, 1].sum(axis=0).T
    both = kinds[1, 1] + kinds[1, 1].T
    return disagree, correct, both


def _pairs(judged: Outputs) -> Iterator[tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger]]]:
    """Blocks of unordered pairs of outputs, each side metric × pair."""
    first, second = np.triu_indices(judged.present.shape[1], 1)
    step = max(1, BLOCK // len(first))
    for start in range(0, len(judged.present), step):
        block = slice(start, start + step)
        keep = (judged.present[block][:, first] & judged.present[block][:, second]).ravel()
        left, right = (judged.ranks[:, block][:, :, side] for side in (first, second))
        yield left.reshape(len(left), -1)[:, keep], right.reshape(len(right), -1)[:, keep]


def _row(metric: str, other: str, disagreements: int, correct: int, correct_other: int, both: int) -> ConcordanceRow:
    if disagreements == 0:
        return ConcordanceRow(metric, other, 0, None, None, None, "the two metrics never disagree")
    ours, theirs = correct - both, correct_other - both
    p = sign_test(ours, theirs) if ours + theirs else None
    note = None if p is not None else "the gold sides with neither alone"
    return ConcordanceRow(metric, other, disagreements, correct / disagreements, correct_other / disagreements, p, note)


def sign_test(wins: int, losses: int) -> float:
    """The two-sided sign test: p = 2 · P(Binomial(n, ½) ≤ min(wins, losses)), at most 1."""
    if wins < 0 or losses < 0 or wins + losses == 0:
        raise UsageError("too-few-topics", f"a sign test needs at least one win or loss, got {wins} and {losses}")
    special = need("scipy.special", "meta")
    return min(1.0, 2.0 * float(special.bdtr(min(wins, losses), wins + losses, 0.5)))
