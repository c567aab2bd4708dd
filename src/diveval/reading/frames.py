"""Tables of any library: columns found by the names that libraries use or the caller gives; and judgments from tables."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.collection.columns import Names
from diveval.collection.judgments import JudgmentRows, Judgments
from diveval.collection.runs import Run
from diveval.errors import InputError, UsageError, need, quote
from diveval.reading.cells import (
    IdColumn,
    NumberColumn,
    arrow_if_there,
    holds_text,
    missing,
    numbers_of,
    numpy_of,
    takeable,
    texts_of,
    whole_array,
)
from diveval.setting_table import Duplicates

# The column names that libraries use, the most specific first.
COLUMNS: dict[str, tuple[str, ...]] = {
    what: tuple(names.split())
    for what, names in {
        "topic": "topic query_id qid q_id query topic_id TOPIC user_id userId user uid",
        "aspect": "aspect subtopic_id subtopic iteration intent nugget ASPECT",
        "document": "document doc_id docno docid doc passage DOC document_id item_id itemId item movieId movie_id iid",
        "grade": "grade relevance label rel rating GRADE",
        "weight": "weight aspect_weight importance WEIGHT",
        "score": "score sim SCORE prediction",
        "rank": "rank RANK",
        "round": "round",
        "run": "run tag runid run_id RUN",
    }.items()
}
# Names that may mean aspects or runs, but also other things: an error unless the caller maps the column.
LOOKALIKES: dict[str, tuple[str, ...]] = {
    what: tuple(names.split())
    for what, names in {
        "aspect": "genre genres category categories facet facets aspects subtopics intents",
        "run": "system model method algorithm engine recommender systems models runs run_name name",
    }.items()
}
JUDGMENT_COLUMNS = ("topic", "aspect", "document", "grade", "weight")
RUN_COLUMNS = ("run", "topic", "document", "score", "rank", "round")
NUMBERS = ("grade", "weight", "score", "rank", "round")
SEPARATOR = "|"  # between the aspects of one cell, as MovieLens writes genres


def is_frame(shape: Any) -> bool:
    """Whether this is a table: pandas, polars, Arrow, a DuckDB relation, or anything that exports Arrow."""
    if isinstance(shape, (Mapping, str, bytes, Run, Judgments)):
        return False
    return _has_columns(shape) or hasattr(shape, "__arrow_c_stream__") or _is_dataset(shape)


def _has_columns(shape: Any) -> bool:
    return hasattr(type(shape), "columns")  # of the type, since evaluating it on a lazy frame is slow and warns


def _is_dataset(shape: Any) -> bool:
    """Whether this is a dataset of pyarrow, which is read on request."""
    return hasattr(type(shape), "to_table") and hasattr(type(shape), "scanner")


def materialise(frame: Any) -> Any:
    """A table that can be read more than once: a stream of Arrow batches becomes a table."""
    if not is_frame(frame) or _has_columns(frame):
        return frame
    arrow = need("pyarrow", "arrow")
    if _is_dataset(frame):
        return frame.to_table()
    if isinstance(frame, arrow.RecordBatchReader):
        return frame.read_all()
    try:
        return arrow.table(frame)
    except arrow.ArrowException:  # a single column is an Arrow stream too
        raise UsageError("wrong-type", f"expected a table with columns, got {type(frame).__name__}") from None


def match_columns(
    names: Sequence[str], columns: Mapping[str, str] | None = None, *, wanted: Sequence[str] = tuple(COLUMNS)
) -> dict[str, str]:
    """Our columns among these names: those that the caller maps, then those with the names libraries use.

    A mapped name may be in the other frame of an evaluation: `check_columns` checks both.
    """
    _refuse_twice(names)
    mapped = {what: name for what, name in (columns or {}).items() if name in names and what in wanted}
    taken = set(mapped.values())
    usual = {
        what: next(name for name in COLUMNS[what] if name in names and name not in taken)
        for what in wanted
        if (set(COLUMNS[what]) & set(names)) - taken
    }
    return usual | mapped


def check_columns(columns: Mapping[str, str] | None, *frames: Sequence[str]) -> None:
    """Require that every mapped column is one of ours and is in one of the frames."""
    unknown = set(columns or {}) - set(COLUMNS)
    if unknown:
        raise UsageError(
            "unknown-column", f"columns maps {', '.join(COLUMNS)} to a frame's own names, got {quote(min(unknown))}"
        )
    names = list(dict.fromkeys(name for frame in frames for name in frame))
    for what, name in (columns or {}).items():
        if frames and name not in names:
            raise UsageError(
                "unknown-column",
                f"the frame has no column {quote(name)} (for {what})",
                hint=f"it has {_list_columns(names)}",
            )


def require_columns(names: Sequence[str], found: Mapping[str, str], needed: Sequence[str], source: str = "") -> None:
    """Require the needed columns, and reject an unmapped column that looks like aspects or runs."""
    for what in needed:
        if what not in found:
            raise InputError(
                "missing-column",
                f"the frame has no {what} column: expected one of {', '.join(COLUMNS[what][:5])}, got {_list_columns(names)}",
                hint=f"name it with columns={{'{what}': …}}",
                source=source,
            )
    what = "aspect" if "grade" in needed else "run"
    seeming = [name for name in names if name.lower() in LOOKALIKES[what] and name not in found.values()]
    if seeming and what not in found:
        raise InputError(
            "ambiguous-column",
            f"the column {quote(seeming[0])} looks like {what}s but was not named: name it with"
            f" columns={{'{what}': {seeming[0]!r}}}, or remove the column",
            source=source,
        )


def _list_columns(names: Sequence[str]) -> str:
    """A frame's column names, quoted if they are not printable."""
    return ", ".join(name if name.isprintable() else quote(name) for name in names)


def names_of(frame: Any) -> list[str]:
    """The column names of a frame."""
    arrow = arrow_if_there()
    if arrow is not None and isinstance(frame, (arrow.Table, arrow.RecordBatch)):
        return list(frame.schema.names)  # fast path: wrapping a table takes longer than scoring a small one
    table = wrap(frame)
    names = table.collect_schema().names() if hasattr(table, "collect_schema") else table.columns
    return [str(name) for name in names]


def _refuse_twice(names: Sequence[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError("duplicate-column", f"two columns are called {quote(twice[0])}", hint="rename or remove one")


def wrap(frame: Any) -> Any:
    """A materialised table of any library in the interface of narwhals."""
    arrow = arrow_if_there()
    if arrow is not None and isinstance(frame, arrow.RecordBatch):
        frame = arrow.Table.from_batches([frame])
    narwhals = need("narwhals", "frames")
    try:
        return narwhals.from_native(frame)
    except narwhals.exceptions.DuplicateError:
        names = frame.schema.names if hasattr(frame, "schema") else frame.columns
        _refuse_twice([str(name) for name in names])
        raise
    except TypeError:
        kind = f"{type(frame).__module__}.{type(frame).__name__}"
        raise UsageError("wrong-type", f"a frame is a table of pandas, polars, Arrow or DuckDB, got {kind}") from None


def columns_of(
    frame: Any, columns: Mapping[str, str] | None, *, wanted: Sequence[str], needed: Sequence[str], source: str = ""
) -> dict[str, Any]:
    """The columns that exist, by our names, as Arrow if it can represent them, else as lists."""
    names = names_of(frame)
    found = match_columns(names, columns, wanted=wanted)
    require_columns(names, found, needed, source)
    return pick_columns(frame, found)


def pick_columns(frame: Any, found: Mapping[str, str]) -> dict[str, Any]:
    """Columns of a materialised table by our names, as Arrow if it can represent them, else as lists."""
    arrow = arrow_if_there()
    if arrow is not None and isinstance(frame, (arrow.Table, arrow.RecordBatch)):
        return {what: frame.column(name) for what, name in found.items()}
    odd = next((name for name in wrap(frame).columns if not isinstance(name, str)), None)
    if odd is not None:
        raise InputError("wrong-header", f"names of columns are texts, got {odd!r}", hint="name the columns")
    wrapped = wrap(frame)
    odd = next((name for name in found.values() if name not in wrapped.columns), None)
    if odd is not None:  # pandas numbers columns that have no name
        raise InputError("wrong-header", f"names of columns are texts, got {odd}", hint="name the columns")
    table = wrapped.select(list(dict.fromkeys(found.values())))
    if hasattr(table, "collect"):
        table = table.collect()
    return {what: _arrow_or_list(table[name]) for what, name in found.items()}


def _arrow_or_list(series: Any) -> Any:
    arrow = arrow_if_there()
    if arrow is not None:
        try:
            return _as_arrow(series)
        except (arrow.ArrowException, TypeError, ValueError, UnicodeError, OverflowError):
            pass  # objects of several types in one column, which pandas allows
    return series.to_list()


def _as_arrow(series: Any) -> Any:
    """A column as Arrow; polars exports text without a copy only at its newest compatibility level."""
    polars, native = sys.modules.get("polars"), series.to_native()
    if polars is not None and isinstance(native, polars.Series) and native.dtype == polars.String:
        return native.to_arrow(compat_level=polars.CompatLevel.newest())
    return series.to_arrow()


# --- judgments --------------------------------------------------------------------------------------------------------


def judgments_from_frame(
    frame: Any,
    *,
    columns: Mapping[str, str] | None = None,
    duplicates: Duplicates = "error",
    repeats: bool = False,
    source: str = "",
    format: str = "",
    quiet: bool = False,
) -> Judgments:
    """Judgments from a table with at least topic, document and grade; `repeats` keeps every row of a passage file.

    Aspects may be lists, or texts joined by `|` in a column that the caller named.
    """
    frame = materialise(frame)
    table = columns_of(frame, columns, wanted=JUDGMENT_COLUMNS, needed=("topic", "document", "grade"), source=source)
    table = _explode(table, named="aspect" in (columns or {}), source=source)
    topics, documents = (texts_of(table[what], f"id ({what})", source) for what in ("topic", "document"))
    grades = numbers_of(table["grade"])
    refuse_odd(grades, "grade", topics, documents, source, empty=True)
    if "aspect" in table:
        aspects = texts_of(table["aspect"], "id (aspect)", source)
    else:
        _refuse_lost_aspects(topics, documents, source)
        aspects = IdColumn(Names.of(["0"]), np.zeros(len(topics.codes), dtype=np.int32))
    rows = JudgmentRows(
        topics.names, aspects.names, documents.names, topics.codes, aspects.codes, documents.codes, grades.values
    )
    judgments = Judgments.from_coded(
        rows, duplicates=duplicates, repeats=repeats, source=source, format=format, quiet=quiet
    )
    weights = _weights(topics, aspects, numbers_of(table["weight"]), source) if "weight" in table else {}
    return judgments.with_weights(weights, quiet=quiet) if weights else judgments


def _explode(table: dict[str, Any], *, named: bool, source: str) -> dict[str, Any]:
    """One row per aspect, if a cell holds several."""
    column, arrow = table.get("aspect"), arrow_if_there()
    if column is None:
        return table
    if arrow is None or isinstance(column, list):
        split = _split_values(column if isinstance(column, list) else column.to_pylist(), named=named)
    else:
        split = _split_column(arrow, column, named=named)
    if split is None:
        return table
    rows, aspects, complete = split
    if not complete:
        raise missing("id (aspect)", source)
    return {what: _take(column, rows) for what, column in table.items() if what != "aspect"} | {"aspect": aspects}


Split = tuple[NDArray[Any], Any, bool]  # the row of each aspect, the aspects, and whether every row has one


def _split_column(arrow: Any, column: Any, *, named: bool) -> Split | None:
    """The aspects of an Arrow column; None if every cell is one aspect."""
    compute, kind = need("pyarrow.compute", "arrow"), column.type
    if named and holds_text(kind):
        texts = column.cast(arrow.large_string())
        if not compute.any(compute.match_substring(texts, SEPARATOR)).as_py():
            return None
        column = compute.split_pattern(texts, SEPARATOR)
    elif not any(is_kind(kind) for is_kind in (arrow.types.is_list, arrow.types.is_large_list)):
        return None
    column = whole_array(arrow, column)
    sizes = compute.list_value_length(column).fill_null(0)
    whole = not compute.any(compute.equal(sizes, 0)).as_py()
    return np.asarray(numpy_of(compute.list_parent_indices(column))), compute.list_flatten(column), whole


def _split_values(values: list[Any], *, named: bool) -> Split | None:
    """The same for a list of Python objects."""
    cells = [_aspects(value, named=named) for value in values]
    if all(len(cell) == 1 for cell in cells) and not any(isinstance(value, _LISTS) for value in values):
        return None
    rows = np.repeat(np.arange(len(cells)), [len(cell) for cell in cells])
    return rows, [aspect for cell in cells for aspect in cell], all(cells)


_LISTS = (list, tuple, np.ndarray)


def _aspects(value: Any, *, named: bool) -> list[Any]:
    if isinstance(value, _LISTS):
        return list(value)
    return value.split(SEPARATOR) if named and isinstance(value, str) else [value]


def _take(column: Any, rows: NDArray[Any]) -> Any:
    return [column[i] for i in rows.tolist()] if isinstance(column, list) else takeable(column).take(rows)


def refuse_odd(
    numbers: NumberColumn, what: str, topics: IdColumn, documents: IdColumn, source: str, *, empty: bool = False
) -> None:
    """Raise an error for the first cell that is not a finite number; with `empty`, also for an empty cell."""
    wrong = dict(numbers.odd)
    if empty and numbers.empty.any():
        wrong.setdefault(int(np.argmax(numbers.empty)), None)
    if wrong:
        row = min(wrong)
        topic, document = topics.names[int(topics.codes[row])], documents.names[int(documents.codes[row])]
        raise InputError(
            "not-a-number",
            f"topic {quote(topic)}, document {quote(document)}: expected a finite {what}, got {quote(wrong[row])}",
            source=source,
        )


def _refuse_lost_aspects(topics: IdColumn, documents: IdColumn, source: str) -> None:
    """Raise an error for two rows of the same document without an aspect column: the aspects must have been dropped."""
    keys = topics.codes.astype(np.int64) * max(len(documents.names), 1) + documents.codes
    order = np.argsort(keys, kind="stable")
    again = order[1:][keys[order[1:]] == keys[order[:-1]]]
    if len(again):
        row = int(again.min())
        topic, document = topics.names[int(topics.codes[row])], documents.names[int(documents.codes[row])]
        raise InputError(
            "aspects-lost",
            f"topic {quote(topic)} judges document {quote(document)} more than once and the frame has no aspect"
            f" column ({', '.join(COLUMNS['aspect'][:4])}): the aspects are lost",
            hint="keep that column, or name it with columns={'aspect': …}",
            source=source,
        )


def _weights(topics: IdColumn, aspects: IdColumn, weights: NumberColumn, source: str) -> dict[tuple[str, str], float]:
    """Weights by (topic, aspect); an empty cell is no weight, and two different weights of an aspect are an error."""
    for row, value in weights.odd.items():
        if value == value:  # NaN counts as empty
            topic, aspect = topics.names[int(topics.codes[row])], aspects.names[int(aspects.codes[row])]
            where = f"topic {quote(topic)}, aspect {quote(aspect)}"
            raise InputError("not-a-number", f"{where}: a weight is a finite number, got {quote(value)}", source=source)
    given = np.flatnonzero(~np.isnan(weights.values))
    keys = topics.codes[given].astype(np.int64) * max(len(aspects.names), 1) + aspects.codes[given]
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    values = weights.values[given]
    differs = np.flatnonzero(values != values[first][inverse])
    pairs = given[first]
    names = list(zip(topics.names.at(topics.codes[pairs]), aspects.names.at(aspects.codes[pairs]), strict=True))
    if len(differs):
        topic, aspect = names[int(inverse[differs[0]])]
        raise InputError(
            "conflicting-weights",
            f"topic {quote(topic)}, aspect {quote(aspect)} has two different weights",
            source=source,
        )
    return dict(zip(names, values[first].tolist(), strict=True))
