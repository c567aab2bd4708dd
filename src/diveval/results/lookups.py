"""Names and arrays of a table of scores: where a name stands, how a metric is spelt, means, equality."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.errors import UsageError, quote, suggestion
from diveval.metrics.names import parse


def is_same(mine: NDArray[Any] | None, theirs: NDArray[Any] | None) -> bool:
    """Whether two arrays hold the same values; NaN equals NaN."""
    if mine is None or theirs is None:
        return mine is theirs
    return np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f")


def stack(parts: Sequence[tuple[NDArray[Any] | None, NDArray[Any]]]) -> NDArray[Any] | None:
    """The first arrays of the pairs, concatenated, each replaced by the second if it is None; None if all are None."""
    if all(array is None for array, _ in parts):
        return None
    return np.concatenate([default if array is None else array for array, default in parts])


def means_of(values: NDArray[np.float64], counted: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The means over the last axis of the values that count, from exact sums; 0 where none counts."""
    shape = (math.prod(values.shape[:-1]), values.shape[-1])
    rows, marks = values.reshape(shape), counted.reshape(shape)
    listed: list[list[float]] = rows.tolist()  # type: ignore[assignment]
    for row in np.flatnonzero(~marks.all(axis=1)).tolist():
        listed[row] = rows[row][marks[row]].tolist()
    return np.array([_mean(row) if row else 0.0 for row in listed]).reshape(values.shape[:-1])


def _mean(values: list[float]) -> float:
    """The mean, from the exact sum; finite even where the sum is beyond doubles."""
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        return float(sum(map(Fraction, values)) / len(values))


def find_places(wanted: Sequence[str] | None, names: tuple[str, ...], what: str) -> list[int]:
    """The indices of some runs or topics in the table, or of all."""
    if wanted is None:
        return list(range(len(names)))
    places = {name: place for place, name in enumerate(names)}
    absent = next((name for name in wanted if name not in places), None)
    if absent is not None:
        raise UsageError(
            "unknown-run" if what == "the run" else "unknown-topic",
            f"no scores for {what} {quote(absent)}",
            hint=suggestion(str(absent), names),
        )
    return [places[name] for name in wanted]


def spell_metric(metric: str) -> str:
    """The canonical text of a metric, or the text itself if it is not in the catalogue (a user's metric, a residual)."""
    try:
        return parse(metric).name
    except UsageError:
        return metric
