"""Ratings, recommendations and genres from frames or dicts, as arrays: users, items and aspects by position."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.errors import InputError, UsageError, count_of, shown
from diveval.reading.cells import is_na
from diveval.reading.frames import is_frame, materialised, wrapped

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
NO_ASPECT = "(no genres listed)"  # MovieLens' name for the genre of items without genres
COLUMNS: dict[str, tuple[str, ...]] = {
    "user": ("user_id", "userId", "user", "uid", "userID"),
    "item": ("item_id", "itemId", "item", "movieId", "iid", "itemID"),
    "rating": ("rating", "weight", "relevance", "grade", "value"),
    "score": ("score", "prediction"),
    "rank": ("rank",),
    "run": ("run", "model", "system", "algorithm"),
    "aspects": ("genres", "genre", "aspects", "aspect", "categories", "category", "group"),
}


class ColumnNames:
    """The user's mapping of our column names to the tables'; each must occur in at least one table."""

    def __init__(self, given: Mapping[str, str] | None) -> None:
        self.given = dict(given or {})
        unknown = [what for what in self.given if what not in COLUMNS]
        if unknown:
            raise UsageError(f"columns names {', '.join(COLUMNS)}, got {unknown[0]!r}")
        self.unmet = set(self.given)

    def find(self, what: str, own: Sequence[str]) -> str | None:
        """A table's name for one of our columns: the given one if the table has it, else one that libraries use."""
        if self.given.get(what) in own:
            self.unmet.discard(what)
            return self.given[what]
        return next((spelling for spelling in COLUMNS[what] if spelling in own), None)

    def check(self) -> None:
        """Raise an error for a name that no table has, which would otherwise be ignored."""
        for what in sorted(self.unmet):
            raise UsageError(f"columns maps {what} to {self.given[what]!r}, but no table has that column")


def columns_of(
    frame: Any, needed: Sequence[str], optional: Sequence[str], names: ColumnNames
) -> dict[str, NDArray[Any]]:
    """Columns of any table as numpy arrays, by our names."""
    table = wrapped(materialised(frame))
    if hasattr(table, "collect"):
        table = table.collect()
    own = [str(name) for name in table.columns]
    found = {}
    for what in (*needed, *optional):
        name = names.find(what, own)
        if name is not None:
            found[what] = np.asarray(table[name].to_numpy())
        elif what in needed:
            raise InputError(
                f"the frame has no {what} column: expected one of {', '.join(COLUMNS[what][:3])}, got {', '.join(own)};"
                f" name it with columns={{'{what}': …}}"
            )
    return found


def numbered(columns: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], list[Ints]]:
    """The distinct names of several columns, sorted, and each column as indices into them."""
    kinds = {column.dtype.kind for column in columns if len(column)}
    # An empty column has any type, and must not make the others objects.
    whole = np.concatenate([c for c in columns if len(c)]) if kinds and kinds <= {"i", "u"} else _texts(columns)
    if whole.dtype.kind in "iu":
        names, codes = _numbered_integers(whole)
    else:
        # A dictionary is several times faster than sorting ten million strings.
        listed = whole.tolist()
        names = np.array(sorted(dict.fromkeys(listed)), dtype=object)
        place = {name: i for i, name in enumerate(names.tolist())}
        codes = np.fromiter((place[name] for name in listed), dtype=np.int64, count=len(listed))
    bounds = np.cumsum([len(column) for column in columns])[:-1]
    return names, [part.astype(np.int64) for part in np.split(codes.ravel(), bounds)]


def _numbered_integers(whole: NDArray[Any]) -> tuple[NDArray[Any], Ints]:
    """The distinct numbers, sorted, and the index of each; dense numbers are marked in a table instead of sorted."""
    low, high = int(whole.min()), int(whole.max())
    if high - low > 4 * len(whole):
        names, codes = np.unique(whole, return_inverse=True)
        return names, np.asarray(codes, dtype=np.int64)
    shifted = whole.astype(np.int64) - low
    occurs = np.zeros(high - low + 1, dtype=bool)
    occurs[shifted] = True
    return np.flatnonzero(occurs) + low, (np.cumsum(occurs) - 1)[shifted]


def _texts(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    out = np.empty(sum(len(column) for column in columns), dtype=object)
    out[:] = [_text(value) for column in columns for value in column.tolist()]
    return out


def _is_null(value: Any) -> bool:
    """Whether a value is None, NaN, or pandas' NA or NaT."""
    return value is None or (isinstance(value, float) and value != value) or is_na(value)


def _text(value: Any) -> str:
    if _is_null(value):
        raise InputError("a user or an item is missing (null) in one of the tables")
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


# --- frames and dicts -------------------------------------------------------------------------------------------------


def rating_columns(shape: Any, what: str, names: ColumnNames) -> dict[str, NDArray[Any]]:
    """user, item, rating from a frame, `{user: {item: rating}}` or `{user: [item, …]}`; without ratings all are 1."""
    if is_frame(shape):
        found = columns_of(shape, ("user", "item"), ("rating",), names)
    elif isinstance(shape, Mapping):
        rows = [
            (user, item, rating)
            for user, inner in shape.items()
            for item, rating in (inner.items() if isinstance(inner, Mapping) else ((one, 1.0) for one in inner))
        ]
        users, items, grades = zip(*rows, strict=True) if rows else ((), (), ())
        found = {"user": column_of(users), "item": column_of(items), "rating": column_of(grades)}
    else:
        raise UsageError(f"{what} are a frame or a dict {{user: {{item: rating}}}}, got {type(shape).__name__}")
    if not len(found["user"]):
        raise InputError(f"{what} are empty")
    ratings = _numbers(found["rating"], what, "rating") if "rating" in found else np.ones(len(found["user"]))
    return {"user": found["user"], "item": found["item"], "rating": ratings}


def _numbers(column: NDArray[Any], table: str, what: str) -> Floats:
    """A column of finite numbers, which may be strings; any other value is an error with its row."""
    try:
        values = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.array([_number(value) for value in column.tolist()], dtype=np.float64)
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise InputError(f"{table}: row {row + 1} has the {what} {shown(column[row])}, which is not a finite number")
    return values


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def run_columns(shape: Any, names: ColumnNames) -> dict[str, dict[str, NDArray[Any]]]:
    """By run: user, item, and a sort key of a user's list (ascending). A frame may contain several runs."""
    if is_frame(shape):
        found = columns_of(shape, ("user", "item"), ("score", "rank", "run"), names)
        return _by_run(found)
    if isinstance(shape, Mapping):
        first = next(iter(shape.values()), None)
        if is_frame(first) or (isinstance(first, Mapping) and _is_lists(first)):
            return {str(name): _only(run_columns(inner, names), str(name)) for name, inner in shape.items()}
        if _is_lists(shape):
            rows = [(user, item, place) for user, items in shape.items() for place, item in enumerate(items)]
            users, items, places = zip(*rows, strict=True) if rows else ((), (), ())
            order = np.array(places, dtype=np.float64)
            return {"run": {"user": column_of(users), "item": column_of(items), "order": order}}
    raise UsageError(
        "recommendations are a frame, a dict {user: [item, …]}, or a dict of these by run, got " + type(shape).__name__
    )


def _is_lists(shape: Mapping[Any, Any]) -> bool:
    return all(isinstance(value, (list, tuple, np.ndarray)) for value in shape.values())


def _only(found: dict[str, dict[str, NDArray[Any]]], name: str) -> dict[str, NDArray[Any]]:
    if len(found) != 1:
        raise UsageError(
            f"recommendations of {shown(name)} contain {len(found)} runs; name runs by a column or by a dict, not both"
        )
    return next(iter(found.values()))


def _by_run(found: dict[str, NDArray[Any]]) -> dict[str, dict[str, NDArray[Any]]]:
    size = len(found["user"])
    if "rank" in found:
        order = _numbers(found["rank"], "recommendations", "rank")
    elif "score" in found:
        order = -_numbers(found["score"], "recommendations", "score")
    else:
        order = np.arange(size, dtype=np.float64)
    runs = _run_names(found["run"].tolist()) if "run" in found else None
    chosen = {"run": slice(None)} if runs is None else {name: runs == name for name in dict.fromkeys(runs.tolist())}
    return {
        name: {"user": found["user"][rows], "item": found["item"][rows], "order": order[rows]}
        for name, rows in chosen.items()
    }


def _run_names(values: list[Any]) -> NDArray[Any]:
    bare = next((row for row, value in enumerate(values, 1) if _is_null(value)), None)
    if bare is not None:
        raise InputError(f"recommendations: row {bare} names no run (null)")
    return np.array([str(value) for value in values], dtype=object)


def aspect_pairs(shape: Any, names: ColumnNames) -> tuple[list[Any], list[list[str]]]:
    """Items and their aspects from a frame or a dict; aspects are a list, or a string with `|` between them."""
    if is_frame(shape):
        found = columns_of(shape, ("item", "aspects"), (), names)
        return found["item"].tolist(), [_aspects(value) for value in found["aspects"].tolist()]
    if isinstance(shape, Mapping):
        return list(shape), [_aspects(value) for value in shape.values()]
    raise UsageError(f"aspects are a frame or a dict {{item: genres}}, got {type(shape).__name__}")


def _aspects(value: Any) -> list[str]:
    if _is_null(value):
        return []
    if isinstance(value, str):
        return [part.strip() for part in value.split("|") if part.strip()]
    if isinstance(value, Iterable):
        return [str(part) for part in value]
    return [str(value)]


def column_of(values: Sequence[Any]) -> NDArray[Any]:
    """An array of integers if all values are integers, else of objects."""
    if values and all(isinstance(value, (int, np.integer)) and not isinstance(value, bool) for value in values):
        return np.array(values, dtype=np.int64)
    out = np.empty(len(values), dtype=object)
    out[:] = list(values)
    return out


def occurring(codes: Ints, size: int) -> Ints:
    """The distinct codes below `size`, sorted; a table of marks is faster than `np.unique` for long columns."""
    occurs = np.zeros(size, dtype=bool)
    occurs[codes] = True
    return np.flatnonzero(occurs)


def shares(rows: Floats) -> Floats:
    """Every row divided by its sum; a row of zeros stays a row of zeros."""
    total = rows.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(rows, total, out=np.zeros_like(rows), where=total > 0))


def ratio(above: Floats, below: Any, otherwise: float) -> Floats:
    """above / below, and `otherwise` where the divisor is not positive."""
    return np.asarray(np.divide(above, below, out=np.full_like(above, otherwise), where=np.asarray(below) > 0))


# --- lists as a matrix ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pairs:
    """(user, item, value), sorted by user and then item, each pair once."""

    users: Ints
    items: Ints
    values: Floats
    item_count: int

    @classmethod
    def of(cls, users: Ints, items: Ints, values: Floats, item_count: int, *, what: str) -> Pairs:
        keys = users * item_count + items
        if (keys[1:] < keys[:-1]).any():
            order = np.argsort(keys, kind="stable")
            users, items, values = users[order], items[order], values[order]
        twice = np.flatnonzero((users[1:] == users[:-1]) & (items[1:] == items[:-1]))
        if len(twice):
            raise InputError(f"{what}: a user has the same item twice ({len(twice)} times); keep one rating per pair")
        return cls(users, items, values, item_count)

    @cached_property
    def keys(self) -> Ints:
        return self.users * self.item_count + self.items

    def lookup(self, users: Ints, items: Ints, default: float = 0.0) -> Floats:
        """The value of each (user, item), `default` if there is none or the item is −1 (padding)."""
        wanted = users * self.item_count + items
        place = np.minimum(np.searchsorted(self.keys, wanted), max(len(self.keys) - 1, 0))
        exists = (self.keys[place] == wanted) & (items >= 0) if len(self.keys) else np.zeros(wanted.shape, dtype=bool)
        return np.where(exists, self.values[place] if len(self.values) else 0.0, default)


@dataclass(frozen=True)
class UserLists:
    """One run: a row per user in `users` (sorted), items from the first rank on, padded with −1."""

    users: Ints
    items: Ints  # (user, rank)

    @classmethod
    def of(cls, users: Ints, items: Ints, order: Floats, depth: int | None) -> UserLists:
        same = users[1:] == users[:-1]
        if ((users[1:] < users[:-1]) | (same & (order[1:] < order[:-1]))).any():
            sorting = np.lexsort((order, users))  # stable: rows with equal scores keep their order
            users, items = users[sorting], items[sorting]
        starts = np.flatnonzero(np.concatenate([[True], users[1:] != users[:-1]])) if len(users) else users
        distinct, counts = users[starts], np.diff(np.append(starts, len(users)))
        place = np.arange(len(users)) - np.repeat(starts, counts)
        width = int(counts.max(initial=0)) if depth is None else min(depth, int(counts.max(initial=0)))
        kept = place < width
        matrix = np.full((len(distinct), width), -1, dtype=np.int64)
        matrix[np.repeat(np.arange(len(distinct)), counts)[kept], place[kept]] = items[kept]
        _refuse_repeats(matrix)
        return cls(distinct, matrix)

    def at(self, depth: int | None) -> UserLists:
        """The same lists down to a depth."""
        return self if depth is None else UserLists(self.users, self.items[:, :depth])


def _refuse_repeats(matrix: Ints) -> None:
    lined = np.sort(matrix, axis=1)
    again = (lined[:, 1:] == lined[:, :-1]) & (lined[:, 1:] >= 0)
    if again.any():
        number = count_of(int(np.count_nonzero(again.any(axis=1))), "user is", "users are")
        raise InputError(f"{number} recommended the same item twice; keep one each")
