"""Parquet: judgments and runs with every column they have, so that nothing is lost between two readings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from diveval.errors import InputError, need, shown
from diveval.judgments import Duplicates, Judgments
from diveval.reading.frames import (
    columns_of,
    found_columns,
    judgments_from_columns,
    run_from_columns,
)
from diveval.runs import Run

MAGIC = b"PAR1"
UNSUSPECTED_ROWS, SUSPECT_ROWS_A_BYTE = 10_000_000, 20  # a row that names a document takes at least some bits
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
        refuse_bomb(parquet.ParquetFile(path).metadata, path)
        table = parquet.read_table(path)
        table.validate(full=True)  # text that is not UTF-8 is found here, not in the middle of something
        "".join(table.column_names)  # the same for names, which are decoded when asked for
        return table
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = shown(" ".join(str(error).split()), 200)
        raise InputError(f"is not a readable parquet file: {reason}", source=str(path)) from error


def refuse_bomb(metadata: Any, path: str | Path) -> None:
    """A file of a few bytes may promise more rows than memory holds; no collection packs like that."""
    size = Path(path).stat().st_size
    if metadata.num_rows > max(UNSUSPECTED_ROWS, SUSPECT_ROWS_A_BYTE * size):
        raise InputError(
            f"promises {metadata.num_rows} rows in {size} bytes, which no collection does; if it is one, write it as"
            " text", source=str(path),
        )  # fmt: skip


def note_of(table: Any, source: str) -> dict[str, Any]:
    """What `diveval convert` wrote beside the columns; nothing for anyone else's file."""
    metadata: Mapping[bytes, bytes] = table.schema.metadata or {}
    if NOTE not in metadata:
        return {}
    try:
        note = json.loads(metadata[NOTE])
    except (ValueError, RecursionError):
        note = None
    if not _is_note(note):
        raise InputError("the note that diveval leaves in its parquet files is broken; convert again", source=source)
    return dict(note)


def _is_note(note: Any) -> bool:
    """Of the shape that `diveval.writing` gives it: a format; or runs, with their formats and tags."""
    if not isinstance(note, dict):
        return False
    runs, named = note.get("runs", []), [note.get("formats", {}), note.get("tags", {})]
    texts = [note.get("format", ""), *(runs if isinstance(runs, list) else [None])]
    texts += [text for names in named for text in (names.values() if isinstance(names, dict) else [None])]
    return all(isinstance(text, str) for text in texts)


def read_judgments(path: str | Path, *, duplicates: Duplicates = "error") -> Judgments:
    """Judgments from a file with the columns topic, document, grade, and perhaps aspect and weight."""
    table = read_table(path)
    columns = columns_of(table, None, needed=("topic", "document", "grade"), optional=("aspect", "weight"))
    note = note_of(table, str(path))
    format = str(note.get("format", "parquet"))
    return judgments_from_columns(
        columns, duplicates, repeats=bool(note.get("repeats")), source=str(path), format=format
    )


def read_runs(path: str | Path, *, name: str | None = None) -> list[Run]:
    """The runs of a file with the columns topic, document, score or rank, and run where there are several."""
    table = read_table(path)
    note = note_of(table, str(path))
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
