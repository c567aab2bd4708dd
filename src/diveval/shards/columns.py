"""Arrow columns as numpy codes: what makes a million rows a handful of array operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.errors import InputError, need

Codes = NDArray[np.int64]


def text_column(table: Any, name: str) -> Any:
    """A column of ids as one dictionary array: each text once, and a code a row."""
    arrow = need("pyarrow", "arrow")
    column = table[name]
    if column.null_count:
        raise InputError(f"the column {name} has {column.null_count} empty cells; every row needs one")
    if column.num_chunks == 0:
        return arrow.array([], arrow.large_string()).dictionary_encode()
    if not arrow.types.is_dictionary(column.type):
        return column.cast(arrow.large_string()).combine_chunks().dictionary_encode()
    return _used(column.unify_dictionaries().combine_chunks())


def _used(column: Any) -> Any:
    """Without the texts that no row has: a part of a file still carries the dictionary of the whole."""
    arrow = need("pyarrow", "arrow")
    codes = codes_of(column)
    used = np.zeros(len(column.dictionary), dtype=bool)
    used[codes] = True
    if used.all():
        return column
    new = np.cumsum(used) - 1
    return arrow.DictionaryArray.from_arrays(new[codes], column.dictionary.filter(arrow.array(used)))


def codes_of(column: Any) -> Codes:
    """The code of each row."""
    return np.asarray(column.indices).astype(np.int64, copy=False)


def places_in(column: Any, values: Sequence[str]) -> Codes:
    """Where each row's text stands among `values`; −1 where it does not."""
    arrow, compute = need("pyarrow", "arrow"), need("pyarrow.compute", "arrow")
    kind = column.dictionary.type
    found = compute.index_in(column.dictionary, value_set=arrow.array(values, kind)).fill_null(-1)
    table = np.asarray(found).astype(np.int64, copy=False)
    return table[codes_of(column)] if len(table) else np.empty(0, dtype=np.int64)


def number_column(table: Any, name: str) -> NDArray[np.float64] | None:
    """A column of numbers, or None where there is none; a hole or a NaN is an error."""
    if name not in table.column_names or table[name].null_count == table.num_rows:
        return None
    values = np.asarray(table[name].cast("float64").combine_chunks().to_numpy(zero_copy_only=False))
    if not np.isfinite(values).all():
        raise InputError(f"the column {name} holds a value that is missing or not a finite number")
    return values
