"""Conclusions recomputed exactly: every labelling, every corner of the weights, and the roots of the lead in a parameter.

All numbers are fractions, all metrics are loops over their definitions, and nothing is sampled: a lead is a polynomial in
the parameter in doubt, and Sturm's theorem counts its roots. `PYTHONPATH=tests python -m support.exact_conclusions 2000`
runs that many collections of each kind of doubt and prints the counts.
"""

from __future__ import annotations

import itertools
import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction as F
from typing import Any

from diveval import conclude
from diveval.conclusions import Conclusion
from diveval.errors import DivevalError
from support.labelled_conclusions import Label, Labelled, draw

Row = list[F]
Polynomial = list[F]  # the coefficient of x^i at i
ROUNDING = 1e-9  # margins are given to ten digits


# --- polynomials ------------------------------------------------------------------------------------------------------


def add(a: Polynomial, b: Polynomial, factor: F = F(1)) -> Polynomial:
    """a + factor · b."""
    size = max(len(a), len(b))
    out = [(a[i] if i < len(a) else F(0)) + factor * (b[i] if i < len(b) else F(0)) for i in range(size)]
    return trim(out)


def times_of(a: Polynomial, b: Polynomial) -> Polynomial:
    """a · b."""
    out = [F(0)] * max(len(a) + len(b) - 1, 0)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += x * y
    return trim(out)


def trim(a: Polynomial) -> Polynomial:
    """The polynomial without leading zeros."""
    end = max((i + 1 for i, x in enumerate(a) if x), default=0)
    return a[:end]


def at(a: Polynomial, x: F) -> F:
    """The value at x."""
    out = F(0)
    for coefficient in reversed(a):
        out = out * x + coefficient
    return out


def divide(a: Polynomial, b: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Quotient and remainder."""
    quotient, rest = [F(0)] * max(len(a) - len(b) + 1, 0), list(a)
    while len(rest) >= len(b):
        factor, shift = rest[-1] / b[-1], len(rest) - len(b)
        quotient[shift] = factor
        rest = trim([x - (factor * b[i - shift] if i >= shift else 0) for i, x in enumerate(rest)])
    return trim(quotient), rest


def derivative(a: Polynomial) -> Polynomial:
    """Its derivative."""
    return trim([i * x for i, x in enumerate(a)][1:])


def least_sign(a: Polynomial, low: F, high: F) -> int:
    """The sign of the least value in [low, high]: −1, 0 or 1."""
    if not a:
        return 0
    ends = [at(a, low), at(a, high)]
    if min(ends) < 0 or low == high:
        return (min(ends) > 0) - (min(ends) < 0)
    b, c = a, derivative(a)
    while c:
        b, c = c, divide(b, c)[1]
    simple = divide(a, b)[0]  # the same roots, each once
    chain = [simple, derivative(simple)]
    while chain[-1]:
        chain.append([-x for x in divide(chain[-2], chain[-1])[1]])
    chain.pop()

    def changes(x: F) -> int:
        signs = [value > 0 for value in (at(p, x) for p in chain) if value]
        return sum(x != y for x, y in itertools.pairwise(signs))

    def negative(left: F, right: F) -> bool:
        """Whether it is negative somewhere in between; at neither end it is."""
        roots = changes(left) - changes(right)  # in (left, right]
        inner = roots - (not at(a, right))
        if not inner and at(a, left) and at(a, right):
            return False
        middle = (left + right) / 2
        if at(a, middle) < 0:
            return True
        if inner <= 1 and at(a, left) and at(a, right):
            return False  # one root without a change of sign: it touches 0
        if not inner:  # roots at the ends only: the sign in between is that of the middle
            return at(a, middle) < 0
        return negative(left, middle) or negative(middle, right)

    if negative(low, high):
        return -1
    return 0 if not min(ends) or changes(low) > changes(high) else 1


# --- relevance and weights from the definitions -----------------------------------------------------------------------


def kept_of(case: Labelled, topic: str, labels: Sequence[Label]) -> tuple[list[F], dict[str, Row]]:
    """Weights of the aspects that count, and the relevance of every judged document to them."""
    grades = {aspect: dict(row) for aspect, row in case.judged[topic].items()}
    for aspect, document, grade in labels:
        grades[aspect][document] = grade
    rules, kept, columns = case.rules, list[str](), list[dict[str, F]]()
    for aspect, row in grades.items():
        counting = {d: F(g) for d, g in row.items() if g > 0 and g >= (rules["rel"] or 0)}
        if not counting and rules["empty_aspects"] == "drop":
            continue
        top = F(case.highest)
        if rules["gmax"] == "per-aspect":
            top = max(counting.values(), default=F(1))
        elif rules["gmax"] != "file":
            top = F(rules["gmax"])
        kept.append(aspect)
        columns.append({d: _relevance(g, top, rules["gain"]) for d, g in counting.items()})
    weights = [F(1, max(len(kept), 1))] * len(kept)
    if case.weights is not None:
        weights = [F(str(case.weights[topic, aspect])) for aspect in kept]
        if rules["renormalise"] and kept:
            if not sum(weights):
                raise ValueError("no weight")
            weights = [w / sum(weights) for w in weights]
    documents = {d for row in grades.values() for d in row}
    return weights, {d: [column.get(d, F(0)) for column in columns] for d in documents}


def _relevance(grade: F, top: F, gain: str) -> F:
    if gain == "binary":
        return F(1)
    return grade / top if gain == "linear" else F(2 ** int(grade) - 1, 2 ** int(top))


# --- metrics: polynomials in the one parameter in doubt, constants without ---------------------------------------------

Score = Callable[[Sequence[Row], list[F]], Polynomial]


def constant(value: F) -> Polynomial:
    """A polynomial without its variable."""
    return trim([value])


def power(base: Polynomial, n: int) -> Polynomial:
    """base^n."""
    out = [F(1)]
    for _ in range(n):
        out = times_of(out, base)
    return out


def rbu(k: int, p: Polynomial, e: Polynomial) -> Score:
    """Σ_i p^i (Σ_t w(t) r(i,t) Π_{j<i} (1 − r(j,t)) − e)."""

    def score(rows: Sequence[Row], weights: list[F]) -> Polynomial:
        left, total = [F(1)] * len(weights), list[F]()
        for i, row in enumerate(rows[:k], 1):
            gain = sum((w * r * s for w, r, s in zip(weights, row, left, strict=True)), F(0))
            total = add(total, times_of(power(p, i), add(constant(gain), e, F(-1))))
            left = [s * (1 - r) for s, r in zip(left, row, strict=True)]
        return total

    return score


def err(column: Sequence[F]) -> F:
    """Σ_i r(i)/i Π_{j<i} (1 − r(j))."""
    total, left = F(0), F(1)
    for i, r in enumerate(column, 1):
        total += left * r / i
        left *= 1 - r
    return total


def rbp(column: Sequence[F], p: Polynomial) -> Polynomial:
    """(1 − p) Σ_i p^(i−1) r(i)."""
    total = list[F]()
    for i, r in enumerate(column):
        total = add(total, power(p, i), r)
    return times_of(add([F(1)], p, F(-1)), total)


def overall(metric: Callable[[Sequence[F]], Polynomial], k: int) -> Score:
    """Of the best aspect of each document."""
    return lambda rows, weights: metric([max(row, default=F(0)) for row in rows[:k]])


def intent_aware(metric: Callable[[Sequence[F]], Polynomial], k: int) -> Score:
    """Σ_t w(t) of each aspect."""

    def score(rows: Sequence[Row], weights: list[F]) -> Polynomial:
        total = list[F]()
        for t, w in enumerate(weights):
            total = add(total, metric([row[t] for row in rows[:k]]), w)
        return total

    return score


def nrbp(k: int, p: Polynomial, stay: Polynomial) -> Score:
    """Σ_i p^(i−1) Σ_t r(i,t) stay^c(i,t), where c counts the relevant documents above."""

    def score(rows: Sequence[Row], weights: list[F]) -> Polynomial:
        seen, total = [0] * len(weights), list[F]()
        for i, row in enumerate(rows[:k]):
            for t, r in enumerate(row):
                total = add(total, times_of(power(p, i), power(stay, seen[t])), r)
            seen = [c + (r > 0) for c, r in zip(seen, row, strict=True)]
        return total

    return score


X: Polynomial = [F(0), F(1)]
ONE_LESS_X: Polynomial = [F(1), F(-1)]
FIXED: dict[str, Score] = {
    "ERR@3": overall(lambda column: constant(err(column)), 3),
    "RBP@2": overall(lambda column: rbp(column, [F(4, 5)]), 2),
    "RBU(p=0.8,e=0.1)@3": rbu(3, [F(4, 5)], [F(1, 10)]),
    "ERR_IA@3": intent_aware(lambda column: constant(err(column)), 3),
    "RBP_IA(p=0.5)@2": intent_aware(lambda column: rbp(column, [F(1, 2)]), 2),
    "NRBP@3": nrbp(3, [F(4, 5)], [F(1, 2)]),
}
RANGED: dict[str, tuple[str, F, F, Score]] = {
    "RBU(p=0.2..1,e=0.1)@3": ("p", F(1, 5), F(1), rbu(3, X, [F(1, 10)])),
    "RBU(p=0.8,e=0..0.3)@3": ("e", F(0), F(3, 10), rbu(3, [F(4, 5)], X)),
    "RBP(p=0.1..0.9)@3": ("p", F(1, 10), F(9, 10), overall(lambda column: rbp(column, X), 3)),
    "RBP_IA(p=0.3..0.9)@3": ("p", F(3, 10), F(9, 10), intent_aware(lambda column: rbp(column, X), 3)),
    "NRBP(p=0.2..0.9,alpha=0.5)@3": ("p", F(1, 5), F(9, 10), nrbp(3, X, [F(1, 2)])),
    "NRBP(p=0.8,alpha=0.1..0.9)@3": ("alpha", F(1, 10), F(9, 10), nrbp(3, [F(4, 5)], ONE_LESS_X)),
}


def cutoff_of(metric: str) -> int:
    """The number after the @."""
    return int(metric.rpartition("@")[2])


def topic_score(
    case: Labelled, name: str, topic: str, score: Score, labels: Sequence[Label], weights: list[F] | None = None
) -> Polynomial:
    """The score of one topic, by the rule for missing topics if the run lacks it."""
    own, table = kept_of(case, topic, labels)
    own = own if weights is None else weights
    nothing = [F(0)] * len(own)
    if topic not in case.runs[name]:
        if case.rules["missing_topics"] == "skip" or case.rules["missing_topics"] == "zero":
            return []
        return score([nothing] * cutoff_of(case.metric), own)
    return score([table.get(d, nothing) for d in case.runs[name][topic]], own)


def share_of(case: Labelled, name: str) -> F:
    """The weight of each topic in the mean of a run."""
    counted = [t for t in case.judged if case.rules["missing_topics"] != "skip" or t in case.runs[name]]
    return F(1, max(len(counted), 1))


def topic_lead(
    case: Labelled, row: Conclusion, topic: str, score: Score, labels: Sequence[Label], weights: list[F] | None = None
) -> Polynomial:
    """What a topic adds to the lead of the better run."""
    better, worse = (topic_score(case, name, topic, score, labels, weights) for name in (row.better, row.worse))
    return add([x * share_of(case, row.better) for x in better], worse, -share_of(case, row.worse))


# --- one collection ---------------------------------------------------------------------------------------------------


def check(case: Labelled, doubt: str) -> str:
    """The verdict on one collection, which must be the exact one; `refused` for an error with a code."""
    arguments: dict[str, Any] = {"unjudged": "any"} if doubt == "labels" else {}
    if doubt == "weights":
        arguments = {"any_weights": "any"}
    try:
        (row,) = conclude(
            case.judged,
            case.shapes({t: t for t in case.judged}),
            case.metric,
            significance=False,
            weights=case.weights,
            empty_topics="score",
            **arguments,
            **case.rules,
        ).rows
    except DivevalError as error:
        return f"refused: {error.code}"
    try:
        least, given = LEAST[doubt](case, row)
    except ValueError:
        return "no weight"
    assert (row.verdict == "certain") == (least > 0), (case, row, least)
    assert (row.verdict == "flips") == (least < 0 < given), (case, row, least, given)
    if row.verdict == "certain":
        assert row.margin > 0, (case, row)
    return row.verdict


def _least_label(case: Labelled, row: Conclusion) -> tuple[F, F]:
    """The least lead over every labelling (topics share none), and the lead as judged."""
    score, low, given = FIXED[case.metric], F(0), F(0)
    for topic in case.judged:
        leads = [topic_lead(case, row, topic, score, labels) for labels in case.labellings(topic)]
        low += min(at(lead, F(0)) for lead in leads)
        given += at(topic_lead(case, row, topic, score, []), F(0))
    if row.verdict in ("certain", "flips"):
        assert abs(F(row.margin) - low) < ROUNDING or (row.verdict == "flips" and F(row.margin) - low > 0), (row, low)
    if row.verdict == "flips":
        named = row.details["labels"]
        labels = {t: [(a, d, g) for d, x in named.get(t, {}).items() for a, g in x.items()] for t in case.judged}
        lead = sum(at(topic_lead(case, row, t, score, labels[t]), F(0)) for t in case.judged)
        assert lead < 0 and abs(F(row.margin) - lead) < ROUNDING, (case, row, lead)
    return low, given


def _least_weight(case: Labelled, row: Conclusion) -> tuple[F, F]:
    """The least lead over every corner of each topic's weights, in which these metrics are linear."""
    score, low, given = FIXED[case.metric], F(0), F(0)
    for topic in case.judged:
        own, _ = kept_of(replace(case, weights=None), topic, [])
        corners = [[F(i == j) for i in range(len(own))] for j in range(len(own))] or [[]]
        low += min(at(topic_lead(replace(case, weights=None), row, topic, score, [], w), F(0)) for w in corners)
        given += at(topic_lead(case, row, topic, score, []), F(0))
    return low, given


def _least_setting(case: Labelled, row: Conclusion) -> tuple[F, F]:
    """The sign of the least lead over the range of a parameter, and of the lead at the reference."""
    name, low, high, score = RANGED[case.metric]
    lead = list[F]()
    for topic in case.judged:
        lead = add(lead, topic_lead(case, row, topic, score, []))
    if row.verdict == "flips":
        value = F(row.details["setting"][name])
        assert low <= value <= high and at(lead, value) < 0, (case, row, value)
    return F(least_sign(lead, low, high)), F(1) if row.verdict == "flips" else F(0)


LEAST: Mapping[str, Callable[[Labelled, Conclusion], tuple[F, F]]] = {
    "labels": _least_label,
    "weights": _least_weight,
    "parameters": _least_setting,
}


def campaign(cases: int, doubt: str, seed: int = 0) -> Counter[str]:
    """The verdicts of many collections; an error names the seed of the case."""
    out: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(cases):
            rng = random.Random(f"{seed}-{doubt}-{i}")
            names = list(RANGED if doubt == "parameters" else FIXED)
            case = draw(rng)
            if doubt == "weights":
                names = ["RBU(p=0.8,e=0.1)@3", "ERR_IA@3", "RBP_IA(p=0.5)@2"]
                case = replace(case, rules={**case.rules, "empty_aspects": "drop", "renormalise": True})
            try:
                out[check(replace(case, metric=rng.choice(names)), doubt)] += 1
            except AssertionError as error:
                raise AssertionError(f"{seed}-{doubt}-{i}: {error}") from error
    return out


if __name__ == "__main__":
    for kind in LEAST:
        print(kind, campaign(int(sys.argv[1]), kind, int(sys.argv[2]) if len(sys.argv) > 2 else 0), flush=True)
