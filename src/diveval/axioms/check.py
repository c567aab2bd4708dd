"""Deciding one cell: which route a constraint takes, what a cutoff does to it, and the verdict that comes out."""

from __future__ import annotations

import time
from dataclasses import replace

from diveval.axioms.constraints import Axiom, Bounds, as_axiom
from diveval.axioms.evidence import Proof, Region
from diveval.axioms.lemmas import every_length
from diveval.axioms.paper import printed
from diveval.axioms.polynomials import Condition, NotExact, symbol_text
from diveval.axioms.readings import AS_WRITTEN, Reading, as_reading
from diveval.axioms.search import behind_cutoff, first_counterexample
from diveval.axioms.solver import Solver
from diveval.axioms.subjects import Subject, subject
from diveval.axioms.thresholds import Found, Threshold
from diveval.axioms.universal import Outcome, Universal, decide_saturation, facts_for
from diveval.axioms.verdicts import Verdict
from diveval.errors import DivevalError, UsageError
from diveval.metrics.names import MetricLike

SECONDS = 60.0  # for one cell; one solver query gets a tenth of it
Metric = MetricLike | Subject


def check(
    metric: Metric,
    axiom: str | Axiom,
    *,
    reading: str | Reading = AS_WRITTEN,
    bounds: Bounds | None = None,
    time_limit: float = SECONDS,
) -> Verdict:
    """Decide whether a metric satisfies a constraint.

    Parameters that the metric's text does not set stay free: `RBU` is every RBU with 0 < p < 1 and e > 0,
    `RBU(p=0.8,e=0.05)` is one. `@k` stands for any cutoff.
    """
    if not time_limit > 0:
        raise UsageError(f"the time limit is a positive number of seconds, got {time_limit}")
    who, what, how = subject(metric), as_axiom(axiom), as_reading(reading)
    solver = Solver(facts_for(who), seconds=max(1.0, time_limit / 10), deadline=time.monotonic() + time_limit)
    verdict = _decided(who, what, how, bounds or Bounds(), solver)
    return replace(verdict, paper=printed(who.entry, what.name), parameters=who.box)


def _decided(who: Subject, what: Axiom, how: Reading, bounds: Bounds, solver: Solver) -> Verdict:
    blank = Verdict(who.name, what.name, how.name, "unknown")
    if what.diversity and not who.sees_aspects and not how.overall:
        return replace(blank, verdict="not-applicable", note="the metric has no aspects")
    try:
        if what.shapes is None:
            return _from_threshold(blank, Threshold(who, what, how, bounds, solver).decide())
        return _universal(blank, who, what, how, bounds, solver)
    except NotExact as error:
        return _by_search(blank, who, what, how, bounds, str(error))
    except Exception as error:
        if isinstance(error, DivevalError) or not who.user:
            raise
        raise UsageError(f"the metric {who.name} failed: {type(error).__name__}: {error}") from error


def _from_threshold(blank: Verdict, found: Found) -> Verdict:
    return replace(
        blank,
        verdict=found.verdict,
        region=found.region,
        counterexample=found.counterexample,
        proof=found.proof,
        note=found.note,
    )


def _universal(
    blank: Verdict, who: Subject, what: Axiom, how: Reading, bounds: Bounds, solver: Solver
) -> Verdict:
    uncut = replace(who, cutoff="k") if isinstance(who.cutoff, int) and how.cutoff_binds else who
    question = Universal(uncut, what, how, bounds, solver)
    outcome = decide_saturation(question) if what.name == "Sat" else question.decide()
    if outcome.verdict in ("holds", "region") and how.cutoff_binds and who.cutoff is not None:
        cut = _behind(blank, who, what, how, outcome)
        if cut is not None:
            return cut
    verdict = replace(blank, verdict=outcome.verdict, counterexample=outcome.counterexample, note=outcome.note)
    if outcome.verdict not in ("holds", "region"):
        return verdict
    steps = every_length(uncut, what, how, outcome.left, solver)
    witness = "r_max = 1 does:" if what.name == "Sat" else ""
    proof = Proof(outcome.bound, steps or (), steps is not None, witness)
    region = _region(outcome, who) if outcome.verdict == "region" else None
    return replace(verdict, proof=proof, region=region)


def _behind(blank: Verdict, who: Subject, what: Axiom, how: Reading, outcome: Outcome) -> Verdict | None:
    """What holds above the cutoff fails behind it, where the metric sees nothing."""
    below = what.below
    if below is None:
        return None
    cutoffs = [who.cutoff] if isinstance(who.cutoff, int) else [1, 2, 3, 10]
    found = [behind_cutoff(who, lambda k: below(k, how), k) for k in cutoffs]
    if any(one is None for one in found):
        return None
    note = f"only behind the cutoff; without one: {outcome.verdict}"
    return replace(blank, verdict="fails", counterexample=found[0], note=note, uncut=outcome.verdict)


def _region(outcome: Outcome, who: Subject) -> Region:
    """The conditions left, in words and as numbers with the other parameters at their defaults."""
    formula = " and ".join(str(condition) for condition in outcome.left)
    numbers = []
    for name in who.defaults:
        others = {key: value for key, value in who.defaults.items() if key != name}
        if any(name in condition.poly.symbols for condition in outcome.left):
            fixed = ", ".join(f"{symbol_text(key)} = {value}" for key, value in others.items())
            lines = [Condition(c.poly.at(others), c.op) for c in outcome.left]
            text = " and ".join(str(line) for line in lines)
            numbers.append(f"{text} at {fixed}" if fixed else text)
    return Region(formula, tuple(numbers))


def _by_search(blank: Verdict, who: Subject, what: Axiom, how: Reading, bounds: Bounds, why: str) -> Verdict:
    """A function that cannot be run on symbols can still be broken by a ranking."""
    if what.shapes is None:
        return replace(blank, note=why)
    one = replace(how, saturation="one")
    try:
        found = first_counterexample(who, what.cases(one, bounds))
    except NotExact as error:
        return replace(blank, note=str(error))
    if found is None:
        return replace(blank, note=f"no counterexample among simple rankings; no proof either: {why}")
    return replace(blank, verdict="fails", counterexample=found)
