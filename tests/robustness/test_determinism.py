"""The same input gives the same bytes, whatever the jobs, hash seed, locale, time zone, order of rows, or reader."""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from diveval.datasets import make_collection

METRICS = [
    "RBU(p=0.99,e=0.05)",
    "alpha_nDCG@20",
    "D#-nDCG@10",
    "AP_IA",
    "nRBU@5",
    "ndeval.nERR_IA@20",
    "trec_eval.map",
]


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small synthetic collection with ties in its scores."""
    folder = make_collection(tmp_path_factory.mktemp("c"), topics=6, systems=6, depth=120, seed=5)
    for run in sorted((folder / "runs").glob("*.run"))[:3]:
        lines = [line.split() for line in run.read_text().splitlines()]
        run.write_text("".join(" ".join([*f[:4], f"{float(f[4]):.1f}", f[5]]) + "\n" for f in lines))
    return folder


def words_for(folder: Path, runs: list[str] | None = None) -> list[str]:
    """The command line that evaluates everything in a folder."""
    runs = runs or [str(path) for path in sorted((folder / "runs").glob("*.run"))]
    asked = [word for metric in METRICS for word in ("-m", metric)]
    return ["evaluate", f"{folder}/qrels.txt", *runs, "--weights", f"{folder}/weights.txt", *asked, "-q", "-f", "csv"]


def printed(words: list[str]) -> bytes:
    """What a command prints in this process."""
    stream = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with redirect_stdout(stream):
        assert main(words) == 0
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue()


@pytest.fixture(scope="module")
def expected(collection: Any) -> Any:
    """The output of the simplest call."""
    return printed([*words_for(collection), "--jobs", "1"])


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        (["--jobs", "2"], {"PYTHONHASHSEED": "0", "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}),
        (["--jobs", "7"], {"PYTHONHASHSEED": "4242", "LC_ALL": "C", "TZ": "Pacific/Chatham", "PYTHONOPTIMIZE": "2"}),
    ],
)
def test_the_environment_changes_no_byte(collection: Any, expected: Any, words: Any, environment: Any) -> None:
    """Jobs, hash seeds, locales, time zones and optimisation do not change the output."""
    typed = [sys.executable, "-m", "diveval", *words_for(collection), *words]
    done = subprocess.run(typed, capture_output=True, check=True, env={**os.environ, **environment})
    assert done.stdout == expected


def test_the_reader_changes_no_byte(collection: Any, expected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python reader and the compiled one give the same output."""
    monkeypatch.setenv("DIVEVAL_PLAIN_READER", "1")
    assert printed(words_for(collection)) == expected


def test_the_order_of_rows_changes_no_byte(collection: Any, expected: Any, tmp_path: Path) -> None:
    """Shuffled judgments, weights and run lines print the same."""
    rng = random.Random(3)
    (tmp_path / "runs").mkdir()
    for path in [collection / "qrels.txt", collection / "weights.txt", *(collection / "runs").glob("*.run")]:
        lines = path.read_text().splitlines(keepends=True)
        rng.shuffle(lines)
        (tmp_path / path.relative_to(collection)).write_text("".join(lines))
    assert printed(words_for(tmp_path)) == expected


def test_the_order_of_files_changes_no_number(collection: Any, expected: Any) -> None:
    """Runs given in another order print the same lines, in that order."""
    runs = [str(path) for path in sorted((collection / "runs").glob("*.run"))]
    random.Random(4).shuffle(runs)
    output = printed(words_for(collection, runs))
    assert output != expected and sorted(output.splitlines()) == sorted(expected.splitlines())


@pytest.mark.parametrize(
    "words",
    [
        "evaluate {q} {runs} --stop -f csv -o {out}",
        "meta unanimity {q} {runs} --bootstrap 50 -f csv -o {out}",
        "compare {q} {runs} -m RBU --test bootstrap --resamples 200 -f csv -o {out}",
        "data simulate {q} {runs} --grades --truncate 50 --weights -o {out}",
        "data convert run {runs} {out} --to parquet",
        "data make {out} --topics 3 --systems 4 --depth 40",
        "axioms P@k --axiom Pri --axiom Deep --no-cache -f csv -o {out}",
    ],
)
def test_every_command_writes_the_same_bytes(
    words: str, collection: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hash seed, locale, time zone and reader do not change the files that a command writes."""
    environment = {"PYTHONHASHSEED": "4242", "LC_ALL": "C", "TZ": "Pacific/Chatham", "DIVEVAL_PLAIN_READER": "1"}
    runs = " ".join(str(path) for path in sorted((collection / "runs").glob("*.run")))
    typed = words.format(q=collection / "qrels.txt", runs=runs, out="out").split()
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    monkeypatch.chdir(tmp_path / "first")
    assert main(typed) == 0
    subprocess.run(
        [sys.executable, "-m", "diveval", *typed],
        cwd=tmp_path / "second",
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
    )
    first, second = (
        {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}
        for place in (tmp_path / "first", tmp_path / "second")
    )
    assert first and first == second
