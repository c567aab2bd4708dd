"""Run any metric on symbols: where it asks whether a < b, the run forks, and all answers that can be true are followed.

This is plain symbolic execution by re-running, so a person's own function with ifs, max and sorted needs no rewriting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from diveval.axioms.polynomials import Condition, NotExact, Truth
from diveval.axioms.solver import Solver

Result = TypeVar("Result")
MOST_PATHS = 4096


class TooManyPaths(NotExact):
    """A metric compares so much that following every outcome would take too long."""


Decision = tuple[bool, bool]  # the answer given, and whether the other one is still to be followed


@dataclass
class _Run:
    """One pass: the answers to repeat, and all answers given."""

    solver: Solver
    assumed: list[Truth]
    script: list[Decision]
    taken: list[Decision] = field(default_factory=list)
    path: list[Condition] = field(default_factory=list)
    answers: dict[Condition, bool] = field(default_factory=dict)

    def decide(self, condition: Condition) -> bool:
        known = self.answers.get(condition)
        if known is not None:
            return known
        position = len(self.taken)
        decision = self.script[position] if position < len(self.script) else self._first(condition)
        answer = decision[0]
        self.taken.append(decision)
        self.path.append(condition if answer else condition.negated())
        self.answers[condition] = answer
        self.answers[condition.negated()] = not answer
        return answer

    def _first(self, condition: Condition) -> Decision:
        held = [*self.assumed, *self.path]
        known = [*held, *self.solver.known(condition.poly.symbols)]
        if condition in known or condition.negated() in known:
            return condition in known, False
        if len(condition.poly.terms) == 1:
            # The sign of one value is nearly always open. Following an answer that cannot be true costs one query
            # later on; asking first costs two now.
            return True, True
        if self.solver.impossible([*held, condition]):
            return False, False
        return True, not self.solver.impossible([*held, condition.negated()])


_runs: list[_Run] = []


def decide(condition: Condition) -> bool:
    """Called when Python wants the truth of a condition."""
    if not _runs:
        raise NotExact(f"nothing is known that decides whether {condition}")
    return _runs[-1].decide(condition)


@dataclass(frozen=True)
class Path(Generic[Result]):
    """One way through: what must hold for it, and what came out."""

    conditions: tuple[Condition, ...]
    result: Result


def explore(
    function: Callable[[], Result], solver: Solver, assumed: Sequence[Truth] = ()
) -> Iterator[Path[Result]]:
    """Every way through a function whose outcome depends on comparisons of symbols."""
    script: list[Decision] = []
    for _ in range(MOST_PATHS):
        run = _Run(solver, list(assumed), script)
        _runs.append(run)
        try:
            result = function()
        finally:
            _runs.pop()
        yield Path(tuple(run.path), result)
        script = run.taken
        while script and not script[-1][1]:
            script.pop()
        if not script:
            return
        script[-1] = (False, False)
    raise TooManyPaths(f"the metric compares so often that more than {MOST_PATHS} cases would have to be proved")
