"""The command `diveval meta`: all files are written, or none."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from diveval.cli import main
from diveval.datasets import make_collection
from diveval.errors import UsageError
from diveval.meta import analyses
from diveval.meta.correlation import Robustness
from support.refusals import is_refusal

METRICS = [word for name in ("RBU(p=0.99,e=0.05)@20", "alpha_nDCG@20", "P@20", "AP_IA") for word in ("-m", name)]
FILES = [
    "unanimity",
    "discriminative-tukey",
    "discriminative-bootstrap",
    "agreement-tau",
    "agreement-tau_ap",
    "agreement-rbo",
    "sensitivity",
    "robustness-wrong",
    "robustness-incomplete",
    "strictness",
    "concordance-diversity",
    "concordance-relevance",
    "concordance-both",
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small collection as the arguments QRELS RUN …"""
    folder = make_collection(tmp_path_factory.mktemp("files"), topics=5, systems=4, depth=20, seed=2)
    return [str(folder / "qrels.txt"), *map(str, sorted((folder / "runs").glob("*.run")))]


@pytest.mark.slow
def test_every_analysis_is_written_as_csv_json_and_svg(
    files: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The files parse, an index links them, progress goes to standard error, and no temporary file remains."""
    target = tmp_path / "out"
    names = ",".join(analyses.ANALYSES)
    assert main(["meta", *files, *METRICS, "--with", names, "--resamples", "100", "-o", str(target)]) == 0
    out, err = capsys.readouterr()
    assert out.endswith(f"{target / 'index.md'}\n") and "robustness" in err
    index = (target / "index.md").read_text()
    for name in FILES:
        with (target / f"{name}.csv").open() as stream:
            assert len(list(csv.reader(stream))) > 1, name
        assert json.loads((target / f"{name}.json").read_text())["reference"]
        assert ElementTree.parse(target / f"{name}.svg").getroot().tag.endswith("svg")
        assert f"({name}.svg)" in index and f"({name}.csv)" in index
    assert (target / "unanimity.csv").read_text().startswith("metric,mu,low,high,pairs,unanimous\n")
    assert (target / "sensitivity-ranks.svg").exists() and (target / "discriminative-tukey-curve.csv").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failure_keeps_the_old_files(
    files: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No file is replaced unless all analyses succeed."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "unanimity.csv").write_text("old")

    def fails(*_: Any) -> None:
        raise UsageError("too-few-topics", "no luck")

    monkeypatch.setitem(analyses.ANALYSES, "strictness", fails)
    assert main(["meta", *files, *METRICS, "--with", "unanimity,strictness", "-o", str(tmp_path / "out")]) == 2
    assert "error[too-few-topics]" in capsys.readouterr().err
    assert (tmp_path / "out" / "unanimity.csv").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["--with", "unanimous"], ("invalid-choice", "unanimous", "--with")),
        (["--with", ","], ("missing-argument", "--with")),
        (["-o", "/proc/nowhere"], ("cannot-write", "/proc/nowhere")),
    ],
)
def test_invalid_arguments_exit_2(
    files: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], refusal: tuple[str, ...]
) -> None:
    """The error names the argument, and nothing goes to standard output."""
    output = [] if "-o" in words else ["-o", str(tmp_path / "out")]
    assert main(["meta", *files, *METRICS, *words, *output]) == 2
    out, err = capsys.readouterr()
    assert out == "" and is_refusal(err, *refusal)


def test_incomplete_judgments_keep_their_scale(files: Any) -> None:
    """Removing judgments does not change gmax, so it can only lower DCG."""
    from diveval.metrics import as_metrics
    from diveval.scoring.evaluate import load_judgments, rank_all
    from diveval.scoring.study import Evaluation
    from diveval.settings import Options

    options, metrics = Options(), as_metrics("DCG@20")
    judgments = load_judgments(files[0], options)
    study = Evaluation(
        judgments, rank_all(judgments, files[1:], metrics, options, keep_documents=False), metrics, options
    )
    results = analyses.ANALYSES["robustness"](study, 100, 0)
    incomplete = next(a for a in results if a.name == "robustness-incomplete")
    # With a fixed scale, removing documents can only lower a sum of gains.
    assert isinstance(incomplete.result, Robustness) and incomplete.result.rows
    assert all(row.change < 0 and row.absolute_change == pytest.approx(-row.change) for row in incomplete.result.rows)
