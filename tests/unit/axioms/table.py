"""The cases the engine looks at, as `cases.txt` has them, and an ear for what it asks the solver.

`python tests/unit/axioms/table.py` writes the cases again; do so only when one is meant to change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from diveval.axioms import AS_WRITTEN, AXIOMS, CHARITABLE, Bounds
from diveval.axioms.constraints import Case
from diveval.axioms.polynomials import Term
from diveval.axioms.solver import Solver

CASES = Path(__file__).with_name("cases.txt")


@contextmanager
def listening() -> Iterator[set[str]]:
    """Every question put to the solver while this lasts: conditions that must not hold together."""
    asked: set[str] = set()
    ask = Solver.ask

    def heard(self: Solver, conditions: Iterable[Any]) -> Any:
        listed = list(conditions)
        asked.add("; ".join(str(condition) for condition in listed))
        return ask(self, listed)

    Solver.ask = heard  # type: ignore[method-assign]
    try:
        yield asked
    finally:
        Solver.ask = ask  # type: ignore[method-assign]


def described(case: Case) -> str:
    """A case in one line: what is compared with what, under which premises."""
    pair = case.build({name: Term.symbol(name) for name in (*case.symbols, "rmax")})
    parts = [
        case.axiom,
        case.label,
        case.documents,
        case.aspects,
        case.symbols,
        case.fillers,
        pair.better,
        pair.worse,
        pair.weights,
    ]
    return " | ".join(str(part) for part in (*parts, pair.premises, pair.strict, pair.pool))


def cases() -> Iterator[str]:
    """Every case of every constraint in both readings, and the first three that happen behind rank k."""
    for reading in (AS_WRITTEN, CHARITABLE):
        for axiom in AXIOMS.values():
            head = f"{axiom.name} {reading.name} {'diversity' if axiom.diversity else 'relevance'}"
            if axiom.shapes is not None:
                yield from (f"{head}: {described(case)}" for case in axiom.cases(reading, Bounds()))
                yield f"{head}, small bounds: {len(axiom.cases(reading, Bounds(longest=2, aspects=2)))} cases"
                yield f"{head}, large bounds: {len(axiom.cases(reading, Bounds(longest=5, aspects=4)))} cases"
            if axiom.below is not None:
                yield from (f"{head}, behind {k}: {described(axiom.below(k, reading))}" for k in (1, 2, 3))


if __name__ == "__main__":
    CASES.write_text("".join(f"{line}\n" for line in cases()), encoding="utf-8")
