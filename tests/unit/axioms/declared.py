"""Any declaration of the algebra scored as plainly as it can be written, from the names of its parts and their fields.

Shares no code with diveval's two interpreters. A ranking is a list of rows, one column per aspect; numbers are fractions,
or floats where speed matters more than the last digit.
"""

from __future__ import annotations

import math
from fractions import Fraction as F
from itertools import permutations
from typing import Any

from unit.axioms.plain import inverse_log2

TIE = 1e-12  # how close two gains of a greedy ideal count as equal


def inverse_log(x: Any, like: Any) -> Any:
    return 1 / math.log2(x) if isinstance(like, float) else inverse_log2(x)


def number(value: Any, like: Any) -> Any:
    """A parameter in the numbers of the ranking; a float parameter means the decimal it prints as."""
    return float(value) if isinstance(like, float) else F(str(value)) if isinstance(value, float) else F(value)


def kind(part: Any) -> Any:
    return type(part).__name__


class Scorer:
    """One declaration; `one` is 1 in the numbers of the ranking."""

    def __init__(self, one: Any) -> None:
        self.one = one
        self.zero = one - one
        self.blended = False  # within a blend the size of an ideal matters, elsewhere only whether it is 0

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
        """r times what is left, rank by rank."""
        name, out = kind(novelty), []
        left, seen, best = self.one, self.zero, self.zero
        for r in column:
            if name == "BestSoFar":
                out.append(max(r - best, self.zero))
                best = max(best, r)
                continue
            full = name == "Decay" and novelty.limit is not None and seen >= number(novelty.limit, self.one)
            out.append(self.zero if full else r * left)
            seen += r
            if name == "Cascade":
                left *= 1 - r
            elif name == "Decay" and r > 0:
                left *= 1 - number(novelty.alpha, self.one)
        return out

    def columns(self, over: Any, rows: Any, w: Any) -> Any:
        """The weight of each column and the column."""
        if kind(over) == "Overall":
            return [(self.one, [max(row) for row in rows])]
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
        return self.sum(f.sum, rows, w, pool, k) / best if best > 0 else self.zero

    def ideal(self, f: Any, pool: Any, w: Any, k: Any) -> Any:
        depth = len(pool) if k is None else min(k, len(pool))
        effort = number(f.sum.effort, self.one)
        alone = [sum((a * c[0] for a, c in self.columns(f.sum.over, [row], w)), self.zero) for row in pool]
        if not any(gain > effort for gain in alone):
            return self.zero
        if f.ideal != "greedy":
            if not self.blended:
                return self.one
            orders = (order for n in range(depth + 1) for order in permutations(pool, n))
            return max(sum(self.terms(f.sum, list(order), w), self.zero) for order in orders)
        if kind(f.sum.novelty) == "Always":
            chosen = [row for _, row in sorted(zip(alone, pool, strict=True), key=lambda pair: -pair[0])][:depth]
            return sum((term for term in self.terms(f.sum, chosen, w) if term > 0), self.zero)
        if not self.blended:
            return self.one  # greedy or not, the ideal is positive and the same for both rankings
        chosen, left = [], list(pool)
        while left and len(chosen) < depth:
            last = [self.terms(f.sum, [*chosen, row], w)[-1] for row in left]
            if max(last) <= 0:
                break
            chosen.append(left.pop(next(i for i, gain in enumerate(last) if gain >= max(last) * (1 - TIE))))
        return sum(self.terms(f.sum, chosen, w), self.zero)

    def alphabeta(self, f: Any, rows: Any, w: Any, pool: Any, k: Any) -> Any:
        beta = number(f.beta, self.one)
        if not any(r > 0 for row in pool for r in row):
            return self.zero
        total, left = self.zero, [self.one] * len(w)
        for i, row in enumerate(rows, 1):
            none = self.one
            for weight, r, s in zip(w, row, left, strict=True):
                none *= 1 - weight * beta * r * s
            total += (1 - none) * inverse_log(i + 1, self.one)
            left = [s * (1 - beta * r) for r, s in zip(row, left, strict=True)]
        return total  # over an ideal that is positive and the same for both rankings

    def each(self, f: Any, rows: Any, w: Any, pool: Any, k: Any) -> Any:
        total = self.zero
        judged = self.columns(f.over, pool, w)
        for c, (weight, column) in enumerate(self.columns(f.over, rows, w)):
            total += weight * getattr(self, "one_" + kind(f.base).lower())(column, judged[c][1], k)
        return total

    def one_precision(self, column: Any, pool: Any, k: Any) -> Any:
        return sum(self.one for r in column if r > 0) * self.one / max(len(column) if k is None else k, 1)

    def one_reciprocalrank(self, column: Any, pool: Any, k: Any) -> Any:
        return next((self.one / i for i, r in enumerate(column, 1) if r > 0), self.zero)

    def one_averageprecision(self, column: Any, pool: Any, k: Any) -> Any:
        total, hits = self.zero, 0
        for i, r in enumerate(column, 1):
            if r > 0:
                hits += 1
                total += self.one * hits / i
        wanted = sum(r > 0 for r in pool)
        return total / wanted if wanted else self.zero

    def one_normaliseddcg(self, column: Any, pool: Any, k: Any) -> Any:
        def dcg(values: Any) -> Any:
            return sum((r * inverse_log(i + 1, self.one) for i, r in enumerate(values, 1)), self.zero)

        best = dcg(sorted(pool, reverse=True)[:k])
        return dcg(column) / best if best else self.zero

    def subtopicrecall(self, f: Any, rows: Any, w: Any, pool: Any, k: Any) -> Any:
        covered = [any(row[t] > 0 for row in rows) for t in range(len(w))]
        shares = w if f.weights == "given" else [self.one / len(w)] * len(w)
        return sum((share for share, yes in zip(shares, covered, strict=True) if yes), self.zero)

    def subtopicreciprocalrank(self, f: Any, rows: Any, w: Any, pool: Any, k: Any) -> Any:
        needed = max(1, math.ceil(F(str(f.coverage)) * len(w)))
        covered = set()
        for i, row in enumerate(rows, 1):
            covered |= {t for t, r in enumerate(row) if r > 0}
            if len(covered) >= needed:
                return self.one / i
        return self.zero

    def blend(self, f: Any, rows: Any, w: Any, pool: Any, k: Any) -> Any:
        lam, self.blended = number(f.lam, self.one), True
        first, second = self.score(f.first, rows, w, pool, k), self.score(f.second, rows, w, pool, k)
        return lam * first + (1 - lam) * second


def declared(formula: Any, rows: Any, weights: Any, pool: Any, cutoff: Any = None) -> Any:
    """The score of a ranking by a declaration, in the numbers the rows are given in."""
    return Scorer(weights[0] * 0 + 1).score(formula, rows, weights, pool, cutoff)
