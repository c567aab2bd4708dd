"""System outputs as ranks: what unanimity, strictness and concordance compare, topic by topic, free of float noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from diveval.errors import InputError, UsageError
from diveval.scores import Scores
from diveval.stats.ties import TOLERANCE, dense_ranks, require_finite


@dataclass(frozen=True)
class Outputs:
    """Dense ranks of the runs (0 is worst, also where lower values are better) per metric and topic, and which outputs take part.

    An output is what one run returned for one topic. It takes part when every metric counts that topic for that run,
    so that all metrics judge the same pairs.
    """

    ranks: NDArray[np.unsignedinteger]  # metric × topic × run, the smallest type that fits
    present: NDArray[np.bool_]  # topic × run


def outputs(scores: Scores, *, tolerance: float = TOLERANCE) -> Outputs:
    """Rank the outputs of every topic under every metric (the rule of `stats.ties.dense_ranks`)."""
    if not tolerance >= 0.0:
        raise UsageError(f"tolerance must be 0 or more, got {tolerance}")
    if len(scores.runs) < 2:
        raise UsageError(f"at least two runs are needed to compare outputs, got {len(scores.runs)}")
    require_finite(scores)
    present = scores.counted.all(axis=1).T
    small = np.min_scalar_type(len(scores.runs) - 1)
    ranks = np.empty((len(scores.metrics), len(scores.topics), len(scores.runs)), dtype=small)
    # An absent output takes the value of a present one, so that it can neither split a tie nor widen one.
    stand_in = np.argmax(present, axis=1)
    for m in range(len(scores.metrics)):
        table = scores.values[:, m, :].T * scores.signs[m]
        shown = np.where(present, table, np.take_along_axis(table, stand_in[:, None], axis=1))
        ranks[m] = dense_ranks(np.where(present.any(axis=1, keepdims=True), shown, 0.0), tolerance=tolerance)
    return Outputs(ranks, present)


def mean_ranks(scores: Scores) -> NDArray[np.intp]:
    """Dense ranks of the runs by their mean, metric × run, 0 is worst; a run without a counted topic is refused."""
    if len(scores.runs) < 2:
        raise UsageError(f"at least two runs are needed to rank them, got {len(scores.runs)}")
    require_finite(scores)
    empty = np.argwhere(~scores.counted.any(axis=2))
    if len(empty):
        run, metric = scores.runs[empty[0][0]], scores.metrics[empty[0][1]]
        raise InputError(f"run {run} has no counted topic for {metric}: it has no mean; leave the run or metric out")
    return dense_ranks(scores.means.T * scores.signs[:, np.newaxis])
