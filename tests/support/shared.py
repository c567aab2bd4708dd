"""How many random cases are tried, and expensive files that are made once for all workers of a test run."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")
THOROUGH = bool(os.environ.get("DIVEVAL_THOROUGH"))


def times(suite: T, thorough: T) -> T:
    """The first value in the suite, the second in `make thorough`: usually a number of random cases."""
    return thorough if THOROUGH else suite


def folder_of_the_run(factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of a test run share, and no other run."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The file of this name, made by the first worker that needs it; the others wait until it is complete."""
    path = folder_of_the_run(factory) / name
    with path.with_name(f".{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            scratch = path.with_name(f".{name}")
            make(scratch)
            scratch.rename(path)
    return path
