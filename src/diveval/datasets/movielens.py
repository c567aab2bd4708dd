"""A synthetic data set for recommenders in the format of MovieLens: films with genres, ratings, and lists of five systems."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from diveval.argument_types import explain_types
from diveval.collection.scenarios import generator
from diveval.errors import UsageError, quote
from diveval.system.files import write_atomically

GENRES = (
    "Action",
    "Adventure",
    "Animation",
    "Children",
    "Comedy",
    "Crime",
    "Documentary",
    "Drama",
    "Fantasy",
    "Film-Noir",
    "Horror",
    "Musical",
    "Mystery",
    "Romance",
    "Sci-Fi",
    "Thriller",
    "War",
    "Western",
)
SYSTEMS = ("random", "popular", "personal", "diverse", "calibrated")
HELD_OUT = 0.2  # of each user's ratings, the last ones
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class _World:
    """The hidden truth: tastes of the users, genres and quality of the films, and how well known each is."""

    tastes: Floats  # user × genre, summing to 1
    genres: NDArray[np.bool_]  # film × genre
    quality: Floats
    known: Floats

    @property
    def liking(self) -> Floats:
        """user × film: how much a user likes a film, about 0 to 1."""
        share = self.genres / self.genres.sum(axis=1, keepdims=True)
        fit = self.tastes @ share.T
        return np.asarray(0.6 * fit / fit.max(axis=1, keepdims=True) + 0.4 * self.quality)


@explain_types
def make_movielens(
    directory: str | Path, *, users: int = 200, items: int = 400, depth: int = 20, seed: int = 1
) -> Path:
    """Write movies.csv, ratings.csv, test.csv and recommendations.csv, and return the folder.

    Columns are MovieLens' (`userId`, `movieId`, `rating`, `timestamp`; `genres` with `|`), and `system`, `userId`,
    `movieId`, `rank` of the lists. ratings.csv is what users had before, test.csv what they rated later. The same
    arguments write the same bytes.
    """
    for name, value, least in (("users", users, 1), ("items", items, 40), ("depth", depth, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise UsageError("out-of-range", f"{name} must be a whole number of at least {least}, got {quote(value)}")
    if depth > items // 2:
        raise UsageError("out-of-range", f"depth must be at most half the items, {items // 2}, not {depth}")
    world = _world(users, items, generator(seed, "movielens"))
    rows = _ratings(world, generator(seed, "ratings"))
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError("cannot-write", f"{folder}: cannot be created: {error.strerror or error}") from error
    last = np.array([place >= (1 - HELD_OUT) * count for _, _, _, place, count in rows])
    had = np.zeros((users, items), dtype=bool)
    for (user, film, *_), held in zip(rows, last.tolist(), strict=True):
        had[user, film] |= not held
    write_atomically(folder / "movies.csv", _movies(world))
    write_atomically(folder / "ratings.csv", _rating_lines(rows, ~last))
    write_atomically(folder / "test.csv", _rating_lines(rows, last))
    write_atomically(folder / "recommendations.csv", _lists(world, had, depth, generator(seed, "lists")))
    return folder


def _world(users: int, items: int, rng: np.random.Generator) -> _World:
    common = rng.dirichlet(np.full(len(GENRES), 2.0))
    tastes = rng.dirichlet(6.0 * common + 0.05, size=users)
    genres = np.zeros((items, len(GENRES)), dtype=bool)
    for film in range(items):
        count = int(rng.choice([1, 2, 3], p=[0.4, 0.4, 0.2]))
        genres[film, rng.choice(len(GENRES), count, replace=False, p=common)] = True
    known = 1.0 / np.arange(1, items + 1) ** 0.8
    return _World(tastes, genres, rng.beta(4, 3, size=items), rng.permutation(known))


def _ratings(world: _World, rng: np.random.Generator) -> list[tuple[int, int, float, int, int]]:
    """(user, film, stars, place among the user's ratings, their number); users rate well-known films and those they like."""
    rows = []
    liking = world.liking
    for user in range(len(liking)):
        count = int(np.clip(rng.lognormal(3.4, 0.6), 10, len(world.known) // 2))
        met = world.known * (0.1 + liking[user])
        films = rng.choice(len(met), count, replace=False, p=met / met.sum())
        stars = np.clip(np.round(2 * (0.8 + 4.4 * liking[user, films] + rng.normal(0, 0.5, count))) / 2, 0.5, 5.0)
        rows += [(user, int(f), float(s), i, count) for i, (f, s) in enumerate(zip(films, stars, strict=True))]
    return rows


def _lists(world: _World, had: NDArray[np.bool_], depth: int, rng: np.random.Generator) -> str:
    """Every system's list for every user, without films the user had before."""
    seen = world.liking + rng.normal(0, 0.08, had.shape)  # a system's noisy estimate of what a user likes
    lines = ["system,userId,movieId,rank\n"]
    for system in SYSTEMS:
        for user in range(len(had)):
            free = np.flatnonzero(~had[user])
            for rank, film in enumerate(_list(system, world, seen[user], free, user, depth, rng), 1):
                lines.append(f"{system},{user + 1},{film + 1},{rank}\n")
    return "".join(lines)


def _list(
    system: str, world: _World, liked: Floats, free: Ints, user: int, depth: int, rng: np.random.Generator
) -> list[int]:
    if system == "random":
        return [int(film) for film in rng.choice(free, depth, replace=False)]
    if system in ("popular", "personal"):
        value = world.known if system == "popular" else liked
        return [int(film) for film in free[np.argsort(-value[free], kind="stable")[:depth]]]
    # Greedy choice. diverse: liking minus what the list already has of the film's genres; calibrated: liking minus the
    # distance between the shares of genres in the list and in the user's taste.
    share = world.genres[free] / world.genres[free].sum(axis=1, keepdims=True)
    chosen: list[int] = []
    have = np.zeros(len(GENRES))
    for _ in range(depth):
        if system == "diverse":
            worth = liked[free] - 0.5 * (share * np.minimum(have, 1.0)).sum(axis=1)
        else:
            after = (have + share) / (len(chosen) + 1)
            worth = liked[free] - 3.0 * np.abs(after - world.tastes[user]).sum(axis=1)
        worth[chosen] = -np.inf
        best = int(np.argmax(worth))
        chosen.append(best)
        have = have + share[best]
    return [int(free[place]) for place in chosen]


def _movies(world: _World) -> str:
    lines = ["movieId,title,genres\n"]
    for film, row in enumerate(world.genres, 1):
        lines.append(f"{film},Film {film},{'|'.join(np.array(GENRES)[row])}\n")
    return "".join(lines)


def _rating_lines(rows: list[tuple[int, int, float, int, int]], kept: NDArray[np.bool_]) -> str:
    lines = ["userId,movieId,rating,timestamp\n"]
    for (user, film, stars, place, _), keep in zip(rows, kept.tolist(), strict=True):
        if keep:
            lines.append(f"{user + 1},{film + 1},{stars:g},{1_000_000_000 + 3600 * place}\n")
    return "".join(lines)
