"""The whole matrix, decided once for all tests and all workers of a run."""

import fcntl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.shared import times

pytest.importorskip("z3")
EVERY = 400


@pytest.fixture(scope="session", autouse=True)
def fewer_longer_rankings() -> Iterator[None]:
    """Of the random rankings beyond the solver's bound, which cost a person's function most of its time, the first."""
    from diveval.axioms.proof import search

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "LONGER", times(40, EVERY))
        yield


@pytest.fixture
def every_longer_ranking(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them, for what only a rare one shows."""
    from diveval.axioms.proof import search

    monkeypatch.setattr(search, "LONGER", EVERY)


@pytest.fixture(scope="session")
def whole(private_cache: Any) -> Any:
    """All 400 cells, and how long they took."""
    from diveval.axioms import matrix

    with (Path(private_cache) / "matrix.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the second worker waits, and finds the cells in the cache
        start = time.monotonic()
        found = matrix(jobs=2, time_limit=3600)  # however busy the machine is
        return found, time.monotonic() - start
