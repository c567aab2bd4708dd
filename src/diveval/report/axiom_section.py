"""Data for the section on axioms: the matrix of the chosen metrics, and the evidence for each of its cells.

Deciding takes seconds, so it runs in a process of its own while the report is computed. Cells that are not decided in
time are shown as open; `diveval axioms` can be given longer.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from diveval.errors import DivevalError, need
from diveval.metrics import Metric
from diveval.views.axiom_matrix import shown_cell

READING = "charitable"  # what the paper means; `as-written` is what its formulas say
QUICK, PATIENT = 2.0, 30.0  # seconds for a cell, and for one still open when all others are decided
WAIT_SECONDS = 3.0
LONGER = "diveval report --axiom-seconds 60"
SERVE = "from diveval.report.axiom_section import serve; serve()"


def serve() -> None:
    """The main function of the deciding process: prints the constraints, then one verdict per line.

    Cached verdicts come first, then quick attempts, then longer ones for the cells still open: whenever the report stops
    waiting, it has as many cells as possible.
    """
    from diveval.axioms import AXIOMS

    asked = json.load(sys.stdin)
    about = [{"name": a.name, "title": a.title, "says": a.says, "why": a.why} for a in AXIOMS.values()]
    print(json.dumps(about), flush=True)
    left = [(metric, axiom) for metric in asked["metrics"] for axiom in AXIOMS]
    for limit in (None, QUICK, PATIENT):
        turn, left = left, []
        for metric, axiom in turn:
            cell = _cell(metric, axiom, asked["reading"], limit)
            if cell is not None:
                print(json.dumps(cell), flush=True)
            if cell is None or cell["verdict"] == "unknown":
                left.append((metric, axiom))


def _cell(metric: str, axiom: str, reading: str, limit: float | None) -> dict[str, Any] | None:
    """Without a limit, the cached verdict or None; with a limit, the verdict, decided if it is not cached."""
    from diveval.axioms.proof.scheduler import Cell, answer, kept

    try:
        cell = Cell.of(metric, axiom, reading)
        verdict = kept(cell) if limit is None else answer(replace(cell, time_limit=limit))
    except DivevalError as error:
        return {"metric": metric, "axiom": axiom, "verdict": "unknown", "note": str(error)}
    return None if verdict is None else verdict.as_dict()


class Deciding:
    """The matrix while it is decided; `finish` returns the verdicts so far, and leaving the `with` block ends the process."""

    def __init__(self, metrics: Sequence[Metric], reading: str = READING) -> None:
        self.reading = reading
        self.notes: list[str] = []
        self._names = [metric.name for metric in metrics if metric.entry is not None]
        self._lines: list[str] = []
        self._process: subprocess.Popen[str] | None = None
        if len(self._names) < len(metrics):
            self.notes.append("Metrics of your own are not among these; `diveval axioms` decides them.")
        try:
            need("z3", "axioms")
        except DivevalError as error:
            self.notes.append(f"The axioms were not decided: {error}")
            return
        pipe, command = subprocess.PIPE, [sys.executable, "-c", SERVE]
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, encoding="utf-8"
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"metrics": self._names, "reading": reading}))
        self._process.stdin.close()
        # A thread reads all the time: otherwise the process would block when the pipe is full.
        self._reader = threading.Thread(target=self._lines.extend, args=(self._process.stdout,), daemon=True)
        self._reader.start()

    def __enter__(self) -> Deciding:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the deciding process, if it still runs."""
        if self._process is not None:
            self._process.kill()
            self._reader.join()
            self._process.wait()

    def finish(self, *, seconds: float = WAIT_SECONDS) -> dict[str, Any]:
        """Wait at most that long for open cells, then stop; returns the matrix as plain data."""
        nothing = {"axioms": [], "rows": [], "reading": self.reading, "notes": self.notes}
        if self._process is None:
            return nothing
        self._reader.join(seconds)
        late = self._reader.is_alive()
        self.stop()
        lines = [json.loads(line) for line in self._lines if line.endswith("\n")]
        if not lines:
            self.notes.append("The axioms could not be decided here.")
            return nothing
        about, *cells = lines
        decided = {(cell["metric"], cell["axiom"]): shown_cell(cell) for cell in cells}
        rows = [
            {"metric": name, "cells": [decided.get((name, axiom["name"])) for axiom in about]} for name in self._names
        ]
        begun = [row["cells"] for row in rows if any(row["cells"])]  # the page names metrics without any verdict
        missing = sum(cell is None for cells in begun for cell in cells)
        if missing:
            why = "in time" if late else "here"
            self.notes.append(f"{missing} cells were not decided {why}; {LONGER} gives them longer.")
        return {"axioms": about, "rows": rows, "reading": self.reading, "notes": self.notes, "longer": LONGER}
