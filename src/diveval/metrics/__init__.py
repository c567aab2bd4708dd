"""Metrics: the algebra, the catalogue that composes it, and names."""

from diveval.metrics.metric import Metric
from diveval.metrics.names import MetricText, as_metric, as_metrics, compose, entries, find, parse
from diveval.metrics.ranking import Ranking

__all__ = ["Metric", "MetricText", "Ranking", "as_metric", "as_metrics", "compose", "entries", "find", "parse"]
