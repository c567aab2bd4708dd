"""Some inputs for each fuzz target, always the same ones; `make fuzz` goes on for longer."""

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
    """What the fuzzer says of these targets, with all that it writes below a folder of the test."""
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


def _inputs(said: str) -> dict[str, int]:
    return {name: int(count) for name, count in re.findall(r"^fuzz: (\S+) +(\d+) inputs in", said, re.MULTILINE)}


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris cannot be installed on this Python")
def test_no_python_reader_breaks_its_law(tmp_path: Path) -> None:
    """Every law of fuzz/laws.py, guided by coverage."""
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


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here, so no sanitizers either")
def test_the_c_reader_breaks_no_law(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The C reader under sanitizers: by libFuzzer where there is clang, else by the driver, which is then said."""
    guided = subprocess.run([ROOT / "scripts" / "install-clang", "--check"], check=False).returncode == 0
    shutil.copytree(built_driver(tmp_path_factory), tmp_path / "work")  # what is built already is not built again
    said = _fuzz(tmp_path, C_RUNS, "c-runs", "c-judgments", "c-numbers")
    inputs = _inputs(said)
    assert sorted(inputs) == (["c-judgments", "c-numbers", "c-runs"] if guided else ["c-driver"])
    assert min(inputs.values()) >= C_RUNS and ("without guidance" in said) != guided
