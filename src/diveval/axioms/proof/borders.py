"""The borders of CloseTh: along one parameter with the others given, with effort that does not cancel, and of one m."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from diveval.axioms.arithmetic.polynomials import Poly, Term, symbol_text
from diveval.axioms.arithmetic.roots import Enclosure, falling_root, inside, line
from diveval.axioms.proof.columns import Column, single_aspect_column
from diveval.axioms.proof.ledger import SYMBOLS, Ledger
from diveval.axioms.proof.parts import GeometricFacts
from diveval.axioms.proof.search import concrete
from diveval.axioms.proof.verdicts import Answer, Counterexample, Proof, Region
from diveval.axioms.proof.witnesses import Gap, Witnesses
from diveval.metrics.numbers import exactly

FEW = 12  # m up to which a line is looked at first


@dataclass
class Found:
    """What was decided about a threshold."""

    verdict: Answer
    region: Region | None = None
    proof: Proof | None = None
    counterexample: Counterexample | None = None
    note: str = ""
    ledger: Ledger | None = None


@dataclass(frozen=True)
class EffortLines:
    """Along each parameter where some m ≤ `most` does, and whether no larger one adds to that."""

    names: tuple[str, ...]
    lines: tuple[str, ...]
    done: tuple[bool, ...]
    most: int

    @property
    def closed(self) -> bool:
        return all(self.done)

    @property
    def texts(self) -> tuple[str, ...]:
        late = f" (m ≤ {self.most}; larger m may add to it)"
        return tuple(line if done else line + late for line, done in zip(self.lines, self.done, strict=True))


class Borders(Witnesses):
    """Exact intervals and enclosed roots of the polynomials of one existential constraint."""

    def _column(self) -> Column | None:
        return single_aspect_column(self.subject.formula)

    def _lines(self, gaps: Sequence[Gap]) -> tuple[str, ...]:
        """Along each parameter, the others at their usual values: exact intervals."""
        forms = [gap.form for gap in gaps if gap.form is not None]
        return tuple(text for text, _ in (self._along(forms, name, None) for name in self._names(forms)))

    def _names(self, forms: Sequence[Poly]) -> list[str]:
        return sorted({name for form in forms for name in form.symbols if name in self.usual})

    def _high(self, name: str) -> Fraction:
        ends = {p.name: p.high for p in self.subject.free}
        high = ends.get(name, 1.0)
        return Fraction(1000) if high == float("inf") else exactly(high)

    def _along(self, forms: Sequence[Poly], name: str, tail: Poly | None) -> tuple[str, bool]:
        """Where it holds along one parameter as text, and whether no later m adds to it."""
        others = {key: value for key, value in self.usual.items() if key != name}
        high = self._high(name)
        found = line([form.at(others) for form in forms], name, high)
        # Whether all that a necessary condition on later m allows is already certain.
        closed = tail is None or inside(line([tail.at(others)], name, high).possible, found.certain)
        fixed = ", ".join(f"{symbol_text(k)} = {v}" for k, v in others.items() if k in self._names(forms))
        limit = None if high == 1000 else high
        return found.text(symbol_text(name), limit) + (f" at {fixed}" if fixed else ""), closed

    def _effort_matters(self, found: Column) -> bool:
        return found.has_effort and not self.reading.padded

    def _parts(self, found: Column) -> str:
        return f"D(i) = {found.ranks.text()} and ν_j = {found.facts.text(binary=found.binary)}"

    def _border(self, gaps: Sequence[Gap], name: str) -> tuple[Enclosure | None, int]:
        """The largest value up to which some gap is positive, enclosed, and the m that reaches it."""
        roots = [(falling_root(gap.form, name), m) for m, gap in enumerate(gaps, 1) if gap.form is not None]
        known = [(root, m) for root, m in roots if root is not None]
        return max(known, key=lambda pair: (pair[0][0], -pair[1])) if known else (None, 0)

    @property
    def _last(self) -> int | None:
        """The last m that matters within a given cutoff: a larger one shows no more relevant documents, further down,
        and costs no less."""
        k = self.subject.cutoff
        return max(1, k // 2) if isinstance(k, int) else None

    def _effort_lines(self, found: Column) -> EffortLines:
        """The lines for m ≤ 12, or for all m looked at where that leaves something open."""
        end = min(self.bounds.threshold, self._last or self.bounds.threshold)
        most = min(FEW, end)
        while True:
            forms = self._forms(most)
            names, tail = self._names(forms), self._tail(found, most)
            lines = [self._along(forms, name, tail if tail is not None else Poly.constant(1)) for name in names]
            done = [most == self._last or (tail is not None and closed) for _, closed in lines]
            if all(done) or most >= end:
                return EffortLines(tuple(names), tuple(text for text, _ in lines), tuple(done), most)
            most = end

    def _forms(self, most: int) -> list[Poly]:
        return [form for m in range(1, most + 1) if (form := self.gap(m).form) is not None]

    def _tail(self, found: Column, most: int) -> Poly | None:
        """A polynomial that is positive wherever some m > `most` does, for e ≥ 0.

        p^i: (1−q)·T(m) ≤ p^m with q = p(1−u), so r·(p^M − (1−q)) > e·(1−q)·Σ_(i<2M) p^i is needed, M = most + 1.
        Logarithms: u·T(m) ≤ D(m+1), so r·(D(M+1) − u) > e·u·Σ_(2≤i≤2M) D(i) is needed.
        """
        m = most + 1
        r, e, u = self.r, SYMBOLS.of(found.effort), found.fading(self.r)
        if isinstance(found.ranks, GeometricFacts):
            p = found.ranks.p
            q = p * (1 - (u if u is not None else 0))
            spent = sum((p**i for i in range(1, 2 * m)), Term.of(0))
            return Term.of(r * (p**m - (1 - q)) - e * spent * (1 - q)).signed()
        if u is None:
            return None
        weights = [Term.of(found.discount.at(i, SYMBOLS)) for i in range(2, 2 * m + 1)]
        return Term.of(r * (Term.of(found.discount.at(m + 1, SYMBOLS)) - u) - e * u * sum(weights, Term.of(0))).signed()

    def _pair_at(self, among: Sequence[int], setting: dict[str, Fraction]) -> Counterexample | None:
        values = {"r": Term.of(setting["r"])}
        pairs = (concrete(self.subject, self.case(n), values, setting) for n in among)
        return next((pair for pair in pairs if pair is not None), None)
