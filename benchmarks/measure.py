"""Measure a command from outside: CPU seconds, wall seconds, peak memory.

This module imports little, because the peak memory of a child includes what its parent held when it was forked.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Word = str | Path
Command = Sequence[Word]
LONGEST = 900  # seconds: a command that takes longer is stopped, so that a hanging one cannot take the whole benchmark
# Bytecode is cached between processes, as in an installed package, even if the environment disables that.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
    "PYTHONWARNINGS": "ignore",
    "PYTHONDONTWRITEBYTECODE": "",
    "PYTHONPYCACHEPREFIX": str(HERE / "data" / "pycache"),
}


class FailedCommandError(Exception):
    """A command ended with an error; the text is the end of what it wrote."""


@dataclass(frozen=True)
class Cost:
    """The cost of running a command once."""

    cpu: float
    wall: float
    megabytes: float


def cost_of(command: Command, source: Path | None = None) -> Cost:
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
    stop = threading.Timer(LONGEST, child.kill)
    stop.start()
    assert child.stderr is not None
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    stop.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stderr.close()
    if child.returncode:
        raise FailedCommandError(f"{' '.join(map(str, command[:4]))} … failed: {errors[-600:]}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


def answer_of(command: Command, source: Path | None = None) -> Any:
    """The JSON in the last line that a command prints."""
    own = {"PYTHONPATH": str(source)} if source else {}
    words, environment = [str(word) for word in command], {**os.environ, **ENVIRONMENT, **own}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=LONGEST)
    if done.returncode:
        raise FailedCommandError(f"{' '.join(words[:4])} … failed: {done.stderr[-600:]}")
    return json.loads(done.stdout.splitlines()[-1])


def build_version(commit: str, folder: Path) -> Path | None:
    """The sources of an earlier version with its scanner built, below `folder`; None if its commit is missing.

    Both versions then run with the same Python and the same libraries, so that only diveval differs.
    """
    folder.mkdir(parents=True)
    archive = folder / "archive.tar"  # not in memory: this process's peak would be that of every child
    words = ["git", "-C", str(HERE.parent), "archive", "-o", str(archive), commit]
    if subprocess.run(words, stderr=subprocess.DEVNULL, check=False).returncode:
        say(f"{commit} is not in this clone's history: nothing is compared with it")
        return None
    subprocess.run(["tar", "-x", "-C", str(folder), "-f", str(archive)], check=True)
    build = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    done = subprocess.run(build, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        say(f"{commit} cannot be built, so nothing is compared with it: {done.stderr[-300:]}")
        return None
    return folder / "src"


def tool(name: str, qrels: Path, runs: Sequence[Path], output: Path | str = "-") -> list[Word]:
    """The command that runs a tool of tools.py."""
    return [sys.executable, HERE / "tools.py", name, qrels, output, *runs]


def least(costs: Sequence[Cost], what: str) -> float:
    return float(min(getattr(cost, what) for cost in costs))


def peak(costs: Sequence[Cost]) -> float:
    return max(cost.megabytes for cost in costs)


def say(line: str) -> None:
    print(line, flush=True)
