"""Scanning that starts before the rest of the house is loaded.

numpy and the metrics take longer to load than a run takes to scan, and an evaluation knows its files before it needs
either. Where there is a second core, the compiled scanner, which needs neither, scans them meanwhile. What comes of it
is used only where it is exactly what the reader would have asked for; otherwise it is as if nothing had been started.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from diveval.machine import cores, state
from diveval.scanner import SCAN_OK, load, random_key

RUNS_AT_ONCE = 32  # of an evaluation: enough for metrics to share work, few enough to be held
ORDERS = b"\0"  # the usual order, BY_SCORE_NAME_DOWN in csrc/core.h
TOOLS = {"ndeval", "trec_eval", "gdeval"}  # whose metrics ask for it, as ours do
_OTHERWISE = {"options", "order", "ties", "run_format", "judgment_format", "efforts"}  # choices that may ask for others
_PROBE = 1 << 16  # bytes of judgments that tell whether the rest is worth reading
_SWITCH = 0.0005  # seconds: loading must not keep a scanning thread waiting for its next file


class Scanned(NamedTuple):
    """A file scanned to its end: what was found, the state of the file before, seconds of reading and of all."""

    found: Any
    before: tuple[int, ...]
    reading: float
    seconds: float


class Ahead:
    """Runs that are scanned by threads until somebody takes the first; then what is not begun is left to him."""

    def __init__(self, scanner: Any, judgments: str, runs: Sequence[str], threads: int) -> None:
        self._scanner, self._judgments = scanner, judgments
        self._threads = min(threads - 1, len(runs))  # loading keeps one core busy
        self._waiting = deque(dict.fromkeys(runs))
        self._begun: dict[str, threading.Event] = {}
        self._found: dict[str, Scanned] = {}
        self._lock = threading.Lock()
        self._parsed: tuple[tuple[int, ...], Any] | None = None
        self._judged: Any = None
        self._documents: dict[str, tuple[str, ...]] = {}
        self._prepared = threading.Event()
        threading.Thread(target=self._begin, daemon=True).start()
        self._interval = sys.getswitchinterval()
        sys.setswitchinterval(min(self._interval, _SWITCH))

    # --- what the reader asks -----------------------------------------------------------------------------------------

    def judgments(self, path: str) -> Any | None:
        """What the scanner's `judgments` said of this file, if it is still the same."""
        if path != self._judgments:
            return None
        self._prepared.wait()
        return self._parsed[1] if self._parsed is not None and self._parsed[0] == state(path) else None

    def judged_set(self, documents: Mapping[str, tuple[str, ...]]) -> Any | None:
        """The judged set that was scanned with, if it holds just these documents."""
        self._prepared.wait()
        return self._judged if documents == self._documents else None

    def take(self, path: str, judged: Any, orders: bytes) -> Scanned | None:
        """What a scan of the file found, if one made now would find the same. Nothing new is begun after this."""
        self.close()
        if judged is not self._judged or orders != ORDERS or path not in self._begun:
            return None
        self._begun[path].wait()
        found = self._found.pop(path, None)
        return found if found is not None and found.before == state(path) else None

    def close(self) -> None:
        """Begin no other file."""
        with self._lock:
            self._waiting.clear()
        sys.setswitchinterval(self._interval)

    # --- threads ------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        try:
            self._prepare()
        finally:
            self._prepared.set()
        if self._judged is not None:
            with suppress(RuntimeError):  # a system that allows no more threads
                for _ in range(self._threads - 1):
                    threading.Thread(target=self._work, daemon=True).start()
            self._work()

    def _prepare(self) -> None:
        with suppress(OSError, ValueError, MemoryError):  # the reader will meet them again, and say so
            before = state(self._judgments)
            if before is None:
                return
            parsed = self._parse()
            if parsed is None:
                return
            (topics, _, documents), _, _, (starts, codes, _), _ = parsed
            starts, codes = memoryview(starts).cast("q").tolist(), memoryview(codes).cast("i").tolist()
            for t, topic in enumerate(topics):
                self._documents[topic] = tuple([documents[i] for i in codes[starts[t] : starts[t + 1]]])
            self._judged = self._scanner.judged_set(random_key(), list(self._documents.items()))
            self._parsed = before, parsed

    def _parse(self) -> Any | None:
        with open(self._judgments, "rb") as file:  # noqa: PTH123
            data = file.read(_PROBE)
            if len(data) == _PROBE:  # a large file of another kind is not read here to its end
                whole_lines = data[: data.rfind(b"\n") + 1]
                if self._scanner.judgments(random_key(), whole_lines) is None:
                    return None
                data += file.read()
        return self._scanner.judgments(random_key(), data)

    def _work(self) -> None:
        while (path := self._next()) is not None:
            try:
                with suppress(OSError, ValueError, MemoryError):
                    self._scan(path)
            finally:
                self._begun[path].set()

    def _next(self) -> str | None:
        with self._lock:
            if not self._waiting:
                return None
            path = self._waiting.popleft()
            self._begun[path] = threading.Event()
            return path

    def _scan(self, path: str) -> None:
        before, start = state(path), time.perf_counter()
        if before is None:
            return
        scan = self._scanner.open(self._judged, ORDERS, False)
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            status, reading = self._scanner.read(scan, file.fileno())
        found = self._scanner.finish(scan)[1] if status == SCAN_OK else None
        if found is not None:
            self._found[path] = Scanned(found, before, reading, time.perf_counter() - start)


_now: Ahead | None = None


def current() -> Ahead | None:
    """What is being scanned ahead, if anything."""
    return _now


@contextmanager
def scanning(judgments: Any, runs: Any, metrics: Any, choices: Mapping[str, Any]) -> Iterator[None]:
    """Scan ahead for what the block will ask, if that can be known and pays."""
    global _now
    mine = None
    if not _is_loaded() and _now is None:
        mine = _now = _started(judgments, runs, metrics, choices)
    try:
        yield
    finally:
        if mine is not None:
            mine.close()
            _now = None


def _is_loaded() -> bool:
    """Afterwards there is nothing left to wait for."""
    return "numpy" in sys.modules


def _started(judgments: Any, runs: Any, metrics: Any, choices: Mapping[str, Any]) -> Ahead | None:
    files = [runs] if _is_path(runs) else runs
    threads = choices.get("jobs") or cores()
    if not _is_path(judgments) or not isinstance(files, (list, tuple)) or not all(map(_is_path, files)):
        return None
    if not isinstance(threads, int) or threads < 2 or not files or _OTHERWISE & choices.keys():
        return None
    names = [metrics] if isinstance(metrics, str) else metrics
    if not isinstance(names, (list, tuple)) or not all(map(_in_our_order, names)):
        return None
    scanner = load()
    if scanner is None:
        return None
    with suppress(RuntimeError):  # a system that allows no more threads
        return Ahead(scanner, str(judgments), [str(run) for run in files[:RUNS_AT_ONCE]], threads)
    return None


def _is_path(shape: Any) -> bool:
    return isinstance(shape, (str, os.PathLike)) and str(shape) != "-"


def _in_our_order(metric: Any) -> bool:
    """Is this the name of a metric that is scored in the usual order? A name like file.py:metric is not."""
    if not isinstance(metric, str) or ":" in metric:
        return False
    tool = re.match(r"\w+(?=\.)", metric)
    return tool is None or tool[0] in TOOLS
