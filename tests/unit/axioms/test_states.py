"""Metrics whose value depends on earlier calls: their verdict is `unknown`."""

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


def cached_in_module(ranking: Any) -> Any:
    """Returns for every ranking the value of the first ranking of its length."""
    value = sum(max(row) / i for i, row in enumerate(ranking.relevance, 1))
    return FIRST_SEEN.setdefault(len(ranking.relevance), value)


def cached_in_default(ranking: Any, seen: dict[Any, Any] = {}) -> Any:  # noqa: B006 - a common mistake
    """The same by length and number of aspects, cached in a mutable default."""
    value = sum(max(row) / i for i, row in enumerate(ranking.relevance, 1))
    return seen.setdefault((len(ranking.relevance), len(ranking.weights)), value)


@pytest.mark.parametrize("metric", [Cached(), cached_in_module, cached_in_default])
def test_a_metric_with_a_cache_is_unknown(metric: Any) -> None:
    """Values that depend on earlier rankings are detected even if repeated calls agree."""
    for axiom in ("CloseTh", "DeepTh", "Pri"):
        assert check(metric, axiom, reading="as-written").verdict == "unknown"


def test_an_endless_loop_leaves_no_process_behind(tmp_path: Path) -> None:
    """The process of the metric and its forked copy are ended at the time limit."""
    seen = tmp_path / "pids"

    def loops(ranking: Any) -> Any:
        with seen.open("a") as file:
            file.write(f"{os.getpid()}\n")
        while True:
            pass

    assert check(loops, "Pri", time_limit=1).verdict == "unknown"
    started = [int(line) for line in seen.read_text().split()]
    assert started
    assert eventually(lambda: not any(running(pid) for pid in started))


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def eventually(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Whether the condition becomes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not condition():
        time.sleep(0.05)
    return condition()
