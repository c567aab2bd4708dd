"""Parquet: judgments and runs with every column they have, so that nothing is lost between two readings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from diveval.errors import InputError, need
from diveval.judgments import Duplicates, Judgments
from diveval.reading.frames import (
    columns_of,
    found_columns,
    judgments_from_columns,
    run_from_columns,
)
from diveval.runs import Run

MAGIC = b"PAR1"
NOTE = b"diveval"  # the key of the schema's metadata under which we keep what columns cannot say


def is_parquet(path: str | Path) -> bool:
    """Told by the first bytes, as every format is."""
    try:
        if str(path) == "-" or not Path(path).is_file():
            return False
        with Path(path).open("rb") as stream:
            return stream.read(len(MAGIC)) == MAGIC
    except OSError:  # whoever reads it next says what is wrong with it
        return False


def read_table(path: str | Path) -> Any:
    """The whole file as an Arrow table, or one clear line."""
    parquet, arrow = need("pyarrow.parquet", "arrow"), need("pyarrow", "arrow")
    try:
        return parquet.read_table(path)
    except (arrow.ArrowInvalid, OSError) as error:
        raise InputError(f"is not a readable parquet file ({error})", source=str(path)) from error


def note_of(table: Any) -> dict[str, Any]:
    """What `diveval convert` wrote beside the columns; nothing for anyone else's file."""
    metadata: Mapping[bytes, bytes] = table.schema.metadata or {}
    return dict(json.loads(metadata[NOTE])) if NOTE in metadata else {}


def read_judgments(path: str | Path, *, duplicates: Duplicates = "error") -> Judgments:
    """Judgments from a file with the columns topic, document, grade, and perhaps aspect and weight."""
    table = read_table(path)
    columns = columns_of(table, None, needed=("topic", "document", "grade"), optional=("aspect", "weight"))
    note = note_of(table)
    format = str(note.get("format", "parquet"))
    return judgments_from_columns(
        columns, duplicates, repeats=bool(note.get("repeats")), source=str(path), format=format
    )


def read_runs(path: str | Path, *, name: str | None = None) -> list[Run]:
    """The runs of a file with the columns topic, document, score or rank, and run where there are several."""
    table = read_table(path)
    note = note_of(table)
    optional = ("score", "rank", "round", "run")
    columns = columns_of(table, None, needed=("topic", "document"), optional=optional)
    if "run" not in found_columns(table):
        columns["run"] = [name or Path(path).name.removesuffix(".parquet")] * table.num_rows
    by_run: dict[str, list[int]] = {}
    for i, run in enumerate(columns.pop("run")):
        by_run.setdefault(str(run), []).append(i)
    if not by_run:
        raise InputError("is empty: it holds no row", source=str(path))
    order = [run for run in note.get("runs", ()) if run in by_run]
    by_run = {run: by_run[run] for run in dict.fromkeys([*order, *by_run])}
    return [
        run_from_columns(
            {what: [values[i] for i in rows] for what, values in columns.items()}, run, source=str(path),
            format=note.get("formats", {}).get(run, "parquet"), tag=note.get("tags", {}).get(run, ""),
        )
        for run, rows in by_run.items()
    ]  # fmt: skip


def only_run(path: str | Path, name: str | None = None) -> Run:
    """The run of a file that holds one."""
    runs = read_runs(path, name=name)
    if len(runs) > 1:
        raise InputError(f"holds {len(runs)} runs where one is wanted", source=str(path))
    return runs[0] if name is None else replace(runs[0], name=name)
