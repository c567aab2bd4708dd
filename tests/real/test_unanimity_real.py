"""Metric Unanimity on a real collection through the command line, and the page that reports it."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from diveval.experiments import experiment_1, from_folder, reproduction
from diveval.experiments.paper_tables import TITLES
from diveval.experiments.reproduction import TableColumn
from support.refusals import is_warning

PAGE = Path(__file__).parents[2] / "docs" / "experiments-table2.md"


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_the_paper_set_on_22_runs_of_2011(realdata: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """109 variants, 22 · 21 ordered pairs on 50 topics; metrics with effort come first, S-Recall last, as in the paper."""
    folder = realdata / "web2011"
    runs = map(str, sorted((folder / "runs").iterdir()))
    assert main(["meta", "unanimity", str(folder / "qrels.diversity.txt"), *runs, "--set", "paper", "-f", "csv"]) == 0
    out, err = capsys.readouterr()
    rows = {row["metric"]: row for row in csv.DictReader(io.StringIO(out))}
    assert len(rows) == 109 and {row["pairs"] for row in rows.values()} == {str(50 * 22 * 21)}
    assert is_warning(err, "missing-topics", 1, 50)
    mu = {name: float(row["mu"]) for name, row in rows.items()}
    assert mu["RBU(p=0.99,e=0.05)"] == max(mu.values()) > mu["DCG@1000"] > mu["P@20"] > mu["StRecall@10"]
    assert all(float(row["low"]) <= mu[name] <= float(row["high"]) for name, row in rows.items())


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize("year", [2009, 2010, 2011])
def test_the_page_has_the_values_measured(realdata: Any, year: int) -> None:
    """The official column of docs/experiments-table2.md, with intervals, is what is measured now."""
    collection = from_folder(realdata / f"web{year}")
    column = TableColumn(
        "table2", "official", TITLES["table2", "official"], collection.described, (experiment_1(collection),)
    )
    page = PAGE.read_text(encoding="utf-8")
    section = page[page.index(f"## {collection.described}") :]
    table = section[section.index("### ") :]
    assert table.startswith(f"{reproduction.markdown(reproduction.beside(column))}\n\n### Simulated")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_the_page_of_table_3_is_what_the_command_prints(realdata: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Every row about Web 2009 in docs/experiments-table3.md is what `data reproduce table3` prints now."""
    assert main(["data", "reproduce", "table3", "--data", str(realdata / "web2009"), "-f", "md"]) == 0
    printed = section_about(capsys.readouterr().out, "web2009")
    page = section_about((PAGE.parent / "experiments-table3.md").read_text(encoding="utf-8"), "web2009")
    assert len(printed) > 60 and printed == page


def section_about(text: str, name: str) -> list[str]:
    """The rows of the section of a page whose heading names a collection."""
    (section,) = [part for part in text.split("\n## ")[1:] if name in part.partition("\n")[0].lower().replace(" ", "")]
    return [line for line in section.splitlines() if line.startswith("|")]
