"""The command `diveval conclusions`: formats, figures and refused arguments."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from diveval import evaluate
from diveval.cli import main
from diveval.conclusions import conclude

JUDGED = "1 a d1 1\n1 a d2 2\n1 b d3 1\n2 a d4 1\n2 b d5 3\n"
ONE = "1 Q0 d1 1 3 A\n1 Q0 d9 2 2 A\n1 Q0 d3 3 1 A\n2 Q0 d4 1 3 A\n2 Q0 d5 2 2 A\n"
TWO = "1 Q0 d3 1 3 B\n1 Q0 d2 2 2 B\n2 Q0 d7 1 3 B\n2 Q0 d5 2 2 B\n"
ALL_DOUBTS = ["--any-weights", "--unjudged", "any"]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Judgments and two runs."""
    for name, text in {"q": JUDGED, "one": ONE, "two": TWO}.items():
        (tmp_path / name).write_text(text)
    return [str(tmp_path / name) for name in ("q", "one", "two")]


def rows(capsys: pytest.CaptureFixture[str], words: list[str]) -> list[dict[str, str]]:
    """The CSV that a command prints."""
    assert main(["conclusions", *words, "-f", "csv"]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_a_row_for_each_metric_and_doubt(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The CSV has the documented header and one row per metric and doubt, and for all doubts together."""
    found = rows(capsys, [*files, "-m", "RBU(p=0.6..0.99,e=0..0.1)@20", "-m", "alpha_DCG(alpha=0..0.9)@5", *ALL_DOUBTS])
    assert list(found[0]) == ["better", "worse", "metric", "doubt", "verdict", "witness", "margin"]
    assert [row["doubt"] for row in found] == ["parameters", "weights", "unjudged", "all"] * 2
    assert {row["verdict"] for row in found} == {"certain", "flips"}


def test_every_format_names_every_metric(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Every format names the metrics, also with two metrics in one table."""
    words = [*files, "-m", "RBU(p=0.6..0.99,e=0..0.1)@20", "-m", "ERR_IA@5"]
    for form in ("table", "csv", "json", "latex"):
        assert main(["conclusions", *words, "-f", form]) == 0
        out = capsys.readouterr().out
        assert "RBU(p=0.6..0.99,e=0..0.1)@20" in out.replace(r"\_", "_")
        assert out.replace(r"\_", "_").count("ERR_IA@5") >= 1
    assert main(["conclusions", *words]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines()[-4:])) <= 80 and out.count("parameters, ") >= 2
    assert main(["conclusions", *words, "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)


def test_better_is_decided_in_the_middle_of_the_ranges(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """`better` is the run with the higher mean at the reference setting."""
    (row,) = rows(capsys, [*files, "-m", "Dsharp_nDCG(lambda=0..1)@5"])
    scores = evaluate(files[0], files[1:], "Dsharp_nDCG(lam=0.5)@5")
    assert row["metric"] == "Dsharp_nDCG(lam=0..1)@5"
    assert row["better"] == scores.runs[scores.means[:, 0].argmax()]
    assert row["verdict"] == "flips"


def test_figures_and_the_list_of_documents_to_judge(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--graph and --borders write figures, and --budget lists what to judge next."""
    graph, borders = tmp_path / "order.svg", tmp_path / "borders"
    words = ["-m", "Dsharp_nDCG(lam=0..1)@5", "--graph", str(graph), "--borders", str(borders)]
    assert main(["conclusions", *files, *words]) == 0
    assert graph.read_text().startswith("<svg")
    assert list(borders.iterdir())
    capsys.readouterr()
    assert main(["conclusions", *files, "--unjudged", "any", "--budget", "3"]) == 0
    listed = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["topic"], row["document"]) for row in listed] == [("1", "d9")]


def test_equal_runs_are_an_exact_tie(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A run compared with itself is undecided with margin 0, and the witness mentions the tie."""
    (row,) = rows(capsys, [files[0], files[1], files[1]])
    assert (row["verdict"], float(row["margin"])) == ("undecided", 0.0)
    assert "tie" in row["witness"]
    assert row["better"] != row["worse"]


@pytest.mark.parametrize(
    "words",
    [["-m", "RBU(p=0.9..0.5)@20"], ["-m", "RBU(q=0..1)@20"], ["-m", "ndeval.MAP_IA"], ["--budget", "3"]],
    ids=["backwards", "unknown", "another tool's", "no doubt about labels"],
)
def test_invalid_arguments_exit_2_with_one_line(
    files: list[str], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 2, the error is one line, and nothing goes to standard output."""
    assert main(["conclusions", *files, *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)


def test_one_run_cannot_be_compared(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A single run exits with 2."""
    assert main(["conclusions", *files[:2]]) == 2
    assert "two" in capsys.readouterr().err


def test_python_and_the_command_line_agree(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """`conclude` returns the rows that the command prints."""
    printed = rows(capsys, [*files, *ALL_DOUBTS])
    result = conclude(files[0], files[1:], "RBU(p=0.6..0.99,e=0..0.1)@20", any_weights=True, unjudged=True)
    assert [(r.doubt, r.verdict, r.margin) for r in result.rows] == [
        (row["doubt"], row["verdict"], float(row["margin"])) for row in printed
    ]


@pytest.mark.parametrize("more", [["--borders", "{folder}/b"], ["--judgments", "{folder}/q"], ["--unjudged", "any"]])
def test_a_run_from_a_pipe_is_read_once(
    files: list[str],
    more: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A run from standard input gives the rows of the file, also if runs are ranked several times."""
    words = [word.format(folder=tmp_path) for word in more] + ["-m", "Dsharp_nDCG(lam=0..1)@5"]
    expected = rows(capsys, [files[0], f"stdin={files[1]}", files[2], *words])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(ONE.encode())))
    assert rows(capsys, [files[0], "-", files[2], *words]) == expected
