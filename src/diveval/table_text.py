"""Rows of text as a table: aligned for a terminal, CSV, Markdown or LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from diveval.errors import printable

_LATEX = {
    **{character: "\\" + character for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "α": r"$\alpha$",
}


def aligned(rows: Iterable[Sequence[str]], columns: Sequence[str], *, gap: int = 2, indent: int = 0) -> list[str]:
    """One line per row. A column is `<` (text) or `>` (numbers), followed by its minimum width if it has one: `>8`.

    The last column is not padded. Cells may contain ids from files, so control characters are escaped.
    """
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max([int(column[1:] or 0), *(len(row[i]) for row in cells)]) for i, column in enumerate(columns)]
    lines = []
    for row in cells:
        padded = [f"{cell:{column[0]}{width}}" for cell, column, width in zip(row, columns, widths, strict=True)]
        lines.append((" " * indent + (" " * gap).join(padded)).rstrip())
    return lines


def share_text(share: float | None) -> str:
    """A share in percent with one digit; 0 % and 100 % only if it is exactly that."""
    if share is None:
        return "–"
    if share in (0, 1):
        return f"{100 * share:.0f} %"
    return "<0.1 %" if share < 0.0005 else ">99.9 %" if share >= 0.9995 else f"{100 * share:.1f} %"


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]], *, separator: str = ",") -> str:
    """A header and one line per row, with fields quoted if necessary."""
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue()


def markdown_lines(header: Sequence[str], rows: Iterable[Sequence[str]], columns: str = "") -> list[str]:
    """A GitHub table. `columns` has a letter per column, r for numbers; without it all are text."""
    kinds = columns or "l" * len(header)
    rule = "".join("|---:" if kind == "r" else "|---" for kind in kinds) + "|"
    return [_piped(header), rule, *map(_piped, rows)]


def _piped(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def in_markdown(text: str) -> str:
    """Text escaped for a cell of a Markdown table."""
    return "".join("\\" + c if c in "\\|*_`<[" else c for c in printable(text))


def latex_lines(header: Sequence[str], rows: Iterable[Sequence[str]], columns: str) -> list[str]:
    """A booktabs table. Cells are LaTeX already; `columns` has a letter per column."""
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _ampersands(header), r"\midrule"]
    return [*lines, *map(_ampersands, rows), r"\bottomrule", r"\end{tabular}"]


def _ampersands(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def latex_escape(text: str) -> str:
    """Text escaped for LaTeX."""
    return "".join(_LATEX.get(character, character) for character in text)
