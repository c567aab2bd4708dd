"""What evaluate takes and gives: folders, names, cutoffs, order, Markdown, wide tables, and runs that cannot be read."""

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
from diveval.cli import COMMANDS, SUMMARY, main
from diveval.cli.parsing import FIRST, JOBS

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


def test_a_folder_is_its_files_and_a_name_stands_before_a_file(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Folders in order of names, without hidden files; NAME=file names a run in every command; twice is an error."""
    rows = list(
        csv.DictReader(
            io.StringIO(printed(capsys, "evaluate", folder / "q", folder / "runs", "-m", "P@5", "-f", "csv"))
        )
    )
    assert [row["run"] for row in rows] == ["low", "top"]
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
    """On the command line and in Python."""
    head = printed(
        capsys, "evaluate", folder / "q", folder / "runs", "-m", "nDCG@5,10,20", "-f", "csv", "--wide"
    ).splitlines()[0]
    assert head == "run,topics,nDCG@5,nDCG@10,nDCG@20"
    scores = diveval.evaluate({"1": {"a": {"d": 1}}}, {"1": ["d"]}, ["P@1,3", "P@3"])
    assert scores.metrics == ("P@1", "P@3")


def test_sorted_markdown_and_wide_tables(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--sort puts the best first; Markdown marks it; a wide line per run or per run and topic, with the run's topics."""
    shown = printed(
        capsys, "evaluate", folder / "q", folder / "runs", "-m", "P@5", "--sort", "P@5", "-f", "md"
    ).splitlines()
    assert shown[2].startswith("| top | 2/2 | **") and shown[3].startswith("| low | 1/2 |")
    wide = list(
        csv.DictReader(
            io.StringIO(
                printed(
                    capsys, "evaluate", folder / "q", folder / "runs", "-m", "P@5", "-m", "RR", "-f", "csv", "--wide"
                )
            )
        )
    )
    assert [(row["run"], row["topics"]) for row in wide] == [("low", "1/2"), ("top", "2/2")]
    topics = list(
        csv.DictReader(
            io.StringIO(
                printed(capsys, "evaluate", folder / "q", folder / "runs", "-m", "P@5", "-f", "csv", "--wide", "-q")
            )
        )
    )
    assert [row["topic"] for row in topics] == ["1", "2", "all"] * 2
    assert main(["evaluate", str(folder / "q"), str(folder / "runs"), "--wide"]) == 2
    assert main(["evaluate", str(folder / "q"), str(folder / "runs"), "-m", "P@5", "--sort", "RR"]) == 2


def test_one_bad_file_does_not_stop_the_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--keep-going scores the rest, names the file and ends with 1; without it, code 2; all bad, code 2."""
    (folder / "runs" / "bad.run").write_text("1 Q0 d1 1\n")
    words = ["evaluate", str(folder / "q"), str(folder / "runs"), "-m", "P@5", "-f", "csv"]
    assert main(words) == 2
    capsys.readouterr()
    assert main([*words, "--keep-going"]) == 1
    out, err = capsys.readouterr()
    assert [line.split(",")[0] for line in out.splitlines()[1:]] == ["low", "top"]
    assert "left out" in err and "bad.run" in err
    assert main(["evaluate", str(folder / "q"), str(folder / "runs" / "bad.run"), "--keep-going"]) == 2


def test_columns_decides_the_width(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """$COLUMNS lays the table out; nonsense in it is ignored."""
    words = ["evaluate", folder / "q", folder / "runs", "-m", "nDCG@5,10,20"]
    monkeypatch.setenv("COLUMNS", "200")
    assert printed(capsys, *words).count("run ") == 1
    monkeypatch.setenv("COLUMNS", "30")
    assert printed(capsys, *words).count("\n\n") > 0
    monkeypatch.setenv("COLUMNS", "wide")
    assert printed(capsys, *words)


def test_help_fits_a_screen_and_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """The five that matter first, all commands by job, each once or more."""
    assert main([]) == 0
    out = capsys.readouterr().out
    assert len(out.splitlines()) <= 24
    assert {name for names in JOBS.values() for name in names} == set(COMMANDS) == set(SUMMARY)
    places = [out.index(f"\n  {name} ") for name in FIRST]
    assert places == sorted(places)


def test_mistakes_get_three_lines_and_the_nearest_word(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing given, a command or an option misspelt: what, an example, where to read on."""
    for words, hint in (
        (["evaluate"], "needs QRELS RUN"),
        (["evalute"], "did you mean evaluate?"),
        (["evaluate", "q", "r", "--residual-s"], "did you mean --residuals?"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 2
        err = capsys.readouterr().err
        assert hint in err and len(err.splitlines()) == 3 and "example: diveval " in err


def test_help_of_a_command_begins_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    """Usage in a line, then examples, then the command's own options before the shared ones."""
    with pytest.raises(SystemExit):
        main(["evaluate", "--help"])
    out = capsys.readouterr().out
    assert out.index("examples:") < out.index("--sort") < out.index("--weights")
    assert len(out.split("\n\n")[0].splitlines()) == 1


def test_on_a_terminal_an_error_is_what_where_and_what_to_do(folder: Path) -> None:
    """Three lines; elsewhere one line, which scripts can read."""
    (folder / "bad").write_text("1 a d1\n")
    words = [sys.executable, "-m", "diveval", "evaluate", str(folder / "bad"), str(folder / "runs")]
    master, slave = pty.openpty()
    done = subprocess.run(words, stderr=slave, stdout=subprocess.PIPE, check=False)
    os.close(slave)
    shown = os.read(master, 10_000).decode().replace("\r\n", "\n")
    assert done.returncode == 2
    assert shown.startswith("diveval: ") and "\n  where: " in shown and f"{folder}/bad:1" in shown
    piped = subprocess.run(words, capture_output=True, text=True, check=False).stderr
    assert piped.count("\n") == 1


def test_a_note_names_each_metric_of_trec_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two settings of α have one number of TREC beside them."""
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("1 a d1 2\n1 b d2 1\n", encoding="utf-8")
    Path("x.run").write_text("1 Q0 d1 1 2.0 x\n", encoding="utf-8")
    assert main(["evaluate", "qrels.txt", "x.run", "-m", "alpha_nDCG(alpha=0.1)@5", "-m", "alpha_nDCG@5"]) == 0
    assert capsys.readouterr().out.count("ndeval.alpha_nDCG@5") == 1


def test_a_dash_is_standard_output(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    """`-o -` prints, and leaves no file of that name."""
    monkeypatch.chdir(folder)
    words = ("evaluate", folder / "q", folder / "runs", "-m", "P@5", "-f", "csv")
    assert printed(capsys, *words, "-o", "-") == printed(capsys, *words)
    assert not (folder / "-").exists()


def test_an_empty_name_of_a_metric_is_a_mistake(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is not taken for no name at all, which would mean the default metrics."""
    assert main(["evaluate", str(folder / "q"), str(folder / "runs"), "-m", ""]) == 2
    assert "-m" in capsys.readouterr().err
