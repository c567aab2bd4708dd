"""The pairs of rankings of DeepTh and CloseTh: polynomials in the parameters that are positive where n or m is a witness,
and their borders along one parameter with the others fixed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from diveval.axioms.proof.column_machine import Column, single_aspect_column
from diveval.axioms.proof.derivation import SYMBOLS, Derivation, symbol
from diveval.axioms.proof.search import concrete, simplify
from diveval.axioms.proof.solver import Solver
from diveval.axioms.proof.subjects import SymbolicMetric, symbolic_difference
from diveval.axioms.proof.verdicts import Answer, Counterexample, Proof, Region
from diveval.axioms.specification.constraints import Axiom
from diveval.axioms.specification.readings import Reading
from diveval.axioms.specification.shapes import ONE, ZERO, Bounds, Case, Pair, Row
from diveval.exact.logs import TINY, Interval, certify_sign, symbol_text
from diveval.exact.paths import TooLong, explore
from diveval.exact.polynomials import Condition, Poly, Term, Truth, settle
from diveval.exact.roots import falling_root, inside, line
from diveval.metrics.numbers import exactly

HALF = Fraction(1, 2)
FEW = 12  # the largest m examined first along a line
MOST_DOCUMENTS = 600  # of a ranking that is expanded: its score is a polynomial of that degree, which no clock bounds

ALL = "z3, for all admissible parameters and r_c"


@dataclass
class Found:
    """The decision about a threshold."""

    verdict: Answer
    region: Region | None = None
    proof: Proof | None = None
    counterexample: Counterexample | None = None
    note: str = ""
    derivation: Derivation | None = None
    witness: int | None = None  # an n (or m) that satisfies the constraint for all admissible parameters
    first: int = 0  # DeepTh: the n from which on all are (or none is) a witness, where it is a number
    uncut: Literal["", "holds", "fails"] = ""  # of a region in k: the answer for all large k


def holds_with(letter: str, n: int, bound: str = ALL, *, only: str = "") -> Found:
    """The decision where one number is a witness."""
    return Found("holds", proof=Proof(bound, witness=f"{letter} = {n} does{only}:"), witness=n)


@dataclass(frozen=True)
class Gap:
    """The condition under which n is a witness: on each path through the metric, a polynomial that must be positive."""

    paths: tuple[tuple[tuple[Condition, ...], Poly], ...]

    @property
    def form(self) -> Poly | None:
        """The polynomial, if it is the same on every path, else None."""
        forms = {form for _, form in self.paths}
        return next(iter(forms)) if len(forms) == 1 else None

    def __str__(self) -> str:
        if self.form is not None:
            return above_zero(self.form)
        conditions = []
        for given, form in self.paths:
            sign = certify_sign(form.terms)
            if sign is None or sign > 0:
                conditions.append(" and ".join([*map(str, given), *([above_zero(form)] if sign is None else [])]))
        return " or ".join(dict.fromkeys(conditions))


@dataclass
class Witnesses:
    """The queries for one existential constraint and one subject."""

    subject: SymbolicMetric
    axiom: Axiom
    reading: Reading
    bounds: Bounds
    solver: Solver
    gaps: dict[tuple[int, int | None], Gap] = field(default_factory=dict)
    looked: set[str] = field(default_factory=set)  # which judgments the metric read, if any

    @property
    def close(self) -> bool:
        return self.axiom.threshold == "close"

    # --- the two rankings ---

    def case(self, n: int) -> Case:
        if 2 * n > MOST_DOCUMENTS:
            raise TooLong(f"its rankings have {2 * n} documents; up to {MOST_DOCUMENTS} are expanded")

        def build(v: Mapping[str, Term]) -> Pair:
            r = v["r"]
            first: list[Row] = [[r], *([[ZERO]] * (2 * n - 1) if self.reading.padded else [])]
            second: list[Row] = [[ZERO]] * n + [[r]] * n
            better, worse = (second, first) if self.close else (first, second)
            return Pair(better, worse, [ONE], [r > 0, r < 1], pool=[*second, [r]])

        many = f"{n} relevant behind {n} non-relevant"
        close, deep = f"m = {n}: {many} must beat one at the top", f"n = {n}: one at the top must beat {many}"
        return Case(self.axiom.name, close if self.close else deep, 2 * n, 1, ("r",), build)

    def gap(self, n: int, cutoff: int | None = None) -> Gap:
        """Polynomials that are positive exactly if n is a witness."""
        key = (n, cutoff)
        if key not in self.gaps:
            pair = self.case(n).build({"r": self.r})
            whole = self.subject.formula
            formula = self.subject.visible(whole, pair) if cutoff is None else whole.at(cutoff)

            def difference() -> Term:
                return symbolic_difference(formula, pair, looked=self.looked)

            run = explore(difference, self.solver, self.inside(), twice=self.subject.has_user_code)
            forms = ((path.conditions, path.result.signed().lowest(TINY)) for path in run)
            self.gaps[key] = Gap(tuple((given, simplify(form, self.subject)) for given, form in forms))
        return self.gaps[key]

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
        return [*known, *self.subject.admissible]

    def pad(self) -> Witnesses:
        """The same constraint with both rankings padded, so that effort cancels."""
        return replace(self, reading=replace(self.reading, padded=True), gaps={})

    @property
    def usual(self) -> dict[str, Fraction]:
        return {"r": self.reading.r_c or (Fraction(1, 100) if self.small else HALF), **self.subject.defaults}

    # --- queries ---

    def always(self, gap: Gap) -> bool:
        """Whether it is positive for all admissible parameters."""
        at_usual = None if gap.form is None else certify_sign(gap.form.at(self.usual).terms)
        if at_usual is not None and at_usual <= 0:
            return False
        return self._excluded(gap, lambda form: settle(form, "<="))

    def never(self, gap: Gap) -> bool:
        """Whether it is positive for no admissible parameters."""
        return self._excluded(gap, lambda form: settle(-form, "<"))

    def _excluded(self, gap: Gap, relation: Callable[[Poly], Truth]) -> bool:
        inside = self.inside()
        return all(self.solver.impossible([*inside, *given, relation(form)]) for given, form in gap.paths)

    def witness(self, among: Sequence[int]) -> int | None:
        """An n that is a witness for all admissible parameters."""
        return next((n for n in among if self.always(self.gap(n))), None)

    def show_pair(self, among: Sequence[int] = range(1, 7), cutoff: int | None = None) -> Counterexample | None:
        """If no n is a witness, the pair that comes closest: at the default parameters, or at others outside the region."""
        subject = self.subject
        if cutoff is not None:
            subject = replace(subject, formula=subject.formula.at(cutoff), cutoff=cutoff)
        for setting in self.settings():
            pairs = [self.pair_at(n, setting, subject) for n in among]
            broken = [pair for pair in pairs if pair is not None]
            if len(broken) == len(pairs) > 0:
                # Floats are used only to choose which of the failing pairs is shown.
                return max(broken, key=lambda pair: float(pair.decimals[0]) - float(pair.decimals[1]))
        return None

    def pair_at(
        self, n: int, setting: Mapping[str, Fraction], subject: SymbolicMetric | None = None
    ) -> Counterexample | None:
        """The pair of one n with numeric parameters, if it violates the constraint."""
        return concrete(subject or self.subject, self.case(n), {"r": Term.of(setting["r"])}, setting)

    def settings(self) -> list[dict[str, Fraction]]:
        """The default parameters, then each of them varied."""
        usual = self.usual
        names = [name for name in usual if name != "r" or not self.small]
        others = (HALF, Fraction(1, 10), Fraction(1, 100), Fraction(9, 10), Fraction(999, 1000))
        moved = [{**usual, name: value} for name in names for value in others]
        return [usual, *(setting for setting in moved if self.reading.r_c in (None, setting["r"]))]

    # --- borders along one parameter ---

    def _column(self) -> Column | None:
        return single_aspect_column(self.subject.formula)

    def _lines(self, gaps: Sequence[Gap]) -> tuple[str, ...]:
        """Exact intervals along each parameter, with the others at their defaults."""
        forms = [gap.form for gap in gaps if gap.form is not None]
        return tuple(text for text, _ in (self._along(forms, name, None) for name in self._names(forms)))

    def _names(self, forms: Sequence[Poly]) -> list[str]:
        return sorted({name for form in forms for name in form.symbols if name in self.usual})

    def _high(self, name: str) -> Fraction:
        ends = {p.name: p.high for p in self.subject.free}
        high = ends.get(name, 1.0)
        return Fraction(1000) if high == float("inf") else exactly(high)

    def _along(self, forms: Sequence[Poly], name: str, tail: Poly | None) -> tuple[str, bool]:
        """The intervals along one parameter as text, and whether no larger m extends them."""
        others = {key: value for key, value in self.usual.items() if key != name}
        high = self._high(name)
        found = line([form.at(others) for form in forms], name, high)
        # Whether the values that a necessary condition on larger m allows are already certain.
        closed = tail is None or inside(line([tail.at(others)], name, high).possible, found.certain)
        fixed = ", ".join(f"{symbol_text(k)} = {v}" for k, v in others.items() if k in self._names(forms))
        limit = None if high == 1000 else high
        return found.text(symbol_text(name), limit) + (f" at {fixed}" if fixed else ""), closed

    def _effort_matters(self, found: Column) -> bool:
        return found.has_effort and not self.reading.padded

    def _parts(self, found: Column) -> str:
        return f"D(i) = {found.ranks.text} and ν_j = {found.facts.text(binary=found.binary)}"

    def _border(self, gaps: Sequence[Gap], name: str) -> tuple[Interval | None, int]:
        """The largest value up to which some gap is positive, enclosed, and the m that reaches it."""
        roots = [(falling_root(gap.form, name), m) for m, gap in enumerate(gaps, 1) if gap.form is not None]
        known = [(root, m) for root, m in roots if root is not None]
        return max(known, key=lambda pair: (pair[0][0], -pair[1])) if known else (None, 0)

    @property
    def _last(self) -> int | None:
        """The last m that matters for a given cutoff: with a larger one no more relevant documents count, they are further
        down, and the effort is not smaller."""
        k = self.subject.cutoff
        return max(1, k // 2) if isinstance(k, int) else None

    def _effort_lines(self, found: Column) -> tuple[dict[str, tuple[str, bool]], int]:
        """The intervals along each parameter in which some m ≤ `most` is a witness, whether no larger m extends them, and
        `most`: 12, or the largest m examined if 12 leaves something open."""
        end = min(self.bounds.threshold, self._last or self.bounds.threshold)
        most = min(FEW, end)
        while True:
            forms, tail = self._forms(most), self._tail(found, most)
            lines = {}
            for name in self._names(forms):
                text, closed = self._along(forms, name, tail if tail is not None else Poly.constant(1))
                lines[name] = text, most == self._last or (tail is not None and closed)
            if all(done for _, done in lines.values()) or most >= end:
                return lines, most
            most = end

    def _forms(self, most: int) -> list[Poly]:
        return [form for m in range(1, most + 1) if (form := self.gap(m).form) is not None]

    def _tail(self, found: Column, most: int) -> Poly | None:
        """A polynomial that is positive wherever some m > `most` is a witness, for e ≥ 0.

        p^i: (1−q)·T(m) ≤ p^m with q = p(1−u), so r·(p^M − (1−q)) > e·(1−q)·Σ_(i<2M) p^i is needed, M = most + 1.
        Logarithms: u·T(m) ≤ D(m+1), so r·(D(M+1) − u) > e·u·Σ_(2≤i≤2M) D(i) is needed.
        """
        m = most + 1
        r, e, u = self.r, SYMBOLS.of(found.effort), found.fading(self.r)
        if found.ranks.kind == "geometric":
            p = found.ranks.p
            q = p * (1 - (u if u is not None else 0))
            spent = sum((p**i for i in range(1, 2 * m)), Term.of(0))
            return Term.of(r * (p**m - (1 - q)) - e * spent * (1 - q)).signed()
        if u is None:
            return None
        weights = [Term.of(found.discount.at(i, SYMBOLS)) for i in range(2, 2 * m + 1)]
        return Term.of(r * (Term.of(found.discount.at(m + 1, SYMBOLS)) - u) - e * u * sum(weights, Term.of(0))).signed()

    # --- a finite set of n ---

    def _finite(self, among: Sequence[int], letter: str) -> Found:
        """Decide with these n only: the union of their polynomials is exactly the region."""
        n = self.witness(among)
        if n is not None:
            only = " (the rankings that fit the cutoff)" if self._fitting() is not None else ""
            return holds_with(letter, n, only=only)
        open_ = [gap for gap in map(self.gap, among) if not self.never(gap)]
        shown = self.show_pair(list(among))
        which = f"{letter} = {among[0]}" if len(among) == 1 else f"{letter} = {among[0]}, …, {among[-1]}"
        if not open_:
            reason = f"z3: no {letter} does among {which}, the ones that fit the cutoff"
            return Found("fails", proof=Proof(reason), counterexample=shown)
        formula = " or ".join(dict.fromkeys(str(gap) for gap in open_))
        found = self._column()
        if found is not None and len(open_) > 1 and self.close and not self._effort_matters(found):
            formula = f"some m ≤ {among[-1]} has Σ_(j≤m) D(m+j)·ν_j > D(1) within the cutoff, with {self._parts(found)}"
        region = Region(formula, self._lines(open_))
        return Found("region", region, Proof(f"exactly, for {which}"), shown)

    def _fitting(self) -> range | None:
        """The n whose rankings of 2n documents fit a given cutoff; None without a cutoff."""
        k = self.subject.cutoff
        return range(1, k // 2 + 1) if isinstance(k, int) and not self.reading.cutoff_binds else None

    def _vacuous(self) -> Found:
        return Found("vacuous", note=f"no two rankings of 2n documents fit the cutoff k = {self.subject.cutoff}")

    def _sums_are_right(self, found: Column | None) -> bool:
        """Check that column and formula agree on the pairs of this constraint, up to four documents."""
        if found is None:
            return True
        for n in (1, 2):
            pair = self.case(n).build({"r": symbol("r")})
            formula = self.subject.visible(self.subject.formula, pair)
            if not found.agrees(formula, pair, self.solver, pair.premises):
                return False
        return True


def above_zero(poly: Poly) -> str:
    """`poly > 0`, with a negative constant moved to the other side: p² + p³ > 1."""
    constant = poly.terms.get((), Fraction(0))
    if constant < 0 and len(poly.terms) > 1:
        return f"{poly - Poly.constant(constant)} > {-constant}"
    return f"{poly} > 0"
