"""Columns of any table as codes and numbers, without a Python object per row if pyarrow is installed.

The compiled scanner reads Arrow columns in place, without a copy.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.collection.columns import BoolArray, Codes, Floats, IntArray, Names, intern, without_unused
from diveval.collection.runs import NO_NUMBER
from diveval.errors import InputError, quote
from diveval.system import scanner

_OFFSETS_32, _OFFSETS_64, _VIEWS = range(3)  # TextLayout in csrc/texts.h


def arrow_if_there() -> Any | None:
    """pyarrow, or None: tables of other libraries are then read value by value."""
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        return None


def is_text(kind: Any) -> bool:
    """Text in any of Arrow's layouts."""
    types = importlib.import_module("pyarrow").types
    view = getattr(types, "is_string_view", lambda _: False)
    return bool(types.is_string(kind) or types.is_large_string(kind) or view(kind))


def is_dictionary(kind: Any) -> bool:
    """Indices into a dictionary."""
    return bool(importlib.import_module("pyarrow").types.is_dictionary(kind))


def holds_text(kind: Any) -> bool:
    """Text, or indices into a dictionary of text."""
    return is_text(kind.value_type if is_dictionary(kind) else kind)


def is_plain(column: Any) -> bool:
    """Text in every row."""
    if column.null_count or not holds_text(column.type):
        return False
    return not any(is_dictionary(part.type) and part.dictionary.null_count for part in chunks_of(column))


def takeable(column: Any) -> Any:
    """A column that supports `take`, which pyarrow lacks for string views."""
    arrow = importlib.import_module("pyarrow")
    return column.cast(arrow.large_string()) if str(column.type) == "string_view" else column


def chunks_of(column: Any) -> list[Any]:
    """The arrays of a column."""
    return list(column.chunks) if hasattr(column, "chunks") else [column]


def describe(array: Any) -> tuple[Any, ...]:
    """An array of text, or of indices into text, without nulls, as csrc/_scanner_arrow.c takes it."""
    indices = None
    if is_dictionary(array.type):
        codes = array.indices
        indices = codes.type.bit_width // 8, len(codes), codes.offset, _memory(codes.buffers()[1])
        array = array.dictionary
    _, items, *data = array.buffers()
    name = str(array.type)
    layout = _VIEWS if name == "string_view" else _OFFSETS_64 if name == "large_string" else _OFFSETS_32
    return layout, len(array), array.offset, _memory(items), tuple(_memory(part) for part in data), indices


def _memory(buffer: Any) -> bytes | tuple[int, int, Any]:
    """The address and size of a buffer, and the buffer itself, which keeps the memory alive."""
    return b"" if buffer is None else (buffer.address, buffer.size, buffer)


def numpy_of(numbers: Any) -> NDArray[Any]:
    """An Arrow array of numbers as a numpy array, without a copy; `to_numpy` would import pandas (half a second)."""
    kind, buffer = numbers.type, numbers.buffers()[1]
    if numbers.null_count or buffer is None:
        return np.asarray(numbers.to_numpy(zero_copy_only=False))
    letter = "f" if str(kind) in ("float", "double", "halffloat") else "u" if str(kind).startswith("u") else "i"
    values = np.frombuffer(buffer, dtype=f"{letter}{kind.bit_width // 8}")
    return values[numbers.offset : numbers.offset + len(numbers)]


# --- ids and numbers of any column ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class IdColumn:
    """A column of ids: the distinct names, and a code per row."""

    names: Names
    codes: Codes

    def take(self, rows: NDArray[Any]) -> IdColumn:
        """Some of the rows, with only the names that they use."""
        return IdColumn(*without_unused(self.names, self.codes[rows]))


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """A column of numbers as doubles: NaN for an empty cell; `odd` has a value that is not a finite number."""

    values: Floats
    empty: BoolArray
    odd: dict[int, Any]  # row → value; at most one is kept

    def take(self, rows: NDArray[Any]) -> NumberColumn:
        """Some of the rows."""
        odd = {}
        if self.odd:
            place = {int(row): i for i, row in enumerate(rows.tolist())}
            odd = {place[row]: value for row, value in self.odd.items() if row in place}
        return NumberColumn(self.values[rows], self.empty[rows], odd)


# --- ids --------------------------------------------------------------------------------------------------------------


def texts_of(column: Any, what: str, source: str = "") -> IdColumn:
    """A column of ids; an empty cell is an error."""
    arrow = arrow_if_there()
    if arrow is None or isinstance(column, list):
        values = column if isinstance(column, list) else column.to_pylist()
        return IdColumn(*intern([text_of(value, what, source) for value in values]))
    if column.null_count:
        raise missing(what, source)
    if holds_text(column.type):
        return _intern(chunks_of(column), what, source)
    if arrow.types.is_nested(column.type) or isinstance(column.type, arrow.BaseExtensionType):
        return texts_of(column.to_pylist(), what, source)  # an error for the first list; UUIDs as texts
    if arrow.types.is_integer(column.type) and (coded := _code_close_integers(arrow, column)) is not None:
        return coded
    coded = column if is_dictionary(column.type) else column.dictionary_encode()
    parts = [
        arrow.DictionaryArray.from_arrays(part.indices, _as_texts(arrow, part.dictionary, what, source))
        for part in chunks_of(coded)
    ]
    return _intern(parts, what, source)


def _code_close_integers(arrow: Any, column: Any) -> IdColumn | None:
    """Integers as codes in ascending order, found in a table of all integers between them; None if that would be large."""
    values = numpy_of(whole_array(arrow, column))
    if not len(values):
        return None
    low, high = int(values.min()), int(values.max())
    if high - low > 2 * len(values) or high > np.iinfo(np.int64).max:
        return None
    places = values if low == 0 else np.subtract(values, low, dtype=np.int64, casting="unsafe")
    occurs = np.zeros(high - low + 1, dtype=bool)
    occurs[places] = True
    number = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    texts = arrow.array(np.flatnonzero(occurs) + low).cast(arrow.large_string())
    _, offsets, text = texts.buffers()
    starts = np.frombuffer(offsets, dtype=np.int64)[: len(texts) + 1]
    return IdColumn(Names(text.to_pybytes()[: starts[-1]], starts), number.take(places))


def _as_texts(arrow: Any, values: Any, what: str, source: str) -> Any:
    """The values of a dictionary of anything, as text."""
    if arrow.types.is_integer(values.type):
        return values.cast(arrow.large_string())
    return arrow.array([text_of(value, what, source) for value in values.to_pylist()], arrow.large_string())


def _intern(parts: Sequence[Any], what: str, source: str) -> IdColumn:
    """Arrays of text as codes."""
    compiled = scanner.load()
    if compiled is None:
        texts = [text for part in parts for text in part.to_pylist()]
        if not all(texts):
            raise missing(what, source)
        return IdColumn(*intern(texts))
    coded = None
    if not any(is_dictionary(part.type) and part.dictionary.null_count for part in parts):
        coded = compiled.intern(scanner.random_key(), tuple(describe(part) for part in parts))
    if coded is None:  # an empty text
        raise missing(what, source)
    return IdColumn(Names.from_pair(coded[1]), np.frombuffer(coded[0], dtype=np.int32))


def intern_names(columns: Sequence[Names]) -> tuple[Names, Codes]:
    """The names of several columns, each once, and the codes of all columns, one after the other."""
    compiled, coded = scanner.load(), None
    if compiled is not None:
        described = ((_OFFSETS_64, len(own), 0, own.pair[1], (own.text,), None) for own in columns)
        coded = compiled.intern(scanner.random_key(), tuple(described))
    if coded is None:  # without the compiled scanner, or with an empty name
        return intern([name for own in columns for name in own])
    return Names.from_pair(coded[1]), np.frombuffer(coded[0], dtype=np.int32)


def text_of(value: Any, what: str = "id (topic, aspect or document)", source: str = "") -> str:
    """An id as text."""
    if type(value) is str and value:  # nearly always
        return value
    if isinstance(value, (tuple, list, dict, set, frozenset, np.ndarray)):
        raise InputError(
            "invalid-id",
            f"an {what} is a text or a number, got {quote(value)}",
            hint="documents with scores are {document: score}",
            source=source,
        )
    if is_nothing(value):
        raise missing(what, source)
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError("not-utf8", f"the id {quote(value)} is not UTF-8", source=source) from None
    if isinstance(value, (float, np.floating)) and value.is_integer():  # pandas' integers in a column with empty cells
        return str(int(value))
    return value if isinstance(value, str) else str(value)


def is_na(value: Any) -> bool:
    """Whether a value is one of pandas' own missing values."""
    return type(value).__name__ in ("NAType", "NaTType")


def is_nothing(value: Any) -> bool:
    """Whether a cell is empty: None, NaN, an empty text or a missing value of pandas."""
    return value is None or (isinstance(value, float) and value != value) or value == "" or is_na(value)


def missing(what: str, source: str) -> InputError:
    """The error for an empty id."""
    return InputError("missing-id", f"an {what} is missing: the column has an empty cell", source=source)


# --- numbers ----------------------------------------------------------------------------------------------------------


def is_numeric(column: Any) -> bool:
    """Whether a column holds numbers, and not only true and false."""
    arrow = arrow_if_there()
    if arrow is not None and not isinstance(column, list):
        return bool(arrow.types.is_integer(column.type) or arrow.types.is_floating(column.type))
    values = column if isinstance(column, list) else column.to_pylist()
    return bool(values) and bool(np.isfinite([float_of(value) for value in values]).all())


def numbers_of(column: Any) -> NumberColumn:
    """A column of numbers. A value that is not a number is kept for the error message; the caller handles empty cells."""
    arrow = arrow_if_there()
    if arrow is None or isinstance(column, list):
        return _plain_numbers(column if isinstance(column, list) else column.to_pylist())
    column = whole_array(arrow, column)
    if arrow.types.is_integer(column.type) or arrow.types.is_floating(column.type):
        empty = np.zeros(len(column), dtype=bool)
        if column.null_count:
            empty = np.asarray(column.is_null().to_numpy(zero_copy_only=False))
        return _check(numpy_of(column.cast(arrow.float64(), safe=False)), empty)
    if arrow.types.is_nested(column.type) or isinstance(column.type, arrow.BaseExtensionType):
        return _plain_numbers(column.to_pylist())
    if arrow.types.is_null(column.type):
        return NumberColumn(np.full(len(column), np.nan), np.ones(len(column), dtype=bool), {})
    if is_text(column.type):
        column = column.cast(arrow.large_string())  # views cannot be encoded
    coded = column if is_dictionary(column.type) else column.dictionary_encode()
    distinct = _plain_numbers(coded.dictionary.to_pylist())
    empty = np.asarray(coded.indices.is_null().to_numpy(zero_copy_only=False))
    codes = numpy_of(coded.indices.fill_null(0)).astype(np.int64, copy=False)
    if not len(distinct.values):
        return NumberColumn(np.full(len(column), np.nan), empty, {})
    values = np.where(empty, np.nan, distinct.values[codes])
    empty = empty | distinct.empty[codes]
    odd = np.flatnonzero(np.isin(codes, list(distinct.odd)) & ~empty)[:1].tolist()
    return NumberColumn(values, empty, {row: distinct.odd[int(codes[row])] for row in odd})


def whole_array(arrow: Any, column: Any) -> Any:
    """A column as one array, without a copy if it has a single chunk."""
    parts = chunks_of(column)
    if len(parts) == 1:
        return parts[0]
    return arrow.concat_arrays(parts) if parts else arrow.array([], column.type)


def _check(values: Floats, empty: BoolArray) -> NumberColumn:
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):  # then every value is finite
            return NumberColumn(values, empty, {})
    odd = np.flatnonzero(~np.isfinite(values) & ~empty)[:1].tolist()
    return NumberColumn(values, empty, {row: float(values[row]) for row in odd})


def _plain_numbers(values: Iterable[Any]) -> NumberColumn:
    out, empty, odd = [], [], dict[int, Any]()
    for row, value in enumerate(values):
        nothing = value is None or is_na(value)
        number = np.nan if nothing else float_of(value)
        if not nothing and not np.isfinite(number) and not odd:
            odd[row] = value
        out.append(number)
        empty.append(nothing)
    return NumberColumn(np.array(out, dtype=np.float64), np.array(empty, dtype=bool), odd)


def float_of(value: Any) -> float:
    """A number as a double; NaN for anything else."""
    if type(value) in (float, int) and -1e300 < value < 1e300:  # nearly always
        return float(value)
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, Decimal, np.number)):
        return float("nan")
    try:
        return float(value)
    except (OverflowError, ValueError):  # an integer of more than 308 digits; a signalling NaN of decimal
        return float("inf")


def whole_numbers_of(column: Any) -> IntArray:
    """A column of integers, `NO_NUMBER` for empty cells and other values."""
    arrow = arrow_if_there()
    if arrow is not None and not isinstance(column, list) and not column.null_count:
        whole = whole_array(arrow, column)
        if whole.type in (arrow.int8(), arrow.int16(), arrow.int32(), arrow.int64(), arrow.uint8(), arrow.uint16()):
            return np.asarray(numpy_of(whole)).astype(np.int64, copy=False)
    values = numbers_of(column).values
    with np.errstate(invalid="ignore"):
        usable = (np.abs(values) < 2.0**63) & (values == np.floor(values))
        return np.where(usable, np.where(usable, values, 0.0).astype(np.int64), NO_NUMBER)
