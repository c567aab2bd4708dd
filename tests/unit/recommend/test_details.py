"""Parts of users, items at the end of the catalogue, quoted headers, scales at their limit, and notes."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diveval.cli import main
from diveval.errors import capture_warnings
from diveval.recommend import evaluate, user_scoring
from diveval.recommend.genre_tables import is_quoted
from support.late import late
from support.refusals import warns

pd = late("pandas")

RATINGS = {"1": {"10": 5, "11": 3}, "2": {"10": 4, "12": 1}, "3": {"13": 2, "11": 2}}
LISTS = {"1": ["10", "12", "13"], "2": ["11", "12", "10"], "3": ["13", "10", "11"]}
GENRES = {"10": ["Drama", "War"], "11": ["War"], "12": ["Comedy"], "13": ["Comedy", "Drama"]}


def test_parts_of_the_users_give_the_same_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Users are scored some at a time; the highest rating is that of all, whoever gave it."""
    metrics = ["nDCG@3", "ERR@3", "RBU@3", "ILD@3"]
    expected = evaluate(RATINGS, LISTS, metrics, aspects=GENRES)
    monkeypatch.setattr(user_scoring, "AT_ONCE", 1)
    found = evaluate(RATINGS, LISTS, metrics, aspects=GENRES)
    assert found.topics == expected.topics and found.values.tolist() == expected.values.tolist()


@pytest.mark.parametrize(
    ("metric", "value"), [("Gini", 0.75), ("ExposureGini", 0.75), ("CatalogueCoverage@1", 0.25), ("Entropy", 0.0)]
)
def test_items_that_nobody_gets_count(metric: str, value: float) -> None:
    """One of four items of the catalogue has everything, the last in the order of ids has nothing."""
    catalogue = ["10", "11", "12", "zz"]
    with capture_warnings():
        scores = evaluate({u: {"10": 1} for u in RATINGS}, {u: ["10"] for u in RATINGS}, metric, catalogue=catalogue)
    assert scores.means.item() == pytest.approx(value)
    assert any(str(len(catalogue)) in note for note in scores.notes)


@pytest.mark.parametrize("quote", ['"', ""])
def test_ids_are_texts_whatever_the_header(quote: str, tmp_path: Path) -> None:
    """01 and 1 are two items, also where the names of the columns stand in quotes."""
    paths = [tmp_path / name for name in ("ratings.csv", "lists.csv", "scores.csv")]
    for path, last, rows in zip(paths, ("rating", "score"), ("u,01,1\nv,1,1\n", "u,01,1\nv,01,1\n"), strict=False):
        path.write_text(",".join(f"{quote}{name}{quote}" for name in ("user_id", "item_id", last)) + "\n" + rows)
    words = ["recommend", *map(str, paths[:2]), "-m", "P@1", "-q", "-f", "csv", "-o", str(paths[2])]
    with capture_warnings():
        assert main(words) == 0
    values = {row["topic"]: float(row["value"]) for row in csv.DictReader(paths[2].open())}
    assert (values["u"], values["v"]) == (1.0, 0.0)


def test_missing_values_among_genres_are_none() -> None:
    """A list with a missing value of pandas has the other genres only."""
    ratings, lists = {"u": {"a": 1}}, {"u": ["a", "b"]}
    own = {"a": ["X", pd.NA, None], "b": ["X"]}
    assert evaluate(ratings, lists, "ILD@2", aspects=own).means.item() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "quoted"), [("'a'", True), ('"a b"', True), ("'a'b'", False), ("'", False), ("a'", False), ("''", True)]
)
def test_quotes_stand_at_both_ends_only(text: str, quoted: bool) -> None:
    """A text with a quote inside is several texts, or one with an apostrophe."""
    assert is_quoted(text) == quoted


@pytest.mark.parametrize(("factor", "odd"), [(1.9, False), (2, True), (5, True), (0.5, True), (0.6, False)])
def test_a_history_on_twice_the_scale_is_named(factor: float, odd: bool) -> None:
    """Twice the highest rating is another scale, less is not."""
    history: Any = {"1": {"12": 5 * factor}, "2": {"13": 1.0}}
    with capture_warnings() as caught:
        evaluate(RATINGS, LISTS, "EPC@3", history=history)
    assert any(getattr(warning, "code", None) == "unusual-scale" for warning in caught) == odd


def test_what_vectors_and_genres_lack_is_matched() -> None:
    """Items of the history without a vector or a genre are counted where a metric compares with the history."""
    vectors = {item: [1.0, float(i)] for i, item in enumerate(GENRES)}
    history = {"1": {"old": 1, "12": 1}, "2": {"13": 1}, "3": {"10": 1}}
    with capture_warnings():
        scores = evaluate(RATINGS, LISTS, "EPD@3", history=history, vectors=vectors)
    assert {found.kind: (found.matched, found.total) for found in scores.setup.joins if found.table == "vectors"} == {
        "recommended items": (4, 4),
        "items of the history": (3, 4),
    }
    with warns("missing-genres", "old"):
        evaluate(RATINGS, LISTS, "Calibration_JS@3", history=history, aspects=GENRES | {"old": []})


@pytest.mark.parametrize("distance", ["cosine", "jaccard", "hamming", "euclidean"])
@pytest.mark.parametrize("seed", range(3))
def test_distances_of_lists_and_histories_are_means_over_pairs(distance: str, seed: int) -> None:
    """ILD and EPD by plain loops over pairs of items; an item without a genre is at distance 1."""
    rng = np.random.default_rng(seed)
    items = [f"i{n}" for n in range(8)]
    genres = {i: [g for g in "XYZ" if rng.random() < 0.5] for i in items}
    genres["i0"] = ["X"]
    lists = {u: [items[n] for n in rng.permutation(8)[:4]] for u in ("u", "v")}
    history = {u: {items[n]: 1 for n in rng.permutation(8)[:3]} for u in ("u", "v")}

    def between(a: str, b: str) -> float:
        x, y = set(genres[a]), set(genres[b])
        if not x or not y:
            return 1.0
        ways: dict[str, float] = {
            "cosine": 1 - len(x & y) / (len(x) * len(y)) ** 0.5,
            "jaccard": 1 - len(x & y) / len(x | y),
        }
        ways |= {"hamming": len(x ^ y), "euclidean": len(x ^ y) ** 0.5}
        return ways[distance]

    with capture_warnings():
        scores = evaluate(
            {u: {"i0": 1} for u in lists},
            lists,
            [f"ILD(distance={distance})@4"],
            aspects=genres,
            history=history,
        )
    for t, user in enumerate(scores.topics):
        own = lists[user]
        pairs = [between(a, b) for a in own for b in own if a != b]
        assert scores.values[0, 0, t] == pytest.approx(sum(pairs) / len(pairs), abs=1e-12)
