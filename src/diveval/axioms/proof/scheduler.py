"""Decide many cells, from the cache or in several processes: for the command line, the report and the studio."""

from __future__ import annotations

import gc
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from diveval.axioms.proof import cache
from diveval.axioms.proof.budget import Pause, go_on
from diveval.axioms.proof.decide import SECONDS, Metric, decide_cell
from diveval.axioms.proof.subjects import SymbolicMetric, as_symbolic
from diveval.axioms.proof.verdicts import Verdict
from diveval.axioms.specification.constraints import AXIOMS, Axiom, as_axiom
from diveval.axioms.specification.readings import CHARITABLE, Reading, as_reading
from diveval.axioms.specification.shapes import Bounds
from diveval.errors import DivevalError, UsageError, need, warn
from diveval.system.processes import process_pool
from diveval.system.progress import Progress

T = TypeVar("T")
# Metrics that take longest, decided first to keep all processes busy to the end. Only the order depends on this.
SLOW = ("CT", "EU", "alpha", "D#", "NRBP", "RBU")
FEW = 8  # cells that are decided sooner here than by processes that have to start
TICK = 0.1  # seconds between two looks at whether the work is cancelled


@dataclass(frozen=True)
class Cell:
    """One question: does this metric satisfy this constraint under this reading?"""

    subject: SymbolicMetric
    axiom: Axiom
    reading: Reading
    bounds: Bounds
    time_limit: float  # seconds of CPU time

    def __post_init__(self) -> None:
        if not self.time_limit > 0:
            raise UsageError("out-of-range", f"the time limit is a positive number of seconds, got {self.time_limit}")

    @classmethod
    def of(
        cls,
        metric: Metric,
        axiom: str | Axiom,
        reading: str | Reading = CHARITABLE,
        bounds: Bounds | None = None,
        time_limit: float = SECONDS,
    ) -> Cell:
        """A cell from names, with defaults for what is not given."""
        return cls(as_symbolic(metric), as_axiom(axiom), as_reading(reading), bounds or Bounds(), time_limit)

    @cached_property
    def key(self) -> str | None:
        """The cache key, computed once: if a source file is edited meanwhile, the verdict belongs to the old version."""
        return cache.key(self.subject, self.axiom, self.reading, self.bounds)

    @property
    def travels(self) -> bool:
        """Whether another process can decide it: a function or an axiom defined in memory cannot be pickled."""
        named = AXIOMS.get(self.axiom.name) is self.axiom
        return named and (not self.subject.has_user_code or isinstance(self.subject.source, str))

    def arguments(self) -> tuple[Metric, str | Axiom, Reading, Bounds, float]:
        """The arguments of `decide_cell`, as they are sent to another process."""
        metric = self.subject.source if self.subject.has_user_code and self.travels else self.subject
        axiom = self.axiom.name if self.travels else self.axiom
        return metric, axiom, self.reading, self.bounds, self.time_limit

    def unknown(self, note: str) -> Verdict:
        """The verdict where an error prevents another."""
        return Verdict(self.subject.name, self.axiom.name, self.reading.name, "unknown", note=note)


class Scheduler:
    """Decides cells and keeps the verdicts.

    Args:
        jobs: processes at once; 1 decides in this process, one cell at a time.
        cached: whether verdicts are read from disk and written there.
        remember: how many verdicts are kept in memory, those that disk does not keep included.
        tolerant: whether a cell that raises an error is `unknown`, with the message as its note.
    """

    def __init__(self, *, jobs: int = 1, cached: bool = True, remember: int = 0, tolerant: bool = False) -> None:
        if jobs < 1:
            raise UsageError("out-of-range", f"the number of jobs is at least 1, got {jobs}")
        self._jobs, self._cached, self._remember, self._tolerant = jobs, cached, remember, tolerant
        self._memory: OrderedDict[Cell, Verdict] = OrderedDict()
        self._lock = threading.Lock()

    def decide(
        self, cells: Sequence[Cell], *, progress: Progress | None = None, pause: Pause = go_on
    ) -> dict[Cell, Verdict]:
        """The verdict of each cell: known ones first, then the others. `pause` may raise to cancel the work."""
        need("z3", "axioms")
        found: dict[Cell, Verdict] = {}
        asked = list(dict.fromkeys(cells))
        for cell, verdict in self.stream(asked, pause=pause):
            found[cell] = verdict
            if progress is not None:
                progress(f"{verdict.metric} {verdict.axiom}", len(found), len(asked))
        return found

    def stream(
        self, cells: Sequence[Cell], *, longer: Sequence[float] = (), apart: bool = False, pause: Pause = go_on
    ) -> Iterator[tuple[Cell, Verdict]]:
        """Each cell with its verdict as soon as there is one.

        `longer` are time limits for further attempts, after all other cells; a cell may then come more than once.
        `apart` always decides in other processes.
        """
        known = {cell: verdict for cell in cells if (verdict := self._look_up(cell)) is not None}
        yield from known.items()
        rest = [cell for cell in cells if cell not in known]
        task = _decide_or_note if self._tolerant else decide_cell
        for number, verdict in run_cells(task, rest, self._jobs, longer=longer, apart=apart, pause=pause):
            self._keep(rest[number], verdict)
            yield rest[number], verdict

    def _look_up(self, cell: Cell) -> Verdict | None:
        with self._lock:
            if cell in self._memory:
                self._memory.move_to_end(cell)
                return self._memory[cell]
        return cache.load(cell.key) if self._cached and cell.key is not None else None

    def _keep(self, cell: Cell, verdict: Verdict) -> None:
        if self._cached and cell.key is not None:
            cache.store(cell.key, verdict)
        with self._lock:
            self._memory[cell] = verdict
            while len(self._memory) > self._remember:
                self._memory.popitem(last=False)


def answer(cell: Cell, *, cached: bool = True) -> Verdict:
    """The verdict of one cell."""
    return Scheduler(cached=cached).decide([cell])[cell]


def _decide_or_note(metric: Metric, axiom: str | Axiom, *rest: Any, **more: Any) -> Verdict:
    try:
        return decide_cell(metric, axiom, *rest, **more)
    except DivevalError as error:
        return Cell.of(metric, axiom, rest[0]).unknown(str(error))


def run_cells(
    task: Callable[..., T],
    cells: Sequence[Cell],
    jobs: int,
    *,
    longer: Sequence[float] = (),
    apart: bool = False,
    pause: Pause = go_on,
) -> Iterator[tuple[int, T]]:
    """The number of each cell and what `task(*cell.arguments())` returns, in the order in which that is ready."""
    sent = [number for number, cell in enumerate(cells) if cell.travels]
    if not apart and (jobs == 1 or len(sent) <= FEW):
        sent = []
    done = set()
    if sent:
        try:
            for number, result in _in_processes(task, cells, sent, jobs, longer, pause):
                yield number, result
                done.add(number)
        except BrokenProcessPool:
            warn("worker-died", "a worker process ended without an answer; the rest is decided in this one")
    here = [number for number in range(len(cells)) if number not in done]
    for limit in (None, *longer):
        for number in list(here):
            cell = cells[number] if limit is None else replace(cells[number], time_limit=limit)
            with _only_one(pause):
                result = task(*cell.arguments(), pause=pause)
            if not _still_open(result):
                here.remove(number)
            yield number, result


_deciding = threading.Lock()


@contextmanager
def _only_one(pause: Pause) -> Iterator[None]:
    """Let one thread decide at a time: z3 crashes where a thread frees what another one made."""
    pause()
    while not _deciding.acquire(timeout=TICK):
        pause()
    try:
        yield
    finally:
        _deciding.release()


def _in_processes(
    task: Callable[..., T],
    cells: Sequence[Cell],
    numbers: Sequence[int],
    jobs: int,
    longer: Sequence[float],
    pause: Pause,
) -> Iterator[tuple[int, T]]:
    first = sorted(numbers, key=lambda number: not cells[number].subject.name.startswith(SLOW))
    with process_pool(jobs, collect_rarely) as pool:
        waiting: dict[Future[T], tuple[int, int]] = {
            pool.submit(task, *cells[number].arguments()): (number, 0) for number in first
        }
        while waiting:
            ready, _ = wait(waiting, None if pause is go_on else TICK, FIRST_COMPLETED)
            pause()
            for future in ready:
                number, attempts = waiting.pop(future)
                result = future.result()
                yield number, result
                if _still_open(result) and attempts < len(longer):
                    again = replace(cells[number], time_limit=longer[attempts])
                    waiting[pool.submit(task, *again.arguments())] = number, attempts + 1


def _still_open(result: object) -> bool:
    return isinstance(result, Verdict) and result.verdict == "unknown"


def collect_rarely() -> None:
    """Run the garbage collector rarely: deciding makes many polynomials and no reference cycles."""
    gc.set_threshold(100_000, 20, 20)


class _Stopped(Exception):
    """Nobody waits for the rest any more."""


class Background:
    """Cells that a process decides while this one does something else; leaving the `with` block ends it.

    Cached verdicts come first, then quick attempts, then longer ones for cells that are still open: whenever `finish`
    is called, as many cells as possible are decided.
    """

    def __init__(self, cells: Sequence[Cell], limits: Sequence[float]) -> None:
        self._cells = [replace(cell, time_limit=limits[0]) for cell in cells]
        self._longer = limits[1:]
        self._verdicts: dict[tuple[str, str], Verdict] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        scheduler = Scheduler(tolerant=True)
        try:
            for cell, verdict in scheduler.stream(self._cells, longer=self._longer, apart=True, pause=self._pause):
                self._verdicts[cell.subject.name, cell.axiom.name] = verdict
        except _Stopped:
            pass

    def _pause(self) -> None:
        if self._stop.is_set():
            raise _Stopped

    def __enter__(self) -> Background:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the process, if it still runs."""
        self._stop.set()
        self._thread.join()

    def finish(self, seconds: float = math.inf) -> dict[tuple[str, str], Verdict]:
        """The verdicts by metric and axiom, after at most so many seconds."""
        self._thread.join(None if seconds == math.inf else seconds)
        self.stop()
        return dict(self._verdicts)
