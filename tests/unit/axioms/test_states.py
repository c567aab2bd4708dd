"""Metrics whose value depends on what they were asked before: nothing may be said of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diveval.axioms import check
from unit.axioms.targets import Cached

pytestmark = pytest.mark.slow(seconds=1.3)  # together: `make check` leaves the file out

FIRST_SEEN: dict[int, Any] = {}


def of_the_module(ranking: Any) -> Any:
    """Returns for every list of one length what it found for the first."""
    value = sum(max(row) / i for i, row in enumerate(ranking.relevance, 1))
    return FIRST_SEEN.setdefault(len(ranking.relevance), value)


def default_of(ranking: Any, seen: dict[Any, Any] = {}) -> Any:  # noqa: B006 - what a careless person writes
    """The same by length and number of aspects, kept in a default."""
    value = sum(max(row) / i for i, row in enumerate(ranking.relevance, 1))
    return seen.setdefault((len(ranking.relevance), len(ranking.weights)), value)


@pytest.mark.parametrize("metric", [Cached(), of_the_module, default_of])
def test_what_a_metric_saw_first_is_a_state(metric: Any) -> None:
    """Such a metric repeats itself, and its values still depend on what came before."""
    for axiom in ("CloseTh", "DeepTh", "Pri"):
        assert check(metric, axiom, reading="as-written").verdict == "unknown"


def test_a_loop_leaves_no_process_behind(tmp_path: Path) -> None:
    """The process of the metric is ended at the time limit, and the copy that it made of itself with it."""
    seen = tmp_path / "pids"

    def loops(ranking: Any) -> Any:
        with seen.open("a") as file:
            file.write(f"{os.getpid()}\n")
        while True:
            pass

    assert check(loops, "Pri", time_limit=1).verdict == "unknown"
    started = [int(line) for line in seen.read_text().split()]
    assert started
    assert until(lambda: not any(running(pid) for pid in started))


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def until(true: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Whether it comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not true():
        time.sleep(0.05)
    return true()
