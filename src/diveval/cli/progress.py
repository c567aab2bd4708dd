"""A progress line on a terminal, for anything that takes over two seconds."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from diveval.errors import printable
from diveval.system.progress import Progress, silent

PATIENCE = 2.0  # seconds before anything is shown
BAR = 24  # characters of a bar
MOST_PARTS = 10_000  # that are counted


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
def watching(what: str) -> Iterator[Progress]:
    """Show on a terminal what is being done and for how long; the block may name its steps."""
    if not _is_terminal():
        yield silent
        return
    began, done = time.monotonic(), threading.Event()
    named = ""

    def tick() -> None:
        wait = PATIENCE
        while not done.wait(wait):
            wait = 0.5
            _LINE.show(f"diveval {what}{named} … {time.monotonic() - began:.0f} s")

    def name(step: str, part: int, total: int) -> None:
        nonlocal named
        named = describe_step(step, part, total)

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    try:
        yield name
    finally:
        done.set()
        thread.join()
        clear()


def describe_step(step: str, part: int, total: int) -> str:
    """A step and how much of it is done: a count, in percent where the parts are bytes."""
    share = f"{part} of {total}" if total <= MOST_PARTS else f"{100 * part // total} %"
    return ": " + ", ".join(filter(None, [step, share if total else ""])) if step else ""


@contextmanager
def count_cells() -> Iterator[Progress | None]:
    """Show on a terminal how many axiom cells are decided, and the last of them; None without a terminal."""
    if not _is_terminal():
        yield None
        return

    def show(what: str, done: int, total: int) -> None:
        filled = BAR * done // max(total, 1)
        bar = "#" * filled + "." * (BAR - filled)
        _LINE.show(f"[{bar}] {done}/{total} {what}")

    try:
        yield show
    finally:
        clear()


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
