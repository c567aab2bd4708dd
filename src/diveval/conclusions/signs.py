"""Decides whether a sum of minima of polynomials is positive on a whole box, with certified bounds and exact values.

Doubles with proved error bounds decide most cells of the box; the sign at a point is always decided exactly (rationals,
and certified enclosures of logarithms). A single point can disprove; only bounds over whole cells prove.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any, Literal

import numpy as np

from diveval.conclusions.objectives import NOTHING, Lead, Objective, down, up
from diveval.exact.logs import Interval, is_log
from diveval.exact.roots import never_negative

Box = Mapping[str, tuple[Fraction, Fraction]]
Point = dict[str, Fraction]
Kind = Literal["positive", "negative", "tie", "unknown"]
LINEAR = ("e", "lam")  # every metric is linear in these, so only the ends of their ranges are tested
DEPTH = 48  # halvings of a range
CELLS = 20_000  # at most, at a time
QUICK, QUICK_DEPTH = 500, 20  # the same for `Lead`, before exact polynomials are built
CLOSE = 0.9  # cells are halved until the bound reaches this share of the smallest value found


@dataclass
class Decision:
    """The result on the box. `low` is a lower bound of the value; `point` is where the smallest value was found."""

    kind: Kind
    low: float
    point: Point
    value: Interval
    chosen: tuple[int, ...]
    ties: list[Point] = field(default_factory=list)


def decide(objective: Objective | Lead, box: Box) -> Decision:
    """Decide whether the objective is positive on the whole box, negative at a point of it, or neither.

    `tie`: never negative, and 0 somewhere. `unknown`: not decided within the depth; `low` is the bound reached.
    """
    if not isinstance(objective, Objective):
        try:
            return _over_corners(objective, box, dict.fromkeys(box))
        except _LeftOpenError:
            objective = objective.exactly()
    used = dict.fromkeys(name for group in objective.groups for member in group for name in member.symbols)
    return _over_corners(objective, box, used)


def _over_corners(objective: Objective | Lead, box: Box, used: Mapping[str, None]) -> Decision:
    """Decide at every combination of ends of the linear symbols; unused symbols stay at their lower ends."""
    ends = [(n, box[n]) for n in box if n in LINEAR and n in used]
    curved = [n for n in box if n not in LINEAR and n in used]
    rest = {n: box[n][0] for n in box if n not in used}
    worst: Decision | None = None
    for corner in product(*(pair for _, pair in ends)):
        fixed = {**rest, **dict(zip((n for n, _ in ends), corner, strict=True))}
        decision = _Subdivision(objective, curved, box, fixed).run()
        worst = decision if worst is None else join_decisions(worst, decision)
    assert worst is not None
    return worst


class _LeftOpenError(Exception):
    """Doubles do not decide a sign."""


def join_decisions(a: Decision, b: Decision) -> Decision:
    """Both decisions as one, by precedence: negative, unknown, tie, positive."""
    order = ("negative", "unknown", "tie", "positive")
    first, second = sorted((a, b), key=lambda d: (order.index(d.kind), d.value))
    smaller = min((a, b), key=lambda d: d.value)
    keep = first if first.kind in ("negative", "unknown", "tie") else smaller
    return Decision(first.kind, min(a.low, b.low), keep.point, keep.value, keep.chosen, first.ties + second.ties)


class _Subdivision:
    """Halve the box until each cell is decided."""

    def __init__(self, objective: Objective | Lead, names: Sequence[str], box: Box, fixed: Point) -> None:
        self.objective = objective
        self.quick = not isinstance(objective, Objective)
        self.names, self.fixed, self.numeric = list(names), fixed, objective.numeric(names, fixed)
        used = np.any(self.numeric.powers, axis=0).tolist()
        if not all(used):
            self.names = [n for n, yes in zip(names, used, strict=True) if yes]
            self.fixed = {**fixed, **{n: box[n][0] for n in names if n not in self.names}}
            self.numeric = objective.numeric(self.names, self.fixed)
        self.start = [box[n][0] for n in self.names]
        self.width = [box[n][1] - box[n][0] for n in self.names]
        self.ties: list[Point] = []
        self.best: tuple[Interval, Point, tuple[int, ...]] | None = None
        self.cleared: list[tuple[float, Point]] = []  # points that represent a reduced cell, with their lower bounds

    def run(self) -> Decision:
        for corner in product((0, 1), repeat=len(self.names)):
            value, _ = self._meet([s + c * w for s, c, w in zip(self.start, corner, self.width, strict=True)])
            if value[1] < 0:
                return self._answer("negative", float("-inf"))
        if not self.names:
            assert self.best is not None
            value, point, _ = self.best
            kind: Kind = "positive" if value[0] > 0 else "tie" if value == NOTHING else "unknown"
            if kind == "positive":
                self.cleared.append((down(value[0]), point))
            return self._answer(kind, float("inf") if kind == "positive" else down(value[0]))
        return self._halve()

    def _meet(self, at: Sequence[Fraction]) -> tuple[Interval, Point]:
        """The value at a point of the box, exact if doubles do not decide its sign; the smallest is kept."""
        point = {**self.fixed, **dict(zip(self.names, at, strict=True))}
        low, high, chosen = self.numeric.enclose(at)
        value = (Fraction(low), Fraction(high))
        if low <= 0 <= high:
            if self.quick:
                raise _LeftOpenError
            value, chosen = self.objective.at(point)
        if value == NOTHING:
            self.ties.append(point)
        if self.best is None or value[1] < self.best[0][1]:
            self.best = (value, point, chosen)
        return value, point

    def _halve(self) -> Decision:
        d = len(self.names)
        cells: list[tuple[tuple[Fraction, ...], tuple[Fraction, ...]]] = [
            (tuple(self.start), tuple(s + w for s, w in zip(self.start, self.width, strict=True)))
        ]
        proved = float("inf")
        for level in range((QUICK_DEPTH if self.quick else DEPTH) * d):
            low, middle, slopes = self.numeric.cells(cells)
            assert self.best is not None
            lead = int(np.argmin(middle))
            if middle[lead] < up(self.best[0][1]):
                value, _ = self._meet([(a + b) / 2 for a, b in zip(*cells[lead], strict=True)])
                if value[1] < 0:
                    return self._answer("negative", float("-inf"))
            enough = CLOSE * float(self.best[0][1])
            following = []
            for i, (a, b) in enumerate(cells):
                if low[i] > 0 and (low[i] >= enough or level > 12 * d):
                    proved = min(proved, float(low[i]))
                    continue
                reduced = self._reduce(a, b, slopes, i)
                if reduced is None:
                    following += self._split(a, b)
                elif reduced[0] == reduced[1]:
                    value, point = self._meet(reduced[0])
                    if value[1] < 0:
                        return self._answer("negative", float("-inf"))
                    if value[0] > 0:
                        self.cleared.append((down(value[0]), point))
                    elif value != NOTHING:
                        return self._answer("unknown", min(proved, down(value[0])))
                else:
                    following.append(reduced)
            cells = following
            if not cells:
                return self._answer("tie" if self.ties else "positive", proved)
            if len(cells) > (QUICK if self.quick else CELLS):
                break
        low, *_ = self.numeric.cells(cells)
        return self._settle(cells, min(proved, float(low.min()), *(bound for bound, _ in self.cleared)))

    def _reduce(self, a: Any, b: Any, slopes: Any, i: int) -> Any:
        """If a single polynomial only rises or only falls along a side, keep only the end with its smallest value."""
        if not self.objective.single:
            return None
        start, end = list(a), list(b)
        changed = False
        for k in range(len(self.names)):
            if a[k] == b[k]:
                continue
            if slopes[0][k][i] > 0:
                end[k], changed = a[k], True
            elif slopes[1][k][i] < 0:
                start[k], changed = b[k], True
        return (tuple(start), tuple(end)) if changed else None

    def _split(self, a: Any, b: Any) -> list[Any]:
        k = max(range(len(a)), key=lambda k: (b[k] - a[k]) / self.width[k])
        half = (a[k] + b[k]) / 2
        return [(a, (*b[:k], half, *b[k + 1 :])), ((*a[:k], half, *a[k + 1 :]), b)]

    def _settle(self, cells: Any, low: float) -> Decision:
        """Cells that doubles cannot decide: a single rational polynomial in one variable is decided by its roots."""
        if not isinstance(self.objective, Objective):
            raise _LeftOpenError
        if self.objective.single and len(self.names) == 1 and self.objective.radius == 0:
            poly = self.objective.groups[0][0].at(self.fixed)
            if not any(is_log(name) for name in poly.symbols):
                outcomes = [never_negative(poly.in_one_symbol(self.names[0]), a[0], b[0]) for a, b in cells]
                for outcome in outcomes:
                    if isinstance(outcome, Fraction):
                        value, _ = self._meet([outcome])
                        if value[1] < 0:
                            return self._answer("negative", float("-inf"))
                if all(outcome is True or outcome == "touches" for outcome in outcomes):
                    touches = any(outcome == "touches" for outcome in outcomes)
                    return self._answer("tie" if touches or self.ties else "positive", 0.0)
        return self._answer("unknown", low)

    def _answer(self, kind: Kind, low: float) -> Decision:
        assert self.best is not None
        value, point, chosen = self.best
        value, chosen = self.objective.at(point)  # the value shown as evidence is exact
        if kind == "positive" and self.cleared:  # and so is the margin, if it is attained at this point
            low = min(low, *(down(value[0]) if at == point else bound for bound, at in self.cleared))
        return Decision(kind, low, point, value, chosen, self.ties)
