"""DeepTh and CloseTh for unbounded n: the behaviour of T(n) = Σ_(j≤n) D(n+j)·ν_j as n grows.

T(n) is the gain of n relevant documents after n non-relevant ones, D(1) = 1 that of one relevant document at the top,
both divided by r_c (and by D(1)). Each argument is an induction over the terms of the sum and a claim about its result.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from diveval.axioms.proof.column_machine import Column
from diveval.axioms.proof.derivation import SYMBOLS, Derivation, Given, State, definitions, premises, ranges, symbol
from diveval.exact.polynomials import Term, Truth

Late = tuple[bool, int, str]  # whether all large n do, the first of them where it is a number (else 0), and in words
N, T, S, D, V, W = (symbol(name) for name in ("n", "T", "S", "d", "v", "w"))


def _relevance(column: Column) -> tuple[Term, list[Given]]:
    """The relevance of a relevant document in the novelty's state machine: r_c, or 1 if only r > 0 counts."""
    r = symbol("r")
    return (Term.of(1), []) if column.binary else (r, ranges(r > 0, r < 1))


def _novelty(column: Column, derivation: Derivation) -> list[Given]:
    """Premises about any reachable state of the novelty's state machine."""
    column.facts.establish(derivation, alive=not column.binary)
    return column.facts.list_facts(derivation, column.facts.fresh("s"))


def _factor(column: Column) -> Term:
    return column.facts.factor(column.facts.fresh("s"))


# --- upper bounds of T ----------------------------------------------------------------------------------------------


def at_most_each(column: Column, derivation: Derivation) -> None:
    """1/i: T(n) ≤ n·D(n+1) = n/(n+1) < 1, because novelty is at most 1."""
    column.ranks.establish(derivation)
    known = _novelty(column, derivation)
    derivation.induction(
        "sum",
        "over the terms: Σ_(i≤j) D(n+i)·ν_i ≤ j·D(n+1)",
        begin={"S": Term.of(0), "j": Term.of(0), "v": D},
        after=lambda now: {"S": now["S"] + now["v"] * _factor(column), "j": now["j"] + 1, "v": W},
        invariant=lambda now: [now["S"] <= now["j"] * D, now["v"] <= D, now["v"] > 0],
        first=ranges(D > 0),
        given=[*known, *ranges(D > 0), *column.ranks.at_ranks(derivation, V, W)],
    )
    given = [
        *derivation.recall_invariant("sum", {"S": T, "j": N, "v": V}),
        *ranges(N >= 1),
        *definitions(D * (N + 1) == 1),
    ]
    derivation.claim("below", "T(n) ≤ n/(n+1) < 1 = D(1) for every n", given, lambda: [T < 1])


def fades(column: Column, derivation: Derivation, u: Term) -> None:
    """The step `fades`: u·T(n) ≤ D(n+1), if each relevant document lowers novelty by at least the share u."""
    column.ranks.establish(derivation)
    column.facts.establish(derivation, alive=True)
    g, inside = _relevance(column)
    state = column.facts.fresh("s")
    main = next(iter(state))

    def after(now: State) -> State:
        here = {name: now[name] for name in state}
        behind = column.facts.after(here, g)
        return {**behind, "S": now["S"] + now["v"] * column.facts.factor(here), "v": W}

    def invariant(now: State) -> list[Truth]:
        here = {name: now[name] for name in state}
        return [
            u * now["S"] <= D * (1 - now[main]),
            now["v"] <= D,
            now["v"] > 0,
            *column.facts.inside(here, alive=True),
        ]

    derivation.induction(
        "fades",
        "over the terms: u·Σ_(i≤j) D(n+i)·ν_i ≤ D(n+1)·(1 − ν_(j+1))",
        begin={**column.facts.begin("s"), "S": Term.of(0), "v": D},
        after=after,
        invariant=invariant,
        first=ranges(D > 0),
        given=[*ranges(D > 0, u > 0, u <= 1), *inside, *column.ranks.at_ranks(derivation, V, W)],
    )
    given = [*derivation.recall_invariant("fades", {**state, "S": T, "v": V}), *ranges(D > 0)]
    derivation.claim("tail", "so u·T(n) ≤ D(n+1)", given, lambda: [u * T <= D])


def geometric_tail(column: Column, derivation: Derivation, p: Term) -> None:
    """The step `tail`: (1−p)·T(n) ≤ p^n."""
    known, x = _novelty(column, derivation), symbol("x")
    inside = ranges(p > 0, p < 1, x > 0)
    derivation.induction(
        "sum",
        "over the terms: (1−p)·Σ_(i≤j) p^(n+i−1)·ν_i ≤ p^n − p^(n+j)",
        begin={"S": Term.of(0), "v": x},
        invariant=lambda now: [now["S"] * (1 - p) <= x - now["v"], now["v"] > 0],
        first=inside,
        given=[*known, *inside],
        after=lambda now: {"S": now["S"] + now["v"] * _factor(column), "v": now["v"] * p},
    )
    given = [*derivation.recall_invariant("sum", {"S": T, "v": V}), *inside]
    derivation.claim("tail", "so (1−p)·T(n) ≤ p^n", given, lambda: [T * (1 - p) <= x])


# --- CloseTh --------------------------------------------------------------------------------------------------------


def never_close(column: Column, derivation: Derivation) -> bool:
    """Prove that for no m are m relevant documents after m others worth more than one at the top."""
    if column.ranks.kind == "reciprocal":
        at_most_each(column, derivation)
    elif column.ranks.kind == "flat" and column.binary and column.facts.graded:
        cover_once(column, derivation)
    else:
        return False
    effort_only_costs(column, derivation)
    return True


def cover_once(column: Column, derivation: Derivation) -> None:
    """Coverage: only the first relevant document contributes."""
    facts, state = column.facts, column.facts.fresh("s")
    derivation.induction(
        "sum",
        "over the terms: the first brings 1, the others nothing",
        begin={**facts.after(facts.begin("s"), Term.of(1)), "S": facts.factor(facts.begin("s"))},
        after=lambda now: {
            **facts.after({k: now[k] for k in state}, Term.of(1)),
            "S": now["S"] + facts.factor({k: now[k] for k in state}),
        },
        invariant=lambda now: [now["S"] == 1, *(now[name] == 0 for name in state)],
    )
    known = derivation.recall_invariant("sum", {**state, "S": T})
    derivation.claim("below", "T(n) = 1 = D(1) for every n", known, lambda: [T <= 1, T >= 1])


def effort_only_costs(column: Column, derivation: Derivation) -> None:
    """The effort of additional documents never raises the score of the longer ranking."""
    if column.has_effort:
        paid, once, rest, effort = symbol("E"), symbol("d1"), symbol("rest"), SYMBOLS.of(column.effort)
        given = [*ranges(once > 0, rest >= 0, effort >= 0), *definitions(paid == once + rest)]
        says = "2m documents cost at least what one costs"
        derivation.claim("effort", says, given, lambda: [effort * (paid - once) >= 0])


def geometric_border_is_n2(derivation: Derivation) -> None:
    """p^i with ν_j = (q/p)^(j−1), q ≤ p: if T(2) < 1, then T(n) < 1 for every n, T(n) = p^n·(1 + q + … + q^(n−1))."""
    p, q, x = symbol("pp"), symbol("qq"), symbol("x")
    start = 1 + q + q * q
    given = ranges(q >= 0, q <= p, p > 0, p < 1)
    two = premises(p * p * (1 + q) < 1)
    derivation.claim("n = 3", "p²(1+q) < 1 gives p³(1+q+q²) < 1", [*given, *two], lambda: [p**3 * start < 1])
    says = "and p·(1+q+q²+q³) ≤ 1+q+q²: from n = 3 to 4 the gain does not grow"
    derivation.claim("growth", says, [*given, *two], lambda: [p * (start + q**3) <= start])
    derivation.induction(
        "sum",
        "over n ≥ 3: T(n) < 1, with 1 + q + … + q^(n−1) ≥ 1+q+q² and q^n ≤ q³",
        begin={"F": p**3, "S": start, "x": q**3},
        invariant=lambda now: [
            now["F"] * now["S"] < 1,
            now["F"] > 0,
            now["S"] >= start,
            now["x"] >= 0,
            now["x"] <= q**3,
        ],
        after=lambda now: {"F": now["F"] * p, "S": now["S"] + now["x"], "x": now["x"] * q},
        first=[*given, *derivation.cite("n = 3", p**3 * start < 1)],
        given=[*given, *derivation.cite("growth", p * (start + q**3) <= start)],
    )
    known = derivation.recall_invariant("sum", {"F": symbol("F"), "S": S, "x": x})
    derivation.claim("below", "so T(n) < 1 for every n", known, lambda: [symbol("F") * S < 1])


def geometric_border_is_m2(derivation: Derivation) -> None:
    """p^i with ν_j = (q/p)^(j−1), q ≤ p: if m = 2 does not suffice, no m does. f(m) = p^m·S_m, S_m = 1 + q + … + q^(m−1)."""
    p, q, x = symbol("pp"), symbol("qq"), symbol("x")
    start = 1 + q + q * q
    given = ranges(q >= 0, q <= p, p > 0, p < 1)
    two = premises(p * p * (1 + q) <= 1)
    derivation.claim("m = 1", "p < 1: m = 1 never does", given, lambda: [p <= 1])
    says = "p²(1+q) ≤ 1 gives p³(1+q+q²) ≤ 1: where m = 2 fails, m = 3 fails"
    derivation.claim("m = 3", says, [*given, *two], lambda: [p**3 * start <= 1])
    says = "and p·(1+q+q²+q³) ≤ 1+q+q²: from m = 3 to 4 the gain does not grow"
    derivation.claim("growth", says, [*given, *two], lambda: [p * (start + q**3) <= start])
    derivation.induction(
        "sum",
        "over m ≥ 3: p^m·S_m ≤ 1, with S_m ≥ 1+q+q² and q^m ≤ q³",
        begin={"F": p**3, "S": start, "x": q**3},
        invariant=lambda now: [
            now["F"] * now["S"] <= 1,
            now["F"] > 0,
            now["S"] >= start,
            now["x"] >= 0,
            now["x"] <= q**3,
        ],
        after=lambda now: {"F": now["F"] * p, "S": now["S"] + now["x"], "x": now["x"] * q},
        first=[*given, *derivation.cite("m = 3", p**3 * start <= 1)],
        given=[*given, *derivation.cite("growth", p * (start + q**3) <= start)],
    )
    known = derivation.recall_invariant("sum", {"F": symbol("F"), "S": S, "x": x})
    derivation.claim("below", "so no m does where m = 2 does not", known, lambda: [symbol("F") * S <= 1])


def fades_out(column: Column, derivation: Derivation, weight: Term, border: Fraction, beyond: int) -> bool:
    """Decreasing novelty: u·T(m) ≤ D(m+1); from `beyond` on, and for u at or above the border, T(m) < 1 = D(1)."""
    u = column.facts.fades_by(symbol("r"), binary=column.binary)
    assert u is not None
    fades(column, derivation, u)
    small = (Term.of(weight) < border) is True
    derivation.exact("small", f"D({beyond}) < {float(border):.6f}", small)
    given = [*ranges(u <= 1, D > 0), *premises(u >= border)]
    given += [*derivation.cite("tail", u * T <= D), *derivation.cite("small", border > D)]
    derivation.claim("below", f"so T(m) < 1 = D(1) for every m from {beyond - 1} on", given, lambda: [T < 1])
    return small


# --- DeepTh: all n from some N on -----------------------------------------------------------------------------------


def eventually_deep(column: Column, derivation: Derivation) -> Late | None:
    """The answer for `every n ≥ N`; None if no argument is known."""
    argue: dict[str, Callable[[Column, Derivation], Late | None]] = {
        "reciprocal": _reciprocal_deep,
        "geometric": _geometric_deep,
        "flat": _flat_not_deep,
        "log": _log_deep,
    }
    return argue[column.ranks.kind](column, derivation)


def _reciprocal_deep(column: Column, derivation: Derivation) -> Late:
    at_most_each(column, derivation)
    return True, 1, "every n ≥ 1"


def _geometric_deep(column: Column, derivation: Derivation) -> Late:
    p, x = column.ranks.p, symbol("x")
    geometric_tail(column, derivation, p)
    inside = ranges(p > 0, p < 1)
    derivation.induction(
        "powers",
        "over n: p^n·(p + n·(1−p)) ≤ p",
        begin={"x": Term.of(1), "n": Term.of(0)},
        invariant=lambda now: [now["x"] * (p + now["n"] * (1 - p)) <= p, now["x"] > 0, now["x"] <= 1, now["n"] >= 0],
        after=lambda now: {"x": now["x"] * p, "n": now["n"] + 1},
        first=inside,
        given=inside,
    )
    given = [
        *inside,
        *derivation.cite("tail", T * (1 - p) <= x),
        *derivation.recall_invariant("powers", {"x": x, "n": N}),
    ]
    given += premises(N * (1 - p) * (1 - p) > p * p)
    derivation.claim("below", "so T(n) < 1 = D(1) for every n > (p/(1−p))²", given, lambda: [T < 1])
    return True, 0, "every n > (p/(1−p))²"


def _flat_not_deep(column: Column, derivation: Derivation) -> Late:
    known = _novelty(column, derivation)
    facts = column.facts
    derivation.induction(
        "sum",
        "over the terms: the first brings 1, the others nothing less than 0",
        begin={"S": facts.factor(facts.begin("s"))},
        after=lambda now: {"S": now["S"] + _factor(column)},
        invariant=lambda now: [now["S"] >= 1],
        given=known,
    )
    derivation.claim(
        "above", "T(n) ≥ 1 = D(1) for every n", derivation.recall_invariant("sum", {"S": T}), lambda: [T >= 1]
    )
    return False, 1, "every n ≥ 1"


def _log_deep(column: Column, derivation: Derivation) -> Late | None:
    u = column.facts.fades_by(symbol("r"), binary=column.binary)
    if u is not None:
        fades(column, derivation, u)
        m = symbol("m")
        _, inside = _relevance(column)
        rate = [*ranges(m > 0, D > 0, u > 0), *inside]
        says = "D(n+1) ≤ 1/m < u for m > 1/u and n + 1 large enough (2^m and more)"
        given = [*rate, *premises(m * u > 1), *derivation.cite("logarithm", D * m <= 1)]
        derivation.claim("small", says, given, lambda: [u > D])
        given = [*rate, *derivation.cite("tail", u * T <= D), *derivation.cite("small", u > D)]
        derivation.claim("below", "so T(n) < 1 = D(1)", given, lambda: [T < 1])
        return True, 0, "every n ≥ 2^m with m > 1/u, u being " + ("r_c" if column.facts.graded else "α")
    if column.facts.remembers:
        return None
    return _log_not_deep(column, derivation)


def _log_not_deep(column: Column, derivation: Derivation) -> Late:
    factor, shift, first = column.ranks.doubled
    column.ranks.establish(derivation)
    last = symbol("l")
    derivation.induction(
        "sum",
        "over the terms: Σ_(i≤j) D(n+i) ≥ j·D(2n)",
        begin={"S": Term.of(0), "j": Term.of(0)},
        after=lambda now: {"S": now["S"] + V, "j": now["j"] + 1},
        invariant=lambda now: [now["S"] >= now["j"] * last],
        given=[*ranges(last > 0), *derivation.cite("logarithm", last <= V)],
    )
    power = symbol("X")
    derivation.exact("base", f"{factor}·{first}{'+1' if shift else ''} ≤ 2^{first}", factor * first + shift <= 2**first)
    derivation.induction(
        "powers",
        f"over n ≥ {first}: {factor}n{'+1' if shift else ''} ≤ 2^n",
        begin={"n": Term.of(first), "X": Term.of(2**first)},
        after=lambda now: {"n": now["n"] + 1, "X": 2 * now["X"]},
        invariant=lambda now: [factor * now["n"] + shift <= now["X"], now["n"] >= first],
    )
    given = [
        *derivation.recall_invariant("sum", {"S": T, "j": N}),
        *derivation.recall_invariant("powers", {"n": N, "X": power}),
    ]
    given += derivation.cite("logarithm", last * N >= 1)
    says = "D(2n) ≥ 1/n, since 2^n is at least its argument: T(n) ≥ n·D(2n) ≥ 1 = D(1)"
    derivation.claim("above", says, given, lambda: [T >= 1])
    return False, first, f"every n ≥ {first}"


def average_precision_not_deep(derivation: Derivation) -> Late:
    """AP: the j-th relevant document adds j/(n+j) ≥ j/(2n)."""
    j, share = symbol("j"), symbol("share")
    derivation.induction(
        "sum",
        "over the relevant documents: Σ_(i≤j) i/(n+i) ≥ j(j+1)/(4n)",
        begin={"S": Term.of(0), "j": Term.of(0)},
        invariant=lambda now: [4 * N * now["S"] >= now["j"] * (now["j"] + 1), now["j"] >= 0],
        after=lambda now: {"S": now["S"] + share, "j": now["j"] + 1},
        given=[*ranges(N >= 1, j + 1 <= N), *definitions(share * (N + j + 1) == j + 1)],
        first=ranges(N >= 1),
    )
    given = [*derivation.recall_invariant("sum", {"S": T, "j": N}), *ranges(N >= 3)]
    derivation.claim("above", "at j = n the sum is at least (n+1)/4 ≥ 1 for n ≥ 3", given, lambda: [T >= 1])
    return False, 3, "every n ≥ 3"
