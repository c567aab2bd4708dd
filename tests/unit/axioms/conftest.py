"""The whole matrix, decided once for all tests and all workers of a run."""

import fcntl
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("z3")


@pytest.fixture(scope="session")
def whole(private_cache: Any) -> Any:
    """All 400 cells, and how long they took."""
    from diveval.axioms import matrix

    with (Path(private_cache) / "matrix.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the second worker waits, and finds the cells in the cache
        start = time.monotonic()
        found = matrix(jobs=2, time_limit=3600)  # however busy the machine is
        return found, time.monotonic() - start
