"""The command `diveval compare`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from diveval import evaluate
from diveval.cli import main
from diveval.datasets import make_collection
from diveval.defaults import USUAL
from diveval.stats import compare
from support.refusals import has_facts, is_refusal, is_warning


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small collection of 12 topics as the arguments QRELS RUN …"""
    folder = make_collection(tmp_path_factory.mktemp("files"), topics=12, systems=5, depth=40, seed=2)
    return [str(folder / "qrels.txt"), *map(str, sorted((folder / "runs").glob("*.run")))]


def test_csv_has_every_pair(files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The CSV has the documented header, ten pairs of five runs, and the numbers of `stats.compare`."""
    assert (
        main(["compare", *files, "-m", "alpha_nDCG@10", "--test", "wilcoxon", "--correction", "bh", "-f", "csv"]) == 0
    )
    text = capsys.readouterr().out
    rows = list(csv.DictReader(io.StringIO(text)))
    header = "run,other,difference,effect,low,high,p,p_adjusted,significant,topics,note,estimate,level"
    assert list(rows[0]) == header.split(",") and len(rows) == 10
    scores = evaluate(files[0], files[1:], "alpha_nDCG@10")
    assert compare(scores, test="wilcoxon", correction="bh").to_csv() == text


def test_letters_are_shown_for_all_pairs_only(files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The table has letters for all pairs but not against a baseline, which may be given as a file."""
    assert main(["compare", *files, "--test", "tukey", "--resamples", "500", "--seed", "4"]) == 0
    out = capsys.readouterr().out
    assert has_facts(out, USUAL[0], "Tukey", 500, 4) and "letters" in out
    assert main(["compare", *files, "--baseline", files[2], "-f", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert len(result["rows"]) == 4 and {row["other"] for row in result["rows"]} == {result["baseline"]}
    assert main(["compare", *files, "--baseline", files[2]]) == 0
    assert "letters" not in capsys.readouterr().out


def test_latex_has_the_runs_and_the_pairs(files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """LaTeX has one table of runs and one of pairs."""
    assert main(["compare", *files, "-f", "latex"]) == 0
    assert capsys.readouterr().out.count(r"\begin{tabular}") == 2


def test_few_topics_cause_a_warning(files: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Few topics cause a warning; with one topic there is no test."""
    few, lines = tmp_path / "few", Path(files[0]).read_text().splitlines(keepends=True)
    few.write_text("".join(line for line in lines if line.startswith(("101 ", "102 ", "103 "))))
    assert main(["compare", str(few), *files[1:]]) == 0
    assert is_warning(capsys.readouterr().err, "test-assumption", "3")
    few.write_text("".join(line for line in lines if line.startswith("101 ")))
    assert main(["compare", str(few), *files[1:]]) == 0
    out, err = capsys.readouterr()
    assert is_warning(err, "test-assumption") and "none" in out


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["--baseline", "nobody"], ("unknown-run", "nobody")),
        (["--resamples", "5"], ("out-of-range", "100")),
        (["--confidence", "1"], ("out-of-range", "0", "1")),
    ],
)
def test_invalid_arguments_exit_2_with_one_line(
    files: Any, capsys: pytest.CaptureFixture[str], words: list[str], refusal: tuple[str, ...]
) -> None:
    """The error is one line that names the argument, and nothing goes to standard output."""
    assert main(["compare", *files, *words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and is_refusal(err, *refusal) and err.count("\n") == 1
