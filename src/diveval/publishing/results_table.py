"""Runs × metrics with the significance of every column: the table of a results section, in every form it is printed."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from diveval.defaults import CONFIDENCE, CORRECTION, RESAMPLES, SEED, TEST
from diveval.errors import count_of
from diveval.metrics.metric import Best
from diveval.metrics.names import labels
from diveval.results.protocol import Result, deliver
from diveval.results.scores import Scores
from diveval.results.table_text import TextTable, align, in_markdown, latex_escape, latex_lines
from diveval.stats.comparison import Comparison, Correction, compare
from diveval.stats.tests import describe_test

ABOVE, BELOW = "†", "‡"
COLUMN = 240  # points of a two-column paper's column


class ResultCell(NamedTuple):
    """A run's mean on a metric, whether it is the best, and its marks of significance."""

    mean: float | None
    best: bool
    mark: str  # † better and ‡ worse than the baseline, significantly; letters where all pairs are compared


@dataclass(frozen=True, repr=False)
class ResultsTable(Result):
    """Runs from the best on the first metric down, a column per metric, and how the columns were tested."""

    runs: tuple[str, ...]
    metrics: tuple[str, ...]
    cells: tuple[tuple[ResultCell, ...], ...]  # run × metric
    coverage: tuple[str, ...]  # `49/50` for a run that lacks topics, else empty
    topics: int
    comparisons: tuple[Comparison, ...]

    header: ClassVar[tuple[str, ...]] = ("run", "metric", "mean", "best", "mark", "topics")

    @property
    def labels(self) -> list[str]:
        """The metrics as a paper prints them."""
        return labels(self.metrics)

    @property
    def baseline(self) -> str | None:
        """The run that all others are compared with, if there is one."""
        return self.comparisons[0].baseline

    @property
    def names(self) -> list[str]:
        """The runs, with the topics they answered where they lack some."""
        return [f"{run} ({seen})" if seen else run for run, seen in zip(self.runs, self.coverage, strict=True)]

    def caption(self) -> str:
        """What the table shows and how it was tested, in plain text."""
        first = self.comparisons[0]
        marks = (
            f"{ABOVE} and {BELOW} mark runs significantly better and worse than {first.baseline}"
            if first.baseline is not None
            else "runs that share no letter in a column differ significantly"
        )
        lacking = "; n/m behind a run: it answers n of m topics" if any(self.coverage) else ""
        return (
            f"Means over {count_of(self.topics, 'topic')} for {count_of(len(self.runs), 'run')}; the best of each column is bold; {marks}"
            f" ({describe_test(first.setup)}){lacking}."
        )

    def to_text(self, width: int = 80) -> str:
        """For a terminal: aligned columns, * at the best value."""
        head = ["run", *(part for label in self.labels for part in (label, ""))]
        rows = [
            [name, *(part for cell in row for part in (_number(cell.mean) + "*" * cell.best, cell.mark))]
            for name, row in zip(self.names, self.cells, strict=True)
        ]
        # A number without a star gets a blank instead, so that decimal points are aligned.
        rows = [
            [text if i % 2 == 0 or text.endswith("*") else text + " " for i, text in enumerate(row)] for row in rows
        ]
        lines = [line.rstrip() for line in align([head, *rows], "<" + "><" * len(self.labels))]
        caption = textwrap.wrap(self.caption().replace("is bold", "has *"), width)
        return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:], "", *caption, ""])

    def to_markdown(self, path: str | Path | None = None) -> str:
        """A GitHub table, the best in bold, the caption below; also written to `path` if given."""
        return deliver(f"{self.display().markdown()}\n{in_markdown(self.caption())}\n", path)

    def display(self) -> TextTable:
        """The means with their marks, the best in bold."""
        rows = [
            [name, *(f"{_number(cell.mean)} {cell.mark}".rstrip() for cell in row)]
            for name, row in zip(self.names, self.cells, strict=True)
        ]
        bold = {(r, m + 1) for r, row in enumerate(self.cells) for m, cell in enumerate(row) if cell.best}
        kinds = "l" + "r" * len(self.metrics)
        return TextTable(["run", *self.labels], rows, kinds, frozenset(bold), self.caption())

    def records(self) -> list[dict[str, Any]]:
        """One row per run and metric."""
        whole = f"{self.topics}/{self.topics}"
        return [
            dict(zip(self.header, (run, metric, cell.mean, int(cell.best), cell.mark, seen or whole), strict=True))
            for run, row, seen in zip(self.runs, self.cells, self.coverage, strict=True)
            for metric, cell in zip(self.metrics, row, strict=True)
        ]

    def to_latex(self, path: str | Path | None = None) -> str:
        """A complete table environment with booktabs, caption and label; over both columns where one is too narrow."""
        kind = "table*" if self._points() > COLUMN else "table"
        rows = [[latex_escape(name), *map(_latex_cell, row)] for name, row in zip(self.names, self.cells, strict=True)]
        body = latex_lines(["Run", *map(latex_escape, self.labels)], rows, "l" * (1 + len(self.metrics)))
        return deliver(latex_table(latex_escape(self.caption()), "results", body, kind=kind), path)

    def _points(self) -> float:
        """About how wide LaTeX prints the table in a font of 9 points."""
        columns = [["Run", *self.names]]
        for label, cells in zip(self.labels, zip(*self.cells, strict=True), strict=True):
            columns.append([label, *(_number(cell.mean) + cell.mark for cell in cells)])
        return sum(4.5 * max(map(len, column)) + 12 for column in columns)


def results_table(
    scores: Scores,
    *,
    baseline: str | None = None,
    test: str = TEST,
    correction: Correction = CORRECTION,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> ResultsTable:
    """Test every metric's column and lay the means out; the arguments are those of `compare`."""
    comparisons = [
        compare(
            scores,
            metric,
            baseline=baseline,
            test=test,
            correction=correction,
            confidence=confidence,
            resamples=resamples,
            seed=seed,
        )
        for metric in scores.metrics
    ]
    order = [run.run for run in comparisons[0].runs]
    columns = [_column(comparison, order, best) for comparison, best in zip(comparisons, scores.best, strict=True)]
    return ResultsTable(
        tuple(order),
        scores.metrics,
        tuple(zip(*columns, strict=True)),
        _coverage(scores, order),
        len(scores.topics),
        tuple(comparisons),
        setup=comparisons[0].setup,
    )


def _column(comparison: Comparison, order: Sequence[str], best: Best) -> list[ResultCell]:
    sign = -1.0 if best == "low" else 1.0
    means = {run.run: run.mean for run in comparison.runs}
    values = [sign * round(mean, 4) for mean in means.values() if mean is not None]
    top = max(values, default=0.0)
    apart = best != "none" and min(values, default=0.0) < top
    marks = {run.run: run.letters or "" for run in comparison.runs}
    if comparison.baseline is not None:
        marks = {
            row.run: (ABOVE if sign * (row.difference or 0.0) > 0 else BELOW) if row.significant else ""
            for row in comparison.rows
        }
    return [
        ResultCell(mean, mean is not None and apart and sign * round(mean, 4) == top, marks.get(run, ""))
        for run, mean in ((run, means[run]) for run in order)
    ]


def name_runs(scores: Scores) -> dict[str, str]:
    """The runs as they are printed: with the topics they answered where they lack some."""
    seen = _coverage(scores, scores.runs)
    return {run: f"{run} ({topics})" if topics else run for run, topics in zip(scores.runs, seen, strict=True)}


def _coverage(scores: Scores, order: Sequence[str]) -> tuple[str, ...]:
    """`49/50` for each run that lacks topics."""
    seen = dict(zip(scores.runs, scores.coverage() or (), strict=False))
    whole = f"{len(scores.topics)}/{len(scores.topics)}"
    return tuple("" if seen.get(run, whole) == whole else seen[run] for run in order)


def _number(mean: float | None) -> str:
    return "–" if mean is None else f"{mean:.4f}"


def _latex_cell(cell: ResultCell) -> str:
    text = _number(cell.mean).replace("-", "$-$").replace("–", "--")
    text = rf"\textbf{{{text}}}" if cell.best else text
    mark = {ABOVE: r"\dagger", BELOW: r"\ddagger"}.get(cell.mark, rf"\mathrm{{{cell.mark}}}" if cell.mark else "")
    return f"{text}$^{{{mark}}}$" if mark else text


def latex_table(caption: str, label: str, body: Sequence[str], *, kind: str = "table") -> str:
    """A table environment around the lines of a tabular, with caption and label."""
    head = [rf"\begin{{{kind}}}[t]", r"\centering\small", rf"\caption{{{caption}}}", rf"\label{{tab:{label}}}"]
    return "\n".join([*head, *body, rf"\end{{{kind}}}", ""])


def gains_of(scores: Scores, table: ResultsTable) -> tuple[str, str, dict[str, float]]:
    """The two runs, and by topic the first metric's difference between them, largest first."""
    others = [run for run in table.runs if run != table.baseline]
    best, other = others[0], table.baseline if table.baseline is not None else others[1]
    first, second = (scores.per_topic(run, scores.metrics[0]) for run in (best, other))
    gaps = {topic: float(first[topic] - second[topic]) for topic in first if topic in second}
    return best, other, dict(sorted(gaps.items(), key=lambda item: -item[1]))
