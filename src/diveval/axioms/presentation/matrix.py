"""Many cells, laid out side by side with the paper's table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from diveval.axioms.presentation import layout
from diveval.axioms.proof.check import SECONDS, Metric
from diveval.axioms.proof.scheduler import Cell, Progress, answers
from diveval.axioms.proof.subjects import subject
from diveval.axioms.proof.verdicts import Verdict
from diveval.axioms.specification.cases import Bounds
from diveval.axioms.specification.constraints import AXIOMS, Axiom
from diveval.axioms.specification.readings import READINGS, Reading
from diveval.axioms.specification.table1 import ROWS
from diveval.errors import UsageError


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
        return layout.table_text(self)

    def _repr_html_(self) -> str:
        return layout.html_text(self)


def matrix(
    metrics: Iterable[Metric] | None = None,
    *,
    axioms: Iterable[str | Axiom] | None = None,
    readings: Iterable[str | Reading] | None = None,
    bounds: Bounds | None = None,
    time_limit: float = SECONDS,
    jobs: int = 2,
    cached: bool = True,
    progress: Progress | None = None,
) -> Matrix:
    """Decide every metric on every constraint under every reading.

    Processes are spawned, so a script that calls this guards its own start with `if __name__ == "__main__":`.

    Args:
        metrics: names, settings, compositions, functions or `file.py:name`; the paper's twenty rows unless given
        axioms: names, or axioms of your own; all ten unless given
        readings: both unless given
        bounds: how long the rankings are and how many aspects they have that the solver excludes
        time_limit: seconds for one cell, after which it is `unknown`
        jobs: processes at once
        cached: whether what was decided before is taken from disk
        progress: called with the number done, the number of all, and the latest verdict
    """
    cells = cells_of(metrics, axioms, readings, bounds, time_limit)
    found = answers(cells, jobs=jobs, cached=cached, progress=progress)
    return Matrix(tuple(found[cell] for cell in cells))


def cells_of(
    metrics: Iterable[Metric] | None,
    axioms: Iterable[str | Axiom] | None,
    readings: Iterable[str | Reading] | None,
    bounds: Bounds | None,
    time_limit: float,
) -> list[Cell]:
    """The cells of a matrix, in its order."""
    cells = [
        Cell.of(who, axiom, reading, bounds, time_limit)
        for who in [subject(metric) for metric in (ROWS if metrics is None else metrics)]
        for axiom in (AXIOMS if axioms is None else axioms)
        for reading in (READINGS.values() if readings is None else readings)
    ]
    if not cells:
        raise UsageError("nothing to decide: give at least one metric, axiom and reading")
    return cells
