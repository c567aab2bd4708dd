"""Data for the section on axioms: the matrix of the chosen metrics, and the evidence behind each of its cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from diveval.metrics import Metric


def axioms(metrics: Sequence[Metric]) -> dict[str, Any]:
    """The matrix of the metrics."""
    return {"notes": [], "metrics": [m.name for m in metrics]}
