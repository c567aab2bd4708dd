"""Records from a file: JSON (one object per line, one array of objects, one object over many lines) or a table."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from diveval.errors import InputError, quote
from diveval.reading.lines import fields
from diveval.reading.source import Source, SourceLike

Record = Mapping[str, Any]
RUN = ("run_id", "run", "runtag")


def record_of(text: str) -> dict[str, Any]:
    """The JSON object of one line."""
    try:
        record = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError("cannot-parse", f"is not JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; brackets within brackets
        raise InputError("cannot-parse", f"is JSON that cannot be parsed: {error}") from None
    if not isinstance(record, dict):
        raise InputError("wrong-value", f"expected a JSON object per line, got {type(record).__name__}")
    return record


def _placed_record(text: str, source: str, line: int) -> dict[str, Any]:
    try:
        return record_of(text)
    except InputError as error:
        raise error.place(source, line) from None


class Records:
    """The records of a file in any of the three layouts.

    Errors raised while iterating inside `locate_errors` need not name the file and line: `locate_errors` adds them.
    """

    def __init__(self, lines: Iterator[tuple[int, str]], source: str) -> None:
        self._keep(records_of(lines, source), source)

    def _keep(self, numbered: Iterable[tuple[int, dict[str, Any]]], source: str) -> Records:
        self.source, self.line = source, 0
        self._numbered = list(numbered)
        return self

    @classmethod
    def of(cls, path: SourceLike, is_header: Header | None = None) -> Records:
        """All records of a file, which is a table if its first line is a header that is known."""
        source = Source.of(path)
        with source.open() as opened:
            if is_header is None:
                return cls(opened.lines(), opened.name)
            lines = opened.lines(comments=False)
            first = next(lines, (0, ""))
            mark = separator_of(first[1], is_header)
            if mark is not None:
                return cls.__new__(cls)._keep(_rows_of(first[1], lines, mark, opened.name), opened.name)
            _refuse_header(first[1], opened.name)
            if not source.is_pipe:
                return cls(opened.lines(), opened.name)
            again = (line for pair in ([first] if first[0] else [], lines) for line in pair)
            return cls((line for line in again if not line[1].lstrip().startswith("#")), opened.name)

    @classmethod
    def of_objects(cls, objects: Iterable[Mapping[str, Any]], source: str) -> Records:
        """Records in memory, with Python's values for NumPy's; errors count them as lines from 1."""
        return cls.__new__(cls)._keep(((n, _plain(record)) for n, record in enumerate(objects, 1)), source)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for line, record in self._numbered:
            self.line = line
            yield record

    @contextmanager
    def locate_errors(self) -> Iterator[None]:
        """Add the file and the line of the current record to errors."""
        try:
            yield
        except InputError as error:
            raise error.place(self.source, self.line) from error


def _plain(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value.item() if isinstance(value, np.generic) else value for key, value in record.items()}


Header = Callable[[list[str]], bool]  # whether these are names of columns that are known


MARKS = ("\t", ";", ",", "|")


def _refuse_header(line: str, source: str) -> None:
    """Raise an error for a line that looks like the names of columns, but not of known ones."""
    if line.lstrip()[:1] in ("{", "[", "#"):
        return
    cells = max(([cell.strip(' "') for cell in line.split(mark)] for mark in MARKS), key=len)
    if len(cells) > 2 and all(0 < len(cell) < 40 and not any(sign.isdigit() for sign in cell[:1]) for cell in cells):
        raise InputError(
            "wrong-header",
            f"expected columns such as question, system, nugget and label, got {', '.join(cells[:8])}",
            hint="name yours: columns={'question': …}, --columns question=…,label=…",
            source=source,
            line=1,
        )


def separator_of(header: str, is_header: Header) -> str | None:
    """The separator of a table whose header this is; None if it is no known header."""
    if header.lstrip()[:1] in ("{", "["):
        return None
    marks = [mark for mark in MARKS if mark in header]
    return next((mark for mark in marks if is_header([name.strip() for name in fields(header, mark)])), None)


def _rows_of(
    header: str, lines: Iterator[tuple[int, str]], mark: str, source: str
) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line, cells by name) of every row; a cell in quotes may have several lines."""
    names = [name.strip() for name in fields(header, mark)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError("duplicate-column", f"two columns are called {quote(twice)}", source=source, line=1)
    last = 0

    def texts() -> Iterator[str]:
        nonlocal last
        for number, text in lines:
            last = number
            yield text + "\n"

    rows = csv.reader(texts(), delimiter=mark, strict=True)
    before = 1
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            fault = f"is no row of a table: {error}"
            raise InputError("cannot-parse", fault, source=source, line=before + 1) from None
        if row is None:
            return
        if len(row) != len(names):
            fault = f"expected {len(names)} cells, as in the header, got {len(row)}"
            raise InputError("wrong-columns", fault, source=source, line=last)
        before = last
        yield last, dict(zip(names, row, strict=True))


def records_of(lines: Iterator[tuple[int, str]], source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line, object) of every record, from numbered lines."""
    first = next(lines, None)
    if first is None:
        raise InputError("empty-input", "is empty: it contains no JSON", source=source)
    if _is_whole(first[1]):
        yield first[0], _placed_record(first[1], source, first[0])
        for line, text in lines:
            yield line, _placed_record(text, source, line)
        return
    rest = list(lines)
    if first[1].lstrip()[:1] == "{" and rest and rest[0][1].lstrip()[:1] == "{":
        # JSON lines whose first line is not JSON: raises an error with its number.
        _placed_record(first[1], source, first[0])
    yield from _document(first[0], "\n".join([first[1], *(text for _, text in rest)]), source)


def _is_whole(text: str) -> bool:
    """Whether a line is a complete JSON object."""
    if text.lstrip()[:1] != "{":
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _document(line: int, text: str, source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            "cannot-parse",
            f"is not JSON: {error.msg} at column {error.colno}",
            source=source,
            line=line + error.lineno - 1,
        ) from None
    except (ValueError, RecursionError) as error:
        raise InputError("cannot-parse", f"is JSON that cannot be parsed: {error}", source=source, line=line) from None
    if whole == []:
        raise InputError("empty-input", "is an empty array: it contains no record", source=source, line=line)
    for item in whole if isinstance(whole, list) else [whole]:
        if not isinstance(item, dict):
            raise InputError("wrong-value", f"expected JSON objects, got {type(item).__name__}", source=source)
        yield line, item


def is_id(value: Any) -> bool:
    """Whether a value is a string or an integer, without lone surrogates, which JSON can encode but files cannot."""
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        return False
    return not any("\ud800" <= character <= "\udfff" for character in str(value))


def id_of(record: Record, keys: tuple[str, ...], what: str) -> str:
    """The id under the first of several keys that has one; null and an empty string do not count."""
    value = next((record[key] for key in keys if record.get(key) not in (None, "")), None)
    if not is_id(value):
        got = "nothing" if value is None else quote(value)
        raise InputError("missing-key", f"expected {what} under {', '.join(keys)}, got {got}")
    return str(value)


def run_of(record: Record, stem: str) -> str:
    """The run that a record names, or else the file's stem; null and an empty string do not count."""
    return next((str(record[key]) for key in RUN if is_id(record.get(key))), stem)


def with_metadata(record: Record) -> dict[str, Any]:
    """A record with the fields of its `metadata` merged in; null values are skipped."""
    inside = object_of(record, "metadata")
    return {**record, **{key: value for key, value in inside.items() if value is not None}}


def text_of(record: Record, key: str) -> str:
    """The text under a key; empty if absent or null; a number as its digits."""
    value = record.get(key)
    return "" if value is None else str(value)


def list_of(record: Record, key: str) -> list[dict[str, Any]]:
    """A list of objects under a key; absent or null is empty."""
    value = record.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InputError("wrong-value", f"{key} is a list of JSON objects, got {quote(value)}")
    return value


def object_of(record: Record, key: str) -> dict[str, Any]:
    """An object under a key; absent or null is empty."""
    value = record.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError("wrong-value", f"{key} is a JSON object, got {quote(value)}")
    return value
