"""A fixed number of inputs for each fuzz target from a fixed seed; `make fuzz` runs longer."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from robustness.fuzz_driver import LEVEL, built_driver
from support.shared import times

ROOT = Path(__file__).parents[2]
RUNS = times(40, 400)  # in Python
C_RUNS = times(100, 400)


def _fuzz(tmp_path: Path, runs: int, *targets: str) -> str:
    """The output of the fuzzer for these targets; its files are in a folder of the test."""
    words = ["--runs", str(runs), "--seed", "1", "--at-once", "2", "--work", str(tmp_path / "work")]
    done = subprocess.run(
        [sys.executable, ROOT / "fuzz" / "run.py", *words, "--found", str(tmp_path / "found"), *targets],
        env={**os.environ, **LEVEL},
        capture_output=True,
        text=True,
        check=False,
    )
    logs = "\n".join(log.read_text(errors="replace")[-2000:] for log in (tmp_path / "work").glob("*.log"))
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-2000:]}" + (logs if "FOUND" in done.stdout else "")
    return done.stdout


def _inputs(output: str) -> dict[str, int]:
    return {name: int(count) for name, count in re.findall(r"^fuzz: (\S+) +(\d+) inputs in", output, re.MULTILINE)}


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris cannot be installed on this Python")
def test_the_python_readers_pass_the_fuzzer(tmp_path: Path) -> None:
    """No input found by coverage-guided fuzzing breaks a property of fuzz/laws.py."""
    laws = {
        "runs",
        "judgments",
        "nuggets",
        "truth",
        "weights",
        "efforts",
        "packed",
        "parquet",
        "scores",
        "twins",
        "names",
        "evaluation",
    }
    inputs = _inputs(_fuzz(tmp_path, RUNS, *laws))
    assert set(inputs) == laws and min(inputs.values()) >= RUNS


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is installed")
def test_the_c_reader_passes_the_fuzzer(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The C reader passes under sanitizers, with libFuzzer where clang is installed, else with the driver."""
    guided = subprocess.run([ROOT / "scripts" / "install-clang", "--check"], check=False).returncode == 0
    shutil.copytree(built_driver(tmp_path_factory), tmp_path / "work")  # to build nothing twice
    output = _fuzz(tmp_path, C_RUNS, "c-runs", "c-judgments", "c-numbers")
    inputs = _inputs(output)
    assert sorted(inputs) == (["c-judgments", "c-numbers", "c-runs"] if guided else ["c-driver"])
    assert min(inputs.values()) >= C_RUNS
