"""A run with a single line for one topic is ranked low or marked in every summary, command and format."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from diveval.datasets import make_collection
from support.reports import leave_axioms_out

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
RBU = "RBU(p=0.99,e=0.05)@20"  # under which all real systems are negative
MARK = "1/8"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Judgments, a folder of real runs, and the lazy run."""
    folder = make_collection(tmp_path_factory.mktemp("lazy") / "web", topics=8, systems=4, depth=20, seed=1)
    lazy = folder / "lazy.run"
    lazy.write_text("101 Q0 nothing 1 1.0 lazy\n")
    return [str(folder / "qrels.txt"), str(folder / "runs"), str(lazy)]


def summary(capsys: pytest.CaptureFixture[str], *words: Any) -> Any:
    """The lines of a command's output that name the lazy run."""
    assert main(list(words)) == 0
    return [line for line in capsys.readouterr().out.splitlines() if "lazy" in line]


@pytest.mark.parametrize("format", [["table"], ["csv"], ["tsv"], ["csv", "--wide"], ["md"], ["latex"], ["json"]])
def test_evaluate(capsys: pytest.CaptureFixture[str], files: Any, format: list[str]) -> None:
    """Every format of means shows the number of topics in the row of the run."""
    lines = summary(capsys, "evaluate", *files, "-m", RBU, "-m", "AP", "--sort", RBU, "-f", *format)
    assert any(MARK in line for line in lines)
    if format != ["json"]:
        assert all(MARK in line for line in lines)


def test_returning_nothing_does_not_win(capsys: pytest.CaptureFixture[str], files: Any) -> None:
    """Although every real system is below 0, only the random run ranks below the lazy run."""
    assert main(["evaluate", *files, "-m", RBU, "--sort", RBU, "-f", "csv"]) == 0
    rows = [line.split(",")[0] for line in capsys.readouterr().out.splitlines()[1:]]
    assert rows[-2:] == ["lazy", "random"]


def test_scores_per_topic_need_no_mark(capsys: pytest.CaptureFixture[str], files: Any) -> None:
    """Per-topic scores keep the documented header."""
    assert main(["evaluate", *files, "-m", "AP", "-q", "-f", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "run,metric,topic,value"


@pytest.mark.parametrize("metrics", [["AP"], ["AP", RBU]])
@pytest.mark.parametrize("format", ["table", "md", "latex"])
def test_compare(capsys: pytest.CaptureFixture[str], files: Any, format: str, metrics: Any) -> None:
    """The table of means has the mark for one metric and for several."""
    chosen = [word for metric in metrics for word in ("-m", metric)]
    assert any(MARK in line for line in summary(capsys, "compare", *files, *chosen, "-f", format))


@pytest.mark.parametrize("format", ["table", "csv"])
def test_cutoff(capsys: pytest.CaptureFixture[str], files: Any, format: str) -> None:
    """The mean has the mark, and the utility of the full list equals that of `evaluate`."""
    lines = summary(capsys, "evaluate", "--stop", *files, "-m", RBU, "-f", format)
    assert any(MARK in line for line in lines)
    assert main(["evaluate", *files, "-m", RBU, "-f", "csv"]) == 0
    scored = [row for row in capsys.readouterr().out.splitlines() if row.startswith("lazy")]
    value = float(scored[0].split(",")[-2])
    words = [word for line in lines for word in line.replace(",", " ").split()]
    close = 1e-12 if format == "csv" else 1e-4
    assert any(abs(float(word) - value) < close for word in words if re.fullmatch(r"-?\d+\.\d+", word))


def test_why(capsys: pytest.CaptureFixture[str], files: Any) -> None:
    """The line with its mean has the mark."""
    other = min(Path(files[1]).iterdir())
    lines = summary(capsys, "why", files[0], files[2], str(other), "-m", RBU)
    assert any(MARK in line for line in lines)


@pytest.mark.parametrize("format", ["table", "latex"])
def test_conclusions(capsys: pytest.CaptureFixture[str], files: Any, format: str) -> None:
    """Every conclusion about the run has the mark."""
    lines = summary(capsys, "conclusions", *files, "-m", "RBU(p=0.8..0.9,e=0.05)@20", "-f", format)
    assert lines and all(MARK in line for line in lines)


def test_commands_about_metrics_name_it(capsys: pytest.CaptureFixture[str], files: Any, tmp_path: Path) -> None:
    """unanimity, meta and choose name the runs that lack topics."""
    assert any(
        MARK in line
        for line in summary(capsys, "meta", "unanimity", *files, "-m", "AP", "-m", "RR", "--bootstrap", "0")
    )
    two = ["-m", "AP", "-m", "RR"]
    assert main(["meta", *files, *two, "--with", "unanimity", "-o", str(tmp_path / "meta")]) == 0
    assert f"lazy ({MARK})" in (tmp_path / "meta" / "index.md").read_text()
    assert any(MARK in line for line in summary(capsys, "choose", *files, *two, "--need", "top", "--time-limit", "5"))


def test_paper_and_report(files: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables of `paper` have the mark, and the report lists the missing topics."""
    assert main(["paper", *files, "-m", "AP", "-o", str(tmp_path / "paper"), "--no-figures"]) == 0
    for name in ("table.tex", "table.md", "table.csv"):
        rows = [
            line
            for line in (tmp_path / "paper" / name).read_text().splitlines()
            if line.lstrip("| ").startswith("lazy")
        ]
        assert rows and all(MARK in row for row in rows)
    leave_axioms_out(monkeypatch)
    page = tmp_path / "report.html"
    assert main(["report", *files, "-m", "AP", "-o", str(page), "--conclusions", "none"]) == 0
    assert '"absent":{"lazy":["102"' in page.read_text()
