"""The steps of a proof for every length. Each is a definition, an earlier step, a fact of the short list, or a query.

Nothing enters a step unlabelled: each premise says whether it is the range of a symbol, a premise of the constraint, a
definition, the hypothesis of the induction, or an instance of an earlier step. A certificate holds all of it as text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from diveval.axioms.arithmetic.numbers import Symbols
from diveval.axioms.arithmetic.paths import explore
from diveval.axioms.arithmetic.polynomials import Condition, Term, Truth
from diveval.axioms.proof.evidence import Step
from diveval.axioms.proof.solver import Query, Solver, smt, smt_polynomial

SYMBOLS = Symbols()
State = Mapping[str, Term]
Concluded = Sequence[Truth] | tuple[State, Sequence[Truth]]

# What no solver over the reals can be asked. The documentation lists them, and a test counts them.
FACTS = {
    "logarithm": "1/log₂ x is positive, falling and strictly convex for x > 1, and log₂ 2^m = m",
}


def symbol(name: str) -> Term:
    """A named real number."""
    return Term.symbol(name)


@dataclass(frozen=True)
class Given:
    """A premise of a step, and where it comes from."""

    truth: Truth
    source: str  # range, premise, definition, or `step NAME`
    instance: tuple[tuple[str, str], ...] = ()  # for a step: its variables and the terms put in their place


def ranges(*truths: Truth) -> list[Given]:
    """The admissible values of symbols: parameters, relevance, weights of ranks and aspects."""
    return [Given(truth, "range") for truth in truths]


def premises(*truths: Truth) -> list[Given]:
    """What the constraint itself assumes."""
    return [Given(truth, "premise") for truth in truths]


def definitions(*truths: Truth) -> list[Given]:
    """Names for expressions: each fixes one symbol that occurs nowhere before."""
    return [Given(truth, "definition") for truth in truths]


@dataclass(frozen=True)
class Checked:
    """One way through a claim: the comparisons that lead there, what it concludes, and a query for each conclusion."""

    conditions: tuple[str, ...]
    concludes: tuple[str, ...]
    queries: tuple[Query, ...]
    next: tuple[tuple[str, str], ...] = ()  # in an induction, the state behind


@dataclass(frozen=True)
class StepRecord:
    """A step as a certificate holds it."""

    name: str
    claim: str
    kind: str  # claim, induction, exact, fact
    given: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = ()  # formula, source, instance
    ways: tuple[Checked, ...] = ()
    variables: tuple[str, ...] = ()
    invariant: tuple[str, ...] = ()
    start: tuple[Checked, ...] = ()
    first: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = ()


@dataclass
class Ledger:
    """Claims that were checked, one by one; `sound` is False as soon as one was not proved."""

    solver: Solver
    steps: list[Step] = field(default_factory=list)
    records: list[StepRecord] = field(default_factory=list)
    sound: bool = True
    _invariants: dict[str, Callable[[State], Sequence[Truth]]] = field(default_factory=dict)

    def claim(self, name: str, text: str, given: Sequence[Given], conclude: Callable[[], Concluded]) -> None:
        """Have the solver check that everything the function returns follows, on each of its paths.

        It may return names for terms first, so that a later step can cite `gain > 0` instead of the whole expression.
        """
        self._possible(given)
        held = [one.truth for one in given]
        ways = []
        for path in explore(conclude, self.solver, held):
            names, truths = path.result if isinstance(path.result, tuple) else ({}, path.result)
            ways.append(self._way(held, path.conditions, truths, names))
        self._note(StepRecord(name, text, "claim", _written(given), tuple(ways)), "solver", given)

    def induction(
        self,
        name: str,
        text: str,
        *,
        begin: State | Callable[[], State],
        after: Callable[[State], State],
        invariant: Callable[[State], Sequence[Truth]],
        given: Sequence[Given] = (),
        first: Sequence[Given] = (),
        variables: Sequence[str] = (),
    ) -> None:
        """What holds of a state at the start (given `first`) and is kept by each further element holds of all states.

        A start that compares symbols is a function, and `variables` names its parts.
        """
        self._possible(first)
        state = {variable: symbol(variable) for variable in (variables or begin)}  # type: ignore[union-attr]
        opening = [one.truth for one in first]

        def opened() -> tuple[State, list[Truth]]:
            at_start = begin() if callable(begin) else begin
            return at_start, list(invariant(at_start))

        start = [
            self._way(opening, path.conditions, path.result[1], path.result[0])
            for path in explore(opened, self.solver, opening)
        ]
        hypothesis = [truth for truth in invariant(state) if truth is not True]
        held = [*(one.truth for one in given), *hypothesis]
        self._possible([*given, *(Given(truth, "hypothesis") for truth in hypothesis)])

        def step() -> tuple[State, list[Truth]]:
            behind = after(state)
            return behind, list(invariant(behind))

        ways = []
        for path in explore(step, self.solver, held):
            behind, kept = path.result
            ways.append(self._way(held, path.conditions, kept, behind))
        record = StepRecord(
            name,
            text,
            "induction",
            _written(given),
            tuple(ways),
            tuple(state),
            _texts(hypothesis),
            tuple(start),
            _written(first),
        )
        self._invariants[name] = invariant
        self._note(record, "induction", [*given, *first])

    def known(self, name: str, state: State) -> list[Given]:
        """An earlier induction's invariant of some state."""
        variables = next(record.variables for record in self.records if record.name == name)
        instance = _terms(dict(zip(variables, state.values(), strict=True)))
        return [Given(truth, f"step {name}", instance) for truth in self._invariants[name](state) if truth is not True]

    def cite(self, name: str, *truths: Truth, instance: State | None = None) -> list[Given]:
        """Conclusions of an earlier claim, with `instance` in place of its symbols."""
        terms = _terms(instance or {})
        return [Given(truth, f"step {name}", terms) for truth in truths if truth is not True]

    def exact(self, name: str, text: str, truth: bool) -> None:
        """A statement about rationals (or certified logarithms) without symbols, decided by arithmetic."""
        self.sound = self.sound and truth is True
        self._note(StepRecord(name, text, "exact"), "exact", ())

    def fact(self, name: str) -> None:
        """One of the facts that no solver can be asked."""
        self._note(StepRecord(name, FACTS[name], "fact"), "analysis", ())

    def defined(self, name: str, text: str) -> None:
        """How two things are the same by definition, for the reader."""
        self._note(StepRecord(name, text, "definition"), "definition", ())

    def _possible(self, given: Sequence[Given]) -> None:
        """Premises that contradict each other would prove anything: that is no proof."""
        if any(one.truth is False for one in given) or self.solver.impossible([one.truth for one in given]):
            self.sound = False

    def _way(
        self,
        held: Sequence[Truth],
        conditions: Sequence[Condition],
        concluded: Sequence[Truth],
        behind: State | None = None,
    ) -> Checked:
        queries = []
        for truth in concluded:
            refuted = (not truth) if isinstance(truth, bool) else truth.negated()
            text, _ = self.solver.written([*held, *conditions, refuted])
            proved = self.solver.impossible([*held, *conditions, refuted])
            self.sound = self.sound and proved
            queries.append(Query(text if text is not None else "(assert false)\n", "unsat" if proved else "unknown"))
        return Checked(_texts(conditions), _texts(concluded), tuple(queries), () if behind is None else _terms(behind))

    def _note(self, record: StepRecord, by: str, given: Sequence[Given]) -> None:
        rests = tuple(dict.fromkeys(one.source[5:] for one in given if one.source.startswith("step ")))
        invariant = tuple(str(truth) for truth in self._shown(record)) if record.kind == "induction" else ()
        self.steps.append(Step(record.claim, by, record.name, rests, invariant))
        self.records.append(record)

    def _shown(self, record: StepRecord) -> list[Truth]:
        state = {variable: symbol(variable) for variable in record.variables}
        return [truth for truth in self._invariants[record.name](state) if truth is not True]


def text_of(truth: Truth) -> str:
    """A condition in SMT-LIB."""
    return ("true" if truth else "false") if isinstance(truth, bool) else smt(truth)


def term_text(term: Any) -> str:
    """A term in SMT-LIB."""
    value = Term.of(term)
    top = smt_polynomial(value.num)
    return top if value.den.value == 1 else f"(/ {top} {smt_polynomial(value.den)})"


def _texts(truths: Sequence[Truth]) -> tuple[str, ...]:
    return tuple(text_of(truth) for truth in truths)


def _terms(state: State) -> tuple[tuple[str, str], ...]:
    return tuple((name, term_text(value)) for name, value in state.items())


def _written(given: Sequence[Given]) -> tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]:
    return tuple((text_of(one.truth), one.source, one.instance) for one in given)
