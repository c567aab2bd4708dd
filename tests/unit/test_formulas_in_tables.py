"""Names that spreadsheets take for formulas: a participant chooses the name of a run, and an organiser opens the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from diveval.cli import main
from diveval.results.table_text import starts_formula
from support.refusals import is_warning


@pytest.mark.parametrize("text", ["=1+1", "+cmd|'/C'!A0", "@SUM(A1)", "-x", "\t=1", "=HYPERLINK(1)"])
def test_what_a_spreadsheet_would_run_is_recognised(text: str) -> None:
    """Whatever begins like a formula and is no number."""
    assert starts_formula(text)


@pytest.mark.parametrize("text", ["run", "-1", "+2.5", "-1e-5", "", "a=b", "–", "x-y"])
def test_numbers_and_names_are_no_formulas(text: str) -> None:
    """Negative numbers stand in every table."""
    assert not starts_formula(text)


def test_a_run_with_such_a_name_is_warned_about(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table keeps the name, so that scripts can join by it, and the warning names the run."""
    (tmp_path / "qrels.txt").write_text("1 0 d1 1\n")
    (tmp_path / "=1+1.run").write_text("1 Q0 d1 1 2.0 x\n")
    words = ["evaluate", str(tmp_path / "qrels.txt"), str(tmp_path / "=1+1.run"), "-m", "nDCG@5", "-f"]
    assert main([*words, "csv"]) == 0
    captured = capsys.readouterr()
    assert is_warning(captured.err, "formula-in-table", "=1+1")
    assert "=1+1,nDCG@5,all,1.0" in captured.out
    main([*words, "table"])
    assert "formula-in-table" not in capsys.readouterr().err
