"""Metric names as papers print them: `α-nDCG@20`, with parameters only where two columns would look alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from diveval.errors import UsageError
from diveval.metrics.metric import Metric
from diveval.metrics.names import parse

_GREEK = {"alpha": "α", "beta": "β", "lam": "λ"}


def labels(names: Sequence[str]) -> list[str]:
    """A readable label for each metric of a table, all different where the names are."""
    metrics = [_parsed(name) for name in names]
    short = [name if metric is None else label(metric) for name, metric in zip(names, metrics, strict=True)]
    often = Counter(short)
    return [
        text if metric is None or often[text] == 1 else f"{text} ({_settings(metric)})"
        for text, metric in zip(short, metrics, strict=True)
    ]


def label(metric: Metric) -> str:
    """A metric's name and cutoff; another tool's metric keeps the tool's name."""
    entry = metric.entry
    if entry is None or "." in entry.name:
        return metric.name
    depth = "" if metric.cutoff is None else f"@{metric.cutoff}"
    return (entry.label or entry.name.replace("_", "-")) + depth


def _settings(metric: Metric) -> str:
    numbers = {name: value for name, value in metric.values.items() if isinstance(value, int | float)}
    return ", ".join(f"{_GREEK.get(name, name)} = {value:g}" for name, value in numbers.items())


def _parsed(name: str) -> Metric | None:
    try:
        return parse(name)
    except UsageError:
        return None
