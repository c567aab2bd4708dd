"""Lemmas about one column: a better order, the same swap further up, noise at the end."""

from __future__ import annotations

from diveval.axioms.arithmetic.polynomials import Term, Truth
from diveval.axioms.proof.argument import (
    GAIN,
    Argument,
    Named,
    gaining,
    recall_of_a_swap,
    region,
    same_state,
)
from diveval.axioms.proof.ledger import SYMBOLS, State, premises, ranges, symbol
from diveval.axioms.proof.parts import convex_steps


def priority(a: Argument) -> bool:
    if a.column.binary or not a.ranks.falls:
        return False
    a.ranks.establish(a.ledger)
    a.facts.establish(a.ledger, alive=True)
    recall_of_a_swap(a)
    return _priority_any(a) if a.reading.swap == "any" else _contiguous(a)


def _contiguous(a: Argument) -> bool:
    state = a.facts.fresh("s")
    x, y, first, second = symbol("x"), symbol("y"), symbol("d1"), symbol("d2")
    given = [*a.facts.known(a.ledger, state), *a.limits([x, y], state), *premises(x < y), *a.weights(first, second)]

    def gain() -> Named:
        up, behind = a.run(state, [(y, first), (x, second)])
        down, same = a.run(state, [(x, first), (y, second)])
        return gaining(up - down, *same_state(behind, same))

    a.ledger.claim(
        "swap",
        "from any state, putting the more relevant of two neighbours first gains, and leaves the same state, so all"
        " later ranks add the same",
        given,
        gain,
    )
    if a.axiom.lemma == "priority":
        a.whole(a.ledger.cite("swap", GAIN > 0))
    return True


def _priority_any(a: Argument) -> bool:
    """Invariant between the two places: Δ + D·(f(a)·x − f(b)·y) > 0, where a and b are the states of the two runs, and
    reading x after a leads where reading y after b leads."""
    if not a.facts.commutes:
        return False
    state = a.facts.fresh("s")
    x, y, r = symbol("x"), symbol("y"), symbol("r1")
    d1, d2, d, further = symbol("d1"), symbol("d2"), symbol("d"), symbol("d3")
    values = [*ranges(*(v >= 0 for v in (x, y)), *(v < 1 for v in (x, y))), *premises(x < y)]

    def parts(now: State) -> tuple[State, State]:
        return {k: v for k, v in now.items() if k[0] == "a"}, {k: v for k, v in now.items() if k[0] == "b"}

    def invariant(now: State) -> list[Truth]:
        better, worse = parts(now)
        owed = a.facts.factor(better) * x - a.facts.factor(worse) * y
        return [
            now["delta"] + now["d"] * owed > 0,
            owed <= 0,
            a.facts.factor(better) <= a.facts.factor(worse),
            *a.facts.inside(better, alive=True),
            *a.facts.inside(worse, alive=True),
            now["d"] > 0,
            *same_state(a.facts.after(better, x), a.facts.after(worse, y)),
        ]

    def renamed(name: str, of: State) -> State:
        return dict(zip(a.facts.fresh(name), of.values(), strict=True))

    up, better = a.run(state, [(y, d1)])
    down, worse = a.run(state, [(x, d1)])
    begin = {**renamed("a", better), **renamed("b", worse), "delta": up - down, "d": d2}

    def after(now: State) -> State:
        one, other = parts(now)
        gained, next_one = a.run(one, [(r, now["d"])])
        lost, next_other = a.run(other, [(r, now["d"])])
        return {**next_one, **next_other, "delta": now["delta"] + gained - lost, "d": further}

    a.ledger.induction(
        "between",
        "over the documents between: Δ + D·(f(a)·x − f(b)·y) > 0, a and b being the states of the two runs",
        begin=begin,
        after=after,
        invariant=invariant,
        first=[*a.facts.known(a.ledger, state), *values, *a.weights(d1, d2)],
        given=[*values, *ranges(r >= 0, r < 1), *a.weights(d, further)],
    )
    now: State = {**a.facts.fresh("a"), **a.facts.fresh("b"), "delta": symbol("delta"), "d": d}

    def close() -> Named:
        one, other = parts(now)
        gained, end = a.run(one, [(x, d)])
        lost, same = a.run(other, [(y, d)])
        return gaining(now["delta"] + gained - lost, *same_state(end, same))

    a.ledger.claim(
        "swap",
        "at the lower place the gain is still positive and both runs meet in one state",
        [*a.ledger.known("between", now), *values],
        close,
    )
    a.whole(a.ledger.cite("swap", GAIN > 0))
    return True


def deepness(a: Argument) -> bool:
    if a.column.binary or not a.ranks.falls:
        return False
    a.ranks.establish(a.ledger)
    a.facts.establish(a.ledger, alive=True)
    recall_of_a_swap(a)
    upper = a.facts.fresh("a")
    r, x, y = symbol("r1"), symbol("x"), symbol("y")
    base = ranges(x >= 0, y >= 0, x < 1, y < 1)

    def lower(now: State) -> list[Truth]:
        seen = [a.facts.seen(now) >= a.facts.seen(upper) + x + y] if len(now) > 1 else []
        return [a.facts.level(now) <= a.facts.level(upper), *a.facts.inside(now, alive=True), *seen] if now else []

    used = [*a.facts.known(a.ledger, upper), *base]
    if upper:

        def begin() -> State:
            return dict(zip(a.facts.fresh("b"), a.facts.after(a.facts.after(upper, x), y).values(), strict=True))

        limited = premises(a.facts.seen(a.facts.fresh("b")) + r < 1) if a.reading.contribution == "sum" else []
        top = premises(a.facts.seen(upper) + x + y < 1) if a.reading.contribution == "sum" else []
        a.ledger.induction(
            "novelty",
            "over the documents between: novelty at the lower place is at most that at the upper",
            begin=begin,
            after=lambda now: a.facts.after(now, r),
            invariant=lower,
            first=[*used, *top],
            given=[*used, *top, *ranges(r >= 0, r < 1), *limited],
            variables=tuple(a.facts.fresh("b")),
        )
    _steps_fall(a)
    below = a.facts.fresh("b")
    d1, d2, u, v = symbol("d1"), symbol("d2"), symbol("u"), symbol("v")
    given = [
        *used,
        *(a.ledger.known("novelty", below) if below else []),
        *a.limits([x, y], below),
        *premises(x < y),
        *a.ledger.known("distance", {"u": u, "v": v}),
        *a.weights(d1, d2),
    ]

    def gained(state: State, first: Term, second: Term) -> Term:
        up, _ = a.run(state, [(y, first), (x, second)])
        down, _ = a.run(state, [(x, first), (y, second)])
        return Term.of(up - down)

    a.ledger.claim(
        "upper",
        "the same swap gains more from the state and at the ranks of the upper place",
        given,
        lambda: gaining(gained(upper, d1, d2) - gained(below, u, v)),
    )
    _contiguous(a)
    a.whole(a.ledger.cite("upper", GAIN > 0))
    return True


def _steps_fall(a: Argument) -> None:
    """The step `distance`: D(i) − D(i+1) > D(j) − D(j+1) for every j > i, by induction over j."""
    d1, d2, z, u, v, w = (symbol(name) for name in ("d1", "d2", "d3", "u", "v", "w"))

    def invariant(now: State) -> list[Truth]:
        return [now["u"] > now["v"], now["v"] > 0, d1 - d2 > now["u"] - now["v"], now["u"] <= d2]

    a.ledger.induction(
        "distance",
        "over the distance: the weight falls less from D(j) to D(j+1) than from D(i) to D(i+1)",
        begin={"u": d2, "v": z},
        after=lambda now: {"u": now["v"], "v": w},
        invariant=invariant,
        first=[*a.weights(d1, d2, z), *convex_steps(a.ledger, a.ranks, d1, d2, z)],
        given=[*a.weights(u, v, w), *convex_steps(a.ledger, a.ranks, u, v, w), *a.weights(d1, d2)],
    )


def confidence(a: Argument) -> bool:
    a.ranks.establish(a.ledger)
    effort, d = SYMBOLS.of(a.column.effort), symbol("d1")
    a.ledger.claim(
        "cost",
        "behind any ranking a non-relevant document adds −D·e < 0",
        [*region(a), *a.weights(d)],
        lambda: gaining(d * effort),
    )
    a.whole(a.ledger.cite("cost", GAIN > 0))
    return True
