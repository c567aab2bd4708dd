"""Scores from a CSV file `run,metric,topic,value`, for meta-evaluation of scores that were computed elsewhere."""

from __future__ import annotations

import csv
import itertools
import math
from array import array
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from diveval.answers import answer_metrics as answers
from diveval.argument_types import explain_types
from diveval.collection.judgments import naturally
from diveval.errors import InputError, UsageError, quote, warn
from diveval.metrics.metric import Best
from diveval.metrics.names import parse
from diveval.reading.lines import number_of
from diveval.reading.source import Source, SourceLike, source_name
from diveval.recommend.list_metrics import find
from diveval.results.scores import MEAN, Scores

COLUMNS = ("run", "metric", "topic", "value")
LARGEST = 1e300  # of a value, so that sums of values stay finite


@explain_types
def read_scores(path: SourceLike) -> Scores:
    """A table of scores from CSV with the header `run,metric,topic,value`, as `diveval evaluate -q -f csv` writes it.

    Means (topic `all`) are left out; the values decide whether `all` is a mean or a topic of that name. Every run
    needs a value for every metric and topic: a missing cell is an error, since statistics over the existing cells would
    not be comparable.
    """
    source = source_name(path)
    # Names are replaced by numbers while reading, so that a table of millions of cells is arrays, not objects.
    numbering: tuple[dict[str, int], ...] = ({}, {}, {})
    places, values = tuple(array("q") for _ in numbering), array("d")
    lines = array("q")
    for line, *names, value in _rows(path):
        for name, numbers, place in zip(names, numbering, places, strict=True):
            place.append(numbers.setdefault(name, len(numbers)))
        values.append(value)
        lines.append(line)
    read = [np.frombuffer(place, dtype=np.int64) for place in places]
    chosen = _without_means(read, np.frombuffer(values), numbering[2], source)
    if not chosen.any():
        raise InputError("empty-input", "contains no score of a topic, only a header or means", source=source)
    if MEAN in numbering[2] and not (read[2][chosen] == numbering[2][MEAN]).any():
        dropped = numbering[2].pop(MEAN)
        read[2] = read[2] - (read[2] > dropped)
    kept = [place[chosen] for place in read]
    line_numbers = np.frombuffer(lines, dtype=np.int64)[chosen]
    table = _table(kept, np.frombuffer(values)[chosen], line_numbers, numbering, source)
    runs, metrics, topics = (list(numbers) for numbers in numbering)
    scores = Scores.of(table, runs=runs, metrics=metrics, topics=topics, best=[_best(name) for name in metrics])
    return scores.select(topics=naturally(topics))


def _best(metric: str) -> Best:
    """Which values of a metric are better, from our catalogues; for unknown metrics, higher ones."""
    if metric.endswith("+residual"):
        return "none"
    try:
        return parse(metric, find).best
    except UsageError:
        pass
    try:
        return answers.parse(metric).declared.best
    except UsageError:
        return "high"


def _without_means(
    places: Sequence[NDArray[np.int64]], values: NDArray[np.float64], topics: dict[str, int], source: str
) -> NDArray[np.bool_]:
    """Which lines are scores of a topic. `all` names the mean, but a topic may have that name too.

    A second line of `all` for a run and metric is the mean. Otherwise `all` is a topic, with a warning, if every run
    and metric has it, there are other topics, and it is not their mean.
    """
    if MEAN not in topics:
        return np.ones(len(values), dtype=bool)
    named: NDArray[np.bool_] = np.equal(places[2], topics[MEAN])
    run_and_metric = np.unique(np.stack(places[:2]), axis=1, return_inverse=True)[1].ravel()
    cells = run_and_metric.max() + 1
    lines = np.flatnonzero(named)
    count = np.bincount(run_and_metric[lines], minlength=cells)
    if count.max() > 1:
        last = np.full(cells, -1)
        last[run_and_metric[lines]] = lines  # later lines overwrite earlier ones
        named[:] = False
        named[last[count > 1]] = True
        return np.logical_not(named)
    others: NDArray[np.bool_] = ~named
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.bincount(run_and_metric[others], values[others], minlength=cells)
        size = np.bincount(run_and_metric[others], minlength=cells)
        mean = (total / np.maximum(size, 1))[run_and_metric[lines]]
        scale = np.abs(values).max()
        is_mean = np.abs(mean - values[lines]) <= 1e-6 * scale  # printed with six digits or more
    if not others.any() or len(lines) < cells or is_mean.all():
        return others
    warn(
        "topic-named-like-mean",
        f"{source}: the values of `{MEAN}` are not the means of the other topics: read as a topic of that name",
    )
    return np.ones(len(values), dtype=bool)


def _table(
    places: Sequence[NDArray[np.int64]],
    values: NDArray[np.float64],
    lines: NDArray[np.int64],
    numbering: tuple[dict[str, int], ...],
    source: str,
) -> NDArray[np.float64]:
    """The values run × metric × topic; every cell must occur exactly once.

    The table is allocated only after that check, so that memory grows with the number of lines, not with that of names.
    """
    shape = tuple(len(numbers) for numbers in numbering)
    size = math.prod(shape)
    order = np.lexsort(places[::-1])
    ordered = np.stack(places)[:, order]
    repeated = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).all(axis=0))
    for i in repeated:
        if values[order[i]] != values[order[i + 1]]:
            where = _cell(tuple(ordered[:, i]), numbering)
            raise InputError(
                "duplicate-score", f"{where} has two values", source=source, line=int(lines[order[i : i + 2]].max())
            )
    keep = np.ones(len(order), dtype=bool)
    keep[repeated] = False
    if int(keep.sum()) < size:
        cells = ordered[:, keep]
        every = enumerate(itertools.product(*(range(length) for length in shape)))  # in the order of `cells`
        missing = next(cell for i, cell in every if i >= cells.shape[1] or cell != tuple(cells[:, i]))
        need = f"has no value, and {size - int(keep.sum()):,} of {size:,} cells have none"
        raise InputError(
            "missing-score",
            f"{_cell(missing, numbering)} {need}",
            hint="every run needs one for every metric and topic",
            source=source,
        )
    return values[order[keep]].reshape(shape)


def _cell(place: tuple[int, ...], numbering: tuple[dict[str, int], ...]) -> str:
    """The names of a cell of the table, for messages."""
    run, metric, topic = (quote(list(numbers)[at]) for numbers, at in zip(numbering, place, strict=True))
    return f"run {run}, metric {metric}, topic {topic}"


def _rows(path: SourceLike) -> Iterator[tuple[int, str, str, str, float]]:
    """(line, run, metric, topic, value) of every line."""
    with Source.of(path).open() as opened:
        try:
            rows = csv.reader(text for _, text in opened.placed(opened.lines(comments=False)))
            header = next(rows, [])
            if not set(COLUMNS) <= set(header):
                message = f"expected the header {','.join(COLUMNS)}, got {quote(','.join(header))}"
                raise InputError("wrong-header", message, hint="`diveval evaluate -q -f csv` writes such a file")
            run_at, metric_at, topic_at, value_at = (header.index(column) for column in COLUMNS)
            for row in rows:
                if len(row) != len(header):
                    what = f"expected {len(header)} columns, as in the header, got {len(row)}"
                    raise InputError("wrong-columns", what)
                value = number_of(row[value_at], "a value")
                if abs(value) > LARGEST:
                    most = f"expected a value of at most {LARGEST:g}, so that means are numbers"
                    raise InputError("out-of-range", f"{most}, got {quote(row[value_at])}")
                yield opened.line or 0, row[run_at], row[metric_at], row[topic_at], value
        except csv.Error as error:
            raise InputError("cannot-parse", f"is not CSV: {error}") from None
