"""Commands at their edges: the demo, several files, terminals, and one line with code 2 for what cannot be."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from diveval.cli.data import _progress
from diveval.datasets import make_collection
from support.wording import says

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A folder with judgments, weights and three small runs."""
    folder = make_collection(tmp_path_factory.mktemp("made"), topics=3, systems=3, depth=20, seed=1)
    return folder, [str(folder / "qrels.txt"), *sorted(str(path) for path in (folder / "runs").glob("*.run"))]


def refused(capsys: pytest.CaptureFixture[str], *words: Any) -> Any:
    """What a command says that must not go on: one line, nothing on standard output."""
    capsys.readouterr()
    assert main([str(word) for word in words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("diveval: ") and err.count("\n") == 1
    return err


SIZES = ("--topics", "3", "--systems", "3", "--depth", "20")


def test_the_demo_says_and_runs_each_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command is shown before what it prints, and the scores are there; without altair the page is advised."""
    monkeypatch.setattr("diveval.cli.demo.find_spec", lambda name: None)
    assert main(["demo", "-o", str(tmp_path / "d"), *SIZES]) == 0
    out = capsys.readouterr().out
    assert out.index("$ diveval evaluate") < out.index("$ diveval cutoff") < out.index("Written: ")
    assert "runs/*.run" in out and ".run " not in out.replace("*.run ", "")
    assert (tmp_path / "d" / "scores.csv").read_text().startswith("run,metric,topic,value")
    assert "pip install 'diveval[report]'" in out and not (tmp_path / "d" / "report.html").exists()


def test_the_demo_ends_with_the_report_and_stops_at_the_first_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the libraries the report comes last; a command that fails ends the demo with code 2."""
    asked = []
    monkeypatch.setattr("diveval.cli.demo.find_spec", lambda name: name)

    def run(words: list[str]) -> int:
        asked.append(words[0])
        return 0

    monkeypatch.setattr("diveval.cli.main", run)
    assert main(["demo", "-o", str(tmp_path / "d"), *SIZES]) == 0
    assert asked == ["evaluate", "cutoff", "evaluate", "report"]
    monkeypatch.setattr("diveval.cli.main", lambda words: 2)
    assert main(["demo", "-o", str(tmp_path / "d"), *SIZES]) == 2
    assert "the demo cannot continue" in capsys.readouterr().err


def test_several_runs_of_text_need_a_folder(made: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither standard output nor a file can hold them, and two of one name would overwrite each other."""
    _, (qrels, *runs) = made
    assert says("3 runs as trec need a folder to go to", refused(capsys, "convert", "run", *runs, "-"))
    assert says("need a folder to go to", refused(capsys, "convert", "run", *runs, qrels))
    said = refused(capsys, "convert", "run", runs[0], runs[0], tmp_path / "out")
    assert says("two runs would both be written to", said) and not (tmp_path / "out").exists()


def test_parquet_goes_to_standard_output_as_bytes(made: Any, capfdbinary: Any) -> None:
    """`convert qrels IN - --to parquet` writes the file itself, for a pipe."""
    _, (qrels, *_) = made
    assert main(["convert", "qrels", qrels, "-", "--to", "parquet"]) == 0
    sys.stdout.flush()
    out = capfdbinary.readouterr().out
    assert out.startswith(b"PAR1") and out.endswith(b"PAR1")


def test_parquet_scores_want_parquet_files(made: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """-f parquet is for what does not fit in memory, which text files are not."""
    said = refused(capsys, "evaluate", *made[1], "-f", "parquet", "-o", tmp_path / "s.parquet")
    assert says("-f parquet is for judgments and runs in parquet", said) and not (tmp_path / "s.parquet").exists()


@pytest.mark.parametrize("format", ["evall", "trec"])
def test_printouts_of_several_runs_are_told_apart(made: Any, format: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each run's block is there, in the order given."""
    metrics = ["-m", "evall.RBU(p=0.99,e=0.05)"] if format == "evall" else []
    assert main(["evaluate", *made[1], "-f", format, *metrics]) == 0
    out = capsys.readouterr().out
    places = [out.index(path.rpartition("/")[2].removesuffix(".run")) for path in made[1][1:]]
    assert places == sorted(places)


def test_a_wide_table_shows_topics_and_metrics_of_any_name(
    made: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """-q lists every topic of a run before its mean, under headings also for names no catalogue has."""
    (tmp_path / "mine.py").write_text("def length(ranking):\n    return len(ranking)\n")
    assert main(["evaluate", *made[1][:2], "-m", "P@5", "-m", f"{tmp_path}/mine.py:length", "-q", "-f", "table"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    topics = [row[1] for row in rows if len(row) == 4]
    assert topics == ["101", "102", "103", "all"]


def test_cutoffs_as_json(made: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A row for each topic, and the mean, as numbers."""
    assert main(["cutoff", *made[1][:2], "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["stops"]
    assert [row["topic"] for row in found] == ["101", "102", "103", "all"]
    assert all(0 <= row["rank"] <= row["length"] for row in found)


def test_the_inspector_shows_so_many_ranks_and_runs(
    made: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ranks from 1 to 200, one or two runs that exist."""
    words = ["plot", "inspector", *made[1], "-m", "RBU", "-o", tmp_path / "x.svg"]
    name = made[1][1].rpartition("/")[2].removesuffix(".run")
    assert says("--ranks is between 1 and 200, got 0", refused(capsys, *words, "--ranks", "0"))
    assert says("one or two runs, got 3", refused(capsys, *words, *["--run", name] * 3))
    assert f"mean {name}" in refused(capsys, *words, "--run", name + "x")


def test_a_picture_of_nothing_is_refused(made: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One run has no order that a parameter could change."""
    words = ["plot", "parameters", *made[1][:2], "-m", "RBU", "-o", tmp_path / "x.svg"]
    assert "runs" in refused(capsys, *words) and not (tmp_path / "x.svg").exists()


def test_a_terminal_sees_how_far_a_download_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Percent where the size is known, megabytes where not; the line ends with the file."""
    _progress("runs", 50, 100)
    _progress("runs", 100, 100)
    _progress("qrels", 2_500_000, None)
    assert capsys.readouterr().err == "\rruns:  50 %\rruns: 100 %\n\rqrels: 2.5 MB"


def test_reproduce_prints_table1(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`reproduce table1` is the axioms' matrix beside the paper's."""
    from diveval.axioms.presentation.matrix import Matrix
    from diveval.axioms.proof.verdicts import Verdict

    verdict = Verdict("RBU", "Conf", "charitable", "holds", paper="holds")
    monkeypatch.setattr(sys.modules["diveval.axioms.presentation.matrix"], "matrix", lambda **_: Matrix((verdict,)))
    assert main(["reproduce", "table1", "-f", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("RBU,Conf,charitable,holds")


def test_no_command_is_a_question(capsys: pytest.CaptureFixture[str]) -> None:
    """`diveval` alone prints what there is."""
    assert main([]) == 0
    assert "evaluate" in capsys.readouterr().out
