"""The whole matrix, decided once for all tests of this folder, with two processes and a cache of its own."""

import os
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("z3")
sys.path.insert(0, str(Path(__file__).parent))  # the plain metrics and the attack are shared by these tests


@pytest.fixture(scope="session")
def private_cache(tmp_path_factory):
    """A cache folder that no other run has touched."""
    before = os.environ.get("DIVEVAL_CACHE")
    os.environ["DIVEVAL_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield os.environ["DIVEVAL_CACHE"]
    if before is None:
        del os.environ["DIVEVAL_CACHE"]
    else:
        os.environ["DIVEVAL_CACHE"] = before


@pytest.fixture(scope="session")
def whole(private_cache):
    """All 400 cells, and how long they took."""
    from diveval.axioms import matrix

    start = time.process_time(), time.monotonic()
    found = matrix(jobs=2, time_limit=3600)  # however busy the machine is
    return found, time.monotonic() - start[1]
