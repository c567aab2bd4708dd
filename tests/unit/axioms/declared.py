"""A simple scorer for any declaration of the algebra, driven by the names of its parts and their fields.

Shares no code with diveval's two interpreters. A ranking is a list of rows, one column per aspect. Numbers are
fractions, floats where speed matters more than the last digit, or arrays of doubles that hold one number for each of
many rankings of the same shape, which are scored together.
"""

from __future__ import annotations

import math
from fractions import Fraction as F
from functools import reduce
from itertools import permutations
from typing import Any

import numpy as np

from unit.axioms.plain import inverse_log2

TIE = 1e-12  # two gains of a greedy ideal this close are equal


class OneByOne(Exception):
    """Raised when the ideal must be searched for in each ranking separately."""


def in_doubles(like: Any) -> Any:
    return isinstance(like, float | np.ndarray)


def inverse_log(x: Any, like: Any) -> Any:
    return 1 / math.log2(x) if in_doubles(like) else inverse_log2(x)


def number(value: Any, like: Any) -> Any:
    """A parameter in the number type of the ranking; a float stands for the decimal it prints as."""
    return float(value) if in_doubles(like) else F(str(value)) if isinstance(value, float) else F(value)


def select(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition holds, else b."""
    return np.where(condition, a, b) if isinstance(condition, np.ndarray) else a if condition else b


def larger(a: Any, b: Any) -> Any:
    return select(a > b, a, b)


def ratio(a: Any, b: Any) -> Any:
    """a / b where b is positive, else 0."""
    if isinstance(b, np.ndarray):
        return np.divide(a, b, out=np.zeros_like(b), where=b > 0)
    return a / b if b > 0 else a * 0


def descending(values: Any) -> Any:
    """From large to small, for each ranking."""
    if isinstance(values[0], np.ndarray):
        return list(-np.sort(-np.stack(values), axis=0))
    return sorted(values, reverse=True)


def kind(part: Any) -> Any:
    return type(part).__name__


class Scorer:
    """Scores declarations; `one` is 1 in the number type of the ranking."""

    def __init__(self, one: Any) -> None:
        self.one = one
        self.zero = one - one
        if isinstance(one, np.ndarray):
            self.one.flags.writeable = self.zero.flags.writeable = False  # `total += x` would change every zero
        self.blended = False  # in a blend the value of an ideal matters, elsewhere only whether it is 0

    def score(self, f: Any, rows: Any, w: Any, pool: Any, k: Any = None) -> Any:
        k = f.cutoff if f.cutoff is not None else k
        return getattr(self, kind(f).lower())(f, rows if k is None else rows[:k], w, pool, k)

    # --- the parts ---

    def discount(self, d: Any, i: Any) -> Any:
        name = kind(d)
        if name == "Geometric":
            p = number(d.p, self.one)
            return p ** (i - 1 + d.start) * ((self.one - p) if d.scaled else self.one)
        if name == "Log":
            return inverse_log(i + 1, self.one)
        if name == "ShiftedLog":
            return inverse_log(2 * i, self.one)
        return {"Reciprocal": self.one / i, "Flat": self.one}[name]

    def gains(self, novelty: Any, column: Any) -> Any:
        """Relevance times remaining novelty, at each rank."""
        name, out = kind(novelty), []
        left, seen, best = self.one, self.zero, self.zero
        for r in column:
            if name == "BestSoFar":
                out.append(larger(r - best, self.zero))
                best = larger(best, r)
                continue
            limited = name == "Decay" and novelty.limit is not None
            out.append(select(seen >= number(novelty.limit, self.one), self.zero, r * left) if limited else r * left)
            seen = seen + r
            if name == "Cascade":
                left = left * (1 - r)
            elif name == "Decay":
                left = left * select(r > 0, self.one - number(novelty.alpha, self.one), self.one)
        return out

    def columns(self, over: Any, rows: Any, w: Any) -> Any:
        """Each column with its weight."""
        if kind(over) == "Overall":
            return [(self.one, [reduce(larger, row) for row in rows])]
        if kind(over) == "GlobalGain":
            return [(self.one, [sum((a * b for a, b in zip(w, row, strict=True)), self.zero) for row in rows])]
        return [(w[t] if over.weighted else self.one, [row[t] for row in rows]) for t in range(len(w))]

    def terms(self, f: Any, rows: Any, w: Any) -> Any:
        columns = [(weight, self.gains(f.novelty, column)) for weight, column in self.columns(f.over, rows, w)]
        effort = number(f.effort, self.one)
        return [
            self.discount(f.discount, i + 1) * (sum((a * g[i] for a, g in columns), self.zero) - effort)
            for i in range(len(rows))
        ]

    # --- the formulas ---

    def sum(self, f: Any, rows: Any, w: Any, pool: Any, k: Any) -> Any:
        return sum(self.terms(f, rows, w), self.zero)

    def prefixmean(self, f: Any, rows: Any, w: Any, pool: Any, k: Any) -> Any:
        terms = self.terms(f.sum, rows, w)
        return sum((sum(terms[: i + 1], self.zero) for i in range(len(terms))), self.zero) / max(len(terms), 1)

    def normalised(self, f: Any, rows: Any, w: Any, pool: Any, k: Any) -> Any:
        best = self.ideal(f, pool, w, k)
        return ratio(self.sum(f.sum, rows, w, pool, k), best)

    def ideal(self, f: Any, pool: Any, w: Any, k: Any) -> Any:
        depth = len(pool) if k is None else min(k, len(pool))
        effort = number(f.sum.effort, self.one)
        alone = [sum((a * c[0] for a, c in self.columns(f.sum.over, [row], w)), self.zero) for row in pool]
        if not alone:
            return self.zero
        return select(reduce(larger, alone) > effort, self.worthwhile(f, pool, w, depth, alone, effort), self.zero)

    def worthwhile(self, f: Any, pool: Any, w: Any, depth: Any, alone: Any, effort: Any) -> Any:
        """The ideal, given that some document is worth its effort."""
        if f.ideal == "greedy" and kind(f.sum.novelty) == "Always":
            terms = [
                self.discount(f.sum.discount, i) * (a - effort) for i, a in enumerate(descending(alone)[:depth], 1)
            ]
            return sum((larger(term, self.zero) for term in terms), self.zero)
        if not self.blended:
            return self.one  # greedy or not, the ideal is positive and the same for both rankings
        if isinstance(self.one, np.ndarray):
            raise OneByOne
        if f.ideal != "greedy":
            orders = (order for n in range(depth + 1) for order in permutations(pool, n))
            return max(sum(self.terms(f.sum, list(order), w), self.zero) for order in orders)
        listed: list[Any] = []
        left = list(pool)
        while left and len(listed) < depth:
            last = [self.terms(f.sum, [*listed, row], w)[-1] for row in left]
            if max(last) <= 0:
                break
            listed.append(left.pop(next(i for i, gain in enumerate(last) if gain >= max(last) * (1 - TIE))))
        return sum(self.terms(f.sum, listed, w), self.zero)

    def alphabeta(self, f: Any, rows: Any, w: Any, pool: Any, k: Any) -> Any:
        beta = number(f.beta, self.one)
        relevant = reduce(larger, [r for row in pool for r in row], self.zero)
        total, left = self.zero, [self.one] * len(w)
        for i, row in enumerate(rows, 1):
            none = self.one
            for weight, r, s in zip(w, row, left, strict=True):
                none = none * (1 - weight * beta * r * s)
            total = total + (1 - none) * inverse_log(i + 1, self.one)
            left = [s * (1 - beta * r) for r, s in zip(row, left, strict=True)]
        return select(relevant > 0, total, self.zero)  # over an ideal that is positive and the same for both rankings

    def perchannel(self, f: Any, rows: Any, w: Any, pool: Any, k: Any) -> Any:
        total = self.zero
        judged = self.columns(f.over, pool, w)
        for c, (weight, column) in enumerate(self.columns(f.over, rows, w)):
            total = total + weight * getattr(self, "one_" + kind(f.base).lower())(column, judged[c][1], k)
        return total

    def one_precision(self, column: Any, pool: Any, k: Any) -> Any:
        return sum((select(r > 0, self.one, self.zero) for r in column), self.zero) / max(
            len(column) if k is None else k, 1
        )

    def one_reciprocalrank(self, column: Any, pool: Any, k: Any) -> Any:
        value, waiting = self.zero, self.one
        for i, r in enumerate(column, 1):
            value = value + select(r > 0, waiting / i, self.zero)
            waiting = select(r > 0, self.zero, waiting)
        return value

    def one_averageprecision(self, column: Any, pool: Any, k: Any) -> Any:
        total, hits = self.zero, self.zero
        for i, r in enumerate(column, 1):
            hits = hits + select(r > 0, self.one, self.zero)
            total = total + select(r > 0, hits / i, self.zero)
        return ratio(total, sum((select(r > 0, self.one, self.zero) for r in pool), self.zero))

    def one_normaliseddcg(self, column: Any, pool: Any, k: Any) -> Any:
        def dcg(values: Any) -> Any:
            return sum((r * inverse_log(i + 1, self.one) for i, r in enumerate(values, 1)), self.zero)

        return ratio(dcg(column), dcg(descending(pool)[:k])) if pool else self.zero

    def subtopicrecall(self, f: Any, rows: Any, w: Any, pool: Any, k: Any) -> Any:
        most = [reduce(larger, [row[t] for row in rows], self.zero) for t in range(len(w))]
        shares = w if f.weights == "given" else [self.one / len(w)] * len(w)
        return sum((select(r > 0, share, self.zero) for share, r in zip(shares, most, strict=True)), self.zero)

    def subtopicreciprocalrank(self, f: Any, rows: Any, w: Any, pool: Any, k: Any) -> Any:
        needed = max(1, math.ceil(F(str(f.coverage)) * len(w)))
        most, value, waiting = [self.zero] * len(w), self.zero, self.one
        for i, row in enumerate(rows, 1):
            most = [larger(a, r) for a, r in zip(most, row, strict=True)]
            covered = sum((select(r > 0, self.one, self.zero) for r in most), self.zero)
            value = value + select(covered >= needed, waiting / i, self.zero)
            waiting = select(covered >= needed, self.zero, waiting)
        return value

    def blend(self, f: Any, rows: Any, w: Any, pool: Any, k: Any) -> Any:
        lam, self.blended = number(f.lam, self.one), True
        first, second = self.score(f.first, rows, w, pool, k), self.score(f.second, rows, w, pool, k)
        return lam * first + (1 - lam) * second


def declared(formula: Any, rows: Any, weights: Any, pool: Any, cutoff: Any = None) -> Any:
    """The score of a ranking under a declaration, in the number type of its rows."""
    return Scorer(weights[0] * 0 + 1).score(formula, rows, weights, pool, cutoff)
