"""Readable counterexamples: simple values are tried in each shape, and a violation is confirmed by exact scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, islice, product
from random import Random

from diveval.axioms.proof.budget import Budget
from diveval.axioms.proof.solver import Solver
from diveval.axioms.proof.subjects import (
    SymbolicMetric,
    exact_score,
    float_score,
    symbolic_difference,
)
from diveval.axioms.proof.verdicts import Counterexample, Rows, write_scores
from diveval.axioms.specification.constraints import Axiom
from diveval.axioms.specification.readings import Reading
from diveval.axioms.specification.shapes import OTHER, Case, Pair, T
from diveval.exact.logs import TINY, certify_sign, is_ideal, is_log, is_rank, leading
from diveval.exact.paths import NotRepeatable, explore
from diveval.exact.polynomials import Condition, Poly, Term
from diveval.metrics.formulas import Formula

F = Fraction
_EPS = Term.symbol(TINY)


def _terms(*values: Fraction | Term) -> tuple[Term, ...]:
    return tuple(Term.of(value) for value in values)


# Tried in this order. The infinitesimal stands for "small enough"; a concrete small value is put in afterwards.
GRID = _terms(F(1, 2), F(1, 4), F(3, 4), F(0), F(1), F(1, 8), _EPS, F(1, 2) - _EPS)
FILLERS = _terms(F(0), F(1, 2), F(1, 4), F(3, 4), F(1), _EPS)
WEIGHTS = _terms(F(1, 4), F(1, 2) - _EPS, F(1, 2), F(1, 3))
SMALL = (F(1, 10), F(1, 100), F(1, 1000), F(1, 10**6))
MOST_TRIED = 4000
CLEAR = 1e-9  # how far apart two scores in doubles must be to count as different


@dataclass(frozen=True)
class Candidate:
    """Values for the symbols of a case, and the polynomial in the parameters whose sign says whether they break the constraint."""

    values: Mapping[str, Term]
    gap: Poly  # Q(better) − Q(worse), up to positive factors, for a small enough infinitesimal
    strict: bool

    @property
    def small(self) -> bool:
        """Whether a value is infinitesimal."""
        return _infinitesimal(self.values)

    def find_when_broken(self) -> str:
        """The relation of the gap to 0 that breaks the constraint."""
        return "<=" if self.strict and not self.small else "<"

    @property
    def spared(self) -> Condition:
        """The parameters for which these values do not break it."""
        return Condition(self.gap, self.find_when_broken()).negate()

    def breaks_at(self, setting: Mapping[str, Fraction]) -> bool:
        sign = certify_sign(self.gap.at(setting).terms)
        tie = self.strict and (not self.gap.terms or self.find_when_broken() == "<=")
        return sign is not None and (sign < 0 or (sign == 0 and tie))


def _infinitesimal(values: Mapping[str, Term]) -> bool:
    """Whether a value is infinitesimal, or differs from a number by so much."""
    return any(TINY in value.num.symbols for value in values.values())


def assignments(case: Case) -> Iterator[dict[str, Term]]:
    """Simple values for the symbols of a case; the values of documents that only fill ranks vary last."""
    names = [name for name in case.symbols if name not in case.fillers]
    grids = [WEIGHTS if name[0] == "w" else GRID for name in names]
    fillings: Iterable[Sequence[Term]] = product(FILLERS, repeat=len(case.fillers))
    if len(case.symbols) > 4:
        # MRed wants every document before to be more about t: its fillers t1, t2, … get more than u1, u2, …
        fillings = ([one / 2 if name[0] == "u" else one for name in case.fillers] for one in FILLERS)
    for filled in fillings:
        for chosen in product(*grids):
            yield dict(zip([*names, *case.fillers], [*chosen, *filled], strict=True))


def candidates(
    subject: SymbolicMetric,
    case: Case,
    solver: Solver,
    *,
    same_ideal: bool,
    extra: Mapping[str, Term],
    model: Mapping[str, Fraction] | None = None,
) -> Iterator[Candidate]:
    """Every simple instance of a case that satisfies its premises, with its gap over the free parameters.

    The solver's own model comes last: it breaks the constraint where no simple value does.
    """
    solved = {name: Term.of(value) for name, value in (model or {}).items() if name in case.symbols}
    last = [solved] if len(solved) == len(case.symbols) else []
    for values in chain(islice(assignments(case), MOST_TRIED), last):
        found = candidate(subject, case, {**values, **extra}, solver, same_ideal=same_ideal)
        if found is not None:
            yield found


def candidate(
    subject: SymbolicMetric, case: Case, values: Mapping[str, Term], solver: Solver, *, same_ideal: bool
) -> Candidate | None:
    """One instance of a case, if it satisfies the premises and the metric has a single path through it."""
    pair = case.build(values)
    if not all(premise is True for premise in pair.premises):
        return None
    formula = subject.visible(subject.formula, pair)
    paths = list(islice(explore(lambda: symbolic_difference(formula, pair, same_ideal=same_ideal), solver), 2))
    if len(paths) != 1:
        return None
    gap = paths[0].result.signed()
    gap = Poly(leading(gap.terms)) if TINY in gap.symbols else gap
    return Candidate(values, simplify(gap, subject), pair.strict)


def simplify(poly: Poly, subject: SymbolicMetric) -> Poly:
    """The polynomial without factors that are positive for all admissible parameters."""
    for parameter in subject.free:
        if (parameter.low, parameter.high) == (0, 1):
            poly = poly.without_complement(parameter.name)
    return poly.without_positive_factors(positive)


def positive(name: str) -> bool:
    """Whether a symbol is always positive, so that dividing by it never changes a sign."""
    return name in ("p", "r") or is_ideal(name) or is_log(name) or is_rank(name)


# --- from a candidate to two concrete rankings ----------------------------------------------------------------------


def concrete(
    subject: SymbolicMetric,
    case: Case,
    values: Mapping[str, Term],
    setting: Mapping[str, Fraction],
    *,
    same_ideal: bool = False,
    judged: Sequence[tuple[Fraction, ...]] = (),
) -> Counterexample | None:
    """The candidate with numbers everywhere, scored in exact fractions with real ideals; None if it does not break."""
    for small in SMALL if _infinitesimal(values) else SMALL[:1]:
        numbers = {TINY: small, **setting}
        fixed = {name: value.at(numbers) for name, value in values.items()}
        pair = case.build(fixed)
        if not all(premise is True for premise in pair.premises):
            continue
        # Last, where other documents were judged: those at hand and those.
        others = [tuple(row for row in (*_numbers(pair.pool), *judged) if any(row))] if judged else []
        for pool in [*pools(subject, pair, same_ideal=same_ideal), *others]:
            found = _score_pair(subject, case, pair, pool, setting)
            if found is not None:
                return found
    return None


def _score_pair(
    subject: SymbolicMetric, case: Case, pair: Pair, pool: Rows, setting: Mapping[str, Fraction]
) -> Counterexample | None:
    formula = subject.visible(subject.at(setting), pair)
    better, worse, weights = _numbers(pair.better), _numbers(pair.worse), _numbers([pair.weights])[0]
    if formula.is_function and _clearly_better(formula, better, worse, weights, pool):
        return None
    first, second = (exact_score(formula, rows, weights, pool) for rows in (better, worse))
    difference = Term.of(first) - Term.of(second)
    if (difference <= 0 if pair.strict else difference < 0) is not True:
        return None
    texts, decimals = write_scores(first, second)
    shown = {name: value for name, value in setting.items() if name in subject.defaults}
    return Counterexample(case.label, better, worse, weights, pool, shown, formula.cutoff, pair.strict, texts, decimals)


def score_again(subject: SymbolicMetric, found: Counterexample) -> Counterexample | None:
    """A counterexample with the scores of the metric at its own cutoff; None if it does not break it there."""
    formula = subject.at({**subject.defaults, **found.setting})
    first, second = (exact_score(formula, rows, found.weights, found.pool) for rows in (found.better, found.worse))
    difference = Term.of(first) - Term.of(second)
    if (difference <= 0 if found.strict else difference < 0) is not True:
        return None
    texts, decimals = write_scores(first, second)
    return replace(found, cutoff=formula.cutoff, scores=texts, decimals=decimals)


def _clearly_better(formula: Formula, better: Rows, worse: Rows, weights: Sequence[Fraction], pool: Rows) -> bool:
    """Whether doubles clearly satisfy the constraint, so that the function need not run on exact terms.

    This only shortens a search for counterexamples: every claim rests on exact numbers.
    """
    try:
        first, second = (float_score(formula, rows, weights, pool) for rows in (better, worse))
    except NotRepeatable:
        raise
    except Exception:  # noqa: BLE001 - whatever a user's function raises for doubles, exact numbers decide
        return False
    return first - second > CLEAR * max(1.0, abs(first), abs(second))


def _numbers(rows: Sequence[Sequence[Term]]) -> Rows:
    def number(term: Term) -> Fraction:
        value = term.num.value
        assert value is not None, f"{term} still has symbols"
        return value

    return tuple(tuple(number(term) for term in row) for row in rows)


def pools(subject: SymbolicMetric, pair: Pair, *, same_ideal: bool) -> Iterator[Rows]:
    """Judgments to try: the documents at hand; with each document's mirror image, so that t and t' have the same
    ideal; with more documents about t' than the rankings show."""
    documents = tuple(row for row in _numbers(pair.pool) if any(row))
    aspects = len(pair.weights)
    if not subject.formula.normalised_per_aspect or aspects == 1:
        yield documents
        return
    mirrored = (((row[OTHER], row[T], *row[2:]), row) for row in documents)
    yield documents + tuple(mirror for mirror, row in mirrored if mirror != row)
    if not same_ideal:
        yield documents
        for more in range(1, 4):
            yield documents + tuple(tuple(F(1) if t == OTHER else F(0) for t in range(aspects)) for _ in range(more))


def first_counterexample(
    subject: SymbolicMetric, cases: Sequence[Case], *, tries: int = MOST_TRIED, budget: Budget | None = None
) -> Counterexample | None:
    """The smallest broken instance at the subject's own (or default) parameters, by exact scoring alone."""
    for case in cases:
        for values in islice(assignments(case), tries):
            if budget is not None and budget.left <= 0:
                return None
            if _infinitesimal(values):
                continue
            found = concrete(subject, case, values, subject.defaults)
            if found is not None:
                return found
    return None


LONGER = 400  # random longer rankings tried against a claim that is proved up to a bound only


def longer_counterexamples(
    subject: SymbolicMetric,
    axiom: Axiom,
    reading: Reading,
    setting: Mapping[str, Fraction],
    budget: Budget,
    maximum: Fraction,
) -> Iterator[tuple[Case, Mapping[str, Term], Counterexample]]:
    """Rankings beyond the solver's bound: up to 14 documents and four aspects, at random but always the same ones."""
    if axiom.longer is None:
        return
    source = Random(f"{axiom.name} {reading.name}")  # noqa: S311 # examples, no secrets
    cutoff = subject.cutoff if isinstance(subject.cutoff, int) and not reading.cutoff_binds else None
    for _ in range(LONGER):
        if budget.left <= 0:
            return
        case = axiom.longer(source, reading)
        if cutoff is not None and case.documents > cutoff:
            continue
        for drawn in _random_values(case, source):
            values = {**drawn, "rmax": Term.of(maximum)}
            found = concrete(subject, case, values, setting, same_ideal=reading.same_ideal and axiom.two_aspects)
            if found is not None:
                yield case, values, found


def _random_values(case: Case, source: Random) -> Iterator[dict[str, Term]]:
    """Values that meet the premises more often than not: large ones, and the same divided by the length."""
    weights = [name for name in case.symbols if name[0] == "w"]
    values = {name: F(source.randrange(0, 21), 20) for name in case.symbols}
    shares = [source.randrange(1, 20) for _ in range(len(weights) + 1)]
    values.update({name: F(share, sum(shares)) for name, share in zip(weights, shares, strict=False)})
    for pair in (("x", "y"), *((f"x{t}", f"y{t}") for t in range(4)), *((f"u{i}", f"t{i}") for i in range(1, 14))):
        if pair[0] in values and values[pair[0]] > values[pair[1]]:
            values[pair[0]], values[pair[1]] = values[pair[1]], values[pair[0]]
    for divisor in (1, case.documents + 1):
        yield {name: Term.of(v if name in weights else v / divisor) for name, v in values.items()}


def behind_cutoff(subject: SymbolicMetric, build: Callable[[int], Case], cutoff: int) -> Counterexample | None:
    """A counterexample in which only documents behind rank k differ, which the metric does not see."""
    cut = replace(subject, formula=subject.formula.at(cutoff), cutoff=cutoff)
    return first_counterexample(cut, [build(cutoff)], tries=200)
