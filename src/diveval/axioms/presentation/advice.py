"""Questions to the matrix: where a metric satisfies each constraint, and which metrics satisfy a set of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from diveval.argument_types import explain_types
from diveval.axioms.presentation.matrix import matrix
from diveval.axioms.proof.decide import SECONDS, Metric
from diveval.axioms.proof.published import ROWS
from diveval.axioms.proof.scheduler import Cell, answer
from diveval.axioms.proof.subjects import SymbolicMetric, as_symbolic, exact_score
from diveval.axioms.proof.verdicts import MARKS, PROVED, Verdict
from diveval.axioms.specification.constraints import AXIOMS, Axiom, as_axiom
from diveval.axioms.specification.readings import CHARITABLE, Reading, as_reading
from diveval.axioms.specification.shapes import Bounds
from diveval.errors import UsageError
from diveval.exact.polynomials import Term
from diveval.metrics.names import MetricText
from diveval.system.progress import Progress

F = Fraction


@dataclass(frozen=True)
class Where:
    """For which parameters a metric satisfies one constraint, and what happens at the ends of their ranges."""

    verdict: Verdict
    ends: tuple[tuple[str, Verdict], ...] = ()  # `e = 0` and the verdict there

    def __str__(self) -> str:
        v = self.verdict
        said = f"holds for {v.parameters}" if v.verdict == "holds" and v.parameters else v.verdict
        if v.verdict == "region" and v.region is not None:
            said = f"holds iff {v.region.formula}" + "".join(f"\n             {number}" for number in v.region.numbers)
        if v.uncut and v.verdict == "fails":
            said = f"fails below the cutoff; without one: {v.uncut}"
        ends = [f"{end}: {found.verdict}" for end, found in self.ends if found.verdict != v.verdict]
        at_ends = f"\n             at the ends: {', '.join(ends)}" if ends else ""
        return f"  {MARKS[v.verdict]} {v.axiom:<8} {said}{at_ends}"


@explain_types
def regions(
    metric: Metric,
    *,
    axioms: Sequence[str | Axiom] | None = None,
    reading: str | Reading = CHARITABLE,
    bounds: Bounds | None = None,
    time_limit: float = SECONDS,
    cached: bool = True,
) -> list[Where]:
    """For each constraint the exact set of parameters, inside their ranges and at the ends.

    Args:
        metric: a name whose parameters are free, or a setting
        axioms: names, or axioms of your own; all ten unless given
        reading: how the constraints are read
        bounds: how far the solver looks
        time_limit: seconds for one cell
        cached: whether what was decided before is taken from disk
    """
    who, how = as_symbolic(metric), as_reading(reading)
    out = []
    for name in AXIOMS if axioms is None else axioms:

        def cell(of: Metric, axiom: str | Axiom = name) -> Cell:
            return Cell.of(of, axiom, how, bounds, time_limit)

        ends = tuple((end, answer(cell(other), cached=cached)) for end, other in _ends(who))
        out.append(Where(answer(cell(who), cached=cached), ends))
    return out


def _ends(who: SymbolicMetric) -> list[tuple[str, str]]:
    """The metric with one parameter at an end of its range that belongs to the range."""
    parts = MetricText.of(who.source) if isinstance(who.source, str) else None
    if parts is None or parts.settings:
        return []
    ends = ((p.name, *end) for p in who.free for end in ((p.low, p.open_low), (p.high, p.open_high)))
    return [
        (f"{name} = {value:g}", str(replace(parts, settings=(f"{name}={value:g}",))))
        for name, value, is_open in ends
        if not is_open and math.isfinite(value)
    ]


@dataclass(frozen=True)
class Advice:
    """A metric, what it satisfies of what is needed, and for which parameters."""

    metric: str
    needed: tuple[Verdict, ...]
    lacks: tuple[str, ...] = ()  # `grades`, `weights`

    @property
    def suitable(self) -> bool:
        return not self.lacks and all(v.verdict in PROVED for v in self.needed)

    @property
    def conditions(self) -> list[str]:
        """What the parameters must satisfy beyond their ranges."""
        return [f"{v.axiom}: {v.region}" for v in self.needed if v.region is not None]

    @property
    def missing(self) -> list[str]:
        return [v.axiom for v in self.needed if v.verdict not in PROVED] + list(self.lacks)


@explain_types
def advise(
    need: Sequence[str],
    *,
    grades: bool = False,
    weights: bool = False,
    reading: str | Reading = CHARITABLE,
    metrics: Sequence[str] = ROWS,
    bounds: Bounds | None = None,
    time_limit: float = SECONDS,
    jobs: int = 2,
    cached: bool = True,
    progress: Progress | None = None,
) -> list[Advice]:
    """The metrics that satisfy all that is needed, first; then the others, closest first.

    `grades`: the score must see degrees of relevance. `weights`: it must see the aspects' weights.
    """
    names = [as_axiom(name).name for name in need]
    if not names:
        raise UsageError("missing-argument", f"say what is needed: one or more of {', '.join(AXIOMS)}")
    how = as_reading(reading)
    found = matrix(
        metrics,
        axioms=names,
        readings=[how],
        bounds=bounds,
        time_limit=time_limit,
        jobs=jobs,
        cached=cached,
        progress=progress,
    )
    out = []
    for metric in found.metrics:
        who = as_symbolic(metric)
        lacks = ["grades"] if grades and not sees_grades(who) else []
        lacks += ["weights"] if weights and not sees_weights(who) else []
        out.append(Advice(metric, tuple(found.cell(metric, name, how.name) for name in names), tuple(lacks)))
    return sorted(out, key=lambda advice: len(advice.missing))


def sees_grades(who: SymbolicMetric) -> bool:
    """Whether swapping a more and a less relevant document changes the score."""
    more, less = [F(1, 2)], [F(1, 4)]
    return bool(_score(who, [less, more], [F(1)]) != _score(who, [more, less], [F(1)]))


def sees_weights(who: SymbolicMetric) -> bool:
    """Whether moving weight from one aspect to the other changes the score of a document about the first."""
    light, heavy = F(1, 4), F(3, 4)
    about_first = [F(1, 2), F(0)]
    return bool(_score(who, [about_first], [light, heavy]) != _score(who, [about_first], [heavy, light]))


def _score(who: SymbolicMetric, rows: list[list[F]], weights: list[F]) -> Term:
    """At the usual parameters; for every aspect but the first there is one more document to be found."""
    formula = who.at(who.defaults).at(len(rows) if who.cutoff == "k" else who.formula.cutoff)
    others = [[F(0), F(1, 2)]] if len(weights) > 1 else []
    return Term.of(exact_score(formula, rows, weights, [*rows, *others]))
