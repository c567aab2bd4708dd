"""`diveval unanimity` as a user types it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from diveval.datasets import make_collection
from support.wording import says

EXAMPLE = {"S1": (1, 0.8, 1), "S2": (0.5, 0.3, 0.2), "S3": (0.2, 0.4, 0.5)}  # section 6.1 of the paper


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small collection: QRELS RUN … as words."""
    folder = make_collection(tmp_path_factory.mktemp("made"), topics=6, systems=5, depth=40, seed=2)
    return [str(folder / "qrels.txt"), *map(str, sorted((folder / "runs").glob("*.run")))]


def scores_file(path: Any, table: Any) -> Any:
    """A CSV of scores on one topic, with a mean that must not count."""
    lines = ["run,metric,topic,value"]
    for run, values in table.items():
        for i, value in enumerate(values, 1):
            lines += [f"{run},m{i},1,{value}", f"{run},m{i},all,{value}"]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_the_papers_worked_example_from_a_score_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """MU(m1) = log2(4/3) = 0.415, over six ordered pairs of which three are unanimous among the others."""
    assert main(["unanimity", "--scores", scores_file(tmp_path / "s.csv", EXAMPLE), "-f", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert list(rows[0]) == ["metric", "mu", "low", "high", "pairs", "unanimous"]
    assert float(rows[0]["mu"]) == pytest.approx(0.4150374992788438, abs=1e-15)
    assert (rows[0]["pairs"], rows[0]["unanimous"], rows[0]["low"]) == ("6", "3", "")


def test_scores_and_rankings_give_the_same_numbers(
    made: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Scoring to a file and reading it is the same as scoring."""
    names = ["RBU(p=0.9,e=0.05)", "RBU(p=0.99,e=0.05)", "alpha_nDCG@10", "P@10", "AP_IA"]
    metrics = [word for name in names for word in ("-m", name)]
    scores = str(tmp_path / "s.csv")
    assert main(["evaluate", *made, *metrics, "-q", "-f", "csv", "-o", scores]) == 0
    assert main(["unanimity", *made, *metrics, "-f", "csv", "--seed", "3"]) == 0
    from_runs = capsys.readouterr().out
    assert main(["unanimity", "--scores", scores, "-f", "csv", "--seed", "3"]) == 0
    assert capsys.readouterr().out == from_runs and from_runs.count("\n") == 6
    assert main(["unanimity", "--scores", scores, "-m", "P@10", "-m", "AP_IA", "-f", "json"]) == 0
    assert [row["metric"] for row in json.loads(capsys.readouterr().out)["rows"]] == ["P@10", "AP_IA"]


def test_the_usual_set_is_the_default_and_the_paper_set_groups_variants(
    made: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """16 metrics, one of each family; with --set paper 109, the best variants of each of 16 families in braces, within 80 columns; -m adds to --set."""
    assert main(["unanimity", *made]) == 0
    assert "16 metrics" in capsys.readouterr().out
    assert main(["unanimity", *made, "--set", "paper"]) == 0
    out = capsys.readouterr().out
    assert "109 metrics" in out and "RBU e={" in out and max(map(len, out.splitlines())) <= 80
    assert sum(line[:1].isdigit() for line in out.splitlines()[2:]) == 16
    assert main(["unanimity", *made, "--set", "paper", "--all-variants"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > len(out.splitlines())
    assert main(["unanimity", *made, "--set", "official", "-m", "AP", "-f", "csv", "--bootstrap", "0"]) == 0
    assert capsys.readouterr().out.count("\n") == 1 + 36 + 1


def test_latex_and_json_carry_groups(made: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Booktabs with the groups; JSON with the rows, the groups and the reference."""
    words = ["unanimity", *made, "-m", "RBU(p=0.8,e=0)", "-m", "RBU(p=0.9,e=0)", "-m", "P@5", "--leave-family-out"]
    assert main([*words, "-f", "latex"]) == 0
    assert r"\toprule" in capsys.readouterr().out
    assert main([*words, "-f", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["leave_family_out"] and result["groups"] and "SIGIR 2018" in result["reference"]
    assert main(words) == 0
    assert "other families only" in " ".join(capsys.readouterr().out.split())


def test_an_undefined_unanimity_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The others of m1 never agree: no number in the CSV, `none` in the table, and a warning that says why."""
    table = {"S1": (3, 1, 3), "S2": (2, 2, 2), "S3": (1, 3, 1)}
    scores = scores_file(tmp_path / "s.csv", table)
    assert main(["unanimity", "--scores", scores, "-f", "csv"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[1] == "m1,,,,6,0" and says("undefined: no pair is unanimous", err)
    assert main(["unanimity", "--scores", scores]) == 0
    assert "none" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "unanimity needs QRELS and at least two RUN files, or --scores FILE"),
        (["q", "--scores", "s"], "not both"),
        (["--scores", "/nonexistent"], "cannot be read"),
        (["--scores", "GOOD", "-m", "m9"], "no scores for 'm9'"),
        (["--scores", "GOOD", "-m", "m1"], "at least two metrics, got 1"),
        (["--scores", "GOOD", "--bootstrap", "-1"], "bootstrap"),
        (["--scores", "GOOD", "--confidence", "2"], "confidence"),
    ],
)
def test_bad_words_exit_2_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: Any, message: str
) -> None:
    """No traceback, nothing on standard output."""
    good = scores_file(tmp_path / "s.csv", EXAMPLE)
    assert main(["unanimity", *(good if word == "GOOD" else word for word in words)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and says(message, err) and err.count("\n") == 1


def test_a_missing_cell_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Which run, metric and topic."""
    (tmp_path / "s.csv").write_text("run,metric,topic,value\nA,m,1,1\nA,n,1,1\nB,m,1,1\n")
    assert main(["unanimity", "--scores", str(tmp_path / "s.csv")]) == 2
    assert says("run 'B', metric 'n', topic '1' has no value", capsys.readouterr().err)
