"""On which topics the best run gains over the baseline, or over the runner-up: behind a figure and a table."""

from __future__ import annotations

from diveval.publishing.results import ResultsTable
from diveval.scores import Scores


def gains_of(scores: Scores, table: ResultsTable) -> tuple[str, str, dict[str, float]]:
    """The two runs, and by topic the first metric's difference between them, largest first."""
    others = [run for run in table.runs if run != table.baseline]
    best, other = others[0], table.baseline if table.baseline is not None else others[1]
    first, second = (scores.per_topic(run, scores.metrics[0]) for run in (best, other))
    gaps = {topic: float(first[topic] - second[topic]) for topic in first if topic in second}
    return best, other, dict(sorted(gaps.items(), key=lambda item: -item[1]))
