"""Genres of items from any table: lists, texts with a separator that is detected or given, or a column per genre."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from diveval.errors import InputError, UsageError, count_of, preview, quote, warn
from diveval.reading.cells import is_na, numbers_of, text_of, texts_of
from diveval.reading.column_names import ColumnNames
from diveval.reading.frames import is_frame, materialise, names_of, pick_columns

MARKS = ("|", ";", "::", "\t", "\n", ",")  # separators that are detected, the least likely to be part of a name first
QUOTES = "\"'"
HYPHENS = ("-", "_", ":", ".")  # signs in names, such as Sci-Fi: an error asks where a part is a genre of its own
AND = re.compile(r"(?:^|\s)(?:and|or|und|oder|et|ou|y|e)\s")  # before the last genre of an enumeration
# What is written where an item has no genre, without signs and blanks; signs alone, such as - or ?, are none either.
NOTHING = frozenset(
    [
        "nogenreslisted",
        "nogenrelisted",
        "nogenre",
        "nogenres",
        "unknown",
        "none",
        "nan",
        "null",
        "nil",
        "na",
        "notavailable",
        "notspecified",
        "unspecified",
        "undefined",
        "missing",
    ]
)


def read_genres(shape: Any, names: ColumnNames, separator: str | None = None) -> dict[str, list[str]]:
    """The genres of items; an item without genres has an empty list, also if the table says `(no genres listed)`."""
    if separator is not None and not isinstance(separator, str):
        raise UsageError("wrong-type", f"separator is a text, got {separator!r}")
    if is_frame(shape):
        items, values, separator = _read_frame(materialise(shape), names, separator)
    elif isinstance(shape, Mapping):
        items, values = list(map(text_of, shape)), list(shape.values())
    else:
        raise UsageError("wrong-type", f"aspects are a frame or a dict {{item: genres}}, got {type(shape).__name__}")
    values = [value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in values]
    split = Splitter.detect([value for value in values if isinstance(value, str)], separator)
    listed = [part for value in values if not isinstance(value, str) and isinstance(value, Iterable) for part in value]
    if listed and separator is None:
        refuse_doubt({part for part in listed if isinstance(part, str)}, "")
    out: dict[str, list[str]] = {}
    single: list[list[str]] = []  # by row
    repeated: dict[str, None] = {}
    known: dict[str, list[str]] = {}  # by text: many items have the same
    for item, value in zip(items, values, strict=True):
        text = value if isinstance(value, str) else None
        if text is None or text not in known:
            own = list(dict.fromkeys(_genres_of(value, split)))
            if text is not None:
                known[text] = own
        else:
            own = known[text]
        single.append(own)
        if item in out and set(out[item]) != set(own):
            repeated[item] = None
        out[item] = list(dict.fromkeys([*out[item], *own])) if item in out else own
    if not any(out.values()):
        raise InputError("metric-needs-aspects", "aspects: no item has a genre")
    _refuse_marks(out, values)
    _warn_about_case(out)
    if repeated and any(len(own) > 1 for own in single):
        warn(
            "duplicate-item",
            f"aspects: {count_of(len(repeated), 'item')} in several rows with different genres have them all"
            f" ({preview(list(repeated))})",
        )
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
    out, others = {}, []
    for name in columns:
        column = pick_columns(frame, {"mark": name})["mark"]
        cells = column if isinstance(column, list) else column.to_pylist()
        numbers = numbers_of([int(cell) if isinstance(cell, bool) else cell for cell in cells])
        if not numbers.odd and not numbers.empty.any() and set(numbers.values.tolist()) <= {0.0, 1.0}:
            out[name] = [bool(value) for value in numbers.values.tolist()]
        elif not numbers.odd and (numbers.empty | (numbers.values == 0)).any() and not numbers.empty.all():
            others.append(name)
    if len(out) > 1 and others:
        warn("ambiguous-column", f"aspects: columns of 0 and 1 are genres; other numbers are not: {preview(others)}")
    return out if len(out) > 1 else {}


def _genres_of(value: Any, split: Splitter) -> list[str]:
    if value is None or (isinstance(value, float) and value != value) or is_na(value):
        return []
    if isinstance(value, str):
        parts = split(value)
    else:
        parts = name_parts(value) if isinstance(value, Iterable) else [_name_part(value)]
    return [part for part in parts if not says_nothing(part)]


def says_nothing(genre: str) -> bool:
    r"""Whether a text stands for the lack of a genre, such as (no genres listed), N/A, \N or a dash."""
    letters = "".join(sign for sign in genre.lower() if sign.isalnum())
    return not letters or letters in NOTHING or genre == "\\N"


def name_parts(value: Iterable[Any]) -> list[str]:
    """The genres of a list, of `{genre: 0 or 1}`, or of a list of `{"name": genre}`."""
    if isinstance(value, Mapping):
        if set(value) >= {"name"}:
            return [_name_part(value)]
        other = next((mark for mark in value.values() if isinstance(mark, str) or mark not in (0, 1, None)), None)
        if other is not None:
            raise InputError(
                "wrong-type", f"aspects: the genres of an item are {{genre: 0 or 1}} or a list, got {quote(other)}"
            )
        return [_name_part(genre) for genre, mark in value.items() if mark]
    return [_name_part(part) for part in value if part is not None and not is_na(part) and part == part]


def _name_part(part: Any) -> str:
    if isinstance(part, Mapping):
        part = part.get("name", part)
    if isinstance(part, str):
        return part.strip()
    if isinstance(part, (Mapping, list, tuple, set)):
        raise InputError("wrong-type", f"aspects: a genre is a text, got {quote(part)}")
    return text_of(part, "genre", "aspects")


def _refuse_marks(genres: Mapping[str, Sequence[str]], values: Sequence[Any]) -> None:
    """Raise an error for vectors of 0 and 1 in place of names: a list of 0 and 1, or a text such as 0110."""
    names = {genre for own in genres.values() for genre in own}
    lists = len(names) > 1 and names <= {"0", "1", "0.0", "1.0"}
    bits = (
        len(names) > 1
        and len({len(name) for name in names}) == 1 < len(min(names))
        and set("".join(names)) <= {"0", "1"}
    )
    if lists or bits:
        raise InputError(
            "wrong-type",
            f"aspects: genres are names, got 0 and 1 ({preview([str(values[0])])})",
            hint="give a column of 0 and 1 for each genre",
        )


def is_quoted(part: str) -> bool:
    """Whether a text stands in quotes."""
    return len(part) > 1 and part[0] == part[-1] and part[0] in QUOTES and part[0] not in part[1:-1]


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
        listed = [text for text in cells if text[0] in "[{" and _list_in(text) is not None]
        if listed and any(_list_in(text) is None for text in cells):
            other = next(text for text in cells if _list_in(text) is None)
            raise InputError(
                "ambiguous-separator",
                f"aspects: some texts are lists ({quote(listed[0])}) and others are not ({quote(other)})",
                hint="write all in one way",
            )
        if cells and all(_list_in(text) is not None for text in cells):
            made = cls("", lists=True)
        else:
            made = cls(next((mark for mark in MARKS if any(mark in text for text in cells)), ""))
        parts = {part for text in cells for part in made(text)}
        refuse_doubt(parts, made.separator)
        if made.separator:
            _refuse_pieces(parts, made.separator)
        return made

    def __call__(self, text: str) -> list[str]:
        if self.lists and text.strip():
            return name_parts(_list_in(text.strip()) or ())
        text = text.strip()
        parts = text.split(self.separator) if self.separator else [text]
        quoted = [part.strip() for part in parts]
        if len(text) > 1 and text[0] == text[-1] and text[0] in QUOTES and not all(map(is_quoted, quoted)):
            return Splitter(self.separator)(text[1:-1])  # around all of them
        return [part for part in (part[1:-1].strip() if is_quoted(part) else part for part in quoted) if part]


def refuse_doubt(genres: AbstractSet[str], separator: str) -> None:
    """Raise an error where a genre consists of other genres, with another separator between them."""
    words = Counter(word for genre in genres for word in set(genre.split()))
    parts_of: dict[str, set[str]] = {}
    signs = sorted({sign for genre in genres for sign in genre if not sign.isalnum() and sign not in "'\"()[]! "})
    joining = (*MARKS, *(sign for sign in signs if sign not in MARKS and sign not in HYPHENS))
    for mark in (*joining, *HYPHENS, *([] if separator else [" "])):
        for genre in sorted(genre for genre in genres if mark in genre.strip()):
            parts = [part.strip() for part in genre.split(mark) if part.strip()]
            others = [part for part in parts if part in genres and part != genre]
            shared = mark == " " and len(parts) > 1 and any(words[part] > 1 for part in parts)
            for part in parts if mark in joining else ():  # the same part of two texts: X/Y and Y/Z
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


def _refuse_pieces(genres: AbstractSet[str], separator: str) -> None:
    """Raise an error where splitting left pieces: half of a pair of brackets, or the last words of an enumeration."""
    for genre in sorted(genres):
        others = {part.strip() for part in AND.split(genre)} & genres - {genre}
        if others or any(genre.count(first) != genre.count(last) for first, last in ("()", "[]", "{}")):
            raise InputError(
                "ambiguous-separator",
                f"aspects: {quote(separator)} between genres leaves {quote(genre)}",
                hint=f"write {quote(separator)} between all genres and nothing around them; separator={separator!r} keeps this",
            )


def _list_in(text: str) -> list[Any] | Mapping[str, Any] | None:
    """The list or dict that a text is: as Python, JSON or NumPy writes it, or without quotes; None for any other text."""
    if text[0] + text[-1] not in ("[]", "()", "{}"):
        return None
    quoted = re.findall(r"'([^']*)'|\"([^\"]*)\"", text)
    if quoted and not re.sub(r"'[^']*'|\"[^\"]*\"", "", text[1:-1]).replace(",", "").strip():
        return [first or second for first, second in quoted]  # NumPy puts no commas between
    value: Any = None
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
            break
        except (SyntaxError, ValueError, RecursionError):
            continue
    if value is None:
        if "{" in text[1:-1] or ":" in text:
            return None
        inside = text[1:-1]
        return [part.strip() for part in inside.split(",")] if inside.strip() else []
    return value if isinstance(value, Mapping) else list(value) if isinstance(value, list | tuple | set) else None
