"""Decide one cell: by threshold, by exclusion and lemmas, or by search; what a cutoff changes; and the verdict."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice

from diveval.argument_types import explain_types
from diveval.axioms.proof.budget import Budget, Pause, go_on
from diveval.axioms.proof.derivation import Derivation
from diveval.axioms.proof.isolation import Probes, decide_in_subprocess
from diveval.axioms.proof.lemmas import every_length
from diveval.axioms.proof.part_facts import refuse_out_of_range
from diveval.axioms.proof.published import find_theorem, look_up_printed
from diveval.axioms.proof.search import (
    behind_cutoff,
    candidate,
    first_counterexample,
    longer_counterexamples,
    score_again,
)
from diveval.axioms.proof.solver import Solver
from diveval.axioms.proof.subjects import SymbolicMetric, as_symbolic
from diveval.axioms.proof.thresholds import Threshold
from diveval.axioms.proof.universal import Decided, Excluded, Universal, decide_question, facts_for
from diveval.axioms.proof.verdicts import Proof, Region, Verdict
from diveval.axioms.specification.constraints import Axiom, as_axiom
from diveval.axioms.specification.readings import CHARITABLE, Reading, as_reading
from diveval.axioms.specification.shapes import Bounds
from diveval.errors import DivevalError, UsageError
from diveval.exact.logs import symbol_text
from diveval.exact.paths import NotRepeatable, TooLong
from diveval.exact.polynomials import Condition, Term
from diveval.exact.value_only import NotExact
from diveval.metrics.names import MetricLike
from diveval.metrics.numbers import exactly
from diveval.metrics.subtopics import SubtopicReciprocalRank

SECONDS = 60.0  # for one cell; one solver query gets a tenth of it
Metric = MetricLike | SymbolicMetric


@dataclass
class Trail:
    """The evidence that a certificate adds to a verdict: the shapes excluded, the steps of the proof, all queries."""

    excluded: list[Excluded] = field(default_factory=list)
    left: list[Condition] = field(default_factory=list)
    derivation: Derivation | None = None
    journal: list[str] = field(default_factory=list)
    solver: Solver | None = None
    threshold: Threshold | None = None
    witness: int | None = None  # of the threshold


@explain_types
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
        time_limit: seconds of CPU time after which the answer is `unknown`
    """
    if not time_limit > 0:
        raise UsageError("out-of-range", f"the time limit is a positive number of seconds, got {time_limit}")
    return decide_cell(metric, axiom, as_reading(reading), bounds or Bounds(), time_limit)


def decide_cell(
    metric: Metric, axiom: str | Axiom, how: Reading, bounds: Bounds, time_limit: float, *, pause: Pause = go_on
) -> Verdict:
    """`check` for schedulers, which may cancel it: at every query `pause` is called, and may raise."""
    who, what = as_symbolic(metric), as_axiom(axiom)
    if not who.has_user_code:
        return decide(who, what, how, bounds, time_limit, pause=pause)
    late = f"no answer within {time_limit:g} s: the metric, or what it compares, takes longer and was ended"
    found = decide_in_subprocess(decide, who, what, how, bounds, time_limit, pause)
    return replace(_blank(who, what, how), note=late) if found is None else found


def _blank(who: SymbolicMetric, what: Axiom, how: Reading) -> Verdict:
    """The verdict before anything was decided."""
    blank = Verdict(who.name, what.name, how.name, "unknown", look_up_printed(who.entry, what.name), parameters=who.box)
    return replace(blank, title=what.title, says=what.says, why=what.why)


def decide(
    who: SymbolicMetric,
    what: Axiom,
    how: Reading,
    bounds: Bounds,
    time_limit: float,
    trail: Trail | None = None,
    *,
    pause: Pause = go_on,
) -> Verdict:
    """One cell, in this process."""
    refuse_out_of_range(who.formula)
    solver = Solver(facts_for(who), seconds=max(1.0, time_limit / 10), budget=Budget(time_limit, pause))
    if trail is not None:
        solver.journal, trail.solver = trail.journal, solver
    verdict = _decide(_blank(who, what, how), who, what, how, bounds, solver, trail or Trail())
    if verdict.verdict == "bounded" and solver.late:
        note = f"{verdict.note}; the time limit ended the search for one, --time-limit gives it more"
        verdict = replace(verdict, note=note, hurried=True)
    return replace(verdict, theorem=find_theorem(who, what, how, verdict.verdict))


def _decide(
    blank: Verdict, who: SymbolicMetric, what: Axiom, how: Reading, bounds: Bounds, solver: Solver, trail: Trail
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
            trail.derivation, trail.threshold, trail.witness = found.derivation, threshold, found.witness
            verdict = replace(
                blank,
                verdict=found.verdict,
                region=found.region,
                counterexample=found.counterexample,
                proof=found.proof,
                note=found.note,
                uncut=found.uncut,
            )
        else:
            verdict = _universal(blank, who, what, how, bounds, solver, trail)
        odd = probes.describe_change()
        return replace(blank, note=odd) if odd else verdict
    except (NotRepeatable, TooLong) as error:
        return replace(blank, note=str(error))
    except NotExact as error:
        return _by_search(blank, who, what, how, bounds, str(error), solver)
    except (Exception, SystemExit) as error:
        if isinstance(error, DivevalError) or not who.has_user_code:
            raise
        raise UsageError("metric-failed", f"the metric {who.name} failed: {type(error).__name__}: {error}") from error


def _universal(
    blank: Verdict, who: SymbolicMetric, what: Axiom, how: Reading, bounds: Bounds, solver: Solver, trail: Trail
) -> Verdict:
    if what.any_maximum and who.cutoff == 1 and how.cutoff_binds:
        return _out_of_sight(blank, trail, solver)
    binds = how.cutoff_binds and who.cutoff is not None
    if binds and what.below is None and not what.any_maximum:
        return _with_a_cutoff(blank, Universal(who, what, how, bounds, solver))
    uncut = replace(who, cutoff="k") if isinstance(who.cutoff, int) and binds else who
    question = Universal(uncut, what, how, bounds, solver)
    outcome = decide_question(question)
    trail.excluded, trail.left = list(outcome.excluded), outcome.left
    if how.cutoff_binds and isinstance(who.cutoff, int) and outcome.verdict not in ("holds", "region"):
        return _at_own_cutoff(blank, question, who, outcome)
    verdict = replace(blank, verdict=outcome.verdict, counterexample=outcome.counterexample, note=outcome.note)
    if outcome.verdict == "unknown" and outcome.counterexample is None and who.free:
        return _at_one_setting(verdict, question)
    if outcome.verdict == "fails" and who.cutoff == "k":
        return _fails_for_each_cutoff(verdict, question, outcome)
    if outcome.verdict not in ("holds", "region"):
        return verdict
    if how.cutoff_binds and who.cutoff is not None:
        cut = _behind(blank, who, what, how, outcome)
        if cut is not None:
            return cut
    derivation = None if uncut.has_user_code else every_length(uncut, what, how, outcome.left, solver)
    if derivation is not None and not question.column_is_right():
        derivation = None
    trail.derivation = derivation
    witness = f"r_max = {outcome.maximum} does:" if what.any_maximum else ""
    steps = () if derivation is None else tuple(derivation.steps)
    proof = Proof(outcome.bound, steps, derivation is not None, witness, outcome.documents, outcome.aspects)
    region = _region(outcome, who) if outcome.verdict == "region" else None
    verdict = replace(verdict, proof=proof, region=region)
    if derivation is None and not _is_complete(question, outcome):
        return _try_longer(verdict, uncut, what, how, outcome, solver)
    return _at_cutoffs(verdict, question, who, outcome) if region is not None and who.cutoff is not None else verdict


# --- what a cutoff changes ------------------------------------------------------------------------------------------


def _out_of_sight(blank: Verdict, trail: Trail, solver: Solver) -> Verdict:
    """Sat at k = 1 where the cutoff binds: the document that must add nothing has rank 2 or more."""
    derivation = Derivation(solver)
    derivation.claim("unseen", "rank n + 1 ≥ 2 is behind k = 1: both score the same", [], lambda: [Term.of(0) >= 0])
    trail.derivation = derivation
    return replace(blank, verdict="holds", proof=derivation.proof("", "any r_max does:"))


def _with_a_cutoff(blank: Verdict, question: Universal) -> Verdict:
    """A constraint of one's own on a metric whose cutoff binds: nothing is known of what is behind it."""
    if question.subject.cutoff == "k":
        return replace(blank, note="no argument for every cutoff k is known; give one, or leave it out")
    return _bound(blank, question.decide())


def _bound(blank: Verdict, found: Decided) -> Verdict:
    """The verdict where no lemma applies: what the solver excluded, and nothing beyond."""
    verdict = "bounded" if found.verdict == "holds" else "unknown" if found.verdict == "region" else found.verdict
    proof = Proof(found.bound, documents=found.documents, aspects=found.aspects) if verdict == "bounded" else None
    return replace(blank, verdict=verdict, counterexample=found.counterexample, proof=proof, note=found.note)


def _at_own_cutoff(blank: Verdict, question: Universal, who: SymbolicMetric, outcome: Decided) -> Verdict:
    """A given cutoff that binds: the evidence is about the metric at this cutoff, not about another one."""
    what, how = question.axiom, question.reading
    example = outcome.counterexample and score_again(who, outcome.counterexample)
    assert isinstance(who.cutoff, int)
    if outcome.verdict == "fails" and example is not None and (what.below or outcome.largest <= who.cutoff):
        return replace(blank, verdict="fails", counterexample=example, note=outcome.note)
    behind = _behind(blank, who, what, how, outcome)
    if behind is not None:
        return behind
    own = replace(question, subject=who, excluded={})
    return _bound(blank, decide_question(own))


def _is_complete(question: Universal, outcome: Decided) -> bool:
    """Whether the solver excluded every ranking there is: those that fit a given cutoff, about any number of aspects.

    Red: k documents are about at most k aspects, and further ones only scale the weights (but S-RR counts them all).
    """
    k, who, what = question.subject.cutoff, question.subject, question.axiom
    if not isinstance(k, int) or question.reading.cutoff_binds or who.has_user_code or k > outcome.documents:
        return False
    counts_aspects = any(isinstance(part, SubtopicReciprocalRank) for part in who.formula.parts)
    few = what.lemma == "monotonic" or (what.lemma == "redundancy" and k <= outcome.aspects and not counts_aspects)
    return not what.diversity or few


def _fails_for_each_cutoff(verdict: Verdict, question: Universal, outcome: Decided) -> Verdict:
    """A symbolic cutoff stands for every k: where small ones leave no room for the failure, the rest is a region."""
    if question.axiom.any_maximum and question.reading.cutoff_binds:
        return _visible_from_two(verdict, question, outcome)
    if question.reading.cutoff_binds or outcome.largest <= question.least:
        return verdict
    small = [_at_k(question, k) for k in range(question.least, outcome.largest)]
    if all(one.verdict == "fails" for one in small):
        return verdict
    if all(one.verdict == "holds" for one in small):
        most = f"k ≤ {outcome.largest - 1}"
        proof = Proof(f"no shorter rankings break it: {small[-1].proof}")
        return replace(verdict, verdict="region", region=Region(most, (most,)), proof=proof, uncut="fails", note="")
    said = ", ".join(f"k = {k}: {one.verdict}" for k, one in enumerate(small, question.least))
    return replace(verdict, verdict="unknown", note=f"it fails from k = {outcome.largest} on; {said}")


def _visible_from_two(verdict: Verdict, question: Universal, outcome: Decided) -> Verdict:
    """Sat where the cutoff binds: at k = 1 the document that must add nothing is out of sight."""
    if outcome.largest > 2:
        note = f"it fails from k = {outcome.largest} on; smaller cutoffs were not decided"
        return replace(verdict, verdict="unknown", note=note)
    proof = Proof("at k = 1 rank 2 is out of sight; from k = 2 on the ranking shown is seen")
    region = Region("k = 1", ("k = 1",))
    return replace(verdict, verdict="region", region=region, proof=proof, uncut="fails", note="")


def _at_cutoffs(verdict: Verdict, question: Universal, who: SymbolicMetric, outcome: Decided) -> Verdict:
    """A region found with rankings of every length, at the cutoffs at which all of them fit or are seen."""
    region, example = verdict.region, outcome.counterexample
    assert region is not None
    if isinstance(who.cutoff, int):
        own = example and score_again(who, example) if question.reading.cutoff_binds else example
        fine = own is not None and outcome.largest <= who.cutoff
        return replace(verdict, counterexample=own) if fine else replace(verdict, verdict="unknown", proof=None)
    if question.axiom.any_maximum and question.reading.cutoff_binds and outcome.largest <= 2:
        return replace(verdict, region=Region(f"k = 1 or {region.formula}", region.numbers))
    if outcome.largest <= question.least and not question.reading.cutoff_binds:
        return verdict
    return replace(verdict, verdict="unknown", region=None, proof=None, note="smaller cutoffs were not decided")


def _at_k(question: Universal, k: int) -> Verdict:
    """The verdict at one cutoff instead of every k."""
    who = question.subject
    there = replace(who, formula=who.formula.at(k), cutoff=k, name=f"{who.name.removesuffix('@k')}@{k}")
    blank = _blank(there, question.axiom, question.reading)
    return _universal(blank, there, question.axiom, question.reading, question.bounds, question.solver, Trail())


def _at_one_setting(verdict: Verdict, question: Universal) -> Verdict:
    """Where the solver cannot cope with free parameters: whether one setting breaks the constraint, each parameter at
    nine tenths of its range (or its default where the range has no end)."""
    who = question.subject
    setting = {
        p.name: exactly(p.default) if p.high == float("inf") else exactly(p.low) / 10 + exactly(p.high) * 9 / 10
        for p in who.free
    }
    there = replace(who, formula=who.at(setting), free=())
    outcome = decide_question(replace(question, subject=there, excluded={}))
    if outcome.verdict != "fails" or outcome.counterexample is None:
        return verdict
    shown = ", ".join(f"{symbol_text(name)} = {value}" for name, value in setting.items())
    note = f"at {shown}: it does not hold for all {who.box}; other settings were not decided"
    example = replace(outcome.counterexample, setting=setting)
    return replace(verdict, verdict="fails", counterexample=example, note=note)


def _try_longer(
    verdict: Verdict, who: SymbolicMetric, what: Axiom, how: Reading, outcome: Decided, solver: Solver
) -> Verdict:
    """The verdict where no lemma reaches every length: some longer rankings are tried, since they may break it."""
    setting = who.defaults if all(c.at(who.defaults) is True for c in outcome.left) else None
    tried = () if setting is None else longer_counterexamples(who, what, how, setting, solver.budget, outcome.maximum)
    some, one_maximum = None, not (what.any_maximum and how.saturation == "any")
    for case, values, found in islice(tried, 8):
        same_ideal = how.same_ideal and what.two_aspects
        one = candidate(who, case, values, solver, same_ideal=same_ideal) if who.free else None
        everywhere = one and (not one.gap.terms or solver.impossible([*outcome.left, one.spared]))
        if one_maximum and (everywhere or not who.free):
            note = f"this ranking breaks it at every setting with {who.box}" if who.free else ""
            return replace(verdict, verdict="fails", counterexample=found, proof=None, region=None, note=note)
        some = some or found
    if some is not None:
        at = {**(setting or {}), **({} if one_maximum else {"r_max": outcome.maximum})}
        note = (
            f"a longer ranking breaks it at {', '.join(f'{k} = {v}' for k, v in at.items())}; others were not decided"
        )
        return replace(verdict, verdict="unknown", counterexample=some, proof=None, region=None, note=note)
    note = "no argument for every length is known: nothing is claimed beyond these sizes"
    if verdict.region is not None:
        note = f"only where {verdict.region.formula}; {note}"
    return replace(verdict, verdict="bounded", region=None, note=note)


def _behind(blank: Verdict, who: SymbolicMetric, what: Axiom, how: Reading, outcome: Decided) -> Verdict | None:
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


def _region(outcome: Decided, who: SymbolicMetric) -> Region:
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
    blank: Verdict, who: SymbolicMetric, what: Axiom, how: Reading, bounds: Bounds, why: str, solver: Solver
) -> Verdict:
    """For a function that cannot run on symbols: a search for a ranking that breaks the constraint."""
    if what.shapes is None:
        return replace(blank, note=why)
    if what.any_maximum and how.saturation == "any":
        return replace(blank, note=f"no single ranking refutes every r_max; no proof either: {why}")
    try:
        cases = what.cases(replace(how, saturation="one"), bounds)
        found = first_counterexample(who, cases, budget=solver.budget)
    except NotExact as error:
        return replace(blank, note=str(error))
    if found is None:
        return replace(blank, note=f"no counterexample among simple rankings; no proof either: {why}")
    return replace(blank, verdict="fails", counterexample=found)
