"""The pairs of rankings behind DeepTh and CloseTh, and where n or m is a witness: as polynomials and as numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

from diveval.axioms.columns import symbol
from diveval.axioms.constraints import ONE, ZERO, Axiom, Bounds, Case, Pair, Row
from diveval.axioms.evidence import Counterexample
from diveval.axioms.logs import TINY, bounds, certified_sign
from diveval.axioms.numbers import decimal
from diveval.axioms.paths import explore
from diveval.axioms.polynomials import Condition, Poly, Term, Truth, settle, symbol_text
from diveval.axioms.readings import Reading
from diveval.axioms.search import concrete, simplified
from diveval.axioms.solver import Solver
from diveval.axioms.subjects import Subject, symbolic_difference

HALF = Fraction(1, 2)
TOLERANCE = Fraction(1, 10**6)


@dataclass(frozen=True)
class Gap:
    """Where one n is a witness: on each way through the metric, a polynomial that must be positive."""

    paths: tuple[tuple[tuple[Condition, ...], Poly], ...]

    @property
    def form(self) -> Poly | None:
        """The polynomial, if it is the same on every way; None else."""
        forms = {form for _, form in self.paths}
        return next(iter(forms)) if len(forms) == 1 else None

    def __str__(self) -> str:
        if self.form is not None:
            return above_zero(self.form)
        ways = []
        for given, form in self.paths:
            sign = certified_sign(form.terms)
            if sign is None or sign > 0:
                ways.append(" and ".join([*map(str, given), *([above_zero(form)] if sign is None else [])]))
        return " or ".join(dict.fromkeys(ways))


@dataclass
class Witnesses:
    """The questions that one existential constraint asks of a subject."""

    subject: Subject
    axiom: Axiom
    reading: Reading
    bounds: Bounds
    solver: Solver
    gaps: dict[tuple[int, int | None], Gap] = field(default_factory=dict)

    # --- the two rankings ---

    def case(self, n: int) -> Case:
        close = self.axiom.name == "CloseTh"

        def build(v: Mapping[str, Term]) -> Pair:
            r = v["r"]
            first: list[Row] = [[r], *([[ZERO]] * (2 * n - 1) if self.reading.padded else [])]
            second: list[Row] = [[ZERO]] * n + [[r]] * n
            better, worse = (second, first) if close else (first, second)
            return Pair(better, worse, [ONE], [r > 0, r < 1], pool=[*second, [r]])

        many = f"{n} relevant behind {n} non-relevant"
        label = f"m = {n}: {many} must beat one at the top" if close else f"n = {n}: one at the top must beat {many}"
        return Case(self.axiom.name, label, 2 * n, 1, ("r",), build)

    def gap(self, n: int, cutoff: int | None = None) -> Gap:
        """Polynomials that are positive exactly where n is a witness."""
        key = (n, cutoff)
        if key not in self.gaps:
            pair = self.case(n).build({"r": self.r})
            whole = self.subject.formula
            formula = self.subject.visible(whole, pair) if cutoff is None else whole.at(cutoff)
            run = explore(lambda: symbolic_difference(formula, pair), self.solver, self.inside())
            self.gaps[key] = Gap(tuple((path.conditions, self._reduced(path.result.signed())) for path in run))
        return self.gaps[key]

    def _reduced(self, poly: Poly) -> Poly:
        return simplified(poly.lowest(TINY), self.subject)

    @property
    def r(self) -> Term:
        if self.small:
            return Term.symbol(TINY)
        return symbol("r") if self.reading.r_c is None else Term.of(self.reading.r_c)

    @property
    def small(self) -> bool:
        """Whether r_c goes to 0."""
        return self.reading.small_rc and self.axiom.name == "CloseTh"

    def inside(self) -> list[Condition]:
        """The admissible parameters, and 0 < r_c < 1."""
        r = Poly.symbol("r")
        known = [Condition(-r, "<"), Condition(r - Poly.constant(1), "<")] if self.reading.r_c is None else []
        return [*known, *(fact for facts in self.subject.facts.values() for fact in facts)]

    def padded(self) -> Witnesses:
        """The same question with both rankings padded, where effort cancels."""
        return replace(self, reading=replace(self.reading, padded=True), gaps={})

    @property
    def usual(self) -> dict[str, Fraction]:
        return {"r": self.reading.r_c or (Fraction(1, 100) if self.small else HALF), **self.subject.defaults}

    # --- asking ---

    def always(self, gap: Gap) -> bool:
        """Positive for all admissible parameters?"""
        at_usual = None if gap.form is None else certified_sign(gap.form.at(self.usual).terms)
        if at_usual is not None and at_usual <= 0:
            return False
        return self._excluded(gap, lambda form: settle(form, "<="))

    def never(self, gap: Gap) -> bool:
        """Not positive for any admissible parameters?"""
        return self._excluded(gap, lambda form: settle(-form, "<"))

    def _excluded(self, gap: Gap, relation: Callable[[Poly], Truth]) -> bool:
        inside = self.inside()
        return all(self.solver.impossible([*inside, *given, relation(form)]) for given, form in gap.paths)

    def witness(self, most: int, cutoff: int | None = None) -> int | None:
        """An n that does for all admissible parameters."""
        return next((n for n in range(1, most + 1) if self.always(self.gap(n, cutoff))), None)

    def shown(self, most: int = 6, cutoff: int | None = None) -> Counterexample | None:
        """The pair that comes closest where no n does: at the usual parameters, or at others outside the region."""
        subject = self.subject
        if cutoff is not None:
            subject = replace(subject, formula=subject.formula.at(cutoff), cutoff=cutoff)
        for setting in self._settings():
            values = {"r": Term.of(setting["r"])}
            pairs = [concrete(subject, self.case(n), values, setting) for n in range(1, most + 1)]
            broken = [pair for pair in pairs if pair is not None]
            if len(broken) == most:
                # Floats only choose which of the failing pairs is shown.
                return max(broken, key=lambda pair: float(pair.decimals[0]) - float(pair.decimals[1]))
        return None

    def _settings(self) -> list[dict[str, Fraction]]:
        """The usual parameters, then each of them moved to other values."""
        usual = self.usual
        names = [name for name in usual if name != "r" or not self.small]
        moved = [{**usual, name: value} for name in names for value in (HALF, Fraction(1, 10), Fraction(9, 10))]
        return [usual, *(setting for setting in moved if self.reading.r_c in (None, setting["r"]))]

    # --- numbers ---

    def border(self, gaps: Sequence[Gap], name: str) -> Fraction:
        """The largest value of a parameter up to which some gap is positive, each gap falling in it; by bisection."""
        forms = [gap.form for gap in gaps if gap.form is not None]
        low, high = Fraction(0), Fraction(1)
        while high - low > TOLERANCE:
            middle = (low + high) / 2
            good = any(certified_sign(form.at({name: middle}).terms) == 1 for form in forms)
            low, high = (middle, high) if good else (low, middle)
        return high

    def numbers(self, most: int, cutoff: int | None) -> tuple[str, ...]:
        """Where it holds along each parameter, the others at their usual values."""
        forms = [form for m in range(1, most + 1) if (form := self.gap(m, cutoff).form) is not None]
        names = sorted({name for form in forms for name in form.symbols if name in self.usual})
        out = []
        for name in names:
            others = {key: value for key, value in self.usual.items() if key != name}
            lines = [_along(form.at(others), name) for form in forms]

            def good(value: Fraction, lines: list[list[Fraction]] = lines) -> bool:
                return any(_at(line, value) > 0 for line in lines)

            fixed = ", ".join(f"{symbol_text(k)} = {v}" for k, v in others.items() if k in names)
            where = intervals(good, symbol_text(name))
            out.append(where + (f" at {fixed}" if fixed else ""))
        return tuple(out)


def _along(poly: Poly, name: str) -> list[Fraction]:
    """Coefficients in one parameter, logarithms to 30 digits: for borders that are shown to six."""
    parts = poly.by_power(name)
    middle = {power: sum(bounds(part.terms, 30)) / 2 for power, part in parts.items()}
    short = Fraction(1, 10**20)
    return [round(middle.get(power, Fraction(0)) / short) * short for power in range(max(parts, default=0) + 1)]


def _at(line: list[Fraction], value: Fraction) -> Fraction:
    total = Fraction(0)
    for coefficient in reversed(line):
        total = total * value + coefficient
    return total


def above_zero(poly: Poly) -> str:
    """`poly > 0` with the constant on the other side when it is negative: p² + p³ > 1."""
    constant = poly.terms.get((), Fraction(0))
    if constant < 0 and len(poly.terms) > 1:
        return f"{poly - Poly.constant(constant)} > {-constant}"
    return f"{poly} > 0"


def intervals(good: Callable[[Fraction], bool], name: str, *, steps: int = 40) -> str:
    """Where a condition on a value between 0 and 1 holds, borders by bisection: `p > 0.754878`."""
    points = [Fraction(2 * i + 1, 2 * steps) for i in range(steps)]
    answers = [(point, good(point)) for point in points]
    pieces = []
    start = Fraction(0)
    for (a, left), (b, right) in pairwise(answers):
        if left != right:
            edge = _edge(good, a, b, left)
            if left:
                pieces.append((start, edge))
            start = edge
    if answers[-1][1]:
        pieces.append((start, Fraction(1)))
    return " or ".join(_interval(name, low, high) for low, high in pieces) or f"{name}: nowhere"


def _edge(good: Callable[[Fraction], bool], a: Fraction, b: Fraction, left: bool) -> Fraction:
    while b - a > TOLERANCE / 4:
        middle = (a + b) / 2
        a, b = (middle, b) if good(middle) == left else (a, middle)
    return (a + b) / 2


def _interval(name: str, low: Fraction, high: Fraction) -> str:
    if low == 0 and high == 1:
        return f"every {name}"
    if low == 0:
        return f"{name} < {decimal(high)}"
    return f"{name} > {decimal(low)}" if high == 1 else f"{decimal(low)} < {name} < {decimal(high)}"
