"""How much memory a parquet file takes once decoded, from its metadata and, where these do not tell, its dictionaries."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import numpy as np

from diveval.errors import need
from diveval.reading.cells import is_dictionary, numpy_of

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
