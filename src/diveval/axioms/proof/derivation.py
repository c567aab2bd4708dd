"""The steps of a proof for every length. Each is a definition, an earlier step, a fact of the short list, or a query.

Every premise of a step has a label: the range of a symbol, a premise of the constraint, a definition, the hypothesis of
the induction, or an instance of an earlier step. A certificate holds all of it as text, and its checker refuses a premise
without a valid label; that is what keeps a proof from assuming what it should show.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from diveval.axioms.proof.solver import Solver, opposite, smt, smt_term
from diveval.axioms.proof.verdicts import Proof, Step
from diveval.exact.paths import explore
from diveval.exact.polynomials import Term, Truth
from diveval.exact.symbols import Symbols

SYMBOLS = Symbols()
State = Mapping[str, Term]
Invariant = Callable[[State], Sequence[Truth]]
Concluded = Sequence[Truth] | tuple[State, Sequence[Truth]]

# What no solver over the reals can be asked. The documentation lists them, and a test counts them.
FACTS = {"logarithm": "1/log₂ x is positive, falling and strictly convex for x > 1, and log₂ 2^m = m"}


def symbol(name: str) -> Term:
    """A named real number."""
    return Term.symbol(name)


@dataclass(frozen=True)
class Given:
    """A premise of a step, and where it comes from."""

    truth: Truth
    source: str  # range, premise, definition, or `step NAME`
    instance: Mapping[str, str] = field(
        default_factory=dict
    )  # for a step: its variables and the terms put in their place


def ranges(*truths: Truth) -> list[Given]:
    """The admissible values of symbols: parameters, relevance, weights of ranks and aspects."""
    return [Given(truth, "range") for truth in truths]


def premises(*truths: Truth) -> list[Given]:
    """What the constraint itself assumes."""
    return [Given(truth, "premise") for truth in truths]


def definitions(*truths: Truth) -> list[Given]:
    """Names for expressions: each fixes one symbol that occurs nowhere before."""
    return [Given(truth, "definition") for truth in truths]


# How a step of each kind was checked, as printed in a proof.
_BY = {"claim": "solver", "induction": "induction", "exact": "exact", "fact": "analysis"}


@dataclass
class Derivation:
    """Claims that were checked, one by one; `sound` is False as soon as one was not proved."""

    solver: Solver
    steps: list[Step] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)  # the steps as a certificate holds them
    sound: bool = True
    _inductions: dict[str, tuple[Sequence[str], Invariant]] = field(default_factory=dict)

    def claim(self, name: str, text: str, given: Sequence[Given], conclude: Callable[[], Concluded]) -> None:
        """Have the solver check that everything the function returns follows, on each of its paths.

        It may return names for terms first, so that a later step can cite `gain > 0` instead of the whole expression.
        """
        self._possible(given)
        ways = self._ways([one.truth for one in given], conclude)
        self._note(name, text, "claim", given, ways)

    def induction(
        self,
        name: str,
        text: str,
        *,
        begin: State | Callable[[], State],
        after: Callable[[State], State],
        invariant: Invariant,
        given: Sequence[Given] = (),
        first: Sequence[Given] = (),
        variables: Sequence[str] = (),
    ) -> None:
        """What holds of a state at the start (given `first`) and is kept by each further element holds of all states.

        A start that compares symbols is a function, and `variables` names its parts.
        """
        self._possible(first)
        variables = tuple(variables or begin)  # type: ignore[arg-type]
        state = {variable: symbol(variable) for variable in variables}

        def open_state() -> tuple[State, Sequence[Truth]]:
            at_start = begin() if callable(begin) else begin
            return at_start, invariant(at_start)

        def step() -> tuple[State, Sequence[Truth]]:
            behind = after(state)
            return behind, invariant(behind)

        start = self._ways([one.truth for one in first], open_state)
        hypothesis = [truth for truth in invariant(state) if truth is not True]
        self._possible([*given, *(Given(truth, "hypothesis") for truth in hypothesis)])
        ways = self._ways([*(one.truth for one in given), *hypothesis], step)
        self._inductions[name] = variables, invariant
        self._note(name, text, "induction", given, ways, variables, hypothesis, start, first)

    def recall_invariant(self, name: str, state: State) -> list[Given]:
        """An earlier induction's invariant of some state."""
        variables, invariant = self._inductions[name]
        instance = _terms(dict(zip(variables, state.values(), strict=True)))
        return [Given(truth, f"step {name}", instance) for truth in invariant(state) if truth is not True]

    def cite(self, name: str, *truths: Truth, instance: State | None = None) -> list[Given]:
        """Conclusions of an earlier claim, with `instance` in place of its symbols."""
        terms = _terms(instance or {})
        return [Given(truth, f"step {name}", terms) for truth in truths if truth is not True]

    def exact(self, name: str, text: str, truth: bool) -> None:
        """A statement about rationals (or certified logarithms) without symbols, decided by arithmetic."""
        self.sound = self.sound and truth is True
        self._note(name, text, "exact")

    def fact(self, name: str) -> None:
        """One of the facts that no solver can be asked."""
        self._note(name, FACTS[name], "fact")

    def proof(self, bound: str, witness: str = "") -> Proof:
        """The steps as a proof for every length."""
        return Proof(bound, tuple(self.steps), True, witness)

    def _possible(self, given: Sequence[Given]) -> None:
        """Reject premises that contradict each other: anything would follow from them."""
        if any(one.truth is False for one in given) or self.solver.impossible([one.truth for one in given]):
            self.sound = False

    def _ways(self, held: Sequence[Truth], conclude: Callable[[], Concluded]) -> list[dict[str, Any]]:
        """Each way through a claim: the comparisons that lead there, what it concludes, the names it gives to terms (in
        an induction, the state behind), and a query for each conclusion."""
        ways = []
        for path in explore(conclude, self.solver, held):
            names, truths = path.result if isinstance(path.result, tuple) else ({}, path.result)
            queries = []
            for truth in truths:
                refuted = [*held, *path.conditions, opposite(truth)]
                queries.append(self.solver.query(refuted))
                self.sound = self.solver.impossible(refuted) and self.sound
            conditions, concludes = [smt(one) for one in path.conditions], [smt(one) for one in truths]
            ways.append({"conditions": conditions, "concludes": concludes, "names": _terms(names), "queries": queries})
        return ways

    def _note(
        self,
        name: str,
        claim: str,
        kind: str,
        given: Sequence[Given] = (),
        ways: Sequence[Any] = (),
        variables: Sequence[str] = (),
        hypothesis: Sequence[Truth] = (),
        start: Sequence[Any] = (),
        first: Sequence[Given] = (),
    ) -> None:
        rests = dict.fromkeys(one.source[5:] for one in [*given, *first] if one.source.startswith("step "))
        self.steps.append(Step(claim, _BY[kind], name, tuple(rests), tuple(map(str, hypothesis))))
        self.records.append(
            {
                "name": name,
                "claim": claim,
                "kind": kind,
                "given": _describe_premises(given),
                "ways": ways,
                "variables": variables,
                "invariant": [smt(truth) for truth in hypothesis],
                "start": start,
                "first": _describe_premises(first),
            }
        )


def _terms(state: State) -> dict[str, str]:
    return {name: smt_term(value) for name, value in state.items()}


def _describe_premises(given: Sequence[Given]) -> list[dict[str, Any]]:
    return [{"formula": smt(one.truth), "from": one.source, "instance": one.instance} for one in given]
