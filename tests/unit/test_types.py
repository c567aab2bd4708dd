"""mypy over `src` and `tests`, as a test so that it runs in parallel with the others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow(seconds=40)
def test_mypy_reports_no_error() -> None:
    """`src` and `tests` pass mypy; `tests/typed` marks calls of `evaluate` that must be type errors."""
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
