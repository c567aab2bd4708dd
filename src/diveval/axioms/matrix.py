"""Many cells: decided in parallel processes, kept on disk, and laid out side by side with the paper's table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from diveval.axioms import cache
from diveval.axioms.check import SECONDS, Metric, check
from diveval.axioms.constraints import AXIOMS, Bounds, as_axiom
from diveval.axioms.paper import ROWS
from diveval.axioms.readings import READINGS, Reading, as_reading
from diveval.axioms.subjects import Subject, subject
from diveval.axioms.verdicts import Verdict
from diveval.errors import UsageError, need, warn
from diveval.processes import process_pool

Progress = Callable[[int, int, Verdict], None]  # done, all, the latest
# Longest first keeps both processes busy to the end. Only the order depends on it.
SLOW = ("CT", "D#", "EU", "alpha", "NRBP", "RBU")


@dataclass(frozen=True)
class Cell:
    """One question."""

    subject: Subject
    axiom: str
    reading: Reading
    bounds: Bounds
    time_limit: float

    @property
    def travels(self) -> bool:
        """Whether another process can be asked: a function in memory cannot be sent, one in a file is read there."""
        return not self.subject.user or isinstance(self.subject.source, str)

    def asked(self) -> tuple[Metric, str, Reading, Bounds, float]:
        """The question as it is sent."""
        metric = self.subject.source if self.subject.user and self.travels else self.subject
        return metric, self.axiom, self.reading, self.bounds, self.time_limit


@dataclass(frozen=True)
class Matrix:
    """Verdicts by metric, constraint and reading, in the order asked."""

    verdicts: tuple[Verdict, ...]

    @property
    def metrics(self) -> list[str]:
        return list(dict.fromkeys(v.metric for v in self.verdicts))

    @property
    def axioms(self) -> list[str]:
        return list(dict.fromkeys(v.axiom for v in self.verdicts))

    @property
    def readings(self) -> list[str]:
        return list(dict.fromkeys(v.reading for v in self.verdicts))

    def cell(self, metric: str, axiom: str, reading: str) -> Verdict:
        """One verdict."""
        for verdict in self.verdicts:
            if (verdict.metric, verdict.axiom, verdict.reading) == (metric, axiom, reading):
                return verdict
        raise UsageError(f"the matrix has no cell {metric}, {axiom}, {reading}")

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)

    def __str__(self) -> str:
        from diveval.axioms.layout import table_text

        return table_text(self)

    def _repr_html_(self) -> str:
        from diveval.axioms.layout import html_text

        return html_text(self)


def matrix(
    metrics: Iterable[Metric] | None = None,
    *,
    axioms: Iterable[str] | None = None,
    readings: Iterable[str | Reading] | None = None,
    bounds: Bounds | None = None,
    time_limit: float = SECONDS,
    jobs: int = 2,
    cached: bool = True,
    progress: Progress | None = None,
) -> Matrix:
    """Decide every metric (the paper's rows unless given) on every constraint under every reading (both unless given).

    Processes are spawned, so a script that calls this guards its own start with `if __name__ == "__main__":`.
    """
    need("z3", "axioms")
    if jobs < 1:
        raise UsageError(f"the number of jobs is at least 1, got {jobs}")
    cells = [
        Cell(who, as_axiom(axiom).name, as_reading(reading), bounds or Bounds(), time_limit)
        for who in [subject(metric) for metric in (ROWS if metrics is None else metrics)]
        for axiom in (AXIOMS if axioms is None else axioms)
        for reading in (READINGS.values() if readings is None else readings)
    ]
    if not cells:
        raise UsageError("nothing to decide: give at least one metric, axiom and reading")
    found: dict[Cell, Verdict] = {}
    keys = {cell: cache.key(cell.subject, cell.axiom, cell.reading, cell.bounds) if cached else None for cell in cells}

    def keep(cell: Cell, verdict: Verdict, *, fresh: bool) -> None:
        name = keys[cell]
        if fresh and name is not None:
            cache.store(name, verdict)
        found[cell] = verdict
        if progress is not None:
            progress(len(found), len(keys), verdict)

    for cell, name in keys.items():
        kept = None if name is None else cache.load(name)
        if kept is not None:
            keep(cell, kept, fresh=False)
    for cell, verdict in _decided([cell for cell in keys if cell not in found], jobs):
        keep(cell, verdict, fresh=True)
    return Matrix(tuple(found[cell] for cell in cells))


def _decided(cells: Sequence[Cell], jobs: int) -> Iterator[tuple[Cell, Verdict]]:
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


def decide(metric: Metric, axiom: str, reading: Reading, bounds: Bounds, time_limit: float) -> Verdict:
    """One cell, in whichever process."""
    return check(metric, axiom, reading=reading, bounds=bounds, time_limit=time_limit)
