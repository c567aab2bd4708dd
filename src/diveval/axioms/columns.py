"""Metrics as one column of relevance run through a small machine: the form in which proofs reach every length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from diveval.axioms.evidence import Step
from diveval.axioms.numbers import Symbols
from diveval.axioms.paths import explore
from diveval.axioms.polynomials import Term, Truth
from diveval.axioms.solver import Solver
from diveval.metrics.algebra import (
    Always,
    Aspects,
    Cascade,
    Channels,
    Decay,
    Discount,
    Flat,
    Geometric,
    GlobalGain,
    Log,
    Novelty,
    Overall,
    Reciprocal,
    ShiftedLog,
)
from diveval.metrics.columnwise import Each, NormalisedDCG, Precision, ReciprocalRank
from diveval.metrics.formulas import Formula, Normalised, Sum
from diveval.metrics.numbers import Number
from diveval.metrics.subtopics import Blend, SubtopicRecall, SubtopicReciprocalRank

SYMBOLS = Symbols()


@dataclass(frozen=True)
class Column:
    """What a metric does with one aspect: Σ_i D(i) · (g(i) · novelty(i) − effort), up to a positive constant.

    g is r, or [r > 0] when `binary`. `beside_recall`: aspect recall is added, as in D#.
    """

    discount: Discount
    novelty: Novelty
    effort: Number = 0
    binary: bool = False
    beside_recall: bool = False
    over: Channels = field(default_factory=Aspects)

    @property
    def weighted(self) -> bool:
        """Whether each aspect counts by its weight."""
        return isinstance(self.over, GlobalGain) or (isinstance(self.over, Aspects) and self.over.weighted)

    @property
    def per_aspect(self) -> bool:
        """Whether each aspect has a machine of its own: not so for max_t r, nor for novelty on a global gain."""
        mixed = isinstance(self.over, GlobalGain) and isinstance(self.novelty, Always)
        return mixed or isinstance(self.over, Aspects)

    @property
    def has_effort(self) -> bool:
        return isinstance(self.effort, Term) or self.effort != 0


def column(formula: Formula) -> Column | None:
    """The machine behind a formula; None where a formula has no such form (AP, S-RR, a person's function)."""
    if isinstance(formula, Sum):
        if not _known(formula):
            return None
        return Column(_plain(formula.discount), _plain(formula.novelty), formula.effort, over=formula.over)
    if isinstance(formula, Normalised):
        return column(formula.sum)
    if isinstance(formula, SubtopicRecall):
        return Column(Flat(), Cascade(), binary=True, over=Aspects(weighted=False))
    if isinstance(formula, Blend) and isinstance(formula.first, SubtopicRecall):
        inner = column(formula.second)
        return None if inner is None else replace(inner, beside_recall=True)
    if isinstance(formula, Each):
        known: dict[type, Column] = {
            NormalisedDCG: Column(Log(), Always(), over=formula.over),
            Precision: Column(Flat(), Always(), binary=True, over=formula.over),
            ReciprocalRank: Column(Reciprocal(), Cascade(), binary=True, over=formula.over),
        }
        return known.get(type(formula.base))
    return None


def _known(formula: Sum) -> bool:
    """Whether every part is one of the algebra's own: of a person's subclass nothing is known."""
    discounts = (Geometric, Log, ShiftedLog, Reciprocal, Flat)
    novelties, channels = (Always, Cascade, Decay), (Aspects, Overall, GlobalGain)
    kinds = ((formula.discount, discounts), (formula.novelty, novelties), (formula.over, channels))
    return all(type(part) in known for part, known in kinds)


def _plain(part: Any) -> Any:
    """What a part is at the end of its range: p = 1 discounts nothing, α = 0 forgets nothing."""
    if isinstance(part, Geometric) and not isinstance(part.p, Term) and part.p == 1:
        return Flat()
    if isinstance(part, Decay) and part.limit is None and not isinstance(part.alpha, Term) and part.alpha == 0:
        return Always()
    return part


def single_aspect_column(formula: Formula) -> Column | None:
    """The same where the topic has one aspect: S-RR is then RR."""
    if isinstance(formula, SubtopicReciprocalRank):
        return Column(Reciprocal(), Cascade(), binary=True)
    return column(formula)


# --- checking the steps of a proof ----------------------------------------------------------------------------------


def symbol(name: str) -> Term:
    return Term.symbol(name)


@dataclass
class Ledger:
    """Claims that were checked, one by one; `sound` is False as soon as one was not proved."""

    solver: Solver
    steps: list[Step] = field(default_factory=list)
    sound: bool = True

    def claim(self, text: str, given: Sequence[Truth], function: Callable[[], Sequence[Truth]]) -> None:
        """Have the solver check that everything the function returns follows, on each of its paths."""
        for path in explore(function, self.solver, given):
            for truth in path.result:
                if not self.solver.proves(truth, [*given, *path.conditions]):
                    self.sound = False
        self.steps.append(Step(text, "solver"))

    def note(self, text: str, by: str = "analysis") -> None:
        self.steps.append(Step(text, by))


# --- states of the novelty machines ---------------------------------------------------------------------------------


def any_state(novelty: Novelty, name: str, *, alive: bool) -> tuple[Any, list[Truth]]:
    """A symbol for any state the machine can reach, and what is known of it; `alive` when every r < 1."""
    if isinstance(novelty, Always):
        return novelty.begin(SYMBOLS), []
    s = symbol(name)
    if isinstance(novelty, Decay):
        seen = symbol(f"{name}_seen")
        return (s, seen), [s > 0, s <= 1, seen >= 0]
    return s, [s > 0 if alive else s >= 0, s <= 1]


def state_is_kept(ledger: Ledger, novelty: Novelty, *, alive: bool) -> None:
    """The induction over ranks: what is claimed of a state is true at the start and stays true behind any document."""
    if isinstance(novelty, Always):
        return
    state, known = any_state(novelty, "s", alive=alive)
    r = symbol("r1")
    given = [*known, r >= 0, r < 1 if alive else r <= 1]

    def inside(value: Any) -> list[Truth]:
        s, *rest = value if isinstance(value, tuple) else (value,)
        return [s > 0 if alive or rest else s >= 0, s <= 1, *(seen >= 0 for seen in rest)]

    ledger.claim(
        "induction over ranks: the novelty state stays in its range behind any document",
        given, lambda: [*inside(novelty.begin(SYMBOLS)), *inside(novelty.after(state, r, SYMBOLS))],
    )  # fmt: skip


def not_above(a: Any, b: Any) -> Truth:
    """That the first state's novelty is at most the second's."""
    first, second = (state[0] if isinstance(state, tuple) else state for state in (a, b))
    truth: Truth = first <= second
    return truth


def same_state(a: Any, b: Any) -> list[Truth]:
    """That two states are equal, part by part."""
    first = a if isinstance(a, tuple) else (a,)
    second = b if isinstance(b, tuple) else (b,)
    return [x == y for x, y in zip(first, second, strict=True)]


# --- facts about discounts ------------------------------------------------------------------------------------------


def discount_is_convex(ledger: Ledger, discount: Discount) -> bool:
    """D(i) > D(i+1) > 0 with falling steps, for all ranks; checked for the kind of discount at hand."""
    if isinstance(discount, Geometric):
        x, p = symbol("x"), symbol("q")
        given = [x > 0, p > 0, p < 1]
        if not isinstance(discount.p, Term):
            p = SYMBOLS.of(discount.p)
            if not p < 1:
                return False
        ledger.claim(
            "p^i falls and is convex for 0 < p < 1", given,
            lambda: [x * p < x, x * p > 0, x - x * p > x * p - x * p * p],
        )  # fmt: skip
        return True
    if isinstance(discount, Reciprocal):
        i = symbol("i")
        ledger.claim(
            "1/i falls and is convex for i ≥ 1", [i >= 1],
            lambda: [1 / (i + 1) < 1 / i, 1 / i - 1 / (i + 1) > 1 / (i + 1) - 1 / (i + 2)],
        )  # fmt: skip
        return True
    if isinstance(discount, (Log, ShiftedLog)):
        values = [discount.at(i, SYMBOLS) for i in range(1, 35)]
        falls = all(b < a for a, b in pairwise(values))
        convex = all(a - b > b - c for a, b, c in zip(values, values[1:], values[2:], strict=False))
        ledger.sound = ledger.sound and falls and convex
        ledger.note("ranks 1 to 34: the logarithmic discount falls and is convex (certified enclosures)", "exact")
        ledger.note("all ranks: 1/log x falls and is convex for x > 1, its second derivative being positive")
        return True
    return False


def falling(*d: Term) -> list[Truth]:
    """Weights of ranks, from the top: positive and falling."""
    return [d[-1] > 0, *(a > b for a, b in pairwise(d))]
