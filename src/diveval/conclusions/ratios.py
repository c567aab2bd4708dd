"""α-nDCG over a range of α: a share of an ideal list that itself changes with α.

With β = 1 − α every gain is a polynomial in β with coefficients of at least 0, so gains, ideals and their slopes all
rise with β, and their values at the ends of a cell bound them on the whole cell. The greedy ideal list is followed over
whole intervals: where two documents change places inside one, both lists are followed, and the bounds cover both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.axioms.arithmetic.logs import enclosure, is_log
from diveval.axioms.arithmetic.polynomials import Poly
from diveval.conclusions.collection import DoubtedTopic
from diveval.conclusions.ranges import BETA, RangedMetric
from diveval.conclusions.signs import NOTHING, Decision, Interval
from diveval.conclusions.terms import Scored, score_at
from diveval.metrics.algebra import Decay
from diveval.metrics.formulas import Normalised, Sum

Array = NDArray[np.float64]
Cell = tuple[float, float]
Enclosure = Array  # (4, system, cell): the mean in the middle, its least and greatest slope, a radius beside them
CELLS = 32
DEPTH = 40  # halvings of a cell
NARROW = 1e-3
FEW = 12  # ideals allowed for in one interval
SAME_DIGITS = 14
SAME = 10.0**-SAME_DIGITS  # gains are rationals of small denominators: two that differ do so by more
TIE = 1e-11  # more than the distance at which the ideal list takes two gains for the same
# Values are sums of at most some thousand terms of at least 0 and at most 1 each, so that doubles are off by less.
SLACK = 1e-10
NEGLIGIBLE = 1e-12  # as a share of an ideal


def applies(formula: Any) -> bool:
    """Whether this file can follow the ideal: (1 − α)^c over single gains, and no effort."""
    return (
        isinstance(formula, Normalised)
        and formula.ideal == "greedy"
        and type(formula.sum) is Sum
        and type(formula.sum.novelty) is Decay
        and formula.sum.novelty.limit is None
        and not formula.sum.effort
    )


class Ratios:
    """Means of all systems over the range of β: enclosed on cells, exact at points."""

    def __init__(self, metric: RangedMetric, scored: Scored) -> None:
        self.metric, self.scored = metric, scored
        self.low, self.high = metric.box[BETA]
        formula = scored.moving
        assert isinstance(formula, Normalised)
        self.walks = [walk_of(topic, formula, float(self.low), float(self.high)) for topic in scored.collection.topics]
        systems = range(len(scored.collection.systems))
        self.gains = [_stacked([_by_power(row[s]) for s in systems]) for row in scored.polys]
        self._exact: dict[Fraction, Scored] = {}

    @cached_property
    def grid(self) -> list[Fraction]:
        """The ends of the first cells."""
        return [self.low + (self.high - self.low) * Fraction(i, CELLS) for i in range(CELLS + 1)]

    @cached_property
    def first(self) -> tuple[list[Cell], Enclosure]:
        """The first cells, cut where the ideals of a topic are cut, with what they hold of every system."""
        cuts = {float(x) for x in self.grid} | {end for walk in self.walks for end in walk.ends[1:-1]}
        cells = list(pairwise(sorted(cuts)))
        return cells, self.enclose(cells, range(len(self.scored.collection.systems)))

    def enclose(self, cells: Sequence[Cell], systems: Sequence[int], *, closer: bool = False) -> Enclosure:
        """What the cells hold of each system; `closer` follows anew the ideals that an interval allowed for."""
        collection = self.scored.collection
        low, high = np.array(cells).T
        out = np.zeros((4, len(systems), len(cells)))
        for t, walk in enumerate(self.walks):
            shares = np.array([float(collection.shares[s]) * (t in collection.counted[s]) for s in systems])[:, None]
            gains = self.gains[t][list(systems)]
            place = np.searchsorted(walk.ends[1:-1], (low + high) / 2)
            for i in np.unique(place):
                here = np.flatnonzero(place == i)
                if closer and len(walk.pieces[i]) > 1:
                    for c in here:
                        ideals = walk.ideals(*cells[int(c)]) or []
                        out[:, :, [c]] += shares * _shares(gains, ideals, low[[c]], high[[c]])
                else:
                    out[:, :, here] += shares * _shares(gains, walk.pieces[i], low[here], high[here])
        return out

    def exact(self, beta: Fraction, a: int, b: int) -> Interval:
        """The difference of two means at one β."""
        if beta not in self._exact:
            self._exact[beta] = score_at(self.scored, self.metric, {BETA: beta})
        return self._exact[beta].difference(a, b).at({})[0]

    def decide(self, a: int, b: int) -> Decision:
        """The sign of mean(a) − mean(b) over the whole range."""
        if self.scored.exact_mean(a) == self.scored.exact_mean(b):
            return Decision("tie", 0.0, {BETA: self.low}, NOTHING, ())
        cells, held = self.first
        value, least = _difference(cells, held, a, b)
        for points in (self.grid[:: CELLS // 4], self.grid):  # exact values at few points serve many pairs
            found = self._negative(points, a, b)
            if found is not None:
                return found
        proved = float(least[least > SLACK].min(initial=np.inf))
        at = float(np.mean(cells[int(value.argmin())]))
        rest = [cells[i] for i in np.flatnonzero(least <= SLACK)]
        for _ in range(DEPTH):
            if not rest:
                break
            rest = [half for x, y in rest for half in ((x, (x + y) / 2), ((x + y) / 2, y))]
            value, least = _difference(rest, self.enclose(rest, (a, b), closer=True), 0, 1)
            deepest = int(value.argmin())
            at = float(np.mean(rest[deepest]))
            if value[deepest] < -SLACK:
                found = self._negative([self._short(at)], a, b) or self._negative([Fraction(at)], a, b)
                if found is not None:
                    return found
            proved = min(proved, float(least[least > SLACK].min(initial=np.inf)))
            rest = [cell for cell, bound in zip(rest, least, strict=True) if bound <= SLACK]
            if len(rest) > 4096 or all(y - x < 1e-12 for x, y in rest):
                break
        point = {BETA: self._short(at)}
        if rest:
            # Where gains tie at one point alone, its ideal is that of neither side: only an exact value shows its sign.
            for beta in (x for x in self.grid if any(low <= float(x) <= high for low, high in rest)):
                exact = self.exact(beta, a, b)
                if exact[1] < 0:
                    return Decision("negative", float("-inf"), {BETA: beta}, exact, ())
            return Decision("unknown", float(least.min()), point, self.exact(point[BETA], a, b), ())
        return Decision("positive", proved - SLACK, point, self.exact(point[BETA], a, b), ())

    def _short(self, beta: float) -> Fraction:
        """A point of the range that is close by and has few digits, for people to read and `evaluate` to take."""
        return min(max(Fraction(f"{beta:.6f}"), self.low), self.high)

    def _negative(self, points: Sequence[Fraction], a: int, b: int) -> Decision | None:
        """A point at which the difference is negative, shown exactly."""
        value, *_ = self.enclose([(float(x), float(x)) for x in points], (a, b))
        lead = value[0] - value[1]
        i = int(lead.argmin())
        if lead[i] >= -SLACK:
            return None
        exact = self.exact(points[i], a, b)
        return Decision("negative", float("-inf"), {BETA: points[i]}, exact, ()) if exact[1] < 0 else None


def _difference(cells: Sequence[Cell], held: Enclosure, a: int, b: int) -> tuple[Array, Array]:
    """The difference in the middle of each cell, and a bound that it does not fall below in the cell."""
    middle, least, most, radius = held
    half = np.array([(y - x) / 2 for x, y in cells])
    slope = np.maximum(np.abs(least[a] - most[b]), np.abs(most[a] - least[b]))
    value = middle[a] - middle[b]
    return value, value - half * slope - radius[a] - radius[b]


def _shares(gains: Array, ideals: Sequence[Array], low: Array, high: Array) -> Array:
    """gain/ideal over cells whatever the ideal is of those possible, (4, system, cell)."""
    if not ideals:  # nothing is relevant
        return np.zeros((4, len(gains), len(low)))
    parts = np.stack([_share(gains, ideal, low, high) for ideal in ideals])
    middle, least, most = parts[:, 0], parts[:, 1], parts[:, 2]
    top, bottom = middle.max(axis=0), middle.min(axis=0)
    return np.stack([(top + bottom) / 2, least.min(axis=0), most.max(axis=0), (top - bottom) / 2])


def _share(gains: Array, ideal: Array, low: Array, high: Array) -> Array:
    """The same for one ideal: the value in the middle, the least and the greatest slope."""
    middle = (low + high) / 2
    i_low, i_high = _at(ideal, low), _at(ideal, high)
    rise, ideal_rise = _slope(gains), _slope(ideal)
    # (G/I)' = (G'I − GI')/I², and G, I, G', I' all rise with β.
    below = _at(rise, low) * i_low - _at(gains, high) * _at(ideal_rise, high)
    above = _at(rise, high) * i_high - _at(gains, low) * _at(ideal_rise, low)
    least = np.where(below >= 0, below / i_high**2, below / i_low**2)
    most = np.where(above >= 0, above / i_low**2, above / i_high**2)
    return np.stack([_at(gains, middle) / _at(ideal, middle), least, most])


# --- the ideal list over intervals of β -------------------------------------------------------------------------------


def walk_of(topic: DoubtedTopic, formula: Normalised, low: float, high: float) -> Walk:
    """The greedy lists of one topic."""
    ranking = topic.ranking(0, 0, 0)
    over = formula.sum.over
    weights = [float(w) for w in over.weigh(ranking)]
    rows = [tuple(float(r) * w for r, w in zip(row, weights, strict=True)) for row in over.pool(ranking)]
    copies = Counter(rows)  # in the order of the pool, which decides ties
    depth = min(len(rows), formula.cutoff or len(rows))
    discounts = formula.sum.discount.table(max(depth, 1))[1 : depth + 1]
    walk = Walk(np.array(list(copies)).reshape(len(copies), len(weights)), tuple(copies.values()), discounts)
    walk.cut(low, high)
    return walk


State = tuple[tuple[int, ...], tuple[int, ...]]  # documents of each kind that are left; per aspect, how many were taken


class Walk:
    """Greedy lists of one topic; documents with the same gains are of one kind."""

    def __init__(self, kinds: Array, copies: tuple[int, ...], discounts: Array) -> None:
        self.kinds, self.copies, self.discounts = kinds, copies, discounts
        self.found = (kinds > 0).astype(int)
        self.left = np.append(np.cumsum(discounts[::-1])[::-1], 0.0)  # the sum of the discounts from each rank on
        self.ends: list[float] = []
        self.pieces: list[list[Array]] = []  # between two ends each: the ideals possible there

    def cut(self, low: float, high: float) -> None:
        """Cut the range into intervals with few possible ideals each."""
        self.ends, self.pieces, waiting = [low], [], [(low, high)]
        while waiting:
            a, b = waiting.pop()
            # Near β = 0 all that is left of a gain is its lowest power, so cells are narrow in proportion.
            found = self.ideals(a, b, most=FEW if b - a > NARROW * max(b, NEGLIGIBLE) else None)
            if found is None:
                waiting += [((a + b) / 2, b), (a, (a + b) / 2)]
            else:
                self.ends.append(b)
                self.pieces.append(found)

    def ideals(self, low: float, high: float, most: int | None = None) -> list[Array] | None:
        """Every greedy ideal possible for a β between the two ends, as coefficients by power of β; None if more than
        `most` lists are."""
        if not len(self.kinds):
            return []
        width = len(self.discounts)
        paths: dict[State, list[Array]] = {(self.copies, (0,) * self.kinds.shape[1]): [np.zeros(width)]}
        done: list[Array] = []
        for rank, discount in enumerate(self.discounts):
            following: dict[State, list[Array]] = {}
            for (left, seen), values in paths.items():
                # No later gain is larger than the largest now: what adds nothing that counts is followed no further.
                least = min(float(value[0]) for value in values)  # at β = 0, and so everywhere
                if rank and self._most(left, seen, high) * self.left[rank] <= NEGLIGIBLE * least:
                    done += values
                    continue
                for kind in self._next(left, np.array(seen), low, high):
                    gain = np.bincount(seen, self.kinds[kind] * discount, minlength=width)
                    state = (
                        (*left[:kind], left[kind] - 1, *left[kind + 1 :]),
                        tuple((np.array(seen) + self.found[kind]).tolist()),
                    )
                    held = following.setdefault(state, [])
                    held += [value + gain for value in values]
                    if len(held) > 1:
                        held[:] = _distinct(held)
            paths = following
            done = _distinct(done)
            if most is not None and len(done) + sum(map(len, paths.values())) > most:
                return None
        return _distinct([*done, *(value for values in paths.values() for value in values)])

    def _most(self, left: tuple[int, ...], seen: tuple[int, ...], high: float) -> float:
        """The largest gain that a document can bring for a β of at most `high`."""
        gains = self.kinds @ _powers(high, np.array(seen))
        return float(np.where(np.array(left) > 0, gains, 0.0).max())

    def _next(self, left: tuple[int, ...], seen: NDArray[np.int64], low: float, high: float) -> list[int]:
        """The kinds that may be taken next, one for each that is best for some β of the interval."""
        rows = self.kinds
        at_low, at_high = rows @ _powers(low, seen), rows @ _powers(high, seen)
        open_now = np.array(left) > 0
        if not (at_high[open_now] > 0).any():
            return []
        best = at_low[open_now].max()
        near: list[int] = np.flatnonzero(open_now & (at_high >= best * (1 - TIE))).tolist()
        return near if len(near) == 1 else [i for i in near if not self._beaten(i, near, seen, low, high)]

    def _beaten(self, i: int, near: Sequence[int], seen: NDArray[np.int64], low: float, high: float) -> bool:
        """Whether another kind gains more for every β of the interval, or exactly the same and stands earlier."""
        scale = TIE * float(self.kinds[i] @ _powers(high, seen))
        for j in near:
            if j == i:
                continue
            difference = np.bincount(seen, self.kinds[j] - self.kinds[i])
            if (np.abs(difference) < SAME).all():
                if j < i:
                    return True
                continue
            powers = np.arange(len(difference), dtype=np.float64)
            below = np.where(difference > 0, difference * low**powers, difference * high**powers).sum()
            if below > scale:
                return True
        return False


def _distinct(values: list[Array]) -> list[Array]:
    """Values that are the same once; of lists that end alike, different values stay."""
    return list({np.round(value, SAME_DIGITS).tobytes(): value for value in values}.values())


def _powers(beta: float, seen: NDArray[np.int64]) -> Array:
    return np.asarray(beta ** seen.astype(np.float64))


def _at(coefficients: Array, x: Array) -> Array:
    """Polynomials, coefficients by power along the last axis, at points: (…, point)."""
    return np.asarray(coefficients @ (x ** np.arange(coefficients.shape[-1], dtype=np.float64)[:, None]))


def _slope(coefficients: Array) -> Array:
    return np.asarray((coefficients * np.arange(coefficients.shape[-1]))[..., 1:])


def _by_power(poly: Poly) -> Array:
    """Coefficients of a gain by power of β; the logarithms go in as doubles, and the ideal's symbol is left out."""
    out: dict[int, float] = {0: 0.0}
    for monomial, coefficient in poly.terms.items():
        power, value = 0, float(coefficient)
        for name, times in monomial:
            if name == BETA:
                power = times
            elif is_log(name):
                value *= float(enclosure(int(name[1:]))[0]) ** times
        out[power] = out.get(power, 0.0) + value
    return np.array([out.get(i, 0.0) for i in range(max(out) + 1)])


def _stacked(rows: Sequence[Array]) -> Array:
    width = max(map(len, rows))
    return np.stack([np.pad(row, (0, width - len(row))) for row in rows])
