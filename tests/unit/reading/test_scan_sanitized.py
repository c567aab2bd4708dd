"""The scanner's core under AddressSanitizer and UBSan, for a few seconds; `make fuzz` goes on for longer."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

BUILD = Path(__file__).parents[3] / "fuzz" / "build.sh"
SECONDS, SEED = "3", "1"


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here, so no sanitizers either")
def test_no_fault_on_damaged_files(tmp_path: Path) -> None:
    """Thousands of damaged files: one answer however they are cut, and not a byte touched out of bounds."""
    driver = tmp_path / "fuzz_scanner"
    built = subprocess.run([str(BUILD), str(driver)], capture_output=True, text=True, check=False)
    if built.returncode and "sanitize" in built.stderr:
        pytest.skip("this compiler has no sanitizers")
    assert built.returncode == 0, built.stderr
    done = subprocess.run([str(driver), SECONDS, SEED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "no fault" in done.stdout
