"""A table of the paper reproduced: its values, ours beside them over seeds, and both as text."""

from __future__ import annotations

import csv
import re
import textwrap
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar

from diveval.errors import level_text
from diveval.meta.unanimity import Unanimity, or_least
from diveval.meta.variants import family, label
from diveval.metrics.names import parse
from diveval.results.protocol import Result, deliver
from diveval.results.table_text import latex_escape, latex_lines, markdown_lines

Printed = tuple[tuple[str, ...], float, float]  # variants by their canonical names, and the value or range printed


def select_printed(table: str, column: str) -> list[Printed]:
    """The rows of a column of the paper's Table 2 or 3, in its order.

    Table 2's last column has one row more than the paper's table: RBU with e = 0, whose value stands in the text.
    """
    return _read_printed().get((table, column), [])


@cache
def _read_printed() -> dict[tuple[str, str], list[Printed]]:
    text = resources.files("diveval.experiments").joinpath("printed.csv").read_text(encoding="utf-8")
    out: dict[tuple[str, str], list[Printed]] = {}
    for row in csv.DictReader(text.splitlines()):
        metrics = tuple(parse(name).name for name in expand(row["variants"]))
        out.setdefault((row["table"], row["column"]), []).append((metrics, float(row["low"]), float(row["high"])))
    return out


def expand(variants: str) -> list[str]:
    """Every name that `DCG@{50,100}` stands for."""
    parts = re.split(r"\{([^}]*)\}", variants)
    choices = [part.split(",") if i % 2 else [part] for i, part in enumerate(parts)]
    return ["".join(chosen) for chosen in product(*choices)]


@dataclass(frozen=True)
class Measured:
    """MU of some variants: the least and greatest of their means over seeds, with intervals.

    `low` and `high` enclose the variants' bootstrap intervals over topics (ends averaged over seeds); `least` and
    `most` are the extremes over variants and seeds. All None where MU is undefined for a variant under a seed.
    """

    metrics: tuple[str, ...]
    mu_low: float | None
    mu_high: float | None
    low: float | None
    high: float | None
    least: float | None
    most: float | None

    @property
    def label(self) -> str:
        """The variants the way the paper writes them, families side by side."""
        names = dict.fromkeys(family(metric) for metric in self.metrics)
        return ", ".join(label([metric for metric in self.metrics if family(metric) == name]) for name in names)


@dataclass(frozen=True)
class TableColumn:
    """One column of a table: an experiment on a collection, one result per seed (one in all if it draws nothing)."""

    table: str
    key: str
    title: str
    collection: str
    results: tuple[Unanimity, ...]

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(row.metric for row in self.results[0].rows)

    def values(self, metric: str) -> tuple[float | None, ...]:
        """MU of one metric, by seed."""
        return tuple(result[metric].mu for result in self.results)

    def measure(self, metrics: Iterable[str]) -> Measured:
        """MU of these variants over the seeds."""
        names = tuple(metrics)
        rows = {name: [result[name] for result in self.results] for name in names}
        means, lows, highs = (
            [_over(fmean, (getattr(row, what) for row in rows[name])) for name in names]
            for what in ("mu", "low", "high")
        )
        values = [row.mu for name in names for row in rows[name]]
        return Measured(
            names,
            _over(min, means),
            _over(max, means),
            _over(min, lows),
            _over(max, highs),
            _over(min, values),
            _over(max, values),
        )

    def best(self) -> list[Measured]:
        """Of each family the variants with the highest MU, as the paper's tables show them."""
        first: dict[str, Measured] = {}
        for group in group_variants([self]):
            first.setdefault(family(group[0]), self.measure(group))
        return list(first.values())


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """A table of the paper: its columns for each collection, and notes."""

    table: str
    columns_measured: tuple[TableColumn, ...]
    seeds: tuple[int, ...]
    notes: tuple[str, ...]
    all_variants: bool = False

    reference: ClassVar[str] = Unanimity.reference
    header: ClassVar[tuple[str, ...]] = (
        "collection",
        "column",
        "rows",
        "variants",
        "paper_low",
        "paper_high",
        "mu_low",
        "mu_high",
        "low",
        "high",
        "least",
        "most",
        "seeds",
    )

    def records(self) -> list[dict[str, Any]]:
        """Rows `select_printed`: the paper's rows with our values; `best`: our best variants of each family; `all`: all."""
        return [record for column in self.columns_measured for record in self._records(column)]

    def _records(self, column: TableColumn) -> list[dict[str, Any]]:
        rows = [
            _record(column, "printed", column.measure(metrics), (low, high))
            for metrics, low, high in select_printed(column.table, column.key)
        ]
        rows += [_record(column, "best", measured, (None, None)) for measured in column.best()]
        if self.all_variants:
            rows += [_record(column, "all", column.measure(group), (None, None)) for group in group_variants([column])]
        return rows

    def to_text(self, width: int = 80) -> str:
        """The paper's rows with our values, collection by collection."""
        return text(self, "table", width=max(width, 100))

    def to_markdown(self, path: str | Path | None = None) -> str:
        """The same for a page; also written to `path` if given."""
        return deliver(text(self, "md"), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        """The same for a paper; also written to `path` if given."""
        return deliver(text(self, "latex"), path)

    def as_dict(self) -> dict[str, Any]:
        """Everything, in types JSON knows."""
        return {
            "table": self.table,
            "seeds": list(self.seeds),
            "notes": list(self.notes),
            "rows": self.records(),
            **self._provenance(),
        }


def group_variants(columns: Sequence[TableColumn]) -> list[tuple[str, ...]]:
    """Variants of one family with equal values in all columns and seeds; highest in the first column first."""
    members: dict[tuple[Any, ...], list[str]] = {}
    for metric in columns[0].metrics:
        key = (family(metric), *(column.values(metric) for column in columns))
        members.setdefault(key, []).append(metric)
    groups = [tuple(group) for group in members.values()]
    mean = {group: _over(fmean, columns[0].values(group[0])) for group in groups}
    return sorted(groups, key=lambda group: (-or_least(mean[group]), label(group)))


def _record(
    column: TableColumn, rows: str, measured: Measured, paper: tuple[float | None, float | None]
) -> dict[str, Any]:
    return {
        "collection": column.collection,
        "column": column.key,
        "rows": rows,
        "variants": measured.label,
        "metrics": list(measured.metrics),
        "paper_low": paper[0],
        "paper_high": paper[1],
        "mu_low": measured.mu_low,
        "mu_high": measured.mu_high,
        "low": measured.low,
        "high": measured.high,
        "least": measured.least,
        "most": measured.most,
        "seeds": len(column.results),
    }


def _over(combine: Callable[[list[float]], float], values: Iterable[float | None]) -> float | None:
    """The mean, least or greatest of values, where all exist."""
    listed = list(values)
    defined = [value for value in listed if value is not None]
    return combine(defined) if len(defined) == len(listed) else None


# One table of the output: title, header and rows. The last cell of a row is words, the others are numbers.
Block = tuple[str, tuple[str, ...], list[tuple[str, ...]]]
Writer = Callable[[Block], str]


def text(result: Reproduction, format: str, *, width: int = 100) -> str:
    """The whole reproduction as `table`, `md` or `latex`."""
    writers: dict[str, Writer] = {"table": partial(_plain, width=width), "md": markdown, "latex": _latex}
    by_collection = _together(result.columns_measured, lambda column: column.collection)
    parts = [section for columns in by_collection for section in _section(result, columns, format, writers[format])]
    notes = [_note(note, format, width) for note in result.notes]
    seeds = f", seeds {result.seeds[0]} to {result.seeds[-1]}" if result.seeds else ""
    title = f"# Table {result.table[-1]} of the paper, reproduced{seeds}"
    return "\n\n".join([title, *notes, *parts] if format == "md" else [*parts, *notes]) + "\n"


def _note(note: str, format: str, width: int) -> str:
    mark = "% " if format == "latex" else ""
    return note if format == "md" else textwrap.fill(note, width, initial_indent=mark, subsequent_indent=mark)


def _together(columns: Iterable[TableColumn], key: Callable[[TableColumn], Hashable]) -> list[list[TableColumn]]:
    """The columns that share a key, in the order of first use."""
    sides: dict[Hashable, list[TableColumn]] = {}
    for column in columns:
        sides.setdefault(key(column), []).append(column)
    return list(sides.values())


def _section(result: Reproduction, columns: list[TableColumn], format: str, write: Writer) -> list[str]:
    """One collection: the paper's rows, then our best variants of each family, or all of them."""
    heading = {"md": "## {}", "latex": "% {}", "table": "=== {} ==="}[format].format(columns[0].collection)
    blocks = [beside(column) for column in columns]
    if result.all_variants:
        blocks += [every(group) for group in _together(columns, lambda column: column.metrics)]
    else:
        blocks += [best(column) for column in columns]
    return [heading, *(write(block) for block in blocks)]


def beside(column: TableColumn) -> Block:
    """The paper's rows in the paper's order, its value beside ours for the same variants."""
    rows = []
    for metrics, low, high in select_printed(column.table, column.key):
        measured = column.measure(metrics)
        rows.append((_range(low, high), *_numbers(column, measured), measured.label))
    return (f"{column.title}: the paper's rows", ("paper", *_header(column), "variants"), rows)


def best(column: TableColumn) -> Block:
    """The best variants of each family here."""
    rows = [(*_numbers(column, measured), measured.label) for measured in column.best()]
    return (f"{column.title}: the best variants here", (*_header(column), "variants"), rows)


def every(columns: Sequence[TableColumn]) -> Block:
    """Every variant; those with equal values in all columns share a row."""
    rows = []
    for group in group_variants(columns):
        measured = [column.measure(group) for column in columns]
        rows.append((*(_range(cell.mu_low, cell.mu_high) for cell in measured), measured[0].label))
    title = "MU of all variants" + (" (means over the seeds)" if len(columns[-1].results) > 1 else "")
    return (title, (*(column.key for column in columns), "variants"), rows)


def _header(column: TableColumn) -> tuple[str, ...]:
    result = column.results[0]
    interval = (f"{level_text(result.confidence)} interval",) if result.bootstrap else ()
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


def _plain(block: Block, width: int) -> str:
    title, header, rows = block
    sizes = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header) - 1)]
    indent = sum(sizes) + 2 * len(sizes)
    lines = [title]
    for row in [header, *rows]:
        cells = "".join(f"{cell:<{size}}  " for cell, size in zip(row, sizes, strict=False))
        words = textwrap.wrap(row[-1], max(width - indent, 24), break_long_words=False)
        lines += [cells + words[0], *(" " * indent + more for more in words[1:])]
    return "\n".join(lines)


def markdown(block: Block) -> str:
    """A block as a section with a table."""
    title, header, rows = block
    quoted = ([*row[:-1], f"`{row[-1]}`"] for row in rows)
    return "\n".join([f"### {title}", "", *markdown_lines(header, quoted)])


def _latex(block: Block) -> str:
    title, header, rows = block
    head, *body = ([latex_escape(cell) for cell in row] for row in (header, *rows))
    return "\n".join([f"% {title}", *latex_lines(head, body, "r" * (len(header) - 1) + "l")])
