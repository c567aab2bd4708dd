"""trec_eval's measures that tell documents judged not relevant from unjudged ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from diveval.metrics.algebra import Array, running
from diveval.metrics.batch import Batch, divide, last, once
from diveval.metrics.compat.trec_seen import JudgedDocuments, count_in_judgments, find_judged

INFERRED = 0.00001  # trec_eval's INFAP_EPSILON


def _relevant(shown: JudgedDocuments, level: int) -> NDArray[np.bool_]:
    return shown.grades >= level


def _not_relevant(shown: JudgedDocuments, level: int) -> NDArray[np.bool_]:
    return (shown.grades >= 0) & (shown.grades < level)


@once
def binary_preference(batch: Batch, cutoff: int | None, level: int) -> Array:
    """(1/R) Σ over the relevant found of 1 − min(judged not relevant above, R) / min(judged not relevant, R)."""
    shown = find_judged(batch)
    in_judgments = count_in_judgments(batch, lambda grades: grades >= level)
    others = count_in_judgments(batch, lambda grades: (grades >= 0) & (grades < level))
    return prefer(_relevant(shown, level), _not_relevant(shown, level), in_judgments, others)


def prefer(
    relevant: NDArray[np.bool_], others: NDArray[np.bool_], in_judgments: NDArray[np.int64], judged: NDArray[np.int64]
) -> Array:
    """bpref of lists of judged documents, from which of them are relevant and how many of each kind are judged."""
    above = np.minimum(running(others), in_judgments[:, np.newaxis])
    share = 1.0 - above / np.maximum(np.minimum(judged, in_judgments), 1)[:, np.newaxis]
    return divide(last(np.where(relevant, share, 0.0)), in_judgments)


def infer_precision(batch: Batch, cutoff: int | None, level: int) -> Array:
    """AP whose precision above each relevant document is estimated from the judged part of the pool."""
    shown = find_judged(batch)
    in_judgments = count_in_judgments(batch, lambda grades: grades >= level)
    return infer(shown, _relevant(shown, level), _not_relevant(shown, level), in_judgments)


def infer(
    shown: JudgedDocuments,
    relevant: NDArray[np.bool_],
    not_relevant: NDArray[np.bool_],
    in_judgments: NDArray[np.int64],
) -> Array:
    """infAP of lists, from which of their judged documents are relevant."""
    above = running(relevant) - relevant
    others = running(not_relevant)
    pooled = running(np.isfinite(shown.grades) & (shown.grades < 0))
    before = np.maximum(shown.ranks - 1.0, 1.0)  # the value at rank 1 is replaced below
    estimate = (above + INFERRED) / (above + others + 2 * INFERRED)
    expected = 1.0 / (before + 1.0) + (before / (before + 1.0)) * ((above + others + pooled) / before) * estimate
    value = np.where(shown.ranks == 1, 1.0, expected)
    return np.asarray(last(np.where(relevant, value, 0.0)) / np.maximum(in_judgments, 1))


def nonrelevant_judged(batch: Batch, cutoff: int | None, level: int) -> Array:
    """Documents of the list judged not relevant."""
    return np.asarray(np.count_nonzero(_not_relevant(find_judged(batch), level), axis=1), dtype=np.float64)


def share_unjudged(batch: Batch, cutoff: int) -> Array:
    """Unjudged documents among the first k, over k."""
    shown = find_judged(batch)
    judged = np.count_nonzero((shown.grades >= 0) & (shown.ranks <= cutoff), axis=1)
    return np.asarray((batch.visible(cutoff) - judged) / cutoff)


def residual_of_rbp(batch: Batch, cutoff: int | None) -> Array:
    """p^n + (1−p) Σ over the unjudged i of p^(i−1) with p = 0.9; 0 if every document is judged."""
    shown, p = find_judged(batch), 0.9
    judged = shown.grades >= 0
    held = last(np.where(judged, p ** (shown.ranks - 1.0), 0.0))
    rest = p**batch.lengths
    unjudged = (1.0 - rest) / (1.0 - p) - held
    return np.where(np.count_nonzero(judged, axis=1) < batch.lengths, rest + (1.0 - p) * unjudged, 0.0)
