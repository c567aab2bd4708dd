"""People's preferences between two lists of a topic: CSV, TSV or JSON lines with topic, a, b, preferred, assessor.

`a` and `b` are names of runs or, in JSON lines, lists of documents. `preferred` is `a`, `b`, the name of one of the two
runs, or `tie`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diveval.errors import InputError, shown
from diveval.reading.lines import fields, numbered_lines, source_name
from diveval.reading.records import record_of

NAMES = {
    "topic": ("topic", "topic_id", "query", "query_id", "qid"),
    "a": ("a", "run_a", "list_a", "system_a", "first", "left"),
    "b": ("b", "run_b", "list_b", "system_b", "second", "right"),
    "preferred": ("preferred", "preference", "winner"),
    "assessor": ("assessor", "judge", "user"),
}
Lists = dict[str, dict[str, tuple[str, ...]]]  # name → topic → documents
TIES = ("tie", "equal", "neither", "both", "=", "0", "")


@dataclass(frozen=True)
class Preference:
    """One person's choice on a topic: `preferred` is 1 for the first run, −1 for the second, 0 for neither."""

    topic: str
    first: str
    second: str
    preferred: int
    assessor: str = ""


@dataclass(frozen=True)
class Preferences:
    """The choices of a file, and the lists given in it instead of runs' names: name → topic → documents."""

    rows: tuple[Preference, ...]
    lists: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)


def read_preferences(path: str | Path) -> Preferences:
    """Read a file of preferences; an invalid line is an error with its number."""
    source = source_name(path)
    lines = list(numbered_lines(path, comments=False))
    if not lines:
        raise InputError("contains no preference", source=source)
    lists: Lists = {}
    cells = _json(lines, source) if lines[0][1].lstrip().startswith("{") else _table(lines, source)
    rows = tuple(_preference(line, row, lists, source) for line, row in cells)
    if not rows:
        raise InputError("contains a header but no preference", source=source, line=lines[0][0])
    return Preferences(rows, lists)


def _json(lines: list[tuple[int, str]], source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, text in lines:
        record = {key.strip().lower(): value for key, value in record_of(text, source, number).items()}
        if not any(name in record for name in NAMES["preferred"]):  # null is a tie, a missing key is an error
            raise InputError("expected preferred: a, b, a run's name or tie", source=source, line=number)
        yield number, {key: _first(record, names) for key, names in NAMES.items()}


def _table(lines: list[tuple[int, str]], source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    mark = "\t" if "\t" in lines[0][1] else ","
    head = [cell.strip().lower() for cell in fields(lines[0][1], mark, source, lines[0][0])]
    place = {key: next((head.index(name) for name in names if name in head), None) for key, names in NAMES.items()}
    missing = [key for key in ("topic", "a", "b", "preferred") if place[key] is None]
    if missing:
        raise InputError(
            f"expected a header with topic, a, b, preferred and optionally assessor; {', '.join(missing)} is missing from"
            f" {shown(lines[0][1])}",
            source=source,
            line=lines[0][0],
        )
    for number, text in lines[1:]:
        row = fields(text, mark, source, number)
        if len(row) != len(head):
            what = f"expected {len(head)} columns as in the header, got {len(row)}"
            raise InputError(what, source=source, line=number)
        yield number, {key: None if i is None else row[i].strip() for key, i in place.items()}


def _first(record: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((record[name] for name in names if name in record), None)


def _preference(line: int, cells: Mapping[str, Any], lists: Lists, source: str) -> Preference:
    topic, assessor = cells["topic"], cells["assessor"]
    if not isinstance(topic, (str, int)) or str(topic) == "":
        raise InputError(f"expected a topic, got {shown(topic)}", source=source, line=line)
    first, second = (_run(str(topic), cells[side], side, lists, source, line) for side in ("a", "b"))
    if first == second:
        raise InputError(f"a and b are the same list, {shown(first)}", source=source, line=line)
    preferred = _choice(cells["preferred"], first, second, source, line)
    return Preference(str(topic), first, second, preferred, "" if assessor is None else str(assessor))


def _run(topic: str, value: Any, side: str, lists: Lists, source: str, line: int) -> str:
    """The name of a run; a list of documents becomes a run, and equal lists become the same run."""
    if isinstance(value, list) and value and all(isinstance(d, (str, int)) for d in value):
        documents = tuple(str(d) for d in value)
        if len(set(documents)) < len(documents):
            raise InputError(f"{side} lists a document twice", source=source, line=line)
        same = next((name for name, by_topic in lists.items() if by_topic.get(topic) == documents), None)
        name = same or f"list {len(lists) + 1}"
        lists[name] = {topic: documents}
        return name
    if isinstance(value, (str, int)) and str(value):
        return str(value)
    what = f"{side} is the name of a run or a list of documents, got {shown(value)}"
    raise InputError(what, source=source, line=line)


def _choice(value: Any, first: str, second: str, source: str, line: int) -> int:
    text = "" if value is None else str(value).strip()
    # Names of runs are checked first: a run may be called b.
    for names, sign in (((first,), 1), ((second,), -1), (("a", "A"), 1), (("b", "B"), -1), (TIES, 0)):
        if text in names or (sign == 0 and text.lower() in names):
            return sign
    what = f"preferred is a, b, {shown(first)}, {shown(second)} or tie, got {shown(text)}"
    raise InputError(what, source=source, line=line)
