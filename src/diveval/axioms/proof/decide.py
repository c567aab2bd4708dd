"""Decide one cell: by threshold, by exclusion and lemmas, or by search; what a cutoff changes; and the verdict."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from itertools import islice

from diveval.axioms.arithmetic.logs import symbol_text
from diveval.axioms.arithmetic.opaque import NotExact
from diveval.axioms.arithmetic.paths import NotRepeatable
from diveval.axioms.arithmetic.polynomials import Condition
from diveval.axioms.proof.isolation import Probes, apart
from diveval.axioms.proof.ledger import Ledger
from diveval.axioms.proof.lemmas import every_length
from diveval.axioms.proof.parts import refuse_out_of_range
from diveval.axioms.proof.published import cited, printed
from diveval.axioms.proof.search import behind_cutoff, candidate, first_counterexample, longer_counterexamples
from diveval.axioms.proof.solver import Solver
from diveval.axioms.proof.subjects import Subject, subject
from diveval.axioms.proof.thresholds import Threshold
from diveval.axioms.proof.universal import Decided, Excluded, Universal, decide_saturation, facts_for
from diveval.axioms.proof.verdicts import Proof, Region, Verdict
from diveval.axioms.specification.constraints import Axiom, as_axiom
from diveval.axioms.specification.readings import CHARITABLE, Reading, as_reading
from diveval.axioms.specification.shapes import Bounds
from diveval.errors import DivevalError, UsageError
from diveval.metrics.names import MetricLike
from diveval.metrics.numbers import exactly

SECONDS = 60.0  # for one cell; one solver query gets a tenth of it
Metric = MetricLike | Subject


@dataclass
class Trail:
    """The evidence that a certificate adds to a verdict: the shapes excluded, the steps of the proof, all queries."""

    excluded: list[Excluded] = field(default_factory=list)
    left: list[Condition] = field(default_factory=list)
    ledger: Ledger | None = None
    journal: list[str] = field(default_factory=list)
    solver: Solver | None = None
    threshold: Threshold | None = None


def check(
    metric: Metric,
    axiom: str | Axiom,
    *,
    reading: str | Reading = CHARITABLE,
    bounds: Bounds | None = None,
    time_limit: float = SECONDS,
) -> Verdict:
    """Decide whether a metric satisfies a constraint.

    Parameters that the metric's text does not set stay free: `RBU` is every RBU with 0 < p < 1 and e > 0,
    `RBU(p=0.8,e=0.05)` is one. `@k` stands for any cutoff. A metric of your own runs in a process of its own, which is
    ended when the time is up.

    Args:
        metric: a name, a setting, a composition of the algebra, a function of a ranking, or `file.py:name`
        axiom: one of the ten by name, or an `Axiom` of your own
        reading: how the prose of the constraint is read; `charitable` or `as-written`, or a `Reading`
        bounds: how long the rankings are and how many aspects they have that the solver excludes
        time_limit: seconds after which the answer is `unknown`
    """
    if not time_limit > 0:
        raise UsageError(f"the time limit is a positive number of seconds, got {time_limit}")
    who, what, how = subject(metric), as_axiom(axiom), as_reading(reading)
    if not who.user:
        return decide(who, what, how, bounds or Bounds(), time_limit)
    late = f"no answer within {time_limit:g} s: the metric, or what it compares, takes longer and was ended"
    found = apart(decide, who, what, how, bounds or Bounds(), time_limit)
    return replace(_blank(who, what, how), note=late) if found is None else found


def _blank(who: Subject, what: Axiom, how: Reading) -> Verdict:
    """The verdict before anything was decided."""
    blank = Verdict(who.name, what.name, how.name, "unknown", printed(who.entry, what.name), parameters=who.box)
    return replace(blank, title=what.title, says=what.says, why=what.why)


def decide(
    who: Subject, what: Axiom, how: Reading, bounds: Bounds, time_limit: float, trail: Trail | None = None
) -> Verdict:
    """One cell, in this process."""
    refuse_out_of_range(who.formula)
    solver = Solver(facts_for(who), seconds=max(1.0, time_limit / 10), deadline=time.monotonic() + time_limit)
    if trail is not None:
        solver.journal, trail.solver = trail.journal, solver
    verdict = _decided(_blank(who, what, how), who, what, how, bounds, solver, trail or Trail())
    if verdict.verdict == "bounded" and solver.late:
        note = f"{verdict.note}; the time limit ended the search for one, --time-limit gives it more"
        verdict = replace(verdict, note=note, hurried=True)
    return replace(verdict, theorem=cited(who, what, how, verdict.verdict))


def _decided(
    blank: Verdict, who: Subject, what: Axiom, how: Reading, bounds: Bounds, solver: Solver, trail: Trail
) -> Verdict:
    if what.diversity and not who.sees_aspects and not how.overall:
        return replace(blank, verdict="not-applicable", note="the metric has no aspects")
    probes = Probes(who)
    try:
        odd = probes.odd()
        if odd:
            return replace(blank, note=odd)
        if what.threshold:
            threshold = Threshold(who, what, how, bounds, solver)
            found = threshold.decide()
            trail.ledger, trail.threshold = found.ledger, threshold
            verdict = replace(
                blank,
                verdict=found.verdict,
                region=found.region,
                counterexample=found.counterexample,
                proof=found.proof,
                note=found.note,
            )
        else:
            verdict = _universal(blank, who, what, how, bounds, solver, trail)
        odd = probes.changed()
        return replace(blank, note=odd) if odd else verdict
    except NotRepeatable as error:
        return replace(blank, note=str(error))
    except NotExact as error:
        return _by_search(blank, who, what, how, bounds, str(error), solver)
    except (Exception, SystemExit) as error:
        if isinstance(error, DivevalError) or not who.user:
            raise
        raise UsageError(f"the metric {who.name} failed: {type(error).__name__}: {error}") from error


def _universal(
    blank: Verdict, who: Subject, what: Axiom, how: Reading, bounds: Bounds, solver: Solver, trail: Trail
) -> Verdict:
    uncut = replace(who, cutoff="k") if isinstance(who.cutoff, int) and how.cutoff_binds else who
    question = Universal(uncut, what, how, bounds, solver)
    outcome = decide_saturation(question) if what.any_maximum else question.decide()
    trail.excluded, trail.left = list(question.excluded.values()), outcome.left
    verdict = replace(blank, verdict=outcome.verdict, counterexample=outcome.counterexample, note=outcome.note)
    if outcome.verdict == "unknown" and outcome.counterexample is None and who.free:
        return _at_one_setting(verdict, question)
    if outcome.verdict not in ("holds", "region"):
        return verdict
    if how.cutoff_binds and who.cutoff is not None:
        cut = _behind(blank, who, what, how, outcome)
        if cut is not None:
            return cut
    ledger = None if uncut.user else every_length(uncut, what, how, outcome.left, solver)
    if ledger is not None and not question.column_is_right():
        ledger = None
    trail.ledger = ledger
    witness = "r_max = 1 does:" if what.any_maximum else ""
    steps = () if ledger is None else tuple(ledger.steps)
    proof = Proof(outcome.bound, steps, ledger is not None, witness, outcome.documents, outcome.aspects)
    region = _region(outcome, who) if outcome.verdict == "region" else None
    verdict = replace(verdict, proof=proof, region=region)
    return _bounded(verdict, uncut, what, how, outcome, solver) if ledger is None else verdict


def _at_one_setting(verdict: Verdict, question: Universal) -> Verdict:
    """Where the solver cannot cope with free parameters: whether one setting breaks the constraint, each parameter at
    nine tenths of its range (or its default where the range has no end)."""
    who = question.subject
    setting = {
        p.name: exactly(p.default) if p.high == float("inf") else exactly(p.low) / 10 + exactly(p.high) * 9 / 10
        for p in who.free
    }
    there = replace(who, formula=who.at(setting), free=())
    outcome = replace(question, subject=there, excluded={}).decide()
    if outcome.verdict != "fails" or outcome.counterexample is None:
        return verdict
    shown = ", ".join(f"{symbol_text(name)} = {value}" for name, value in setting.items())
    note = f"at {shown}: it does not hold for all {who.box}; other settings were not decided"
    example = replace(outcome.counterexample, setting=setting)
    return replace(verdict, verdict="fails", counterexample=example, note=note)


def _bounded(verdict: Verdict, who: Subject, what: Axiom, how: Reading, outcome: Decided, solver: Solver) -> Verdict:
    """The verdict where no lemma reaches every length: some longer rankings are tried, since they may break it."""
    longer = replace(how, saturation="one")
    setting = who.defaults if all(c.at(who.defaults) is True for c in outcome.left) else None
    tried = () if setting is None else longer_counterexamples(who, what, longer, setting, solver.deadline)
    some = None
    for case, values, found in islice(tried, 8):
        same_ideal = how.same_ideal and what.two_aspects
        one = candidate(who, case, values, solver, same_ideal=same_ideal) if who.free else None
        if not who.free or (one and (not one.gap.terms or solver.impossible([*outcome.left, one.spared]))):
            note = f"this ranking breaks it at every setting with {who.box}" if who.free else ""
            return replace(verdict, verdict="fails", counterexample=found, proof=None, region=None, note=note)
        some = some or found
    if some is not None:
        note = f"a longer ranking breaks it at {', '.join(f'{k} = {v}' for k, v in (setting or {}).items())}"
        return replace(verdict, verdict="unknown", counterexample=some, proof=None, region=None, note=note)
    note = "no argument for every length is known: nothing is claimed beyond these sizes"
    if verdict.region is not None:
        note = f"only where {verdict.region.formula}; {note}"
    return replace(verdict, verdict="bounded", region=None, note=note)


def _behind(blank: Verdict, who: Subject, what: Axiom, how: Reading, outcome: Decided) -> Verdict | None:
    """A constraint that holds within the cutoff fails for documents behind it, which the metric does not see."""
    below = what.below
    if below is None:
        return None
    cutoffs = [who.cutoff] if isinstance(who.cutoff, int) else [1, 2, 3, 10]
    found = [behind_cutoff(who, lambda k: below(k, how), k) for k in cutoffs]
    if any(one is None for one in found):
        return None
    note = f"only below the cutoff; without one: {outcome.verdict}"
    return replace(blank, verdict="fails", counterexample=found[0], note=note, uncut=outcome.verdict)


def _region(outcome: Decided, who: Subject) -> Region:
    """The conditions left, as a formula and as numbers with the other parameters at their defaults."""
    formula = " and ".join(str(condition) for condition in outcome.left)
    numbers = []
    for name in who.defaults:
        others = {key: value for key, value in who.defaults.items() if key != name}
        if any(name in condition.poly.symbols for condition in outcome.left):
            fixed = ", ".join(f"{symbol_text(key)} = {value}" for key, value in others.items())
            text = " and ".join(str(Condition(c.poly.at(others), c.op)) for c in outcome.left)
            numbers.append(f"{text} at {fixed}" if fixed else text)
    return Region(formula, tuple(numbers))


def _by_search(
    blank: Verdict, who: Subject, what: Axiom, how: Reading, bounds: Bounds, why: str, solver: Solver
) -> Verdict:
    """For a function that cannot run on symbols: a search for a ranking that breaks the constraint."""
    if what.shapes is None:
        return replace(blank, note=why)
    try:
        cases = what.cases(replace(how, saturation="one"), bounds)
        found = first_counterexample(who, cases, deadline=solver.deadline)
    except NotExact as error:
        return replace(blank, note=str(error))
    if found is None:
        return replace(blank, note=f"no counterexample among simple rankings; no proof either: {why}")
    return replace(blank, verdict="fails", counterexample=found)
