"""The studio under load: a short form of `make load`, and a bound on cached verdicts."""

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
    """With twenty clients at once every request succeeds, and memory stays bounded."""
    pytest.importorskip("psutil")
    paths = [files["judgments"], *files["runs"]]
    arguments = ["--clients", "20", "--warm", "0", "--seconds", "0.2", "--pause", "0", "--json"]
    done = subprocess.run(
        [sys.executable, LOAD, *arguments, *paths], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr
    report = json.loads(done.stdout)
    assert report["errors"] == {} and report["requests"] >= 20
    assert report["memory"]["after a pause"] < report["memory"]["loaded"] + 200


def test_the_cache_of_verdicts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The matrix keeps the cells that were used last."""
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
