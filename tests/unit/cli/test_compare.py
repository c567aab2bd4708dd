"""`diveval compare` as a user types it."""

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
from support.wording import says


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small collection of 12 topics: QRELS RUN … as words."""
    folder = make_collection(tmp_path_factory.mktemp("made"), topics=12, systems=5, depth=40, seed=2)
    return [str(folder / "qrels.txt"), *map(str, sorted((folder / "runs").glob("*.run")))]


def test_csv_holds_every_pair_as_the_statistics_give_it(made: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The header, ten pairs of five runs, and the numbers of `stats.compare` to the last digit."""
    assert main(["compare", *made, "-m", "alpha_nDCG@10", "--test", "wilcoxon", "--correction", "bh", "-f", "csv"]) == 0
    text = capsys.readouterr().out
    rows = list(csv.DictReader(io.StringIO(text)))
    header = "run,other,difference,effect,low,high,p,p_adjusted,significant,topics,note"
    assert list(rows[0]) == header.split(",") and len(rows) == 10
    scores = evaluate(made[0], made[1:], "alpha_nDCG@10")
    assert compare(scores, test="wilcoxon", correction="bh").to_csv() == text


def test_the_table_shows_letters_for_all_pairs_and_none_against_a_baseline(
    made: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tukey's HSD for all pairs; a baseline may be named by its file."""
    assert main(["compare", *made, "--test", "tukey", "--resamples", "500", "--seed", "4"]) == 0
    out = capsys.readouterr().out
    assert f"{USUAL[0]}: test tukey, simultaneous, 500 resamples, seed 4" in out and "letters" in out
    assert main(["compare", *made, "--baseline", made[2], "-f", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert len(result["rows"]) == 4 and {row["other"] for row in result["rows"]} == {result["baseline"]}
    assert main(["compare", *made, "--baseline", made[2]]) == 0
    assert "letters" not in capsys.readouterr().out


def test_latex_has_the_runs_and_the_pairs(made: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Two tabulars."""
    assert main(["compare", *made, "-f", "latex"]) == 0
    assert capsys.readouterr().out.count(r"\begin{tabular}") == 2


def test_a_test_that_does_not_fit_is_said(made: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One topic has no test; few topics have a warning on standard error."""
    few, lines = tmp_path / "few", Path(made[0]).read_text().splitlines(keepends=True)
    few.write_text("".join(line for line in lines if line.startswith(("101 ", "102 ", "103 "))))
    assert main(["compare", str(few), *made[1:]]) == 0
    assert "only 3 topics" in capsys.readouterr().err
    few.write_text("".join(line for line in lines if line.startswith("101 ")))
    assert main(["compare", str(few), *made[1:]]) == 0
    out, err = capsys.readouterr()
    assert "fewer than two shared topics" in err and "none" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--baseline", "nobody"], "no scores for the baseline 'nobody'"),
        (["--resamples", "5"], "resamples must be 100 or more"),
        (["--confidence", "1"], "confidence must lie between 0 and 1"),
    ],
)
def test_bad_words_exit_2_with_one_line(
    made: Any, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    """No traceback, nothing on standard output."""
    assert main(["compare", *made, *words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and says(message, err) and err.count("\n") == 1
