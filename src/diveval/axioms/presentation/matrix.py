"""The matrix of verdicts beside the paper's table: for a terminal, as CSV, JSON, Markdown or LaTeX."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape

from diveval.axioms.proof.decide import SECONDS, Metric
from diveval.axioms.proof.published import ROWS
from diveval.axioms.proof.scheduler import Cell, Progress, answers
from diveval.axioms.proof.subjects import subject
from diveval.axioms.proof.verdicts import MARKS, Verdict
from diveval.axioms.specification.constraints import AXIOMS, Axiom
from diveval.axioms.specification.readings import READINGS, Reading
from diveval.axioms.specification.shapes import Bounds
from diveval.errors import UsageError
from diveval.table_text import aligned, latex_escape, latex_lines, markdown_lines
from diveval.table_text import csv_text as csv_of


@dataclass(frozen=True)
class Matrix:
    """Verdicts by metric, constraint and reading, in the order asked."""

    verdicts: tuple[Verdict, ...]

    @property
    def metrics(self) -> list[str]:
        return list(dict.fromkeys(v.metric for v in self.verdicts))

    @property
    def axioms(self) -> list[str]:
        return list(dict.fromkeys(v.axiom for v in self.verdicts))

    @property
    def readings(self) -> list[str]:
        return list(dict.fromkeys(v.reading for v in self.verdicts))

    def cell(self, metric: str, axiom: str, reading: str) -> Verdict:
        """One verdict."""
        for verdict in self.verdicts:
            if (verdict.metric, verdict.axiom, verdict.reading) == (metric, axiom, reading):
                return verdict
        raise UsageError(f"the matrix has no cell {metric}, {axiom}, {reading}")

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)

    def __str__(self) -> str:
        return table_text(self)

    def _repr_html_(self) -> str:
        return html_text(self)


def matrix(
    metrics: Iterable[Metric] | None = None,
    *,
    axioms: Iterable[str | Axiom] | None = None,
    readings: Iterable[str | Reading] | None = None,
    bounds: Bounds | None = None,
    time_limit: float = SECONDS,
    jobs: int = 2,
    cached: bool = True,
    progress: Progress | None = None,
) -> Matrix:
    """Decide every metric on every constraint under every reading.

    Processes are spawned, so a script that calls this guards its own start with `if __name__ == "__main__":`.

    Args:
        metrics: names, settings, compositions, functions or `file.py:name`; the paper's twenty rows unless given
        axioms: names, or axioms of your own; all ten unless given
        readings: both unless given
        bounds: how long the rankings are and how many aspects they have that the solver excludes
        time_limit: seconds for one cell, after which it is `unknown`
        jobs: processes at once
        cached: whether what was decided before is taken from disk
        progress: called with the number done, the number of all, and the latest verdict
    """
    cells = cells_of(metrics, axioms, readings, bounds, time_limit)
    found = answers(cells, jobs=jobs, cached=cached, progress=progress)
    return Matrix(tuple(found[cell] for cell in cells))


def cells_of(
    metrics: Iterable[Metric] | None,
    axioms: Iterable[str | Axiom] | None,
    readings: Iterable[str | Reading] | None,
    bounds: Bounds | None,
    time_limit: float,
) -> list[Cell]:
    """The cells of a matrix, in its order."""
    cells = [
        Cell.of(who, axiom, reading, bounds, time_limit)
        for who in [subject(metric) for metric in (ROWS if metrics is None else metrics)]
        for axiom in (AXIOMS if axioms is None else axioms)
        for reading in (READINGS.values() if readings is None else readings)
    ]
    if not cells:
        raise UsageError("nothing to decide: give at least one metric, axiom and reading")
    return cells


# --- as text ----------------------------------------------------------------------------------------------------------

HEADER = ("metric", "axiom", "reading", "verdict", "paper", "agrees", "region", "evidence")
BEHIND = "◌"  # fails, but only below the cutoff
WORDS = {
    "●": "holds",
    "◐": "holds in a region",
    "◕": "excluded up to a bound only",
    "○": "fails",
    BEHIND: "fails only below the cutoff",
    "∅": "vacuous",
    "–": "does not apply",
    "?": "unknown",
}
LEGEND = "  ".join(f"{sign} {words}" for sign, words in WORDS.items())
_LATEX = {
    "●": r"$\bullet$",
    "○": r"$\circ$",
    "◌": r"$\odot$",
    "◐": r"$\star$",
    "◕": r"$\oplus$",
    "∅": r"$\emptyset$",
    "–": "--",
    "?": "?",
    " ": "~",
}


def mark(verdict: Verdict) -> str:
    """One sign for a verdict."""
    return BEHIND if verdict.uncut and verdict.verdict == "fails" else MARKS[verdict.verdict]


def signs(found: Matrix, metric: str, axiom: str) -> str:
    """Paper, then each reading, side by side; an exclamation mark where a reading contradicts the paper."""
    cells = [found.cell(metric, axiom, reading) for reading in found.readings]
    paper = MARKS[cells[0].paper] if cells[0].paper else " "
    return paper + "".join(mark(cell) for cell in cells) + ("!" if any(c.agrees == "no" for c in cells) else " ")


def table_text(found: Matrix) -> str:
    """For a terminal: one line a metric."""
    order = f"In each cell: the paper's Table 1, then {', '.join(found.readings)}; ! contradicts the paper."
    lines = [LEGEND, order, ""]
    rows = [[metric, *(signs(found, metric, axiom) for axiom in found.axioms)] for metric in found.metrics]
    first = max(6, *(len(metric) for metric in found.metrics)) + 1
    lines += aligned([["", *found.axioms], *rows], [f"<{first}", *["<7"] * len(found.axioms)], gap=1)
    regions = [verdict for verdict in found if verdict.region is not None]
    if regions:
        lines += ["", "Regions"]
        lines += [f"  {v.metric} {v.axiom} ({v.reading}): {v.region}" for v in regions]
    return "\n".join(lines) + "\n"


def csv_text(found: Matrix) -> str:
    """One line a cell, with the header of the paper's table and its evidence."""
    return csv_of(HEADER, ([getattr(verdict, name) or "" for name in HEADER] for verdict in found))


def json_text(found: Matrix) -> str:
    """Everything, counterexamples and proofs included."""
    return json.dumps([verdict.as_dict() for verdict in found], ensure_ascii=False, indent=1) + "\n"


def markdown_text(found: Matrix) -> str:
    """A Markdown table."""
    rows = [[metric, *(signs(found, metric, axiom).strip() for axiom in found.axioms)] for metric in found.metrics]
    lines = markdown_lines(["metric", *found.axioms], rows)
    note = f"In each cell: the paper's Table 1, then {', '.join(found.readings)}. {LEGEND}. ! contradicts the paper."
    return "\n".join([*lines, "", note]) + "\n"


def latex_text(found: Matrix) -> str:
    """A LaTeX tabular."""
    signed = str.maketrans(_LATEX)
    rows = [
        [latex_escape(metric), *(signs(found, metric, axiom).translate(signed) for axiom in found.axioms)]
        for metric in found.metrics
    ]
    return "\n".join(latex_lines(["Metric", *found.axioms], rows, "l" + "c" * len(found.axioms))) + "\n"


def html_text(found: Matrix) -> str:
    """For a notebook."""
    head = "".join(f"<th>{escape(axiom)}</th>" for axiom in found.axioms)
    rows = []
    for metric in found.metrics:
        cells = "".join(f"<td>{escape(signs(found, metric, axiom))}</td>" for axiom in found.axioms)
        rows.append(f"<tr><th>{escape(metric)}</th>{cells}</tr>")
    return f"<table><tr><th></th>{head}</tr>{''.join(rows)}</table><p>{escape(LEGEND)}</p>"


FORMATS = {"table": table_text, "csv": csv_text, "json": json_text, "md": markdown_text, "latex": latex_text}


def disagreements(found: Matrix) -> list[Verdict]:
    """The cells that contradict the paper's table, or hold in a region only."""
    return [verdict for verdict in found if verdict.agrees in ("no", "partly")]


def against_the_paper(found: Matrix) -> str:
    """The table and every disagreement with its evidence."""
    parts = [table_text(found)]
    for reading in found.readings:
        odd = [v for v in disagreements(found) if v.reading == reading]
        agreeing = [v.agrees == "yes" for v in found if v.reading == reading]
        same = f"{sum(agreeing)} of {len(agreeing)} cells agree with the paper"
        parts.append(f"\n{reading}: {same}; {len(odd)} do not, or in part.\n")
        for v in odd:
            here = f"  {v.metric} {v.axiom}: paper {v.paper}, ours {v.verdict}" + (f" ({v.region})" if v.region else "")
            parts.append(f"{here}\n      {v.evidence}\n")
    return "".join(parts)
