"""From a bound to every length: what a document changes depends only on the state in front of it, and states obey
an invariant. Each lemma is a handful of claims over abstract states and discounts, and the solver checks each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from diveval.axioms.columns import (
    SYMBOLS,
    Column,
    Ledger,
    any_state,
    column,
    discount_is_convex,
    falling,
    not_above,
    same_state,
    state_is_kept,
    symbol,
)
from diveval.axioms.constraints import Axiom
from diveval.axioms.evidence import Step
from diveval.axioms.polynomials import Condition, Term, Truth
from diveval.axioms.readings import Reading
from diveval.axioms.solver import Solver
from diveval.axioms.subjects import Subject, normalised_per_aspect
from diveval.metrics.algebra import Always, Cascade, GlobalGain, Novelty, Reciprocal
from diveval.metrics.columnwise import AveragePrecision, Each
from diveval.metrics.subtopics import SubtopicReciprocalRank


def every_length(
    subject: Subject, axiom: Axiom, reading: Reading, left: Sequence[Condition], solver: Solver
) -> tuple[Step, ...] | None:
    """The checked steps that carry a bounded proof to all lengths and numbers of aspects; None where none is known."""
    found, remark = _column_for(subject, axiom.name, reading)
    lemma = _LEMMAS.get(axiom.name)
    if found is None or lemma is None or not _applies(found, axiom.name, reading):
        return None
    ledger = Ledger(solver)
    argument = _Argument(found, reading, list(left), ledger)
    if not lemma(argument) or not ledger.sound:
        return None
    if found.beside_recall:
        ledger.note("aspect recall is never smaller in the better ranking: as many aspects are covered, or more")
    if remark:
        ledger.note(remark)
    return tuple(ledger.steps)


def _column_for(subject: Subject, axiom: str, reading: Reading) -> tuple[Column | None, str]:
    """The metric's machine, or the one it equals on the rankings that this constraint compares."""
    formula = subject.formula
    first_only = Column(Reciprocal(), Cascade(), binary=True)
    if isinstance(formula, SubtopicReciprocalRank) and axiom == "Sat":
        return first_only, "S-RR changes at a rank only where an aspect is covered for the first time"
    if axiom != "AspRel":
        return column(formula), ""
    if normalised_per_aspect(formula) and not reading.same_ideal:
        return None, ""
    if isinstance(formula, Each) and isinstance(formula.base, AveragePrecision) and not reading.elsewhere:
        alone = "an aspect with one relevant document in the ranking has AP = 1/(rank · R), as RR has 1/rank"
        return replace(first_only, over=formula.over), alone
    return column(formula), ""


def _applies(found: Column, axiom: str, reading: Reading) -> bool:
    """Whether a lemma about one aspect's column speaks about this metric and constraint at all."""
    if axiom in ("Red", "MRed", "AspRel") and not found.per_aspect:
        return False
    if axiom == "Sat" and isinstance(found.over, GlobalGain):
        return False
    if axiom == "AspRel" and not found.weighted:
        return False
    if found.beside_recall and axiom == "AspRel" and reading.elsewhere:
        return False
    return not (found.beside_recall and axiom in ("Red", "MRed", "Sat", "Conf"))


class _Argument:
    """A column on symbols: documents run from an abstract state at abstract ranks."""

    def __init__(self, found: Column, reading: Reading, left: list[Condition], ledger: Ledger) -> None:
        self.column, self.reading, self.left, self.ledger = found, reading, left, ledger

    @property
    def novelty(self) -> Novelty:
        return self.column.novelty

    def run(self, state: Any, documents: Sequence[tuple[Term, Term]]) -> tuple[Term, Any]:
        """Σ D · r · novelty over (r, D) from a state, and the state behind."""
        total = Term.of(0)
        for r, d in documents:
            total = total + d * r * self.novelty.factor(state, SYMBOLS)
            state = self.novelty.after(state, r, SYMBOLS)
        return total, state

    def limits(self, values: Sequence[Term], state: Any) -> list[Truth]:
        """0 ≤ r and r ≪ 1; under the Σ reading, together with what the state has seen."""
        out: list[Truth] = [r >= 0 for r in values] + [r < 1 for r in values]
        if self.reading.contribution == "sum":
            seen = state[1] if isinstance(state, tuple) else Term.of(0)
            out.append(sum(values, seen) < 1)
        return out

    def state(self, name: str, *, alive: bool) -> tuple[Any, list[Truth]]:
        return any_state(self.novelty, name, alive=alive)

    def factor(self, state: Any) -> Term:
        return Term.of(self.novelty.factor(state, SYMBOLS))

    def after(self, state: Any, r: Term) -> Any:
        return self.novelty.after(state, r, SYMBOLS)


# --- the lemmas -----------------------------------------------------------------------------------------------------


def _priority(a: _Argument) -> bool:
    if a.column.binary or not discount_is_convex(a.ledger, a.column.discount):
        return False
    if a.reading.swap == "any":
        return _priority_any(a)
    return _contiguous(a)


def _contiguous(a: _Argument) -> bool:
    state, known = a.state("s", alive=True)
    state_is_kept(a.ledger, a.novelty, alive=True)
    x, y = symbol("x"), symbol("y")
    first, second = symbol("d1"), symbol("d2")
    given = [*known, *a.limits([x, y], state), x < y, *falling(first, second)]

    def gain() -> list[Truth]:
        up, behind = a.run(state, [(y, first), (x, second)])
        down, same = a.run(state, [(x, first), (y, second)])
        return [up - down > 0, *same_state(behind, same)]

    a.ledger.claim(
        "step: from any state, putting the more relevant of two neighbours first gains, and leaves the same state, so"
        " all later ranks add the same",
        given, gain,
    )  # fmt: skip
    return True


def _priority_any(a: _Argument) -> bool:
    """Invariant between the two places: Δ + D·(f(a)·x − f(b)·y) > 0, where a and b are the states of the two runs, and
    reading x after a leads where reading y after b leads."""
    if not isinstance(a.novelty, (Always, Cascade)):
        return False
    state, known = a.state("s", alive=True)
    state_is_kept(a.ledger, a.novelty, alive=True)
    x, y, r = symbol("x"), symbol("y"), symbol("r1")
    d1, d2, d3 = symbol("d1"), symbol("d2"), symbol("d3")
    values = [*a.limits([x, y, r], state), x < y]

    def invariant(gain: Term, better: Any, worse: Any, weight: Term) -> list[Truth]:
        owed = a.factor(better) * x - a.factor(worse) * y
        return [gain + weight * owed > 0, owed <= 0, a.factor(better) <= a.factor(worse),
                *same_state(a.after(better, x), a.after(worse, y))]  # fmt: skip

    def start() -> list[Truth]:
        up, better = a.run(state, [(y, d1)])
        down, worse = a.run(state, [(x, d1)])
        return invariant(up - down, better, worse, d2)

    begun = [*known, *values, *falling(d1, d2)]
    a.ledger.claim("start: the invariant holds behind the upper place", begun, start)
    better, known_better = a.state("a", alive=True)
    worse, known_worse = a.state("b", alive=True)
    delta = symbol("delta")
    held = [*known_better, *known_worse, *values, *invariant(delta, better, worse, d2), *falling(d2, d3)]

    def middle() -> list[Truth]:
        up, next_better = a.run(better, [(r, d2)])
        down, next_worse = a.run(worse, [(r, d2)])
        return invariant(delta + up - down, next_better, next_worse, d3)

    def close() -> list[Truth]:
        up, end = a.run(better, [(x, d2)])
        down, same = a.run(worse, [(y, d2)])
        return [delta + up - down > 0, *same_state(end, same)]

    a.ledger.claim("induction over the documents between: the invariant stays", held, middle)
    a.ledger.claim("end: at the lower place the gain is still positive and both runs meet in one state", held, close)
    return True


def _deepness(a: _Argument) -> bool:
    if a.column.binary or not discount_is_convex(a.ledger, a.column.discount):
        return False
    upper, known = a.state("a", alive=True)
    lower, known_lower = a.state("b", alive=True)
    state_is_kept(a.ledger, a.novelty, alive=True)
    r, x, y = symbol("r1"), symbol("x"), symbol("y")
    a.ledger.claim(
        "induction over ranks: novelty never rises", [*known, *a.limits([r], upper)],
        lambda: [not_above(a.after(upper, r), upper)],
    )  # fmt: skip
    d1, d2, d3, d4 = (symbol(f"d{rank}") for rank in range(1, 5))
    given = [
        *known, *known_lower, *a.limits([x, y], lower), x < y, not_above(lower, upper),
        *falling(d1, d2, d3, d4), d1 - d2 > d3 - d4,
    ]  # fmt: skip
    if isinstance(upper, tuple):
        given.append(upper[1] + x + y <= lower[1])  # the lower place has seen what the upper one had, and x and y

    def gain(state: Any, first: Term, second: Term) -> Term:
        up, _ = a.run(state, [(y, first), (x, second)])
        down, _ = a.run(state, [(x, first), (y, second)])
        gained: Term = up - down
        return gained

    a.ledger.claim(
        "step: the same swap gains more from the state and at the ranks of the upper place", given,
        lambda: [gain(upper, d1, d2) > gain(lower, d3, d4)],
    )  # fmt: skip
    return _contiguous(a)


def _confidence(a: _Argument) -> bool:
    effort, d = Term.of(a.column.effort), symbol("d1")
    a.ledger.claim(
        "step: behind any ranking a non-relevant document adds −D·e < 0",
        [*a.left, d > 0], lambda: [d * (Term.of(0) - effort) < 0],
    )  # fmt: skip
    return True


def _aspect_diversity(a: _Argument) -> bool:
    if a.column.binary:
        return False
    state, known = a.state("s", alive=True)
    state_is_kept(a.ledger, a.novelty, alive=True)
    x, y, r = symbol("x"), symbol("y"), symbol("r1")
    d1, d2, d3 = symbol("d1"), symbol("d2"), symbol("d3")
    if not a.reading.documents_behind:
        a.ledger.claim(
            "step: from any state, a more relevant last document gains in every aspect's column",
            [*known, *a.limits([y], state), x >= 0, x < y, d1 > 0],
            lambda: [a.run(state, [(y, d1)])[0] > a.run(state, [(x, d1)])[0]],
        )  # fmt: skip
        return True
    if not isinstance(a.novelty, (Always, Cascade)) or not discount_is_convex(a.ledger, a.column.discount):
        return False

    def invariant(gain: Term, better: Any, worse: Any, weight: Term) -> list[Truth]:
        return [gain + weight * (a.factor(better) - a.factor(worse)) > 0, a.factor(better) <= a.factor(worse), gain > 0]

    def start() -> list[Truth]:
        up, better = a.run(state, [(y, d1)])
        down, worse = a.run(state, [(x, d1)])
        return invariant(up - down, better, worse, d2)

    a.ledger.claim(
        "start: Δ + D·(f(a) − f(b)) > 0 behind the better document, a and b being the states of the two runs",
        [*known, *a.limits([x, y], state), x < y, *falling(d1, d2)], start,
    )  # fmt: skip
    better, known_better = a.state("a", alive=True)
    worse, known_worse = a.state("b", alive=True)
    delta = symbol("delta")
    held = [*known_better, *known_worse, r >= 0, r < 1, *invariant(delta, better, worse, d2), *falling(d2, d3)]

    def behind() -> list[Truth]:
        up, next_better = a.run(better, [(r, d2)])
        down, next_worse = a.run(worse, [(r, d2)])
        return invariant(delta + up - down, next_better, next_worse, d3)

    a.ledger.claim("induction over the documents behind: it stays, and with it Δ > 0, in each column", held, behind)
    return True


def _redundancy(a: _Argument) -> bool:
    if a.column.binary:
        return False
    full = a.reading.full_relevance
    state, known = a.state("s", alive=not full)
    state_is_kept(a.ledger, a.novelty, alive=not full)
    r, d = symbol("r"), symbol("d1")
    given = [*known, r > 0, r <= 1 if full else r < 1, d > 0]
    if not full and isinstance(state, tuple):
        given.append(state[1] + 2 * r < 1)
    a.ledger.claim(
        "step: each further document about an aspect lowers what the next one is worth; a document about nothing or"
        " about another aspect changes nothing",
        given,
        lambda: [
            d * r * a.factor(a.after(state, r)) < d * r * a.factor(state),
            *same_state(a.after(state, Term.of(0)), state),
        ],
    )
    a.ledger.note("t and t' run through the same states, t further along: d' is worth more", "induction")
    return True


def _monotonic_redundancy(a: _Argument) -> bool:
    if a.column.binary or not isinstance(a.novelty, Cascade):
        return False
    more, known = a.state("a", alive=True)
    less, known_less = a.state("b", alive=True)
    state_is_kept(a.ledger, a.novelty, alive=True)
    x, y, r, d = symbol("x"), symbol("y"), symbol("r"), symbol("d1")
    values = [x >= 0, x < y, y < 1]
    begin = a.novelty.begin(SYMBOLS)
    a.ledger.claim(
        "start: behind one document that is more about t, less of t is left to gain", values,
        lambda: [a.factor(a.after(begin, y)) < a.factor(a.after(begin, x))],
    )  # fmt: skip
    a.ledger.claim(
        "induction over the documents before: it stays so",
        [*known, *known_less, *values, a.factor(more) < a.factor(less)],
        lambda: [a.factor(a.after(more, y)) < a.factor(a.after(less, x))],
    )  # fmt: skip
    a.ledger.claim(
        "end: the document about t' gains more", [*known, *known_less, a.factor(more) < a.factor(less), r > 0, d > 0],
        lambda: [a.run(less, [(r, d)])[0] > a.run(more, [(r, d)])[0]],
    )  # fmt: skip
    return True


def _saturation(a: _Argument) -> bool:
    state, known = a.state("s", alive=False)
    state_is_kept(a.ledger, a.novelty, alive=False)
    r, w, d = symbol("r"), symbol("w1"), symbol("d1")
    effort = Term.of(a.column.effort)
    one = Term.of(1)
    relevance = [r == 1] if a.column.binary else [r > 0, r <= 1]

    def gain() -> list[Truth]:
        value, _ = a.run(a.after(state, one), [(r, d)])
        return [w * value - effort * d <= 0]

    a.ledger.claim(
        "step: behind any state and a document with r = 1, one more about the aspect adds nothing net of its effort",
        [*known, *relevance, w > 0, w <= 1, d > 0, *a.left], gain,
    )  # fmt: skip
    return True


def _aspect_relevance(a: _Argument) -> bool:
    begin = a.novelty.begin(SYMBOLS)
    w, v, r, d = symbol("w1"), symbol("w2"), symbol("r"), symbol("d1")
    given = [w > 0, w < v, r > 0, r <= 1, d > 0]
    zero = Term.of(0)
    if a.column.binary:
        given.append(r == 1)

    def gain() -> list[Truth]:
        value, _ = a.run(begin, [(r, d)])
        return [v * value > w * value, *same_state(a.after(begin, zero), begin)]

    if not a.reading.elsewhere:
        a.ledger.claim(
            "step: an aspect not seen before is still in its first state, so the heavier one gains more", given, gain
        )
        a.ledger.note("t and t' occur nowhere else, so no other rank differs", "induction")
        return True
    if not isinstance(a.novelty, Always):
        return False
    a.ledger.claim("step: novelty has no memory: the heavier aspect gains more and no later rank differs", given, gain)
    return True


_LEMMAS: dict[str, Callable[[_Argument], bool]] = {
    "Pri": _priority,
    "Deep": _deepness,
    "Conf": _confidence,
    "AspDiv": _aspect_diversity,
    "Red": _redundancy,
    "MRed": _monotonic_redundancy,
    "Sat": _saturation,
    "AspRel": _aspect_relevance,
}
