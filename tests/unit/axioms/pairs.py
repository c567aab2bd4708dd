"""Random pairs of rankings that meet the premise of a constraint, written from Section 3 of the paper.

Nothing here is taken from the engine, and rankings are longer than those its solver looks at.
"""

from __future__ import annotations

import random
from fractions import Fraction as F


class Pairs:
    """A source of pairs (better, worse, weights, pool, strict) for one reading; `longest` documents."""

    def __init__(self, reading, seed, longest=8):
        self.charitable = reading == "charitable"
        self.random = random.Random(seed)
        self.longest = longest

    def make(self, axiom):
        """A pair for a constraint, or None when this draw met no premise."""
        return getattr(self, axiom.lower())()

    def grade(self, *, top=False):
        """A relevance in [0, 1), sometimes 0, sometimes nearly 1 (or 1 where that is allowed)."""
        d = self.random.choice([2, 3, 4, 5, 8, 100, 1000])
        r = F(self.random.randrange(0, d + (1 if top else 0)), d)
        return F(0) if self.random.random() < 0.2 else r

    def column(self, n):
        """r(1..n) of one aspect under `relevance contribution`."""
        values = [self.grade() for _ in range(n)]
        if self.charitable and sum(values) >= 1:
            scale = sum(values) * self.random.choice([F(101, 100), F(3, 2), F(5)])
            values = [v / scale for v in values]
        return values

    def weights(self, m):
        parts = [F(self.random.randrange(1, 20)) for _ in range(m)]
        return [p / sum(parts) for p in parts]

    def rows(self, columns):
        return [list(row) for row in zip(*columns, strict=True)]

    def pool(self, *documents):
        """The documents at hand and some that were not retrieved."""
        extra = [[self.grade(top=True) for _ in documents[0]] for _ in range(self.random.randrange(0, 3))]
        return [list(d) for d in documents] + extra

    def pri(self):
        n = self.random.randrange(2, self.longest + 1)
        rows = [[r] for r in self.column(n)]
        i, j = sorted(self.random.sample(range(n), 2))
        if self.charitable:
            i = self.random.randrange(n - 1)
            j = i + 1
        if rows[i] == rows[j]:
            return None
        other = list(rows)
        other[i], other[j] = rows[j], rows[i]
        better, worse = (other, rows) if rows[j] > rows[i] else (rows, other)
        return better, worse, [F(1)], self.pool(*rows), True

    def deep(self):
        n = self.random.randrange(4, self.longest + 1)
        values = self.column(n)
        i = self.random.randrange(0, n - 3)
        j = self.random.randrange(i + 2, n - 1)
        x, y = sorted((values[i], values[i + 1]))
        if x == y:
            return None
        values[i], values[i + 1], values[j], values[j + 1] = x, y, x, y
        if self.charitable and sum(values) >= 1:
            values = [v / (sum(values) + 1) for v in values]
        rows = [[v] for v in values]
        up, down = list(rows), list(rows)
        up[i], up[i + 1] = rows[i + 1], rows[i]
        down[j], down[j + 1] = rows[j + 1], rows[j]
        return up, down, [F(1)], self.pool(*rows), True

    def conf(self):
        rows = [[r] for r in self.column(self.random.randrange(1, self.longest))]
        return rows, [*rows, [F(0)]], [F(1)], self.pool(*rows), True

    def aspdiv(self):
        m, n = self.random.randrange(1, 4), self.random.randrange(1, self.longest + 1)
        i = n - 1 if self.charitable else self.random.randrange(n)
        better = self.rows([self.column(n) for _ in range(m)])
        if any(r == 0 for r in better[i]):
            return None
        share = F(self.random.randrange(0, 10), 10)
        worse = [list(row) for row in better]
        worse[i] = [r * share for r in better[i]]
        return better, worse, self.weights(m), self.pool(*better, worse[i]), True

    def red(self):
        m, n = self.random.randrange(2, 4), self.random.randrange(1, self.longest)
        about = [self.random.choice([*range(m), 0, None]) for _ in range(n)]
        if about.count(0) <= about.count(1):
            return None
        most = max(about.count(t) for t in range(m)) + 1
        r = self.grade(top=True)
        if self.charitable:
            r = r / (most + 1)
        if r == 0:
            return None
        rows = [[r if t == a else F(0) for t in range(m)] for a in about]
        d, other = ([r if t == a else F(0) for t in range(m)] for a in (0, 1))
        return [*rows, other], [*rows, d], [F(1, m)] * m, self.balanced([*rows, d, other]), True

    def balanced(self, rows):
        """Judgments that give t and t' the same ideal: with each document its mirror image."""
        mirrored = [[row[1], row[0], *row[2:]] for row in rows]
        return [row for row in rows + mirrored if any(row)]

    def mred(self):
        n = self.random.randrange(1, self.longest)
        r = self.grade()
        t, u = self.column(n), self.column(n)
        rows = [[max(a, b), min(a, b)] for a, b in zip(t, u, strict=True)]
        if r == 0 or any(a == b for a, b in rows):
            return None
        if self.charitable:
            scale = sum(row[0] for row in rows) + r + F(1, 100)
            rows = [[a / scale, b / scale] for a, b in rows]
            r = r / scale
        d, other = [r, F(0)], [F(0), r]
        return [*rows, other], [*rows, d], [F(1, 2), F(1, 2)], self.balanced([*rows, d, other]), True

    def sat(self):
        m, n = self.random.randrange(1, 4), self.random.randrange(1, self.longest)
        rows = [self.about(m) for _ in range(n - 1)]
        rows.append([F(1)] + [F(0)] * (m - 1))
        r = self.grade(top=True)
        if r == 0:
            return None
        last = [r] + [F(0)] * (m - 1)
        return rows, [*rows, last], self.weights(m), self.pool(*rows, last), False

    def about(self, m, aspects=None):
        """A document about one aspect."""
        t = self.random.choice(list(range(m)) if aspects is None else aspects)
        r = self.grade(top=True)
        return [r if column == t else F(0) for column in range(m)]

    def asprel(self):
        m = self.random.randrange(2, 5)
        w = self.weights(m)
        if w[0] == w[1]:
            return None
        if w[0] > w[1]:
            w[0], w[1] = w[1], w[0]
        others = list(range(2, m))
        before = [self.about(m, others) if others else [F(0)] * m for _ in range(self.random.randrange(0, 4))]
        behind = []
        for _ in range(self.random.randrange(0, 4)):
            if self.charitable:
                behind.append(self.about(m, others) if others else [F(0)] * m)
            else:
                behind.append(self.about(m))
        r = self.grade(top=True)
        if r == 0:
            return None
        d, other = ([r if t == a else F(0) for t in range(m)] for a in (0, 1))
        rows = [*before, d, *behind]
        pool = self.balanced([*rows, other]) if self.charitable else self.pool(*rows, other)
        return [*before, other, *behind], rows, w, pool, True
