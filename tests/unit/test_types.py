"""mypy, strict, over all of `src` and `tests`: a test, so that it runs beside the others and its end is seen with theirs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow(seconds=40)
def test_every_type_is_right() -> None:
    """Also of `tests/typed`, where calls of `evaluate` that must be refused are marked as errors."""
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
