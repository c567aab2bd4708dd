"""Everything a results section needs, by file name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diveval.metrics.metric import Metric
from diveval.publishing.methods import methods, references
from diveval.publishing.results_table import ResultsTable, gains_of
from diveval.results.pictures import render
from diveval.results.scores import Scores
from diveval.results.table_text import csv_text
from diveval.settings import Options


def contents_of(
    table: ResultsTable,
    scores: Scores,
    metrics: Sequence[Metric],
    options: Options,
    *,
    figures: bool,
    command: str,
    queries: Mapping[str, str] | None = None,
) -> dict[str, str | bytes]:
    """The tables, the methods paragraph, the references, the command, and the figures as PDF and SVG.

    With `queries`, also the topics behind the figure of gains, largest first, each with its query.
    """
    contents: dict[str, str | bytes] = {
        "table.tex": table.to_latex(),
        "table.md": table.to_markdown(),
        "table.csv": table.to_csv(),
        "methods.tex": methods(table, metrics, options),
        "references.bib": references(table, metrics),
        "command.txt": command + "\n",
    }
    if queries is not None:
        contents["topics.csv"] = gains_text(scores, table, queries)
    if figures:
        from diveval.publishing.figures import figures as drawn

        for name, chart in drawn(scores, table).items():
            contents.update({f"{name}.{form}": render(chart, form) for form in ("pdf", "svg")})
    return contents


def gains_text(scores: Scores, table: ResultsTable, queries: Mapping[str, str]) -> str:
    """`topic,query,run,other,metric,difference`, full doubles: what the figure of gains draws."""
    best, other, gaps = gains_of(scores, table)
    rows = ([t, queries.get(t, ""), best, other, scores.metrics[0], repr(gap)] for t, gap in gaps.items())
    return csv_text(["topic", "query", "run", "other", "metric", "difference"], rows)
