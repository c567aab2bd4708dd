"""The existential constraints: DeepTh and, here, CloseTh. A witness, a refutation for every n, or a region of parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from diveval.axioms.proof import asymptotics
from diveval.axioms.proof.column_machine import Column, over_scaled_relevance, relevance_scale
from diveval.axioms.proof.deep_thresholds import DeepThreshold, write_runs
from diveval.axioms.proof.derivation import SYMBOLS, Derivation, symbol
from diveval.axioms.proof.verdicts import Counterexample, Proof, Region
from diveval.axioms.proof.witnesses import FEW, Found, Gap, holds_with
from diveval.exact.logs import certify_sign, symbol_text
from diveval.exact.polynomials import Term
from diveval.exact.roots import border_text
from diveval.metrics.algebra import Aspects, Cascade, Log
from diveval.metrics.formulas import Normalised, Sum
from diveval.metrics.numbers import exactly


class Threshold(DeepThreshold):
    """One decision about DeepTh or CloseTh."""

    def decide(self) -> Found:
        """The verdict; a region is claimed only if every query was answered."""
        machine, beta = self._column(), relevance_scale(self.subject.formula)
        if machine is not None and machine.may_vanish:
            found = self._where_worth_the_effort(machine)
        else:
            found = self._close() if self.close else self._deep()
        if found.verdict == "unknown" and beta is not None:
            found = self._over_scaled_relevance(beta, found)
        if found.verdict == "region" and self.solver.timeouts:
            return Found("unknown", counterexample=found.counterexample, note="the solver gave no answer")
        if found.verdict == "holds" and self.looked:
            note = "the metric looks at the judgments; judged are the documents of the two rankings and no others"
            return replace(found, verdict="bounded", note=note)
        return found

    def _over_scaled_relevance(self, beta: Term, unknown: Found) -> Found:
        """αβ-nDCG with one aspect is the cascade over β·r_c, which is decided for every value in (0, 1)."""
        derivation, formula = Derivation(self.solver), self.subject.formula
        over_scaled_relevance(formula, beta, derivation)
        plain = Normalised(Sum(Aspects(), Log(), Cascade())).at(formula.cutoff)
        subject = replace(self.subject, formula=plain, free=())
        r_c = self.reading.r_c
        fixed = None if r_c is None or beta.num.value is None else beta.num.value * r_c
        inner = Threshold(subject, self.axiom, replace(self.reading, r_c=fixed), self.bounds, self.solver).decide()
        proof = inner.proof
        if inner.verdict in ("fails", "vacuous"):  # for every value in (0, 1), and so for every β·r_c
            return replace(inner, counterexample=inner.counterexample and self._show_broken(), derivation=None)
        if inner.verdict not in ("holds", "region") or proof is None or not derivation.sound:
            return unknown
        scaled = f"{'β' if beta.num.value is None else f'({beta!r})'}·{'r_c' if r_c is None else f'({r_c})'}"
        witness = proof.witness.replace("r_c", scaled)
        steps = replace(proof, steps=(*derivation.steps, *proof.steps), every_length=True, witness=witness)
        if inner.region is None:
            return replace(inner, proof=steps, derivation=None)
        texts = [text.replace("r_c", scaled) for text in (inner.region.formula, *inner.region.numbers)]
        region = Region(texts[0], tuple(texts[1:]))
        return Found("region", region, steps, self._show_broken(), uncut=inner.uncut)

    def _show_broken(self) -> Counterexample | None:
        """A pair outside the region: for CloseTh no m does, for DeepTh one n does not."""
        return self.show_pair() if self.close else self.show_first(range(1, FEW + 1))

    def _where_worth_the_effort(self, machine: Column) -> Found:
        """If no document is worth its effort, the ideal and all scores are 0, so r_c > e is required."""
        effort = SYMBOLS.of(machine.effort)
        r = symbol("r") if self.reading.r_c is None else Term.of(self.reading.r_c)
        if self.small:
            note = "with r_c → 0 no document is worth its effort: the ideal is 0, and both rankings score 0"
            return Found("fails", counterexample=self.show_pair(), note=note)
        if self.solver.impossible([*self.inside(), r > effort]):
            return Found("fails", counterexample=self.show_pair(), note="no document is worth its effort: both score 0")
        formula = self.subject.formula
        assert formula.share_of is not None
        plain = replace(self.subject, formula=formula.share_of.at(formula.cutoff))
        found = Threshold(plain, self.axiom, self.reading, self.bounds, self.solver).decide()
        if found.verdict not in ("holds", "region") or self.solver.proves(r > effort, self.inside()):
            # The scores shown are those of this metric, not of the sum it divides.
            return replace(found, counterexample=found.counterexample and self.show_pair())
        needs = f"{symbol_text('r') if self.reading.r_c is None else self.reading.r_c} > {effort!r}"
        core = "" if found.region is None else found.region.formula
        inner = f" and ({core})" if " or " in core else f" and {core}" if core else ""
        numbers = tuple(f"{number} ({needs})" for number in found.region.numbers) if found.region is not None else ()
        return replace(
            found, verdict="region", region=Region(needs + inner, numbers), counterexample=self._worthless(effort)
        )

    def _worthless(self, effort: Term) -> Counterexample | None:
        """The pair n = 1 where no document is worth its effort."""
        usual, r = self.usual, self.reading.r_c
        here = effort.at(usual).num.value
        setting = {**usual, "r": here / 2 if here else Fraction(1, 100)} if r is None else {**usual, "e": r}
        return self.pair_at(1, setting)

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
            return holds_with("m", m)
        # Fewer relevant documents count than without the cutoff, so the same upper bound applies.
        return self._close_uncut()

    def _close_uncut(self) -> Found:
        found = self._column()
        m = self.witness(range(1, min(self.bounds.threshold, 8) + 1))
        if m is not None:
            return holds_with("m", m)
        derivation = Derivation(self.solver)
        if (
            found is not None
            and asymptotics.never_close(found, derivation)
            and derivation.sound
            and self._sums_are_right(found)
        ):
            return self._refute("refuted for every m", derivation)
        if found is None or not self._sums_are_right(found):
            return self._open(6)
        u = found.fading(self.r)
        if found.ranks.kind == "geometric" and (u is not None or not found.facts.remembers):
            return self._geometric(found)
        return self._fading(found, u) if u is not None and found.ranks.kind == "log" else self._open(6)

    def _refute(self, bound: str, derivation: Derivation) -> Found:
        return Found("fails", proof=derivation.proof(bound), counterexample=self.show_pair(), derivation=derivation)

    def _open(self, most: int) -> Found:
        """Without an argument for every m, the verdict covers only the m that were examined."""
        gaps = [self.gap(m) for m in range(1, most + 1)]
        shown = self.show_pair(range(1, most + 1))
        some = list(dict.fromkeys(str(gap) for gap in gaps if not self.never(gap)))
        where = f"it holds at least where {' or '.join(some)}" if some else f"no m up to {most} does"
        return Found("unknown", counterexample=shown, note=f"{where}; no argument for every m is known")

    def _geometric(self, found: Column) -> Found:
        """p^i: the border is that of m = 2, unless effort shifts it."""
        derivation = Derivation(self.solver)
        asymptotics.geometric_border_is_m2(derivation)
        asymptotics.effort_only_costs(found, derivation)
        effort = self._effort_matters(found)
        # With both rankings padded effort cancels; otherwise it only lowers the score of the longer one.
        core = (self.pad() if effort else self).gap(2)
        if core.form is None or not derivation.sound:
            return self._open(6)
        if self.never(core):
            return self._refute("refuted for every m: m = 2 fails, and with it all others", derivation)
        if effort:
            return self._with_effort(found, str(core), derivation)
        proof = derivation.proof("the border is that of m = 2")
        region = Region(str(core), self._lines([core]))
        return Found("region", region, proof, self.show_pair(), derivation=derivation)

    def _fading(self, found: Column, u: Term) -> Found:
        """Logarithmic discounts with novelty that decreases by u: T(m) decreases in u, so each m has one border."""
        effort = self._effort_matters(found)
        plain = self.pad() if effort else self
        most = self.bounds.threshold
        gaps = [plain.gap(m) for m in range(1, most + 1)]
        derivation = Derivation(self.solver)
        value = u.num.value
        if value is not None:
            good = next((m for m, gap in enumerate(gaps, 1) if self.always(gap)), None)
            if good is not None:
                if effort:
                    return self._with_effort(found, f"no more of α = {value}", derivation)
                return holds_with("m", good, "exactly")
            if not self._ends(found, value, most, derivation):
                return self._open(6)
            return self._refute(f"refuted for every m (m ≤ {most} by z3)", derivation)
        (name,) = u.num.symbols
        border, _ = self._border(gaps, name)
        if border is None or not self._ends(found, border[0], most, derivation):
            return self._open(6)
        core = border_text(symbol_text(name), "<", border)
        if effort:
            return self._with_effort(found, core, derivation)
        formula = f"some m has Σ_(j≤m) D(m+j)·ν_j > D(1), with {self._parts(found)}"
        proof = derivation.proof(f"exact signs for m ≤ {most}, each falling in {symbol_text(name)}")
        return Found("region", Region(formula, (core,)), proof, self.show_pair(), derivation=derivation)

    def _ends(self, found: Column, border: Fraction, most: int, derivation: Derivation) -> bool:
        """Whether no m beyond `most` can be a witness if novelty decreases by at least `border`."""
        weight = Term.of(found.discount.at(most + 2, SYMBOLS))
        return border > 0 and asymptotics.fades_out(found, derivation, weight, border, most + 2) and derivation.sound

    # --- effort that does not cancel ---

    def _with_effort(self, found: Column, core: str, derivation: Derivation) -> Found:
        """r_c·(T(m) − D(1)) > e·Σ_(i=2..2m) D(i) for some m, by definition; the numbers are exact."""
        lines, most = self._effort_lines(found)
        texts, shown = _open_ended(lines, most), self.show_pair()
        if not self.subject.free and self.reading.r_c is not None:
            return self._effort_at_one_setting(found, most, shown)
        if not self.subject.free and all(line == "r_c: nowhere" for line, _ in lines.values()):
            if not all(done for _, done in lines.values()):
                return Found("unknown", counterexample=shown, note=f"no m up to {most} does; larger m were not decided")
            reason = f"no m up to {most} does for any r_c (exact roots); beyond, gain is too small for the effort"
            return Found("fails", proof=derivation.proof(reason), counterexample=shown, derivation=derivation)
        e = "e" if isinstance(found.effort, Term) else str(exactly(found.effort))
        r = "r_c" if self.reading.r_c is None else str(self.reading.r_c)
        sums = f"{r}·(Σ_(j≤m) D(m+j)·ν_j − D(1)) > {e}·Σ_(i=2..2m) D(i)"
        fits = "" if self._last is None else f" ≤ {self._last}"
        formula = f"some m{fits} has {sums}, with {self._parts(found)}; this needs {core}"
        late = f"the numbers are for m ≤ {most}; larger m may add to them"
        reach = "no larger m adds to the numbers" if all(done for _, done in lines.values()) else late
        proof = derivation.proof(f"the definition itself; what it needs is the border without effort; {reach}")
        return Found("region", Region(formula, texts), proof, shown, derivation=derivation)

    def _effort_at_one_setting(self, found: Column, most: int, shown: Counterexample | None) -> Found:
        m = self.witness(range(1, most + 1))
        if m is not None:
            return holds_with("m", m, "exactly")
        tail = self._tail(found, most)
        if most == self._last or (tail is not None and (certify_sign(tail.at(self.usual).terms) or 0) < 0):
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
                return Found("region", region, Proof(grows), shown, uncut="holds")
            return uncut if least == 1 else Found("unknown", note="it depends on the parameters between two cutoffs")
        assert uncut.region is not None
        if found is not None and self._effort_matters(found):
            return self._effort_for_each_cutoff(uncut, found, least, shown)
        u = None if found is None or found.ranks.kind != "log" else found.fading(self.r)
        if u is not None and u.num.value is None:
            return self._border_for_each_cutoff(uncut, u, least, gaps, shown)
        formula = f"k ≥ {least} and {uncut.region.formula}"
        return Found("region", Region(formula, uncut.region.numbers), uncut.proof, shown, derivation=uncut.derivation)

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
            numbers += [f"k = {write_runs(ks)}: {other}" for other, ks in each.items()] + [f"k ≥ {start}: {text}"]
        formula = f"k ≥ {least} and {uncut.region.formula.replace('some m has', 'some m ≤ k/2 has', 1)}"
        return Found("region", Region(formula, tuple(numbers)), uncut.proof, shown, derivation=uncut.derivation)

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
        each = [f"k = {write_runs(ks)}: {text}" for text, ks in numbers.items()]
        formula = f"k ≥ {least} and {uncut.region.formula.replace('some m has', 'some m that fits k has', 1)}"
        region = Region(formula, (*each, *(f"k ≥ {2 * best}: {number}" for number in uncut.region.numbers)))
        return Found("region", region, uncut.proof, shown, derivation=uncut.derivation)

    def _below(self, least: int, *, binds: bool) -> Counterexample | None:
        """A pair at the largest cutoff without a witness, or outside the region."""
        k = max(least - 1, 1)
        if binds:
            return self.show_pair(range(1, min(k, 6) + 1), cutoff=k)
        return self.show_pair(range(1, k // 2 + 1)) if k >= 2 else None


def _open_ended(lines: Mapping[str, tuple[str, bool]], most: int) -> tuple[str, ...]:
    """The lines, with a note on those that larger m may extend."""
    late = f" (m ≤ {most}; larger m may add to it)"
    return tuple(line if done else line + late for line, done in lines.values())
