"""Options of evaluate: folders, names, cutoffs, sorting, Markdown, wide tables, and unreadable runs."""

from __future__ import annotations

import csv
import io
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.cli import main
from diveval.cli.commands import FIRST

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")


@pytest.fixture
def folder(tmp_path: Path) -> Any:
    """Judgments and a folder of two runs, one of which lacks a topic."""
    (tmp_path / "q").write_text("1 a d1 1\n1 b d2 3\n2 a d1 1\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "low.run").write_text("1 Q0 x 1 3 t\n1 Q0 d1 2 2 t\n")
    (tmp_path / "runs" / "top.run").write_text("1 Q0 d2 1 3 t\n2 Q0 d1 1 1 t\n")
    (tmp_path / "runs" / ".hidden").write_text("not a run")
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *words: Any) -> Any:
    assert main([str(word) for word in words]) == 0
    return capsys.readouterr().out


def csv_rows(capsys: pytest.CaptureFixture[str], folder: Path, *words: Any) -> list[dict[str, str]]:
    """The CSV that evaluate prints for the runs of the folder."""
    text = printed(capsys, "evaluate", folder / "q", folder / "runs", "-m", "P@5", "-f", "csv", *words)
    return list(csv.DictReader(io.StringIO(text)))


def test_folders_and_names_of_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder stands for its visible files in order; NAME=file names a run; a repeated name is refused."""
    assert [row["run"] for row in csv_rows(capsys, folder)] == ["low", "top"]
    named = [f"ours={folder}/runs/top.run", f"theirs={folder}/runs/low.run"]
    assert [
        line.split(",")[0]
        for line in printed(capsys, "evaluate", folder / "q", *named, "-m", "P@5", "-f", "csv").splitlines()[1:]
    ] == ["ours", "theirs"]
    assert "ours" in printed(capsys, "compare", folder / "q", *named, "-m", "P@5", "--baseline", "theirs")
    assert main(["evaluate", str(folder / "q"), named[0], named[0]]) == 2
    (folder / "none").mkdir()
    assert main(["evaluate", str(folder / "q"), str(folder / "none")]) == 2


def test_several_cutoffs_in_one_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`P@1,3` means P@1 and P@3, on the command line and in Python."""
    head = printed(
        capsys, "evaluate", folder / "q", folder / "runs", "-m", "nDCG@5,10,20", "-f", "csv", "--wide"
    ).splitlines()[0]
    assert head == "run,topics,nDCG@5,nDCG@10,nDCG@20"
    scores = diveval.evaluate({"1": {"a": {"d": 1}}}, {"1": ["d"]}, ["P@1,3", "P@3"])
    assert scores.metrics == ("P@1", "P@3")


def test_sorted_markdown_and_wide_tables(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--sort puts the best run first, Markdown marks it, and --wide has one row per run, or per run and topic."""
    shown = printed(
        capsys, "evaluate", folder / "q", folder / "runs", "-m", "P@5", "--sort", "P@5", "-f", "md"
    ).splitlines()
    assert shown[2].startswith("| top | 2/2 | **") and shown[3].startswith("| low | 1/2 |")
    wide = csv_rows(capsys, folder, "-m", "RR", "--wide")
    assert [(row["run"], row["topics"]) for row in wide] == [("low", "1/2"), ("top", "2/2")]
    assert [row["topic"] for row in csv_rows(capsys, folder, "--wide", "-q")] == ["1", "2", "all"] * 2
    assert main(["evaluate", str(folder / "q"), str(folder / "runs"), "--wide"]) == 2
    assert main(["evaluate", str(folder / "q"), str(folder / "runs"), "-m", "P@5", "--sort", "RR"]) == 2


def test_one_bad_file_does_not_stop_the_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--keep-going scores the others, names the file and exits with 1; otherwise, or if all are bad, the code is 2."""
    (folder / "runs" / "bad.run").write_text("1 Q0 d1 1\n")
    words = ["evaluate", str(folder / "q"), str(folder / "runs"), "-m", "P@5", "-f", "csv"]
    assert main(words) == 2
    capsys.readouterr()
    assert main([*words, "--keep-going"]) == 1
    out, err = capsys.readouterr()
    assert [line.split(",")[0] for line in out.splitlines()[1:]] == ["low", "top"]
    assert "bad.run" in err
    assert main(["evaluate", str(folder / "q"), str(folder / "runs" / "bad.run"), "--keep-going"]) == 2


def test_columns_sets_the_width(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """$COLUMNS sets the width of the table; an invalid value is ignored."""
    words = ["evaluate", folder / "q", folder / "runs", "-m", "nDCG@5,10,20"]
    monkeypatch.setenv("COLUMNS", "200")
    assert printed(capsys, *words).count("run ") == 1
    monkeypatch.setenv("COLUMNS", "30")
    assert printed(capsys, *words).count("\n\n") > 0
    monkeypatch.setenv("COLUMNS", "wide")
    assert printed(capsys, *words)


def test_help_fits_a_screen_and_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """The help has at most 24 lines, the most important commands first, and every command is in a group."""
    assert main([]) == 0
    out = capsys.readouterr().out
    assert len(out.splitlines()) <= 24
    places = [out.index(f"\n  {name} ") for name in FIRST]
    assert places == sorted(places)


def test_usage_errors_have_a_hint_and_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    """Missing arguments and misspelt commands or options give three lines with a hint and an example."""
    for words, hint in (
        (["evaluate"], "QRELS RUN"),
        (["evalute"], "evaluate?"),
        (["evaluate", "q", "r", "--residual-s"], "--residuals?"),
    ):
        with pytest.raises(SystemExit) as exit_info:
            main(words)
        assert exit_info.value.code == 2
        err = capsys.readouterr().err
        assert hint in err and len(err.splitlines()) == 3 and "diveval evaluate " in err


def test_help_of_a_command_begins_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    """The help has one line of usage, then examples, then the command's own options before the shared ones."""
    with pytest.raises(SystemExit):
        main(["evaluate", "--help"])
    out = capsys.readouterr().out
    assert out.index("examples:") < out.index("--sort") < out.index("--weights")
    assert len(out.split("\n\n")[0].splitlines()) == 1


def test_an_error_has_three_lines_on_a_terminal(folder: Path) -> None:
    """On a terminal an error has three lines, the second with the location; otherwise it is one line."""
    (folder / "bad").write_text("1 a d1\n")
    words = [sys.executable, "-m", "diveval", "evaluate", str(folder / "bad"), str(folder / "runs")]
    master, slave = pty.openpty()
    done = subprocess.run(words, stderr=slave, stdout=subprocess.PIPE, check=False)
    os.close(slave)
    shown = os.read(master, 10_000).decode().replace("\r\n", "\n")
    assert done.returncode == 2
    first, where, _ = shown.splitlines()
    assert first.startswith("diveval: ") and f"{folder}/bad:1" in where
    piped = subprocess.run(words, capture_output=True, text=True, check=False).stderr
    assert piped.count("\n") == 1


def test_a_note_names_each_trec_metric_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two settings of α refer to the same metric of TREC, which the note names once."""
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("1 a d1 2\n1 b d2 1\n", encoding="utf-8")
    Path("x.run").write_text("1 Q0 d1 1 2.0 x\n", encoding="utf-8")
    assert main(["evaluate", "qrels.txt", "x.run", "-m", "alpha_nDCG(alpha=0.1)@5", "-m", "alpha_nDCG@5"]) == 0
    assert capsys.readouterr().out.count("ndeval.alpha_nDCG@5") == 1


def test_a_dash_is_standard_output(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    """`-o -` prints to standard output and creates no file of that name."""
    monkeypatch.chdir(folder)
    words = ("evaluate", folder / "q", folder / "runs", "-m", "P@5", "-f", "csv")
    assert printed(capsys, *words, "-o", "-") == printed(capsys, *words)
    assert not (folder / "-").exists()


def test_an_empty_metric_name_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty -m does not select the default metrics."""
    assert main(["evaluate", str(folder / "q"), str(folder / "runs"), "-m", ""]) == 2
    assert "-m" in capsys.readouterr().err
