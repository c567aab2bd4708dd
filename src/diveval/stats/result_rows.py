"""The base class of statistical results: rows of plain values, and their CSV, JSON and LaTeX."""

from __future__ import annotations

import dataclasses
import html
import json
from pathlib import Path
from typing import Any, ClassVar

from diveval import table_text
from diveval.table_text import latex_escape, latex_lines
from diveval.tables import deliver, html_table


@dataclasses.dataclass(frozen=True)
class Result:
    """Base class of the results. A value that does not exist is None, with a note in its row; NaN never occurs."""

    reference: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]

    def records(self) -> list[dict[str, Any]]:
        """The main table, one dictionary per row; what `to_csv` writes."""
        return [dataclasses.asdict(row) for row in getattr(self, "rows", ())]

    def as_dict(self) -> dict[str, Any]:
        """Everything, in JSON types."""
        return {**dataclasses.asdict(self), "reference": self.reference}

    def to_csv(self, path: str | Path | None = None) -> str:
        """The main table as CSV, full doubles, empty cells for None; also written to `path` if given."""
        return deliver(csv_text(self.columns, self.records()), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        """The main table for a paper, with booktabs; also written to `path` if given."""
        return deliver(latex_text(self.columns, self.records()), path)

    def to_json(self, path: str | Path | None = None) -> str:
        """`as_dict()` as JSON; also written to `path` if given."""
        return deliver(json.dumps(self.as_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n", path)

    def _repr_html_(self) -> str:
        """The main table, for notebooks."""
        rows = [[html.escape(_shown(record[column])) for column in self.columns] for record in self.records()]
        return html_table(self.columns, rows, caption=type(self).__name__)


def csv_text(columns: tuple[str, ...], records: list[dict[str, Any]]) -> str:
    """A header and one line per record."""
    return table_text.csv_text(columns, ([record[column] for column in columns] for record in records))


def latex_text(columns: tuple[str, ...], records: list[dict[str, Any]]) -> str:
    """A booktabs table: text left-aligned, numbers right-aligned with four decimals, a dash for None."""
    kinds = ["r" if all(_is_number(record[column]) for record in records) else "l" for column in columns]
    rows = [[latex_escape(_shown(record[column])) for column in columns] for record in records]
    return "\n".join(latex_lines([latex_escape(column) for column in columns], rows, "".join(kinds))) + "\n"


def _is_number(value: object) -> bool:
    return value is None or isinstance(value, int | float)


def _shown(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
