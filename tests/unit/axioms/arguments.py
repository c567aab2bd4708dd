"""The arguments beyond any bound, for every discount and novelty: what they say and what the solver is asked.

`arguments.txt` holds the text; `python tests/unit/axioms/arguments.py` writes it again.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product
from pathlib import Path

import table

from diveval.axioms import AS_WRITTEN, AXIOMS, CHARITABLE
from diveval.axioms.columns import Column, Ledger, discount_is_convex, state_is_kept, symbol
from diveval.axioms.lemmas import _applies
from diveval.axioms.logs import certified_sign, enclosure, leading, root
from diveval.axioms.polynomials import Condition, Term
from diveval.axioms.solver import Solver
from diveval.axioms.tails import (
    average_precision_not_deep,
    discount_text,
    eventually_deep,
    fades_out,
    fading,
    geometric_border_is_m2,
    never_close,
    novelty_text,
)  # fmt: skip
from diveval.axioms.witnesses import Gap, above_zero, intervals
from diveval.metrics.algebra import (
    Always,
    Aspects,
    Cascade,
    Decay,
    Flat,
    Geometric,
    GlobalGain,
    Log,
    Overall,
    Reciprocal,
    ShiftedLog,
)  # fmt: skip

ARGUMENTS = Path(__file__).with_name("arguments.txt")
P, ALPHA = Term.symbol("p"), Term.symbol("alpha")
DISCOUNTS = (Geometric(P), Geometric(F(4, 5), start=0), Log(), ShiftedLog(), Reciprocal(), Flat())
NOVELTIES = (Always(), Cascade(), Decay(ALPHA), Decay(F(1, 4)), Decay(F(1, 4), 1))


def _ledger() -> Ledger:
    return Ledger(Solver({"p": [(P > 0), (P < 1)], "alpha": [(ALPHA > 0), (ALPHA < 1)]}))


def _told(ledger: Ledger, answer: object) -> str:
    return f"{answer}, {'sound' if ledger.sound else 'not sound'}: " + "; ".join(
        f"[{s.by}] {s.claim}" for s in ledger.steps
    )


def _thresholds() -> Iterator[str]:
    for discount, novelty, binary in product(DISCOUNTS, NOVELTIES, (False, True)):
        effort = F(1, 20) if isinstance(novelty, Cascade) else 0
        found = Column(discount, novelty, effort, binary)
        head = f"D = {discount_text(discount)}, ν = {novelty_text(found)}{', binary' if binary else ''}, e = {effort}"
        deep, close = _ledger(), _ledger()
        yield f"{head}, u = {fading(found, symbol('r'))}"
        yield f"  deep: {_told(deep, eventually_deep(found, deep))}"
        yield f"  close: {_told(close, never_close(found, close))}"
    for name, argue in (
        ("AP", average_precision_not_deep), ("p^i", geometric_border_is_m2),
        ("fades", lambda ledger: fades_out(ledger, Term.symbol("L3"), F(64, 100), 5)),
        ("does not fade", lambda ledger: fades_out(ledger, Term.symbol("L3"), F(63, 100), 5)),
    ):  # fmt: skip
        ledger = _ledger()
        yield f"{name}: {_told(ledger, argue(ledger))}"


def _machines() -> Iterator[str]:
    for discount in (*DISCOUNTS, Geometric(F(1)), Geometric(F(3, 2))):
        ledger = _ledger()
        yield f"convex {discount!r}: {_told(ledger, discount_is_convex(ledger, discount))}"
    for novelty, alive in product(NOVELTIES, (False, True)):
        ledger = _ledger()
        yield f"state {novelty!r} {alive}: {_told(ledger, state_is_kept(ledger, novelty, alive=alive))}"


def _applicable() -> Iterator[str]:
    for over, novelty, recall in product(
        (Aspects(), Aspects(weighted=False), Overall(), GlobalGain()), (Always(), Cascade()), (False, True)
    ):
        found = Column(Log(), novelty, over=over, beside_recall=recall)
        says = {r.name: [a for a in AXIOMS if _applies(found, a, r)] for r in (AS_WRITTEN, CHARITABLE)}
        yield f"{over!r} {novelty!r}, recall {recall}: weighted {found.weighted}, per aspect {found.per_aspect}, {says}"


def _numbers() -> Iterator[str]:
    good = {
        "below": lambda v: v < F(1, 3), "above": lambda v: v > F(2, 3), "inside": lambda v: F(1, 5) < v < F(4, 7),
        "outside": lambda v: not F(1, 5) <= v <= F(4, 7), "all": lambda v: True, "none": lambda v: False,
        "three": lambda v: F(1, 10) < v < F(2, 10) or F(3, 10) < v < F(4, 10) or v > F(9, 10),
    }  # fmt: skip
    yield from (f"{name}: {intervals(test, 'x')}" for name, test in good.items())
    for term in (P * P + P - 1, P - 1 + 1, Term.of(-2) + 0 * P, 1 - P, P * 3 - F(1, 2)):
        yield above_zero(term.num)
    one, other = Condition((P - F(1, 2)).num, "<"), Condition((F(1, 2) - P).num, "<=")
    for forms in (
        ((P - 1).num, (P - 1).num),
        ((P - 1).num, P.num),
        (Term.of(1).num, (-P).num),
        (Term.of(-1).num, P.num),
    ):
        gap = Gap((((one,), forms[0]), ((other,), forms[1])))
        yield f"{gap} | {gap.form}"
    yield f"roots {[root(n) for n in range(2, 40)]} {root(1024)} {root(3**9)}"
    yield f"enclosures {[tuple(f'{float(end):.12f}' for end in enclosure(n)) for n in (3, 5, 10)]}"
    small = Term.symbol("eps")
    for term in (P - P, Term.of(-3), small - small * 2, small - 1, 1 - small, P, Term.symbol("L3") - F(63, 100)):
        sign = certified_sign(term.num.terms)
        yield f"sign of {term}: {sign}" + (f", led by {dict(leading(term.num.terms))}" if term.num.terms else "")


def text() -> str:
    with table.listening() as asked:
        lines = [*_thresholds(), *_machines()]
    lines += ["asked:", *sorted(asked), *_applicable(), *_numbers()]
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    ARGUMENTS.write_text(text(), encoding="utf-8")
