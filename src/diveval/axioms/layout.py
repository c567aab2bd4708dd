"""A matrix as text: a table for a terminal, CSV, JSON, Markdown, LaTeX."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from html import escape

from diveval.axioms.matrix import Matrix
from diveval.axioms.verdicts import MARKS, Verdict

HEADER = ("metric", "axiom", "reading", "verdict", "paper", "agrees", "region", "evidence")
BEHIND = "◌"  # fails, but only behind the cutoff
LEGEND = "● holds  ○ fails  ◌ fails only behind the cutoff  ◐ holds in a region  – does not apply  ? unknown"
_LATEX = {
    "●": r"$\bullet$", "○": r"$\circ$", "◌": r"$\odot$", "◐": r"$\star$", "–": "--", "?": "?", " ": "~",
}  # fmt: skip


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
    width = max(6, *(len(metric) for metric in found.metrics))
    order = f"In each cell: the paper's Table 1, then {', '.join(found.readings)}; ! contradicts the paper."
    lines = [LEGEND, order, ""]
    lines.append(" " * width + "  " + " ".join(f"{axiom:<7}" for axiom in found.axioms).rstrip())
    for metric in found.metrics:
        cells = " ".join(f"{signs(found, metric, axiom):<7}" for axiom in found.axioms)
        lines.append(f"{metric:<{width}}  {cells}".rstrip())
    regions = [verdict for verdict in found if verdict.region is not None]
    if regions:
        lines += ["", "Regions"]
        lines += [f"  {v.metric} {v.axiom} ({v.reading}): {v.region}" for v in regions]
    return "\n".join(lines) + "\n"


def csv_text(found: Matrix) -> str:
    """One line a cell, with the header of the paper's table and its evidence."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(HEADER)
    for v in found:
        region = "" if v.region is None else str(v.region)
        writer.writerow([v.metric, v.axiom, v.reading, v.verdict, v.paper, v.agrees, region, v.evidence])
    return stream.getvalue()


def json_text(found: Matrix) -> str:
    """Everything, counterexamples and proofs included."""
    return json.dumps([verdict.as_dict() for verdict in found], ensure_ascii=False, indent=1) + "\n"


def markdown_text(found: Matrix) -> str:
    """A Markdown table."""
    head = ["metric", *found.axioms]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for metric in found.metrics:
        cells = [signs(found, metric, axiom).strip() for axiom in found.axioms]
        lines.append("| " + " | ".join([metric, *cells]) + " |")
    note = f"In each cell: the paper's Table 1, then {', '.join(found.readings)}. {LEGEND}. ! contradicts the paper."
    return "\n".join([*lines, "", note]) + "\n"


def latex_text(found: Matrix) -> str:
    """A LaTeX tabular."""
    lines = [r"\begin{tabular}{l" + "c" * len(found.axioms) + "}", r"\toprule"]
    lines.append(" & ".join(["Metric", *found.axioms]) + r" \\")
    lines.append(r"\midrule")
    for metric in found.metrics:
        cells = ["".join(_LATEX.get(sign, sign) for sign in signs(found, metric, axiom)) for axiom in found.axioms]
        lines.append(" & ".join([_tex(metric), *cells]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _tex(text: str) -> str:
    return "".join("\\" + c if c in "#%&_$" else c for c in text)


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
