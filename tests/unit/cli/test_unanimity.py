"""The command `diveval meta unanimity`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from diveval.datasets import make_collection
from support.refusals import is_refusal, is_warning

EXAMPLE = {"S1": (1, 0.8, 1), "S2": (0.5, 0.3, 0.2), "S3": (0.2, 0.4, 0.5)}  # section 6.1 of the paper


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small collection as the arguments QRELS RUN …"""
    folder = make_collection(tmp_path_factory.mktemp("files"), topics=6, systems=5, depth=40, seed=2)
    return [str(folder / "qrels.txt"), *map(str, sorted((folder / "runs").glob("*.run")))]


def scores_file(path: Any, table: Any) -> Any:
    """A CSV of scores on one topic, with means, which must be ignored."""
    lines = ["run,metric,topic,value"]
    for run, values in table.items():
        for i, value in enumerate(values, 1):
            lines += [f"{run},m{i},1,{value}", f"{run},m{i},all,{value}"]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_the_papers_worked_example_from_a_score_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """MU(m1) = log2(4/3) = 0.415, over six ordered pairs of which three are unanimous among the others."""
    assert main(["meta", "unanimity", "--scores", scores_file(tmp_path / "s.csv", EXAMPLE), "-f", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert list(rows[0]) == ["metric", "mu", "low", "high", "pairs", "unanimous"]
    assert float(rows[0]["mu"]) == pytest.approx(0.4150374992788438, abs=1e-15)
    assert (rows[0]["pairs"], rows[0]["unanimous"], rows[0]["low"]) == ("6", "3", "")


def test_scores_and_rankings_give_the_same_numbers(
    files: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Scores from a file give the same output as scoring the runs."""
    names = ["RBU(p=0.9,e=0.05)", "RBU(p=0.99,e=0.05)", "alpha_nDCG@10", "P@10", "AP_IA"]
    metrics = [word for name in names for word in ("-m", name)]
    scores = str(tmp_path / "s.csv")
    assert main(["evaluate", *files, *metrics, "-q", "-f", "csv", "-o", scores]) == 0
    assert main(["meta", "unanimity", *files, *metrics, "-f", "csv", "--seed", "3"]) == 0
    from_runs = capsys.readouterr().out
    assert main(["meta", "unanimity", "--scores", scores, "-f", "csv", "--seed", "3"]) == 0
    assert capsys.readouterr().out == from_runs and from_runs.count("\n") == 6
    assert main(["meta", "unanimity", "--scores", scores, "-m", "P@10", "-m", "AP_IA", "-f", "json"]) == 0
    assert [row["metric"] for row in json.loads(capsys.readouterr().out)["rows"]] == ["P@10", "AP_IA"]


def test_sets_of_metrics(files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The default is 16 metrics; --set paper has 109 variants grouped into 16 families; -m adds to --set."""
    assert main(["meta", "unanimity", *files]) == 0
    assert "16 metrics" in capsys.readouterr().out
    assert main(["meta", "unanimity", *files, "--set", "paper"]) == 0
    out = capsys.readouterr().out
    assert "109 metrics" in out and "RBU e={" in out and max(map(len, out.splitlines())) <= 80
    assert sum(line[:1].isdigit() for line in out.splitlines()[2:]) == 16
    assert main(["meta", "unanimity", *files, "--set", "paper", "--all-variants"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > len(out.splitlines())
    assert main(["meta", "unanimity", *files, "--set", "official", "-m", "AP", "-f", "csv", "--bootstrap", "0"]) == 0
    assert capsys.readouterr().out.count("\n") == 1 + 36 + 1


def test_latex_and_json_carry_groups(files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """LaTeX uses booktabs; JSON has the rows, groups and reference; the text mentions --leave-family-out."""
    words = [
        "meta",
        "unanimity",
        *files,
        "-m",
        "RBU(p=0.8,e=0)",
        "-m",
        "RBU(p=0.9,e=0)",
        "-m",
        "P@5",
        "--leave-family-out",
    ]
    assert main([*words, "-f", "latex"]) == 0
    assert r"\toprule" in capsys.readouterr().out
    assert main([*words, "-f", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["leave_family_out"] and result["groups"] and "SIGIR 2018" in result["reference"]
    assert main(words) == 0
    assert len(capsys.readouterr().out.splitlines()) > 1


def test_an_undefined_unanimity_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If the other metrics never agree, the CSV is empty, the table prints `none`, and a warning says why."""
    table = {"S1": (3, 1, 3), "S2": (2, 2, 2), "S3": (1, 3, 1)}
    scores = scores_file(tmp_path / "s.csv", table)
    assert main(["meta", "unanimity", "--scores", scores, "-f", "csv"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[1] == "m1,,,,6,0" and is_warning(err, "undefined-value")
    assert main(["meta", "unanimity", "--scores", scores]) == 0
    assert "none" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        ([], ("missing-argument", "QRELS", "RUN", "--scores", "FILE")),
        (["q", "--scores", "s"], ("conflicting-options",)),
        (["--scores", "/nonexistent"], ("cannot-read",)),
        (["--scores", "GOOD", "-m", "m9"], ("unknown-metric", "m9")),
        (["--scores", "GOOD", "-m", "m1"], ("wrong-number-of-metrics", "1")),
        (["--scores", "GOOD", "--bootstrap", "-1"], ("out-of-range",)),
        (["--scores", "GOOD", "--confidence", "2"], ("out-of-range",)),
    ],
)
def test_invalid_arguments_exit_2_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: Any, refusal: tuple[str, ...]
) -> None:
    """The error is one line that names the argument, and nothing goes to standard output."""
    good = scores_file(tmp_path / "s.csv", EXAMPLE)
    assert main(["meta", "unanimity", *(good if word == "GOOD" else word for word in words)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and is_refusal(err, *refusal) and err.count("\n") == 1


def test_a_missing_cell_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A score file without a cell is refused with the run, metric and topic."""
    (tmp_path / "s.csv").write_text("run,metric,topic,value\nA,m,1,1\nA,n,1,1\nB,m,1,1\n")
    assert main(["meta", "unanimity", "--scores", str(tmp_path / "s.csv")]) == 2
    assert is_refusal(capsys.readouterr().err, "missing-score", "B", "n", "1")
