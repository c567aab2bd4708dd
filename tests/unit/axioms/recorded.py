"""Decisions with z3's answers written down: quick, the same on every machine, and to be told to the last word.

`answers.txt` holds a digest of each question and what z3 said; `decisions.jsonl` what was asked of the engine and what
follows, and `doubts.jsonl` what follows where some of z3's answers are withheld or false. `python
tests/unit/axioms/recorded.py` asks z3 and writes all three again; do so only when a verdict or a question is meant to
change, and after `attack.py` found nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import people
import thresholds

from diveval.axioms import Bounds, Verdict, check
from diveval.axioms import solver as door
from diveval.axioms.family import Composition

ANSWERS = Path(__file__).with_name("answers.txt")
DECISIONS = Path(__file__).with_name("decisions.jsonl")
DOUBTS = Path(__file__).with_name("doubts.jsonl")
PUT_TO_Z3 = door.put_to_z3

Answer = tuple[str, dict[str, F]]
Doubt = Callable[[int, str, Answer], Answer]  # the number of the question, its digest, what z3 says

COMPOSITIONS = {
    composition.name: composition.subject()
    for composition in (
        Composition("p^i", "(1−α)^c", "yes", "e"), Composition("1/log(i+1)", "(1−α)^c", "no", "e"),
        Composition("1/i", "Π(1−r)", "yes", "e"), Composition("none", "Π(1−r)", "yes", "e"),
        Composition("none", "(1−α)^c", "yes", "e"), Composition("1/log(i+1)", "Π(1−r)", "no", "no"),
    )
}  # fmt: skip
METRICS: dict[str, Any] = {**COMPOSITIONS, **people.METRICS}  # the others are names
# Where every fourth answer or so is withheld, where claims that hold are denied, and where the answers stop coming.
DOUBTED: dict[str, Doubt] = {
    **{f"silent {n}": lambda _, q, a, n=n: ("unknown", {}) if int(q, 16) % 4 == n else a for n in range(4)},
    **{f"false {n}": lambda _, q, a, n=n: ("sat", {}) if int(q, 16) % 4 == n else a for n in range(4)},
    **{f"ending {n}": lambda number, _, a, n=n: ("unknown", {}) if number >= n else a for n in (0, 1, 2, 3, 5, 8)},
}


def digest(text: str) -> str:
    """A question by twelve digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@contextmanager
def answering(known: dict[str, Answer], *, ask: bool = False, doubt: Doubt | None = None) -> Iterator[list[str]]:
    """The solver with these answers; the questions it was asked, in order. Only with `ask` z3 is asked what is not known."""
    asked: list[str] = []

    def answer(question: str, names: Any, seconds: float) -> Answer:
        name = digest(question)
        if ask and name not in known:
            known[name] = PUT_TO_Z3(question, names, seconds)
        assert name in known, f"a question never asked before: {question}"
        asked.append(name)
        return known[name] if doubt is None else doubt(len(asked) - 1, name, known[name])

    door.put_to_z3 = answer  # type: ignore[assignment]
    try:
        yield asked
    finally:
        door.put_to_z3 = PUT_TO_Z3


def load() -> dict[str, Answer]:
    known = {}
    for line in ANSWERS.read_text(encoding="utf-8").splitlines():
        name, said, *model = line.split(" ")
        known[name] = (said, {symbol: F(value) for symbol, _, value in (part.partition("=") for part in model)})
    return known


def told(verdict: Verdict) -> dict[str, Any]:
    """A verdict in short, without the numbers of its counterexample: which ones the solver finds first is its affair."""
    parts = {
        "verdict": verdict.verdict, "uncut": verdict.uncut, "region": str(verdict.region or ""), "note": verdict.note,
        "proof": str(verdict.proof or ""), "steps": 0 if verdict.proof is None else len(verdict.proof.steps),
    }  # fmt: skip
    return {name: part for name, part in parts.items() if part}


def decided(question: list[str], known: dict[str, Answer], **how: Any) -> tuple[dict[str, Any], Verdict]:
    """What is said to a metric, an axiom and a reading: in short, all of it by a digest, and the questions on the way."""
    metric, axiom, named = question[:3]
    reading, _, most = named.partition(", m ≤ ")
    given = {"reading": thresholds.READINGS[reading], "bounds": Bounds(threshold=int(most)) if most else None}
    if len(question) > 3:
        how["doubt"] = DOUBTED[question[3]]
    with answering(known, **how) as asked:
        verdict = check(METRICS.get(metric, metric), axiom, **given, time_limit=3600)
    example = verdict.counterexample
    shown = {} if example is None else {"shown": f"{example.label}: {' against '.join(example.scores)}"}
    digests = {"whole": digest(f"{verdict.to_json()}{verdict}"), "questions": f"{len(asked)} {digest(' '.join(asked))}"}
    return {"asked": question, **told(verdict), **shown, **digests}, verdict


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write() -> None:
    """Decide what is asked in the files again."""
    known: dict[str, Answer] = {}
    for path in (DECISIONS, DOUBTS):
        kept = [decided(line["asked"], known, ask=True)[0] for line in lines(path)]
        path.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in kept), encoding="utf-8")
    written = (" ".join([name, said, *(f"{s}={v}" for s, v in model.items())]) for name, (said, model) in known.items())
    ANSWERS.write_text("".join(f"{line}\n" for line in written), encoding="utf-8")


if __name__ == "__main__":
    write()
