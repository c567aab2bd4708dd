"""What every statistical result has in common: rows of plain values, one dictionary, one CSV, one JSON."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from pathlib import Path
from typing import Any, ClassVar

from diveval.files import write_atomically


@dataclasses.dataclass(frozen=True)
class Result:
    """Base of the results. A value that does not exist is None and its row says why; NaN never appears."""

    reference: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]

    def records(self) -> list[dict[str, Any]]:
        """The main table, one dictionary per row; what `to_csv` writes."""
        return [dataclasses.asdict(row) for row in getattr(self, "rows", ())]

    def as_dict(self) -> dict[str, Any]:
        """Everything, in types JSON knows."""
        return {**dataclasses.asdict(self), "reference": self.reference}

    def to_csv(self, path: str | Path | None = None) -> str:
        """The main table as CSV, full doubles, empty where a value does not exist; also written to `path`."""
        return deliver(csv_text(self.columns, self.records()), path)

    def to_json(self, path: str | Path | None = None) -> str:
        """`as_dict()` as JSON; also written to `path` if given."""
        return deliver(json.dumps(self.as_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n", path)


def csv_text(columns: tuple[str, ...], records: list[dict[str, Any]]) -> str:
    """A header and one line per record."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return stream.getvalue()


def deliver(text: str, path: str | Path | None) -> str:
    """Hand the text back, and write it if a path was given."""
    if path is not None:
        write_atomically(path, text)
    return text
