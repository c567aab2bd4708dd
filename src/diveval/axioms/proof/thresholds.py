"""The existential constraints, DeepTh and CloseTh: a witness, a refutation for every n, or a region of parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from diveval.axioms.arithmetic.logs import certified_sign
from diveval.axioms.arithmetic.numbers import Symbols
from diveval.axioms.arithmetic.paths import explore
from diveval.axioms.arithmetic.polynomials import Term, symbol_text
from diveval.axioms.proof.borders import Found
from diveval.axioms.proof.columns import Column, over_scaled_relevance, single_aspect_column
from diveval.axioms.proof.cutoffs import Cutoffs
from diveval.axioms.proof.evidence import Counterexample, Proof, Region
from diveval.axioms.proof.ledger import SYMBOLS, Ledger, definitions, ranges, symbol
from diveval.axioms.proof.lines import border_text
from diveval.axioms.proof.subjects import symbolic_difference
from diveval.axioms.proof.tails import (
    average_precision_not_deep,
    effort_only_costs,
    eventually_deep,
    fades_out,
    geometric_border_is_m2,
    never_close,
)
from diveval.axioms.specification.cases import Pair
from diveval.metrics.algebra import Aspects, Cascade, Log
from diveval.metrics.columnwise import AveragePrecision, Each
from diveval.metrics.formulas import Formula, Normalised, Sum
from diveval.metrics.numbers import exactly
from diveval.metrics.subtopics import AlphaBeta

ALL = "z3, for all admissible parameters and r_c"


class Threshold(Cutoffs):
    """One decision about DeepTh or CloseTh."""

    def decide(self) -> Found:
        """The verdict; a region is only claimed if no query ran out of time."""
        formula = self.subject.formula
        machine = single_aspect_column(formula)
        if machine is not None and machine.may_vanish:
            assert isinstance(formula, Normalised)
            found = self._where_worth_the_effort(formula, machine)
        else:
            found = self._close() if self.close else self._deep()
        if found.verdict == "unknown" and type(formula) is AlphaBeta:
            found = self._over_scaled_relevance(formula, found)
        if found.verdict == "region" and self.solver.timeouts:
            return Found("unknown", counterexample=found.counterexample, note="the solver ran out of time")
        if found.verdict == "holds" and self.pooled.looked:
            note = "the metric looks at the judgments; judged are the documents of the two rankings and no others"
            return replace(found, verdict="bounded", note=note)
        return found

    def _over_scaled_relevance(self, formula: AlphaBeta, unknown: Found) -> Found:
        """αβ-nDCG with one aspect is the cascade over β·r_c, which is decided for every value between 0 and 1."""
        ledger, plain = Ledger(self.solver), Normalised(Sum(Aspects(), Log(), Cascade())).at(formula.cutoff)
        over_scaled_relevance(formula, ledger)
        subject = replace(self.subject, formula=plain, free=())
        beta, r_c = SYMBOLS.of(formula.beta), self.reading.r_c
        fixed = None if r_c is None or beta.num.value is None else beta.num.value * r_c
        inner = Threshold(subject, self.axiom, replace(self.reading, r_c=fixed), self.bounds, self.solver).decide()
        proof = inner.proof
        if inner.verdict == "fails" and fixed is not None:
            return replace(inner, counterexample=self.shown(), ledger=None)
        if inner.verdict not in ("holds", "region") or proof is None or not ledger.sound:
            return unknown
        steps = replace(proof, steps=(*ledger.steps, *proof.steps), every_length=True)
        if inner.region is None:
            return replace(inner, proof=steps, ledger=None)
        scaled = f"{'β' if beta.num.value is None else f'({beta!r})'}·{'r_c' if r_c is None else f'({r_c})'}"
        texts = [text.replace("r_c", scaled) for text in (inner.region.formula, *inner.region.numbers)]
        return Found("region", Region(texts[0], tuple(texts[1:])), steps, self.shown())

    def _where_worth_the_effort(self, formula: Normalised, machine: Column) -> Found:
        """Where no document is worth its effort the ideal is 0 and all scores are: r_c > e is needed."""
        effort = SYMBOLS.of(machine.effort)
        needs = f"r_c > {effort!r}"
        if self.small:
            note = "with r_c → 0 no document is worth its effort: the ideal is 0, and both rankings score 0"
            return Found("fails", counterexample=self.shown(), note=note)
        if self.reading.r_c is not None and (Term.of(self.reading.r_c) <= effort) is True:
            return Found("fails", counterexample=self.shown(), note="no document is worth its effort: both score 0")
        plain = replace(self.subject, formula=formula.sum.at(formula.cutoff))
        found = Threshold(plain, self.axiom, self.reading, self.bounds, self.solver).decide()
        if found.verdict not in ("holds", "region") or self.reading.r_c is not None:
            return found
        inner = f" and {found.region.formula}" if found.region is not None else ""
        numbers = found.region.numbers if found.region is not None else ()
        return replace(found, verdict="region", region=Region(needs + inner, numbers), counterexample=self._worthless())

    def _worthless(self) -> Counterexample | None:
        """A pair of documents not worth their effort."""
        small = {**self.usual, "r": Fraction(1, 100)}
        return self._pair_at([1], small)

    # --- DeepTh ---

    def _fitting(self) -> range | None:
        """The n whose rankings of 2n documents fit a given cutoff; None where nothing limits them."""
        k = self.subject.cutoff
        return range(1, k // 2 + 1) if isinstance(k, int) and not self.reading.cutoff_binds else None

    def _vacuous(self) -> Found:
        return Found("vacuous", note=f"no two rankings of 2n documents fit the cutoff k = {self.subject.cutoff}")

    def _deep(self) -> Found:
        if self.reading.cutoff_binds and self.subject.cutoff is not None:
            return self._deep_behind_the_cutoff()
        fitting = self._fitting()
        if fitting is not None and not fitting:
            return self._vacuous()
        if self.reading.deep_threshold == "some":
            among = fitting or range(1, 5)
            n = self.witness(among[:8])
            if n is not None:
                return Found("holds", proof=Proof(ALL, witness=f"n = {n} does:"))
            if fitting is not None and len(fitting) <= 8:
                return self._finite(fitting, "n")
        elif fitting is not None:
            return self._finite(fitting[-1:], "n")
        return self._deep_for_every_n()

    def _deep_for_every_n(self) -> Found:
        found, formula = self._column(), self.subject.formula
        ledger = Ledger(self.solver)
        answer = None
        if found is not None and (self.reading.padded or not found.has_effort):
            answer = eventually_deep(found, ledger)
        elif type(formula) is Each and type(formula.base) is AveragePrecision:
            answer = average_precision_not_deep(ledger)
        if answer is None or not ledger.sound or not self._sums_are_right(found):
            return Found("unknown", note=f"no argument for every n is known; n up to {self._good(8)} were looked at")
        holds, which = answer
        if holds:
            proof = Proof("", tuple(ledger.steps), True, witness=f"{which} does:")
            return Found("holds", proof=proof, ledger=ledger)
        if self.reading.deep_threshold == "some" and not all(self.never(self.gap(n)) for n in range(1, 5)):
            return Found("unknown", note="some n may do for some parameters")
        steps = Proof("refuted for " + which, tuple(ledger.steps), True)
        return Found("fails", proof=steps, counterexample=self._late(), ledger=ledger)

    def _late(self) -> Counterexample | None:
        """A pair with a larger n, where the constraint is broken for good."""
        shown = (self._pair_at([n], self.usual) for n in range(1, 7))
        return next((found for found in shown if found is not None), None)

    def _good(self, most: int) -> str:
        forms = [self.gap(n).form for n in range(1, most + 1)]
        good = [n for n, f in enumerate(forms, 1) if f is not None and certified_sign(f.at(self.usual).terms) == 1]
        return f"{most} (good at the usual parameters: {', '.join(map(str, good)) or 'none'})"

    def _deep_behind_the_cutoff(self) -> Found:
        """With n ≥ k no relevant document of the long ranking is in sight."""
        k = self.subject.cutoff
        found = self._column()
        if not all(self.always(self.gap(c, c)) for c in ([k] if isinstance(k, int) else [1, 2, 3, 4])):
            return Found(
                "unknown", note="with n = k only non-relevant documents are in sight; that was not proved to do"
            )
        if isinstance(k, int):
            return Found(
                "holds",
                proof=Proof(f"z3 for k = {k}: only non-relevant documents are in sight", witness=f"n = {k} does:"),
            )
        if found is None:
            return Found("unknown", note="no argument for every cutoff k is known")
        ledger = Ledger(self.solver)
        d, e, r, total, rest = symbol("d1"), SYMBOLS.of(found.effort), symbol("r"), symbol("E"), symbol("rest")
        value = Term.of(1) if found.binary else r
        given = [*ranges(d > 0, r > 0, rest >= 0, e >= 0), *definitions(total == d + rest)]
        ledger.claim(
            "sight",
            "with n = k only non-relevant documents are in sight: Q = −e·ΣD ≤ −e·D(1) < (r_c − e)·D(1)",
            given,
            lambda: [d * (value - e) > Term.of(0) - e * total],
        )
        if not ledger.sound:
            return Found("unknown", note="the step for every k was not proved")
        proof = Proof("z3 for k up to 4", tuple(ledger.steps), True, witness="n = k does:")
        return Found("holds", proof=proof, ledger=ledger)

    # --- a finite set of n ---

    def _finite(self, among: Sequence[int], letter: str) -> Found:
        """Only these n are to be looked at: the union of their polynomials is the region, exactly."""
        gaps = {n: self.gap(n) for n in among}
        n = next((n for n, gap in gaps.items() if self.always(gap)), None)
        if n is not None:
            only = " (the rankings that fit the cutoff)" if self._fitting() is not None else ""
            return Found("holds", proof=Proof(ALL, witness=f"{letter} = {n} does{only}:"))
        open_ = {n: gap for n, gap in gaps.items() if not self.never(gap)}
        shown = self.shown(list(among))
        which = f"{letter} = {among[0]}" if len(among) == 1 else f"{letter} = {among[0]}, …, {among[-1]}"
        if not open_:
            reason = f"z3: no {letter} does among {which}, the ones that fit the cutoff"
            return Found("fails", proof=Proof(reason), counterexample=shown)
        formula = " or ".join(dict.fromkeys(str(gap) for gap in open_.values()))
        found = self._column()
        if found is not None and len(open_) > 1 and self.close and not self._effort_matters(found):
            formula = f"some m ≤ {among[-1]} has Σ_(j≤m) D(m+j)·ν_j > D(1) within the cutoff, with {self._parts(found)}"
        region = Region(formula, self._lines(list(open_.values())))
        return Found("region", region, Proof(f"exactly, for {which}"), shown)

    # --- CloseTh ---

    def _close(self) -> Found:
        k = self.subject.cutoff
        if isinstance(k, int):
            return self._close_at(k)
        uncut = self._close_uncut()
        return uncut if k is None else self._close_for_each_cutoff(uncut)

    def _close_at(self, k: int) -> Found:
        """A given cutoff leaves finitely many m: behind m = k only non-relevant documents are in sight, as at k."""
        among = range(1, k + 1) if self.reading.cutoff_binds else range(1, k // 2 + 1)
        if not among:
            return self._vacuous()
        if len(among) <= self.bounds.threshold:
            return self._finite(among, "m")
        m = self.witness(among[:8])
        if m is not None:
            return Found("holds", proof=Proof(ALL, witness=f"m = {m} does:"))
        # Fewer relevant documents are in sight than without the cutoff, so what bounds those bounds these.
        return self._close_uncut()

    def _close_uncut(self) -> Found:
        found = self._column()
        m = self.witness(range(1, min(self.bounds.threshold, 8) + 1))
        if m is not None:
            return Found("holds", proof=Proof(ALL, witness=f"m = {m} does:"))
        ledger = Ledger(self.solver)
        if found is not None and never_close(found, ledger) and ledger.sound and self._sums_are_right(found):
            return self._refuted("refuted for every m", ledger)
        if found is None or not self._sums_are_right(found):
            return self._open(6)
        if (found.ranks.kind == "geometric" and found.fading(self.r) is not None) or self._plain_geometric(found):
            return self._geometric(found)
        u = found.fading(self.r)
        return self._fading(found, u) if u is not None and found.ranks.kind == "log" else self._open(6)

    def _plain_geometric(self, found: Column) -> bool:
        return found.ranks.kind == "geometric" and not found.facts.remembers

    def _sums_are_right(self, found: Column | None) -> bool:
        """That the column gives what the formula gives on the pairs of this constraint, up to four documents."""
        if found is None:
            return True
        for n in (1, 2):
            pair = self.case(n).build({"r": symbol("r")})
            formula = self.subject.visible(self.subject.formula, pair)

            def both(pair: Pair = pair, formula: Formula = formula) -> Term:
                better, worse = (
                    found.score(rows, pair.weights, [Term.symbol("I0")], formula.cutoff or len(rows))
                    for rows in (pair.better, pair.worse)
                )
                return Term.of(symbolic_difference(formula, pair) - (better - worse))

            if any(path.result.num.terms for path in explore(both, self.solver, pair.premises)):
                return False
        return True

    def _refuted(self, bound: str, ledger: Ledger) -> Found:
        return Found("fails", proof=Proof(bound, tuple(ledger.steps), True), counterexample=self.shown(), ledger=ledger)

    def _open(self, most: int) -> Found:
        """Without an argument for every m, only what was looked at can be said."""
        gaps = [self.gap(m) for m in range(1, most + 1)]
        shown = self.shown(range(1, most + 1))
        some = list(dict.fromkeys(str(gap) for gap in gaps if not self.never(gap)))
        where = f"it holds at least where {' or '.join(some)}" if some else f"no m up to {most} does"
        return Found("unknown", counterexample=shown, note=f"{where}; no argument for every m is known")

    def _geometric(self, found: Column) -> Found:
        """p^i: the border is that of m = 2, unless effort moves it."""
        ledger = Ledger(self.solver)
        geometric_border_is_m2(ledger)
        effort_only_costs(found, ledger)
        effort = self._effort_matters(found)
        # With both rankings padded effort cancels; it only takes away from the longer one otherwise.
        core = (self.padded() if effort else self).gap(2)
        if core.form is None or not ledger.sound:
            return self._open(6)
        if self.never(core):
            return self._refuted("refuted for every m: m = 2 fails, and with it all others", ledger)
        if effort:
            return self._with_effort(found, str(core), ledger)
        proof = Proof("the border is that of m = 2", tuple(ledger.steps), True)
        region = Region(str(core), self._lines([core]))
        return Found("region", region, proof, self.shown(), ledger=ledger)

    def _fading(self, found: Column, u: Term) -> Found:
        """Logarithmic discounts under novelty that fades by u: T(m) falls as u grows, so each m has one border."""
        effort = self._effort_matters(found)
        plain = self.padded() if effort else self
        most = self.bounds.threshold
        gaps = [plain.gap(m) for m in range(1, most + 1)]
        ledger = Ledger(self.solver)
        value = u.num.value
        if value is not None:
            good = next((m for m, gap in enumerate(gaps, 1) if self.always(gap)), None)
            if good is not None:
                if effort:
                    return self._with_effort(found, f"no more of α = {value}", ledger)
                return Found("holds", proof=Proof("exactly", witness=f"m = {good} does:"))
            if not self._ends(found, value, most, ledger):
                return self._open(6)
            return self._refuted(f"refuted for every m (m ≤ {most} by z3)", ledger)
        (name,) = u.num.symbols
        border, _ = self._border(gaps, name)
        if border is None or not self._ends(found, border[0], most, ledger):
            return self._open(6)
        core = border_text(symbol_text(name), "<", border)
        if effort:
            return self._with_effort(found, core, ledger)
        formula = f"some m has Σ_(j≤m) D(m+j)·ν_j > D(1), with {self._parts(found)}"
        proof = Proof(f"exact signs for m ≤ {most}, each falling in {symbol_text(name)}", tuple(ledger.steps), True)
        return Found("region", Region(formula, (core,)), proof, self.shown(), ledger=ledger)

    def _ends(self, found: Column, border: Fraction, most: int, ledger: Ledger) -> bool:
        """Whether no m beyond `most` can do once novelty fades by at least `border`."""
        weight = found.discount.at(most + 2, Symbols())
        return border > 0 and fades_out(found, ledger, Term.of(weight), border, most + 2) and ledger.sound

    # --- effort that does not cancel ---

    def _with_effort(self, found: Column, core: str, ledger: Ledger) -> Found:
        """r_c·(T(m) − D(1)) > e·Σ_(i=2..2m) D(i) for some m, by definition; the numbers are exact."""
        along = self._effort_lines(found)
        texts, closed, most = along.texts, along.closed, along.most
        shown = self.shown()
        if not self.subject.free and self.reading.r_c is None:
            if texts == ("r_c: nowhere",):
                if closed:
                    reason = (
                        f"no m up to {most} does for any r_c (exact roots); beyond, gain is too small for the effort"
                    )
                    return Found(
                        "fails", proof=Proof(reason, tuple(ledger.steps), True), counterexample=shown, ledger=ledger
                    )
                return Found("unknown", counterexample=shown, note=f"no m up to {most} does; larger m were not decided")
        elif not self.subject.free:
            return self._effort_at_one_setting(found, most, shown)
        e = "e" if isinstance(found.effort, Term) else str(exactly(found.effort))
        r = "r_c" if self.reading.r_c is None else str(self.reading.r_c)
        sums = f"{r}·(Σ_(j≤m) D(m+j)·ν_j − D(1)) > {e}·Σ_(i=2..2m) D(i)"
        fits = "" if self._last is None else f" ≤ {self._last}"
        formula = f"some m{fits} has {sums}, with {self._parts(found)}; this needs {core}"
        reach = (
            "no larger m adds to the numbers" if closed else f"the numbers are for m ≤ {most}; larger m may add to them"
        )
        proof = Proof(
            f"the definition itself; what it needs is the border without effort; {reach}", tuple(ledger.steps), True
        )
        return Found("region", Region(formula, texts), proof, shown, ledger=ledger)

    def _effort_at_one_setting(self, found: Column, most: int, shown: Counterexample | None) -> Found:
        m = self.witness(range(1, most + 1))
        if m is not None:
            return Found("holds", proof=Proof("exactly", witness=f"m = {m} does:"))
        tail = self._tail(found, most)
        if most == self._last or (tail is not None and (certified_sign(tail.at(self.usual).terms) or 0) < 0):
            reason = f"no m up to {most} does (exactly); beyond, the gain is too small for the effort"
            return Found("fails", proof=Proof(reason), counterexample=shown)
        return Found("unknown", counterexample=shown, note=f"no m up to {most} does; larger m were not decided")
