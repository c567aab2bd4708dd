"""The studio under many visitors: a short form of `make load`, and bounds on all that it keeps."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from diveval.metrics import parse
from diveval.studio import jobs
from diveval.studio.limits import Limits
from support.console import ROOT

LOAD = ROOT / "benchmarks" / "load_studio.py"


@pytest.mark.slow
def test_many_clients_meet_no_error(files: dict[str, Any]) -> None:
    """Twenty at once for a moment: every request is answered well, and memory stays in bounds."""
    pytest.importorskip("psutil")
    given = [files["judgments"], *files["runs"]]
    words = ["--clients", "20", "--warm", "0", "--seconds", "0.2", "--pause", "0", "--json"]
    done = subprocess.run(
        [sys.executable, LOAD, *words, *given], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr
    found = json.loads(done.stdout)
    assert found["errors"] == {} and found["requests"] >= 20
    assert found["memory"]["after a pause"] < found["memory"]["loaded"] + 200


def test_verdicts_are_forgotten_for_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slider makes new metrics without end; the matrix keeps the cells that were used last."""
    monkeypatch.setattr(jobs, "REMEMBERED", 3)
    matrix = jobs.LiveMatrix(Limits())
    decided = []

    def decide(metric: object, axiom: str, reading: object) -> dict[str, str]:
        decided.append(axiom)
        return {"axiom": axiom}

    monkeypatch.setattr(matrix, "_decide", decide)
    metric = parse("P@5")
    for axiom in "abcadaaeb":
        assert matrix._cell(metric, axiom, "charitable") == {"axiom": axiom}
    assert decided == list("abcdeb") and len(matrix._kept) == 3
