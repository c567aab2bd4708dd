"""The matrix of verdicts beside the paper's table: for a terminal, as CSV, JSON, Markdown or LaTeX."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from diveval.argument_types import explain_types
from diveval.axioms.proof.decide import SECONDS, Metric
from diveval.axioms.proof.published import ROWS
from diveval.axioms.proof.scheduler import Cell, Scheduler
from diveval.axioms.proof.subjects import as_symbolic
from diveval.axioms.proof.verdicts import MARKS, Verdict
from diveval.axioms.specification.constraints import AXIOMS, Axiom
from diveval.axioms.specification.readings import READINGS, Reading
from diveval.axioms.specification.shapes import Bounds
from diveval.errors import UsageError
from diveval.results.protocol import Columns, Result, deliver
from diveval.results.setup import Setup
from diveval.results.table_text import TextTable, align
from diveval.system.progress import Progress

HEADER = ("metric", "axiom", "reading", "verdict", "paper", "agrees", "region", "evidence")
BEHIND = "◌"  # fails, but only below the cutoff
WORDS = {
    "●": "holds",
    "◐": "holds in a region",
    "◕": "excluded up to a bound only",
    "○": "fails",
    BEHIND: "fails only below the cutoff",
    "∅": "vacuous",
    "–": "does not apply",
    "?": "unknown",
}
LEGEND = "  ".join(f"{sign} {words}" for sign, words in WORDS.items())


@dataclass(frozen=True, repr=False)
class Matrix(Result):
    """Verdicts by metric, constraint and reading, in the order asked."""

    verdicts: tuple[Verdict, ...]

    header: ClassVar[tuple[str, ...]] = HEADER
    reference: ClassVar[str] = (
        "E. Amigó, D. Spina, J. Carrillo-de-Albornoz. An Axiomatic Analysis of Diversity Evaluation Metrics: "
        "Introducing the Rank-Biased Utility Metric. SIGIR 2018."
    )

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
        raise UsageError("missing-score", f"the matrix has no cell {metric}, {axiom}, {reading}")

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)

    def columns(self) -> Columns:
        """A line per cell, with the paper's verdict and the evidence; empty cells are empty texts."""
        return {name: [str(getattr(verdict, name) or "") for verdict in self] for name in HEADER}

    def as_dict(self) -> dict[str, Any]:
        """Everything, counterexamples and proofs included."""
        return {"rows": [verdict.as_dict() for verdict in self], **self._provenance()}

    def display(self) -> TextTable:
        """A line per metric, a column per axiom; in each cell the paper's sign and that of each reading."""
        rows = [[metric, *(signs(self, metric, axiom).strip() for axiom in self.axioms)] for metric in self.metrics]
        return TextTable(["metric", *self.axioms], rows, "l" + "c" * len(self.axioms), caption=self._legend())

    def _legend(self) -> str:
        return f"In each cell: the paper's Table 1, then {', '.join(self.readings)}. {LEGEND}. ! contradicts the paper."

    def to_markdown(self, path: str | Path | None = None) -> str:
        """The table with the legend below; also written to `path` if given."""
        return deliver(f"{self.display().markdown()}\n{self._legend()}\n", path)

    def to_text(self, width: int = 80) -> str:
        """The legend, the table, and the regions."""
        return table_text(self, width)


def matrix_of(verdicts: Sequence[Verdict]) -> Matrix:
    """Verdicts as a matrix whose setup names their readings."""
    readings = ", ".join(dict.fromkeys(verdict.reading for verdict in verdicts))
    return Matrix(tuple(verdicts), setup=Setup(reading=readings))


@explain_types
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

    Args:
        metrics: names, settings, compositions, functions or `file.py:name`; the paper's twenty rows unless given
        axioms: names, or axioms of your own; all ten unless given
        readings: both unless given
        bounds: how long the rankings are and how many aspects they have that the solver excludes
        time_limit: seconds of CPU time for one cell, after which it is `unknown`
        jobs: processes at once
        cached: whether what was decided before is taken from disk
        progress: called with the number done, the number of all, and the latest verdict
    """
    cells = cells_of(metrics, axioms, readings, bounds, time_limit)
    found = Scheduler(jobs=jobs, cached=cached).decide(cells, progress=progress)
    return matrix_of([found[cell] for cell in cells])


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
        for who in [as_symbolic(metric) for metric in (ROWS if metrics is None else metrics)]
        for axiom in (AXIOMS if axioms is None else axioms)
        for reading in (READINGS.values() if readings is None else readings)
    ]
    if not cells:
        raise UsageError("missing-argument", "nothing to decide: give at least one metric, axiom and reading")
    return cells


# --- as text ----------------------------------------------------------------------------------------------------------


def mark(verdict: Verdict) -> str:
    """One sign for a verdict."""
    return BEHIND if verdict.uncut and verdict.verdict == "fails" else MARKS[verdict.verdict]


def signs(found: Matrix, metric: str, axiom: str) -> str:
    """Paper, then each reading, side by side; an exclamation mark where a reading contradicts the paper."""
    cells = [found.cell(metric, axiom, reading) for reading in found.readings]
    paper = MARKS[cells[0].paper] if cells[0].paper else " "
    return paper + "".join(mark(cell) for cell in cells) + ("!" if any(c.agrees == "no" for c in cells) else " ")


MOST_CASES = 2  # of a region that depends on the cutoff


def read_as(reading: str) -> str:
    """A reading of the axioms in words."""
    return {"charitable": "read as intended (charitable)", "as-written": "read as written (as-written)"}.get(
        reading, reading
    )


def _shorten(region: str) -> str:
    """A region with its first cases; the other forms of the table have all of them."""
    condition, bracket, cases = region.partition(" [")
    listed = cases.split("; ")
    if not bracket or len(listed) <= MOST_CASES + 1:
        return region
    return f"{condition} [{'; '.join(listed[:MOST_CASES])}; {len(listed) - MOST_CASES} more cases: -f json]"


def table_text(found: Matrix, width: int = 80) -> str:
    """For a terminal: one line a metric."""
    read = ", then ".join(f"the verdict with the axioms {read_as(one)}" for one in found.readings)
    order = f"In each cell: the paper's Table 1, then {read}; ! contradicts the paper."
    used = {sign for metric in found.metrics for axiom in found.axioms for sign in signs(found, metric, axiom)}
    legend = ", ".join(f"{sign} {words}" for sign, words in WORDS.items() if sign in used)
    lines = [*textwrap.wrap(legend, width), *textwrap.wrap(order, width), ""]
    rows = [[metric, *(signs(found, metric, axiom) for axiom in found.axioms)] for metric in found.metrics]
    first = max(6, *(len(metric) for metric in found.metrics)) + 1
    lines += align([["", *found.axioms], *rows], [f"<{first}", *["<3"] * len(found.axioms)], gap=1)
    regions = [verdict for verdict in found if verdict.region is not None]
    if regions:
        lines += ["", "Regions"]
        told = found.readings[1:]  # which reading it is, where there are several
        lines += [
            f"  {v.metric} {v.axiom}{f' ({read_as(v.reading)})' if told else ''}: {_shorten(str(v.region))}"
            for v in regions
        ]
    return "\n".join(lines) + "\n"


def disagreements(found: Matrix) -> list[Verdict]:
    """The cells that contradict the paper's table, or hold in a region only."""
    return [verdict for verdict in found if verdict.agrees in ("no", "partly")]


def against_the_paper(found: Matrix) -> str:
    """The table and every disagreement with its evidence."""
    parts = [table_text(found)]
    for reading in found.readings:
        odd = [v for v in disagreements(found) if v.reading == reading]
        agreeing = [v.agrees == "yes" for v in found if v.reading == reading]
        same = f"{sum(agreeing)} of {len(agreeing)} cells agree with the paper"
        parts.append(f"\n{reading}: {same}; {len(odd)} do not, or in part.\n")
        for v in odd:
            here = f"  {v.metric} {v.axiom}: paper {v.paper}, ours {v.verdict}" + (f" ({v.region})" if v.region else "")
            parts.append(f"{here}\n      {v.evidence}\n")
    return "".join(parts)
