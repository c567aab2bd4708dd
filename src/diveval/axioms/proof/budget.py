"""The CPU time of one cell, and the points at which its decision may be cancelled."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

Pause = Callable[[], None]  # called at points where work may end; raises to end it


def go_on() -> None:
    """The pause of work that is never cancelled."""


@dataclass
class Budget:
    """Seconds of CPU time of this thread: on a busy machine a cell takes longer but is decided all the same."""

    seconds: float = math.inf
    pause: Pause = go_on
    _start: float = field(default_factory=time.thread_time)

    @property
    def left(self) -> float:
        """What is left of the time, after a chance to cancel the work."""
        self.pause()
        return self.seconds - (time.thread_time() - self._start)
