"""DeepTh: a witness, a refutation for every n, or the cutoffs and parameters at which n = ⌊k/2⌋ is a witness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from diveval.axioms.proof import asymptotics
from diveval.axioms.proof.column_machine import averages_precision
from diveval.axioms.proof.derivation import SYMBOLS, Derivation, definitions, ranges, symbol
from diveval.axioms.proof.verdicts import Counterexample, Proof, Region
from diveval.axioms.proof.witnesses import ALL, FEW, Found, Gap, Witnesses, holds_with
from diveval.exact.logs import certify_sign
from diveval.exact.polynomials import Term


class DeepThreshold(Witnesses):
    """One decision about DeepTh."""

    def _deep(self) -> Found:
        if self.reading.cutoff_binds and self.subject.cutoff is not None:
            return self._deep_behind_the_cutoff()
        if self.subject.cutoff == "k":
            return self._deep_for_each_cutoff()
        fitting = self._fitting()
        if fitting is not None and not fitting:
            return self._vacuous()
        if self.reading.deep_threshold == "some":
            among = fitting or range(1, 5)
            n = self.witness(among[:8])
            if n is not None:
                return holds_with("n", n)
            if fitting is not None and len(fitting) <= 8:
                return self._finite(fitting, "n")
        elif fitting is not None:
            return self._finite(fitting[-1:], "n")
        return self._deep_for_every_n()

    def _deep_for_every_n(self) -> Found:
        found, formula = self._column(), self.subject.formula
        derivation = Derivation(self.solver)
        answer = None
        if found is not None and (self.reading.padded or not found.has_effort):
            answer = asymptotics.eventually_deep(found, derivation)
        elif averages_precision(formula):
            answer = asymptotics.average_precision_not_deep(derivation)
        if answer is None or not derivation.sound or not self._sums_are_right(found):
            return Found("unknown", note=f"no argument for every n is known; n up to {self._good(8)} were looked at")
        holds, first, which = answer
        if holds:
            proof = derivation.proof("", f"{which} does:")
            return Found("holds", proof=proof, derivation=derivation, first=first)
        if self.reading.deep_threshold == "some" and not all(self.never(self.gap(n)) for n in range(1, 5)):
            return Found("unknown", note="some n may do for some parameters")
        steps = derivation.proof("refuted for " + which)
        return Found(
            "fails", proof=steps, counterexample=self.show_first(range(1, 7)), derivation=derivation, first=first
        )

    # --- DeepTh for a symbolic cutoff k ---

    def _deep_for_each_cutoff(self) -> Found:
        """The rankings fit the cutoff, so some n ≤ k/2 must do; where all n from one on must, n = ⌊k/2⌋ decides."""
        if self.reading.deep_threshold == "some":
            n = self.witness(range(1, 5))
            if n is None:
                return self._deep_for_every_n()
            region = Region(f"k ≥ {2 * n}", (f"k ≥ {2 * n}",))
            below = self.show_pair(range(1, n))
            return holds_with("n", n) if n == 1 else Found("region", region, Proof(ALL), below, uncut="holds")
        late = self._deep_for_every_n()
        if late.verdict == "unknown" or late.first == 1:
            return late
        gaps = {n: self.gap(n) for n in range(1, FEW + 1)}
        good = [n for n in gaps if self.always(gaps[n])]
        if late.verdict == "fails":
            return self._deep_at_small_cutoffs(late, gaps, good)
        if len(good) == len(gaps) or self._deep_from(good) is not None:
            return self._deep_at_every_cutoff(good)
        bad = next(n for n in gaps if n not in good)
        found = self._column()
        assert found is not None
        formula = f"n = ⌊k/2⌋ has Σ_(j≤n) D(n+j)·ν_j < D(1), with {self._parts(found)}"
        region = Region(formula, self._lines_for_each_cutoff(gaps))
        return replace(late, verdict="region", region=region, counterexample=self.show_first([bad]), uncut="holds")

    def _deep_at_small_cutoffs(self, late: Found, gaps: Mapping[int, Gap], good: Sequence[int]) -> Found:
        """The region where all n from `first` on fail: the cutoffs too small for them, if any."""
        small = range(1, late.first)
        if all(self.never(gaps[n]) for n in small):
            return late
        if [n for n in good if n in small] != list(range(1, len([n for n in good if n in small]) + 1)) or not all(
            n in good or self.never(gaps[n]) for n in small
        ):
            return Found("unknown", note="it depends on the parameters at small cutoffs")
        most = 2 * len([n for n in good if n in small]) + 1
        region = Region(f"k ≤ {most}", (f"k ≤ {most}",))
        return replace(
            late, verdict="region", region=region, counterexample=self.show_pair([most // 2 + 1]), uncut="fails"
        )

    def _deep_from(self, good: Sequence[int]) -> Derivation | None:
        """The proof that every n is a witness, where the first ones are."""
        found, derivation = self._column(), Derivation(self.solver)
        assert found is not None
        u = found.fading(self.r)
        if found.ranks.kind == "geometric" and (u is not None or not found.facts.remembers) and {1, 2} <= {*good}:
            asymptotics.geometric_border_is_n2(derivation)
            return derivation if derivation.sound else None
        fades = found.facts.fades_by(self.r, binary=found.binary)
        if found.ranks.kind != "log" or fades is None or fades.num.value is None:
            return None
        asymptotics.fades(found, derivation, fades)
        weights = {n: Term.of(found.discount.at(n + 1, SYMBOLS)) for n in range(1, len(good) + 2)}
        least = next((n for n, weight in weights.items() if (weight < fades) is True), None)
        enough = least is not None and {*range(1, least)} <= {*good}
        derivation.exact("small", f"D({(least or 0) + 1}) < {float(fades.num.value):.6f}", enough)
        return derivation if enough and derivation.sound else None

    def _deep_at_every_cutoff(self, good: Sequence[int]) -> Found:
        derivation = self._deep_from(good)
        if derivation is None:
            return Found("unknown", note=f"every n up to {FEW} does; no argument for each cutoff is known")
        return Found("holds", proof=derivation.proof("", "every n ≥ 1 does:"), derivation=derivation, first=1)

    def _lines_for_each_cutoff(self, gaps: Mapping[int, Gap]) -> tuple[str, ...]:
        """The exact intervals along each parameter at the cutoffs that the first n decide."""
        forms = {n: gap.form for n, gap in gaps.items() if gap.form is not None}
        out = []
        if not self._names(list(forms.values())):
            at = [k for n, form in forms.items() if certify_sign(form.terms) == 1 for k in (2 * n, 2 * n + 1)]
            return tuple(f"of k ≤ {2 * FEW + 1}: k = {write_runs(run)}" for run in _consecutive(at))
        for name in self._names(list(forms.values())):
            each: dict[str, list[int]] = {}
            for n, form in forms.items():
                each.setdefault(self._along([form], name, None)[0], []).extend((2 * n, 2 * n + 1))
            out += [f"k = {write_runs(run)}: {text}" for text, ks in each.items() for run in _consecutive(ks)]
        return tuple(out)

    def show_first(self, among: Sequence[int]) -> Counterexample | None:
        """The first pair that violates the constraint: at the default parameters, or at others."""
        shown = (self.pair_at(n, setting) for setting in self.settings() for n in among)
        return next((found for found in shown if found is not None), None)

    def _good(self, most: int) -> str:
        forms = [self.gap(n).form for n in range(1, most + 1)]
        good = [n for n, f in enumerate(forms, 1) if f is not None and certify_sign(f.at(self.usual).terms) == 1]
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
            return holds_with("n", k, bound)
        if found is None:
            return Found("unknown", note="no argument for every cutoff k is known")
        derivation = Derivation(self.solver)
        d, e, r, total, rest = symbol("d1"), SYMBOLS.of(found.effort), symbol("r"), symbol("E"), symbol("rest")
        value = Term.of(1) if found.binary else r
        given = [*ranges(d > 0, r > 0, rest >= 0, e >= 0), *definitions(total == d + rest)]
        derivation.claim(
            "sight",
            "with n = k only non-relevant documents are in sight: Q = −e·ΣD ≤ −e·D(1) < (r_c − e)·D(1)",
            given,
            lambda: [d * (value - e) > Term.of(0) - e * total],
        )
        if not derivation.sound:
            return Found("unknown", note="the step for every k was not proved")
        proof = derivation.proof("z3 for k up to 4", "n = k does:")
        return Found("holds", proof=proof, derivation=derivation)


def _consecutive(numbers: Sequence[int]) -> list[list[int]]:
    """The numbers, cut where one is left out."""
    out: list[list[int]] = []
    for number in numbers:
        if out and out[-1][-1] == number - 1:
            out[-1].append(number)
        else:
            out.append([number])
    return out


def write_runs(numbers: Sequence[int]) -> str:
    """6, 7 as `6–7`."""
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]}"
