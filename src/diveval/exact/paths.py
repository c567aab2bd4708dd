"""Symbolic execution of a metric: a comparison of symbols forks the run, and every possible answer is followed.

Each path runs the whole function again with the answers given so far as a script, so a function with ifs, max and sorted
needs no rewriting. Forks are kept with whether both sides are possible, so that a certificate can show that no case was
left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from diveval.exact.logs import TINY, leading
from diveval.exact.polynomials import Condition, Poly, Truth, settle
from diveval.exact.value_only import NotExact, runs

if TYPE_CHECKING:
    from diveval.axioms.proof.solver import Solver

Result = TypeVar("Result")
MOST_PATHS = 4096


class TooLong(Exception):
    """A ranking is longer than what is expanded, whatever the time limit."""


class NotRepeatable(NotExact):
    """A metric gave two values for one ranking: it keeps a state, or it is random."""

    def __init__(self, what: str = "gave two values for one ranking") -> None:
        super().__init__(f"the metric {what}: it keeps a state, or is random")


@dataclass(frozen=True)
class Fork:
    """A comparison the run made, the answer it followed, and whether the other answer can be true as well."""

    condition: Condition
    answer: bool
    open: bool  # the other side is, or will be, followed too

    @property
    def held(self) -> Condition:
        """What is true on the side that was followed."""
        return self.condition if self.answer else self.condition.negate()


@dataclass
class Execution:
    """One run of the function: the answers to repeat, and all answers given.

    A function must make the same comparisons in the same order each time. If it does not, paths would be mixed up and a
    case could be missed, so the run ends with `NotRepeatable`.
    """

    solver: Solver
    assumed: list[Truth]
    script: list[Fork]
    taken: list[Fork] = field(default_factory=list)
    answers: dict[Condition, bool] = field(default_factory=dict)
    raised: NotExact | None = None

    def decide(self, condition: Condition) -> bool:
        known = self.answers.get(condition)
        if known is not None:
            return known
        position = len(self.taken)
        fork = self.script[position] if position < len(self.script) else self._first(condition)
        if fork.condition != condition:
            raise NotRepeatable("compares other things when it is run again")
        self.taken.append(fork)
        self.answers[condition] = fork.answer
        self.answers[condition.negate()] = not fork.answer
        return fork.answer

    def _first(self, condition: Condition) -> Fork:
        held = [*self.assumed, *(fork.held for fork in self.taken)]
        if TINY in condition.poly.symbols:
            small = self._infinitesimal(condition, held)
            if small is not None:
                return Fork(condition, small, False)
        known = [*held, *self.solver.list_facts(condition.poly.symbols)]
        if condition in known or condition.negate() in known:
            return Fork(condition, condition in known, False)
        opposite = Condition(-condition.poly, "<")
        if opposite in known or Condition(condition.poly, "<") in known:  # its sign is known, and not 0
            below = opposite not in known
            return Fork(condition, {"<": below, "<=": below, "==": False, "!=": True}[condition.op], False)
        if len(condition.poly.terms) == 1:
            # The sign of one value is nearly always open. Following an answer that cannot be true costs one query
            # later on; asking first costs two now.
            return Fork(condition, True, True)
        if self.solver.impossible([*held, condition]):
            return Fork(condition, False, False)
        return Fork(condition, True, not self.solver.impossible([*held, condition.negate()]))

    def _infinitesimal(self, condition: Condition, held: list[Truth]) -> bool | None:
        """The answer for every small enough value, where the leading coefficient has one sign for all parameters."""
        lead = Poly(leading(condition.poly.terms))
        for sign, excluded in ((-1, settle(-lead, "<=")), (1, settle(lead, "<="))):
            if self.solver.impossible([*held, excluded]):
                return {"<": sign < 0, "<=": sign < 0, "==": False, "!=": True}[condition.op]
        return None


@dataclass(frozen=True)
class Path(Generic[Result]):
    """One path through the function: the comparisons on it, and its result."""

    forks: tuple[Fork, ...]
    result: Result

    @property
    def conditions(self) -> tuple[Condition, ...]:
        return tuple(fork.held for fork in self.forks)


def explore(
    function: Callable[[], Result], solver: Solver, assumed: Sequence[Truth] = (), *, twice: bool = False
) -> Iterator[Path[Result]]:
    """Every path through a function whose result depends on comparisons of symbols, depth first.

    With `twice` each path is run a second time and must give the same result, term by term.
    """
    script: list[Fork] = []
    for _ in range(MOST_PATHS):
        run, result = _one(function, solver, assumed, script)
        if twice:
            again, second = _one(function, solver, assumed, run.taken)
            if again.taken != run.taken or not same(result, second):
                raise NotRepeatable
        yield Path(tuple(run.taken), result)
        # The next path repeats this one up to the last fork whose other side is still to be followed.
        script = list(run.taken)
        while script and not script[-1].open:
            script.pop()
        if not script:
            return
        script[-1] = Fork(script[-1].condition, False, False)
    raise NotExact(f"the metric compares so often that more than {MOST_PATHS} cases would have to be proved")


def _one(
    function: Callable[[], Result], solver: Solver, assumed: Sequence[Truth], script: Sequence[Fork]
) -> tuple[Execution, Result]:
    run = Execution(solver, list(assumed), list(script))
    runs().append(run)
    try:
        result = function()
    finally:
        runs().pop()
    if run.raised is not None:
        raise run.raised
    return run, result


def same(a: Any, b: Any) -> bool:
    """Equality of what runs return: terms by their parts, since comparing terms would fork."""
    if hasattr(a, "num") and hasattr(b, "num"):
        return bool(a.num == b.num and a.den == b.den)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)
