"""The tour: the notebook in the documents is what its script makes, executed again."""

from __future__ import annotations

import importlib.util
import json

import pytest

from support.console import ROOT

pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")


def shown(cells) -> list[tuple[str, list[str]]]:
    """Each cell's source and what it shows, but for the look other libraries give their tables."""
    out = []
    for cell in cells:
        data = [output["data"] for output in cell.get("outputs", [])]
        texts = ["".join(d.get("text/html", d["text/plain"])) for d in data]
        out.append(("".join(cell["source"]), [text for text in texts if "dataframe" not in text]))
    return out


def test_the_notebook_is_executed_and_current():
    """Every cell runs without an error, and shows what the notebook in the documents shows."""
    spec = importlib.util.spec_from_file_location("make_tour", ROOT / "docs" / "make_tour.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    stored = json.loads(module.TOUR.read_text(encoding="utf-8"))
    assert all(cell["outputs"] for cell in stored["cells"] if cell["cell_type"] == "code")
    assert shown(module.executed()["cells"]) == shown(stored["cells"])
