"""Strictness: does a high score from a metric ensure a high score from every other metric?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from diveval.errors import InputError, UsageError
from diveval.meta.outputs import Outputs, outputs
from diveval.scores import Scores
from diveval.stats.results import Result


@dataclass(frozen=True)
class StrictnessRow:
    """One metric; `overscored` is the share of outputs it places above their lowest place under another metric."""

    metric: str
    strictness: float
    overscored: float
    outputs: int


@dataclass(frozen=True)
class Strictness(Result):
    """Strictness of every metric, in the order the metrics came."""

    rows: tuple[StrictnessRow, ...]

    reference: ClassVar[str] = (
        "E. Amigó, J. Gonzalo, F. Verdejo. A General Evaluation Measure for Document Organization Tasks. SIGIR 2013 "
        "(the idea; the definition here is exact and our own)."
    )
    columns: ClassVar[tuple[str, ...]] = tuple(StrictnessRow.__dataclass_fields__)


def strictness(scores: Scores) -> Strictness:
    """How seldom, and how little, a metric outscores outputs that another metric scores low.

    Amigó et al. (2013) call a metric strict when a high score from it ensures a high score from the others; the
    RBU paper recalls it as "to what extent a metric can outscore [outputs] that achieve a low score according to other
    metrics". The exact definition used here: let u_m(a) ∈ [0, 1] be the place of output a among the outputs of its
    topic under m (share of the others that m places below a, a tie counts ½). Then

        Strictness(m) = 1 − mean over outputs a of max(0, u_m(a) − min over m' ≠ m of u_m'(a))

    1 means that no output stands higher under m than under its harshest judge. Places, not scores, are compared, so
    the scale of a metric plays no part. An output takes part when every metric counts it.
    """
    if len(scores.metrics) < 2:
        raise UsageError(f"strictness compares a metric with others: two or more are needed, got {len(scores.metrics)}")
    places = _places(outputs(scores))
    count = places.shape[1]
    if count == 0:
        raise InputError("no two runs share a topic that every metric counts: strictness is undefined")
    lowest, second = np.sort(places, axis=0)[:2]
    harshest = np.argmin(places, axis=0)
    rows = []
    for m, metric in enumerate(scores.metrics):
        others = np.where(harshest == m, second, lowest)
        excess = np.maximum(0.0, places[m] - others)
        rows.append(StrictnessRow(metric, float(1 - excess.mean()), float((excess > 0).mean()), count))
    return Strictness(tuple(rows))


def _places(judged: Outputs) -> NDArray[np.float64]:
    """u, metric × output: the share of the topic's other outputs that stand below, ties counting ½."""
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
