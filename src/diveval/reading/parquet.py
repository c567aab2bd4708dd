"""Readers of judgments and runs in parquet, which preserves every column, and its size once decoded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from diveval.collection.inputs import JudgmentsLike, RunsLike
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.errors import InputError, need, quote
from diveval.reading.cells import is_dictionary, numpy_of
from diveval.reading.frames import judgments_from_frame
from diveval.reading.run_files import expand_runs
from diveval.reading.run_tables import runs_from_frame
from diveval.reading.source import FILES, SUSPECT_RATIO, OpenSource, Source, SourceLike
from diveval.setting_table import Duplicates

UNSUSPECTED_ROWS, SUSPECT_ROWS_A_BYTE = 1_000_000, 20  # a row with a document id takes at least some bits
BYTES_A_ROW = 200  # of memory, while a run or judgments are read
# A file that decodes to more bytes than this, and to more times its size than compressed text may, is refused: with a
# dictionary, a long id that a million rows share is stored once, and takes its whole length for each of them in memory.
UNSUSPECTED_BYTES = 1 << 28  # reading takes at most 2.2 times the decoded bytes
SMALL_CHUNK = 1000  # rows; a file may have row groups of one row
NOTE = b"diveval"  # the key of our entry in the schema's metadata


def is_parquet(given: SourceLike) -> bool:
    """Whether a source is parquet, by its first bytes."""
    source = Source.of(given)
    return _is_parquet(source, source.state())


@lru_cache(maxsize=4096)
def _is_parquet(source: Source, stamp: tuple[int, ...] | None) -> bool:
    """Cached for each state of a file, since several steps of an evaluation call it."""
    return source.is_parquet()


class ParquetFiles(NamedTuple):
    """A collection whose files are all parquet."""

    judgments: Source
    runs: list[Source]


def parquet_throughout(judgments: JudgmentsLike, runs: RunsLike) -> ParquetFiles | None:
    """The files if all of them are parquet, else None."""
    listed = [runs] if isinstance(runs, FILES) else runs
    if not isinstance(judgments, FILES) or not isinstance(listed, (list, tuple)) or not listed:
        return None
    files = expand_runs(listed)
    if not all(isinstance(path, FILES) and is_parquet(path) for path in (judgments, *files)):
        return None
    return ParquetFiles(Source.of(judgments), [Source.of(path) for path in files])


def for_arrow(path: Path) -> Path | IO[bytes]:
    """A path for Arrow, or the open file if the path is not UTF-8, which Arrow does not accept."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return path.open("rb")
    return path


def read_table(opened: OpenSource) -> Any:
    """The whole file as an Arrow table, or an error."""
    with valid_parquet(opened.name):
        stream = opened.seekable()
        with need("pyarrow.parquet", "arrow").ParquetFile(stream) as file:
            refuse_bomb(file.metadata, stream, opened.size, opened.name)
            table = join_chunks(file.read())
        table.validate(full=True)  # raises an error now for text that is not UTF-8
        "".join(table.column_names)  # the same for column names, which are decoded on access
        return table


def join_chunks(table: Any) -> Any:
    """A table whose chunks are not tiny: readers take some time per chunk."""
    chunks = max((column.num_chunks for column in table.columns), default=0)
    return table.combine_chunks() if table.num_rows < SMALL_CHUNK * (chunks - 1) else table


@contextmanager
def valid_parquet(name: str) -> Iterator[None]:
    """Turn the errors of Arrow into one line that names the file."""
    arrow = need("pyarrow", "arrow")
    try:
        yield
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = quote(" ".join(str(error).split()), 200)
        raise InputError("cannot-parse", f"is not a readable parquet file: {reason}", source=name) from error


def refuse_bomb(metadata: Any, file: Path | IO[bytes], size: int, name: str) -> None:
    """Raise an error for a small file with more rows or bytes than memory can hold; no collection compresses so well."""
    what = hint = ""
    if metadata.num_rows > max(UNSUSPECTED_ROWS, SUSPECT_ROWS_A_BYTE * size):
        what = f"declares {metadata.num_rows} rows in {size} bytes, which would take about"
        what += f" {metadata.num_rows * BYTES_A_ROW / 1e9:.1f} GB"
        hint = "rows with document ids take some bits each. "
    elif (decoded := decoded_bytes(metadata, file, most := max(UNSUSPECTED_BYTES, SUSPECT_RATIO * size))) > most:
        what = f"has {size} bytes, but at least {decoded / 1e9:.1f} GB once decoded"
    if what:
        hint += "If it really is a collection, write it as text (CSV or TREC), which has no such limit"
        raise InputError("file-too-large", what, hint=hint, source=name)


def note_of(metadata: Mapping[bytes, bytes] | None, source: str) -> dict[str, Any]:
    """The metadata that `diveval data convert` writes; empty for other files."""
    if metadata is None or NOTE not in metadata:
        return {}
    try:
        note = json.loads(metadata[NOTE])
    except (ValueError, RecursionError):
        note = None
    if not _is_note(note):
        raise InputError(
            "cannot-parse", "diveval's metadata in the parquet file is broken", hint="convert again", source=source
        )
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
    opened: OpenSource, *, duplicates: Duplicates = "error", columns: Mapping[str, str] | None = None
) -> Judgments:
    """Judgments from a file with the columns topic, document, grade, and optionally aspect and weight."""
    table = read_table(opened)
    note = note_of(table.schema.metadata, opened.name)
    return judgments_from_frame(
        table,
        columns=columns,
        duplicates=duplicates,
        repeats=bool(note.get("repeats")),
        source=opened.name,
        format=str(note.get("format", "parquet")),
    )


def read_runs(given: SourceLike, *, name: str | None = None, columns: Mapping[str, str] | None = None) -> list[Run]:
    """The runs of a file with the columns topic, document, score or rank, and run if there are several."""
    with Source.of(given).open() as opened:
        return _runs_in(opened, name=name, columns=columns)


def _runs_in(opened: OpenSource, *, name: str | None = None, columns: Mapping[str, str] | None = None) -> list[Run]:
    table = read_table(opened)
    if not table.num_rows:
        raise InputError("empty-input", "is empty: it contains no row", source=opened.name)
    note = note_of(table.schema.metadata, opened.name)
    called = name or run_name_of(opened.source)
    return runs_from_frame(table, called, columns=columns, source=opened.name, note=note, format="parquet")


def run_name_of(source: Source) -> str:
    """The name of the run in a file without a run column: that of the file."""
    return source.run_name.removesuffix(".parquet")


def only_run(opened: OpenSource, name: str | None = None) -> Run:
    """The run of a file that must contain exactly one."""
    runs = _runs_in(opened, name=name)
    if len(runs) > 1:
        raise InputError("wrong-number-of-runs", f"contains {len(runs)} runs, expected one", source=opened.name)
    return runs[0] if name is None else replace(runs[0], name=name)


_ROWS = 4096  # decoded at once where every text is counted


def decoded_bytes(metadata: Any, file: Path | IO[bytes], most: int) -> int:
    """The bytes of all values once decoded: an upper bound, if that is at most `most`; else what exceeded it.

    A value in a dictionary takes some bits per row in the file and its whole length per row in memory, so the longest
    value of each dictionary is looked up, which decodes one row. Chunks too small to matter are not looked at.
    """
    chunks = [(group, column) for group in range(metadata.num_row_groups) for column in range(metadata.num_columns)]
    total = 0
    for group, column in chunks:
        chunk, kind = metadata.row_group(group).column(column), metadata.schema.column(column)
        if kind.physical_type != "BYTE_ARRAY":
            total += chunk.num_values * max(kind.length, 8)
        elif chunk.num_values * chunk.total_uncompressed_size <= most // len(chunks):
            total += chunk.num_values * chunk.total_uncompressed_size
        else:
            total += _text_bytes(file, group, chunk, most - total)
        if total > most:
            break
    return total


def _text_bytes(file: Path | IO[bytes], group: int, chunk: Any, left: int) -> int:
    """The bytes of one column chunk of text once decoded, likewise."""
    if chunk.total_uncompressed_size > left:
        return int(chunk.total_uncompressed_size)
    delta = "DELTA_BYTE_ARRAY" in chunk.encodings  # a text may repeat the one before it at no cost
    if not delta:
        longest = _longest(file, group, chunk) if chunk.dictionary_page_offset is not None else 0
        if longest is not None and (bound := chunk.total_uncompressed_size + chunk.num_values * longest) <= left:
            return int(bound)
    total = 0
    for batch in _batches(file, group, chunk, _ROWS, dictionary=not delta):
        total += sum(map(_size_of, batch.columns))
        if total > left:
            break
    return total


def _longest(file: Path | IO[bytes], group: int, chunk: Any) -> int | None:
    """The longest value of a dictionary; None if the first row does not show the dictionary."""
    first = next(iter(_batches(file, group, chunk, 1)), None)
    dictionaries = [] if first is None else [d for column in first.columns for d in _dictionaries(column)]
    lengths = [_lengths(dictionary).max() for dictionary in dictionaries if len(dictionary)]
    return int(max(lengths)) if lengths else None


def _batches(file: Path | IO[bytes], group: int, chunk: Any, rows: int, *, dictionary: bool = True) -> Any:
    names = [chunk.path_in_schema]
    opened = need("pyarrow.parquet", "arrow").ParquetFile(file, read_dictionary=names if dictionary else None)
    return opened.iter_batches(rows, row_groups=[group], columns=names, use_threads=False)


def _dictionaries(array: Any) -> list[Any]:
    """The dictionaries in an array, also in lists and structs."""
    if is_dictionary(array.type):
        return [array.dictionary]
    return [found for part in _parts(array) for found in _dictionaries(part)]


def _parts(array: Any) -> list[Any]:
    if not need("pyarrow", "arrow").types.is_nested(array.type):
        return []
    flat = array.flatten() if hasattr(array, "flatten") else []
    return flat if isinstance(flat, list) else [flat]


def _size_of(array: Any) -> int:
    """The bytes of an array once its dictionaries are decoded."""
    if not is_dictionary(array.type):
        return sum(map(_size_of, _parts(array))) or int(array.nbytes)
    lengths, indices = _lengths(array.dictionary), numpy_of(array.indices.fill_null(0)).astype(np.int64)
    return int(lengths[indices].sum()) if len(lengths) else 0


def _lengths(texts: Any) -> Any:
    return numpy_of(need("pyarrow.compute", "arrow").binary_length(texts).fill_null(0))
