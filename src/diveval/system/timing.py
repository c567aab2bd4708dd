"""Seconds by phase for `diveval evaluate --timing`, measured only on request."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from diveval.system import scanner

PHASES: tuple[str, ...] = ("reading", "matching", "scoring", "writing")


class Timing:
    """Seconds spent in each phase, summed over threads: two cores busy for a second count as two."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = dict.fromkeys(PHASES, 0.0)
        self.wall = self.cpu = 0.0
        self._lock = threading.Lock()

    def add(self, phase: str, seconds: float) -> None:
        with self._lock:
            self.seconds[phase] += seconds

    def lines(self) -> list[str]:
        """One line per phase, then the total."""
        busy = sum(self.seconds.values()) or 1.0
        phases = [f"{phase:<9}{spent:9.3f} s {100 * spent / busy:5.1f} %" for phase, spent in self.seconds.items()]
        return [*phases, f"{'wall':<9}{self.wall:9.3f} s, CPU {self.cpu:.3f} s", f"reader   {scanner.describe()}"]


_active: Timing | None = None


@contextmanager
def collect() -> Iterator[Timing]:
    """Measure the phases inside the block; wall and CPU time are set when it ends."""
    global _active  # noqa: PLW0603 - one clock per process, so that it need not be passed as an argument
    outer, _active = _active, Timing()
    mine, wall, cpu = _active, time.perf_counter(), time.process_time()
    try:
        yield mine
    finally:
        mine.wall, mine.cpu = time.perf_counter() - wall, time.process_time() - cpu
        _active = outer


@contextmanager
def phase(name: str) -> Iterator[None]:
    """Count the time spent in the block towards a phase."""
    start = time.perf_counter()
    try:
        yield
    finally:
        add(name, time.perf_counter() - start)


def add(name: str, seconds: float) -> None:
    """Count seconds towards a phase."""
    if _active is not None:
        _active.add(name, seconds)
