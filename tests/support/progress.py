"""Progress of long checks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable


def reporter(what: str, total: int) -> Callable[[int], None]:
    """A function that prints progress to standard error, at most every five seconds."""
    last = [time.monotonic()]

    def show(done: int) -> None:
        if time.monotonic() - last[0] > 5:
            last[0] = time.monotonic()
            print(f"{what}: {done} of {total}", file=sys.stderr, flush=True)

    return show
