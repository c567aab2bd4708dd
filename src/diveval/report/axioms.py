"""Data for the section on axioms: the matrix of the chosen metrics, and the evidence behind each of its cells.

Deciding takes seconds, so it runs in a process of its own beside reading and computing; what is not decided in time is
said to be open, and `diveval axioms` can be given longer.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from diveval.errors import DivevalError, need
from diveval.metrics import Metric

READING = "charitable"  # what the paper means; `as-written` is what its formulas say
CELL_SECONDS = 4.0
WAIT_SECONDS = 3.0
SERVE = "from diveval.report.axioms import serve; serve()"
ANSWERS = ("verdict", "paper", "agrees", "evidence", "region", "proof", "note", "parameters", "uncut")


def serve() -> None:
    """In the deciding process: the constraints, then one verdict a line, for what standard input asks."""
    from diveval.axioms import AXIOMS, check

    asked = json.load(sys.stdin)
    about = [{"name": a.name, "title": a.title, "says": a.says, "why": a.why} for a in AXIOMS.values()]
    print(json.dumps(about), flush=True)
    for metric in asked["metrics"]:
        for axiom in AXIOMS:
            try:
                cell = check(metric, axiom, reading=asked["reading"], time_limit=CELL_SECONDS).as_dict()
            except DivevalError as error:
                cell = {"metric": metric, "axiom": axiom, "verdict": "unknown", "note": str(error)}
            print(json.dumps(cell), flush=True)


@dataclass
class Deciding:
    """The matrix in the making; `finish` takes what there is."""

    metrics: Sequence[Metric]
    reading: str = READING
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lines: list[str] = []
        self._process: subprocess.Popen[str] | None = None
        known = [metric.name for metric in self.metrics if metric.entry is not None]
        if len(known) < len(self.metrics):
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
        self._process.stdin.write(json.dumps({"metrics": known, "reading": self.reading}))
        self._process.stdin.close()
        # A thread of its own reads, so that a full pipe never holds the deciding up.
        self._reader = threading.Thread(target=self._lines.extend, args=(self._process.stdout,), daemon=True)
        self._reader.start()

    def finish(self, *, seconds: float = WAIT_SECONDS) -> dict[str, Any]:
        """Wait that long for what is still open, then stop; the matrix as plain data."""
        nothing = {"axioms": [], "rows": [], "reading": self.reading, "notes": self.notes}
        if self._process is None:
            return nothing
        self._reader.join(seconds)
        late = self._reader.is_alive()
        self._process.kill()
        self._reader.join()
        self._process.wait()
        lines = [json.loads(line) for line in self._lines if line.endswith("\n")]
        if not lines:
            self.notes.append("The axioms could not be decided here.")
            return nothing
        about, *cells = lines
        found = {(cell["metric"], cell["axiom"]): _shown(cell) for cell in cells}
        names = [metric.name for metric in self.metrics if metric.entry is not None]
        rows = [{"metric": name, "cells": [found.get((name, axiom["name"])) for axiom in about]} for name in names]
        missing = sum(cell is None for row in rows for cell in row["cells"])
        if missing:
            why = "in time" if late else "here"
            self.notes.append(f"{missing} cells were not decided {why}; `diveval axioms` can be given longer.")
        return {"axioms": about, "rows": rows, "reading": self.reading, "notes": self.notes}


def _shown(cell: dict[str, Any]) -> dict[str, Any]:
    """A verdict as the page needs it; relevance as text and as a number, which decides how large it is drawn."""
    out = {key: cell[key] for key in ANSWERS if cell.get(key)}
    example = cell.get("counterexample")
    if example:
        keys = ("label", "weights", "setting", "cutoff", "strict", "scores", "decimals")
        out["example"] = {key: example[key] for key in keys}
        for side in ("better", "worse"):
            out["example"][side] = [[[r, float(Fraction(r))] for r in row] for row in example[side]]
    return out
