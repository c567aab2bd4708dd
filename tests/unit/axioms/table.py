"""What the engine must say, cell by cell, the cases it looks at, and what it asks the solver on the way to `holds`.

The cells are those of the whole matrix, and of some settings, that are decided in under a twentieth of a second; the slow
ones of the matrix stand in a file of their own. `python tests/unit/axioms/table.py` writes the files again; do so only when a verdict
or a case is meant to change, and after `attack.py` found nothing.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from diveval.axioms import AS_WRITTEN, AXIOMS, CHARITABLE, Bounds, Verdict, check
from diveval.axioms.constraints import Case
from diveval.axioms.paper import ROWS
from diveval.axioms.polynomials import Term
from diveval.axioms.solver import Solver

CELLS = Path(__file__).with_name("cells.jsonl")
SLOW_CELLS = Path(__file__).with_name("slow_cells.jsonl")
CASES = Path(__file__).with_name("cases.txt")
QUESTIONS = Path(__file__).with_name("questions.txt")
SLOW_QUESTIONS = Path(__file__).with_name("slow_questions.txt")  # too many to be read: a digest of each
QUICK = 0.05  # seconds
SETTINGS = (
    "RBU(p=0.8,e=0.05)@5", "EU(alpha=0.5,e=0.05)", "alpha_nDCG(alpha=0.25)@5", "NRBP(p=0.8,alpha=0.25)", "P@3",
    "nDCG@6", "CT@3", "AP@3", "RBP(p=0.9)", "ERR_IA@3",
)  # fmt: skip


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


def told(verdict: Verdict) -> dict[str, Any]:
    """A verdict without the numbers of its counterexample: which ones the solver finds first is its own affair."""
    out = verdict.as_dict()
    example, proof = out.pop("counterexample"), out.pop("proof")
    if example is not None:
        out.pop("evidence")
        out["counterexample"] = {"cutoff": example["cutoff"], "strict": example["strict"]}
    if proof is not None:
        steps = [f"[{step['by']}] {step['claim']}" for step in proof["steps"]]
        out["proof"] = {**proof, "steps": steps}
    return {key: value for key, value in out.items() if value not in (None, "")}


def digest(question: str) -> str:
    """A question by ten digits."""
    return hashlib.sha256(question.encode()).hexdigest()[:10]


def cells(path: Path) -> list[dict[str, Any]]:
    """The cells written down."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


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


def write() -> None:
    quick: list[str] = []
    slow: list[str] = []
    asked_quickly: set[str] = set()
    asked_slowly: set[str] = set()
    for metric in (*ROWS, *SETTINGS):
        for axiom in AXIOMS:
            for reading in ("as-written", "charitable"):
                start = time.process_time()
                with listening() as asked:
                    verdict = check(metric, axiom, reading=reading)
                in_time = time.process_time() - start < QUICK
                if in_time or metric in ROWS:
                    (quick if in_time else slow).append(json.dumps(told(verdict), ensure_ascii=False))
                    if verdict.verdict == "holds":
                        (asked_quickly if in_time else asked_slowly).update(asked)
    digests = sorted(digest(question) for question in asked_slowly - asked_quickly)
    files = {CELLS: quick, SLOW_CELLS: slow, QUESTIONS: sorted(asked_quickly), SLOW_QUESTIONS: digests, CASES: cases()}
    for path, lines in files.items():
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    write()
