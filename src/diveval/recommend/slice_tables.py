"""Slices of users: a mapping, a file, or a column of one of the tables, which says the same in every row of a user."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from diveval.errors import InputError, UsageError, quote, suggestion
from diveval.reading.cells import texts_of
from diveval.reading.column_names import ColumnNames
from diveval.reading.frames import is_frame, materialise, names_of, pick_columns
from diveval.reading.slices import as_groups
from diveval.recommend.rating_tables import COLUMNS


def read_slices_of(given: Any, ratings: Any, lists: Any, columns: Mapping[str, str] | None) -> dict[str, str] | None:
    """The slice of each user; None without slices."""
    if given is None or isinstance(given, Mapping):
        return None if given is None else as_groups(given)
    if not isinstance(given, str):
        raise UsageError("wrong-type", f"slices are a mapping, a column or a file, got {type(given).__name__}")
    known: list[str] = []
    for shape in (ratings, lists):
        if is_frame(shape):
            frame = materialise(shape)
            known += names_of(frame)
            if given in known:
                return _read_column(frame, given, columns)
    if Path(given).exists() or Path(given.rpartition(":")[0]).is_file():
        return as_groups(given)
    raise UsageError(
        "unknown-column",
        f"slices: no table has a column {quote(given)}, nor is it a file",
        hint=suggestion(given, known),
    )


def _read_column(frame: Any, name: str, columns: Mapping[str, str] | None) -> dict[str, str]:
    asked = {what: own for what, own in (columns or {}).items() if what == "user"}
    found = ColumnNames(COLUMNS, asked).find(names_of(frame), ("user",), ())
    table = pick_columns(frame, {"user": found["user"], "slice": name})
    users, groups = (texts_of(table[what], f"id ({what})", "slices") for what in ("user", "slice"))
    out: dict[str, str] = {}
    for user, group in zip(users.names.at(users.codes), groups.names.at(groups.codes), strict=True):
        if out.setdefault(user, group) != group:
            raise InputError(
                "wrong-value",
                f"slices: user {quote(user)} has {quote(out[user])} and {quote(group)} in column {quote(name)}",
            )
    return out
