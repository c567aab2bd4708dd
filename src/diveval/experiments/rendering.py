"""A reproduced table as text: for the terminal, for a page in Markdown, for a paper in LaTeX."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from diveval.experiments.printed import printed
from diveval.experiments.reproduction import Measured, Reproduction, TableColumn, grouped
from diveval.table_text import latex_escape, latex_lines, markdown_lines


@dataclass(frozen=True)
class OutputTable:
    """One table of the output; the last cell of a row is words, the others are numbers."""

    title: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]]


Writer = Callable[[OutputTable], str]


def text(result: Reproduction, format: str, *, width: int = 100) -> str:
    """The whole reproduction as `table`, `md`, `latex`, `csv` or `json`."""
    if format == "csv":
        return result.to_csv()
    if format == "json":
        return result.to_json()
    writers: dict[str, Writer] = {"table": partial(_plain, width=width), "md": markdown, "latex": _latex}
    parts = [
        section for columns in _by_collection(result) for section in _section(result, columns, format, writers[format])
    ]
    notes = [_note(note, format, width) for note in result.notes]
    seeds = f", seeds {result.seeds[0]} to {result.seeds[-1]}" if result.seeds else ""
    title = f"# Table {result.table[-1]} of the paper, measured anew{seeds}"
    return "\n\n".join([title, *notes, *parts] if format == "md" else [*parts, *notes]) + "\n"


def _note(note: str, format: str, width: int) -> str:
    mark = "% " if format == "latex" else ""
    return note if format == "md" else textwrap.fill(note, width, initial_indent=mark, subsequent_indent=mark)


def _by_collection(result: Reproduction) -> list[list[TableColumn]]:
    sections: dict[str, list[TableColumn]] = {}
    for column in result.columns_measured:
        sections.setdefault(column.collection, []).append(column)
    return list(sections.values())


def _section(result: Reproduction, columns: list[TableColumn], format: str, write: Writer) -> list[str]:
    """One collection: the paper's rows, then our best variants of each family, or all of them."""
    heading = {"md": "## {}", "latex": "% {}", "table": "=== {} ==="}[format].format(columns[0].collection)
    blocks = [beside(column) for column in columns]
    blocks += [every(group) for group in _alike(columns)] if result.all_variants else [best(c) for c in columns]
    return [heading, *(write(block) for block in blocks)]


def beside(column: TableColumn) -> OutputTable:
    """The paper's rows in the paper's order, its value beside ours for the same variants."""
    rows = []
    for row in printed(column.table, column.key):
        paper = _range(row.low, row.high)
        rows.append((paper, *_numbers(column, measured := column.measured(row.metrics)), measured.label))
    return OutputTable(f"{column.title}: the paper's rows", ("paper", *_header(column), "variants"), rows)


def best(column: TableColumn) -> OutputTable:
    """The best variants of each family here."""
    rows = [(*_numbers(column, measured), measured.label) for measured in column.best()]
    return OutputTable(f"{column.title}: the best variants here", (*_header(column), "variants"), rows)


def every(columns: Sequence[TableColumn]) -> OutputTable:
    """Every variant, those that no column tells apart in one row."""
    rows = []
    for group in grouped(columns):
        measured = [column.measured(group) for column in columns]
        rows.append((*(_range(cell.mu_low, cell.mu_high) for cell in measured), measured[0].label))
    title = "MU of all variants" + (" (means over the seeds)" if len(columns[-1].results) > 1 else "")
    return OutputTable(title, (*(column.key for column in columns), "variants"), rows)


def _alike(columns: list[TableColumn]) -> list[list[TableColumn]]:
    """Columns that hold the same metrics, side by side."""
    sides: dict[tuple[str, ...], list[TableColumn]] = {}
    for column in columns:
        sides.setdefault(column.metrics, []).append(column)
    return list(sides.values())


def _header(column: TableColumn) -> tuple[str, ...]:
    result = column.results[0]
    interval = (f"{result.confidence:.0%} interval",) if result.bootstrap else ()
    return ("ours", *interval, *((f"{len(column.results)} seeds",) if len(column.results) > 1 else ()))


def _numbers(column: TableColumn, measured: Measured) -> tuple[str, ...]:
    interval = (_range(measured.low, measured.high, "–"),) if column.results[0].bootstrap else ()
    seeds = (_range(measured.least, measured.most),) if len(column.results) > 1 else ()
    return (_range(measured.mu_low, measured.mu_high), *interval, *seeds)


def _range(low: float | None, high: float | None, to: str = "..") -> str:
    if low is None or high is None:
        return "undefined"
    first, last = f"{low:.4f}", f"{high:.4f}"
    return first if first == last and to == ".." else f"{first}{to}{last}"


def _plain(block: OutputTable, width: int) -> str:
    sizes = [max(len(row[i]) for row in [block.header, *block.rows]) for i in range(len(block.header) - 1)]
    indent = sum(sizes) + 2 * len(sizes)
    lines = [block.title]
    for row in [block.header, *block.rows]:
        cells = "".join(f"{cell:<{size}}  " for cell, size in zip(row, sizes, strict=False))
        words = textwrap.wrap(row[-1], max(width - indent, 24), break_long_words=False)
        lines += [cells + words[0], *(" " * indent + more for more in words[1:])]
    return "\n".join(lines)


def markdown(block: OutputTable) -> str:
    """A block as a section with a table."""
    rows = ([*row[:-1], f"`{row[-1]}`"] for row in block.rows)
    return "\n".join([f"### {block.title}", "", *markdown_lines(block.header, rows)])


def _latex(block: OutputTable) -> str:
    rows = ([latex_escape(cell) for cell in row] for row in block.rows)
    header = [latex_escape(cell) for cell in block.header]
    return "\n".join([f"% {block.title}", *latex_lines(header, rows, "r" * (len(header) - 1) + "l")])
