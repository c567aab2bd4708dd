"""Helpers of all views: progress, results that may fail, texts of topics, and scores without undefined values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from diveval.errors import DivevalError, capture_warnings
from diveval.metrics.names import MetricText, labels
from diveval.reading.texts import Texts
from diveval.results.scores import Scores
from diveval.stats.ties import find_unsquarable

T = TypeVar("T")


def testable(scores: Scores) -> Scores:
    """The scores without metrics that are undefined on some topic by their tool's own rule, or of no usual size."""
    outside = find_unsquarable(scores)
    finite = [m for i, m in enumerate(scores.metrics) if np.isfinite(scores.values[:, i]).all() and m not in outside]
    return scores if len(finite) == len(scores.metrics) else scores.select(metrics=finite)


def topic_texts(texts: Texts, topics: Sequence[str]) -> dict[str, Any]:
    """Query, description and aspects of the topics that have them, as plain data."""
    present = ((topic, texts.topics[topic]) for topic in topics if topic in texts.topics)
    return {t: {"query": x.query, "description": x.description, "aspects": dict(x.aspects)} for t, x in present}


def attempt(compute: Callable[[], T]) -> tuple[T | None, list[str]]:
    """A result and its warnings; where it cannot be computed from this data, None and the reason."""
    with capture_warnings() as notes:
        try:
            result: T | None = compute()
        except DivevalError as error:
            result = None
            reason = str(error)
    texts = [str(note) for note in notes]
    return result, texts if result is not None else [reason, *texts]


def heading_of(name: str) -> list[str]:
    """The head of a metric's column in two lines: its label, and below it the settings."""
    plain, settings = MetricText.of(name).heading
    return [*labels([plain]), settings]
