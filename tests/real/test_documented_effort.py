"""The page on effort shows what `choose effort` prints for the Web tracks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from diveval.analysis.effort import tune_effort

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
PAGE = Path(__file__).parents[2] / "docs/howto/effort.md"


def test_shown_tables(collection: Any) -> None:
    """The tables of 2011 are those of the command."""
    found = collection(2011)
    shown = re.findall(r"^ +(0[.0-9]*) +(-?[0-9. -]+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    printed = re.findall(
        r"^ +(0[.0-9]*) +(-?[0-9. -]+)$", tune_effort(found.diversity, list(found.runs)).to_text(), re.MULTILINE
    )
    assert printed and [(e, row.split()) for e, row in shown] == [(e, row.split()) for e, row in printed]


@pytest.mark.parametrize(("place", "year"), enumerate([2009, 2010, 2011]))
def test_table_of_years(collection: Any, place: int, year: int) -> None:
    """Unanimity and power of the old and the new parameters, by year."""
    found, text = collection(year), PAGE.read_text(encoding="utf-8")
    tuned = tune_effort(found.diversity, list(found.runs), p=[0.9, 0.99], e=[0.01, 0.05])
    cells = {(one.p, one.e): one for one in tuned.rows}
    for name, field in (("unanimity", "mu"), ("discriminative power", "power")):
        (row,) = [line for line in text.splitlines() if line.startswith(f"| {name} 2009")]
        old, new = [cell.split(", ")[place] for cell in row.strip("| ").split(" | ")[1:]]
        for shown, setting in ((old, (0.99, 0.05)), (new, (0.9, 0.01))):
            value = getattr(cells[setting], field)
            assert shown == f"{value:.{len(shown) - 2}f}", (name, setting)
