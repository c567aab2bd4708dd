"""Metrics: the algebra, the catalogue that composes it, and names."""

from diveval.metrics.metric import Metric
from diveval.metrics.names import as_metric, as_metrics, entries, find, parse
from diveval.metrics.ranking import Ranking

__all__ = ["Metric", "Ranking", "as_metric", "as_metrics", "entries", "find", "parse"]
