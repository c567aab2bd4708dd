"""`diveval meta` as a user types it: whole files, all of them or none."""

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
from support.wording import says

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
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small collection: QRELS RUN … as words."""
    folder = make_collection(tmp_path_factory.mktemp("made"), topics=5, systems=4, depth=20, seed=2)
    return [str(folder / "qrels.txt"), *map(str, sorted((folder / "runs").glob("*.run")))]


@pytest.mark.slow
def test_every_analysis_becomes_a_csv_a_json_and_a_picture(
    made: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files that parse, an index that links them, progress on standard error, nothing left beside."""
    target = tmp_path / "out"
    names = ",".join(analyses.ANALYSES)
    assert main(["meta", *made, *METRICS, "--with", names, "--resamples", "100", "-o", str(target)]) == 0
    out, err = capsys.readouterr()
    assert out == f"Written: {target / 'index.md'}\n" and "diveval: robustness" in err
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


def test_what_fails_half_way_leaves_the_old_files(
    made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is put in place before everything is whole."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "unanimity.csv").write_text("old")

    def fails(*_: Any) -> None:
        raise UsageError("no luck")

    monkeypatch.setitem(analyses.ANALYSES, "strictness", fails)
    assert main(["meta", *made, *METRICS, "--with", "unanimity,strictness", "-o", str(tmp_path / "out")]) == 2
    assert says("no luck", capsys.readouterr().err)
    assert (tmp_path / "out" / "unanimity.csv").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--with", "unanimous"], "--with: no analysis is called 'unanimous'; did you mean unanimity"),
        (["--with", ","], "--with names no analysis"),
        (["-o", "/proc/nowhere"], "/proc/nowhere"),
    ],
)
def test_bad_words_exit_2_with_one_line(
    made: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    """No traceback, nothing on standard output."""
    output = [] if "-o" in words else ["-o", str(tmp_path / "out")]
    assert main(["meta", *made, *METRICS, *words, *output]) == 2
    out, err = capsys.readouterr()
    assert out == "" and says(message, err)


def test_judgments_that_lose_their_highest_grade_keep_their_scale(made: Any) -> None:
    """Incomplete judgments change scores through what is forgotten, never through another gmax."""
    from diveval.evaluation import load_judgments, rank_all
    from diveval.metrics import as_metrics
    from diveval.options import Options
    from diveval.study import Study

    options, metrics = Options(), as_metrics("DCG@20")
    judgments = load_judgments(made[0], options)
    study = Study(judgments, rank_all(judgments, made[1:], metrics, options, keep_documents=False), metrics, options)
    results = analyses.ANALYSES["robustness"](study, 100, 0)
    incomplete = next(a for a in results if a.name == "robustness-incomplete")
    # Forgetting documents can only lower a sum of gains under a fixed scale.
    assert isinstance(incomplete.result, Robustness) and incomplete.result.rows
    assert all(row.change < 0 and row.absolute_change == pytest.approx(-row.change) for row in incomplete.result.rows)
