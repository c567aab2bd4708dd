"""C/W/L: the user behind a metric, as probabilities of going on, of looking at a rank, and of stopping there.

    C(i): the user goes on from rank i to the next.    reach(i) = Π_{j<i} C(j)
    W(i) = reach(i) / Σ reach                          the share of attention that rank i gets
    L(i) = (1 − C(i)) reach(i)                         rank i is the last one looked at

Moffat, Bailey, Scholer and Thomas (2017); the quantities are those of cwl_eval (Azzopardi, Thomas and Moffat, 2019). A
user still there at the end of the horizon stops nowhere: the L of such a list sum to less than 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from diveval.metrics.algebra import Array

HORIZON = 1000
# Gains (…, rank), the cutoff and the metric's parameters to C of the same shape.
Continuation = Callable[..., Array]


class Expected(NamedTuple):
    """What the user expects of each list: gain and cost per document and in all, and documents seen."""

    utility: Array
    total_utility: Array
    cost: Array
    total_cost: Array
    items: Array


def stays(gains: Array, cutoff: int | None) -> NDArray[np.bool_]:
    """Which ranks are above the last one that the metric counts."""
    ranks = np.arange(1, gains.shape[-1] + 1)
    return np.asarray(ranks < (gains.shape[-1] + 1 if cutoff is None else cutoff))


def reach(goes_on: Array, shape: tuple[int, ...]) -> Array:
    """The probability of reaching each rank."""
    reached = np.ones(shape)
    reached[..., 1:] = np.cumprod(np.broadcast_to(goes_on, shape)[..., :-1], axis=-1)
    return reached


def share_attention(goes_on: Array) -> Array:
    """W, from C."""
    reached = reach(goes_on, goes_on.shape)
    return np.asarray(reached * (1.0 / reached.sum(axis=-1, keepdims=True)))


def stop_at(goes_on: Array) -> Array:
    """L, from C."""
    return np.asarray(reach(goes_on, goes_on.shape) * (1.0 - goes_on))


def expect_all(gains: Array, goes_on: Array) -> Expected:
    """Expected utility and cost, per document and in all, and documents seen; every document costs 1."""
    weights, last = share_attention(goes_on), stop_at(goes_on)
    ranks = np.arange(1.0, gains.shape[-1] + 1)
    return Expected(
        (weights * gains).sum(axis=-1),
        (last * np.cumsum(gains, axis=-1)).sum(axis=-1),
        weights.sum(axis=-1),
        (last * ranks).sum(axis=-1),
        np.asarray(1.0 / weights[..., 0]),
    )
