"""α-nDCG over a range of α, whose ideal list itself changes with α.

With β = 1 − α every gain is a polynomial in β with non-negative coefficients, so gains, ideals and their slopes all
rise with β, and their values at the ends of a cell bound them on the whole cell. `ideals` computes the greedy list over
the whole range; cells are cut where it changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from diveval.conclusions.ideals import GAP, Pieces, pieces_of
from diveval.conclusions.objectives import NOTHING, down, up
from diveval.conclusions.ranges import BETA, RangedMetric
from diveval.conclusions.signs import Decision
from diveval.conclusions.terms import Scored, score_at
from diveval.exact.logs import Interval, is_log, log_as_float
from diveval.exact.polynomials import Poly
from diveval.metrics.algebra import Array
from diveval.metrics.formulas import Formula
from diveval.metrics.numbers import is_zero

Cell = tuple[float, float]
Enclosure = Array  # (4, system, cell): the mean in the middle, its least and greatest slope, a radius beside them
CELLS = 32
DEPTH = 40  # halvings of a cell
# More than the rounding error of a value, which is a sum of at most some thousand terms between 0 and 1.
SLACK = 1e-10


def applies(formula: Formula | None) -> bool:
    """Whether this module supports the formula: greedy ideal, gains (1 − α)^c, no effort."""
    if formula is None or formula.has_user_code or formula.ideal != "greedy":
        return False
    total = formula.share_of
    return total is not None and total.novelty.counts_documents and is_zero(total.effort)


class Ratios:
    """Means of all systems over the range of β: enclosed on cells, exact at points."""

    def __init__(self, metric: RangedMetric, scored: Scored) -> None:
        self.metric, self.scored = metric, scored
        self.low, self.high = metric.box[BETA]
        formula = scored.moving
        assert formula is not None
        self.ends = down(self.low), up(self.high)
        self.ideals = [pieces_of(topic, formula, *self.ends) for topic in scored.collection.topics]
        systems = range(len(scored.collection.systems))
        self.gains = [_stack([_by_power(row[s]) for s in systems]) for row in scored.polys]
        self._exact: dict[Fraction, Scored] = {}

    @cached_property
    def grid(self) -> list[Fraction]:
        """The ends of the first cells."""
        return [self.low + (self.high - self.low) * Fraction(i, CELLS) for i in range(CELLS + 1)]

    @cached_property
    def first(self) -> tuple[Array, Enclosure]:
        """The first cells, cut where the ideal of any topic is cut, with the enclosures of every system."""
        inner = [float(x) for x in self.grid[1:-1]]
        cuts = np.unique(np.concatenate([self.ends, inner, *(pieces.ends[1:-1] for pieces in self.ideals)]))
        cells = np.array(list(pairwise(cuts)))
        return cells, self.enclose(cells, range(len(self.scored.collection.systems)))

    @cached_property
    def at_grid(self) -> Array:
        """Means of all systems at the ends of the first cells, (system, point), in doubles."""
        points = np.array([[float(x)] * 2 for x in self.grid])
        return np.asarray(self.enclose(points, range(len(self.scored.collection.systems)))[0])

    def enclose(self, cells: Array, systems: Sequence[int]) -> Enclosure:
        """Enclosures of each system on the cells (start, end), each of which must be within one piece of every ideal."""
        collection = self.scored.collection
        low, high = cells.T
        width = max(max(g.shape[1], i.coefficients.shape[1]) for g, i in zip(self.gains, self.ideals, strict=True))
        powers = np.arange(width, dtype=np.float64)[:, np.newaxis]
        at = (low**powers, ((low + high) / 2) ** powers, high**powers)
        out = np.zeros((4, len(systems), len(cells)))
        for t, ideal in enumerate(self.ideals):
            shares = np.array([float(collection.shares[s]) * (t in collection.counted[s]) for s in systems])
            if shares.any():
                out += shares[:, np.newaxis] * _shares(self.gains[t][list(systems)], ideal, at)
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
        lead = self.at_grid[a] - self.at_grid[b]
        negative = self._negative([self.grid[int(lead.argmin())]], a, b, lead.min())
        if negative is not None:
            return negative
        cells, enclosure = self.first
        value, least = _difference(cells, enclosure, a, b)
        proved = float(least[least > SLACK].min(initial=np.inf))
        at = float(cells[int(value.argmin())].mean())
        negative = self._negative([self._short(at), Fraction(at)], a, b, value.min())
        if negative is not None:
            return negative
        rest, bound = cells[least <= SLACK], float(least.min())
        for _ in range(DEPTH):
            if not len(rest) or len(rest) > 4096 or (rest[:, 1] - rest[:, 0]).max() < GAP / 8:
                break
            middle = rest.mean(axis=1)
            rest = np.concatenate([np.stack([rest[:, 0], middle], axis=1), np.stack([middle, rest[:, 1]], axis=1)])
            value, least = _difference(rest, self.enclose(rest, (a, b)), 0, 1)
            at, bound = float(rest[int(value.argmin())].mean()), float(least.min())
            negative = self._negative([self._short(at), Fraction(at)], a, b, value.min())
            if negative is not None:
                return negative
            proved = min(proved, float(least[least > SLACK].min(initial=np.inf)))
            rest = rest[least <= SLACK]
        point = {BETA: self._short(at)}
        if len(rest):
            # If gains are tied at a single point, its ideal differs from both sides: only an exact value shows its sign.
            for beta in (x for x in self.grid if any(low <= float(x) <= high for low, high in rest)):
                exact = self.exact(beta, a, b)
                if exact[1] < 0:
                    return Decision("negative", float("-inf"), {BETA: beta}, exact, ())
            return Decision("unknown", bound, point, self.exact(point[BETA], a, b), ())
        return Decision("positive", proved - SLACK, point, self.exact(point[BETA], a, b), ())

    def _short(self, beta: float) -> Fraction:
        """A close point of the range with few digits, which is easier to read and to pass to `evaluate`."""
        return min(max(Fraction(f"{beta:.6f}"), self.low), self.high)

    def _negative(self, points: Sequence[Fraction], a: int, b: int, guess: float) -> Decision | None:
        """The first of these points with a negative exact difference; tried only if doubles (`guess`) suggest one."""
        for beta in points if guess < -SLACK else ():
            exact = self.exact(beta, a, b)
            if exact[1] < 0:
                return Decision("negative", float("-inf"), {BETA: beta}, exact, ())
        return None


def _difference(cells: Array, enclosure: Enclosure, a: int, b: int) -> tuple[Array, Array]:
    """The difference in the middle of each cell, and its lower bound on the cell."""
    middle, least, most, radius = enclosure
    half = (cells[:, 1] - cells[:, 0]) / 2
    slope = np.maximum(np.abs(least[a] - most[b]), np.abs(most[a] - least[b]))
    value = middle[a] - middle[b]
    return value, value - half * slope - radius[a] - radius[b]


def _shares(gains: Array, pieces: Pieces, at: tuple[Array, Array, Array]) -> Array:
    """gain/ideal over cells, (4, system, cell); `at` has powers of β, (power, cell), at the start, middle and end."""
    start, middles, end = at
    width = pieces.coefficients.shape[1]
    piece = pieces.at(middles[1] if len(middles) > 1 else np.zeros(middles.shape[1]))
    ideal, known = pieces.coefficients[piece].T, pieces.known[piece]
    low, middle, high = (np.einsum("pc,pc->c", ideal, x[:width]) for x in at)
    slope = ideal[1:] * np.arange(1, width)[:, np.newaxis]
    fall, rise = (np.einsum("pc,pc->c", slope, x[: width - 1]) for x in (start, end))
    low, high = np.where(known, low, pieces.low[piece]), np.where(known, high, pieces.high[piece])
    some = low > 0  # otherwise the topic has no relevant document
    low, high, middle = (np.where(some, x, 1.0) for x in (low, high, np.where(known, middle, 1.0)))
    width = gains.shape[1]
    g_low, g_middle, g_high = (gains @ x[:width] for x in at)
    slopes = (gains * np.arange(width))[..., 1:]
    g_fall, g_rise = slopes @ start[: width - 1], slopes @ end[: width - 1]
    # (G/I)' = (G'I − GI')/I², and G, I, G', I' all rise with β.
    below, above = g_fall * low - g_high * rise, g_rise * high - g_low * fall
    least = np.where(below >= 0, below / high**2, below / low**2)
    most = np.where(above >= 0, above / low**2, above / high**2)
    # If only bounds of the ideal are known, the share has bounds too: a radius and no slope.
    bottom, top = g_low / high, g_high / low
    out = np.where(
        known,
        np.stack([g_middle / middle, least, most, np.zeros_like(least)]),
        np.stack([(top + bottom) / 2, np.zeros_like(least), np.zeros_like(least), (top - bottom) / 2]),
    )
    return np.where(some, out, 0.0)


def _by_power(poly: Poly) -> Array:
    """Coefficients of a gain by power of β; logarithms are evaluated as doubles, and the ideal's symbol is ignored."""
    out: dict[int, float] = {0: 0.0}
    for monomial, coefficient in poly.terms.items():
        power, value = 0, float(coefficient)
        for name, times in monomial:
            if name == BETA:
                power = times
            elif is_log(name):
                value *= log_as_float(name) ** times
        out[power] = out.get(power, 0.0) + value
    return np.array([out.get(i, 0.0) for i in range(max(out) + 1)])


def _stack(rows: Sequence[Array]) -> Array:
    width = max(map(len, rows))
    return np.stack([np.pad(row, (0, width - len(row))) for row in rows])
