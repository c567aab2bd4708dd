"""Measure a command from outside: CPU seconds, wall seconds, peak memory.

This module imports little, because the peak memory of a child includes what its parent held when it was forked.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
# Bytecode is cached between processes, as in an installed package, even if the environment disables that.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONWARNINGS": "ignore",
    "PYTHONDONTWRITEBYTECODE": "",
    "PYTHONPYCACHEPREFIX": str(HERE / "data" / "pycache"),
}


@dataclass(frozen=True)
class Cost:
    """The cost of running a command once."""

    cpu: float
    wall: float
    megabytes: float


def cost_of(command: Sequence[str | Path], source: Path | None = None) -> Cost:
    """Run a command and discard its output; Python imports from the folder `source` first."""
    own = {"PYTHONPATH": str(source)} if source else {}
    start = time.perf_counter()
    child = subprocess.Popen(
        [str(word) for word in command],
        env={**os.environ, **ENVIRONMENT, **own},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.stderr is not None
    errors = child.stderr.read()
    child.stderr.close()
    if child.returncode:
        raise SystemExit(f"{command[0]} … failed: {errors[-600:]}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


def build_version(commit: str, folder: Path) -> Path | None:
    """The sources of an earlier version with its scanner built, below `folder`; None if its commit is missing."""
    folder.mkdir(parents=True)
    archive = subprocess.run(["git", "-C", str(HERE.parent), "archive", commit], capture_output=True, check=False)
    if archive.returncode:
        say(f"{commit} is not in this clone's history: nothing is compared with it")
        return None
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
    build = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(build, cwd=folder, capture_output=True, check=True)
    return folder / "src"


def tool(name: str, qrels: Path, runs: Sequence[Path], output: Path | str = "-") -> list[str | Path]:
    """The command that runs a tool of tools.py."""
    return [sys.executable, HERE / "tools.py", name, qrels, output, *runs]


def least(costs: Sequence[Cost], what: str) -> float:
    return float(min(getattr(cost, what) for cost in costs))


def spread(costs: Sequence[Cost], what: str) -> float:
    """How far the maximum is above the minimum, as a share of the minimum."""
    best = least(costs, what)
    return float(max(getattr(cost, what) for cost in costs) / best - 1) if best > 0 else 0.0


def say(line: str) -> None:
    print(line, flush=True)
