"""Recommendations as judgments and runs: the same numbers through every command and in the studio."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.cli import main
from diveval.errors import capture_warnings
from diveval.recommend import as_collection, evaluate
from support.shared import times

METRICS = ["nDCG@5", "alpha_nDCG@5", "ERR_IA@5", "RBU@5", "StRecall@5", "P@3", "AP"]
GENRES = ["Science Fiction", "War", "Children's", "Drama|Crime"]


def random_tables(seed: int) -> dict[str, Any]:
    """Ratings, lists of two runs, genres and a history; some users lack ratings, items genres, and users a taste."""
    rng = random.Random(seed)
    items = [f"film {i}" for i in range(15)]
    genres = {item: rng.sample(GENRES, rng.randint(0 if i % 5 == 0 else 1, 3)) for i, item in enumerate(items)}
    split: dict[str, Any] = {"ratings": {}, "history": {}}
    for u in range(9):
        own = rng.sample(items, 10)
        split["ratings"][f"u{u}"] = {item: rng.randint(1, 5) for item in own[:5]} | {own[0]: 5 if u else 1}
        split["history"][f"u{u}"] = {item: rng.randint(1, 5) for item in own[5:]}
    lists = {
        run: {f"u{u}": [*rng.sample(items, rng.randint(2, 9))] for u in range(run == "B", 10)} for run in ("A", "B")
    }
    return {**split, "lists": lists, "aspects": genres}


@pytest.mark.parametrize(
    "options", [{}, {"rel": 4}, {"rel": 3, "profiles": "uniform"}, {"aspects": None, "history": None}]
)
@pytest.mark.parametrize("seed", range(times(3, 60)))
def test_a_collection_has_the_values_of_the_tables(options: Any, seed: int, tmp_path: Path) -> None:
    """In memory and as files, to the last bit, whatever the users' tastes; `rel` is in the judgments."""
    tables = random_tables(seed)
    more = {"aspects": tables["aspects"], "history": tables["history"], **options}
    with capture_warnings():
        expected = evaluate(tables["ratings"], tables["lists"], METRICS, **more)
        made = as_collection(tables["ratings"], tables["lists"], **more)
        judgments, *runs = made.write(tmp_path / "c")
        for found in (
            diveval.evaluate(made.judgments, list(made.runs), METRICS),
            diveval.evaluate(judgments, runs, METRICS),
        ):
            assert found.mean() == expected.mean()
            for run in ("A", "B"):
                assert found.per_topic(run, METRICS[1]) == expected.per_topic(run, METRICS[1])


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The tables of one seed as files."""
    tables = random_tables(1)
    for name in ("ratings", "history"):
        rows = [{"user": u, "item": i, "rating": r} for u, own in tables[name].items() for i, r in own.items()]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    rows = [
        {"run": run, "user": u, "item": i, "rank": k}
        for run, lists in tables["lists"].items() for u, own in lists.items() for k, i in enumerate(own, 1)
    ]  # fmt: skip
    (tmp_path / "lists.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "items.jsonl").write_text(
        "\n".join(json.dumps({"item": i, "genres": own}) for i, own in tables["aspects"].items())
    )
    return tmp_path


def words_of(files: Path, *more: str) -> list[str]:
    """The command's words for the tables."""
    tables = [str(files / f"{name}.jsonl") for name in ("ratings", "lists", "items", "history")]
    options = [
        "--items",
        tables[2],
        "--history",
        tables[3],
        "--separator",
        "",
        "--rel",
        "4",
        "-m",
        "RBU@5",
        "-f",
        "csv",
    ]
    return ["recommend", *tables[:2], *options, *more]


def test_the_command_writes_a_collection_for_other_commands(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`evaluate` prints the same values from it, and `conclusions`, `why` and `violations` take it."""
    folder = files / "made"
    with capture_warnings():
        assert main(words_of(files, "--collection", str(folder))) == 0
        expected = capsys.readouterr().out
        judgments, *runs = map(str, [folder / "judgments.parquet", folder / "A.parquet", folder / "B.parquet"])
        assert main(["evaluate", judgments, *runs, "-m", "RBU@5", "-f", "csv"]) == 0
        assert sorted(capsys.readouterr().out.splitlines()) == sorted(expected.splitlines())
        for command in (
            ["conclusions"],
            ["why", "-m", "RBU@5", "-m", "nDCG@5", "--no-axioms"],
            ["violations"],
            ["report", "-o", str(files / "r.html")],
        ):
            assert main([command[0], judgments, *runs, *command[1:]]) == 0, command
            capsys.readouterr()


def test_the_studio_has_the_collection(files: Path) -> None:
    """Leaderboard and a user's list, with the values of `recommend.evaluate`; the files are gone afterwards."""
    from diveval.studio.session import Studio
    from support.studio_client import Client

    tables = random_tables(1)
    with capture_warnings():
        expected = evaluate(
            tables["ratings"], tables["lists"], METRICS, aspects=tables["aspects"], history=tables["history"], rel=4
        )
        made = as_collection(
            tables["ratings"], tables["lists"], aspects=tables["aspects"], history=tables["history"], rel=4
        )
        client = Client(Studio(made.write(files / "made")))
    loaded = client.job("/api/collection", {"given": True})["result"]
    assert sorted(loaded["runs"]) == ["A", "B"]
    assert loaded["topics"] == sorted(tables["ratings"])
    asked = {"collection": loaded["id"], "metrics": METRICS, "format": "csv"}
    rows = list(csv.DictReader(io.StringIO(client.post("/api/scores", asked).json()["text"])))
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        found.setdefault(row["run"], {})[row["metric"]] = float(row["value"])
    assert found == expected.mean()


def test_the_studio_of_the_command_leaves_nothing(files: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """`--studio` serves files of a folder that is removed when the studio ends."""
    place = tmp_path_factory.mktemp("tmp")
    code = (
        "import sys, diveval.studio.server as server\n"
        "def serve(studio, **_):\n"
        "    print(sorted(known.path.name for known in studio.store.files.values()), all(known.path.exists() for known in studio.store.files.values()), flush=True)\n"
        "    raise KeyboardInterrupt\n"
        "server.serve = serve\n"
        "from diveval.cli import main\n"
        "main(sys.argv[1:])\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, *words_of(files, "--studio")],
        capture_output=True, text=True, timeout=120, env={**os.environ, "TMPDIR": str(place)}, check=False,
    )  # fmt: skip
    assert ran.returncode == 130, ran.stderr
    assert "['A.parquet', 'B.parquet', 'judgments.parquet'] True" in ran.stdout
    assert not [path for path in place.iterdir() if path.name.startswith("diveval-") and any(path.rglob("*.parquet"))]
