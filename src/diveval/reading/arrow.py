"""Arrow's columns as the compiled scanner reads them: where they lie in memory, without a copy or an object per row."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    """A column whose rows can be picked: of text in views pyarrow cannot pick any."""
    arrow = importlib.import_module("pyarrow")
    return column.cast(arrow.large_string()) if str(column.type) == "string_view" else column


def chunks_of(column: Any) -> list[Any]:
    """The arrays of a column."""
    return list(column.chunks) if hasattr(column, "chunks") else [column]


def described(array: Any) -> tuple[Any, ...]:
    """An array of text, or of indices into text, without nulls, as csrc/_scanner_arrow.c takes it."""
    indices = None
    if is_dictionary(array.type):
        held = array.indices
        indices = held.type.bit_width // 8, len(held), held.offset, _memory(held.buffers()[1])
        array = array.dictionary
    _, items, *data = array.buffers()
    name = str(array.type)
    layout = _VIEWS if name == "string_view" else _OFFSETS_64 if name == "large_string" else _OFFSETS_32
    return layout, len(array), array.offset, _memory(items), tuple(_memory(part) for part in data), indices


def _memory(buffer: Any) -> bytes | tuple[int, int, Any]:
    """Where a buffer is, how long, and the buffer, which keeps it there."""
    return b"" if buffer is None else (buffer.address, buffer.size, buffer)


def held(numbers: Any) -> NDArray[Any]:
    """An Arrow array of numbers as it lies in memory; `to_numpy` would load pandas, which takes half a second."""
    kind, buffer = numbers.type, numbers.buffers()[1]
    if numbers.null_count or buffer is None:
        return np.asarray(numbers.to_numpy(zero_copy_only=False))
    letter = "f" if str(kind) in ("float", "double", "halffloat") else "u" if str(kind).startswith("u") else "i"
    found = np.frombuffer(buffer, dtype=f"{letter}{kind.bit_width // 8}")
    return found[numbers.offset : numbers.offset + len(numbers)]
