"""The command `diveval data simulate`."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from diveval.datasets import make_collection
from diveval.experiments import experiment_2, from_folder
from diveval.meta import unanimity
from support.refusals import has_facts, is_refusal


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small collection."""
    return make_collection(tmp_path_factory.mktemp("made"), topics=6, systems=5, depth=40, seed=2)


def paths(folder: Any) -> Any:
    """The arguments QRELS RUN … for a folder."""
    return [str(folder / "qrels.txt"), *map(str, sorted((folder / "runs").glob("*.run")))]


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_unanimity_of_the_files_is_experiment_2(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`data simulate`, then `meta unanimity` with --gain identity, gives the values of `experiment_2` to the last digit."""
    target = tmp_path / "sim"
    assert (
        main(
            [
                "data",
                "simulate",
                *paths(folder),
                "--grades",
                "--weights",
                "--truncate",
                "50",
                "--seed",
                "6",
                "-o",
                str(target),
            ]
        )
        == 0
    )
    assert has_facts(capsys.readouterr().out, "6", "--gain", "--weights", "weights.txt")
    more = [
        "--weights",
        str(target / "weights.txt"),
        "--gain",
        "identity",
        "--missing-topics",
        "zero",
        "--bootstrap",
        "0",
        "-f",
        "json",
        "--set",
        "paper",
    ]
    assert main(["meta", "unanimity", *paths(target), *more]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    expected = experiment_2(from_folder(folder), seed=6, longest=50, count=partial(unanimity, bootstrap=0))
    assert [(row["metric"], row["mu"], row["unanimous"]) for row in rows] == [
        (row.metric, row.mu, row.unanimous) for row in expected.rows
    ]


def test_weights_with_a_file_are_read_and_kept(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--weights FILE uses the weights of a file, as in other commands; --weights alone draws random ones."""
    given = folder / "weights.txt"
    assert (
        main(
            [
                "data",
                "simulate",
                *paths(folder),
                "--truncate",
                "full",
                "--weights",
                str(given),
                "-o",
                str(tmp_path / "a"),
            ]
        )
        == 0
    )
    kept = [line.split() for line in (tmp_path / "a" / "weights.txt").open()]
    assert [(t, a, float(w)) for t, a, w in kept] == [(t, a, float(w)) for t, a, w in map(str.split, given.open())]
    assert main(["data", "simulate", *paths(folder), "--weights", "-o", str(tmp_path / "b")]) == 0
    assert (tmp_path / "b" / "weights.txt").read_text() != (tmp_path / "a" / "weights.txt").read_text()
    capsys.readouterr()


@pytest.mark.parametrize(
    ("extra", "refusal"),
    [
        ([], ("missing-argument", "--grades", "--weights", "--truncate")),
        (["--truncate", "some"], ("not-a-number", "some", "--truncate", "50")),
        (["--grades", "--seed", "-1"], ("out-of-range", "0")),
    ],
)
def test_invalid_arguments_exit_2_and_write_nothing(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], extra: Any, refusal: tuple[str, ...]
) -> None:
    """The error names the argument, and no folder is created."""
    assert main(["data", "simulate", *paths(folder), *extra, "-o", str(tmp_path / "out")]) == 2
    assert is_refusal(capsys.readouterr().err, *refusal) and not (tmp_path / "out").exists()
