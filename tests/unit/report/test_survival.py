"""Data of the view on conclusions: the verdicts of the library, with or without names of unjudged documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from diveval.conclusions import conclude
from diveval.datasets import make_collection
from diveval.metrics import parse
from diveval.scoring.evaluate import load_judgments, rank_all
from diveval.setting_table import RunDuplicates
from diveval.settings import Options
from diveval.views.survival import Doubts, survival
from support.reports import leave_axioms_out

METRIC = "RBU(p=0.6..0.99,e=0..0.1)@10"


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small collection with weights."""
    return make_collection(tmp_path_factory.mktemp("survival"), topics=4, systems=4, depth=30, seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("duplicates", [None, "blank"])
def test_rankings_without_names_give_the_same_verdicts(collection: Path, duplicates: RunDuplicates | None) -> None:
    """Names of unjudged documents are not needed, also if a document is repeated in a list."""
    runs = sorted((collection / "runs").glob("*.run"))
    if duplicates:
        lines = runs[0].read_text().splitlines()
        runs[0].write_text("\n".join([lines[0], *lines, ""]), encoding="utf-8")
    options = Options.of(duplicates=duplicates)
    judgments = load_judgments(collection / "qrels.txt", options, collection / "weights.txt")
    doubts = Doubts.usual(parse("RBU@10"), judgments)
    assert doubts == Doubts(METRIC, "given")
    shown = [
        survival(judgments, rank_all(judgments, runs, [parse("RBU@10")], options, keep_documents=keep), options, doubts)
        for keep in (True, False)
    ]
    assert shown[0] == shown[1]
    concluded = conclude(judgments, runs, METRIC, any_weights="given", options=options)
    systems = concluded.systems
    rows = [(systems[a], systems[b], shown[0]["verdicts"][v]) for a, b, v, *_ in shown[0]["rows"]]
    assert rows == [(row.better, row.worse, row.verdict) for row in concluded.rows if row.doubt == "all"]
    assert shown[0]["certain"] == len(concluded.edges())


def conclusions(report: Path) -> Any:
    """The data of the view in a report."""
    text = report.read_text(encoding="utf-8")
    start = text.index('id="data">') + len('id="data">')
    return json.loads(text[start : text.index("</script>", start)]).get("conclusions")


@pytest.mark.slow
def test_the_options_of_the_report_reach_the_view(
    collection: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Named ranges and weights are on the page; `none` leaves the view out; invalid ranges exit with 2."""
    leave_axioms_out(monkeypatch)
    files = [str(collection / "qrels.txt"), *map(str, sorted((collection / "runs").glob("*.run"))[1:4]), "-m", "RBU@10"]
    out = tmp_path / "report.html"
    assert main(["report", *files, "-o", str(out), "--any-weights"]) == 0
    assert "weights" in conclusions(out)["asked"][-1]
    assert main(["report", *files, "-o", str(out), "--conclusions", "EU(e=0..0.2)@5"]) == 0
    assert conclusions(out)["metric"] == "EU(alpha=0.5,e=0..0.2)@5"
    assert main(["report", *files, "-o", str(out), "--conclusions", "none"]) == 0
    assert conclusions(out) is None
    capsys.readouterr()
    assert main(["report", *files, "-o", str(tmp_path / "no.html"), "--conclusions", "RBU(p=0.9..0.2)@20"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "no.html").exists()
