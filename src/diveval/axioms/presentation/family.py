"""The design space: every composition of discount × novelty × weights × effort, and which part makes which axiom hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from diveval.argument_types import explain_types
from diveval.axioms.presentation.matrix import Matrix, matrix
from diveval.axioms.proof.subjects import SymbolicMetric
from diveval.axioms.proof.verdicts import MARKS, PROVED, Verdict
from diveval.axioms.specification.constraints import AXIOMS
from diveval.axioms.specification.readings import CHARITABLE, Reading
from diveval.axioms.specification.shapes import Bounds
from diveval.exact.polynomials import Term
from diveval.metrics.algebra import Always, Aspects, Cascade, Decay, Discount, Flat, Geometric, Log, Novelty, Reciprocal
from diveval.metrics.formulas import Sum
from diveval.metrics.metric import Parameter
from diveval.results.protocol import Columns, Result, deliver
from diveval.results.table_text import TextTable, markdown_lines
from diveval.system.progress import Progress

P = Parameter("p", 0.99, "probability of going on", 0, 1)
ALPHA = Parameter("alpha", 0.5, "how much a document already seen takes off", 0, 1)
EFFORT = Parameter("e", 0.05, "effort of one document", 0)

DISCOUNTS: dict[str, tuple[Callable[[], Discount], tuple[Parameter, ...]]] = {
    "p^i": (lambda: Geometric(Term.symbol("p")), (P,)),
    "1/i": (Reciprocal, ()),
    "1/log(i+1)": (Log, ()),
    "none": (Flat, ()),
}
NOVELTIES: dict[str, tuple[Callable[[], Novelty], tuple[Parameter, ...]]] = {
    "none": (Always, ()),
    "(1−α)^c": (lambda: Decay(Term.symbol("alpha")), (ALPHA,)),
    "Π(1−r)": (Cascade, ()),
}
WEIGHTS = {"yes": True, "no": False}
EFFORTS: dict[str, tuple[Any, tuple[Parameter, ...]]] = {"no": (0, ()), "e": (Term.symbol("e"), (EFFORT,))}
PARTS = ("discount", "novelty", "weights", "effort")


@dataclass(frozen=True)
class Composition:
    """One point of the design space."""

    discount: str
    novelty: str
    weights: str
    effort: str

    @property
    def name(self) -> str:
        return " × ".join(f"{part} {getattr(self, part)}" for part in PARTS)

    def subject(self) -> SymbolicMetric:
        """The metric it declares, all parameters free."""
        discount, first = DISCOUNTS[self.discount]
        novelty, second = NOVELTIES[self.novelty]
        effort, third = EFFORTS[self.effort]
        formula = Sum(Aspects(WEIGHTS[self.weights]), discount(), novelty(), effort)
        return SymbolicMetric(self.name, formula, (*first, *second, *third), source=self.name)


@dataclass(frozen=True, repr=False)
class Family(Result):
    """The walk: a verdict for every composition and constraint."""

    compositions: tuple[Composition, ...]
    matrix: Matrix
    reading: str

    def verdicts(self, composition: Composition) -> list[Verdict]:
        return [self.matrix.cell(composition.name, axiom, self.reading) for axiom in AXIOMS]

    def satisfying(self, axiom: str) -> list[Composition]:
        """The compositions for which a constraint holds, at least in a region."""
        return [c for c in self.compositions if self.matrix.cell(c.name, axiom, self.reading).verdict in PROVED]

    def all_ten(self) -> list[Composition]:
        """The compositions that satisfy everything, at least in a region."""
        return [c for c in self.compositions if all(v.verdict in PROVED for v in self.verdicts(c))]

    def explain_parts(self, axiom: str) -> str:
        """Which parts decide a constraint, as a condition on them; exact, since every composition was decided."""
        good = self.satisfying(axiom)
        if not good:
            return "no composition"
        if len(good) == len(self.compositions):
            return "every composition"
        return "; or ".join(_cover(good, self.compositions))

    def columns(self) -> Columns:
        """A line per cell: the matrix of the compositions."""
        return self.matrix.columns()

    def as_dict(self) -> dict[str, Any]:
        """Everything, counterexamples and proofs included."""
        return self.matrix.as_dict()

    def display(self) -> TextTable:
        """One row per composition: its parts, then a sign for each constraint."""
        rows = [
            [*(getattr(c, part) for part in PARTS), *(MARKS[v.verdict] for v in self.verdicts(c))]
            for c in self.compositions
        ]
        return TextTable([*PARTS, *AXIOMS], rows)

    def to_text(self, width: int = 80) -> str:
        """Which part makes which axiom hold, then all compositions."""
        lines = [f"What buys which axiom ({self.reading} reading; every composition was decided):"]
        lines += [f"  {axiom:<8} {self.explain_parts(axiom)}" for axiom in AXIOMS]
        lines += ["", "All ten, at least in a region of the parameters:"]
        lines += [f"  {c.name}" for c in self.all_ten()] or ["  none"]
        return "\n".join([*lines, "", self.display().text(width)])

    def to_markdown(self, path: str | Path | None = None) -> str:
        """The same for the documentation; also written to `path` if given."""
        bought = ([axiom, self.explain_parts(axiom)] for axiom in AXIOMS)
        lines = markdown_lines(["constraint", "holds for (at least in a region)"], bought)
        lines += ["", "All ten: " + ("; ".join(f"`{c.name}`" for c in self.all_ten()) or "none") + ".", ""]
        return deliver("\n".join([*lines, self.display().markdown()]), path)


def _cover(good: list[Composition], everything: tuple[Composition, ...]) -> list[str]:
    """Few boxes (a set of values for each part) whose union is exactly the good compositions, largest box first."""
    values = {part: list(dict.fromkeys(getattr(c, part) for c in everything)) for part in PARTS}
    left, boxes = set(good), []
    while left:
        fitting = [(box, inside) for box in _boxes(values) if (inside := _inside(box, everything)) <= set(good)]
        best, covered = max(fitting, key=lambda pair: (len(pair[1] & left), len(pair[1])))
        narrow = [part for part in PARTS if len(best[part]) < len(values[part])]
        boxes.append(" and ".join(f"{part} {' or '.join(best[part])}" for part in narrow))
        left -= covered
    return boxes


Box = Mapping[str, tuple[str, ...]]


def _boxes(values: Mapping[str, list[str]]) -> list[Box]:
    subsets = {
        part: [tuple(v for i, v in enumerate(options) if bits >> i & 1) for bits in range(1, 2 ** len(options))]
        for part, options in values.items()
    }
    return [dict(zip(PARTS, chosen, strict=True)) for chosen in product(*(subsets[part] for part in PARTS))]


def _inside(box: Box, everything: tuple[Composition, ...]) -> set[Composition]:
    return {c for c in everything if all(getattr(c, part) in box[part] for part in PARTS)}


EVERY = tuple(Composition(*chosen) for chosen in product(DISCOUNTS, NOVELTIES, WEIGHTS, EFFORTS))


@explain_types
def walk(
    *,
    compositions: Sequence[Composition] = EVERY,
    reading: Reading = CHARITABLE,
    bounds: Bounds | None = None,
    time_limit: float = 60.0,
    jobs: int = 2,
    cached: bool = True,
    progress: Progress | None = None,
) -> Family:
    """Decide all 48 compositions, or some of them, on all ten constraints."""
    found = matrix(
        [c.subject() for c in compositions],
        readings=[reading],
        bounds=bounds,
        time_limit=time_limit,
        jobs=jobs,
        cached=cached,
        progress=progress,
    )
    return Family(tuple(compositions), found, reading.name, setup=found.setup)
