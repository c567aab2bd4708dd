"""Random pairs of rankings that meet the premise of a constraint, written from Section 3 of the paper.

Independent of the engine; rankings are longer than those its solver examines.
"""

from __future__ import annotations

import random
from fractions import Fraction as F
from typing import Any


class Pairs:
    """A source of pairs (better, worse, weights, pool, strict) for one reading: up to `longest` documents, judgments
    with up to `extra` documents that were not retrieved."""

    def __init__(self, reading: Any, seed: float, longest: int = 8, extra: int = 2) -> None:
        self.charitable = reading == "charitable"
        self.random = random.Random(seed)
        self.longest = longest
        self.extra = extra

    def make(self, axiom: Any) -> Any:
        """A pair for a constraint, or None if the random draw does not meet the premise."""
        least = {"Pri": 2, "Deep": 4, "Conf": 2, "Red": 2, "MRed": 2, "Sat": 2}.get(axiom, 1)
        if self.longest < least:
            return None
        return getattr(self, axiom.lower())()

    def grade(self, *, top: bool = False) -> Any:
        """A relevance in [0, 1), sometimes 0, sometimes nearly 1 (or 1 where that is allowed)."""
        d = self.random.choice([2, 3, 4, 5, 8, 100, 1000])
        r = F(self.random.randrange(0, d + (1 if top else 0)), d)
        return F(0) if self.random.random() < 0.2 else r

    def column(self, n: Any) -> Any:
        """r(1..n) of one aspect under `relevance contribution`."""
        values = [self.grade() for _ in range(n)]
        if self.charitable and sum(values) >= 1:
            scale = sum(values) * self.random.choice([F(101, 100), F(3, 2), F(5)])
            values = [v / scale for v in values]
        return values

    def weights(self, m: Any) -> Any:
        parts = [F(self.random.randrange(1, 20)) for _ in range(m)]
        return [p / sum(parts) for p in parts]

    def rows(self, columns: Any) -> Any:
        return [list(row) for row in zip(*columns, strict=True)]

    def pool(self, *documents: Any) -> Any:
        """The given documents and some that were not retrieved."""
        extra = [[self.grade(top=True) for _ in documents[0]] for _ in range(self.random.randrange(0, self.extra + 1))]
        return [list(d) for d in documents] + extra

    def pri(self) -> Any:
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

    def deep(self) -> Any:
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

    def conf(self) -> Any:
        rows = [[r] for r in self.column(self.random.randrange(1, self.longest))]
        return rows, [*rows, [F(0)]], [F(1)], self.pool(*rows), True

    def aspdiv(self) -> Any:
        m, n = self.random.randrange(1, 4), self.random.randrange(1, self.longest + 1)
        i = n - 1 if self.charitable else self.random.randrange(n)
        better = self.rows([self.column(n) for _ in range(m)])
        if any(r == 0 for r in better[i]):
            return None
        share = F(self.random.randrange(0, 10), 10)
        worse = [list(row) for row in better]
        worse[i] = [r * share for r in better[i]]
        return better, worse, self.weights(m), self.pool(*better, worse[i]), True

    def red(self) -> Any:
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

    def balanced(self, rows: Any) -> Any:
        """Judgments that give t and t' the same ideal: every document and its mirror image."""
        mirrored = [[row[1], row[0], *row[2:]] for row in rows]
        return [row for row in rows + mirrored if any(row)]

    def mred(self) -> Any:
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

    def sat(self) -> Any:
        m, n = self.random.randrange(1, 4), self.random.randrange(1, self.longest)
        rows = [self.about(m) for _ in range(n - 1)]
        rows.append([F(1)] + [F(0)] * (m - 1))
        r = self.grade(top=True)
        if r == 0:
            return None
        last = [r] + [F(0)] * (m - 1)
        return rows, [*rows, last], self.weights(m), self.pool(*rows, last), False

    def about(self, m: Any, aspects: Any = None) -> Any:
        """A document about one aspect."""
        t = self.random.choice(list(range(m)) if aspects is None else aspects)
        r = self.grade(top=True)
        return [r if column == t else F(0) for column in range(m)]

    def asprel(self) -> Any:
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


# --- whether a pair meets a premise -----------------------------------------------------------------------------------


def meets(axiom: Any, reading: Any, better: Any, worse: Any, weights: Any) -> Any:
    """Whether two rankings meet the premise of a constraint, checked independently of the generator."""
    better, worse = [list(row) for row in better], [list(row) for row in worse]
    inside = all(0 <= r <= 1 for row in better + worse for r in row)
    if not inside or sum(weights) != 1 or not all(w > 0 for w in weights):
        return False
    charitable = reading == "charitable"
    if axiom in ("Pri", "Deep", "Conf", "AspDiv", "MRed") and not all(
        small(rows, charitable) for rows in (better, worse)
    ):
        return False
    return PREMISES[axiom](better, worse, weights, charitable)


def small(rows: Any, charitable: Any) -> Any:
    """`Relevance contribution`."""
    columns = list(zip(*rows, strict=True))
    return all(sum(column) < 1 for column in columns) if charitable else all(r < 1 for row in rows for r in row)


def changed(better: Any, worse: Any) -> Any:
    """The ranks at which two rankings of the same length differ."""
    return (
        [i for i, (a, b) in enumerate(zip(better, worse, strict=True)) if a != b] if len(better) == len(worse) else []
    )


def _pri(better: Any, worse: Any, weights: Any, charitable: Any) -> Any:
    places = changed(better, worse)
    if len(places) != 2:
        return False
    i, j = places
    swapped = better[i] == worse[j] and better[j] == worse[i] and better[i][0] > better[j][0]
    return swapped and len(weights) == 1 and (not charitable or j == i + 1)


def _deep(better: Any, worse: Any, weights: Any, charitable: Any) -> Any:
    places = changed(better, worse)
    if len(places) != 4:
        return False
    i, after, j, last = places
    (x,), (y,) = better[after], better[i]
    up = [better[place][0] for place in places] == [y, x, x, y]
    down = [worse[place][0] for place in places] == [x, y, y, x]
    return up and down and x < y and after == i + 1 and last == j + 1 and len(weights) == 1


def _conf(better: Any, worse: Any, weights: Any, charitable: Any) -> Any:
    return worse == [*better, [0]] and len(weights) == 1


def _aspdiv(better: Any, worse: Any, weights: Any, charitable: Any) -> Any:
    places = changed(better, worse)
    more = len(places) == 1 and all(b > a for b, a in zip(better[places[0]], worse[places[0]], strict=True))
    return more and (not charitable or places[0] == len(better) - 1)


def about(row: Any) -> Any:
    """The single aspect a document is about; None if there is none, -1 if there are several."""
    aspects = [t for t, r in enumerate(row) if r > 0]
    return aspects[0] if len(aspects) == 1 else None if not aspects else -1


def _joined(better: Any, worse: Any) -> Any:
    """t, t' and r of the last documents of two rankings that agree above them; None if they do not."""
    if len(better) != len(worse) or better[:-1] != worse[:-1]:
        return None
    t, u = about(worse[-1]), about(better[-1])
    if t in (None, -1) or u in (None, -1) or t == u or worse[-1][t] != better[-1][u]:
        return None
    return t, u, worse[-1][t]


def _red(better: Any, worse: Any, weights: Any, charitable: Any) -> Any:
    last, topics = _joined(better, worse), [about(row) for row in better[:-1]]
    if last is None or -1 in topics or len(set(weights)) != 1:
        return False
    t, u, r = last
    same = all(row[a] == r for row, a in zip(better, topics, strict=False) if a is not None)
    most = max(topics.count(a) for a in range(len(weights))) + 1
    return same and topics.count(t) > topics.count(u) and (not charitable or (r < 1 and most * r < 1))


def _mred(better: Any, worse: Any, weights: Any, charitable: Any) -> Any:
    last = _joined(better, worse)
    if last is None or len(set(weights)) != 1 or len(better) < 2:
        return False
    t, u, _ = last
    return all(row[t] > row[u] for row in better[:-1])


def _sat(better: Any, worse: Any, weights: Any, charitable: Any) -> Any:
    if worse[:-1] != better or -1 in [about(row) for row in worse]:
        return False
    t = about(worse[-1])
    return t is not None and about(better[-1]) == t and (not charitable or better[-1][t] == 1)


def _asprel(better: Any, worse: Any, weights: Any, charitable: Any) -> Any:
    places = changed(better, worse)
    if len(places) != 1 or -1 in [about(row) for row in better + worse]:
        return False
    (i,) = places
    t, u = about(worse[i]), about(better[i])
    if t is None or u is None or t == u or worse[i][t] != better[i][u] or not weights[t] < weights[u]:
        return False
    others = better[:i] + (better[i + 1 :] if charitable else [])
    return all(row[t] == row[u] == 0 for row in others)


def _one_against_many(better: Any, worse: Any, weights: Any, charitable: Any, *, close: bool = False) -> Any:
    one, many = (worse, better) if close else (better, worse)
    r, n = one[0][0], len(many) // 2
    length = 2 * n if charitable else 1
    return r > 0 and many == [[0]] * n + [[r]] * n and one == [[r]] + [[0]] * (length - 1) and len(weights) == 1


PREMISES = {
    "Pri": _pri,
    "Deep": _deep,
    "Conf": _conf,
    "AspDiv": _aspdiv,
    "Red": _red,
    "MRed": _mred,
    "Sat": _sat,
    "AspRel": _asprel,
    "DeepTh": _one_against_many,
    "CloseTh": lambda *pair: _one_against_many(*pair, close=True),
}
