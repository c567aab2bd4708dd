"""The notebook of the documentation is current: executed again, it shows the same."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.console import ROOT
from support.late import late_or_skip
from support.programs import load

late_or_skip("nbclient")
late_or_skip("ipykernel")


def shown(cells: Any) -> list[tuple[str, list[str]]]:
    """Each cell's source and output, except for tables rendered by other libraries."""
    out = []
    for cell in cells:
        data = [output["data"] for output in cell.get("outputs", [])]
        texts = ["".join(d.get("text/html", d["text/plain"])) for d in data]
        out.append(("".join(cell["source"]), [text for text in texts if "dataframe" not in text]))
    return out


@pytest.mark.slow
def test_the_notebook_is_executed_and_current() -> None:
    """Every cell runs without an error and shows what the stored notebook shows."""
    module = load(ROOT / "docs" / "make_tour.py")
    stored = json.loads(module.TOUR.read_text(encoding="utf-8"))
    assert all(cell["outputs"] for cell in stored["cells"] if cell["cell_type"] == "code")
    assert shown(module.executed()["cells"]) == shown(stored["cells"])
