"""Scores as text: CSV and JSON of any size, the table of the means, and a table that fits a terminal."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from diveval.collection.columns import BoolArray, Floats, Names
from diveval.errors import count_of, printable, shorten
from diveval.metrics.names import MetricText, name_with_variant, variant_of
from diveval.results import table_text
from diveval.results.table_text import TextTable
from diveval.system import scanner

if TYPE_CHECKING:
    from diveval.results.scores import Scores

MEAN = "all"  # stands for the mean over topics where topics are named

_LINES_AT_ONCE = 1 << 16
LONGEST_QUERY = 32  # characters beside a topic on a terminal


def csv_text(scores: Scores, *, per_topic: bool, separator: str = ",") -> str:
    """`run,metric,topic,value`, full doubles, the mean under the topic `all`.

    A summary (means only) with a run that lacks topics has a fifth column, `topics`: how many the run has (49/50).
    """
    return "".join(csv_parts(scores, per_topic=per_topic, separator=separator))


def csv_parts(scores: Scores, *, per_topic: bool, separator: str = ",") -> Iterator[str]:
    """The same in parts, so that a file of millions of lines is never in memory as a whole."""
    answered, means = None if per_topic else scores.coverage(), scores.means
    yield separator.join(["run", "metric", "topic", "value", *(["topics"] if answered else [])]) + "\n"
    runs, metrics = (_fields(names, separator) for names in (scores.runs, scores.metrics))
    topics = Names.of(_fields(scores.topics, separator) if per_topic else ())
    for r, run in enumerate(runs):
        end = f"{separator}{_fields([answered[r]], separator)[0]}\n" if answered else "\n"
        for m, metric in enumerate(metrics):
            start = f"{run}{separator}{metric}{separator}"
            for at in range(0, len(topics), _LINES_AT_ONCE):
                part = slice(at, at + _LINES_AT_ONCE)
                yield _lines(start, topics, part, separator, scores.counted[r, m, part], scores.values[r, m, part])
            yield f"{start}{MEAN}{separator}{float(means[r, m])!r}{end}"


def _lines(start: str, topics: Names, part: slice, separator: str, counted: BoolArray, values: Floats) -> str:
    """A line for each counted topic; compiled, since formatting millions of doubles is the slowest part in Python."""
    compiled = scanner.load()
    if compiled is not None:
        names = topics.text, topics.offsets[part.start : part.stop + 1].tobytes()
        lines: str = compiled.score_lines(
            start.encode("utf-8", "surrogatepass"), names, separator.encode(), counted.tobytes(), values.tobytes()
        )
        return lines
    rows = zip(topics[part], counted.tolist(), values.tolist(), strict=True)
    return "".join([f"{start}{topic}{separator}{value!r}\n" for topic, counts, value in rows if counts])


def _fields(names: Sequence[str], separator: str) -> list[str]:
    """Names as fields of a CSV line, quoted if necessary."""
    special = re.compile(f'[{re.escape(separator)}"\r\n]| ')
    if all(names) and not special.search("".join(names)):  # nothing that could need quotes
        return list(names)
    # A second field, since an empty name alone would be quoted.
    lines = [table_text.csv_text([name, ""], (), separator=separator) for name in names]
    return [line[: -len(separator) - 1] for line in lines]


def wide_text(scores: Scores, *, per_topic: bool, separator: str = ",") -> str:
    """A line per run (with its topics, `49/50`) or per run and topic, a column per metric, full doubles.

    A topic that does not count for a metric leaves its cell empty.
    """
    header = ["run", "topic" if per_topic else "topics", *scores.metrics]
    return table_text.csv_text(header, _wide_rows(scores, per_topic=per_topic), separator=separator)


def _wide_rows(scores: Scores, *, per_topic: bool) -> Iterator[list[str]]:
    means, whole = scores.means, f"{len(scores.topics)}/{len(scores.topics)}"
    answered = scores.coverage() or (whole,) * len(scores.runs)
    for r, run in enumerate(scores.runs):
        if per_topic:
            for t in np.flatnonzero(scores.counted[r].any(axis=0)):
                values = zip(scores.values[r, :, t].tolist(), scores.counted[r, :, t], strict=True)
                yield [run, scores.topics[t], *(repr(v) if counts else "" for v, counts in values)]
        yield [run, MEAN if per_topic else answered[r], *(repr(float(value)) for value in means[r])]


def with_queries(text: str, queries: Mapping[str, str], separator: str = ",") -> str:
    """CSV that has a column `topic`, with each topic's query added as the last column."""
    head, *rows = csv.reader(io.StringIO(text), delimiter=separator)
    place = head.index("topic")
    named = ([*row, queries.get(row[place], "")] for row in rows)
    return table_text.csv_text([*head, "query"], named, separator=separator)


def json_text(scores: Scores, *, per_topic: bool, queries: Mapping[str, str] | None = None) -> str:
    """One object; NaN, which some tools' rules give, is written as null, since JSON has no NaN."""
    shape: dict[str, object] = {
        "runs": list(scores.runs),
        "metrics": list(scores.metrics),
        "topics": list(scores.topics),
        "mean": {run: {m: _plain(v) for m, v in row.items()} for run, row in scores.mean().items()},
    }
    if per_topic:
        shape["per_topic"] = {
            run: {m: {t: _plain(v) for t, v in scores.per_topic(run, m).items()} for m in scores.metrics}
            for run in scores.runs
        }
    if queries is not None:
        shape["queries"] = dict(queries)
    if answered := scores.coverage():
        shape["answered"] = dict(zip(scores.runs, answered, strict=True))
    if scores.notes:
        shape["notes"] = list(scores.notes)
    if setup := scores.setup.as_dict():
        shape["setup"] = setup
    return json.dumps(shape, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _plain(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _number(value: float | None) -> str:
    """Four decimals; a very large number in scientific notation; a dash for None."""
    if value is None:
        return "–"
    return f"{value:.4f}" if not abs(value) >= 1e12 else f"{value:.4e}"


def means_table(scores: Scores) -> TextTable:
    """A row per run: its name, its number of topics if any run lacks one, and the means, the best ones in bold."""
    best, answered = _best(scores, scores.means), scores.coverage()
    first = 2 if answered else 1
    rows = [
        [run, *([answered[r]] if answered else []), *map(_number, values)]
        for r, (run, values) in enumerate(zip(scores.runs, scores.means, strict=True))
    ]
    bold = frozenset((int(r), int(m) + first) for r, m in np.argwhere(best))
    header = ["run", *(["topics"] if answered else []), *map(name_with_variant, scores.metrics)]
    whole = count_of(len(scores.topics), "topic")
    caption = f"Means over {whole}" if scores.counted.all() else f"Means over the topics that count, of {whole}"
    return TextTable(header, rows, "l" + "r" * (len(header) - 1), bold, caption)


def _best(scores: Scores, means: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The best values of each column; none in a column of one row, of equal values, of counts or residuals."""
    rounded = np.round(means, 4) * scores.signs
    top = rounded.max(axis=0, initial=-np.inf)
    judged = np.array([best != "none" for best in scores.best])
    return np.asarray((rounded == top) & (rounded.min(axis=0, initial=np.inf) < top) & judged)


@dataclass(frozen=True)
class _Row:
    """A row of the table on a terminal; `topics` is how many the run has, if any run lacks one."""

    name: str
    topics: str
    values: Sequence[float | None]  # None: the topic does not count for the metric
    best: Sequence[bool]

    def label(self, width: int, topics: int) -> str:
        """The name, never cut: one that is wider than its column has a line of its own."""
        name = self.name if len(self.name) <= width else f"{self.name}\n"
        return (name if name is self.name else name + " " * width).ljust(width) + (
            f"  {self.topics:>{topics}}" if topics else ""
        )


def terminal_text(
    scores: Scores, *, per_topic: bool = False, width: int = 80, queries: Mapping[str, str] | None = None
) -> str:
    """Runs as rows, metrics as columns, in as many blocks as the width requires; `*` marks the best of a column."""
    rows = _terminal_rows(scores, per_topic, queries or {})
    topics = max(6, *(len(row.topics) for row in rows)) if scores.coverage() else 0
    blocks, start = [], 0
    columns = [_heading(metric) for metric in scores.metrics]
    left = width - 2 - max(map(_column_width, columns)) - (topics + 2 if topics else 0)  # beside one column of values
    label = min(max(3, *(len(row.name) for row in rows)), max(left, 12))
    while start < len(columns):
        end, used = start, label + (topics + 2 if topics else 0)
        while end < len(columns) and (end == start or used + 2 + _column_width(columns[end]) <= width):
            used += 2 + _column_width(columns[end])
            end += 1
        blocks.append(_block(rows, columns[start:end], slice(start, end), label, topics))
        start = end
    return "\n".join(blocks)


def _terminal_rows(scores: Scores, per_topic: bool, queries: Mapping[str, str]) -> list[_Row]:
    means = scores.means
    best, answered = _best(scores, means), scores.coverage()
    rows = []
    for r, run in enumerate(scores.runs):
        if per_topic:
            for t, topic in enumerate(scores.topics):
                if scores.counted[r, :, t].any():
                    pairs = zip(scores.values[r, :, t].tolist(), scores.counted[r, :, t].tolist(), strict=True)
                    values = [value if counts else None for value, counts in pairs]
                    missing = scores.missing is not None and scores.missing[r, t]
                    query = printable(queries.get(topic, ""))
                    short = shorten(query, LONGEST_QUERY)
                    name = f"{printable(run)} {printable(topic)} {short}".rstrip()
                    rows.append(_Row(name, "lacks" if missing else "", values, [False] * len(values)))
        name = f"{printable(run)} {MEAN}" if per_topic else printable(run)
        rows.append(_Row(name, answered[r] if answered else "", means[r].tolist(), best[r].tolist()))
    return rows


def _heading(metric: str) -> list[str]:
    """A metric's name over at most four lines: name with cutoff, parameters, variant, `+residual`."""
    base = metric.removesuffix("+residual")
    parts = MetricText.of(base)
    if "(" in parts.name:  # a composition that has no name
        return [metric[:20]]
    variant = variant_of(base)
    lines = (*parts.heading, f"({variant})" if variant else "", metric[len(base) :])
    return [line for line in lines if line]


def _column_width(heading: list[str]) -> int:
    return max(8, *(len(line) for line in heading))


def _block(rows: Sequence[_Row], columns: list[list[str]], part: slice, label: int, topics: int) -> str:
    height = max(len(column) for column in columns)
    lines = []
    for h in range(height):
        cells = [(column[h] if h < len(column) else "").rjust(_column_width(column)) for column in columns]
        first = _Row("run", "topics", (), ()) if h == 0 else _Row("", "", (), ())
        lines.append("  ".join([first.label(label, topics), *cells]).rstrip())
    lines.append("-" * len(max(lines, key=len)))
    for row in rows:
        cells = [
            (_number(value) + ("*" if top else " ")).rjust(_column_width(column))
            for value, top, column in zip(row.values[part], row.best[part], columns, strict=True)
        ]
        lines.append("  ".join([row.label(label, topics), *cells]).rstrip())
    return "\n".join(lines) + "\n"
