"""The table of twenty calls in docs/howto/migrate.md: our side is run on a small collection, ir_measures' side beside it."""

from __future__ import annotations

import csv
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diveval.cli import main

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")


def _rows() -> list[tuple[str, str, str]]:
    page = (ROOT / "docs" / "howto" / "migrate.md").read_text(encoding="utf-8")
    table = page.partition("## Twenty calls side by side")[2].partition("\n## ")[0]
    lines = [re.split(r" \| ", line.strip("| \n")) for line in table.splitlines() if line.startswith("| ")]
    return [(task, theirs.strip("`"), ours.strip("`")) for task, theirs, ours in lines[1:]]


ROWS = _rows()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Judgments of 0 to 3, a run of distinct scores, and groups of the documents."""
    folder, rng = tmp_path_factory.mktemp("migrate"), np.random.default_rng(7)
    documents = [f"d{i:02}" for i in range(40)]
    judged = [(t, d, int(rng.integers(0, 4))) for t in "123" for d in documents[:30]]
    listed = [(t, str(d), 90.0 - i) for t in "123" for i, d in enumerate(rng.permutation(documents)[:25])]
    groups = "".join(f"{t},{d},{a},{'xy'[int(rng.integers(2))]},1\n" for t in "123" for d in documents for a in "AB")
    texts = {
        "Q": "".join(f"{t} 0 {d} {g}\n" for t, d, g in judged),
        "B": "".join(f"{t} 0 {d} {int(g > 0)}\n" for t, d, g in judged),
        "R": "".join(f"{t} Q0 {d} {i} {s} run\n" for i, (t, d, s) in enumerate(listed)),
        "FOLDER": f"topic,document,attribute,group,share\n{groups}",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {name: str(folder / name) for name in texts}


def _words(call: str, files: dict[str, str], judgments: str = "Q") -> list[str]:
    """The words of a call; `d` stands for `diveval evaluate Q R`."""
    words = shlex.split(call.replace("d ", "diveval evaluate Q R ", 1) if call.startswith("d ") else call)
    given = {**files, "Q": files[judgments]}
    return [given.get(word, word) for word in words]


def test_there_are_twenty() -> None:
    """Each row has a task, a call elsewhere and one of ours."""
    assert len(ROWS) == 20 and all(all(row) for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_our_call_runs_and_prints(row: tuple[str, str, str], files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0 and a number for the run; cwl_eval's metrics take gains up to 1."""
    words = _words(row[2], files, "B" if "cwl-eval" in row[1] else "Q")
    if words[0] == "diveval":
        assert main(words[1:]) == 0
        printed = capsys.readouterr().out
    else:
        assert words[:2] == ["python", "-m"]
        printed = subprocess.run([sys.executable, *words[1:]], capture_output=True, check=True, text=True).stdout
    assert re.search(r"\d\.\d{4}", printed)


@pytest.mark.parametrize("row", [row for row in ROWS if row[1].startswith("ir_measures ")], ids=lambda row: row[0])
def test_ir_measures_prints_the_same_number(
    row: tuple[str, str, str], files: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """On binary judgments, to the four digits that it prints; where no provider is installed the row is left out."""
    ir_measures = pytest.importorskip("ir_measures")
    words = _words(row[1], files, "B")
    qrels, run = ir_measures.read_trec_qrels(words[1]), ir_measures.read_trec_run(words[2])
    measure = ir_measures.parse_measure(words[3])
    if not any(
        p.is_available() and p.supports(measure) and p.NAME != "diveval"
        for p in ir_measures.providers.registry.values()
    ):
        pytest.skip(f"no provider of {measure}")
    theirs = ir_measures.calc_aggregate([measure], qrels, run)[measure]
    assert main([*_words(row[2], files, "B")[1:], "-f", "csv"]) == 0
    (ours,) = [r for r in csv.DictReader(io.StringIO(capsys.readouterr().out)) if r["topic"] == "all"]
    assert float(ours["value"]) == pytest.approx(theirs, abs=5e-5)


def _trec_eval_names() -> list[tuple[str, str]]:
    return [(row[1], row[2]) for row in ROWS if row[1].startswith("trec_eval -") and re.search(r"-m (\S+) Q R", row[1])]


@pytest.mark.parametrize(("theirs", "ours"), _trec_eval_names())
def test_our_trec_eval_prints_the_same_number(
    theirs: str, ours: str, files: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """The call of trec_eval, given to our drop-in (held to its bytes elsewhere), has the number of the call beside it."""
    words = _words(theirs, files)
    done = subprocess.run(
        [sys.executable, "-m", "diveval.trec_eval", *words[1:]], capture_output=True, check=True, text=True
    )
    expected = [line.split()[-1] for line in done.stdout.splitlines() if line.split()[-2] == "all"]
    if "-f trec" in ours:
        assert main(_words(ours, files)[1:]) == 0
        assert capsys.readouterr().out == done.stdout
        return
    if ours.startswith("python"):
        assert _words(ours, files)[3:] == words[1:]
        return
    assert main([*_words(ours, files)[1:], "-f", "csv"]) == 0
    values = [r["value"] for r in csv.DictReader(io.StringIO(capsys.readouterr().out)) if r["topic"] == "all"]
    assert [f"{float(value):.4f}" for value in values] == expected
