"""EvALL's and PyEvALL's formats.

EvALL: tab-separated judgments `topic document grade aspect weight`, runs `topic document`. PyEvALL: `test_case`, `id`,
`value` as a JSON array, or as TSV or CSV with or without a header. In its judgments a value is the grade, in a run the
rank, counted from the best; a topic has one aspect, since the format has no column for aspects.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from diveval.collection.columns import naturally
from diveval.collection.runs import Run, TopicRun
from diveval.errors import InputError, count_of, quote, warn
from diveval.reading.lines import Lines, fields, fields_of, number_of
from diveval.reading.records import is_id, records_of
from diveval.reading.trec import JudgmentRow


def _cells(text: str, count: int, what: str) -> list[str]:
    """Tab-separated cells without their quotes; a file without tabs is split at white space."""
    cells = text.rstrip("\r\n").split("\t") if "\t" in text else fields_of(text)
    cells = [cell.strip() for cell in cells]
    bare = [cell[1:-1] if len(cell) >= 2 and cell[0] == cell[-1] == '"' else cell for cell in cells]
    if len(bare) != count:
        raise InputError("wrong-columns", f"expected {count} columns ({what}), got {len(bare)}")
    if not all(bare):
        raise InputError("missing-value", f"column {bare.index('') + 1} ({what}) is empty")
    return bare


def judgments(lines: Lines, source: str) -> tuple[list[JudgmentRow], dict[tuple[str, str], float]]:
    """Rows and weights. A row whose weight is not its aspect's first one is left out, as in the authors' program."""
    rows: list[JudgmentRow] = []
    weights: dict[tuple[str, str], float] = {}
    left_out = 0
    for _, text in lines:
        topic, document, grade, aspect, weight = _cells(text, 5, "topic document grade aspect weight")
        value = number_of(weight, "a weight in column 5")
        if value < 0:
            raise InputError("invalid-weight", f"expected a weight of at least 0, got {quote(weight)}")
        if weights.setdefault((topic, aspect), value) != value:
            left_out += 1
            continue
        rows.append((topic, aspect, document, number_of(grade, "a grade in column 3")))
    if left_out:
        warn(
            "conflicting-weights",
            f"{source}: {count_of(left_out, 'row')} left out: the weight differs from the first one given for the aspect",
        )
    return rows, weights


def read_run_lines(lines: Lines, source: str, name: str) -> Run:
    """`topic document`: the order of the lines is the ranking."""
    gathered: dict[str, list[str]] = {}
    for _, text in lines:
        topic, document = _cells(text, 2, "topic document")
        gathered.setdefault(topic, []).append(document)
    return Run(name, {t: TopicRun(gathered[t]) for t in naturally(gathered)}, source, "evall")


# --- PyEvALL ----------------------------------------------------------------------------------------------------------


PYEVALL_COLUMNS = ("test_case", "id", "value")
ASPECT = "0"
_NO_VALUE = ("", "nan", "none", "null")


def pyevall_judgment_rows(lines: Lines, source: str) -> Iterator[JudgmentRow]:
    """(topic, aspect, document, grade)."""
    for topic, document, value in _pyevall_rows(lines, source):
        yield topic, ASPECT, document, number_of(value, "a value (the grade)")


def read_pyevall_run(lines: Lines, source: str, name: str) -> Run:
    """Documents by their value, the smallest first; documents with equal values keep their order."""
    gathered: dict[str, list[tuple[float, str]]] = {}
    for topic, document, value in _pyevall_rows(lines, source):
        rank = number_of(value, "a value (the rank)")
        if rank != int(rank):
            raise InputError("not-a-number", f"expected a whole number as the rank, got {quote(value)}")
        gathered.setdefault(topic, []).append((rank, document))
    topics = {}
    for topic in naturally(gathered):
        listed = sorted(gathered[topic], key=lambda pair: pair[0])
        ranks = np.array([int(rank) for rank, _ in listed], dtype=np.int64)
        topics[topic] = TopicRun([document for _, document in listed], ranks=ranks)
    return Run(name, topics, source, "pyevall")


def _pyevall_rows(lines: Lines, source: str) -> Iterator[tuple[str, str, str]]:
    """(test case, id, value); a record without a value is an error."""
    numbered = iter(lines)
    first = next(numbered, None)
    if first is None:
        raise InputError("empty-input", "is empty")
    whole = chain([first], numbered)
    rows: Iterator[tuple[Any, ...]]
    if first[1].lstrip()[:1] in ("[", "{"):
        rows = (tuple(map(record.get, PYEVALL_COLUMNS)) for _, record in records_of(whole, source))
    else:
        rows = _split(whole)
    for topic, document, value in rows:
        if not is_id(topic) or not is_id(document):
            got = f"{quote(topic)} and {quote(document)}"
            raise InputError("invalid-id", f"expected test_case and id, text or whole numbers, got {got}")
        text = value if isinstance(value, str) else json.dumps(value)
        if text.strip().lower() in _NO_VALUE:
            raise InputError("missing-value", f"{quote(document)} of {quote(topic)} has no value")
        yield str(topic), str(document), text


def _split(lines: Lines) -> Iterator[tuple[Any, ...]]:
    order = list(range(3))
    for number, (_, text) in enumerate(lines):
        row = [cell.strip() for cell in fields(text, "\t" if "\t" in text else ",")]
        if number == 0 and set(row) >= set(PYEVALL_COLUMNS):
            order = [row.index(name) for name in PYEVALL_COLUMNS]
            continue
        if len(row) <= max(order):
            raise InputError("wrong-columns", f"expected 3 columns (test_case id value), got {len(row)}")
        yield tuple(row[place] for place in order)
