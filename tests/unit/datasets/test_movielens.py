"""Generated recommender data: reproducible, in MovieLens' columns, no recommendations of films already rated."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from diveval.datasets import make_movielens
from support.refusals import refuses

FILES = ("movies.csv", "ratings.csv", "test.csv", "recommendations.csv")


def rows(path: Any) -> Any:
    """The records of a file."""
    with path.open() as stream:
        return list(csv.DictReader(stream))


def test_the_same_seed_writes_the_same_bytes(tmp_path: Path) -> None:
    """The same seed gives the same files, another seed different ones."""
    sums = [
        [
            hashlib.sha256(
                (make_movielens(tmp_path / str(i), users=9, items=40, depth=5, seed=seed) / name).read_bytes()
            ).hexdigest()
            for name in FILES
        ]
        for i, seed in enumerate((3, 3, 4))
    ]
    assert sums[0] == sums[1] != sums[2]


def test_the_files_are_consistent(tmp_path: Path) -> None:
    """Half stars, existing films, full lists without rated films, and test ratings later than the others."""
    folder = make_movielens(tmp_path / "x", users=12, items=60, depth=8)
    films = {row["movieId"] for row in rows(folder / "movies.csv")}
    rated: dict[str, dict[str, int]] = {}
    later: dict[str, dict[str, int]] = {}
    lists: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for name, ratings_by_user in (("ratings.csv", rated), ("test.csv", later)):
        for row in rows(folder / name):
            assert row["movieId"] in films and float(row["rating"]) in [n / 2 for n in range(1, 11)]
            ratings_by_user.setdefault(row["userId"], {})[row["movieId"]] = int(row["timestamp"])
    for row in rows(folder / "recommendations.csv"):
        lists.setdefault((row["system"], row["userId"]), []).append((int(row["rank"]), row["movieId"]))
    assert set(rated) == set(later) and len(lists) == 5 * 12
    for (_, user), ranked in lists.items():
        assert [rank for rank, _ in ranked] == list(range(1, 9))
        assert not {film for _, film in ranked} & set(rated[user])
    for user, ratings in rated.items():
        assert max(ratings.values()) < min(later[user].values())


@pytest.mark.parametrize("wrong", [{"users": 0}, {"items": 3}, {"depth": 300}, {"seed": -1}, {"users": 2.5}])
def test_bad_numbers_are_refused(tmp_path: Path, wrong: Any) -> None:
    """Invalid sizes and seeds are errors, and nothing is written."""
    with refuses("out-of-range"):
        make_movielens(tmp_path / "x", **wrong)
    assert not (tmp_path / "x").exists()


def test_data_make_like_movielens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`data make --like movielens` writes the files; options of the other kind of data are errors."""
    sizes = ["--users", "5", "--items", "50", "--depth", "4"]
    assert main(["data", "make", str(tmp_path / "m"), "--like", "movielens", *sizes]) == 0
    assert sorted(path.name for path in (tmp_path / "m").iterdir()) == sorted(FILES)
    assert main(["data", "make", str(tmp_path / "n"), "--like", "movielens", "--topics", "5"]) == 2
    assert main(["data", "make", str(tmp_path / "n"), "--users", "5"]) == 2
    assert not (tmp_path / "n").exists()
