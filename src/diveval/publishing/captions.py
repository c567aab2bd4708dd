"""The captions of the figures of a results section, each a statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diveval.errors import count_of, level_text
from diveval.publishing.results_table import ResultsTable, count_topics, gains_of
from diveval.results.scores import Scores
from diveval.results.statements import Statement, words
from diveval.stats.intervals import interval


def caption_figures(scores: Scores, table: ResultsTable) -> dict[str, Statement]:
    """The caption of each figure by its file name without ending."""
    confidence, sizes = table.comparisons[0].confidence, {"runs": len(table.runs), "topics": table.topics}
    shown = {"means": scores.metrics[:1], **({"metrics": scores.metrics} if len(table.metrics) > 1 else {})}
    captions = {}
    for name, metrics in shown.items():
        rows = tuple(
            {"metric": metric, "run": row.run, "mean": row.mean, "low": row.low, "high": row.high}
            for metric in metrics
            for row in interval(scores, metric, confidence=confidence).rows
        )
        facts = {"metrics": table.labels[: len(metrics)], **sizes, "confidence": confidence}
        facts |= table.lacking_topics(len(metrics))
        if all(row["low"] is None for row in rows):
            facts["intervals"] = False
        captions[name] = Statement("caption-means", facts, rows)
    if len(table.runs) > 1:
        captions["topics"] = _gains(scores, table)
    if len(table.metrics) > 1 and len(table.runs) > 2:
        facts = {"metrics": table.labels, "runs": len(table.runs)}
        captions["agreement"] = Statement("caption-agreement", facts, tuple(table.records()))
    return captions


def _gains(scores: Scores, table: ResultsTable) -> Statement:
    best, other, gaps = gains_of(scores, table)
    facts = {
        "metric": table.labels[0],
        "run": best,
        "other": other,
        "above": sum(gap > 0 for gap in gaps.values()),
        "equal": sum(gap == 0 for gap in gaps.values()),
        "below": sum(gap < 0 for gap in gaps.values()),
    }
    return Statement("caption-topics", facts, tuple({"topic": topic, "difference": gap} for topic, gap in gaps.items()))


@words("caption-means")
def _word_means(
    metrics: Sequence[str],
    runs: int,
    topics: int,
    confidence: float,
    intervals: bool = True,
    skipped: Sequence[str] = (),
    fewer: Mapping[str, int] | None = None,
) -> str:
    text = f"Mean {', '.join(metrics)} of {count_of(runs, 'run')} over {count_topics(topics, fewer or {})}"
    if skipped:
        text += f", by {', '.join(skipped)} over those that a run answers"
    if not intervals:
        return f"{text}, without intervals, which need two topics."
    return (
        f"{text}, each with its own {level_text(confidence)} t-interval; the intervals are neither simultaneous nor of differences"
        " between runs."
    )


@words("caption-topics")
def _word_gains(metric: str, run: str, other: str, above: int, equal: int, below: int) -> str:
    return (
        f"{metric} of {run} minus that of {other} by topic, sorted: above 0 for {above}, 0 for {equal} and below 0 for"
        f" {below} topics."
    )


@words("caption-agreement")
def _word_agreement(metrics: Sequence[str], runs: int) -> str:
    return f"Kendall's τ-b between the orders that {len(metrics)} metrics give {count_of(runs, 'run')} by their means."
