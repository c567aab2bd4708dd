"""The data of an evaluation of recommendations as arrays: users, items, genres, test ratings, history, profiles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.collection.columns import Floats, IntArray, Names, intern, offsets_of, owners, spans
from diveval.collection.inputs import ProfilesLike, TableLike, VectorsLike
from diveval.collection.judgments import JudgmentRows, Judgments
from diveval.collection.rankings import order_lines
from diveval.collection.runs import Run
from diveval.errors import InputError, preview, quote, warn
from diveval.reading.column_names import ColumnNames
from diveval.recommend.genre_tables import read_genres
from diveval.recommend.profile_tables import (
    check_catalogue,
    check_profiles,
    check_vectors,
    place_profiles,
    place_vectors,
)
from diveval.recommend.rating_tables import (
    COLUMNS,
    NO_ASPECT,
    Ints,
    Ratings,
    occurring,
    read_lists,
    read_ratings,
    shares,
    unify,
)
from diveval.recommend.table_checks import warn_about_overlap
from diveval.settings import Options

IN_CACHE = 4096  # users whose earlier ratings are summed at a time
AT_ONCE = 65_536  # users whose lists are put into order, or scored, at a time, which bounds memory

# --- what was given ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Tables:
    """The tables that were given; ids are texts."""

    ratings: Ratings
    history: Ratings
    runs: list[Run]
    genres: Mapping[str, list[str]] | None
    vectors: Mapping[str, Any] | None
    catalogue: list[str] | None
    profiles: Mapping[str, Mapping[str, float]] | None

    @classmethod
    def read(
        cls,
        ratings: TableLike,
        recommendations: TableLike,
        *,
        aspects: TableLike | None = None,
        history: TableLike | None = None,
        vectors: VectorsLike | None = None,
        catalogue: Iterable[str | int] | None = None,
        profiles: ProfilesLike | None = None,
        columns: Mapping[str, str] | None = None,
        separator: str | None = None,
    ) -> Tables:
        """Read the arguments of `recommend.evaluate`."""
        called = ColumnNames(COLUMNS, columns)
        test = read_ratings(ratings, "ratings", called)
        out = cls(
            test,
            test if history is None else read_ratings(history, "history", called),
            read_lists(recommendations, called),
            None if aspects is None else read_genres(aspects, called, separator),
            check_vectors(vectors),
            check_catalogue(catalogue),
            check_profiles(profiles),
        )
        called.check()
        return out

    def judge(self, options: Options) -> Judgments:
        """The ratings as judgments of users, with one aspect."""
        rated = self.ratings
        aspect = np.zeros(len(rated.values), dtype=np.int32)
        names = (rated.users.names, Names.of([NO_ASPECT]), rated.items.names)
        rows = JudgmentRows(*names, rated.users.codes, aspect, rated.items.codes, rated.values)
        return Judgments.from_coded(rows, duplicates=options.judgment_duplicates, source="ratings")


def with_genres(judgments: Judgments, genres: Mapping[str, list[str]] | None) -> Judgments:
    """Judgments of users with the genres of items as aspects: a rating holds for each genre of its item."""
    if genres is None:
        return judgments
    columns = judgments.columns
    # An item without genres is an aspect of its own: it has nothing in common with another one.
    own = [genres.get(item) or [f"{NO_ASPECT} {item}"] for item in columns.document_names]
    names, flat = intern([genre for some in own for genre in some])
    starts = offsets_of([len(some) for some in own])
    topic, document = owners(columns.entries), documents_of(judgments)
    sizes = np.diff(starts)[document]
    rows = np.repeat(np.arange(len(document)), sizes)
    aspect = flat[spans(starts[:-1][document], sizes)]
    coded = (topic[rows].astype(np.int32), aspect, document[rows].astype(np.int32), columns.grades[rows])
    return Judgments.from_coded(
        JudgmentRows(columns.topics, names, columns.document_names, *coded), source=judgments.source
    )


def documents_of(judgments: Judgments) -> Ints:
    """The code of the document of each judgment."""
    columns = judgments.columns
    codes: Ints = columns.document_codes[np.repeat(columns.documents[:-1], np.diff(columns.entries)) + columns.rows]
    return codes


# --- as arrays --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pairs:
    """(user, item, value), sorted by user and then item, each pair once."""

    users: Ints
    items: Ints
    values: Floats
    item_count: int

    @classmethod
    def of(cls, users: Ints, items: Ints, values: Floats, item_count: int, *, what: str) -> Pairs:
        """Sort rows; the same pair twice is an error."""
        keys = _keys_of(users, items, item_count)
        if (keys[1:] < keys[:-1]).any():
            order = np.argsort(keys, kind="stable")
            users, items, values = users[order], items[order], values[order]
        del keys
        twice = np.flatnonzero((users[1:] == users[:-1]) & (items[1:] == items[:-1]))
        if len(twice):
            raise InputError(
                "duplicate-document",
                f"{what}: a user has the same item twice ({len(twice)} times)",
                hint="keep one rating per pair",
            )
        return cls(users, items, values, item_count)

    @cached_property
    def keys(self) -> IntArray:
        return _keys_of(self.users, self.items, self.item_count)

    def lookup(self, users: Ints, items: Ints, default: float = 0.0) -> Floats:
        """The value of each (user, item), `default` if there is none or the item is −1 (padding)."""
        wanted = _keys_of(users, items, self.item_count)
        place = np.minimum(np.searchsorted(self.keys, wanted), max(len(self.keys) - 1, 0))
        exists = (self.keys[place] == wanted) & (items >= 0) if len(self.keys) else np.zeros(wanted.shape, dtype=bool)
        return np.where(exists, self.values[place] if len(self.values) else 0.0, default)


def _keys_of(users: Ints, items: Ints, item_count: int) -> IntArray:
    """A number for each pair, in 64 bits whatever the codes have."""
    return np.multiply(users, item_count, dtype=np.int64) + items


@dataclass(frozen=True)
class UserLists:
    """One run: a row per user in `users` (sorted), items from the first rank on, padded with −1."""

    users: Ints
    items: Ints  # (user, rank)

    @classmethod
    def of(cls, run: Run, options: Options, users: Ints, items: Ints, depth: int | None = None) -> UserLists:
        """The lists of a run in the order of our metrics; `users` and `items` are the places of its ids."""
        columns, rule = run.columns, options.order_for(None)
        longest = int(np.diff(columns.starts).max(initial=0))
        matrix = np.full((len(users), longest if depth is None else min(depth, longest)), -1, dtype=items.dtype)
        width = 0
        for start in range(0, len(users), AT_ONCE):
            rows = matrix[start : start + AT_ONCE]
            lines = order_lines(run.take(np.arange(start, start + len(rows))), rule, options.duplicates)
            sizes = np.diff(lines.starts)
            width = max(width, int(sizes.max(initial=0)))
            rank = np.arange(lines.starts[-1]) - np.repeat(lines.starts[:-1], sizes)
            shown = rank < matrix.shape[1]
            codes = np.where(lines.repeated, -1, items[lines.codes])
            rows[np.arange(matrix.shape[1]) < sizes[:, None]] = codes[shown]
        matrix = matrix[:, :width]
        if (users[1:] >= users[:-1]).all():
            return cls(users, matrix)
        order = np.argsort(users, kind="stable")
        return cls(users[order], matrix[order])

    def at(self, depth: int | None) -> UserLists:
        """The same lists down to a depth."""
        return self if depth is None else UserLists(self.users, self.items[:, :depth])


@dataclass(frozen=True)
class RatingData:
    """The arguments of metrics of recommendations."""

    users: tuple[str, ...]
    items: tuple[str, ...]
    aspects: tuple[str, ...]
    ratings: Pairs  # held-out ratings: relevance
    history: Pairs  # earlier ratings: popularity, profiles, serendipity
    runs: Mapping[str, UserLists]
    genres: Floats  # (item, aspect), 0 or 1; all 0 for an item without genres
    vectors: Floats | None
    with_vector: NDArray[np.bool_]  # the items that have a vector
    catalogue: Ints  # the items that could be recommended
    given_profiles: Floats | None  # as given, (user, aspect)
    rated_users: Ints  # the place of each topic of the judgments among the users
    listed_users: list[Ints]  # of each run, the place of each topic among the users
    rated_items: Ints  # the place of each document of the judgments among the items
    liked: NDArray[np.bool_]  # of each row of the history: whether its rating reaches `rel`

    @cached_property
    def genre_shares(self) -> Floats:
        """p(g|i): an item's genres share it equally."""
        return shares(self.genres)

    @cached_property
    def profiles(self) -> Floats:
        """p(g|u), (user, aspect): the share of a genre in what the user liked, by rating; 0 without a liked item."""
        if self.given_profiles is not None:
            return shares(self.given_profiles)
        if not self.liked.any():
            raise InputError("nothing-relevant", "history: no rating is high enough to count, so nobody has a taste")
        out = np.zeros((len(self.users), len(self.aspects)))
        users, items = self.history.users, self.history.items
        first = np.flatnonzero(np.r_[True, users[1:] != users[:-1]])  # of each user who has a history
        for start in range(0, len(first), IN_CACHE):
            own = first[start : start + IN_CACHE]
            rows = slice(own[0], first[start + IN_CACHE] if start + IN_CACHE < len(first) else len(users))
            weights = np.where(self.liked[rows], np.maximum(self.history.values[rows], 0.0), 0.0)
            out[users[own]] = np.add.reduceat(
                self.genre_shares.take(items[rows], axis=0) * weights[:, np.newaxis], own - own[0], axis=0
            )
        total = out.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(out, total, out=out, where=total > 0))

    @cached_property
    def popularity(self) -> Ints:
        """How many users had each item before."""
        return np.bincount(self.history.items, minlength=len(self.items)).astype(np.int64)

    @cached_property
    def known_users(self) -> int:
        """How many users have a history."""
        return len(occurring(self.history.users, len(self.users)))


def load(
    ratings: TableLike,
    recommendations: TableLike,
    *,
    aspects: TableLike | None = None,
    history: TableLike | None = None,
    vectors: VectorsLike | None = None,
    catalogue: Iterable[str | int] | None = None,
    profiles: ProfilesLike | None = None,
    columns: Mapping[str, str] | None = None,
    options: Options | None = None,
) -> RatingData:
    """All tables as arrays; users and items are replaced by positions."""
    tables = Tables.read(
        ratings,
        recommendations,
        aspects=aspects,
        history=history,
        vectors=vectors,
        catalogue=catalogue,
        profiles=profiles,
        columns=columns,
    )
    chosen = options or Options()
    return data_of(tables, tables.judge(chosen), chosen)


def data_of(tables: Tables, judgments: Judgments, options: Options, depth: int | None = None) -> RatingData:
    """Tables as arrays, lists down to a depth; `judgments` are their ratings with one aspect."""
    judged, before, runs = judgments.columns, tables.history, [run.columns for run in tables.runs]
    users, user_codes = unify([judged.topics, before.users.names, *(run.topics for run in runs)])
    listed = [Names.of(some or ()) for some in (tables.genres, tables.catalogue, tables.vectors)]
    items, item_codes = unify([judged.document_names, before.items.names, *(run.documents for run in runs), *listed])
    size, own = len(items), [codes[2:] for codes in (user_codes, item_codes)]
    for run, codes in zip(tables.runs, own[0], strict=True):
        if not np.isin(codes, user_codes[0]).any():
            raise InputError(
                "no-shared-topic",
                f"run {quote(run.name)} has no user who has ratings (users like {preview(users[:2])})",
                hint="are they the same users?",
            )
    places = zip(tables.runs, *own, strict=False)  # genres, catalogue and vectors come after the runs
    lists = {run.name: UserLists.of(run, options, u, i, depth) for run, u, i in places}
    known = np.zeros(size, dtype=bool)
    for codes in (*item_codes[:2], *item_codes[-3:]):
        known[codes] = True
    for run, codes in zip(tables.runs, own[1], strict=False):
        if not known[codes].any():
            some = preview([items[i] for i in codes[:2].tolist()])
            fault = f"{run.name}: no item that it recommends ({some}) is in another table; are they the same items?"
            warn("no-judged-document", fault)
    genres, names = _genres(item_codes[-3], list((tables.genres or {}).values()), size)
    rated = Pairs.of(
        np.repeat(user_codes[0], np.diff(judged.entries)),
        _places_of(item_codes[0], documents_of(judgments)),
        judged.grades,
        size,
        what="ratings",
    )
    had = (_places_of(user_codes[1], before.users.codes), _places_of(item_codes[1], before.items.codes), before.values)
    history = rated if before is tables.ratings else Pairs.of(*had, size, what="history")
    if history is not rated:
        warn_about_overlap(*(_keys_of(pairs.users, pairs.items, size) for pairs in (rated, history)))
    return RatingData(
        users,
        items,
        names,
        rated,
        history,
        lists,
        genres,
        place_vectors(tables.vectors, item_codes[-1], size),
        np.isin(np.arange(size), item_codes[-1]),
        _catalogue(tables, item_codes, size),
        place_profiles(tables.profiles, users, names),
        user_codes[0],
        own[0],
        item_codes[0],
        options.relevance.counts(history.values) if before.graded else np.ones(len(history.values), dtype=bool),
    )


def _places_of(places: Ints, codes: Ints) -> Ints:
    """The place of each code, without a copy if every code is its own place."""
    return codes if len(places) and places[0] == 0 and (np.diff(places) == 1).all() else places[codes]


def _genres(codes: Ints, listed: list[list[str]], size: int) -> tuple[Floats, tuple[str, ...]]:
    names = sorted({name for own in listed for name in own})
    place = {name: g for g, name in enumerate(names)}
    genres = np.zeros((size, len(names)))
    for code, own in zip(codes.tolist(), listed, strict=True):
        for name in own:
            genres[code, place[name]] = 1.0
    return genres, tuple(names)


def _catalogue(tables: Tables, codes: list[Ints], size: int) -> Ints:
    """The items that could be recommended: as given, else those with aspects, a history or a recommendation."""
    if tables.catalogue is not None:
        return np.unique(codes[-2])
    occurs = np.zeros(size, dtype=bool)
    for some in (codes[1], *([codes[-3]] if tables.genres is not None else []), *codes[2:-3]):
        occurs[some] = True
    return np.flatnonzero(occurs)
