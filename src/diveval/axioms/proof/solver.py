"""Queries to z3 over the reals, with a time limit; the facts about each symbol are added to them.

A query is SMT-LIB 2 text, so that a certificate can hand it to any other solver.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any, Literal

from diveval.axioms.proof.budget import Budget
from diveval.errors import need
from diveval.exact.logs import enclosure, is_log, is_rank
from diveval.exact.polynomials import Condition, Monomial, Poly, Term, Truth

Answer = Literal["sat", "unsat", "unknown"]
ENOUGH = 0.9  # the share of a time limit from which on it counts as used
LONGEST = 30  # times its limit, by the clock, that a query may take on a busy machine
_LOG_STEP = 10**9  # bounds for logarithms are rounded outwards to this: a narrower interval only slows the solver


@dataclass
class Solver:
    """Asks whether conditions can hold together. `facts` says what is known of a symbol, e.g. 0 < p < 1."""

    facts: Mapping[str, Sequence[Condition]] = field(default_factory=dict)
    seconds: float = 5.0  # per query
    budget: Budget = field(default_factory=Budget)  # for all queries together
    timeouts: int = 0
    late: bool = False  # whether time, not the solver, ended a query: more of it might change the answer
    journal: list[str] | None = None  # where a certificate is made: every query with the answer unsat

    def ask(self, conditions: Iterable[Truth | Any]) -> tuple[Answer, dict[str, Fraction]]:
        """sat with a model (rational; irrational values are approximated), unsat, or unknown."""
        allowed = min(self.seconds, self.budget.left)
        if allowed <= 0:
            self.timeouts, self.late = self.timeouts + 1, True
            return "unknown", {}
        held = self._collect(conditions)
        if held is None:
            return "unsat", {}
        question, started = _text(held), time.thread_time()
        answer, model = answer_query(question, held, allowed)
        if answer == "unknown":
            self.timeouts, self.late = self.timeouts + 1, self.late or time.thread_time() - started >= ENOUGH * allowed
        if self.journal is not None and answer == "unsat":
            self.journal.append(question)
        return answer, model

    def _collect(self, conditions: Iterable[Truth | Any]) -> dict[Condition, None] | None:
        """The conditions with the facts about their symbols, each once, in order; None where one is plainly false."""
        names: set[str] = set()
        held: dict[Condition, None] = {}
        for condition in conditions:
            if condition is False:
                return None
            if condition is not True:
                names |= condition.poly.symbols
                held[condition] = None
        held.update(dict.fromkeys(self.list_facts(names)))
        return held

    def query(self, conditions: Iterable[Truth | Any]) -> str:
        """The question as a certificate holds it."""
        held = self._collect(conditions)
        return "(assert false)\n" if held is None else _text(held)

    def impossible(self, conditions: Iterable[Truth | Any]) -> bool:
        """True only when the solver has proved that the conditions cannot hold together."""
        return self.ask(conditions)[0] == "unsat"

    def proves(self, claim: Truth, given: Iterable[Truth | Any]) -> bool:
        """True only when the claim follows."""
        return self.impossible([*given, opposite(claim)])

    def list_facts(self, names: Iterable[str]) -> list[Condition]:
        """The facts about these symbols: bounds of logarithms, order of rank weights, ranges of parameters."""
        out: list[Condition] = []
        ranks = []
        for name in sorted(names):
            if is_log(name):
                out += _log_bounds(name)
            elif is_rank(name):
                ranks.append(int(name[1:]))
            else:
                out += self.facts.get(name, ())
        return [*out, *(falling_and_convex(min(ranks), max(ranks)) if ranks else ())]


@cache
def _log_bounds(name: str) -> tuple[Condition, ...]:
    low, high = enclosure(int(name[1:]))
    below = Fraction(int(low * _LOG_STEP), _LOG_STEP)
    above = Fraction(int(high * _LOG_STEP) + 1, _LOG_STEP)
    symbol = Poly.symbol(name)
    return Condition(Poly.constant(below) - symbol, "<="), Condition(symbol - Poly.constant(above), "<=")


@cache
def falling_and_convex(first: int, last: int) -> tuple[Condition, ...]:
    """D1 > D2 > … > 0 with falling steps: what the logarithmic, the reciprocal and the geometric discount share."""
    d = [Poly.symbol(f"D{i}") for i in range(first, last + 1)]
    falling = [Condition(b - a, "<") for a, b in pairwise(d)]
    convex = [Condition(b + b - a - c, "<") for a, b, c in zip(d, d[1:], d[2:], strict=False)]
    return Condition(-d[-1], "<"), *falling, *convex


def _names(held: Iterable[Condition]) -> set[str]:
    return {name for condition in held for name in condition.poly.symbols}


def _text(held: Iterable[Condition]) -> str:
    """Conditions as a question in SMT-LIB."""
    declared = "".join(f"(declare-const {name} Real)\n" for name in sorted(_names(held)))
    return declared + "".join(f"(assert {smt(condition)})\n" for condition in held)


_RELATIONS = {"<": "(< {} 0)", "<=": "(<= {} 0)", "==": "(= {} 0)", "!=": "(not (= {} 0))"}


def opposite(truth: Truth) -> Truth:
    """The negation."""
    return (not truth) if isinstance(truth, bool) else truth.negate()


def smt(truth: Truth) -> str:
    """A condition in SMT-LIB."""
    if isinstance(truth, bool):
        return "true" if truth else "false"
    if truth.smt is None:  # premises occur in every query of a shape
        truth.smt = _RELATIONS[truth.op].format(smt_polynomial(truth.poly))
    return truth.smt


def smt_term(value: Any) -> str:
    """A term in SMT-LIB."""
    term = Term.of(value)
    top = smt_polynomial(term.num)
    return top if term.den.value == 1 else f"(/ {top} {smt_polynomial(term.den)})"


def smt_polynomial(poly: Poly) -> str:
    """A polynomial in SMT-LIB."""
    pieces = []
    for monomial, coefficient in poly.terms.items():
        factors = [name for name, power in monomial for _ in range(power)]
        if coefficient != 1 or not factors:
            factors.append(_rational(coefficient))
        pieces.append(factors[0] if len(factors) == 1 else f"(* {' '.join(factors)})")
    return pieces[0] if len(pieces) == 1 else f"(+ {' '.join(pieces)})" if pieces else "0.0"


def _rational(value: Fraction | int) -> str:
    size = f"(/ {abs(value.numerator)}.0 {value.denominator}.0)"
    return size if value >= 0 else f"(- {size})"


_local = threading.local()  # a context of z3 for each thread, and its solvers
MOST_REMEMBERED = 20_000  # questions with their answers, a kilobyte each
MOST_DEGREE = 200  # z3 looks at its clock only between operations, each of which takes minutes beyond this
_remembered: dict[str, tuple[Answer, dict[str, Fraction]]] = {}


def answer_query(question: str, held: Iterable[Condition], seconds: float) -> tuple[Answer, dict[str, Fraction]]:
    """The answer to a question: remembered, seen from signs alone, or from z3.

    Cells of one metric ask much the same, so answers are remembered; an `unknown` is not, since more time may change it.
    """
    known = _remembered.get(question)
    if known is None:
        if contradictory(held):
            known = "unsat", {}
        elif any(_degree(condition.poly) > MOST_DEGREE for condition in held):
            known = "unknown", {}
        else:
            known = _ask_z3(question, _names(held), seconds)
        if known[0] != "unknown":
            if len(_remembered) >= MOST_REMEMBERED:
                _remembered.clear()
            _remembered[question] = known
    return known[0], dict(known[1])


def _degree(poly: Poly) -> int:
    """The highest total degree of its terms."""
    return max((sum(power for _, power in monomial) for monomial in poly.terms), default=0)


def contradictory(held: Iterable[Condition]) -> bool:
    """Whether signs alone exclude the conditions: one says that a sum of non-negative terms is negative.

    A third of all questions are of this kind, and z3 takes twenty times as long to see it. Only True says something.
    """
    conditions = list(held)
    signs: dict[str, bool] = {}  # symbols that cannot be negative; True where they cannot be 0 either

    def positive(m: Monomial) -> bool | None:
        """True where a product is above 0, False where it is at least 0, None where nothing is known."""
        known = [signs.get(name) for name, _ in m]
        return None if None in known else all(known)

    while True:
        before = dict(signs)
        for condition in conditions:
            if condition.op == "!=":
                continue
            added = [positive(m) for m, c in condition.poly.terms.items() if c > 0]
            if None in added:
                continue
            above = any(added)  # the terms that are added are together above 0, or at least not below
            taken = [m for m, c in condition.poly.terms.items() if c < 0]
            if not taken and (above or condition.op == "<"):
                return True
            if len(taken) == 1 and len(taken[0]) == 1 and taken[0][0][1] == 1:  # a single symbol is at least as large
                name = taken[0][0][0]
                signs[name] = signs.get(name, False) or above or condition.op == "<"
        if signs == before:
            return False


def _ask_z3(question: str, names: Iterable[str], seconds: float) -> tuple[Answer, dict[str, Fraction]]:
    """What z3 says to a question in SMT-LIB; to build the same terms from Python would take ten times as long.

    nlsat alone answers nearly everything in half the time; what it leaves open goes to all that z3 has for QF_NRA.
    """
    z3 = need("z3", "axioms")
    for kind in ("nlsat", "all"):
        answer, solver = _check(question, kind, seconds / 2, z3)
        if answer != "unknown":
            break
    return answer, _model(solver.model(), names, z3, _local.context) if answer == "sat" else {}


def _check(question: str, kind: str, seconds: float, z3: Any) -> tuple[Answer, Any]:
    """The answer of one solver within so much CPU time, and the solver.

    z3 knows only the clock, and on a busy machine a second of it is less of CPU time. Where the clock ended a query
    before its time was used, it is asked once more with a limit that makes up for it.
    """
    limit = seconds
    for attempt in range(2):
        solver = _solver(kind, max(1, int(limit * 1000)), z3)
        solver.from_string(question)
        clock, used = time.monotonic(), time.thread_time()
        answer: Answer = str(solver.check())  # type: ignore[assignment]
        if answer != "unknown":
            break
        _local.solvers.clear()  # one that was stopped is not asked again
        clock, used = time.monotonic() - clock, time.thread_time() - used
        if attempt or used >= ENOUGH * seconds or clock < ENOUGH * limit:  # its time is used, or it gave up by itself
            break
        limit = min(2 * seconds * clock / max(used, 1e-3), LONGEST * seconds)
    return answer, solver


def _solver(kind: str, milliseconds: int, z3: Any) -> Any:
    """A solver without assertions, reused: to make one, or to set its time limit, takes longer than most queries."""
    if not hasattr(_local, "context"):  # z3 crashes where threads share a context
        _local.context, _local.solvers = z3.Context(), {}
    context, solvers = _local.context, _local.solvers
    if kind not in solvers:
        made = (
            z3.Tactic("qfnra-nlsat", ctx=context).solver() if kind == "nlsat" else z3.SolverFor("QF_NRA", ctx=context)
        )
        solvers[kind] = made, 0
    solver, allowed = solvers[kind]
    if allowed != milliseconds:
        solver.set("timeout", milliseconds)
        solvers[kind] = solver, milliseconds
    solver.reset()
    return solver


def _model(model: Any, names: Iterable[str], z3: Any, context: Any) -> dict[str, Fraction]:
    out = {}
    for name in names:
        value = model.eval(z3.Real(name, context), model_completion=True)
        if z3.is_algebraic_value(value):
            value = value.approx(20)
        out[name] = Fraction(value.numerator_as_long(), value.denominator_as_long())
    return out
