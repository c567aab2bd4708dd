"""Scores someone else computed, from a `run,metric,topic,value` CSV: what meta-evaluation can start from as well."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from diveval.errors import InputError, shown
from diveval.judgments import naturally
from diveval.reading.lines import number_of, numbered_lines, source_name
from diveval.scores import MEAN, Scores

COLUMNS = ("run", "metric", "topic", "value")
LARGEST = 1e300  # of a value: the sum of as many as a table can hold is a number still


def read_scores(path: str | Path) -> Scores:
    """A table of scores from CSV with the header `run,metric,topic,value`, as `diveval evaluate -q -f csv` writes it.

    Means (topic `all`) are ignored. Every run needs a value for every metric and topic: a cell that is missing is
    an error that says which, since a statistic over what happens to be there would compare unlike things.
    """
    source = source_name(path)
    # Names become numbers at once: a table of millions of cells is then arrays, not objects.
    known: tuple[dict[str, int], ...] = ({}, {}, {})
    places, values = tuple(array("q") for _ in known), array("d")
    for *names, value in _rows(path, source):
        for name, numbers, place in zip(names, known, places, strict=True):
            place.append(numbers.setdefault(name, len(numbers)))
        values.append(value)
    if not values:
        raise InputError("holds no score of a topic, only a header or means", source=source)
    runs, metrics, topics = (list(numbers) for numbers in known)
    table = _table([np.frombuffer(place, dtype=np.int64) for place in places], np.frombuffer(values), known, source)
    scores = Scores.of(table, runs=runs, metrics=metrics, topics=topics)
    return scores.select(topics=naturally(topics))


def _table(
    places: Sequence[NDArray[np.int64]],
    values: NDArray[np.float64],
    known: tuple[dict[str, int], ...],
    source: str,
) -> NDArray[np.float64]:
    """The values run × metric × topic, each cell exactly once."""
    shape = tuple(len(numbers) for numbers in known)
    cells = np.ravel_multi_index(tuple(places), shape)
    count = np.bincount(cells, minlength=int(np.prod(shape)))
    table = np.zeros(len(count))
    table[cells] = values
    twice, missing = np.flatnonzero(table[cells] != values), np.flatnonzero(count == 0)
    if len(twice):
        raise InputError(f"{_cell(int(cells[twice[0]]), known)} has two values", source=source)
    if len(missing):
        need = "has no value; every run needs one for every metric and topic"
        raise InputError(f"{_cell(int(missing[0]), known)} {need}", source=source)
    return table.reshape(shape)


def _cell(cell: int, known: tuple[dict[str, int], ...]) -> str:
    """A cell of the table in words."""
    place = np.unravel_index(cell, tuple(len(numbers) for numbers in known))
    run, metric, topic = (shown(list(numbers)[at]) for numbers, at in zip(known, place, strict=True))
    return f"run {run}, metric {metric}, topic {topic}"


def _rows(path: str | Path, source: str) -> Iterator[tuple[str, str, str, float]]:
    """(run, metric, topic, value) of every topic."""
    line = 0

    def texts() -> Iterator[str]:
        nonlocal line
        for number, text in numbered_lines(path):
            line = number
            yield text

    def records() -> Iterator[list[str]]:
        try:
            yield from csv.reader(texts())
        except csv.Error as error:
            raise InputError(f"is not CSV: {error}", source=source, line=line) from None

    rows = records()
    header = next(rows, [])
    if not set(COLUMNS) <= set(header):
        raise InputError(
            f"expected the header {','.join(COLUMNS)}, got {shown(','.join(header))}; `diveval evaluate -q -f csv`"
            " writes such a file", source=source, line=line,
        )  # fmt: skip
    run_at, metric_at, topic_at, value_at = (header.index(column) for column in COLUMNS)
    for row in rows:
        if len(row) != len(header):
            raise InputError(
                f"expected {len(header)} columns, as in the header, got {len(row)}", source=source, line=line
            )
        if row[topic_at] != MEAN:
            value = number_of(row[value_at], "a value", source, line)
            if abs(value) > LARGEST:
                raise InputError(
                    f"expected a value of at most {LARGEST:g}, so that means are numbers, got {shown(row[value_at])}",
                    source=source, line=line,
                )  # fmt: skip
            yield row[run_at], row[metric_at], row[topic_at], value
