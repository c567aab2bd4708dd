"""The pairs of rankings behind DeepTh and CloseTh, and where n or m is a witness, as polynomials in the parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from diveval.axioms.arithmetic.logs import TINY, certified_sign
from diveval.axioms.arithmetic.paths import explore
from diveval.axioms.arithmetic.polynomials import Condition, Poly, Term, Truth, settle
from diveval.axioms.proof.ledger import symbol
from diveval.axioms.proof.search import concrete, simplified
from diveval.axioms.proof.solver import Solver
from diveval.axioms.proof.subjects import Pooled, Subject, symbolic_difference
from diveval.axioms.proof.verdicts import Counterexample
from diveval.axioms.specification.constraints import Axiom
from diveval.axioms.specification.readings import Reading
from diveval.axioms.specification.shapes import ONE, ZERO, Bounds, Case, Pair, Row

HALF = Fraction(1, 2)


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
    pooled: Pooled = field(default_factory=Pooled)

    @property
    def close(self) -> bool:
        return self.axiom.threshold == "close"

    # --- the two rankings ---

    def case(self, n: int) -> Case:
        def build(v: Mapping[str, Term]) -> Pair:
            r = v["r"]
            first: list[Row] = [[r], *([[ZERO]] * (2 * n - 1) if self.reading.padded else [])]
            second: list[Row] = [[ZERO]] * n + [[r]] * n
            better, worse = (second, first) if self.close else (first, second)
            return Pair(better, worse, [ONE], [r > 0, r < 1], pool=[*second, [r]])

        many = f"{n} relevant behind {n} non-relevant"
        close = f"m = {n}: {many} must beat one at the top"
        return Case(
            self.axiom.name,
            close if self.close else f"n = {n}: one at the top must beat {many}",
            2 * n,
            1,
            ("r",),
            build,
        )

    def gap(self, n: int, cutoff: int | None = None) -> Gap:
        """Polynomials that are positive exactly where n is a witness."""
        key = (n, cutoff)
        if key not in self.gaps:
            pair = self.case(n).build({"r": self.r})
            whole = self.subject.formula
            formula = self.subject.visible(whole, pair) if cutoff is None else whole.at(cutoff)

            def difference() -> Term:
                return symbolic_difference(formula, pair, pooled=self.pooled)

            run = explore(difference, self.solver, self.inside(), twice=self.subject.user)
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
        return self.reading.small_rc and self.close

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

    def witness(self, among: Sequence[int], cutoff: int | None = None) -> int | None:
        """An n that does for all admissible parameters."""
        return next((n for n in among if self.always(self.gap(n, cutoff))), None)

    def shown(self, among: Sequence[int] = range(1, 7), cutoff: int | None = None) -> Counterexample | None:
        """The pair that comes closest where no n does: at the usual parameters, or at others outside the region."""
        subject = self.subject
        if cutoff is not None:
            subject = replace(subject, formula=subject.formula.at(cutoff), cutoff=cutoff)
        for setting in self._settings():
            values = {"r": Term.of(setting["r"])}
            pairs = [concrete(subject, self.case(n), values, setting) for n in among]
            broken = [pair for pair in pairs if pair is not None]
            if len(broken) == len(pairs) > 0:
                # Floats only choose which of the failing pairs is shown.
                return max(broken, key=lambda pair: float(pair.decimals[0]) - float(pair.decimals[1]))
        return None

    def _settings(self) -> list[dict[str, Fraction]]:
        """The usual parameters, then each of them moved to other values."""
        usual = self.usual
        names = [name for name in usual if name != "r" or not self.small]
        others = (HALF, Fraction(1, 10), Fraction(9, 10), Fraction(999, 1000))
        moved = [{**usual, name: value} for name in names for value in others]
        return [usual, *(setting for setting in moved if self.reading.r_c in (None, setting["r"]))]


def above_zero(poly: Poly) -> str:
    """`poly > 0` with the constant on the other side when it is negative: p² + p³ > 1."""
    constant = poly.terms.get((), Fraction(0))
    if constant < 0 and len(poly.terms) > 1:
        return f"{poly - Poly.constant(constant)} > {-constant}"
    return f"{poly} > 0"
