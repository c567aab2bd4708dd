"""DeepTh and CloseTh at a given cutoff: the verdict, with its printed conditions, against the scores of the pairs.

At k documents n (or m) has finitely many values that matter. Where the verdict says so, one of them must order its pair
rightly, and elsewhere none may. This is tested at random points; those of a region lie on both sides of its border, and
close to it.
"""

from __future__ import annotations

import random
import re
from fractions import Fraction as F
from typing import Any

from definitions import BoundFormula, Rows, meets, total
from formulas import RELATIONS, Env, inverse_log, parsed, symbols_of, value

THRESHOLDS = ("DeepTh", "CloseTh")
CASCADE = {
    "kind": "Sum",
    "over": {"kind": "Aspects", "weighted": False},
    "discount": {"kind": "Log"},
    "novelty": {"kind": "Cascade"},
    "effort": "0",
}
POINTS, BORDERS, TRIED, HALVINGS = 4, 4, 400, 10
CLOSE = F(1, 10**45)  # logarithms are taken to 60 digits
TINY = F(1, 10**9)  # for r_c → 0
POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
NAMES = {"α": "alpha", "β": "beta", "λ": "lam", "r_c": "r"}
SIGNS = {"<": "<", "≤": "<=", "=": "="}  # the others are their opposites
DENIED = {"≥": "<", ">": "<=", "≠": "="}
FACTOR = re.compile(r"(?:1/log₂(?P<log>\d+)|(?P<number>\d+(?:/\d+)?)|(?P<name>[A-Za-z_α-ω]+))(?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹]*)")
SOME = re.compile(
    r"some m ≤ (\d+) has Σ_\(j≤m\) D\(m\+j\)·ν_j > D\(1\) within the cutoff, with D\(i\) = (\S+) and ν_j = (.+)"
)
POWER = re.compile(r"(?:\((\S+)\)|(\w+))\^(i|\(i−1\)|\(j−1\))")


def at_a_cutoff(data: Any) -> bool:
    """Whether a claim is about a threshold at a given cutoff, and of a metric whose formula is known: then it is tested."""
    verdict, known = data["verdict"], isinstance(data["cutoff"], int) and data["formula"] is not None
    answers = verdict["verdict"] in ("holds", "region", "fails")
    return known and answers and verdict["axiom"] in THRESHOLDS and bool(sizes(data))


def check_region(data: Any, source: random.Random) -> list[str]:
    """What is wrong with the verdict on a threshold at a given cutoff; nothing where this decides none."""
    if not at_a_cutoff(data):
        return []
    tried, k = [_point(data, source) for _ in range(TRIED)], data["cutoff"]
    try:
        inside = [at for at in tried if holds(_conditions(data), at, k)]
    except ValueError as error:
        return [] if data["steps"] else [f"region without evidence: {error}"]
    outside = [at for at in tried if at not in inside]
    points = [*inside[:POINTS], *outside[:POINTS]]
    if data["verdict"]["verdict"] == "region":
        if not inside:
            return ["the conditions of the region are never true"]
        if holds(_conditions(data), _shown(data), k):
            return ["the counterexample is in the region"]
        for one, other in zip(inside[-BORDERS:], outside[-BORDERS:], strict=False):
            points += _border(_conditions(data), one, other, k)
    where = "the scores do not agree with the verdict at"
    try:
        return [f"{where} {_said(at)}" for at in points if _differs(data, at)]
    except NotImplementedError:
        return [] if data["steps"] or data["shapes"] else ["no evidence: the metric has no definition here"]


def _conditions(data: Any) -> str:
    """Where the constraint holds: everywhere, nowhere, or in the region."""
    verdict = data["verdict"]
    always = {"holds": "0 = 0", "fails": "0 = 1"}.get(verdict["verdict"])
    return always or str(verdict["region"]["formula"])


def _shown(data: Any) -> Env:
    """The parameters and the relevance of the counterexample."""
    example = data["verdict"]["counterexample"]
    relevance = max(F(number) for row in example["better"] for number in row)
    return {name: F(number) for name, number in example["setting"].items()} | {"r": relevance}


def _said(at: Env) -> str:
    return ", ".join(f"{name} = {float(number):.6g}" for name, number in at.items())


def _differs(data: Any, at: Env) -> bool:
    right = any(is_witness(data, n, at) for n in sizes(data))
    return right != holds(_conditions(data), at, data["cutoff"])


def sizes(data: Any) -> list[int]:
    """The n of which one must do: those that fit the cutoff, or all that it does not cut to nothing."""
    k, reading = data["cutoff"], data["reading"]
    if data["verdict"]["axiom"] == "CloseTh":
        return list(range(1, k + 1 if reading["cutoff_binds"] else k // 2 + 1))
    if reading["cutoff_binds"]:  # n = k, or every n from one on: no region
        return []
    return [k // 2] if reading["deep_threshold"] == "eventually" else list(range(1, k // 2 + 1))


def is_witness(data: Any, n: int, at: Env) -> bool:
    """Whether the pair of n is a pair of the constraint and ordered rightly, at one point."""
    r, zero = at["r"], [F(0)]
    one: Rows = [[r], *[zero] * (2 * n - 1 if data["reading"]["padded"] else 0)]
    many: Rows = [*[zero] * n, *[[r]] * n]
    close = data["verdict"]["axiom"] == "CloseTh"
    better, worse = (many, one) if close else (one, many)
    formula, reading = data["formula"], data["reading"]
    pair = meets(data["verdict"]["axiom"], reading, better, worse, [F(1)], formula["cutoff"])
    if formula["kind"] == "AlphaBeta":  # with one aspect it is a cascade over β·r_c, divided by its ideal
        beta, formula = F(value(parsed(formula["beta"]), at)), {**formula, **CASCADE}
        better, worse, many = ([[beta * row[0]] for row in rows] for rows in (better, worse, many))
    # Both are divided by the same ideal, which is positive and changes nothing; a blend needs its value.
    same = formula["kind"] in ("Normalised", "PerChannel")
    metric = BoundFormula(formula, [F(1)], [*many, many[-1]], at | {"I0": F(1)}, symbolic_ideals=same)
    return pair and metric.score(better) > metric.score(worse) + CLOSE


# --- points -----------------------------------------------------------------------------------------------------------


def _point(data: Any, source: random.Random) -> Env:
    """Random parameters, some of them near an end of their range, and a relevance r_c."""
    at = {name: _number(source) for name in sorted(symbols_of(parsed(text) for text in data["ranges"]))}
    reading = data["reading"]
    small = reading["small_rc"] and data["verdict"]["axiom"] == "CloseTh"
    fixed = TINY if small else None if reading["r_c"] is None else F(reading["r_c"])
    return at | {"r": _number(source) if fixed is None else fixed}


def _number(source: random.Random) -> F:
    x = F(source.randrange(1, 64), 64)
    return source.choice([x, x, x, x / 16, x / 256, x / 1024, 1 - x / 16, 1 - x / 256])


def _border(text: str, inside: Env, outside: Env, k: int) -> list[Env]:
    """Two points on both sides of a border of the conditions, between two that are further apart."""
    for _ in range(HALVINGS):
        middle = {name: (inside[name] + outside[name]) / 2 for name in inside}
        inside, outside = (middle, outside) if holds(text, middle, k) else (inside, middle)
    return [inside, outside]


# --- printed conditions -----------------------------------------------------------------------------------------------


def holds(text: str, at: Env, k: int) -> bool:
    """Whether printed conditions are true at a point. `and` is stronger than `or`, except after `and (`."""
    first, _, rest = text.partition(" and (")
    if rest and rest.endswith(")") and " or " not in first:
        return holds(first, at, k) and holds(rest[:-1], at, k)
    some = SOME.fullmatch(text)
    if some:
        first_weight = _term(some[2], 1, at)
        return any(_sum(some[2], some[3], m, k, at) > first_weight + CLOSE for m in range(1, int(some[1]) + 1))
    return any(all(_compare(one, at) for one in part.split(" and ")) for part in text.split(" or "))


def _sum(discount: str, novelty: str, m: int, k: int, at: Env) -> F:
    """Σ D(m+j)·ν_j over the relevant documents j ≤ m within the cutoff."""
    return total(_term(discount, m + j, at) * _term(novelty, j, at) for j in range(1, m + 1) if m + j <= k)


def _term(text: str, i: int, at: Env) -> F:
    """The weight of rank i, or the novelty of the i-th relevant document, as mathematics writes it."""
    if text in ("1", "[j = 1]"):
        return F(text == "1" or i == 1)
    if text == "1/i":
        return F(1, i)
    if text in ("1/log₂(i+1)", "1/log₂(2i)"):
        return inverse_log(i + 1 if text == "1/log₂(i+1)" else 2 * i)
    power = POWER.fullmatch(text)
    if power is None:
        raise ValueError(f"cannot read {text}")
    base, exponent = power[1] or power[2], i if power[3] == "i" else i - 1
    left, minus, right = base.rpartition("1−")
    number = _product(right, at) if not left else _product(base, at)
    return F(1 - number if minus else number) ** exponent


def _compare(text: str, at: Env) -> bool:
    """Whether a polynomial and a number compare as printed."""
    found = re.fullmatch(r"(.+) ([<>≤≥=≠]) (\S+)", text)
    if found is None:
        raise ValueError(f"cannot read {text}")
    left, right = _polynomial(found[1], at), _polynomial(found[3], at)
    sign = found[2]
    return RELATIONS[SIGNS[sign]](left, right) if sign in SIGNS else not RELATIONS[DENIED[sign]](left, right)


def _polynomial(text: str, at: Env) -> F:
    """3 + 4·α − 1/log₂5·p²: products with a sign between them."""
    signed = re.sub(r"^−\s*", "0 − ", text)
    first, *rest = re.split(r" ([+−]) ", signed)
    values = (
        _product(product, at) * (1 if sign == "+" else -1) for sign, product in zip(rest[::2], rest[1::2], strict=True)
    )
    return _product(first, at) + total(values)


def _product(text: str, at: Env) -> F:
    product = F(1)
    for part in text.split("·"):
        factor = FACTOR.fullmatch(part)
        if factor is None:
            raise ValueError(f"cannot read {part}")
        if factor["name"] and NAMES.get(factor["name"], factor["name"]) not in at:
            raise ValueError(f"{factor['name']} is no parameter")
        base = (
            inverse_log(int(factor["log"]))
            if factor["log"]
            else F(factor["number"])
            if factor["number"]
            else at[NAMES.get(factor["name"], factor["name"])]
        )
        product *= base ** int(factor["power"].translate(POWERS) or 1)
    return product
