"""Lines of text: which lines count, and the fields and numbers in them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import IO

from diveval.errors import InputError, quote

Lines = Iterable[tuple[int, str]]  # numbered from 1; blank lines and comments are left out
BOM = b"\xef\xbb\xbf"
LONGEST_LINE = 16 * 1024 * 1024  # bytes with the line end; no run or judgments have longer lines


def number_lines(stream: IO[bytes], name: str, *, comments: bool = True) -> Iterator[tuple[int, str]]:
    """(line number from 1, text without line end) for every line that is not blank and not a `#` comment.

    Lines end with LF or CR LF. A CR elsewhere is an error, since in a file with CR only every line would be the first one.
    `comments` False: lines that begin with `#` are not comments, and CR may stand in a quoted field, as in CSV.
    """
    number = 0
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        if number == 1:
            line = strip_mark(line, name)
        if len(line) > LONGEST_LINE:
            message = f"a line of more than {LONGEST_LINE} bytes"
            raise InputError("line-too-long", message, hint="is this text?", source=name, line=number)
        bare = line.strip()
        if comments and b"\r" in bare:
            hint = "convert the line ends to LF (for example with tr '\\r' '\\n')"
            raise InputError(
                "cr-line-ends", "a line has a CR that is not at its end", hint=hint, source=name, line=number
            )
        if not bare or (comments and bare.startswith(b"#")):
            continue
        try:
            yield number, line.rstrip(b"\r\n").decode("utf-8")
        except UnicodeDecodeError as error:
            message, hint = f"byte {error.start + 1} is not UTF-8", "convert the file (for example with iconv -t utf-8)"
            raise InputError("not-utf8", message, hint=hint, source=name, line=number) from None


def strip_mark(line: bytes, name: str) -> bytes:
    """The start of a file without the byte-order mark of UTF-8; that of UTF-16 is an error."""
    if line.startswith((b"\xff\xfe", b"\xfe\xff")):
        hint = "convert it to UTF-8 (for example with iconv -f utf-16 -t utf-8)"
        raise InputError("not-utf8", "is UTF-16", hint=hint, source=name)
    return line.removeprefix(BOM)


def fields_of(text: str) -> list[str]:
    """A line's fields separated by ASCII white space; any other character is part of an id."""
    return [field.decode() for field in text.encode().split()]


def split_line(text: str, count: int, names: str, *, more: bool = False) -> list[str]:
    """A line's fields, as many as the format has columns, or with `more` at least as many."""
    fields = fields_of(text)
    if len(fields) < count or (len(fields) > count and not more):
        raise InputError("wrong-columns", f"expected {count} columns ({names}), got {len(fields)}")
    return fields


def finite(text: str) -> float | None:
    """A finite number from its text; None for anything else.

    float() also accepts 1_000 and Arabic digits, which no other reader of these files does.
    """
    try:
        value = float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        return None
    return value if value is not None and value - value == 0 else None


def number_of(text: str, what: str) -> float:
    """A finite number from its text, or an error."""
    value = finite(text)
    if value is None:
        raise InputError("not-a-number", f"expected {what}, a finite number, got {quote(text)}")
    return value


def fields(text: str, separator: str) -> list[str]:
    """The fields of one line of CSV or TSV."""
    try:
        return next(csv.reader([text], delimiter=separator), [])
    except csv.Error as error:  # a carriage return inside a field, or a field of more than 128 KB
        raise InputError("cannot-parse", f"expected fields of CSV, got {quote(text)} ({error})") from None
