"""Data of the view on conclusions: the library's verdicts, with or without the names of unjudged documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from diveval.cli import main
from diveval.conclusions import conclude
from diveval.datasets import make_collection
from diveval.evaluation import load_judgments, rank_all
from diveval.metrics import parse
from diveval.options import Options
from diveval.runs import RunDuplicates
from diveval.views.survival import Doubts, survival
from support.reports import leave_axioms_out

METRIC = "RBU(p=0.6..0.99,e=0..0.1)@10"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small collection with weights."""
    return make_collection(tmp_path_factory.mktemp("survival"), topics=4, systems=4, depth=30, seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("duplicates", [None, "blank"])
def test_rankings_without_names_give_the_same_verdicts(made: Path, duplicates: RunDuplicates | None) -> None:
    """Unjudged documents that stay unlabelled need no names, also where a document stands twice in a list."""
    runs = sorted((made / "runs").glob("*.run"))
    if duplicates:
        lines = runs[0].read_text().splitlines()
        runs[0].write_text("\n".join([lines[0], *lines, ""]).replace("\n", "\n"), encoding="utf-8")
    options = Options.of(duplicates=duplicates)
    judgments = load_judgments(made / "qrels.txt", options, made / "weights.txt")
    asked = Doubts.usual(parse("RBU@10"), judgments)
    assert asked == Doubts(METRIC, "given")
    shown = [
        survival(judgments, rank_all(judgments, runs, [parse("RBU@10")], options, keep_documents=keep), options, asked)
        for keep in (True, False)
    ]
    assert shown[0] == shown[1]
    found = conclude(judgments, runs, METRIC, any_weights="given", options=options)
    systems = found.systems
    rows = [(systems[a], systems[b], shown[0]["verdicts"][v]) for a, b, v, *_ in shown[0]["rows"]]
    assert rows == [(row.better, row.worse, row.verdict) for row in found.rows if row.doubt == "all"]
    assert shown[0]["certain"] == len(found.edges())


@pytest.mark.slow
def test_the_report_asks_what_it_is_told(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Named ranges and weights are those of the page; `none` leaves the view out; nonsense is one line, exit code 2."""
    leave_axioms_out(monkeypatch)
    files = [str(made / "qrels.txt"), *map(str, sorted((made / "runs").glob("*.run"))[1:4]), "-m", "RBU@10"]
    out = tmp_path / "report.html"
    assert main(["report", *files, "-o", str(out), "--any-weights"]) == 0
    assert "all weights of the aspects" in out.read_text(encoding="utf-8")
    named = "EU(e=0..0.2)@5"
    assert main(["report", *files, "-o", str(out), "--conclusions", named]) == 0
    text = out.read_text(encoding="utf-8")
    assert "every e from 0 to 0.2" in text and "every p from" not in text
    assert main(["report", *files, "-o", str(out), "--conclusions", "none"]) == 0
    assert '"conclusions":{' not in out.read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["report", *files, "-o", str(tmp_path / "no.html"), "--conclusions", "RBU(p=0.9..0.2)@20"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "no.html").exists()
