"""What every part of a metric has, and operations on arrays of which no bit depends on the rest of a batch."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
OWN = ("diveval.metrics.", "diveval.exact.")  # the modules of parts of which something is known


class Part:
    """A declaration or a part of one: a dataclass some of whose fields are parts too."""

    @property
    def parts(self) -> list[Part]:
        """The part itself and everything it is composed of."""
        inner = (getattr(self, one.name) for one in fields(self))  # type: ignore[arg-type]
        return [self, *(part for value in inner if isinstance(value, Part) for part in value.parts)]

    @property
    def is_function(self) -> bool:
        """Whether this is a function of the user's, of which nothing else is known."""
        return False

    @property
    def has_user_code(self) -> bool:
        """Whether some of its code is not diveval's: a function, or a subclass, which may do anything."""
        return any(part.is_function or not type(part).__module__.startswith(OWN) for part in self.parts)


def running(values: NDArray[Any], by: np.ufunc = np.add) -> Array:
    """Running sums (or products, or maxima) along the last axis, accumulated from left to right as in a loop.

    If the rows are contiguous in memory (see `blocks._grid`), one call per place handles all rows at once; numpy's
    `accumulate` would go row by row with strided access. Both orders give the same bits.
    """
    if values.ndim < 2 or values.shape[-1] < 2 or values.strides[-1] <= values.strides[-2]:
        return np.asarray(by.accumulate(values, axis=-1, dtype=np.int64 if values.dtype == bool else None))
    out: Array = values.astype(np.int64) if values.dtype == bool else values.copy(order="K")
    for i in range(1, values.shape[-1]):
        by(out[..., i - 1], out[..., i], out=out[..., i])
    return out


def look_up(table: Array, places: NDArray[Any]) -> Array:
    """table[places] in the memory layout of `places`. `take` needs a third of the time of indexing, but always returns
    an array in row order, hence the transpositions."""
    if places.ndim < 2 or places.strides[-1] <= places.strides[-2]:
        return np.asarray(table.take(places))
    return np.asarray(table.take(places.swapaxes(-1, -2)).swapaxes(-1, -2))


def weighted_sum(values: Array, weights: Array) -> Array:
    """Σ weight · value over the first axis, in its order.

    The bits do not depend on the rest of the batch; those of a matrix product do. Each weight is one number, or an
    array for the first axes of its value.
    """
    total = np.zeros_like(values[0]) if len(values) else np.zeros(values.shape[1:])
    part = np.empty_like(total)
    for value, weight in zip(values, weights, strict=True):
        np.multiply(value, weight.reshape(weight.shape + (1,) * (value.ndim - weight.ndim)), out=part)
        total += part
    return total
