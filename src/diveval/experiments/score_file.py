"""Scores someone else computed, from a `run,metric,topic,value` CSV: what meta-evaluation can start from as well."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from diveval.errors import InputError, shown
from diveval.judgments import naturally
from diveval.reading.lines import number_of, numbered_lines, source_name
from diveval.scores import MEAN, Scores

COLUMNS = ("run", "metric", "topic", "value")
Cell = tuple[str, str, str]


def read_scores(path: str | Path) -> Scores:
    """A table of scores from CSV with the header `run,metric,topic,value`, as `diveval evaluate -q -f csv` writes it.

    Means (topic `all`) are ignored. Every run needs a value for every metric and topic: a cell that is missing is
    an error that says which, since a statistic over what happens to be there would compare unlike things.
    """
    source = source_name(path)
    cells: dict[Cell, float] = {}
    for line, cell, value in _rows(path, source):
        if cells.setdefault(cell, value) != value:
            run, metric, topic = map(shown, cell)
            raise InputError(f"run {run}, metric {metric}, topic {topic} has two values", source=source, line=line)
    if not cells:
        raise InputError("holds no score of a topic, only a header or means", source=source)
    runs, metrics = (list(dict.fromkeys(cell[i] for cell in cells)) for i in (0, 1))
    topics = naturally({cell[2] for cell in cells})
    values = np.array([[[_value(cells, (r, m, t), source) for t in topics] for m in metrics] for r in runs])
    return Scores.of(values, runs=runs, metrics=metrics, topics=topics)


def _rows(path: str | Path, source: str) -> Iterator[tuple[int, Cell, float]]:
    """(line, cell, value) of every topic."""
    places: list[int] = []
    for line, text in numbered_lines(path):
        fields = next(csv.reader([text]))
        if not places:
            if not set(COLUMNS) <= set(fields):
                raise InputError(
                    f"expected the header {','.join(COLUMNS)}, got {shown(text)}; `diveval evaluate -q -f csv` writes"
                    " such a file", source=source, line=line,
                )  # fmt: skip
            width, places = len(fields), [fields.index(column) for column in COLUMNS]
            continue
        if len(fields) != width:
            raise InputError(f"expected {width} columns, as in the header, got {len(fields)}", source=source, line=line)
        run, metric, topic, value = (fields[place] for place in places)
        if topic != MEAN:
            yield line, (run, metric, topic), number_of(value, "a value", source, line)


def _value(cells: dict[Cell, float], cell: Cell, source: str) -> float:
    if cell not in cells:
        run, metric, topic = map(shown, cell)
        raise InputError(
            f"run {run}, metric {metric}, topic {topic} has no value; every run needs one for every metric and topic",
            source=source,
        )
    return cells[cell]
