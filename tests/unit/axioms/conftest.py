"""The full matrix, decided once for all tests and all workers of a test run."""

import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("z3")


@pytest.fixture
def attacks(record_property: Any) -> Iterator[Any]:
    """Counts the attacks of a test, for the summary of the run."""
    from unit.axioms.withstood import Attacks

    counted = Attacks()
    yield counted
    counted.report(record_property)


@pytest.fixture(scope="session")
def full_matrix(private_cache: Any) -> Any:
    """All 400 cells of the paper's table."""
    from diveval.axioms import matrix

    with (Path(private_cache) / "matrix.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the second worker waits, then reads the cells from the cache
        return matrix(jobs=2, time_limit=3600)  # generous: a busy machine must not cause `unknown`
