"""A matrix as text: a table for a terminal, CSV, JSON, Markdown, LaTeX."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from diveval.axioms.proof.verdicts import MARKS, Verdict
from diveval.table_text import aligned, latex_escape, latex_lines, markdown_lines
from diveval.table_text import csv_text as csv_of

if TYPE_CHECKING:
    from diveval.axioms.presentation.matrix import Matrix

HEADER = ("metric", "axiom", "reading", "verdict", "paper", "agrees", "region", "evidence")
BEHIND = "◌"  # fails, but only behind the cutoff
WORDS = {
    "●": "holds",
    "◐": "holds in a region",
    "◕": "excluded up to a bound only",
    "○": "fails",
    BEHIND: "fails only behind the cutoff",
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
    rows = (
        [v.metric, v.axiom, v.reading, v.verdict, v.paper, v.agrees, "" if v.region is None else v.region, v.evidence]
        for v in found
    )
    return csv_of(HEADER, rows)


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
    rows = []
    for metric in found.metrics:
        cells = ["".join(_LATEX.get(sign, sign) for sign in signs(found, metric, axiom)) for axiom in found.axioms]
        rows.append([latex_escape(metric), *cells])
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


def against_the_paper(found: Matrix, *, metrics: Sequence[str] | None = None) -> str:
    """The table and every disagreement with its evidence."""
    parts = [table_text(found)]
    for reading in found.readings:
        odd = [v for v in disagreements(found) if v.reading == reading and (metrics is None or v.metric in metrics)]
        same = sum(v.reading == reading and v.agrees == "yes" for v in found)
        cells = sum(v.reading == reading for v in found)
        parts.append(f"\n{reading}: {same} of {cells} cells agree with the paper; {len(odd)} do not, or in part.\n")
        for v in odd:
            here = f"  {v.metric} {v.axiom}: paper {v.paper}, ours {v.verdict}" + (f" ({v.region})" if v.region else "")
            parts.append(f"{here}\n      {v.evidence}\n")
    return "".join(parts)
