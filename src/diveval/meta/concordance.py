"""Concordance, or intuitiveness: where two metrics disagree, which one sides with a simple gold metric?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from diveval.errors import UsageError, need
from diveval.meta.outputs import Outputs, outputs
from diveval.scores import Scores
from diveval.stats.results import Result

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


@dataclass(frozen=True)
class Concordance(Result):
    """Every pair of metrics, judged by the gold metrics together."""

    gold: tuple[str, ...]
    rows: tuple[ConcordanceRow, ...]

    reference: ClassVar[str] = (
        "T. Sakai. Evaluation with Informational and Navigational Intents. WWW 2012; T. Sakai. How Intuitive Are "
        "Diversified Search Metrics? Concordance Test Results for the Diversity U-measures. AIRS 2013."
    )
    columns: ClassVar[tuple[str, ...]] = tuple(ConcordanceRow.__dataclass_fields__)


def concordance(scores: Scores, *, gold: str | Sequence[str], metrics: Sequence[str] | None = None) -> Concordance:
    """Sakai's concordance test between metrics, against one or several gold metrics of the same table.

    Over the unordered pairs of outputs of a topic, all topics pooled: the metrics m1 and m2 disagree when one strictly
    prefers what the other strictly rejects. m1 is concordant there when no gold metric contradicts it,
    Δm1 · Δgold ≥ 0 for every gold (a gold tie contradicts neither, so both may be concordant). The share of m1 is
    concordant / disagreements. The two-sided sign test uses the disagreements where exactly one of the two is
    concordant. Gold metrics are simple on purpose: S-Recall for diversity, P for relevance, both for both at once.
    """
    golds = _names(scores, (gold,) if isinstance(gold, str) else gold)
    if not golds:
        raise UsageError("concordance needs at least one gold metric")
    others = [metric for metric in scores.metrics if metric not in golds]
    chosen = others if metrics is None else _names(scores, metrics)
    if len(chosen) < 2:
        raise UsageError(f"concordance compares metrics: at least two beside the gold are needed, got {len(chosen)}")
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
    # A metric stands first either by saying up or, in the transposed count, by saying down.
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
        raise UsageError(f"a sign test needs at least one win or loss, got {wins} and {losses}")
    special = need("scipy.special", "meta")
    return min(1.0, 2.0 * float(special.bdtr(min(wins, losses), wins + losses, 0.5)))
