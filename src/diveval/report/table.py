"""A report on a table of scores alone, whatever they were made from: recommendations, answers, a leaderboard's file."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from diveval import __version__, tables
from diveval.errors import UsageError
from diveval.files import write_atomically
from diveval.report.page import page
from diveval.report.provenance import fingerprint
from diveval.scores import Scores
from diveval.views.board import leaderboard, topic_values
from diveval.views.headline import headline, sizes
from diveval.views.judging import MetricQuality
from diveval.views.marks import legend

MOST_TOPICS = 1000  # shown one by one; of more, every n-th


def write_report(scores: Scores, path: str | Path, *, title: str = "Scores", notes: Sequence[str] = ()) -> Path:
    """Write one HTML page that shows the scores: leaderboard, topics, agreement of metrics, and how it was made.

    Args:
        scores: a table from any evaluation.
        path: the page to write.
        title: its heading.
        notes: what the reader should know, shown at the end.
    """
    return Path(write_atomically(path, page(table_contents(scores, title=title, notes=notes))))


def table_contents(
    scores: Scores,
    *,
    title: str = "Scores",
    command: Sequence[str] = (),
    files: Sequence[str] = (),
    notes: Sequence[str] = (),
    facts: Sequence[tuple[str, str]] = (),
    absent: dict[str, list[str]] | None = None,
) -> dict[str, Any]:
    """The data of the views that need nothing but scores. Means are of all topics, also where not all are shown."""
    by_topic = [metric for m, metric in enumerate(scores.metrics) if scores.counted[:, m].any()]
    if not by_topic:
        raise UsageError("a report needs a metric with a value for each topic; these are values of whole runs")
    judged = MetricQuality.of(scores.select(metrics=by_topic))
    lacking = absent or {}
    board = leaderboard(scores, judged.power)
    said = [*notes, *scores.notes]
    shown = scores
    if len(scores.topics) > MOST_TOPICS:
        some = [int(t) for t in np.linspace(0, len(scores.topics) - 1, MOST_TOPICS).round()]
        said.append(f"Of {len(scores.topics):,} topics, {MOST_TOPICS:,} are shown one by one, evenly chosen.")
        shown = Scores.of(
            scores.values[:, :, some],
            runs=scores.runs,
            metrics=scores.metrics,
            topics=[scores.topics[t] for t in some],
            counted=scores.counted[:, :, some],
            best=scores.best,
        )
    return {
        "title": title,
        "summary": sizes(scores),
        "runs": list(scores.runs),
        "topics": list(shown.topics),
        "metrics": list(scores.metrics),
        "absent": lacking,
        "missing_rule": "zero",
        "texts": {},
        "marks": legend(),
        "headline": _opening(headline(scores.select(metrics=by_topic), judged, lacking, [])),
        "leaderboard": board,
        "values": topic_values(shown),
        "judged": judged.tables(),
        "made": _made(scores, command=command, files=files, notes=said, facts=facts),
    }


def _opening(sentences: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    """Where a sentence of the headline points at rankings, it points at the topics here."""
    for clause in (clause for sentence in sentences for clause in sentence):
        if clause["open"] and clause["open"].get("view") == "inspector":
            clause["open"] = {**clause["open"], "view": "topics"}
    return sentences


def _made(
    scores: Scores,
    *,
    command: Sequence[str],
    files: Sequence[str],
    notes: Sequence[str],
    facts: Sequence[tuple[str, str]],
) -> dict[str, Any]:
    said = [
        *([("Command", shlex.join(command))] if command else []),
        ("Versions", f"diveval {__version__}, Python {platform.python_version()}"),
        *facts,
    ]
    return {
        "facts": [[name, text] for name, text in said],
        "files": [{"path": path, **fingerprint(path)} for path in files if Path(path).is_file()],
        "notes": list(dict.fromkeys(notes)),
        "csv": tables.csv_text(scores, per_topic=False),
        "latex": tables.latex_text(scores),
    }
