"""Constraints of the form "for all rankings": the solver excludes a violation shape by shape, or a ranking violates it.

With free parameters the two alternate (counterexample-guided refinement): each ranking that violates the constraint for
some parameters removes those, until the solver proves that nothing violates it for the rest. The rest is the region.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice
from typing import Literal

from diveval.axioms.proof.column_machine import column
from diveval.axioms.proof.search import MOST_TRIED, Candidate, assignments, candidates, concrete
from diveval.axioms.proof.solver import Solver
from diveval.axioms.proof.subjects import SymbolicMetric, symbolic_difference
from diveval.axioms.proof.verdicts import Counterexample
from diveval.axioms.specification.constraints import Axiom
from diveval.axioms.specification.readings import Reading
from diveval.axioms.specification.shapes import Bounds, Case, Pair, Row
from diveval.exact.paths import Path, explore
from diveval.exact.polynomials import Condition, Poly, Term, Truth
from diveval.metrics.formulas import Formula

MOST_CUTS = 12
CHECKED = 4  # documents up to which a formula is compared with its column


@dataclass
class Decided:
    """The outcome: the parameters left (all of them, none, or some), and a ranking that removed others."""

    verdict: Literal["holds", "fails", "region", "vacuous", "unknown"]
    left: list[Condition] = field(default_factory=list)  # the region, as conditions on the parameters
    counterexample: Counterexample | None = None
    bound: str = ""
    note: str = ""
    documents: int = 0
    aspects: int = 0
    largest: int = 0  # documents in the largest shape that removed parameters
    maximum: Fraction = Fraction(1)  # Sat: the r_max that this is about
    excluded: tuple[Excluded, ...] = ()


@dataclass(frozen=True)
class Excluded:
    """A shape that cannot be violated: its pair on symbols, and each path through the metric."""

    case: Case
    pair: Pair
    formula: Formula
    ways: tuple[Path[Term], ...]
    held: tuple[Truth, ...]  # premises, region, ranges of the parameters
    same_ideal: bool = False


@dataclass
class Universal:
    """One decision: a subject, a constraint, a reading."""

    subject: SymbolicMetric
    axiom: Axiom
    reading: Reading
    bounds: Bounds
    solver: Solver
    extra: Mapping[str, Term] = field(default_factory=dict)  # r_max, when it is a symbol
    looked: set[str] = field(default_factory=set)  # which judgments the metric read (`pool`, `pool_costs`), if any
    excluded: dict[Case, Excluded] = field(default_factory=dict)  # the latest exclusion of each shape

    @property
    def same_ideal(self) -> bool:
        return self.reading.same_ideal and self.axiom.two_aspects

    def cases(self) -> list[Case]:
        found = self.axiom.cases(self.reading, self.bounds)
        cutoff = None if self.reading.cutoff_binds else self.subject.cutoff
        return [case for case in found if not isinstance(cutoff, int) or case.documents <= cutoff]

    @property
    def least(self) -> int:
        """The length of the shortest rankings that the constraint speaks of."""
        return min(case.documents for case in self.axiom.cases(self.reading, self.bounds))

    def decide(self) -> Decided:
        """The outcome, with the shapes that were excluded."""
        outcome = self._decide()
        return replace(outcome, excluded=tuple(self.excluded.values()))

    def _decide(self) -> Decided:
        """Go through the cases from small to large."""
        left: list[Condition] = []
        largest = 0  # of the shapes that removed parameters
        broken: list[tuple[Candidate | None, Counterexample]] = []
        cases = self.cases()
        if not cases:
            return Decided("vacuous", note=f"no ranking within the cutoff {self.subject.cutoff} meets the premise")
        for case in cases:
            while True:
                answer, model = self._can_break(case, left)
                if answer == "unsat":
                    break
                if answer == "unknown":
                    return Decided("unknown", left, note=f"the solver gave no answer on: {case.label}")
                shown = self._find_broken(case, left, model)
                if shown is None:
                    return Decided("unknown", left, note=f"broken by no ranking that was tried: {case.label}")
                candidate, counterexample, everywhere = shown
                broken.append((candidate, counterexample))
                largest = max(largest, case.documents)
                if everywhere or candidate is None:
                    return Decided("fails", left, broken[0][1], note=self._cover(broken), largest=largest)
                if len(broken) > MOST_CUTS:
                    note = "broken for some parameters; the border was not found"
                    return Decided("unknown", left, broken[0][1], note=note)
                left.append(candidate.spared)
                if self.solver.impossible([*left, *self.subject.admissible]):
                    return Decided("fails", left, broken[0][1], note=self._cover(broken), largest=largest)
        kept = self._irredundant(left)
        if len(kept) < len(left) and any(self._can_break(case, kept)[0] != "unsat" for case in cases):
            kept = left
        found = Decided("region" if kept else "holds", kept, broken[0][1] if broken else None, largest=largest)
        return self._add_bound(found, cases)

    def _add_bound(self, outcome: Decided, cases: Sequence[Case]) -> Decided:
        """The outcome with the sizes up to which the solver excluded a violation."""
        longest: dict[int, int] = {}
        for case in cases:
            longest[case.aspects] = max(longest.get(case.aspects, 0), case.documents)
        sizes = ", ".join(f"{n} documents with {t} aspect{'s' if t > 1 else ''}" for t, n in sorted(longest.items()))
        judged = "; judged are the documents at hand and one more" if self.looked else ""
        bound = f"z3 excludes every ranking of up to {sizes} ({len(cases)} shapes){judged}"
        return replace(outcome, bound=bound, documents=max(longest.values()), aspects=max(longest))

    def _cover(self, broken: Sequence[tuple[Candidate | None, Counterexample]]) -> str:
        """How the counterexamples reach every admissible setting."""
        if not self.subject.free:
            return ""
        if any(candidate is None for candidate, _ in broken):
            return "at the parameters shown"
        if any(candidate is not None and candidate.small for candidate, _ in broken):
            how = "with differences small enough, rankings of this shape break it"
        else:
            how = "this ranking breaks it" if len(broken) == 1 else f"{len(broken)} rankings between them break it"
        return f"{how} at every setting with {self.subject.box}"

    def _can_break(self, case: Case, left: Sequence[Condition]) -> tuple[str, dict[str, Fraction]]:
        """Whether any values, with any parameters still left, violate the constraint in this shape.

        First with any falling convex discount in place of p^i, where p is free: a linear query in the weights of ranks,
        which is much easier than one in powers of p. Only its `unsat` carries over to p^i.
        """
        symbols = {name: Term.symbol(name) for name in case.symbols}
        pair = case.build({**symbols, **self.extra})
        general = self.subject.abstract()
        answer, model = self._ask(general, case, pair, left)
        if answer == "unsat" or general is self.subject.formula:
            return answer, model
        return self._ask(self.subject.formula, case, pair, left)

    def _ask(
        self, formula: Formula, case: Case, pair: Pair, left: Sequence[Condition]
    ) -> tuple[str, dict[str, Fraction]]:
        """With the documents of the pair as judgments; and with one more where the metric reads the judgments."""
        answer, model = self._ask_with(formula, case, pair, left, ())
        if answer == "sat" or not self.looked:
            return answer, model
        another = [[Term.symbol(f"z{t}") for t in range(len(pair.weights))]]
        said, model = self._ask_with(formula, case, pair, left, another)
        return (said, model) if said == "sat" or answer == "unsat" else (answer, {})

    def _ask_with(
        self, formula: Formula, case: Case, pair: Pair, left: Sequence[Condition], extra: Sequence[Row]
    ) -> tuple[str, dict[str, Fraction]]:
        visible = self.subject.visible(formula, pair)
        inside: list[Truth] = [bound for row in extra for z in row for bound in (z >= 0, z <= 1)]
        held: list[Truth] = [*pair.premises, *left, *self.subject.admissible, *inside]
        worst, ways = "unsat", []

        def difference() -> Term:
            return symbolic_difference(visible, pair, same_ideal=self.same_ideal, looked=self.looked, extra=extra)

        for path in explore(difference, self.solver, held, twice=self.subject.has_user_code):
            ways.append(path)
            gap = path.result
            answer, model = self.solver.ask([*held, *path.conditions, gap <= 0 if pair.strict else gap < 0])
            if answer == "sat":
                return "sat", model
            worst = answer if answer == "unknown" else worst
        if worst == "unsat":
            self.excluded[case] = Excluded(case, pair, visible, tuple(ways), tuple(held), self.same_ideal)
        return worst, {}

    def column_is_right(self) -> bool:
        """Whether the column equals the formula on pairs of up to four documents.

        Proofs for every length are about the column. If this check were dropped, a mistake in `column` would prove things
        about another metric.
        """
        machine = column(self.subject.formula)
        if machine is None:
            return True
        for case in self.cases():
            if case.documents > CHECKED:
                continue
            pair = case.build({**{name: Term.symbol(name) for name in case.symbols}, "rmax": Term.of(1)})
            visible = self.subject.visible(self.subject.formula, pair)
            held = [*pair.premises, *self.subject.admissible]
            if not machine.agrees(visible, pair, self.solver, held, same_ideal=self.same_ideal):
                return False
        return True

    def _find_broken(
        self, case: Case, left: Sequence[Condition], model: Mapping[str, Fraction]
    ) -> tuple[Candidate | None, Counterexample, bool] | None:
        """A ranking that breaks the constraint: for every parameter left, or at least for some.

        Preferred are simple values that break it at the defaults, then simple ones that break it where the solver's
        model lies, then the model itself.
        """
        defaults = self.subject.defaults
        open_maximum = any(value.num.value is None for value in self.extra.values())  # no single ranking refutes all
        if (self._ideals_differ(case) or self.looked) and not open_maximum:
            direct = self._search_by_scores(case, model)
            return None if direct is None else (None, direct, True)
        here = {name: model.get(name, value) for name, value in defaults.items()}
        here |= {name: model.get(name, Fraction(1)) for name in self.extra}  # where any value does, 1 does
        usual = {**{name: Fraction(1) for name in self.extra}, **defaults}
        settings = [usual, here] if all(c.at(usual) is True for c in left) else [here]
        fallback: tuple[Candidate, Counterexample] | None = None
        for candidate in candidates(
            self.subject, case, self.solver, same_ideal=self.same_ideal, extra=self.extra, model=model
        ):
            setting = next((s for s in settings if candidate.breaks_at(s)), None)
            if setting is None:
                continue
            shown = concrete(self.subject, case, candidate.values, setting, same_ideal=self.same_ideal)
            if shown is None:
                continue
            if not candidate.gap.terms or self.solver.impossible([*left, *self.subject.admissible, candidate.spared]):
                return candidate, shown, True
            fallback = fallback or (candidate, shown)
        return None if fallback is None else (*fallback, False)

    def _ideals_differ(self, case: Case) -> bool:
        several = case.aspects > 1 and self.subject.sees_aspects
        return several and not self.same_ideal and self.subject.formula.normalised_per_aspect

    def _search_by_scores(self, case: Case, model: Mapping[str, Fraction]) -> Counterexample | None:
        """A counterexample by exact scores with real judgments, where the result depends on these."""
        solved = {name: Term.of(model[name]) for name in case.symbols if name in model}
        tried = [*islice(assignments(case), MOST_TRIED), *([solved] if len(solved) == len(case.symbols) else [])]
        judged = [tuple(model[f"z{t}"] for t in range(case.aspects))] if "z0" in model else []
        for values in tried:
            full = {**values, **self.extra}
            found = concrete(self.subject, case, full, self.subject.defaults, same_ideal=self.same_ideal, judged=judged)
            if found is not None:
                return found
        return None

    def _irredundant(self, left: Sequence[Condition]) -> list[Condition]:
        """The region without the conditions that the others imply."""
        kept = list(left)
        for condition in left:
            others = [c for c in kept if c is not condition]
            if self.solver.proves(condition, [*others, *self.subject.admissible]):
                kept = others
        return kept


def facts_for(subject: SymbolicMetric) -> dict[str, list[Condition]]:
    """The facts about the symbols of a query: the ranges of parameters, and that ideals are positive."""
    ideals = {f"I{c}": [Condition(-Poly.symbol(f"I{c}"), "<")] for c in range(8)}
    return {**subject.facts, **ideals}


MAXIMA = tuple(Fraction(n, d) for n, d in ((1, 1), (1, 2), (3, 4), (1, 4), (9, 10), (1, 10)))  # r_max tried one by one


def decide_question(question: Universal) -> Decided:
    """The outcome; Sat may choose its r_max."""
    return decide_saturation(question) if question.axiom.any_maximum else question.decide()


def decide_saturation(question: Universal) -> Decided:
    """Sat: with r_max = 1 first. If that fails and the reading allows any r_max in (0, 1], others, and then all at once."""
    one = replace(question, reading=replace(question.reading, saturation="one"), excluded={})
    outcome = one.decide()
    if outcome.verdict in ("holds", "vacuous", "unknown") or question.reading.saturation == "one":
        return outcome
    for maximum in MAXIMA[1:] if question.subject.has_user_code else ():
        found = replace(question, extra={"rmax": Term.of(maximum)}, excluded={}).decide()
        if found.verdict == "holds":
            return replace(found, maximum=maximum)
    symbol = Poly.symbol("rmax")
    inside = [Condition(-symbol, "<"), Condition(symbol - Poly.constant(1), "<=")]
    solver = replace(question.solver, facts={**question.solver.facts, "rmax": inside})
    free = replace(question, extra={"rmax": Term.symbol("rmax")}, solver=solver, excluded={})
    other = free.decide()
    if other.verdict == "fails":
        return replace(outcome, largest=max(outcome.largest, other.largest))
    no_better = all(
        solver.proves(condition, [*other.left, *inside, *question.subject.admissible]) for condition in outcome.left
    )
    if other.verdict == "region" and outcome.verdict == "region" and no_better:
        return outcome
    note = "r_max = 1 does not do everywhere; whether a smaller one does better was not resolved"
    return Decided("unknown", counterexample=outcome.counterexample, note=note)
