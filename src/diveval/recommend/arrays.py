"""The data of an evaluation of recommendations as arrays: users, items, genres, test ratings, history, profiles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from diveval.errors import InputError, UsageError, few, shown, warn
from diveval.inputs import ProfilesLike, TableLike, VectorsLike
from diveval.recommend.rating_tables import (
    NO_ASPECT,
    ColumnNames,
    Floats,
    Ints,
    Pairs,
    UserLists,
    aspect_pairs,
    column_of,
    numbered,
    occurring,
    rating_columns,
    run_columns,
    shares,
)


@dataclass(frozen=True)
class Data:
    """The arguments of metrics of recommendations."""

    users: tuple[str, ...]
    items: tuple[str, ...]
    aspects: tuple[str, ...]
    ratings: Pairs  # held-out ratings: relevance
    history: Pairs  # earlier ratings: popularity, profiles, serendipity
    runs: Mapping[str, UserLists]
    genres: Floats  # (item, aspect), 0 or 1
    vectors: Floats | None
    catalogue: Ints  # the items that could be recommended
    given_profiles: Floats | None = None

    @cached_property
    def genre_shares(self) -> Floats:
        """p(g|i): an item's genres share it equally."""
        return shares(self.genres)

    @cached_property
    def profiles(self) -> Floats:
        """p(g|u), (user, aspect): the share of a genre in what the user liked, by rating; 0 without a history."""
        if self.given_profiles is not None:
            return self.given_profiles
        out = np.zeros((len(self.users), len(self.aspects)))
        weights = np.maximum(self.history.values, 0.0)
        for aspect in range(len(self.aspects)):
            share = self.genre_shares[self.history.items, aspect] * weights
            out[:, aspect] = np.bincount(self.history.users, share, minlength=len(self.users))
        return shares(out)

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
    depth: int | None = None,
) -> Data:
    """All tables as arrays; users and items are replaced by positions."""
    called = ColumnNames(columns)
    test = rating_columns(ratings, "ratings", called)
    before = test if history is None else rating_columns(history, "history", called)
    runs = run_columns(recommendations, called)
    for name, run in runs.items():
        if not len(run["user"]):
            raise InputError(f"run {name} recommends nothing")
    pairs = aspect_pairs(aspects, called) if aspects is not None else ([], [])
    called.check()
    if aspects is not None and not any(pairs[1]):
        raise InputError("aspects: no item has a genre")
    extra = [] if catalogue is None else list(catalogue)
    user_names, user_codes = numbered([test["user"], before["user"], *(run["user"] for run in runs.values())])
    item_names, item_codes = numbered(
        [
            test["item"],
            before["item"],
            *(run["item"] for run in runs.values()),
            column_of(pairs[0]),
            column_of(extra),
            column_of(list(vectors or {})),
        ]
    )
    users, items = tuple(map(str, user_names.tolist())), tuple(map(str, item_names.tolist()))
    size = len(items)
    made_runs = {
        name: UserLists.of(user_codes[2 + r], item_codes[2 + r], run["order"], depth)
        for r, (name, run) in enumerate(runs.items())
    }
    rated = np.zeros(len(users), dtype=bool)
    rated[user_codes[0]] = True
    for name, lists in made_runs.items():
        if not rated[lists.users].any():
            raise InputError(
                f"run {shown(name)} has no user who has ratings (users like {few(users[:2])}); are they the same users?"
            )
    elsewhere = np.zeros(size, dtype=bool)
    for codes in (*item_codes[:2], *item_codes[-3:]):
        elsewhere[codes] = True
    for r, name in enumerate(made_runs):
        if not elsewhere[item_codes[2 + r]].any():
            some = few([items[i] for i in item_codes[2 + r][:2].tolist()])
            warn(f"{name}: no item that it recommends ({some}) is in another table; are they the same items?")
    genres, names = _genres(item_codes[-3], pairs[1], size)
    listed = _catalogue(catalogue, item_codes, names if aspects is not None else None, made_runs, size)
    return Data(
        users,
        items,
        names,
        Pairs.of(user_codes[0], item_codes[0], test["rating"], size, what="ratings"),
        Pairs.of(user_codes[1], item_codes[1], before["rating"], size, what="history"),
        made_runs,
        genres,
        _vectors(vectors, item_codes[-1], size),
        listed,
        _profiles(profiles, users, names),
    )


def _genres(codes: Ints, listed: list[list[str]], size: int) -> tuple[Floats, tuple[str, ...]]:
    names = sorted({name for own in listed for name in own})
    place = {name: g for g, name in enumerate(names)}
    genres = np.zeros((size, len(names)))
    for code, own in zip(codes.tolist(), listed, strict=True):
        for name in own:
            genres[code, place[name]] = 1.0
    bare = genres.sum(axis=1) == 0
    if not names or bare.any():
        if NO_ASPECT in place:
            genres[bare, place[NO_ASPECT]] = 1.0
        else:
            genres = np.column_stack([genres, bare.astype(np.float64)])
            names.append(NO_ASPECT)
    return genres, tuple(names)


def _catalogue(
    given: Iterable[str | int] | None,
    codes: list[Ints],
    names: tuple[str, ...] | None,
    runs: Mapping[str, UserLists],
    size: int,
) -> Ints:
    """The items that could be recommended: as given, else those with aspects, a history or a recommendation."""
    if given is not None:
        return np.unique(codes[-2])
    listed = [codes[1], *([codes[-3]] if names is not None else [])]
    recommended = [run.items[run.items >= 0] for run in runs.values()]
    return occurring(np.concatenate([*listed, *recommended]), size)


def _vectors(vectors: VectorsLike | None, codes: Ints, size: int) -> Floats | None:
    if vectors is None:
        return None
    rows = [np.asarray(value, dtype=np.float64).ravel() for value in vectors.values()]
    if len({len(row) for row in rows}) != 1:
        raise UsageError("vectors need the same length for every item")
    out = np.zeros((size, len(rows[0])))
    out[codes] = np.array(rows)
    missing = size - len(np.unique(codes))
    if missing:
        warn(f"vectors: {missing} of {size} items have none and are at distance 1 from every other")
    return out


def _profiles(given: ProfilesLike | None, users: tuple[str, ...], aspects: tuple[str, ...]) -> Floats | None:
    """Profiles as given, `{user: {genre: weight}}`, each summing to 1."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise UsageError(f"profiles are a dict {{user: {{genre: weight}}}}, got {type(given).__name__}")
    place, column = {user: u for u, user in enumerate(users)}, {name: g for g, name in enumerate(aspects)}
    out = np.zeros((len(users), len(aspects)))
    unknown: dict[str, None] = {}
    for user, weights in given.items():
        if str(user) in place:
            for name, weight in weights.items():
                if str(name) in column:
                    out[place[str(user)], column[str(name)]] = float(weight)
                else:
                    unknown[str(name)] = None
    if not out.any():
        raise UsageError("profiles give no user of these tables a weight for a genre that some item has")
    if unknown:
        warn(f"profiles: {len(unknown)} genres that no item has are left out ({few(list(unknown))})")
    if (out < 0).any() or not np.isfinite(out).all():
        raise UsageError("a profile's weights are finite numbers of at least 0")
    return shares(out)
