"""Genres of items from any table: lists, texts with a separator that is detected or given, or a column per genre."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from diveval.errors import InputError, UsageError, quote
from diveval.reading.cells import is_na, numbers_of, text_of, texts_of
from diveval.reading.column_names import ColumnNames
from diveval.reading.frames import is_frame, materialise, names_of, pick_columns
from diveval.recommend.rating_tables import NO_ASPECT

MARKS = ("|", ";", ",")  # separators that are detected, the least likely to be part of a name first


def read_genres(shape: Any, names: ColumnNames, separator: str | None = None) -> dict[str, list[str]]:
    """The genres of items; an item without genres has an empty list, also if the table says `(no genres listed)`."""
    if is_frame(shape):
        items, values, separator = _read_frame(materialise(shape), names, separator)
    elif isinstance(shape, Mapping):
        items, values = list(map(text_of, shape)), list(shape.values())
    else:
        raise UsageError("wrong-type", f"aspects are a frame or a dict {{item: genres}}, got {type(shape).__name__}")
    split = Splitter.detect([value for value in values if isinstance(value, str)], separator)
    out: dict[str, list[str]] = {}
    for item, value in zip(items, values, strict=True):
        out[item] = list(dict.fromkeys([*out.get(item, []), *_genres_of(value, split)]))
    if not any(out.values()):
        raise InputError("metric-needs-aspects", "aspects: no item has a genre")
    return out


def _read_frame(frame: Any, names: ColumnNames, separator: str | None) -> tuple[list[str], list[Any], str | None]:
    """Items, their genres, and the separator, which RecBole's header `genre:token_seq` says is a blank."""
    found = names.find(names_of(frame), ("item",), ("aspects",))
    ids = texts_of(pick_columns(frame, {"item": found["item"]})["item"], "id (item)", "aspects")
    items = list(ids.names.at(ids.codes))
    if "aspects" in found:
        column = pick_columns(frame, {"aspects": found["aspects"]})["aspects"]
        implied = " " if found["aspects"].endswith(":token_seq") else None
        return items, list(column if isinstance(column, list) else column.to_pylist()), separator or implied
    marked = _read_marks(frame, [name for name in names_of(frame) if name != found["item"]])
    if not marked:
        names.find(names_of(frame), ("item", "aspects"), ())  # the error that says which columns are expected
    values = [[name for name, column in marked.items() if column[row]] for row in range(len(items))]
    return items, values, separator


def _read_marks(frame: Any, columns: Sequence[str]) -> dict[str, list[bool]]:
    """The columns that hold nothing but 0 and 1 (or false and true), if there are two or more: one per genre."""
    out = {}
    for name in columns:
        column = pick_columns(frame, {"mark": name})["mark"]
        cells = column if isinstance(column, list) else column.to_pylist()
        numbers = numbers_of([int(cell) if isinstance(cell, bool) else cell for cell in cells])
        if not numbers.odd and not numbers.empty.any() and set(numbers.values.tolist()) <= {0.0, 1.0}:
            out[name] = [bool(value) for value in numbers.values.tolist()]
    return out if len(out) > 1 else {}


def _genres_of(value: Any, split: Splitter) -> list[str]:
    if value is None or (isinstance(value, float) and value != value) or is_na(value):
        return []
    if isinstance(value, str):
        parts = split(value)
    else:
        parts = [str(part) for part in value] if isinstance(value, Iterable) else [str(value)]
    return [part for part in parts if part != NO_ASPECT]


class Splitter:
    """Splits the texts of one table into genres."""

    def __init__(self, separator: str, *, lists: bool = False) -> None:
        self.separator, self.lists = separator, lists

    @classmethod
    def detect(cls, texts: Sequence[str], separator: str | None = None) -> Splitter:
        """By the separator given (empty: every text is one genre), else by the one that the texts have.

        Texts like `['X', 'Y']` are lists. Blanks separate genres only if asked for, as genres have blanks in their
        names; where a word of such a text is another item's genre, that is an error that asks.
        """
        cells = [text.strip() for text in texts if text.strip()]
        if separator is not None:
            return cls(separator)
        if cells and all(_is_list(text) for text in cells):
            return cls("", lists=True)
        made = cls(next((mark for mark in MARKS if any(mark in text for text in cells)), ""))
        made._refuse_doubt(cells)
        return made

    def _refuse_doubt(self, cells: Sequence[str]) -> None:
        """Raise an error where a genre consists of other genres, with another separator between them."""
        genres = {part for text in cells for part in self(text)}
        for mark in MARKS if self.separator else (*MARKS, " "):
            for genre in sorted(genres):
                parts = [part.strip() for part in genre.split(mark) if part.strip()]
                others = [part for part in parts if part in genres and part != genre]
                if others:
                    raise InputError(
                        "ambiguous-separator",
                        f"aspects: {quote(genre)} may be one genre or several, as {quote(others[0])} is a genre too",
                        hint=f"separator={mark!r} splits it, separator={self.separator!r} does not",
                    )
                if (
                    mark == " "
                    and len(parts) > 1
                    and any(set(parts) & set(other.split()) for other in genres - {genre})
                ):
                    raise InputError(
                        "ambiguous-separator",
                        f"aspects: {quote(genre)} may be one genre or several, as other genres have words of it",
                        hint="separator=' ' splits it, separator='' does not",
                    )

    def __call__(self, text: str) -> list[str]:
        if self.lists and text.strip():
            return [str(part).strip() for part in ast.literal_eval(text.strip())]
        parts = text.split(self.separator) if self.separator else [text]
        return [part.strip() for part in parts if part.strip()]


def _is_list(text: str) -> bool:
    """Whether a text is a list as Python or JSON writes it."""
    if text[0] + text[-1] not in ("[]", "()", "{}"):
        return False
    try:
        return isinstance(ast.literal_eval(text), list | tuple | set)
    except (SyntaxError, ValueError):
        return False
