"""Corrections for many comparisons at once, in their plain step-wise form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from diveval.errors import UsageError


def holm(p: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Holm's step-down adjustment, which controls the chance of any false discovery.

    With p sorted ascending: adjusted(i) = max over j ≤ i of min(1, (n − j + 1) · p(j)).
    S. Holm. A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of Statistics, 1979.
    """
    values = _checked(p)
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * values[order]))
    return adjusted


def benjamini_hochberg(p: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Benjamini and Hochberg's step-up adjustment, which controls the share of false discoveries.

    With p sorted ascending: adjusted(i) = min over j ≥ i of min(1, n / j · p(j)).
    Y. Benjamini, Y. Hochberg. Controlling the False Discovery Rate. Journal of the Royal Statistical Society B, 1995.
    """
    values = _checked(p)
    order = np.argsort(values, kind="stable")[::-1]
    factors = len(values) / np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(factors * values[order]))
    return adjusted


def unchanged(p: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """No adjustment."""
    return _checked(p)


CORRECTIONS = {"holm": holm, "bh": benjamini_hochberg, "none": unchanged}


def _checked(p: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    values = np.array(p, dtype=np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise UsageError("p-values must lie between 0 and 1")
    return values
