"""The existential constraints, DeepTh and CloseTh: a witness, a refutation for every n, or a region of parameters."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from diveval.axioms.columns import Column, Ledger, single_aspect_column, symbol
from diveval.axioms.evidence import Answer, Counterexample, Proof, Region
from diveval.axioms.logs import certified_sign
from diveval.axioms.numbers import Symbols, decimal
from diveval.axioms.polynomials import Term, symbol_text
from diveval.axioms.search import concrete
from diveval.axioms.tails import (
    average_precision_not_deep,
    discount_text,
    effort_only_costs,
    eventually_deep,
    fades_out,
    fading,
    geometric_border_is_m2,
    never_close,
    novelty_text,
)
from diveval.axioms.witnesses import Gap, Witnesses
from diveval.metrics.algebra import Cascade, Decay, Geometric, Log, ShiftedLog
from diveval.metrics.columnwise import AveragePrecision, Each
from diveval.metrics.numbers import exactly

ALL = "z3, for all admissible parameters and r_c"


@dataclass
class Found:
    """What was decided about a threshold."""

    verdict: Answer
    region: Region | None = None
    proof: Proof | None = None
    counterexample: Counterexample | None = None
    note: str = ""


class Threshold(Witnesses):
    """One decision about DeepTh or CloseTh."""

    # --- deciding ---

    def decide(self) -> Found:
        """The verdict; a region is only claimed if no query ran out of time."""
        found = self._decided()
        if found.verdict == "region" and self.solver.timeouts:
            return Found("unknown", counterexample=found.counterexample, note="the solver ran out of time")
        return found

    def _decided(self) -> Found:
        cutoff = self.subject.cutoff
        if self.axiom.name == "DeepTh":
            found = self._deep()
            return self._deep_with_cutoff(found) if self.reading.cutoff_binds and cutoff is not None else found
        found = self._close(None)
        if self.reading.cutoff_binds and cutoff is not None:
            return self._close(cutoff) if isinstance(cutoff, int) else self._close_for_each_cutoff(found)
        return found

    def _deep(self) -> Found:
        found = single_aspect_column(self.subject.formula)
        if self.reading.deep_threshold == "some":
            n = self.witness(4)
            if n is not None:
                return Found("holds", proof=Proof(ALL, witness=f"n = {n} does:"))
        ledger = Ledger(self.solver)
        answer = None
        if found is not None and (self.reading.padded or not found.has_effort):
            answer = eventually_deep(found, ledger)
        elif isinstance(self.subject.formula, Each) and isinstance(self.subject.formula.base, AveragePrecision):
            answer = average_precision_not_deep(ledger)
        if answer is None or not ledger.sound:
            return Found("unknown", note=f"no argument for every n is known; n up to {self._good(8)} were looked at")
        holds, which = answer
        if holds:
            return Found("holds", proof=Proof("", tuple(ledger.steps), True, witness=f"{which} does:"))
        if self.reading.deep_threshold == "some" and not all(self.never(self.gap(n)) for n in range(1, 5)):
            return Found("unknown", note="some n may do for some parameters")
        steps = Proof("refuted for " + which, tuple(ledger.steps), True)
        return Found("fails", proof=steps, counterexample=self._late())

    def _late(self) -> Counterexample | None:
        """A pair with a larger n, where the constraint is broken for good."""
        values = {"r": Term.of(self.usual["r"])}
        shown = (concrete(self.subject, self.case(n), values, self.usual) for n in range(1, 7))
        return next((found for found in shown if found is not None), None)

    def _good(self, most: int) -> str:
        forms = [self.gap(n).form for n in range(1, most + 1)]
        good = [n for n, f in enumerate(forms, 1) if f is not None and certified_sign(f.at(self.usual).terms) == 1]
        return f"{most} (good at the usual parameters: {', '.join(map(str, good)) or 'none'})"

    def _deep_with_cutoff(self, uncut: Found) -> Found:
        """With n = k no relevant document of the long ranking is in sight."""
        cutoffs = [self.subject.cutoff] if isinstance(self.subject.cutoff, int) else [1, 2, 3, 4]
        found = single_aspect_column(self.subject.formula)
        if found is None or not all(self.always(self.gap(int(k), int(k))) for k in cutoffs):
            return Found("unknown", note=f"without the cutoff: {uncut.verdict}; with it, n = k was not proved to do")
        ledger = Ledger(self.solver)
        d, e, r, total = symbol("d1"), Term.of(found.effort), symbol("r"), symbol("E")
        ledger.claim(
            "with n = k only non-relevant documents are in sight: Q = −e·ΣD ≤ −e·D(1) < (r_c − e)·D(1)",
            [d > 0, r > 0, total >= d], lambda: [d * (r - e) > Term.of(0) - e * total],
        )  # fmt: skip
        if not ledger.sound:
            return Found("unknown", note="the step for every k was not proved")
        bound = "z3 for k up to 4" if self.subject.cutoff == "k" else f"z3 for k = {self.subject.cutoff}"
        return Found("holds", proof=Proof(bound, tuple(ledger.steps), True, witness="n = k does:"))

    # --- CloseTh ---

    def _close(self, cutoff: int | None) -> Found:
        found = single_aspect_column(self.subject.formula)
        most = self.bounds.threshold if cutoff is None else min(self.bounds.threshold, max(cutoff - 1, 1))
        m = self.witness(min(most, 8), cutoff)
        if m is not None:
            return Found("holds", proof=Proof(ALL, witness=f"m = {m} does:"))
        ledger = Ledger(self.solver)
        if found is not None and never_close(found, ledger) and ledger.sound:
            return self._refuted("refuted for every m", ledger, cutoff)
        if cutoff is not None and cutoff <= 8 and all(self.never(self.gap(m, cutoff)) for m in range(1, cutoff + 1)):
            return self._refuted(f"z3: no m up to {cutoff} does, and with m ≥ k nothing is in sight", ledger, cutoff)
        filled = found is not None and isinstance(found.novelty, Decay) and found.novelty.limit is not None
        if found is None or filled:
            return self._bounded(cutoff, min(most, 6))
        if isinstance(found.discount, Geometric):
            return self._geometric(found, cutoff, most)
        u = fading(found, self.r)
        if u is not None and isinstance(found.discount, (Log, ShiftedLog)):
            return self._fading(found, u, cutoff, most)
        return self._bounded(cutoff, min(most, 6))

    def _refuted(self, bound: str, ledger: Ledger, cutoff: int | None) -> Found:
        proof = Proof(bound, tuple(ledger.steps), True)
        return Found("fails", proof=proof, counterexample=self.shown(cutoff=cutoff))

    def _bounded(self, cutoff: int | None, most: int) -> Found:
        """Without an argument for every m, only what was looked at can be said."""
        gaps = [self.gap(m, cutoff) for m in range(1, most + 1)]
        shown = self.shown(cutoff=cutoff)
        if all(self.never(gap) for gap in gaps):
            note = f"no m up to {most} does; no argument for every m is known"
            return Found("unknown", counterexample=shown, note=note)
        formula = " or ".join(dict.fromkeys(str(gap) for gap in gaps if not self.never(gap)))
        region = Region(f"{formula} (m ≤ {most}; larger m may do too)", self.numbers(most, cutoff))
        return Found("region", region, counterexample=shown)

    def _effort_matters(self, found: Column) -> bool:
        return found.has_effort and not self.reading.padded

    def _geometric(self, found: Column, cutoff: int | None, most: int) -> Found:
        """p^i: the border is that of m = 2, unless effort moves it."""
        ledger = Ledger(self.solver)
        geometric_border_is_m2(ledger)
        effort_only_costs(found, ledger)
        effort = self._effort_matters(found)
        # With both rankings padded effort cancels; it only takes away from the longer one otherwise.
        plain = self.padded() if effort else self
        core = plain.gap(2, cutoff)
        if core.form is None or not ledger.sound:
            return self._bounded(cutoff, min(most, 6))
        if self.never(core):
            return self._refuted("refuted for every m: m = 2 fails, and with it all others", ledger, cutoff)
        if effort:
            return self._with_effort(found, str(core), ledger, cutoff, most)
        proof = Proof("the border is that of m = 2", tuple(ledger.steps), True)
        region = Region(str(core), self.numbers(2, cutoff))
        return Found("region", region, proof, self.shown(cutoff=cutoff))

    def _fading(self, found: Column, u: Term, cutoff: int | None, most: int) -> Found:
        """Logarithmic discounts under novelty that fades by u: T(m) falls as u grows, so each m has one border."""
        effort = self._effort_matters(found)
        plain = self.padded() if effort else self
        gaps = [plain.gap(m, cutoff) for m in range(1, most + 1)]
        if u.num.value is not None:
            return self._faded_as_set(found, u.num.value, gaps, cutoff, effort=effort)
        (name,) = u.num.symbols
        border = plain.border(gaps, name)
        ledger = Ledger(self.solver)
        if not self._ends(found, border, cutoff, most, ledger):
            return self._bounded(cutoff, min(most, 6))
        core = f"{symbol_text(name)} < {decimal(border)}"
        if effort:
            return self._with_effort(found, core, ledger, cutoff, most)
        d, nu = discount_text(found.discount), novelty_text(found)
        formula = f"some m has Σ_(j≤m) D(m+j)·ν_j > D(1), with D(i) = {d} and ν_j = {nu}"
        proof = Proof(f"exact signs for m ≤ {most}, each falling in {symbol_text(name)}", tuple(ledger.steps), True)
        return Found("region", Region(formula, (core,)), proof, self.shown(cutoff=cutoff))

    def _faded_as_set(
        self, found: Column, value: Fraction, gaps: list[Gap], cutoff: int | None, *, effort: bool
    ) -> Found:
        """The same with u given: exact signs decide."""
        good = next((m for m, gap in enumerate(gaps, 1) if self.always(gap)), None)
        ledger = Ledger(self.solver)
        if good is None:
            if not self._ends(found, value, cutoff, len(gaps), ledger):
                return self._bounded(cutoff, min(len(gaps), 6))
            return self._refuted(f"refuted for every m (m ≤ {len(gaps)} exactly)", ledger, cutoff)
        if effort:
            return self._with_effort(found, f"no more of α = {value}", ledger, cutoff, len(gaps))
        return Found("holds", proof=Proof("exactly", witness=f"m = {good} does:"))

    def _ends(self, found: Column, border: Fraction, cutoff: int | None, most: int, ledger: Ledger) -> bool:
        """Whether no m beyond `most` can do once novelty fades by at least `border`."""
        if cutoff is not None and most == cutoff - 1:
            ledger.note("with m ≥ k nothing relevant is in sight", "exact")
            return True
        weight = found.discount.at(most + 2, Symbols())
        return border > 0 and fades_out(ledger, weight, border, most + 2) and ledger.sound

    def _with_effort(self, found: Column, core: str, ledger: Ledger, cutoff: int | None, most: int) -> Found:
        shown = self.shown(cutoff=cutoff)
        if not self.subject.free and all(self.never(self.gap(m, cutoff)) for m in range(1, most + 1)):
            if self._effort_ends_it(found, most):
                bound = f"z3: no m up to {most} does for any r_c; beyond, the gain is too small or the effort too large"
                return Found("fails", proof=Proof(bound, tuple(ledger.steps), True), counterexample=shown)
            return Found("unknown", counterexample=shown, note=f"no m up to {most} does; larger m were not decided")
        d, nu = discount_text(found.discount), novelty_text(found)
        e = "e" if isinstance(found.effort, Term) else str(exactly(found.effort))
        r = "r_c" if self.reading.r_c is None else str(self.reading.r_c)
        formula = (
            f"some m has {r}·(Σ_(j≤m) D(m+j)·ν_j − D(1)) > {e}·Σ_(i=2..2m) D(i), with D(i) = {d} and ν_j = {nu};"
            f" this needs {core}" + ("" if cutoff is None else f"; only ranks up to {cutoff} count")
        )
        proof = Proof("the definition itself; what it needs is the border without effort", tuple(ledger.steps), True)
        return Found("region", Region(formula, self.numbers(most, cutoff)), proof, shown)

    def _effort_ends_it(self, found: Column, most: int) -> bool:
        """For m > most no r_c does: r_c·(f(m) − 1) < 1 under the cascade, while the effort has grown to at least D(1);
        or p^m < 1 − p, so that the gain alone is too small."""
        if not isinstance(found.discount, Geometric) or isinstance(found.effort, Term):
            return False
        p, effort = exactly(found.discount.p), exactly(found.effort)
        spent = sum((p**i for i in range(1, 2 * most)), Fraction(0)) * effort
        return p**most < 1 - p or (isinstance(found.novelty, Cascade) and spent >= 1)

    # --- every cutoff k ---

    def _close_for_each_cutoff(self, uncut: Found) -> Found:
        """Where k binds: from which k on the constraint can hold, and what it then needs."""
        if uncut.verdict in ("fails", "unknown"):
            return uncut
        least = next((k for k in range(1, 13) if not self._never_at(k)), None)
        if least is None:
            return Found("unknown", note="no cutoff up to 12 lets it hold")
        shown = self.shown(cutoff=max(least - 1, 1))
        if uncut.verdict == "holds":
            needed = next((k for k in range(least, 13) if all(self.witness(k, c) for c in range(k, 13))), None)
            if needed == 1:
                return uncut
            if needed != least:
                return Found("unknown", note="it depends on the parameters between two cutoffs")
            proof = Proof(f"z3 for each k up to 12; uncut from there: {uncut.proof}", (), True)
            return Found("region", Region(f"k ≥ {least}", (f"k ≥ {least}",)), proof, shown)
        assert uncut.region is not None
        some = tuple(f"k = {k}: {n}" for k in (5, 10, 20) if k >= least for n in self._close_numbers(k))
        region = Region(f"k ≥ {least} and, for k large: {uncut.region.formula}", (*uncut.region.numbers, *some))
        return Found("region", region, uncut.proof, shown)

    def _never_at(self, cutoff: int) -> bool:
        return all(self.never(self.gap(m, cutoff)) for m in range(1, cutoff + 1))

    def _close_numbers(self, cutoff: int) -> tuple[str, ...]:
        found = single_aspect_column(self.subject.formula)
        if found is None or self._effort_matters(found) or isinstance(found.discount, Geometric):
            return ()
        u = fading(found, self.r)
        if u is None or u.num.value is not None:
            return ()
        (name,) = u.num.symbols
        gaps = [self.gap(m, cutoff) for m in range(1, cutoff)]
        return (f"{symbol_text(name)} < {decimal(self.border(gaps, name))}",)
