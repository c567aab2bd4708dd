"""Everything a results section needs, by file name."""

from __future__ import annotations

from collections.abc import Mapping

from diveval.publishing.captions import caption_figures
from diveval.publishing.methods import describe_methods, methods, references
from diveval.publishing.results_table import ResultsTable, gains_of
from diveval.results.pictures import render
from diveval.results.protocol import Result
from diveval.results.scores import Scores
from diveval.results.statements import Statement, show_evidence
from diveval.results.table_text import csv_text, latex_escape


def contents_of(
    table: ResultsTable,
    scores: Scores,
    *,
    figures: bool,
    command: str,
    queries: Mapping[str, str] | None = None,
    evidence: bool = False,
    losses: Result | None = None,
) -> dict[str, str | bytes]:
    """The tables, the methods paragraph, the references, the captions, the command, and the figures as PDF and SVG.

    With `losses`, also these as CSV and LaTeX; with `queries`, the topics behind the figure of gains, largest first, each with its query; with `evidence`, the
    facts and the rows behind every sentence of methods and captions.
    """
    captions = {"results": table.statement(), **caption_figures(scores, table)}
    if losses is not None:
        captions["losses"] = losses.statements[0]
    contents: dict[str, str | bytes] = {
        "table.tex": table.to_latex(),
        "table.md": table.to_markdown(),
        "table.csv": table.to_csv(),
        "methods.tex": methods(table),
        "references.bib": references(table),
        "captions.tex": captions_text(captions),
        "command.txt": command + "\n",
    }
    if losses is not None:
        contents |= {"losses.csv": losses.to_csv(), "losses.tex": losses.to_latex()}
    if evidence:
        contents["evidence.txt"] = show_evidence([*describe_methods(table), *captions.values()])
    if queries is not None:
        contents["topics.csv"] = gains_text(scores, table, queries)
    if figures:
        from diveval.publishing.figures import figures as drawn

        for name, chart in drawn(scores, table).items():
            contents.update({f"{name}.{form}": render(chart, form) for form in ("pdf", "svg")})
    return contents


def captions_text(captions: Mapping[str, Statement]) -> str:
    """A LaTeX command per caption, to be used as the argument of `caption`."""
    lines = [f"\\newcommand{{\\caption{name}}}{{{latex_escape(one.text)}}}" for name, one in captions.items()]
    return "\n".join(lines) + "\n"


def gains_text(scores: Scores, table: ResultsTable, queries: Mapping[str, str]) -> str:
    """`topic,query,run,other,metric,difference`, full doubles: what the figure of gains draws."""
    best, other, gaps = gains_of(scores, table)
    rows = ([t, queries.get(t, ""), best, other, scores.metrics[0], repr(gap)] for t, gap in gaps.items())
    return csv_text(["topic", "query", "run", "other", "metric", "difference"], rows)
