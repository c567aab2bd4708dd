"""The whole matrix, decided once for all tests and all workers of a run, in a cache of its own."""

import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("z3")


@pytest.fixture(scope="session")
def private_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A cache folder that no other run has touched, shared by the workers of this one."""
    before = os.environ.get("DIVEVAL_CACHE")
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "axiom-cache"
    folder.mkdir(exist_ok=True)
    os.environ["DIVEVAL_CACHE"] = str(folder)
    yield os.environ["DIVEVAL_CACHE"]
    if before is None:
        del os.environ["DIVEVAL_CACHE"]
    else:
        os.environ["DIVEVAL_CACHE"] = before


@pytest.fixture(scope="session")
def whole(private_cache: Any) -> Any:
    """All 400 cells, and how long they took."""
    from diveval.axioms import matrix

    with (Path(private_cache) / "matrix.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the second worker waits, and finds the cells in the cache
        start = time.monotonic()
        found = matrix(jobs=2, time_limit=3600)  # however busy the machine is
        return found, time.monotonic() - start
