"""Runs × metrics with the significance of every column: the table of a results section, in every form it is printed."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from diveval.defaults import CONFIDENCE, CORRECTION, RESAMPLES, SEED, TEST
from diveval.errors import count_of, share_text
from diveval.metrics.metric import Best
from diveval.metrics.names import labels
from diveval.results.protocol import Result, deliver
from diveval.results.scores import Scores
from diveval.results.setup import FEW_JUDGED, JUDGED_DEPTH, NO_LIST
from diveval.results.statements import Statement, words
from diveval.results.table_text import (
    TextTable,
    fit_columns,
    in_markdown,
    latex_escape,
    latex_lines,
    latex_table,
    number_text,
)
from diveval.stats.comparison import ABOVE, BELOW, Comparison
from diveval.stats.pairwise import compare
from diveval.stats.tests import Correction, describe_test
from diveval.stats.ties import gaps_between

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
    counted: tuple[int, ...] = ()  # by metric, the topics over which most runs' means are taken

    header: ClassVar[tuple[str, ...]] = ("run", "metric", "mean", "best", "mark", "topics", "judged")

    @property
    def judged(self) -> tuple[float | None, ...]:
        """By run, the share of its first documents that are judged; None where it is not known."""
        return tuple(self.setup.judged.get(run) for run in self.runs)

    def _write_judged(self) -> list[list[str]]:
        """By run, the cell of the column of judged shares; no cell where no share is known."""
        if not any(share is not None for share in self.judged):
            return [[] for _ in self.runs]
        return [[share_text(share)] for share in self.judged]

    @property
    def _judged_head(self) -> list[str]:
        return [f"judged@{JUDGED_DEPTH}"] if self._write_judged()[0] else []

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
        return self.statement().text

    def statement(self) -> Statement:
        """The caption, with the facts that it states and the means behind it."""
        first = self.comparisons[0]
        few = [
            run for run, share in zip(self.runs, self.judged, strict=True) if share is not None and share < FEW_JUDGED
        ]
        facts = {
            "runs": len(self.runs),
            "topics": self.topics,
            "baseline": first.baseline,
            "lettered": all(one.has_readable_letters for one in self.comparisons),
            "test": describe_test(first.setup),
            "lacking": [run for run, seen in zip(self.runs, self.coverage, strict=True) if seen],
            "judged": JUDGED_DEPTH if self._judged_head else None,
            "few": few,
            "limit": FEW_JUDGED,
            **self.lacking_topics(),
            **self.setup.removal(),
            **(self.setup.lists_lacking(self.runs) if self._judged_head else {}),
        }
        return Statement("table-caption", facts, tuple(self.records()))

    def lacking_topics(self, metrics: int | None = None) -> dict[str, Any]:
        """The facts that some means are not over all topics, of the first metrics if a number is given."""
        shown = list(zip(self.labels, self.metrics, self.counted, strict=False))[:metrics]
        rules = {one.metric: one.missing_topics for one in self.setup.metrics}
        skipped = [label for label, name, _ in shown if rules.get(name) == "skip"] if any(self.coverage) else []
        fewer = {label: count for label, _, count in shown if count < self.topics}
        skipped = ["every metric"] if len(skipped) == len(shown) > 1 else skipped
        return {**({"skipped": skipped} if skipped else {}), **({"fewer": fewer} if fewer else {})}

    def to_text(self, width: int = 80) -> str:
        """For a terminal: aligned columns, * at the best value."""
        columns = [["run", *self.names]]
        for label, cells in zip(self.labels, zip(*self.cells, strict=True), strict=True):
            # A number without a star gets a blank instead, so that decimal points are aligned.
            columns.append([label, *(number_text(cell.mean) + ("*" if cell.best else " ") for cell in cells)])
            columns.append(["", *(cell.mark for cell in cells)])
        sides = "<" + "><" * len(self.labels)
        if self._judged_head:
            columns.append([*self._judged_head, *(share for (share,) in self._write_judged())])
            sides += ">"
        lines = fit_columns(columns, sides, width, together=2)
        caption = textwrap.wrap(self.caption().replace("is bold", "has *"), width)
        return "\n".join([*lines, "", *caption, ""])

    def to_markdown(self, path: str | Path | None = None) -> str:
        """A GitHub table, the best in bold, the caption below; also written to `path` if given."""
        return deliver(f"{self.display().markdown()}\n{in_markdown(self.caption())}\n", path)

    def display(self) -> TextTable:
        """The means with their marks, the best in bold."""
        rows = [
            [name, *(f"{number_text(cell.mean)} {cell.mark}".rstrip() for cell in row), *share]
            for name, row, share in zip(self.names, self.cells, self._write_judged(), strict=True)
        ]
        bold = {(r, m + 1) for r, row in enumerate(self.cells) for m, cell in enumerate(row) if cell.best}
        head = ["run", *self.labels, *self._judged_head]
        kinds = "l" + "r" * (len(head) - 1)
        return TextTable(head, rows, kinds, frozenset(bold), self.caption())

    def records(self) -> list[dict[str, Any]]:
        """One row per run and metric."""
        whole = f"{self.topics}/{self.topics}"
        return [
            dict(
                zip(self.header, (run, metric, cell.mean, int(cell.best), cell.mark, seen or whole, share), strict=True)
            )
            for run, row, seen, share in zip(self.runs, self.cells, self.coverage, self.judged, strict=True)
            for metric, cell in zip(self.metrics, row, strict=True)
        ]

    def to_latex(self, path: str | Path | None = None) -> str:
        """A complete table environment with booktabs, caption and label; over both columns where one is too narrow."""
        kind = "table*" if self._points() > COLUMN else "table"
        rows = [
            [latex_escape(name), *map(_latex_cell, row), *map(latex_escape, share)]
            for name, row, share in zip(self.names, self.cells, self._write_judged(), strict=True)
        ]
        head = ["Run", *map(latex_escape, [*self.labels, *self._judged_head])]
        body = latex_lines(head, rows, "l" * len(head))
        return deliver(latex_table(latex_escape(self.caption()), "results", body, kind=kind), path)

    def _points(self) -> float:
        """About how wide LaTeX prints the table in a font of 9 points."""
        columns = [["Run", *self.names]]
        for label, cells in zip(self.labels, zip(*self.cells, strict=True), strict=True):
            columns.append([label, *(number_text(cell.mean) + cell.mark for cell in cells)])
        if self._judged_head:
            columns.append(self._judged_head)
        return sum(4.5 * max(map(len, column)) + 12 for column in columns)


@words("table-caption")
def _word_caption(
    runs: int,
    topics: int,
    baseline: str | None,
    lettered: bool,
    test: str,
    lacking: Sequence[str],
    judged: int | None,
    few: Sequence[str],
    limit: float,
    skipped: Sequence[str] = (),
    fewer: Mapping[str, int] | None = None,
    removed: bool = False,
    without_list: int = 0,
) -> str:
    if baseline is not None:
        marks = f"; {ABOVE} and {BELOW} mark runs significantly better and worse than {baseline}"
    else:
        marks = "; runs that share no letter in a column differ significantly" if lettered else "; letters are left out"
    whole = count_topics(topics, fewer or {})
    parts = [f"Means over {whole} for {count_of(runs, 'run')}; the best of each column is bold{marks} ({test})"]
    if lacking:
        by = f" by {', '.join(skipped)}" if skipped else ""
        over = f", and its means{by} are over these" if skipped else ""
        parts.append(f"n/m behind a run: it answers n of m topics{over}")
    if removed:
        parts.append("unjudged documents are removed before scoring")
    if judged is not None:
        whole = "the whole list's first" if removed else "the first"
        share = f"judged@{judged}: share of {whole} {judged} documents that are judged, mean over topics"
        parts.append(share + (NO_LIST if without_list else ""))
    if few:
        named = ", ".join(few[:3]) + (f" and {count_of(len(few) - 3, 'other')}" if len(few) > 3 else "")
        parts.append(f"it is below {limit:.0%} for {named}, whose scores and differences may be an effect of that")
    return "; ".join(parts) + "."


def count_topics(topics: int, fewer: Mapping[str, int]) -> str:
    """How many topics means are over: `50 topics (45 by gdeval.nDCG@20)`."""
    less = ", ".join(f"{count} by {label}" for label, count in fewer.items())
    return count_of(topics, "topic") + (f" ({less})" if less else "")


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
        tuple(int(of.sum(axis=1).max()) for of in scores.counted.transpose(1, 0, 2)),
        setup=comparisons[0].setup,
    )


def _column(comparison: Comparison, order: Sequence[str], best: Best) -> list[ResultCell]:
    sign = -1.0 if best == "low" else 1.0
    means = {run.run: run.mean for run in comparison.runs}
    values = [sign * round(mean, 4) for mean in means.values() if mean is not None]
    top = max(values, default=0.0)
    apart = best != "none" and min(values, default=0.0) < top
    marks = {run.run: run.letters or "" for run in comparison.runs if comparison.has_readable_letters}
    if comparison.baseline is not None:
        marks = {
            row.run: (ABOVE if sign * row.direction > 0 else BELOW) if row.significant else ""
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


def _latex_cell(cell: ResultCell) -> str:
    text = number_text(cell.mean).replace("-", "$-$").replace("–", "--")
    text = rf"\textbf{{{text}}}" if cell.best else text
    mark = {ABOVE: r"\dagger", BELOW: r"\ddagger"}.get(cell.mark, rf"\mathrm{{{cell.mark}}}" if cell.mark else "")
    return f"{text}$^{{{mark}}}$" if mark else text


def gains_of(scores: Scores, table: ResultsTable) -> tuple[str, str, dict[str, float]]:
    """The two runs, and by topic the first metric's difference between them, largest first."""
    others = [run for run in table.runs if run != table.baseline]
    best, other = others[0], table.baseline if table.baseline is not None else others[1]
    topics, gaps = gaps_between(scores, scores.runs.index(best), scores.runs.index(other), 0)
    named = {scores.topics[t]: gap for t, gap in zip(topics.tolist(), gaps.tolist(), strict=True)}
    return best, other, dict(sorted(named.items(), key=lambda item: -item[1]))
