"""Files as people have them: MovieLens' own, exports of spreadsheets and frames, JSON lines; the same rows, the same scores."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from diveval.errors import capture_warnings
from diveval.reading.column_names import ColumnNames
from diveval.recommend import evaluate
from diveval.recommend.rating_tables import COLUMNS
from diveval.recommend.table_files import GENRES, read_items, read_table
from support.refusals import is_refusal, refuses

Row = tuple[Any, ...]
RATED: list[Row] = [(1, 10, 5, 881250949), (1, 11, 2, 881250950), (2, 10, 4, 891250949), (3, 12, 5, 891717742)]
FILMS: list[Row] = [
    (10, 'Up, "the" film (1995)', "Comedy|War"),
    (11, "Amélie (2001)", "War"),
    (12, "Heat", "Children's|Sci-Fi"),
]
LISTS: list[Row] = [(1, 11, 1), (1, 10, 2), (2, 12, 1), (2, 10, 2), (3, 11, 1), (3, 12, 2)]
METRICS = ["nDCG@2", "ILD@2", "alpha_nDCG@2", "CatalogueCoverage@2", "Gini@2"]


def as_csv(header: str, rows: list[Row], mark: str = ",", **how: Any) -> str:
    """Rows with a header."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=mark, lineterminator="\n", **how)
    writer.writerows([header.split(","), *rows])
    return out.getvalue()


def as_json(header: str, rows: list[Row]) -> list[dict[str, Any]]:
    """Rows as objects."""
    return [dict(zip(header.split(","), row, strict=True)) for row in rows]


HEAD, FILM = "userId,movieId,rating,timestamp", "movieId,title,genres"
RATINGS: dict[str, str | bytes] = {
    "csv": as_csv(HEAD, RATED),
    "semicolons": as_csv(HEAD, RATED, ";"),
    "quotes and CR LF": as_csv(HEAD, RATED, quoting=csv.QUOTE_ALL).replace("\n", "\r\n"),
    "mark": b"\xef\xbb\xbf" + as_csv(HEAD, RATED).encode(),
    "index of pandas": as_csv(f",{HEAD}", [(i, *row) for i, row in enumerate(RATED)]),
    "blanks": as_csv(HEAD, RATED).replace(",", ", "),
    "two colons": as_csv(HEAD, RATED).replace(",", "::"),
    "ratings.dat": "\n".join("::".join(map(str, row)) for row in RATED),
    "u.data": "\n".join("\t".join(map(str, row)) for row in RATED) + "\n",
    "recbole": as_csv("user_id:token,item_id:token,rating:float,timestamp:float", RATED, "\t"),
    "lines": "\n".join(map(json.dumps, as_json(HEAD, RATED))),
    "array": json.dumps(as_json(HEAD, RATED), indent=1),
    "texts": json.dumps([{**row, "userId": str(row["userId"])} for row in as_json(HEAD, RATED)]),
}


def mark_genres(text: str) -> str:
    """The 19 marks of MovieLens' u.item."""
    return "|".join(str(int(genre in text.split("|"))) for genre in GENRES.split())


ITEMS: dict[str, str | bytes] = {
    "csv": as_csv(FILM, FILMS),
    "tabs": as_csv(FILM, FILMS, "\t"),
    "movies.dat": "\n".join("::".join(map(str, row)) for row in FILMS).encode("latin-1"),
    "u.item": "\n".join(f"{i}|{t}|01-Jan-1995||http://x|{mark_genres(g)}" for i, t, g in FILMS).encode("latin-1"),
    "lines": "\n".join(json.dumps({**row, "genres": row["genres"].split("|")}) for row in as_json(FILM, FILMS)),
    "array": json.dumps(as_json(FILM, FILMS)),
    "header with two colons": as_csv(FILM, FILMS, "\t").replace("\t", "::").replace('"', ""),
}  # fmt: skip


def write(path: Path, content: str | bytes) -> Path:
    """A file of text or bytes."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def scores_of(folder: Path, ratings: str | bytes, items: str | bytes) -> dict[str, float]:
    """The means that the command prints."""
    lists = write(folder / "l.csv", as_csv("user,item,rank", LISTS))
    out = folder / "out.csv"
    words = [
        write(folder / "ratings", ratings),
        lists,
        "--items",
        write(folder / "items", items),
        "-o",
        out,
        "-f",
        "csv",
    ]
    with capture_warnings():
        assert main(["recommend", *map(str, words), "--rel", "4", *(w for m in METRICS for w in ("-m", m))]) == 0
    return {row["metric"]: float(row["value"]) for row in csv.DictReader(out.open())}


def test_every_form_of_the_files_gives_the_same_scores(tmp_path: Path) -> None:
    """Those of dicts: ratings and films in every form that people have them in."""
    ratings: dict[int, dict[int, int]] = {}
    for user, item, rating, _ in RATED:
        ratings.setdefault(user, {})[item] = rating
    lists: dict[int, list[int]] = {}
    for user, item, _ in LISTS:
        lists.setdefault(user, []).append(item)
    genres = {item: text.split("|") for item, _, text in FILMS}
    with capture_warnings():
        expected = evaluate(ratings, lists, METRICS, aspects=genres, rel=4).mean()["run"]
    for form, content in RATINGS.items():
        assert scores_of(tmp_path, content, ITEMS["csv"]) == expected, form
    for form, content in ITEMS.items():
        assert scores_of(tmp_path, RATINGS["csv"], content) == expected, form


def test_a_catalogue_is_a_list_of_ids_or_a_table(tmp_path: Path) -> None:
    """The name of its column is no item."""
    names = ColumnNames(COLUMNS)
    for content in ("10\n11\n", "10\n11\n10", "movieId\n10\n11\n", '"item_id"\n10\n11', "item,title\n10,A\n11,B\n", "title\titem\nA\t10\nB\t11\n"):  # fmt: skip
        assert read_items(write(tmp_path / "c.txt", content), names) == ["10", "11"], content


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "empty-input"), (" \n", "empty-input"), ("user,item\n", "empty-input"), ("[]", "empty-input"),
        (as_csv(HEAD, RATED).encode("utf-16"), "not-utf8"), ("1,10,5\n1,11,2\n", "wrong-header"), ("1\t10\t5\n", "wrong-header"),
        ('{"user": 1, "item": null}\n', "missing-id"), ('{"user": 1, "item": [2]}\n', "invalid-id"), ("{1}", "cannot-parse"),
        ("user,item\n1,10\n1\n", "cannot-parse"), ('{"user": 1, "item": 2, "x": 1}\n{"user": 1, "item": 3, "x": "y"}', "cannot-parse"),
    ],
)  # fmt: skip
def test_what_is_no_table_is_an_error(content: str | bytes, code: str, tmp_path: Path) -> None:
    """Empty files, other encodings, columns without names, ids that are none, and rows of other lengths."""
    with refuses(code):
        read_table(write(tmp_path / "t", content), ColumnNames(COLUMNS))


@pytest.mark.parametrize("change", [lambda r: r, lambda r: f"{r}.0", str, lambda r: f"{r},0"])
def test_ratings_that_are_texts_are_refused(change: Callable[[int], Any]) -> None:
    """Numbers are read, texts of numbers are an error, never 0."""
    ratings = {"u": {"a": change(5), "b": change(1)}}
    if change(5) == 5:
        assert evaluate(ratings, {"u": ["a"]}, "P@1").means.item() == 1.0
        return
    with refuses("not-a-number", repr(change(5))):
        evaluate(ratings, {"u": ["a"]}, "P@1")


def test_a_file_of_another_kind_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run of TREC has no header."""
    path = str(write(tmp_path / "x.run", "1 Q0 10 1 2.0 x\n"))
    assert main(["recommend", str(write(tmp_path / "r.csv", RATINGS["csv"])), path]) == 2
    assert is_refusal(capsys.readouterr().err, "wrong-header", path)
