"""Time limits count CPU time: a busy machine makes a cell slower, not `unknown`."""

from __future__ import annotations

import time
from typing import Any

import pytest

pytest.importorskip("z3", reason="the axiom engine needs z3")

from diveval.axioms import check
from diveval.axioms.proof import isolation, solver
from diveval.axioms.proof.budget import Budget


class Slow:
    """A solver that needs a tenth of a second of the clock, and hardly any CPU time."""

    def __init__(self) -> None:
        self.limits: list[float] = []

    def limited(self, kind: str, milliseconds: int, z3: Any) -> Slow:
        self.limits.append(milliseconds / 1000)
        solver._local.solvers = {}
        return self

    def from_string(self, question: str) -> None:
        """Nothing: the answer is always the same."""

    def check(self) -> str:
        time.sleep(min(self.limits[-1], 0.1))
        return "unsat" if self.limits[-1] > 0.1 else "unknown"


def test_waiting_uses_no_time() -> None:
    """Only CPU time of the thread is taken off the budget."""
    budget = Budget(0.05)
    time.sleep(0.1)
    assert budget.left > 0


def test_a_query_that_the_clock_ended_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """z3 counts by the clock: where that ended a query early, the second limit makes up for it."""
    slow = Slow()
    monkeypatch.setattr(solver, "_solver", slow.limited)
    assert solver._check("", "nlsat", 0.02, None)[0] == "unsat"
    assert len(slow.limits) == 2 and slow.limits[0] == 0.02 and slow.limits[1] > 0.1


def test_a_solver_that_gives_up_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer `unknown` before the limit is the solver's own."""
    slow = Slow()
    monkeypatch.setattr(slow, "check", lambda: "unknown")
    monkeypatch.setattr(solver, "_solver", slow.limited)
    assert solver._check("", "nlsat", 5.0, None)[0] == "unknown" and len(slow.limits) == 1


def test_the_use_of_an_unknown_process_is_the_clock() -> None:
    """Where a process's CPU time cannot be read, it counts as idle, so that the clock limits it."""
    assert isolation._usage(None) == (0.0, False)


@pytest.mark.parametrize(
    ("metric", "axiom", "documents"),
    [
        ("RBU@100000", "DeepTh", 100_000),
        ("nDCG@1000000000", "DeepTh", 10**9),
        ("RBU(p=0.999999999999999999999999,e=1/99999999999999999999999999)@100000", "DeepTh", 100_000),
    ],
)
def test_a_large_cutoff_is_refused_before_it_is_expanded(metric: str, axiom: str, documents: int) -> None:
    """Rankings too long to expand are unknown at once, with their length, whatever the time limit."""
    started = time.thread_time()
    found = check(metric, axiom, time_limit=60.0)
    assert found.verdict == "unknown" and str(documents) in found.note
    assert time.thread_time() - started < 5


def test_no_query_outlasts_its_time_by_far() -> None:
    """A cutoff whose polynomials are too large for the solver takes seconds, not minutes."""
    started = time.thread_time()
    assert check("RBU@240", "DeepTh", time_limit=1.0).verdict == "unknown"
    assert time.thread_time() - started < 10


def test_a_large_cutoff_decides_what_needs_no_long_ranking() -> None:
    """CloseTh at a large cutoff is decided by its small m."""
    assert check("RBU(p=0.8,e=0.02)@100000", "CloseTh").verdict == "holds"
