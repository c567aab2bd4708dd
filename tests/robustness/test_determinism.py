"""The same input gives the same bytes: whatever the jobs, hash seed, locale, time zone, order of rows, or reader."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

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


def evaluate(folder: Any, *words: Any, runs: Any = None, environment: Any = None) -> Any:
    """Standard output of an evaluation in a process of its own."""
    runs = runs or [str(path) for path in sorted((folder / "runs").glob("*.run"))]
    asked = [word for metric in METRICS for word in ("-m", metric)]
    command = [
        sys.executable,
        "-m",
        "diveval",
        "evaluate",
        f"{folder}/qrels.txt",
        *runs,
        "--weights",
        f"{folder}/weights.txt",
    ]
    done = subprocess.run(
        [*command, *asked, "-q", "-f", "csv", *words],
        capture_output=True,
        check=True,
        env={**os.environ, **(environment or {})},
    )
    return done.stdout


@pytest.fixture(scope="module")
def expected(collection: Any) -> Any:
    """What the plainest call prints."""
    return evaluate(collection, "--jobs", "1")


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        (["--jobs", "2"], {"PYTHONHASHSEED": "0", "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}),
        (["--jobs", "7"], {"PYTHONHASHSEED": "4242", "LC_ALL": "C", "TZ": "Pacific/Chatham", "PYTHONOPTIMIZE": "2"}),
        ([], {"DIVEVAL_PLAIN_READER": "1"}),
    ],
)
def test_the_surroundings_change_no_byte(collection: Any, expected: Any, words: Any, environment: Any) -> None:
    """Jobs, hash seeds, locales, time zones, optimisation and the choice of reader leave the output alone."""
    assert evaluate(collection, *words, environment=environment) == expected


def test_the_order_of_rows_changes_no_byte(collection: Any, expected: Any, tmp_path: Path) -> None:
    """Shuffled judgments, weights and run lines print the same."""
    rng = random.Random(3)
    (tmp_path / "runs").mkdir()
    for path in [collection / "qrels.txt", collection / "weights.txt", *(collection / "runs").glob("*.run")]:
        lines = path.read_text().splitlines(keepends=True)
        rng.shuffle(lines)
        (tmp_path / path.relative_to(collection)).write_text("".join(lines))
    shuffled = evaluate(tmp_path)
    assert shuffled == expected


def test_the_order_of_files_changes_no_number(collection: Any, expected: Any) -> None:
    """Runs given in another order print the same lines, in that order."""
    runs = [str(path) for path in sorted((collection / "runs").glob("*.run"))]
    random.Random(4).shuffle(runs)
    printed = evaluate(collection, runs=runs)
    assert printed != expected and sorted(printed.splitlines()) == sorted(expected.splitlines())


@pytest.mark.parametrize(
    "words",
    [
        "cutoff {q} {runs} -f csv -o {out}",
        "unanimity {q} {runs} --bootstrap 50 -f csv -o {out}",
        "compare {q} {runs} -m RBU --test bootstrap --resamples 200 -f csv -o {out}",
        "simulate {q} {runs} --grades --truncate 50 --weights -o {out}",
        "convert run {runs} {out} --to parquet",
        "data make {out} --topics 3 --systems 4 --depth 40",
        "axioms P@k --axiom Pri --axiom Deep --no-cache -f csv -o {out}",
    ],
)
def test_every_command_writes_the_same_bytes_anywhere(words: str, collection: Any, tmp_path: Path) -> None:
    """Hash seed, locale, time zone, jobs and reader leave every file alone, not only the scores."""
    surroundings = [
        {"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "TZ": "UTC"},
        {"PYTHONHASHSEED": "4242", "LC_ALL": "C", "TZ": "Pacific/Chatham", "DIVEVAL_PLAIN_READER": "1"},
    ]
    runs = " ".join(str(path) for path in sorted((collection / "runs").glob("*.run")))
    written = []
    for number, environment in enumerate(surroundings):
        place = tmp_path / str(number)
        place.mkdir()
        typed = words.format(q=collection / "qrels.txt", runs=runs, out="out").split()
        subprocess.run(
            [sys.executable, "-m", "diveval", *typed],
            cwd=place,
            env={**os.environ, **environment},
            check=True,
            capture_output=True,
        )
        written.append({str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()})
    assert written[0] and written[0] == written[1]
