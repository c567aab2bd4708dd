"""Readers of judgments and runs in parquet, which preserves every column."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, NamedTuple

from diveval.errors import InputError, need, printable, shown
from diveval.inputs import JudgmentsLike, RunsLike
from diveval.judgments import Duplicates, Judgments
from diveval.reading.frames import judgments_from_frame
from diveval.reading.lines import fetched, source_name, state
from diveval.reading.run_tables import runs_from_frame
from diveval.runs import Run

MAGIC = b"PAR1"
UNSUSPECTED_ROWS, SUSPECT_ROWS_A_BYTE = 1_000_000, 20  # a row with a document id takes at least some bits
BYTES_A_ROW = 200  # of memory, while a run or judgments are read
NOTE = b"diveval"  # the key of our entry in the schema's metadata


def is_parquet(path: str | Path) -> bool:
    """Whether a file is parquet, by its first bytes; with white space after them it is text with a topic named PAR1."""
    path = fetched(path)
    try:
        stamp = None if str(path) == "-" else state(path)
        return stamp is not None and _begins_as_parquet(str(path), stamp)
    except OSError:  # the reader of the file reports the error
        return False


@lru_cache(maxsize=4096)
def _begins_as_parquet(path: str, stamp: tuple[int, ...]) -> bool:
    """Cached for each state of a file, since several steps of an evaluation call it."""
    with Path(path).open("rb") as stream:
        head = stream.read(len(MAGIC) + 1)
    return head.startswith(MAGIC) and head[len(MAGIC) :] not in (b" ", b"\t")


class ParquetFiles(NamedTuple):
    """A collection whose files are all parquet."""

    judgments: str | Path
    runs: list[Path]


def parquet_throughout(judgments: JudgmentsLike, runs: RunsLike) -> ParquetFiles | None:
    """The files if all of them are parquet, else None."""
    listed = [runs] if isinstance(runs, (str, Path)) else runs
    if not isinstance(judgments, (str, Path)) or not isinstance(listed, (list, tuple)) or not listed:
        return None
    if not all(isinstance(path, (str, Path)) for path in listed):
        return None
    everything_is = all(map(is_parquet, (judgments, *listed)))
    return ParquetFiles(fetched(judgments), [Path(fetched(path)) for path in listed]) if everything_is else None


def source_of(path: str | Path) -> str | Path | IO[bytes]:
    """A path for Arrow, or the open file if the path is not UTF-8, which Arrow does not accept."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return Path(path).open("rb")
    return path


def read_table(path: str | Path) -> Any:
    """The whole file as an Arrow table, or an error."""
    parquet, arrow = need("pyarrow.parquet", "arrow"), need("pyarrow", "arrow")
    path = fetched(path)
    try:
        with parquet.ParquetFile(source_of(path)) as opened:
            refuse_bomb(opened.metadata, path)
            table = opened.read()
        table.validate(full=True)  # raises an error now for text that is not UTF-8
        "".join(table.column_names)  # the same for column names, which are decoded on access
        return table
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = shown(" ".join(str(error).split()), 200)
        raise InputError(f"is not a readable parquet file: {reason}", source=source_name(path)) from error


def refuse_bomb(metadata: Any, path: str | Path) -> None:
    """Raise an error for a small file that declares more rows than memory can hold; no collection compresses so well."""
    size = Path(path).stat().st_size
    if metadata.num_rows > max(UNSUSPECTED_ROWS, SUSPECT_ROWS_A_BYTE * size):
        raise InputError(
            f"declares {metadata.num_rows} rows in {size} bytes, which would take about"
            f" {metadata.num_rows * BYTES_A_ROW / 1e9:.1f} GB; rows with document ids take some bits each. If it really"
            " is a collection, write it as text (CSV or TREC), which has no such limit",
            source=source_name(path),
        )


def note_of(metadata: Mapping[bytes, bytes] | None, source: str) -> dict[str, Any]:
    """The metadata that `diveval convert` writes; empty for other files."""
    if metadata is None or NOTE not in metadata:
        return {}
    try:
        note = json.loads(metadata[NOTE])
    except (ValueError, RecursionError):
        note = None
    if not _is_note(note):
        raise InputError("diveval's metadata in the parquet file is broken; convert again", source=source)
    return dict(note)


def _is_note(note: Any) -> bool:
    """Whether metadata has the form that `diveval.writing` gives it: a format; or runs, with their formats and tags."""
    if not isinstance(note, dict):
        return False
    runs, named = note.get("runs", []), [note.get("formats", {}), note.get("tags", {})]
    texts = [note.get("format", ""), *(runs if isinstance(runs, list) else [None])]
    texts += [text for names in named for text in (names.values() if isinstance(names, dict) else [None])]
    return all(isinstance(text, str) for text in texts)


def read_judgments(
    path: str | Path, *, duplicates: Duplicates = "error", columns: Mapping[str, str] | None = None
) -> Judgments:
    """Judgments from a file with the columns topic, document, grade, and optionally aspect and weight."""
    table = read_table(path)
    note = note_of(table.schema.metadata, source_name(path))
    return judgments_from_frame(
        table,
        columns=columns,
        duplicates=duplicates,
        repeats=bool(note.get("repeats")),
        source=source_name(path),
        format=str(note.get("format", "parquet")),
    )


def read_runs(path: str | Path, *, name: str | None = None, columns: Mapping[str, str] | None = None) -> list[Run]:
    """The runs of a file with the columns topic, document, score or rank, and run if there are several."""
    table = read_table(path)
    if not table.num_rows:
        raise InputError("is empty: it contains no row", source=source_name(path))
    note = note_of(table.schema.metadata, source_name(path))
    called = name or run_name_of(path)
    return runs_from_frame(table, called, columns=columns, source=source_name(path), note=note, format="parquet")


def run_name_of(path: str | Path) -> str:
    """The name of the run in a file without a run column: that of the file."""
    return printable(Path(path).name).removesuffix(".parquet")


def only_run(path: str | Path, name: str | None = None) -> Run:
    """The run of a file that must contain exactly one."""
    runs = read_runs(path, name=name)
    if len(runs) > 1:
        raise InputError(f"contains {len(runs)} runs, expected one", source=source_name(path))
    return runs[0] if name is None else replace(runs[0], name=name)
