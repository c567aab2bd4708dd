"""Metrics: the algebra, the catalogue that composes it, and names.

The names below are imported on first use: `import diveval` imports this package, and must cost numpy only.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diveval.metrics.metric import Metric
    from diveval.metrics.names import MetricText, as_metric, as_metrics, compose, entries, find, parse
    from diveval.metrics.ranking import Ranking

__all__ = ["Metric", "MetricText", "Ranking", "as_metric", "as_metrics", "compose", "entries", "find", "parse"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = {"Metric": "metric", "Ranking": "ranking"}.get(name, "names")
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)
