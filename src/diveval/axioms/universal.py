"""Constraints of the form "for all rankings": excluded by the solver shape by shape, or broken by a ranking.

With free parameters the two alternate: each ranking that breaks the constraint for some parameters cuts those away,
until the solver proves that nothing is broken in what is left. What is left is the region.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice
from typing import Literal

from diveval.axioms.constraints import Axiom, Bounds, Case, Pair
from diveval.axioms.evidence import Counterexample
from diveval.axioms.paths import explore
from diveval.axioms.polynomials import Condition, Poly, Term, Truth
from diveval.axioms.readings import Reading
from diveval.axioms.search import MOST_TRIED, Candidate, assignments, candidates, concrete
from diveval.axioms.solver import Solver
from diveval.axioms.subjects import Subject, normalised_per_aspect, symbolic_difference
from diveval.metrics.formulas import Formula

MOST_CUTS = 12


@dataclass
class Outcome:
    """What was found: the parameters left (all of them, none, or some), and the rankings that cut the others away."""

    verdict: Literal["holds", "fails", "region", "unknown"]
    left: list[Condition] = field(default_factory=list)  # the region, as conditions on the parameters
    counterexample: Counterexample | None = None
    bound: str = ""
    note: str = ""


@dataclass
class Universal:
    """One decision: a subject, a constraint, a reading."""

    subject: Subject
    axiom: Axiom
    reading: Reading
    bounds: Bounds
    solver: Solver
    extra: Mapping[str, Term] = field(default_factory=dict)  # r_max, when it is a symbol

    @property
    def same_ideal(self) -> bool:
        return self.reading.same_ideal and self.axiom.name in ("Red", "MRed", "AspRel")

    def cases(self) -> list[Case]:
        found = self.axiom.cases(self.reading, self.bounds)
        cutoff = self.subject.cutoff
        return [case for case in found if not isinstance(cutoff, int) or case.documents <= cutoff]

    def decide(self) -> Outcome:
        """Go through the cases from small to large."""
        left: list[Condition] = []
        broken: list[tuple[Candidate | None, Counterexample]] = []
        for case in self.cases():
            while True:
                answer, model = self._can_break(case, left)
                if answer == "unsat":
                    break
                if answer == "unknown":
                    return Outcome("unknown", left, note=f"the solver ran out of time on: {case.label}")
                found = self._broken(case, left, model)
                if found is None:
                    return Outcome("unknown", left, note=f"broken by no simple ranking: {case.label}")
                candidate, counterexample, everywhere = found
                broken.append((candidate, counterexample))
                if everywhere or candidate is None:
                    return Outcome("fails", left, broken[0][1], note=self._cover(broken))
                if len(broken) > MOST_CUTS:
                    note = "broken for some parameters; the border was not found"
                    return Outcome("unknown", left, broken[0][1], note=note)
                left.append(Condition(candidate.gap, candidate.broken_when()).negated())
                if self.solver.impossible([*left, *self._box()]):
                    return Outcome("fails", left, broken[0][1], note=self._cover(broken))
        left = self._irredundant(left)
        return Outcome("region" if left else "holds", left, broken[0][1] if broken else None, bound=self.bound())

    def bound(self) -> str:
        cases = self.cases()
        if not cases:
            return "no ranking within the cutoff meets the premise"
        longest: dict[int, int] = {}
        for case in cases:
            longest[case.aspects] = max(longest.get(case.aspects, 0), case.documents)
        sizes = ", ".join(f"{n} documents with {t} aspect{'s' if t > 1 else ''}" for t, n in sorted(longest.items()))
        return f"z3 excludes every ranking of up to {sizes} ({len(cases)} shapes)"

    def _cover(self, broken: Sequence[tuple[Candidate | None, Counterexample]]) -> str:
        """How the counterexamples reach every admissible setting."""
        if not self.subject.free:
            return ""
        if any(candidate is not None and candidate.small for candidate, _ in broken):
            how = "with differences small enough, rankings of this shape break it"
        else:
            how = "this ranking breaks it" if len(broken) == 1 else f"{len(broken)} rankings between them break it"
        return f"{how} at every setting with {self.subject.box}"

    def _box(self) -> list[Condition]:
        return [fact for facts in self.solver.facts.values() for fact in facts]

    def _can_break(self, case: Case, left: Sequence[Condition]) -> tuple[str, dict[str, Fraction]]:
        """Whether the constraint can be broken in this shape by any values and any parameters still left."""
        symbols = {name: Term.symbol(name) for name in case.symbols}
        pair = case.build({**symbols, **self.extra})
        general = self.subject.abstract()
        answer, model = self._ask(general, pair, left)
        if answer == "unsat" or general is self.subject.formula:
            return answer, model
        return self._ask(self.subject.formula, pair, left)

    def _ask(self, formula: Formula, pair: Pair, left: Sequence[Condition]) -> tuple[str, dict[str, Fraction]]:
        visible = self.subject.visible(formula, pair)
        held: list[Truth] = [*pair.premises, *left, *self._box()]
        worst = "unsat"
        for path in explore(lambda: self._difference(visible, pair), self.solver, held):
            gap = path.result
            answer, model = self.solver.ask([*held, *path.conditions, gap <= 0 if pair.strict else gap < 0])
            if answer == "sat":
                return "sat", model
            worst = answer if answer == "unknown" else worst
        return worst, {}

    def _difference(self, formula: Formula, pair: Pair) -> Term:
        return symbolic_difference(formula, pair, same_ideal=self.same_ideal)

    def _broken(
        self, case: Case, left: Sequence[Condition], model: Mapping[str, Fraction]
    ) -> tuple[Candidate | None, Counterexample, bool] | None:
        """A simple ranking that breaks the constraint: for every parameter left, or at least for some.

        Preferred is one that breaks at the defaults; else one that breaks where the solver's model lies.
        """
        defaults = self.subject.defaults
        if self._ideals_differ(case):
            direct = self._scored_directly(case)
            return None if direct is None else (None, direct, True)
        here = {name: model.get(name, value) for name, value in defaults.items()}
        here |= {name: model[name] for name in self.extra if name in model}
        usual = {**{name: Fraction(1) for name in self.extra}, **defaults}
        settings = [usual, here] if all(c.at(usual) is True for c in left) else [here]
        fallback: tuple[Candidate, Counterexample] | None = None
        for candidate in candidates(self.subject, case, self.solver, same_ideal=self.same_ideal, extra=self.extra):
            setting = next((s for s in settings if candidate.breaks_at(s)), None)
            shown = None if setting is None else self._shown(candidate, setting)
            if shown is None:
                continue
            spared = Condition(candidate.gap, candidate.broken_when()).negated()
            if not candidate.gap.terms or self.solver.impossible([*left, *self._box(), spared]):
                return candidate, shown, True
            fallback = fallback or (candidate, shown)
        return None if fallback is None else (*fallback, False)

    def _shown(self, candidate: Candidate, setting: Mapping[str, Fraction]) -> Counterexample | None:
        return concrete(self.subject, candidate.case, candidate.values, setting, same_ideal=self.same_ideal)

    def _ideals_differ(self, case: Case) -> bool:
        several = case.aspects > 1 and self.subject.sees_aspects
        return several and not self.same_ideal and normalised_per_aspect(self.subject.formula)

    def _scored_directly(self, case: Case) -> Counterexample | None:
        """Where each aspect has its own ideal, exact scores with real judgments decide."""
        for values in islice(assignments(case), MOST_TRIED):
            full = {**values, **self.extra}
            found = concrete(self.subject, case, full, self.subject.defaults, same_ideal=self.same_ideal)
            if found is not None:
                return found
        return None

    def _irredundant(self, left: Sequence[Condition]) -> list[Condition]:
        """The region without the conditions that the others imply."""
        kept = list(left)
        for condition in left:
            others = [c for c in kept if c is not condition]
            if self.solver.proves(condition, [*others, *self._box()]):
                kept = others
        return kept


def facts_for(subject: Subject) -> dict[str, list[Condition]]:
    """What is known of the symbols in a query: the parameters' ranges, and that ideals are positive."""
    ideals = {f"I{c}": [Condition(-Poly.symbol(f"I{c}"), "<")] for c in range(8)}
    return {**subject.facts, **ideals}


def decide_saturation(question: Universal) -> Outcome:
    """Sat: r_max = 1 is tried first; if that fails and any r_max may serve, none of them may do better."""
    one = replace(question, reading=replace(question.reading, saturation="one"))
    outcome = one.decide()
    if outcome.verdict in ("holds", "unknown") or question.reading.saturation == "one":
        return outcome
    symbol = Poly.symbol("rmax")
    inside = [Condition(-symbol, "<"), Condition(symbol - Poly.constant(1), "<=")]
    solver = replace(question.solver, facts={**question.solver.facts, "rmax": inside})
    free = replace(question, extra={"rmax": Term.symbol("rmax")}, solver=solver)
    other = free.decide()
    if other.verdict == "fails":
        return outcome
    no_better = all(solver.proves(condition, [*other.left, *inside, *question._box()]) for condition in outcome.left)
    if other.verdict == "region" and outcome.verdict == "region" and no_better:
        return outcome
    note = "r_max = 1 does not do everywhere; whether a smaller one does better was not resolved"
    return Outcome("unknown", counterexample=outcome.counterexample, note=note)
