"""The studio under load: a short form of `make load`, and a bound on cached verdicts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from diveval.axioms import AXIOMS
from diveval.axioms.proof import cache, scheduler
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


def test_the_memory_of_verdicts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The studio's scheduler keeps the verdicts that were used last, those that disk does not keep included."""
    decided = []

    def decide(task: object, cells: Sequence[scheduler.Cell], *rest: object, **more: object) -> Any:
        for number, cell in enumerate(cells):
            decided.append(cell.axiom.name)
            yield number, cell.unknown("")

    monkeypatch.setattr(scheduler, "run_cells", decide)
    monkeypatch.setattr(cache, "load", lambda name: None)  # what other tests stored
    verdicts = scheduler.Scheduler(remember=3)
    names = dict(zip("abcde", AXIOMS, strict=False))
    for letter in "abcadaaeb":
        cell = scheduler.Cell.of("P@5", names[letter])
        assert verdicts.decide([cell])[cell].axiom == names[letter]
    assert decided == [names[letter] for letter in "abcdeb"]
