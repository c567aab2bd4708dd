"""Special cases of commands: the demo, several files, progress, and refused arguments."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from diveval.cli.progress import describe_step
from diveval.datasets import make_collection
from support.refusals import is_refusal

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A folder with judgments, weights and three small runs."""
    folder = make_collection(tmp_path_factory.mktemp("collection"), topics=3, systems=3, depth=20, seed=1)
    return folder, [str(folder / "qrels.txt"), *sorted(str(path) for path in (folder / "runs").glob("*.run"))]


def refused(capsys: pytest.CaptureFixture[str], *words: Any) -> Any:
    """The one-line error of a command that exits with 2 and prints nothing to standard output."""
    capsys.readouterr()
    assert main([str(word) for word in words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("diveval: ") and err.count("\n") == 1
    return err


SIZES = ("--topics", "3", "--systems", "3", "--depth", "20")


def test_the_demo_shows_and_runs_each_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Commands are shown in order and scores are written; without altair the demo says how to install it."""
    monkeypatch.setattr("diveval.cli.demo.find_spec", lambda name: None)
    assert main(["demo", "-o", str(tmp_path / "d"), *SIZES]) == 0
    out = capsys.readouterr().out
    assert out.index("$ diveval evaluate") < out.index("--stop\n") < out.index("Written: ")
    assert "runs/*.run" in out and ".run " not in out.replace("*.run ", "")
    assert (tmp_path / "d" / "scores.csv").read_text().startswith("run,metric,topic,value")
    assert "pip install 'diveval[report]'" in out and not (tmp_path / "d" / "report.html").exists()


def test_the_demo_ends_with_the_report_or_the_first_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With altair the report comes last; a command that fails ends the demo with code 2."""
    commands = []
    monkeypatch.setattr("diveval.cli.demo.find_spec", lambda name: name)

    def run(words: list[str]) -> int:
        commands.append(words[0])
        return 0

    monkeypatch.setattr("diveval.cli.main", run)
    assert main(["demo", "-o", str(tmp_path / "d"), *SIZES]) == 0
    assert commands == ["evaluate", "evaluate", "evaluate", "report"]
    monkeypatch.setattr("diveval.cli.main", lambda words: 2)
    assert main(["demo", "-o", str(tmp_path / "d"), *SIZES]) == 2
    assert is_refusal(capsys.readouterr().err, "no-run-scored")


def test_several_text_runs_need_a_folder(collection: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Several runs cannot go to standard output or one file, and runs of the same name are refused."""
    _, (qrels, *runs) = collection
    assert is_refusal(refused(capsys, "data", "convert", "run", *runs, "-"), "output-file-needed", "3")
    assert is_refusal(refused(capsys, "data", "convert", "run", *runs, qrels), "output-file-needed")
    error = refused(capsys, "data", "convert", "run", runs[0], runs[0], tmp_path / "out")
    assert is_refusal(error, "duplicate-run") and not (tmp_path / "out").exists()


def test_parquet_goes_to_standard_output_as_bytes(collection: Any, capfdbinary: Any) -> None:
    """`data convert qrels IN - --to parquet` writes parquet to standard output."""
    _, (qrels, *_) = collection
    assert main(["data", "convert", "qrels", qrels, "-", "--to", "parquet"]) == 0
    sys.stdout.flush()
    out = capfdbinary.readouterr().out
    assert out.startswith(b"PAR1") and out.endswith(b"PAR1")


def test_parquet_scores_need_parquet_input(collection: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """-f parquet is refused for text files, and nothing is written."""
    error = refused(capsys, "evaluate", *collection[1], "-f", "parquet", "-o", tmp_path / "s.parquet")
    assert is_refusal(error, "option-not-applicable", "-f") and not (tmp_path / "s.parquet").exists()


@pytest.mark.parametrize("format", ["evall", "trec"])
def test_printouts_of_several_runs_are_in_order(
    collection: Any, format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The block of each run is printed, in the given order."""
    metrics = ["-m", "evall.RBU(p=0.99,e=0.05)"] if format == "evall" else []
    assert main(["evaluate", *collection[1], "-f", format, *metrics]) == 0
    out = capsys.readouterr().out
    places = [out.index(path.rpartition("/")[2].removesuffix(".run")) for path in collection[1][1:]]
    assert places == sorted(places)


def test_a_wide_table_shows_topics_and_metrics_of_any_name(
    collection: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """-q lists every topic of a run before its mean, also for metrics outside the catalogue."""
    (tmp_path / "mine.py").write_text("def length(ranking):\n    return len(ranking)\n")
    assert (
        main(["evaluate", *collection[1][:2], "-m", "P@5", "-m", f"{tmp_path}/mine.py:length", "-q", "-f", "table"])
        == 0
    )
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    topics = [row[1] for row in rows if len(row) == 4]
    assert topics == ["101", "102", "103", "all"]


def test_cutoffs_as_json(collection: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON has a row for each topic and for the mean."""
    assert main(["evaluate", "--stop", *collection[1][:2], "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["rows"]
    assert [row["topic"] for row in found] == ["101", "102", "103", "all"]
    assert all(0 <= row["rank"] <= row["length"] for row in found)


def test_limits_of_the_inspector(collection: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The inspector takes 1 to 200 ranks and one or two existing runs."""
    words = ["plot", "inspector", *collection[1], "-m", "RBU", "-o", tmp_path / "x.svg"]
    name = collection[1][1].rpartition("/")[2].removesuffix(".run")
    assert is_refusal(refused(capsys, *words, "--ranks", "0"), "out-of-range", "--ranks", "1", "200", "0")
    assert is_refusal(refused(capsys, *words, *["--run", name] * 3), "wrong-number-of-runs", "3")
    assert f"mean {name}" in refused(capsys, *words, "--run", name + "x")


def test_a_parameter_plot_of_one_run_is_refused(
    collection: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A single run has no order that a parameter could change."""
    words = ["plot", "parameters", *collection[1][:2], "-m", "RBU", "-o", tmp_path / "x.svg"]
    assert "runs" in refused(capsys, *words) and not (tmp_path / "x.svg").exists()


@pytest.mark.parametrize(
    ("step", "facts"), [(("runs", 50, 100), "50 of 100"), (("qrels", 500_000, 2_000_000), "25 %"), (("x", 7, 0), "x")]
)
def test_progress_is_a_count_or_a_share(step: tuple[str, int, int], facts: str) -> None:
    """Few parts are counted, bytes are in percent, and of an unknown total only the step is named."""
    assert describe_step(*step).endswith(facts) and step[0] in describe_step(*step)


def test_reproduce_prints_table1(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`data reproduce table1` prints the matrix of axioms."""
    from diveval.axioms.presentation.matrix import Matrix
    from diveval.axioms.proof.verdicts import Verdict

    verdict = Verdict("RBU", "Conf", "charitable", "holds", paper="holds")
    monkeypatch.setattr(sys.modules["diveval.axioms.presentation.matrix"], "matrix", lambda **_: Matrix((verdict,)))
    assert main(["data", "reproduce", "table1", "-f", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("RBU,Conf,charitable,holds")
