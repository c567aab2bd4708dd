"""Every printed table, written once: aligned for a terminal, CSV, Markdown, LaTeX and HTML."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from diveval.errors import count_of, printable

_LATEX = {
    **{character: "\\" + character for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "\u00a0": "~",
    "–": "--",
    "−": "$-$",
    "≥": r"$\ge$",
    "≤": r"$\le$",
    "×": r"$\times$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "λ": r"$\lambda$",
    "τ": r"$\tau$",
    "♯": r"$\sharp$",
    "†": r"$\dagger$",
    "‡": r"$\ddagger$",
    "●": r"$\bullet$",
    "○": r"$\circ$",
    "◌": r"$\odot$",
    "◐": r"$\star$",
    "◕": r"$\oplus$",
    "∅": r"$\emptyset$",
}
FORMULA_SIGNS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


@dataclass(frozen=True)
class TextTable:
    """A table of printed cells. `kinds` has a letter per column: `r` numbers, `c` signs, `l` text (the default)."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    kinds: str = ""
    bold: frozenset[tuple[int, int]] = frozenset()  # (row, column)
    caption: str = ""

    @property
    def _kinds(self) -> str:
        return self.kinds or "l" * len(self.header)

    def _cells(self, plain: Callable[[str], str], bold: Callable[[str], str]) -> list[list[str]]:
        """The cells escaped by `plain`, those in bold then marked."""
        return [
            [bold(plain(cell)) if (r, c) in self.bold else plain(cell) for c, cell in enumerate(row)]
            for r, row in enumerate(self.rows)
        ]

    def text(self, width: int | None = None) -> str:
        """Aligned columns for a terminal, in blocks no wider than `width`; a star marks a bold cell."""
        starred = {c for _, c in self.bold}
        rows = [
            [cell + (("*" if (r, c) in self.bold else " ") if c in starred else "") for c, cell in enumerate(row)]
            for r, row in enumerate(self.rows)
        ]
        head = [name + " " if c in starred else name for c, name in enumerate(self.header)]
        sides = [">" if kind == "r" else "<" for kind in self._kinds]
        return "\n".join(align([head, *rows], sides, width=width)) + "\n"

    def markdown(self) -> str:
        """A GitHub table."""
        rows = self._cells(in_markdown, lambda text: f"**{text}**")
        return "\n".join(markdown_lines([in_markdown(name) for name in self.header], rows, self._kinds)) + "\n"

    def latex(self) -> str:
        """A booktabs tabular."""
        rows = self._cells(latex_escape, lambda text: rf"\textbf{{{text}}}")
        return "\n".join(latex_lines([latex_escape(name) for name in self.header], rows, self._kinds)) + "\n"

    def html(self, *, most: int = 50) -> str:
        """A table for notebooks, without styles of its own; a long one is cut."""
        from html import escape  # slow to import, and most commands write no HTML

        rows = self._cells(escape, lambda text: f"<b>{text}</b>")[:most]
        more = f"<p>… and {count_of(len(self.rows) - most, 'more row')}</p>" if len(self.rows) > most else ""
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in self.header)
        caption = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        lines = [f"<table>{caption}", f"<thead><tr>{head}</tr></thead>", "<tbody>"]
        for first, *cells in rows:
            lines.append(f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>')
        return "\n".join([*lines, "</tbody></table>"]) + more


def print_cell(value: object) -> str:
    """A value as tables show it: four decimals, a dash for None."""
    if value is None:
        return "–"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def table_of(columns: Mapping[str, Sequence[object]], *, caption: str = "") -> TextTable:
    """Columns of plain values as a table, numbers on the right."""
    kinds = "".join("r" if values and all(map(_is_number, values)) else "l" for values in columns.values())
    rows = [[print_cell(value) for value in row] for row in zip(*columns.values(), strict=True)]
    return TextTable(list(columns), rows, kinds, caption=caption)


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def align(
    rows: Iterable[Sequence[str]], columns: Sequence[str], *, gap: int = 2, indent: int = 0, width: int | None = None
) -> list[str]:
    """One line per row. A column is `<` (text) or `>` (numbers), followed by its minimum width if it has one: `>8`.

    The last column is not padded. Cells may contain ids from files, so control characters are escaped. With `width`, a
    table that is wider becomes blocks of columns, each with the columns that identify a row.
    """
    cells = [[printable(cell) for cell in row] for row in rows]
    if width is not None:
        return _split_columns(cells, columns, width, gap=gap, indent=indent)
    widths = [max([int(column[1:] or 0), *(len(row[i]) for row in cells)]) for i, column in enumerate(columns)]
    lines = []
    for row in cells:
        padded = [f"{cell:{column[0]}{width}}" for cell, column, width in zip(row, columns, widths, strict=True)]
        lines.append((" " * indent + (" " * gap).join(padded)).rstrip())
    return lines


def _split_columns(
    cells: Sequence[Sequence[str]], columns: Sequence[str], width: int, *, gap: int, indent: int
) -> list[str]:
    """Blocks of columns no wider than `width`, an empty line between them."""

    def lines_of(chosen: Sequence[int]) -> list[str]:
        kept = [[row[c] for c in chosen] for row in cells]
        return align(kept, [columns[c] for c in chosen], gap=gap, indent=indent)

    distinct = (k for k in range(1, len(columns)) if len({tuple(row[:k]) for row in cells}) == len(cells))
    keys = list(range(next(distinct, 1)))
    if max(map(len, lines_of(keys)), default=0) > width // 2:
        keys = [0]
    blocks = [keys]
    for c in range(len(keys), len(columns)):
        if max(map(len, lines_of([*blocks[-1], c])), default=0) <= width or len(blocks[-1]) == len(keys):
            blocks[-1] = [*blocks[-1], c]
        else:
            blocks.append([*keys, c])
    out = lines_of(blocks[0])
    for block in blocks[1:]:
        out += ["", *lines_of(block)]
    return out


def fit_columns(columns: Sequence[Sequence[str]], sides: Sequence[str], width: int, *, together: int = 1) -> list[str]:
    """A table of columns, each with its head, in blocks no wider than `width`, each with the first column; `together`
    columns in a row stay in one block. A line separates head and rows, an empty line the blocks."""
    groups = [range(i, min(i + together, len(columns))) for i in range(1, len(columns), together)]
    blocks: list[list[int]] = []
    for group in groups:
        longer = [*(blocks[-1] if blocks else [0]), *group]
        lines = align(zip(*(columns[c] for c in longer), strict=True), [sides[c] for c in longer])
        if blocks and max(map(len, lines)) <= width:
            blocks[-1] = longer
        else:
            blocks.append([0, *group])
    out: list[str] = []
    for block in blocks:
        lines = align(zip(*(columns[c] for c in block), strict=True), [sides[c] for c in block])
        out += [*([""] if out else []), lines[0], "-" * max(map(len, lines)), *lines[1:]]
    return out


def fold(text: str, width: int, *, rows: bool = True) -> str:
    """Text whose lines are no wider than `width` where they can be broken at a blank; commands stay whole, to be copied,
    and without `rows` those of tables, which have gaps, so that scripts find a row on its line."""
    import textwrap

    lines = []
    for line in text.split("\n"):
        inner = line.lstrip(" ")
        if len(line) <= width or inner.startswith("diveval ") or (not rows and "  " in inner):
            lines.append(line)
            continue
        indent = line[: len(line) - len(inner)]
        first, blank, rest = inner.partition(": ")
        place = first + ":\0" + rest if blank and " " not in first else inner  # a place and its code stay on one line
        lines += textwrap.wrap(
            place,
            width,
            initial_indent=indent,
            subsequent_indent=indent + "  ",
            break_long_words=False,
            break_on_hyphens=False,
            replace_whitespace=False,
        )
    return "\n".join(lines).replace("\0", " ")


def signed_text(value: float, digits: int = 3) -> str:
    """A number with its sign and as many digits that count, without an exponent down to a millionth."""
    if abs(value) < 1e-6:
        return f"{value:+.{digits - 1}e}" if value else "0"
    return f"{value:+.{max(3, digits - 1 - math.floor(math.log10(abs(value))))}f}"


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]], *, separator: str = ",") -> str:
    """A header and one line per row, with fields quoted if necessary."""
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue()


def protect_formulas(text: str) -> str:
    """CSV in which a spreadsheet runs nothing: ' stands before text that it would take for a formula. Numbers stay.

    A CR, at which readers end a line even without a LF, is written as its code.
    """
    rows = list(csv.reader(io.StringIO(text.replace("\r", "\\x0d"), newline="")))
    protected = [[f"'{cell}" if starts_formula(cell) else cell for cell in row] for row in rows[1:]]
    return csv_text(rows[0], protected) if rows else text


def starts_formula(text: str) -> bool:
    """Whether a spreadsheet may take a text of a CSV file for a formula, and so run what a stranger wrote.

    Spreadsheets skip white space, and some take the wide forms of the signs.
    """
    if not text.lstrip().startswith(FORMULA_SIGNS) and not text.startswith(("\t", "\r", "\n")):
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False


def markdown_lines(header: Sequence[str], rows: Iterable[Sequence[str]], columns: str = "") -> list[str]:
    """A GitHub table. `columns` has a letter per column, r for numbers; without it all are text."""
    kinds = columns or "l" * len(header)
    rule = "".join("|---:" if kind == "r" else "|---" for kind in kinds) + "|"
    return [_pipe(header), rule, *map(_pipe, rows)]


def _pipe(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def in_markdown(text: str) -> str:
    """Text escaped for a cell of a Markdown table."""
    return "".join("\\" + c if c in "\\|*_`<[" else c for c in printable(text))


def latex_lines(header: Sequence[str], rows: Iterable[Sequence[str]], columns: str) -> list[str]:
    """A booktabs table. Cells are LaTeX already; `columns` has a letter per column."""
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _ampersands(header), r"\midrule"]
    return [*lines, *map(_ampersands, rows), r"\bottomrule", r"\end{tabular}"]


def _ampersands(cells: Sequence[str]) -> str:
    """A row. The line above ends in a command that would take a `[` or `*` at the start of this one as its argument."""
    row = " & ".join(cells) + r" \\"
    return "{}" + row if row.startswith(("[", "*")) else row


def latex_escape(text: str) -> str:
    """Text escaped for LaTeX, with its signs in mathematics."""
    return "".join(_LATEX.get(character, character) for character in printable(text))


def latex_table(caption: str, label: str, body: Sequence[str], *, kind: str = "table") -> str:
    """A table environment around the lines of a tabular, with caption and label."""
    head = [rf"\begin{{{kind}}}[t]", r"\centering\small", rf"\caption{{{caption}}}", rf"\label{{tab:{label}}}"]
    return "\n".join([*head, *body, rf"\end{{{kind}}}", ""])


def number_text(value: float | None, digits: int = 4, *, missing: str = "–", sign: bool = False) -> str:
    """A number as tables and sentences show it; `missing` where there is none."""
    return missing if value is None else f"{value:{'+' if sign else ''}.{digits}f}"


def p_text(p: float | None, *, missing: str = "–") -> str:
    """A p-value with four decimals, without the 0 of one that is too small for them."""
    return "<.0001" if p is not None and p < 0.0001 else number_text(p, missing=missing)
