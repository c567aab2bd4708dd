"""`diveval recommend` gives the numbers of `recommend.evaluate`, says what matched, and refuses files that are no tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from diveval.errors import capture_warnings
from diveval.recommend import evaluate
from support.refusals import is_refusal

RATINGS = {"007": {"a": 5, "b": 1}, "8": {"b": 4}, "9": {"c": 5}}
LISTS = {
    "x": {"007": ["a", "b"], "8": ["a", "c"], "9": ["c", "a"]},
    "y": {"007": ["b", "c"], "8": ["b"], "9": ["a", "b"]},
}
GENRES = {"a": ["X", "Y"], "b": ["Y"], "c": ["Z"]}
METRICS = ["nDCG@2", "ILD@2", "alpha_nDCG@2", "Gini@2"]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The tables as CSV, one-hot and RecBole's headers, lists in one file and in two."""
    rated = [f"{u},{i},{r}" for u, own in RATINGS.items() for i, r in own.items()]
    (tmp_path / "ratings.csv").write_text("\n".join(["user_id,item_id,rating", *rated]))
    (tmp_path / "ratings.inter").write_text(
        "\n".join(["user_id:token\titem_id:token\trating:float", *(row.replace(",", "\t") for row in rated)])
    )
    for run, lists in LISTS.items():
        rows = [f"{u},{i},{k}" for u, own in lists.items() for k, i in enumerate(own, 1)]
        (tmp_path / f"{run}.csv").write_text("\n".join(["user,item,rank", *rows]))
    both = [
        f"{run};{u};{i};{k}" for run, lists in LISTS.items() for u, own in lists.items() for k, i in enumerate(own, 1)
    ]
    (tmp_path / "both.csv").write_text("\n".join(["model;userId;movieId;rank", *both]))
    (tmp_path / "items.csv").write_text(
        "item_id,genres\n" + "\n".join(f"{i},{'|'.join(own)}" for i, own in GENRES.items())
    )
    hot = [f"{i}\t{int('X' in own)}\t{int('Y' in own)}\t{int('Z' in own)}" for i, own in GENRES.items()]
    (tmp_path / "hot.tsv").write_text("\n".join(["item\tX\tY\tZ", *hot]))
    return tmp_path


def scores_of(capsys: pytest.CaptureFixture[str], *words: Any) -> dict[str, dict[str, float]]:
    """The means that the command prints."""
    out: dict[str, dict[str, float]] = {}
    with capture_warnings():
        assert main(["recommend", *map(str, words), *(w for m in METRICS for w in ("-m", m)), "-f", "csv"]) == 0
    for row in capsys.readouterr().out.splitlines()[1:]:
        run, metric, _, value = row.rsplit(",", 3)
        out.setdefault(run, {})[metric] = float(value)
    return out


def test_the_command_gives_the_numbers_of_the_function(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From files of every form; ids with leading zeros stay what they are."""
    with capture_warnings():
        expected = evaluate(RATINGS, LISTS, METRICS, aspects=GENRES).mean()
    for ratings, lists, items in (
        ("ratings.csv", ["x.csv", "y.csv"], "items.csv"), ("ratings.inter", ["both.csv"], "hot.tsv"),
    ):  # fmt: skip
        words = [files / ratings, *(files / name for name in lists), "--items", files / items]
        assert scores_of(capsys, *words) == expected
    named = scores_of(
        capsys,
        files / "ratings.csv",
        f"old={files / 'x.csv'}",
        f"new={files / 'y.csv'}",
        "--items",
        files / "items.csv",
    )
    assert named == {"old": expected["x"], "new": expected["y"]}


def test_check_prints_what_matched(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every join with its counts, as JSON and as rows, without scores."""
    words = [
        "recommend",
        str(files / "ratings.csv"),
        str(files / "x.csv"),
        "--items",
        str(files / "items.csv"),
        "--rel",
        "4",
        "--check",
    ]
    with capture_warnings():
        assert main([*words, "-f", "json"]) == 0
        joins = json.loads(capsys.readouterr().out)["joins"]
        assert main([*words, "-f", "csv"]) == 0
    assert {(j["table"], j["kind"]): (j["matched"], j["total"]) for j in joins} == {
        ("x", "users with ratings"): (3, 3), ("aspects", "recommended items"): (3, 3), ("aspects", "rated items"): (3, 3),
        ("aspects", "recommended items with a genre"): (3, 3),
    }  # fmt: skip
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(joins)


@pytest.mark.parametrize(
    "text", ["", "1 2 3\n", "1,2,3\n4,5,6\n", "user_id,item_id,rating\n", 'user_id,item_id\n"a,b\n']
)
def test_files_that_are_no_tables_are_refused(files: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """No header, no row, or an open quote: exit code 2 and nothing printed."""
    bad = files / "bad.csv"
    bad.write_text(text)
    assert main(["recommend", str(bad), str(files / "x.csv"), "-m", "nDCG@2"]) == 2
    printed = capsys.readouterr()
    assert not printed.out
    assert "bad.csv" in printed.err


def test_slices_are_compared(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Groups of users from a file with a header of RecBole, and a column that does not exist."""
    (files / "people.user").write_text("user_id:token\tage:token\n007\told\n8\tnew\n9\tnew\n")
    words = ["recommend", str(files / "ratings.csv"), str(files / "both.csv"), "--compare", "nDCG@2", "--slices"]
    with capture_warnings():
        assert main([*words, f"{files / 'people.user'}:age", "-f", "csv"]) == 0
    rows = [row.split(",") for row in capsys.readouterr().out.splitlines()]
    assert [(row[0], row[1]) for row in rows[1:]] == [("old", "1"), ("new", "2")]
    assert main([*words, "height"]) == 2
    assert is_refusal(capsys.readouterr().err, "unknown-column", "height")


def test_a_report_is_written(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page has the runs; standard output has only the scores."""
    page = files / "r.html"
    with capture_warnings():
        assert (
            main(
                [
                    "recommend",
                    str(files / "ratings.csv"),
                    str(files / "both.csv"),
                    "-m",
                    "nDCG@2",
                    "--report",
                    str(page),
                    "-f",
                    "csv",
                ]
            )
            == 0
        )
    assert capsys.readouterr().out.splitlines()[0] == "run,metric,topic,value"
    assert page.stat().st_size > 10_000
