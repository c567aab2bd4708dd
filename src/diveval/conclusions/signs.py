"""Is a sum of minima of polynomials positive over a whole box? Decided by certified bounds and exact values.

Doubles with an error bound that is proved decide most cells of the box; a sign at a point is always decided exactly
(rationals, and certified enclosures of logarithms). A point may disprove; only bounds over whole cells prove.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from diveval.axioms.arithmetic.logs import bounds, enclosure, is_log
from diveval.axioms.arithmetic.polynomials import Poly

Array = NDArray[np.float64]
Interval = tuple[Fraction, Fraction]
Box = Mapping[str, tuple[Fraction, Fraction]]
Point = dict[str, Fraction]
NOTHING: Interval = (Fraction(0), Fraction(0))
Kind = Literal["positive", "negative", "tie", "unknown"]
LINEAR = ("e", "lam")  # every metric is linear in these, so the ends of their ranges decide
DEPTH = 48  # halvings of a range
CELLS = 20_000  # held at once
CLOSE = 0.9  # cells are halved until the bound reaches this share of the smallest value met
UNIT = 2.0**-52
DIGITS = (30, 60, 120, 240)


@dataclass(frozen=True)
class Objective:
    """Σ over groups of the smallest member of the group: a group is a topic, its members what may vary in it.

    Each value is known up to `radius`: 0 where all is rational or a polynomial in logarithms. Where it is not, `exact`
    gives the same sum with a symbol for each number that was rounded: it vanishes only where the value does.
    """

    groups: Sequence[Sequence[Poly]]
    radius: Fraction = Fraction(0)
    exact: Callable[[], Poly] | None = None

    def at(self, point: Mapping[str, Fraction]) -> tuple[Interval, tuple[int, ...]]:
        """An enclosure of the value at a point, tight enough for its sign unless it is 0, and the members chosen."""
        values = [[member.at(point) for member in group] for group in self.groups]
        for digits in DIGITS:
            low = high = Fraction(0)
            chosen = []
            for group in values:
                ends = [enclosed(value, digits) for value in group]
                best = min(range(len(ends)), key=lambda i: ends[i])
                chosen.append(best)
                low, high = low + ends[best][0], high + min(end for _, end in ends)
            if self.radius == 0 and low <= 0 <= high and low != high:
                # A sum of logarithms can vanish exactly, symbol by symbol, without its enclosure showing it.
                total = Poly({})
                for group, i in zip(values, chosen, strict=True):
                    total = total + group[i]
                if not total.terms:
                    return NOTHING, tuple(chosen)
            if low > self.radius or high < -self.radius or low == high:
                break
        near = self.radius and -self.radius <= high and low <= self.radius
        if near and self.exact is not None and not self.exact().at(point).terms:
            return NOTHING, tuple(chosen)
        return (low - self.radius, high + self.radius), tuple(chosen)

    @property
    def single(self) -> bool:
        return len(self.groups) == 1 and len(self.groups[0]) == 1


def enclosed(poly: Poly, digits: int) -> Interval:
    """Rationals around a polynomial whose only symbols are logarithms."""
    value = poly.value
    return (value, value) if value is not None else bounds(poly.terms, digits)


@dataclass
class Decision:
    """What was found over the box. `low` bounds the value from below everywhere; `point` is the smallest met."""

    kind: Kind
    low: float
    point: Point
    value: Interval
    chosen: tuple[int, ...]
    ties: list[Point] = field(default_factory=list)


def decide(objective: Objective, box: Box) -> Decision:
    """Decide whether the objective is positive on the whole box, negative at a point of it, or neither.

    `tie`: never negative, and 0 somewhere. `unknown`: not decided within the depth; `low` says how far it got.
    """
    used = {name for group in objective.groups for member in group for name in member.symbols}
    ends = [(n, box[n]) for n in box if n in LINEAR and n in used]
    curved = [n for n in box if n not in LINEAR]
    rest = {n: box[n][0] for n in box if n in LINEAR and n not in used}
    worst: Decision | None = None
    for corner in product(*(pair for _, pair in ends)):
        fixed = {**rest, **dict(zip((n for n, _ in ends), corner, strict=True))}
        groups = [[member.at(fixed) for member in group] for group in objective.groups]
        found = _Subdivision(replace(objective, groups=groups), curved, box, fixed).run()
        worst = found if worst is None else joined(worst, found)
    assert worst is not None
    return worst


def joined(a: Decision, b: Decision) -> Decision:
    """Both decisions as one: a negative point outweighs the unknown, that a tie, that a proof."""
    order = ("negative", "unknown", "tie", "positive")
    first, second = sorted((a, b), key=lambda d: (order.index(d.kind), d.value))
    smaller = min((a, b), key=lambda d: d.value)
    keep = first if first.kind in ("negative", "unknown", "tie") else smaller
    return Decision(first.kind, min(a.low, b.low), keep.point, keep.value, keep.chosen, first.ties + second.ties)


class _Subdivision:
    """Halve the box until each cell is decided."""

    def __init__(self, objective: Objective, names: Sequence[str], box: Box, fixed: Point) -> None:
        self.objective, self.fixed = objective, fixed
        used = {name for group in objective.groups for member in group for name in member.symbols}
        self.names = [n for n in names if n in used]
        self.fixed = {**fixed, **{n: box[n][0] for n in names if n not in used}}
        self.start = [box[n][0] for n in self.names]
        self.width = [box[n][1] - box[n][0] for n in self.names]
        self.ties: list[Point] = []
        self.best: tuple[Interval, Point, tuple[int, ...]] | None = None

    def run(self) -> Decision:
        for corner in product((0, 1), repeat=len(self.names)):
            value, _ = self._meet([s + c * w for s, c, w in zip(self.start, corner, self.width, strict=True)])
            if value[1] < 0:
                return self._answer("negative", float("-inf"))
        if not self.names:
            assert self.best is not None
            value = self.best[0]
            low = _down(value[0])
            kind: Kind = "positive" if value[0] > 0 else "tie" if value == NOTHING else "unknown"
            return self._answer(kind, low)
        self.numeric = _Numeric(self.objective, self.names)
        return self._halve()

    def _meet(self, at: Sequence[Fraction]) -> tuple[Interval, Point]:
        """The exact value at a point of the box; the smallest is remembered."""
        point = {**self.fixed, **dict(zip(self.names, at, strict=True))}
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
        for level in range(DEPTH * d):
            if not cells:
                return self._answer("tie" if self.ties else "positive", proved)
            low, middle, slopes = self.numeric.cells(cells)
            assert self.best is not None
            lead = int(np.argmin(middle))
            if middle[lead] < _up(self.best[0][1]):
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
                    value, _ = self._meet(reduced[0])
                    if value[1] < 0:
                        return self._answer("negative", float("-inf"))
                    if value[0] > 0:
                        proved = min(proved, _down(value[0]))
                    elif value != NOTHING:
                        return self._answer("unknown", min(proved, _down(value[0])))
                else:
                    following.append(reduced)
            cells = following
            if len(cells) > CELLS:
                break
        low, *_ = self.numeric.cells(cells)
        return self._settle(cells, min(proved, float(low.min())))

    def _reduce(self, a: Any, b: Any, slopes: Any, i: int) -> Any:
        """Where one polynomial only rises or only falls along a side, its smallest value is on an end of the side."""
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
        """Cells too small for doubles: one rational polynomial in one variable is decided by counting its roots."""
        from diveval.conclusions.roots import never_negative

        if self.objective.single and len(self.names) == 1 and self.objective.radius == 0:
            poly = self.objective.groups[0][0]
            if not any(is_log(name) for name in poly.symbols):
                found = [never_negative(poly, self.names[0], a[0], b[0]) for a, b in cells]
                for outcome in found:
                    if isinstance(outcome, Fraction):
                        value, _ = self._meet([outcome])
                        if value[1] < 0:
                            return self._answer("negative", float("-inf"))
                if all(outcome is True or outcome == "touches" for outcome in found):
                    touches = any(outcome == "touches" for outcome in found)
                    return self._answer("tie" if touches or self.ties else "positive", 0.0)
        return self._answer("unknown", low)

    def _answer(self, kind: Kind, low: float) -> Decision:
        assert self.best is not None
        value, point, chosen = self.best
        return Decision(kind, low, point, value, chosen, self.ties)


class _Numeric:
    """The objective in doubles, with bounds on what rounding may have done."""

    def __init__(self, objective: Objective, names: Sequence[str]) -> None:
        members = max(len(group) for group in objective.groups)
        gathered: list[list[dict[tuple[int, ...], tuple[float, float]]]] = []
        monomials: dict[tuple[int, ...], int] = {}
        for group in objective.groups:
            gathered.append([_floats(member, names) for member in group])
            for member in gathered[-1]:
                for exponents in member:
                    monomials.setdefault(exponents, len(monomials))
        shape = (len(objective.groups), members, max(len(monomials), 1))
        self.coefficients, self.errors = np.zeros(shape), np.zeros(shape)
        self.absent = np.ones(shape[:2], dtype=bool)
        for g, group_members in enumerate(gathered):
            for c, member in enumerate(group_members):
                self.absent[g, c] = False
                for exponents, (value, error) in member.items():
                    self.coefficients[g, c, monomials[exponents]] = value
                    self.errors[g, c, monomials[exponents]] = error
        self.powers = np.array(list(monomials) or [(0,) * len(names)], dtype=np.int64).reshape(shape[2], len(names))
        self.rounding = (shape[2] + 64) * 4 * UNIT
        self.radius = _up(objective.radius)
        self.raising = np.maximum(self.coefficients, 0.0)
        self.lowering = np.maximum(-self.coefficients, 0.0)
        self.size = np.abs(self.coefficients)

    def cells(self, cells: Sequence[tuple[Any, Any]]) -> tuple[Array, Array, tuple[list[Array], list[Array]]]:
        """For each cell: a lower bound of the objective, its value in the middle, and the bounds of its slopes."""
        low = np.array([[_down(x) for x in a] for a, _ in cells])
        high = np.array([[_up(x) for x in b] for _, b in cells])
        middle = (low + high) / 2
        half = (high - low) / 2 * (1 + 8 * UNIT)
        at_low, at_high, at_middle = (self._monomials(x) for x in (low, high, middle))
        slack = self._slack(at_high)
        first = self._dot(at_low, self.raising) - self._dot(at_high, self.lowering) - slack
        centre = self._dot(at_middle, self.coefficients)
        spread = np.zeros_like(centre)
        slopes: tuple[list[Array], list[Array]] = ([], [])
        for k in range(low.shape[1]):
            factor = self.powers[:, k].astype(np.float64)
            steep, shallow = self._slope(high, k) * factor, self._slope(low, k) * factor
            extra = self._slack(steep)
            least = self._dot(shallow, self.raising) - self._dot(steep, self.lowering) - extra
            most = self._dot(steep, self.raising) - self._dot(shallow, self.lowering) + extra
            spread += half[:, k, np.newaxis, np.newaxis] * np.maximum(np.abs(least), np.abs(most))
            slopes[0].append(least.reshape(len(cells), -1)[:, 0])
            slopes[1].append(most.reshape(len(cells), -1)[:, 0])
        best = np.maximum(first, centre - spread * (1 + 8 * UNIT) - slack)
        best = np.where(self.absent, np.inf, best)
        centre = np.where(self.absent, np.inf, centre)
        groups = len(self.absent)
        total = best.min(axis=2).sum(axis=1)
        wobble = np.abs(best.min(axis=2)).sum(axis=1) * groups * 2 * UNIT
        return total - wobble - self.radius, centre.min(axis=2).sum(axis=1), slopes

    def _monomials(self, x: Array) -> Array:
        return np.asarray(np.prod(x[:, np.newaxis, :] ** self.powers, axis=2))

    def _slope(self, x: Array, k: int) -> Array:
        lowered = self.powers.copy()
        lowered[:, k] = np.maximum(lowered[:, k] - 1, 0)
        return np.asarray(np.prod(x[:, np.newaxis, :] ** lowered, axis=2))

    def _dot(self, monomials: Array, coefficients: Array) -> Array:
        return np.asarray(np.einsum("nm,gcm->ngc", monomials, coefficients))

    def _slack(self, monomials: Array) -> Array:
        return self._dot(monomials, self.size * self.rounding + self.errors * (1 + self.rounding))


def _floats(poly: Poly, names: Sequence[str]) -> dict[tuple[int, ...], tuple[float, float]]:
    """Coefficients by exponents of the curved symbols, as doubles with their error; logarithms go into them."""
    place = {name: k for k, name in enumerate(names)}
    out: dict[tuple[int, ...], tuple[float, float]] = {}
    for monomial, coefficient in poly.terms.items():
        exponents, value = [0] * len(names), float(coefficient)
        factors = 1
        for name, power in monomial:
            if name in place:
                exponents[place[name]] = power
            else:
                value *= float(enclosure(int(name[1:]))[0]) ** power
                factors += power
        known, error = out.get(tuple(exponents), (0.0, 0.0))
        error += (abs(value) * 8 * factors + abs(known)) * UNIT + 1e-300
        out[tuple(exponents)] = (known + value, error)
    return out


def _down(x: Fraction) -> float:
    value = float(x)
    return value if Fraction(value) <= x else float(np.nextafter(value, -np.inf))


def _up(x: Fraction) -> float:
    value = float(x)
    return value if Fraction(value) >= x else float(np.nextafter(value, np.inf))
