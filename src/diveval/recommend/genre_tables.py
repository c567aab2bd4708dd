"""Genres of items from any table: lists, texts with a separator that is detected or given, or a column per genre."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from diveval.errors import InputError, UsageError, preview, quote, warn
from diveval.reading.cells import is_na, numbers_of, text_of, texts_of
from diveval.reading.column_names import ColumnNames
from diveval.reading.frames import is_frame, materialise, names_of, pick_columns
from diveval.recommend.rating_tables import NO_ASPECT

MARKS = ("|", ";", "::", "\t", ",")  # separators that are detected, the least likely to be part of a name first
JOINING = ("/", "&", "+")  # signs between genres, or in the name of one: where texts share a part, an error asks
HYPHENS = ("-", "_", ":", ".")  # signs in names, such as Sci-Fi: an error asks where a part is a genre of its own
NOTHING = (NO_ASPECT, "unknown", "none", "nan", "null", "n/a")  # written where an item has no genre


def read_genres(shape: Any, names: ColumnNames, separator: str | None = None) -> dict[str, list[str]]:
    """The genres of items; an item without genres has an empty list, also if the table says `(no genres listed)`."""
    if is_frame(shape):
        items, values, separator = _read_frame(materialise(shape), names, separator)
    elif isinstance(shape, Mapping):
        items, values = list(map(text_of, shape)), list(shape.values())
    else:
        raise UsageError("wrong-type", f"aspects are a frame or a dict {{item: genres}}, got {type(shape).__name__}")
    split = Splitter.detect([value for value in values if isinstance(value, str)], separator)
    listed = [part for value in values if not isinstance(value, str) and isinstance(value, Iterable) for part in value]
    if listed and separator is None:
        refuse_doubt({part for part in listed if isinstance(part, str)}, "")
    out: dict[str, list[str]] = {}
    known: dict[str, list[str]] = {}  # by text: many items have the same
    for item, value in zip(items, values, strict=True):
        text = value if isinstance(value, str) else None
        if text is None or text not in known:
            own = list(dict.fromkeys(_genres_of(value, split)))
            if text is not None:
                known[text] = own
        else:
            own = known[text]
        out[item] = list(dict.fromkeys([*out[item], *own])) if item in out else own
    if not any(out.values()):
        raise InputError("metric-needs-aspects", "aspects: no item has a genre")
    _warn_about_case(out)
    return out


def _warn_about_case(genres: Mapping[str, Sequence[str]]) -> None:
    """Warn about genres that differ in case or blanks only: they count as different."""
    spellings: dict[str, set[str]] = {}
    for genre in {genre for own in genres.values() for genre in own}:
        spellings.setdefault(" ".join(genre.lower().split()), set()).add(genre)
    several = [sorted(own) for own in spellings.values() if len(own) > 1]
    if several:
        shown = preview([" and ".join(map(quote, own)) for own in sorted(several)])
        warn("ambiguous-label", f"aspects: genres that differ in case or blanks only count as different ({shown})")


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
        parts = [str(part).strip() for part in value] if isinstance(value, Iterable) else [str(value)]
    return [part for part in parts if part and part.lower() not in NOTHING]


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
            other = next((mark for mark in MARKS if separator and any(mark in text for text in cells)), None)
            if other is not None and not any(separator in text for text in cells):
                raise UsageError(
                    "ambiguous-separator",
                    f"aspects: no text has the separator {quote(separator)}, but some have {quote(other)}",
                    hint=f"separator={other!r}, or separator='' if each text is one genre",
                )
            return cls(separator)
        if cells and all(_list_in(text) is not None for text in cells):
            made = cls("", lists=True)
        else:
            made = cls(next((mark for mark in MARKS if any(mark in text for text in cells)), ""))
        refuse_doubt({part for text in cells for part in made(text)}, made.separator)
        return made

    def __call__(self, text: str) -> list[str]:
        if self.lists and text.strip():
            return [str(part).strip() for part in _list_in(text.strip()) or ()]
        parts = text.split(self.separator) if self.separator else [text]
        return [part.strip() for part in parts if part.strip()]


def refuse_doubt(genres: AbstractSet[str], separator: str) -> None:
    """Raise an error where a genre consists of other genres, with another separator between them."""
    words = Counter(word for genre in genres for word in set(genre.split()))
    parts_of: dict[str, set[str]] = {}
    for mark in (*MARKS, *JOINING, *HYPHENS, *([] if separator else [" "])):
        for genre in sorted(genre for genre in genres if mark in genre.strip()):
            parts = [part.strip() for part in genre.split(mark) if part.strip()]
            others = [part for part in parts if part in genres and part != genre]
            shared = mark == " " and len(parts) > 1 and any(words[part] > 1 for part in parts)
            for part in parts if mark in (*MARKS, *JOINING) else ():  # the same part of two texts: X/Y and Y/Z
                parts_of.setdefault(f"{mark} {part}", set()).add(genre)
            twin = next((part for part in parts if len(parts_of.get(f"{mark} {part}", ())) > 1), None)
            if not others and not shared and not (twin and len(parts) > 1):
                continue
            why = f"{quote(others[0])} is a genre too" if others else "other genres have parts of it"
            raise InputError(
                "ambiguous-separator",
                f"aspects: {quote(genre)} may be one genre or several, as {why}",
                hint=f"separator={mark!r} splits it, separator={separator!r} does not",
            )


def _list_in(text: str) -> list[Any] | None:
    """The list that a text is: as Python, JSON or NumPy writes it, or without quotes; None for any other text."""
    if text[0] + text[-1] not in ("[]", "()", "{}"):
        return None
    quoted = re.findall(r"'([^']*)'|\"([^\"]*)\"", text)
    if quoted and not re.sub(r"'[^']*'|\"[^\"]*\"", "", text[1:-1]).replace(",", "").strip():
        return [first or second for first, second in quoted]  # NumPy puts no commas between
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        inside = text[1:-1]
        return [part.strip() for part in inside.split(",")] if inside.strip() else []
    return list(value) if isinstance(value, list | tuple | set | dict) else None
