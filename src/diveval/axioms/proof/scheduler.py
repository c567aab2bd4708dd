"""One way to have cells decided, for the command line, the report and the studio: from the cache, or in processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cached_property

from diveval.axioms.proof import cache
from diveval.axioms.proof.check import SECONDS, Metric, check
from diveval.axioms.proof.subjects import Subject, subject
from diveval.axioms.proof.verdicts import Verdict
from diveval.axioms.specification.constraints import AXIOMS, Axiom, as_axiom
from diveval.axioms.specification.readings import CHARITABLE, Reading, as_reading
from diveval.axioms.specification.shapes import Bounds
from diveval.errors import UsageError, need, warn
from diveval.processes import process_pool

Progress = Callable[[int, int, Verdict], None]  # done, all, the latest
# Longest first keeps both processes busy to the end. Only the order depends on it.
SLOW = ("CT", "EU", "alpha", "D#", "NRBP", "RBU")


@dataclass(frozen=True)
class Cell:
    """One question."""

    subject: Subject
    axiom: Axiom
    reading: Reading
    bounds: Bounds
    time_limit: float

    def __post_init__(self) -> None:
        if not self.time_limit > 0:
            raise UsageError(f"the time limit is a positive number of seconds, got {self.time_limit}")

    @classmethod
    def of(
        cls,
        metric: Metric,
        axiom: str | Axiom,
        reading: str | Reading = CHARITABLE,
        bounds: Bounds | None = None,
        time_limit: float = SECONDS,
    ) -> Cell:
        """A question as people ask it."""
        return cls(subject(metric), as_axiom(axiom), as_reading(reading), bounds or Bounds(), time_limit)

    @cached_property
    def key(self) -> str | None:
        """The name its verdict is kept under: that of the sources as they were when it was asked, not when answered."""
        return cache.key(self.subject, self.axiom, self.reading, self.bounds)

    @property
    def travels(self) -> bool:
        """Whether another process can be asked: a function or an axiom in memory cannot be sent."""
        named = AXIOMS.get(self.axiom.name) is self.axiom
        return named and (not self.subject.user or isinstance(self.subject.source, str))

    def asked(self) -> tuple[Metric, str | Axiom, Reading, Bounds, float]:
        """The question as it is sent."""
        metric = self.subject.source if self.subject.user and self.travels else self.subject
        axiom = self.axiom.name if self.travels else self.axiom
        return metric, axiom, self.reading, self.bounds, self.time_limit


def kept(cell: Cell) -> Verdict | None:
    """The verdict on disk, if there is one."""
    name = cell.key
    return None if name is None else cache.load(name)


def answer(cell: Cell, *, cached: bool = True) -> Verdict:
    """One cell: from the cache, or decided here and kept."""
    found = kept(cell) if cached else None
    if found is None:
        found = decide(*cell.asked())
        _keep(cell, found, cached=cached)
    return found


def answers(
    cells: Sequence[Cell], *, jobs: int = 2, cached: bool = True, progress: Progress | None = None
) -> dict[Cell, Verdict]:
    """Many cells: what was decided before comes first, the rest in as many processes as `jobs` says."""
    need("z3", "axioms")
    if jobs < 1:
        raise UsageError(f"the number of jobs is at least 1, got {jobs}")
    found: dict[Cell, Verdict] = {}
    asked = list(dict.fromkeys(cells))

    def keep(cell: Cell, verdict: Verdict) -> None:
        found[cell] = verdict
        if progress is not None:
            progress(len(found), len(asked), verdict)

    for cell in asked if cached else []:
        before = kept(cell)
        if before is not None:
            keep(cell, before)
    for cell, verdict in _decided([cell for cell in asked if cell not in found], jobs):
        _keep(cell, verdict, cached=cached)
        keep(cell, verdict)
    return found


def _keep(cell: Cell, verdict: Verdict, *, cached: bool) -> None:
    name = cell.key if cached else None
    if name is not None:
        cache.store(name, verdict)


def _decided(cells: Iterable[Cell], jobs: int) -> Iterator[tuple[Cell, Verdict]]:
    """Each cell with its verdict, as they come."""
    travels = [cell for cell in cells if cell.travels]
    stays = [cell for cell in cells if not cell.travels]
    if jobs > 1 and len(travels) > 8:
        waiting = sorted(travels, key=lambda cell: not cell.subject.name.startswith(SLOW))
        done = set()
        try:
            with process_pool(jobs) as pool:
                futures: dict[Future[Verdict], Cell] = {pool.submit(decide, *cell.asked()): cell for cell in waiting}
                for future in as_completed(futures):
                    yield futures[future], future.result()
                    done.add(futures[future])
            travels = []
        except BrokenProcessPool:
            warn("a worker process ended without an answer; the rest is decided in this one")
            travels = [cell for cell in waiting if cell not in done]
    for cell in [*travels, *stays]:
        yield cell, decide(*cell.asked())


def decide(metric: Metric, axiom: str | Axiom, reading: Reading, bounds: Bounds, time_limit: float) -> Verdict:
    """One cell, in whichever process."""
    return check(metric, axiom, reading=reading, bounds=bounds, time_limit=time_limit)
