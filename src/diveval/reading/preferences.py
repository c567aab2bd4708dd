"""People's preferences between two lists of a topic: CSV, TSV or JSON lines with topic, a, b, preferred, assessor, weight.

`a` and `b` are names of runs or, in JSON lines, lists of documents. `preferred` is `a`, `b`, the name of one of the two
runs, or `tie`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from diveval.errors import InputError, quote
from diveval.reading.lines import Lines, fields
from diveval.reading.records import record_of
from diveval.reading.source import Source, SourceLike

NAMES = {
    "topic": ("topic", "topic_id", "query", "query_id", "qid"),
    "a": ("a", "run_a", "list_a", "system_a", "first", "left"),
    "b": ("b", "run_b", "list_b", "system_b", "second", "right"),
    "preferred": ("preferred", "preference", "winner"),
    "assessor": ("assessor", "judge", "user", "voter"),
    "weight": ("weight",),
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
    weight: float = 1.0


@dataclass(frozen=True)
class Preferences:
    """The choices of a file, and the lists given in it instead of runs' names: name → topic → documents."""

    rows: tuple[Preference, ...]
    lists: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)


def read_preferences(path: SourceLike) -> Preferences:
    """Read a file of preferences; an invalid line is an error with its number."""
    lists: Lists = {}
    with Source.of(path).open() as opened:
        lines = opened.placed(opened.lines(comments=False))
        _, first = next(lines, (0, ""))
        if not first:
            raise InputError("empty-input", "contains no preference")
        cells = _json(chain([first], _texts(lines))) if first.lstrip().startswith("{") else _table(first, _texts(lines))
        rows = tuple(_preference(row, lists) for row in cells)
        if not rows:
            raise InputError("empty-input", "contains a header but no preference")
    return Preferences(rows, lists)


def _texts(lines: Lines) -> Iterator[str]:
    return (text for _, text in lines)


def _json(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for text in lines:
        record = {key.strip().lower(): value for key, value in record_of(text).items()}
        if not any(name in record for name in NAMES["preferred"]):  # null is a tie, a missing key is an error
            raise InputError("missing-key", "expected preferred: a, b, a run's name or tie")
        yield {key: _first(record, names) for key, names in NAMES.items()}


def _table(first: str, lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    mark = "\t" if "\t" in first else ","
    head = [cell.strip().lower() for cell in fields(first, mark)]
    place = {key: next((head.index(name) for name in names if name in head), None) for key, names in NAMES.items()}
    missing = [key for key in ("topic", "a", "b", "preferred") if place[key] is None]
    if missing:
        what = "expected a header with topic, a, b, preferred and optionally assessor"
        raise InputError("wrong-header", what, hint=f"{', '.join(missing)} is missing from {quote(first)}")
    for text in lines:
        row = fields(text, mark)
        if len(row) != len(head):
            raise InputError("wrong-columns", f"expected {len(head)} columns as in the header, got {len(row)}")
        yield {key: None if i is None else row[i].strip() for key, i in place.items()}


def _first(record: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((record[name] for name in names if name in record), None)


def _preference(cells: Mapping[str, Any], lists: Lists) -> Preference:
    topic, assessor = cells["topic"], cells["assessor"]
    if not isinstance(topic, (str, int)) or str(topic) == "":
        raise InputError("missing-id", f"expected a topic, got {quote(topic)}")
    first, second = (_run(str(topic), cells[side], side, lists) for side in ("a", "b"))
    if first == second:
        raise InputError("same-run-twice", f"a and b are the same list, {quote(first)}")
    preferred = _choice(cells["preferred"], first, second)
    return Preference(str(topic), first, second, preferred, "" if assessor is None else str(assessor), _weight(cells))


def _weight(cells: Mapping[str, Any]) -> float:
    """The weight of a vote: 1 unless it is given, and 0 for one that is not to count."""
    value = cells["weight"]
    if value is None or value == "":
        return 1.0
    try:
        weight = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        weight = math.nan
    if not 0 <= weight < math.inf:
        raise InputError("invalid-weight", f"a weight is a number of at least 0, got {quote(value)}")
    return weight


def _run(topic: str, value: Any, side: str, lists: Lists) -> str:
    """The name of a run; a list of documents becomes a run, and equal lists become the same run."""
    if isinstance(value, list) and value and all(isinstance(d, (str, int)) for d in value):
        documents = tuple(str(d) for d in value)
        if len(set(documents)) < len(documents):
            raise InputError("duplicate-document", f"{side} lists a document twice")
        same = next((name for name, by_topic in lists.items() if by_topic.get(topic) == documents), None)
        name = same or f"list {len(lists) + 1}"
        lists[name] = {topic: documents}
        return name
    if isinstance(value, (str, int)) and str(value):
        return str(value)
    what = f"{side} is the name of a run or a list of documents, got {quote(value)}"
    raise InputError("wrong-value", what)


def _choice(value: Any, first: str, second: str) -> int:
    text = "" if value is None else str(value).strip()
    # Names of runs are checked first: a run may be called b.
    for names, sign in (((first,), 1), ((second,), -1), (("a", "A"), 1), (("b", "B"), -1), (TIES, 0)):
        if text in names or (sign == 0 and text.lower() in names):
            return sign
    what = f"preferred is a, b, {quote(first)}, {quote(second)} or tie, got {quote(text)}"
    raise InputError("invalid-choice", what)
