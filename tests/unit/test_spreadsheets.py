"""Names that other programs would execute or misread: formulas in CSV, arguments of LaTeX commands, HTML in Markdown."""

from __future__ import annotations

import csv
import io
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diveval.cli import main
from diveval.errors import printable
from diveval.results.table_text import csv_text, latex_lines, protect_formulas
from support.refusals import is_refusal

cells = st.one_of(
    st.text(max_size=6),
    st.builds("".join, st.tuples(st.sampled_from("=+-@ \t\r\n\uff1d"), st.text(max_size=4))),
    st.floats().map(repr),
)


@given(st.lists(st.lists(cells, min_size=2, max_size=2), max_size=4))
def test_no_cell_is_a_formula_and_numbers_stay(rows: list[list[str]]) -> None:
    """After protection only numbers begin with a sign, and removing the apostrophe gives the text that was there."""
    protected = list(csv.reader(io.StringIO(protect_formulas(csv_text(["a", "b"], rows)), newline="")))[1:]
    given_rows = list(csv.reader(io.StringIO(csv_text(["a", "b"], rows).replace("\r", r"\x0d"), newline="")))[1:]
    for before, after in zip(chain(*given_rows), chain(*protected), strict=True):
        if after != before:
            assert after == "'" + before
            continue
        if after.lstrip()[:1] in tuple("=+-@\uff1d\uff0b\uff0d\uff20"):
            float(after)


def test_the_option_protects_what_a_command_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--spreadsheet changes names that begin with = and no number, and is refused for tables."""
    (tmp_path / "q").write_text("1 a d 1\n", encoding="utf-8")
    run = tmp_path / "=1+1"
    run.write_text("1 Q0 u 1 1 t\n1 Q0 d 2 0 t\n", encoding="utf-8")
    words = ["evaluate", str(tmp_path / "q"), str(run), "-m", "RBU(p=0.5,e=1)@2"]
    assert main([*words, "-f", "csv"]) == 0
    (plain,) = list(csv.reader(io.StringIO(capsys.readouterr().out)))[1:]
    assert main([*words, "-f", "csv", "--spreadsheet"]) == 0
    (safe,) = list(csv.reader(io.StringIO(capsys.readouterr().out)))[1:]
    assert plain[0] == "=1+1" and safe == ["'" + plain[0], *plain[1:]] and float(safe[3]) < 0
    assert main([*words, "--spreadsheet"]) == 2
    assert is_refusal(capsys.readouterr().err, "conflicting-options")


@pytest.mark.parametrize("name", ["[a", "*b", "[2cm]", "*"])
def test_no_row_of_latex_is_an_argument_of_the_line_above(name: str) -> None:
    r"""Behind \\ and \midrule, a name that begins with [ or * is text."""
    for line in latex_lines([name, "x"], [[name, "1"], [name, "2"]], "lr"):
        assert not line.startswith(("[", "*"))


def test_marks_of_direction_are_shown() -> None:
    """Characters that reorder text are printed as codes, and letters and emoji with joiners stay."""
    for character in "\u061c\u200e\u200f\u202e\u2067":
        assert printable(f"a{character}b").isascii()
    assert printable("\u0645\u06cc\u200c\u062e\u0648") == "\u0645\u06cc\u200c\u062e\u0648"
