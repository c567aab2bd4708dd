"""The existential constraints, DeepTh and CloseTh: a witness, a refutation for every n, or a region of parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from diveval.axioms.arithmetic.logs import certified_sign, symbol_text
from diveval.axioms.arithmetic.polynomials import Term
from diveval.axioms.arithmetic.roots import border_text
from diveval.axioms.proof import tails
from diveval.axioms.proof.column_machine import Column, over_scaled_relevance
from diveval.axioms.proof.ledger import SYMBOLS, Ledger, definitions, ranges, symbol
from diveval.axioms.proof.verdicts import Counterexample, Proof, Region
from diveval.axioms.proof.witnesses import ALL, FEW, Found, Gap, Witnesses
from diveval.metrics.algebra import Aspects, Cascade, Log
from diveval.metrics.columnwise import AveragePrecision, Each
from diveval.metrics.formulas import Normalised, Sum
from diveval.metrics.numbers import exactly
from diveval.metrics.subtopics import AlphaBeta


class Threshold(Witnesses):
    """One decision about DeepTh or CloseTh."""

    def decide(self) -> Found:
        """The verdict; a region is claimed only if no query ran out of time."""
        formula = self.subject.formula
        machine = self._column()
        if machine is not None and machine.may_vanish:
            assert isinstance(formula, Normalised)
            found = self._where_worth_the_effort(formula, machine)
        else:
            found = self._close() if self.close else self._deep()
        if found.verdict == "unknown" and type(formula) is AlphaBeta:
            found = self._over_scaled_relevance(formula, found)
        if found.verdict == "region" and self.solver.timeouts:
            return Found("unknown", counterexample=found.counterexample, note="the solver ran out of time")
        if found.verdict == "holds" and self.looked:
            note = "the metric looks at the judgments; judged are the documents of the two rankings and no others"
            return replace(found, verdict="bounded", note=note)
        return found

    def _over_scaled_relevance(self, formula: AlphaBeta, unknown: Found) -> Found:
        """αβ-nDCG with one aspect is the cascade over β·r_c, which is decided for every value in (0, 1)."""
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
        """If no document is worth its effort, the ideal and all scores are 0, so r_c > e is required."""
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
        not_worth_it = self.pair_at(1, {**self.usual, "r": Fraction(1, 100)})
        return replace(found, verdict="region", region=Region(needs + inner, numbers), counterexample=not_worth_it)

    # --- DeepTh ---

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
            answer = tails.eventually_deep(found, ledger)
        elif type(formula) is Each and type(formula.base) is AveragePrecision:
            answer = tails.average_precision_not_deep(ledger)
        if answer is None or not ledger.sound or not self._sums_are_right(found):
            return Found("unknown", note=f"no argument for every n is known; n up to {self._good(8)} were looked at")
        holds, which = answer
        if holds:
            proof = ledger.proof("", f"{which} does:")
            return Found("holds", proof=proof, ledger=ledger)
        if self.reading.deep_threshold == "some" and not all(self.never(self.gap(n)) for n in range(1, 5)):
            return Found("unknown", note="some n may do for some parameters")
        steps = ledger.proof("refuted for " + which)
        return Found("fails", proof=steps, counterexample=self._late(), ledger=ledger)

    def _late(self) -> Counterexample | None:
        """A pair with a larger n, from which on the constraint is always violated."""
        shown = (self.pair_at(n, self.usual) for n in range(1, 7))
        return next((found for found in shown if found is not None), None)

    def _good(self, most: int) -> str:
        forms = [self.gap(n).form for n in range(1, most + 1)]
        good = [n for n, f in enumerate(forms, 1) if f is not None and certified_sign(f.at(self.usual).terms) == 1]
        return f"{most} (good at the usual parameters: {', '.join(map(str, good)) or 'none'})"

    def _deep_behind_the_cutoff(self) -> Found:
        """With n ≥ k no relevant document of the long ranking is within the cutoff."""
        k = self.subject.cutoff
        found = self._column()
        if not all(self.always(self.gap(c, c)) for c in ([k] if isinstance(k, int) else [1, 2, 3, 4])):
            note = "with n = k only non-relevant documents are in sight; that was not proved to do"
            return Found("unknown", note=note)
        if isinstance(k, int):
            bound = f"z3 for k = {k}: only non-relevant documents are in sight"
            return Found("holds", proof=Proof(bound, witness=f"n = {k} does:"))
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
        proof = ledger.proof("z3 for k up to 4", "n = k does:")
        return Found("holds", proof=proof, ledger=ledger)

    # --- CloseTh ---

    def _close(self) -> Found:
        k = self.subject.cutoff
        if isinstance(k, int):
            return self._close_at(k)
        uncut = self._close_uncut()
        return uncut if k is None else self._close_for_each_cutoff(uncut)

    def _close_at(self, k: int) -> Found:
        """With a given cutoff finitely many m remain: from m = k on only non-relevant documents are within the cutoff."""
        among = range(1, k + 1) if self.reading.cutoff_binds else range(1, k // 2 + 1)
        if not among:
            return self._vacuous()
        if len(among) <= self.bounds.threshold:
            return self._finite(among, "m")
        m = self.witness(among[:8])
        if m is not None:
            return Found("holds", proof=Proof(ALL, witness=f"m = {m} does:"))
        # Fewer relevant documents count than without the cutoff, so the same upper bound applies.
        return self._close_uncut()

    def _close_uncut(self) -> Found:
        found = self._column()
        m = self.witness(range(1, min(self.bounds.threshold, 8) + 1))
        if m is not None:
            return Found("holds", proof=Proof(ALL, witness=f"m = {m} does:"))
        ledger = Ledger(self.solver)
        if found is not None and tails.never_close(found, ledger) and ledger.sound and self._sums_are_right(found):
            return self._refuted("refuted for every m", ledger)
        if found is None or not self._sums_are_right(found):
            return self._open(6)
        u = found.fading(self.r)
        if found.ranks.kind == "geometric" and (u is not None or not found.facts.remembers):
            return self._geometric(found)
        return self._fading(found, u) if u is not None and found.ranks.kind == "log" else self._open(6)

    def _refuted(self, bound: str, ledger: Ledger) -> Found:
        return Found("fails", proof=ledger.proof(bound), counterexample=self.shown(), ledger=ledger)

    def _open(self, most: int) -> Found:
        """Without an argument for every m, the verdict covers only the m that were examined."""
        gaps = [self.gap(m) for m in range(1, most + 1)]
        shown = self.shown(range(1, most + 1))
        some = list(dict.fromkeys(str(gap) for gap in gaps if not self.never(gap)))
        where = f"it holds at least where {' or '.join(some)}" if some else f"no m up to {most} does"
        return Found("unknown", counterexample=shown, note=f"{where}; no argument for every m is known")

    def _geometric(self, found: Column) -> Found:
        """p^i: the border is that of m = 2, unless effort shifts it."""
        ledger = Ledger(self.solver)
        tails.geometric_border_is_m2(ledger)
        tails.effort_only_costs(found, ledger)
        effort = self._effort_matters(found)
        # With both rankings padded effort cancels; otherwise it only lowers the score of the longer one.
        core = (self.padded() if effort else self).gap(2)
        if core.form is None or not ledger.sound:
            return self._open(6)
        if self.never(core):
            return self._refuted("refuted for every m: m = 2 fails, and with it all others", ledger)
        if effort:
            return self._with_effort(found, str(core), ledger)
        proof = ledger.proof("the border is that of m = 2")
        region = Region(str(core), self._lines([core]))
        return Found("region", region, proof, self.shown(), ledger=ledger)

    def _fading(self, found: Column, u: Term) -> Found:
        """Logarithmic discounts with novelty that decreases by u: T(m) decreases in u, so each m has one border."""
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
        proof = ledger.proof(f"exact signs for m ≤ {most}, each falling in {symbol_text(name)}")
        return Found("region", Region(formula, (core,)), proof, self.shown(), ledger=ledger)

    def _ends(self, found: Column, border: Fraction, most: int, ledger: Ledger) -> bool:
        """Whether no m beyond `most` can be a witness if novelty decreases by at least `border`."""
        weight = Term.of(found.discount.at(most + 2, SYMBOLS))
        return border > 0 and tails.fades_out(found, ledger, weight, border, most + 2) and ledger.sound

    # --- effort that does not cancel ---

    def _with_effort(self, found: Column, core: str, ledger: Ledger) -> Found:
        """r_c·(T(m) − D(1)) > e·Σ_(i=2..2m) D(i) for some m, by definition; the numbers are exact."""
        lines, most = self._effort_lines(found)
        texts, shown = _open_ended(lines, most), self.shown()
        if not self.subject.free and self.reading.r_c is not None:
            return self._effort_at_one_setting(found, most, shown)
        if not self.subject.free and all(line == "r_c: nowhere" for line, _ in lines.values()):
            if not all(done for _, done in lines.values()):
                return Found("unknown", counterexample=shown, note=f"no m up to {most} does; larger m were not decided")
            reason = f"no m up to {most} does for any r_c (exact roots); beyond, gain is too small for the effort"
            return Found("fails", proof=ledger.proof(reason), counterexample=shown, ledger=ledger)
        e = "e" if isinstance(found.effort, Term) else str(exactly(found.effort))
        r = "r_c" if self.reading.r_c is None else str(self.reading.r_c)
        sums = f"{r}·(Σ_(j≤m) D(m+j)·ν_j − D(1)) > {e}·Σ_(i=2..2m) D(i)"
        fits = "" if self._last is None else f" ≤ {self._last}"
        formula = f"some m{fits} has {sums}, with {self._parts(found)}; this needs {core}"
        late = f"the numbers are for m ≤ {most}; larger m may add to them"
        reach = "no larger m adds to the numbers" if all(done for _, done in lines.values()) else late
        proof = ledger.proof(f"the definition itself; what it needs is the border without effort; {reach}")
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

    # --- CloseTh for a symbolic cutoff k ---

    def _close_for_each_cutoff(self, uncut: Found) -> Found:
        """The smallest k for which the constraint can hold, and the condition then, for all k."""
        if uncut.verdict in ("fails", "unknown"):
            return uncut
        binds, found = self.reading.cutoff_binds, self._column()

        def gaps(k: int) -> list[Gap]:
            return [self.gap(m, k) for m in range(1, k + 1)] if binds else [self.gap(m) for m in range(1, k // 2 + 1)]

        least = next((k for k in range(1, 2 * FEW) if not all(self.never(gap) for gap in gaps(k))), None)
        if least is None:
            return Found("unknown", note=f"no cutoff up to {2 * FEW - 1} lets it hold")
        shown = self._below(least, binds=binds)
        if uncut.verdict == "holds":
            if least > 1 and any(self.always(gap) for gap in gaps(least)):
                # A witness at one cutoff is a witness at every larger one: 2m ≤ k, or more relevant documents count.
                grows = f"z3 for k = {least}, and for each k below; a larger k takes nothing away"
                region = Region(f"k ≥ {least}", (f"k ≥ {least}",))
                return Found("region", region, Proof(grows), shown)
            return uncut if least == 1 else Found("unknown", note="it depends on the parameters between two cutoffs")
        assert uncut.region is not None
        if found is not None and self._effort_matters(found):
            return self._effort_for_each_cutoff(uncut, found, least, shown)
        u = None if found is None or found.ranks.kind != "log" else found.fading(self.r)
        if u is not None and u.num.value is None:
            return self._border_for_each_cutoff(uncut, u, least, gaps, shown)
        formula = f"k ≥ {least} and {uncut.region.formula}"
        return Found("region", Region(formula, uncut.region.numbers), uncut.proof, shown, ledger=uncut.ledger)

    def _effort_for_each_cutoff(self, uncut: Found, found: Column, least: int, shown: Counterexample | None) -> Found:
        """With effort each k has its own intervals until all examined m fit."""
        assert uncut.region is not None
        lines, most = self._effort_lines(found)
        # At every even cutoff one more m fits.
        forms = {k: self._forms(k // 2) for k in range(least - least % 2, 2 * most, 2)}
        at = {(k, name): self._along(forms[k], name, None)[0] for k in forms for name in lines}
        numbers = []
        for (name, (line, _)), text in zip(lines.items(), _open_ended(lines, most), strict=True):
            each: dict[str, list[int]] = {}
            for k in range(least, 2 * most):
                each.setdefault(at[k - k % 2, name], []).append(k)
            start = each.pop(line, [2 * most])[0]
            numbers += [f"k = {_runs(ks)}: {other}" for other, ks in each.items()] + [f"k ≥ {start}: {text}"]
        formula = f"k ≥ {least} and {uncut.region.formula.replace('some m has', 'some m ≤ k/2 has', 1)}"
        return Found("region", Region(formula, tuple(numbers)), uncut.proof, shown, ledger=uncut.ledger)

    def _border_for_each_cutoff(
        self, uncut: Found, u: Term, least: int, gaps: Callable[[int], list[Gap]], shown: Counterexample | None
    ) -> Found:
        """Each k has its own border until the best m fits."""
        assert uncut.region is not None
        (name,) = u.num.symbols
        _, best = self._border([self.gap(m) for m in range(1, self.bounds.threshold + 1)], name)
        numbers: dict[str, list[int]] = {}
        for k in range(least, 2 * best):
            border, _ = self._border(gaps(k), name)
            if border is not None:
                numbers.setdefault(border_text(symbol_text(name), "<", border), []).append(k)
        each = [f"k = {_runs(ks)}: {text}" for text, ks in numbers.items()]
        formula = f"k ≥ {least} and {uncut.region.formula.replace('some m has', 'some m that fits k has', 1)}"
        region = Region(formula, (*each, *(f"k ≥ {2 * best}: {number}" for number in uncut.region.numbers)))
        return Found("region", region, uncut.proof, shown, ledger=uncut.ledger)

    def _below(self, least: int, *, binds: bool) -> Counterexample | None:
        """A pair at the largest cutoff without a witness, or outside the region."""
        k = max(least - 1, 1)
        if binds:
            return self.shown(range(1, min(k, 6) + 1), cutoff=k)
        return self.shown(range(1, k // 2 + 1)) if k >= 2 else None


def _open_ended(lines: Mapping[str, tuple[str, bool]], most: int) -> tuple[str, ...]:
    """The lines, with a note on those that larger m may extend."""
    late = f" (m ≤ {most}; larger m may add to it)"
    return tuple(line if done else line + late for line, done in lines.values())


def _runs(numbers: Sequence[int]) -> str:
    """6, 7 as `6–7`."""
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]}"
