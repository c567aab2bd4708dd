"""Tables of ratings, recommendations and genres in any form: columns by the names that recommender libraries use."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from diveval.collection.columns import Floats, IndexArray, Names, intern, offsets_of, sort_positions
from diveval.collection.runs import Run
from diveval.errors import InputError, UsageError, preview, quote, warn
from diveval.reading.cells import IdColumn, NumberColumn, intern_names, is_numeric, numbers_of, text_of, texts_of
from diveval.reading.column_names import ColumnNames
from diveval.reading.frames import is_frame, materialise, names_of, pick_columns
from diveval.reading.judge_labels import as_number
from diveval.reading.objects import as_run, is_run_dict
from diveval.reading.run_tables import runs_from_frame

Ints = IndexArray
TIMES = re.compile(r"time|date|^ts$|_at$|^at$|^unnamed|index|^level_", re.IGNORECASE)  # no ratings or scores
NO_ASPECT = "(no genres listed)"  # MovieLens' name for the genre of items without genres
COLUMNS: dict[str, tuple[str, ...]] = {
    "user": ("user_id", "userId", "user", "uid", "userID"),
    "item": ("item_id", "itemId", "item", "movieId", "movie_id", "iid", "itemID"),
    "rating": ("rating", "weight", "relevance", "grade", "value"),
    "score": ("score", "prediction"),
    "rank": ("rank",),
    "run": ("run", "model", "system", "algorithm"),
    "aspects": ("genres", "genre", "aspects", "aspect", "categories", "category", "group", "class"),
}


@dataclass(frozen=True, eq=False)
class Ratings:
    """Rows (user, item, rating)."""

    users: IdColumn
    items: IdColumn
    values: Floats
    graded: bool = True  # False if the table has no ratings, so that every pair is 1


def read_ratings(shape: Any, what: str, names: ColumnNames) -> Ratings:
    """Ratings from a frame, `{user: {item: rating}}` or `{user: [item, …]}`; without ratings all are 1."""
    if is_frame(shape):
        frame = materialise(shape)
        found = names.find(names_of(frame), ("user", "item"), ("rating",))
        table = pick_columns(frame, found)
        warn_about_columns(frame, what, found, ("rating",), "every pair counts as liked")
        users, items = (texts_of(table[column], f"id ({column})", what) for column in ("user", "item"))
        numbers = numbers_of(_as_numbers(table["rating"])) if "rating" in table else None
    elif isinstance(shape, Mapping):
        rows = [
            (text_of(user), text_of(item), rating)
            for user, inner in shape.items()
            for item, rating in (inner.items() if isinstance(inner, Mapping) else ((one, 1.0) for one in inner))
        ]
        given = [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
        users, items = (IdColumn(*intern(column)) for column in given[:2])
        numbers = numbers_of(_as_numbers(given[2]))
    else:
        raise UsageError(
            "wrong-type", f"{what} are a frame or a dict {{user: {{item: rating}}}}, got {type(shape).__name__}"
        )
    if not len(users.codes):
        raise InputError("empty-input", f"{what} are empty")
    if numbers is not None:
        refuse_other_numbers(numbers, what, "rating")
    graded = numbers is not None and (is_frame(shape) or any(isinstance(inner, Mapping) for inner in shape.values()))
    return Ratings(users, items, np.ones(len(users.codes)) if numbers is None else numbers.values, graded)


def warn_about_columns(frame: Any, table: str, found: Mapping[str, str], wanted: Sequence[str], effect: str) -> None:
    """Warn if a table has none of the columns `wanted`, but numbers in a column that nothing reads."""
    if any(what in found for what in wanted):
        return
    numbers = [
        name
        for name in names_of(frame)
        if name not in found.values()
        and not TIMES.search(name)
        and is_numeric(pick_columns(frame, {"one": name})["one"])
    ]
    if numbers:
        warn(
            "ambiguous-column",
            f"{table}: no column is called {' or '.join(wanted)}, so {effect}; not read: {preview(numbers)}"
            f" (columns={{{wanted[0]!r}: {numbers[0]!r}}})",
        )


def _as_numbers(column: Any) -> Any:
    """A column in which true and false are 1 and 0."""
    if isinstance(column, list):
        return [int(value) if isinstance(value, (bool, np.bool_)) else value for value in column]
    return column.cast("int8") if str(column.type) == "bool" else column


def refuse_other_numbers(numbers: NumberColumn, table: str, what: str) -> None:
    """Raise an error for the first cell that is no finite number."""
    wrong = [*numbers.odd, *np.flatnonzero(numbers.empty)[:1].tolist()]
    if wrong:
        value = numbers.odd.get(min(wrong))
        text = isinstance(value, str) and as_number(value) is not None
        raise InputError(
            "not-a-number",
            f"{table}: row {min(wrong) + 1} has the {what} {'nothing' if value is None else quote(value)}, which is"
            f" {'a text' if text else 'not a finite number'}",
            hint="convert the column to numbers" if text else "",
        )


def read_lists(shape: Any, names: ColumnNames) -> list[Run]:
    """The runs of a frame, of `{user: [item, …]}`, of `{user: {item: score}}`, or of a dict of these by run."""
    if is_frame(shape):
        return _runs_of_frame(shape, "run", names)
    if isinstance(shape, Mapping):
        if is_run_dict(shape) or not shape:
            return [as_run(_without_empty(shape), name="run")]
        return [replace(_only(inner, str(name), names), name=str(name)) for name, inner in shape.items()]
    raise UsageError(
        "wrong-type",
        "recommendations are a frame, a dict {user: [item, …]}, or a dict of these by run, got " + type(shape).__name__,
    )


def _runs_of_frame(shape: Any, name: str, names: ColumnNames) -> list[Run]:
    frame = materialise(shape)
    found = names.find(names_of(frame), ("user", "item"), ("score", "rank", "run"))
    if not len(pick_columns(frame, {"user": found["user"]})["user"]):
        raise InputError("empty-input", "recommendations have no row")
    warn_about_columns(frame, "recommendations", found, ("score", "rank"), "the order of the rows counts")
    if "rank" in found:
        ranks = numbers_of(pick_columns(frame, {"rank": found["rank"]})["rank"])
        refuse_other_numbers(ranks, "recommendations", "rank")
        wrong = np.flatnonzero((ranks.values < 0) | (ranks.values != np.floor(ranks.values)))[:1].tolist()
        if wrong:
            raise InputError(
                "out-of-range",
                f"recommendations: row {wrong[0] + 1} has the rank {ranks.values[wrong[0]]:g}, which is no whole number of"
                " at least 0",
            )
    if not {"rank", "score"} & set(found):
        _warn_about_rows(frame, found)
    ours = {"user": "topic", "item": "document"}
    return runs_from_frame(frame, name, columns={ours.get(what, what): own for what, own in found.items()})


def _warn_about_rows(frame: Any, found: Mapping[str, str]) -> None:
    """Warn if the order of the rows counts, but the rows of a list are not together, as after shuffling."""
    columns = [pick_columns(frame, {what: found[what]})[what] for what in ("run", "user") if what in found]
    ids = [texts_of(column, "id", "recommendations") for column in columns]
    key = np.zeros(len(ids[0].codes), dtype=np.int64)
    for column in ids:
        key = key * len(column.names) + column.codes
    parts = np.count_nonzero(np.diff(key)) + 1
    lists = len(np.unique(key))
    if parts > lists:
        warn(
            "unclear-order",
            f"recommendations: no column score or rank, so the order of the rows counts, but the rows of"
            f" {lists:,} lists are in {parts:,} places",
        )


def _without_empty(lists: Any) -> Any:
    """A user's empty list is none: the user is missing from the run, which is warned about."""
    if not isinstance(lists, Mapping):
        return lists
    return {user: own for user, own in lists.items() if not hasattr(own, "__len__") or len(own)}


def _only(inner: Any, name: str, names: ColumnNames) -> Run:
    runs = _runs_of_frame(inner, name, names) if is_frame(inner) else [as_run(_without_empty(inner), name=name)]
    if len(runs) != 1:
        raise UsageError(
            "wrong-number-of-runs",
            f"recommendations of {quote(name)} contain {len(runs)} runs",
            hint="name runs by a column or by a dict, not both",
        )
    return runs[0]


def unify(columns: Sequence[Names]) -> tuple[tuple[str, ...], list[Ints]]:
    """The distinct names of several columns in natural order, and for each column the place of its names there."""
    different: list[Names] = []
    twins = []  # of each column, the equal one among those that differ: the users of two tables are usually the same
    for own in columns:
        twins.append(next((i for i, other in enumerate(different) if own.equals(other)), len(different)))
        if twins[-1] == len(different):
            different.append(own)
    names, codes = intern_names(different)
    position = sort_positions(names, natural=True)
    order = np.empty(len(names), dtype=np.int64)
    order[position] = np.arange(len(names))
    ends = offsets_of([len(own) for own in different]).tolist()
    places = [position[codes[start:end]] for start, end in pairwise(ends)]
    return tuple(names.take(order).tolist()), [places[i] for i in twins]


def shares(rows: Floats) -> Floats:
    """Every row divided by its sum; a row of zeros stays a row of zeros."""
    total = rows.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(rows, total, out=np.zeros_like(rows), where=total > 0))


def ratio(above: Floats, below: Any, otherwise: float) -> Floats:
    """above / below, and `otherwise` where the divisor is not positive."""
    return np.asarray(np.divide(above, below, out=np.full_like(above, otherwise), where=np.asarray(below) > 0))


def occurring(codes: Ints, size: int) -> Ints:
    """The distinct codes below `size`, sorted; a table of marks is faster than `np.unique` for long columns."""
    occurs = np.zeros(size, dtype=bool)
    occurs[codes] = True
    return np.flatnonzero(occurs)
