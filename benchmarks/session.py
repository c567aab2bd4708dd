"""What a benchmark finds: rows, each a cost beside that of a peer or of 2.0.0 in the same run, or below a limit."""

from __future__ import annotations

import datetime
import json
import os
import platform
import re
import subprocess
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from measure import HERE, Command, Cost, FailedCommandError, cost_of, least, say

RESULTS = HERE / "results" / "bench.json"
RULES = {"faster": "≥ {:.4g}×", "within": "≤ {:.4g}×", "limit": "≤ {:.4g}"}


@dataclass(frozen=True)
class Row:
    """A job with its cost. `faster`: the peer's cost is at least `target` times ours; `within`: ours is at most `target`
    times the peer's; `limit`: ours is at most `target`."""

    job: str
    found: float
    unit: str
    rule: str
    target: float
    peer: str = ""
    theirs: float = 0.0
    judged: bool = True  # False: the workload is too small to tell
    note: str = ""

    @property
    def ratio(self) -> float:
        if self.rule == "limit":
            return self.found
        return self.theirs / max(self.found, 1e-9) if self.rule == "faster" else self.found / max(self.theirs, 1e-9)

    @property
    def passes(self) -> bool:
        return self.ratio >= self.target if self.rule == "faster" else self.ratio <= self.target

    @property
    def verdict(self) -> str:
        return "not judged" if not self.judged else "pass" if self.passes else "FAIL"

    def cells(self) -> list[str]:
        """The row of a table: job, found, peer, ratio, target, verdict."""
        target = RULES[self.rule].format(self.target)
        beside = f"{self.peer} {number(self.theirs)}" if self.peer else ""
        ratio = (
            "" if self.rule == "limit" else f"{self.ratio:.{0 if self.ratio >= 20 else 1 if self.ratio >= 3 else 2}f}×"
        )
        return [self.job + (f" ({self.note})" if self.note else ""), f"{number(self.found)} {self.unit}", beside, ratio, target, self.verdict]  # fmt: skip


HEADER = ["job", "now", "beside", "ratio", "target", ""]


def number(value: float) -> str:
    """Two decimals, fewer where the number is large."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


@dataclass
class Section:
    """The rows of one part of the benchmark, and where they were measured."""

    rows: list[Row] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)  # what could not be measured, and why
    facts: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {"rows": [asdict(row) for row in self.rows], "lacks": self.lacks, **self.facts}

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Section:
        facts = {name: value for name, value in kept.items() if name not in ("rows", "lacks")}
        return cls([Row(**row) for row in kept["rows"]], list(kept["lacks"]), facts)


class Session:
    """Measures, and collects the rows of the current section."""

    def __init__(self, building: Path, before: Path | None, *, quick: bool, rounds: int, job: str = "") -> None:
        self.building, self.before, self.quick, self.rounds, self.job = building, before, quick, rounds, job
        self.section = Section()

    # --- measuring ------------------------------------------------------------------------------------------------

    def alternate(self, commands: Mapping[str, Command | tuple[Command, Path | None]], rounds: int = 0) -> dict[str, list[Cost]]:  # fmt: skip
        """The costs of each command, run once per round, so that a slow phase of the machine affects all of them."""
        costs: dict[str, list[Cost]] = {}
        for _ in range(rounds or self.rounds):
            for name, given in commands.items():
                command, source = given if isinstance(given, tuple) else (given, None)
                cost = cost_of(command, source)
                costs.setdefault(name, []).append(cost)
                spent = f"CPU {cost.cpu:8.2f} s  wall {cost.wall:8.2f} s  {cost.megabytes:6.0f} MB"
                say(f"  {name:44} {spent}  load {os.getloadavg()[0]:.1f}")
        return costs

    # --- rows -----------------------------------------------------------------------------------------------------

    def _add(self, row: Row) -> None:
        self.section.rows.append(row)
        say(f"{row.verdict:10}  {' | '.join(cell for cell in row.cells()[:-1] if cell)}")

    def faster(self, job: str, found: float, peer: str, theirs: float, target: float, **more: Any) -> None:
        self._add(Row(job, found, "CPU s", "faster", target, peer, theirs, not self.quick, **more))

    def within(self, job: str, found: float, peer: str, theirs: float, target: float, **more: Any) -> None:
        self._add(Row(job, found, more.pop("unit", "CPU s"), "within", target, peer, theirs, not self.quick, **more))

    def limit(self, job: str, found: float, unit: str, target: float, **more: Any) -> None:
        self._add(Row(job, found, unit, "limit", target, judged=not self.quick, **more))

    def race(self, job: str, ours: list[Cost], peer: str, theirs: list[Cost], target: float) -> None:
        """The smallest CPU time of each."""
        self.faster(job, least(ours, "cpu"), peer, least(theirs, "cpu"), target)

    # --- sections -------------------------------------------------------------------------------------------------

    def measure(self, step: Any) -> Section:
        """The rows of one section; what fails is written down, and the next section runs."""
        self.section, start = Section(), time.perf_counter()
        load = os.getloadavg()[0]
        try:
            step(self)
        except (FailedCommandError, subprocess.SubprocessError, OSError, ValueError, LookupError) as error:
            self.section.lacks.append(f"{error}"[:600])
            say(f"not measured: {error}")
        self.section.facts = {
            "date": f"{datetime.date.today():%Y-%m-%d}",
            "machine": machine(),
            "load": round(load, 1),
            "minutes": round((time.perf_counter() - start) / 60, 1),
        }
        return self.section


def machine() -> str:
    """The processor, the number of cores and the version of Python."""
    try:
        found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    name = found[1] if found else platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}"


def read_results() -> dict[str, Section]:
    """The sections as last measured, by name."""
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    return {name: Section.of(section) for name, section in kept.items()}


def write_results(sections: Mapping[str, Section]) -> None:
    RESULTS.write_text(json.dumps({name: section.as_dict() for name, section in sections.items()}, indent=1) + "\n")
