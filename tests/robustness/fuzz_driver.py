"""The C reader's fuzz driver under sanitizers, built once for all tests of a run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.shared import made_once

FUZZ = Path(__file__).parents[2] / "fuzz"
LEVEL = {"FUZZ_LEVEL": "-O0"}


def built_driver(factory: pytest.TempPathFactory) -> Path:
    """The folder with `driver` and, where clang is installed, `target`."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler is installed")
    return made_once(factory, "fuzz-driver", _build)


def _build(folder: Path) -> None:
    built = subprocess.run(
        [FUZZ / "build.sh", folder],
        env={**os.environ, **LEVEL},
        capture_output=True,
        text=True,
        check=False,
    )
    if built.returncode and "sanitize" in built.stderr:
        pytest.skip("this compiler has no sanitizers")
    assert built.returncode == 0, built.stderr
