"""The protocol of results: what every command returns is a table of plain values with all its printed forms."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from diveval.errors import count_of, need
from diveval.results.setup import Setup
from diveval.results.statements import Statement
from diveval.results.table_text import TextTable, csv_text, table_of
from diveval.system.files import write_atomically

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars
    import pyarrow

Cell = str | int | float | bool | None
Columns = dict[str, list[Cell]]
MOST_LINES = 60  # of a repr


@dataclasses.dataclass(frozen=True, repr=False)
class Result:
    """Base class of results. A value that does not exist is None, with a note in its row.

    A subclass names its columns in `header` and has `rows`, dataclasses with fields of these names; or it defines
    `records`. `display` is what people read, where that is not simply these columns.
    """

    setup: Setup = dataclasses.field(default_factory=Setup, compare=False, kw_only=True)
    statements: tuple[Statement, ...] = dataclasses.field(default=(), compare=False, kw_only=True)

    reference: ClassVar[str] = ""
    header: ClassVar[tuple[str, ...]] = ()

    def records(self) -> list[dict[str, Any]]:
        """The rows of the table as dictionaries, which may hold more than the columns."""
        return [dataclasses.asdict(row) for row in getattr(self, "rows", ())]

    def __iter__(self) -> Iterator[Any]:
        """The rows, as the objects they are."""
        return iter(getattr(self, "rows", None) or self.records())

    def __len__(self) -> int:
        """How many rows the result has."""
        return len(next(iter(self.columns().values()), []))

    def __bool__(self) -> bool:
        """A result is true, also one without rows."""
        return True

    def columns(self) -> Columns:
        """One list of plain values per column, which every frame library accepts."""
        records = self.records()
        return {name: [_plain(record[name]) for record in records] for name in self.header}

    def display(self) -> TextTable:
        """The table as people read it, with four decimals."""
        return table_of(self.columns(), caption=type(self).__name__)

    def as_dict(self) -> dict[str, Any]:
        """Everything, in JSON types."""
        own = {name: value for name, value in dataclasses.asdict(self).items() if name not in ("setup", "statements")}
        return {**own, **self._provenance()}

    def _provenance(self) -> dict[str, Any]:
        """The parts of `as_dict` that every result has: its reference, its setup and its statements."""
        shape: dict[str, Any] = {"reference": self.reference} if self.reference else {}
        if facts := self.setup.as_dict():
            shape["setup"] = facts
        if self.statements:
            shape["statements"] = [statement.as_dict() for statement in self.statements]
        return shape

    def to_text(self, width: int = 80) -> str:
        """What the command line prints, for a terminal of this width."""
        return self.display().text(width)

    def to_csv(self, path: str | Path | None = None) -> str:
        """The columns as CSV, full doubles, empty cells for None; also written to `path` if given."""
        columns = self.columns()
        return deliver(csv_text(list(columns), zip(*columns.values(), strict=True)), path)

    def to_json(self, path: str | Path | None = None) -> str:
        """`as_dict()` as JSON; also written to `path` if given."""
        return deliver(json_text(self.as_dict()), path)

    def to_markdown(self, path: str | Path | None = None) -> str:
        """The table as people read it, for GitHub; also written to `path` if given."""
        return deliver(self.display().markdown(), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        """The table as people read it, with booktabs; also written to `path` if given."""
        return deliver(self.display().latex(), path)

    def to_pandas(self) -> pandas.DataFrame:
        """The columns as a pandas frame."""
        return need("pandas", "frames").DataFrame(self.columns())

    def to_polars(self) -> polars.DataFrame:
        """The columns as a polars frame."""
        frame: polars.DataFrame = need("polars", "polars").DataFrame(self.columns(), strict=False)
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """The columns as an Arrow table."""
        return need("pyarrow", "arrow").table(self.columns())

    def to_duckdb(self) -> duckdb.DuckDBPyRelation:
        """The columns as a DuckDB relation."""
        relation: duckdb.DuckDBPyRelation = need("duckdb", "duckdb").from_arrow(self.to_arrow())
        return relation

    def _repr_html_(self) -> str:
        """The table as people read it, for notebooks."""
        return self.display().html()

    def _size(self) -> str:
        """How large the result is, for its repr."""
        return count_of(len(self), "row")

    def __str__(self) -> str:
        return self.to_text().rstrip("\n")

    def __repr__(self) -> str:
        lines = str(self).splitlines()
        more = [f"… {len(lines) - MOST_LINES:,} more lines"] if len(lines) > MOST_LINES else []
        return "\n".join([f"<{type(self).__name__}: {self._size()}>", *lines[:MOST_LINES], *more])


def deliver(text: str, path: str | Path | None) -> str:
    """Return the text, and write it to `path` if given."""
    if path is not None:
        write_atomically(path, text)
    return text


def json_text(shape: Any) -> str:
    """Plain data as the JSON that commands print."""
    return json.dumps(shape, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """A cell: lists are texts joined by blanks, as in a file."""
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else value
