"""A progress line on a terminal, for anything that takes over two seconds."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from diveval.errors import printable

PATIENCE = 2.0  # seconds before anything is shown


class _Line:
    """The line that is shown, if any; writing to the terminal clears it first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shown = 0

    def show(self, text: str) -> None:
        with self._lock:
            line = printable(text)[:78]
            sys.stderr.write("\r" + line.ljust(self._shown))
            sys.stderr.flush()
            self._shown = len(line)

    def clear(self) -> None:
        with self._lock:
            if self._shown:
                sys.stderr.write("\r" + " " * self._shown + "\r")
                sys.stderr.flush()
                self._shown = 0


_LINE = _Line()
clear = _LINE.clear  # to be called before something else is printed


@contextmanager
def watching(what: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal what is being done and for how long; the block may name its steps."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda step: None
        return
    began, done = time.monotonic(), threading.Event()
    named = ""

    def tick() -> None:
        wait = PATIENCE
        while not done.wait(wait):
            wait = 0.5
            _LINE.show(f"diveval {what}{named} … {time.monotonic() - began:.0f} s")

    def name(step: str) -> None:
        nonlocal named
        named = f": {step}" if step else ""

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    try:
        yield name
    finally:
        done.set()
        thread.join()
        clear()
