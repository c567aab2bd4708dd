"""The greedy ideal list of α-nDCG over a whole range of β = 1 − α, as pieces with one list each.

A gain is a polynomial in β with non-negative coefficients. A list is extended as long as one document is proved to have
the largest gain on the whole interval; otherwise the interval is cut at the roots of the differences of gains. The
result is pieces with one list each, and narrow pieces around the roots (and at the two ends, where many gains are
equal) for which the ideal value is only enclosed, whatever the list is. Roots from doubles only decide where to cut:
every claim "this document gains most" is proved with a bound that includes rounding (`_least`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from diveval.conclusions.exact_collection import ExactTopic
from diveval.metrics.algebra import Array
from diveval.metrics.formulas import Formula
from diveval.metrics.ideal import TIE

Counts = tuple[int, ...]
SAME = 1e-14  # gains are rationals with small denominators: different ones differ by more
NEGLIGIBLE = 1e-12  # as a share of an ideal
APART = 1e-9  # the distance from a root at which the sign of a difference is clear
GAP = 2.5 * APART  # the ideal is enclosed on intervals this narrow
ZERO, ONE = 1e-9, 1 - 1e-8  # closer to 0 or 1, gains with the same lowest power, or the same sum, cannot be separated
ROUNDING = 2.0**-49
STATES = 128  # at most, in parallel on a narrow interval


@dataclass(frozen=True)
class Pieces:
    """The ideal between each two `ends`: a polynomial in β, or two bounds where `known` is False."""

    ends: Array
    known: NDArray[np.bool_]
    coefficients: Array  # (piece, power)
    low: Array
    high: Array

    def at(self, middles: Array) -> NDArray[np.int64]:
        """The piece that each point lies in."""
        return np.asarray(np.searchsorted(self.ends[1:-1], middles))


@dataclass(frozen=True)
class _State:
    """A list up to some rank: copies left of each kind, documents taken per aspect, and the ideal so far by power."""

    rank: int
    left: Counts
    seen: Counts
    value: Array


def pieces_of(topic: ExactTopic, formula: Formula, low: float, high: float) -> Pieces:
    """The greedy lists of one topic."""
    ranking = topic.ranking(0, 0, 0)
    total = formula.share_of
    assert total is not None
    over = total.over
    weights = [float(w) for w in over.weigh(ranking)]
    places: dict[tuple[float, ...], list[int]] = {}
    for i, row in enumerate(over.pool(ranking)):
        places.setdefault(tuple(float(r) * w for r, w in zip(row, weights, strict=True)), []).append(i)
    documents = sum(map(len, places.values()))
    depth = min(documents, formula.cutoff or documents)
    discounts = total.discount.table(max(depth, 1))[1 : depth + 1]
    return Walk(np.array(list(places)).reshape(len(places), len(weights)), list(places.values()), discounts).cut(
        low, high
    )


class Walk:
    """Greedy lists of one topic; documents with the same gains are of one kind."""

    def __init__(self, kinds: Array, places: Sequence[Sequence[int]], discounts: Array) -> None:
        """`places` has for each kind the positions of its documents in the pool, ascending; the first wins a tie."""
        self.kinds, self.places, self.discounts = kinds, places, discounts
        self.has_aspect = (kinds > 0).astype(np.int64)
        self.left = np.append(np.cumsum(discounts[::-1])[::-1], 0.0)  # the sum of the discounts from each rank on
        self.width = max(len(discounts), 1)

    def cut(self, low: float, high: float) -> Pieces:
        """The pieces of the range."""
        ends, values = [low], list[tuple[Array | None, float, float]]()

        def add(end: float, value: Array | None, bounds: tuple[float, float] = (0.0, 0.0)) -> None:
            ends.append(end)
            values.append((value, *bounds))

        if not len(self.kinds):
            add(high, np.zeros(self.width))
            return _pieces(ends, values)
        start = _State(0, tuple(map(len, self.places)), (0,) * self.kinds.shape[1], np.zeros(self.width))
        inner = [low, *(x for x in (ZERO, ONE) if low < x < high), high]
        for a, b in pairwise(inner):
            if b <= ZERO:
                add(b, None, self._near_zero(start, b))
            elif a >= ONE:
                add(b, None, self._near_one(a))
            else:
                self._follow(a, b, start, add)
        return _pieces(ends, values)

    def _follow(self, low: float, high: float, start: _State, add: Callable[..., None]) -> None:
        """Extend lists on intervals from left to right; the common start of two lists is computed once."""
        waiting = [(low, high, start)]
        while waiting:
            a, b, state = waiting.pop()
            while True:
                kinds = self._next(state, a, b)
                if len(kinds) != 1:
                    break
                state = self._take(state, kinds[0])
            if not kinds:
                add(b, state.value)
            elif b - a <= GAP:
                add(b, None, self._enclose(state, a, b))
            else:
                cuts = [a, *self._cuts(state, kinds, a, b), b]
                waiting += [(x, y, state) for x, y in reversed(list(pairwise(cuts)))]

    def _take(self, state: _State, kind: int) -> _State:
        left, seen = state.left, np.array(state.seen)
        gain = np.bincount(seen, self.kinds[kind] * self.discounts[state.rank], minlength=self.width)
        return _State(
            state.rank + 1,
            (*left[:kind], left[kind] - 1, *left[kind + 1 :]),
            tuple((seen + self.has_aspect[kind]).tolist()),
            state.value + gain,
        )

    def _next(self, state: _State, low: float, high: float, least: float = NEGLIGIBLE) -> list[int]:
        """The kinds that may be taken next for some β of the interval; none if the rest of the list is negligible.

        `least` is the negligible share of the ideal so far.
        """
        if state.rank >= len(self.discounts):
            return []
        gains = self._gains(state)
        at_low, at_high = _at(gains, low), _at(gains, high)
        open_now = np.array(state.left) > 0
        most = at_high[open_now].max()
        # No later gain exceeds the largest current one, and the ideal is smallest at β = 0.
        if most <= 0 or (state.rank and most * self.left[state.rank] <= least * state.value[0]):
            return []
        near = np.flatnonzero(open_now & (at_high >= at_low[open_now].max() * (1 - 2 * TIE)))
        if len(near) == 1:
            return [int(near[0])]
        same, ahead = _ahead(gains[near])
        places = np.array([self.places[k][-state.left[k]] for k in near.tolist()])
        earlier = places[:, np.newaxis] < places
        beaten = (same & earlier) | (_least(ahead, gains[near], low, high) > 0)
        kept = ~beaten.any(axis=0)
        near, places = near[kept], places[kept]
        if len(near) > 1:  # of gains tied with the best one, the first in the pool is taken
            _, ahead = _ahead(gains[near])
            tied = (_least(-ahead, None, low, high) > 0) | np.eye(len(near), dtype=bool)
            always = tied.all(axis=0)
            near = near[places <= places[always].min(initial=places.max())]
        out: list[int] = near.tolist()
        return out

    def _gains(self, state: _State) -> Array:
        """The gain of each kind as coefficients by power of β."""
        powers = np.zeros((len(state.seen), max(state.seen) + 1))
        powers[np.arange(len(state.seen)), state.seen] = 1.0
        return np.asarray(self.kinds @ powers)

    def _cuts(self, state: _State, kinds: Sequence[int], low: float, high: float) -> list[float]:
        """Where to cut an interval on which several kinds may be best: on both sides of points where the best changes."""
        gains = self._gains(state)[list(kinds)]
        _, ahead = _ahead(gains)
        cuts = set[float]()
        for i in range(len(kinds)):
            for j in range(len(kinds)):
                for root in _roots(ahead[i, j], low, high) if i != j else ():
                    at_root = _at(gains, root)
                    if at_root[i] >= at_root.max() * (1 - 1e-7):
                        cuts.update(x for x in (root - APART, root + APART) if low < x < high)
        if not cuts:
            cuts = {float(np.sqrt(low * high)) if 0 < 4 * low < high else (low + high) / 2}
        return sorted(cuts)

    # --- enclosures where the list is not known -----------------------------------------------------------------------

    def _enclose(self, start: _State, low: float, high: float) -> tuple[float, float]:
        """Bounds of the ideal from all possible lists; lists that reach the same state are continued once."""
        states = {(start.left, start.seen): (start, float(_at(start.value, low)), float(_at(start.value, high)))}
        ends: list[tuple[float, float]] = []
        while states:
            following: dict[tuple[Counts, Counts], tuple[_State, float, float]] = {}
            for state, least, most in states.values():
                kinds = self._next(state, low, high, least=APART)
                gains = self._gains(state)
                if not kinds or len(states) > STATES:
                    top = float(np.where(np.array(state.left) > 0, _at(gains, high), 0.0).max())
                    ends.append((least, most + top * self.left[state.rank]))
                    continue
                for kind in kinds:
                    after, d = self._take(state, kind), self.discounts[state.rank]
                    below, above = least + d * _at(gains[kind], low), most + d * _at(gains[kind], high)
                    same = following.get((after.left, after.seen))
                    if same is not None:
                        below, above = min(below, same[1]), max(above, same[2])
                    following[after.left, after.seen] = (after, float(below), float(above))
            states = following
        return min(low for low, _ in ends), max(high for _, high in ends)

    def _near_zero(self, start: _State, high: float) -> tuple[float, float]:
        """Bounds near β = 0: a repeated aspect gains at most β each time, so only new aspects matter."""
        states = {(start.left, start.seen): (0.0, 0.0)}
        ends, total = [], float(self.kinds.sum(axis=1).max())
        for rank, d in enumerate(self.discounts):
            following: dict[tuple[Counts, Counts], tuple[float, float]] = {}
            for (left, had), (least, most) in states.items():
                fresh = np.where(np.array(left) > 0, self.kinds @ (1.0 - np.array(had)), 0.0)
                if fresh.max() <= high * total:
                    ends.append((least, most + 2 * high * total * self.left[rank]))
                    continue
                for kind in np.flatnonzero(fresh >= (fresh.max() - high * total) * (1 - TIE)):
                    after = np.maximum(had, self.has_aspect[kind])
                    # Kinds without a new aspect are equivalent from then on, however many copies are left.
                    remaining = [n - (k == kind) for k, n in enumerate(left)]
                    open_now = (self.kinds @ (1.0 - after) > 0).tolist()
                    key = tuple(n * o for n, o in zip(remaining, open_now, strict=True)), tuple(after.tolist())
                    below, above = least + d * fresh[kind], most + d * (fresh[kind] + high * total)
                    same = following.get(key, (below, above))
                    following[key] = (min(below, same[0]), max(above, same[1]))
            states = following
        ends += states.values()
        return min(low for low, _ in ends), max(high for _, high in ends)

    def _near_one(self, low: float) -> tuple[float, float]:
        """Bounds near β = 1: a document gains at most its sum, and at least that times β^ranks, whatever is above it."""
        sums = np.repeat(self.kinds.sum(axis=1), [len(positions) for positions in self.places])
        best = np.sort(sums)[::-1][: len(self.discounts)]
        least, most = float(best @ self.discounts), float(best @ np.sort(self.discounts)[::-1])
        return least * low ** len(self.discounts) * (1 - TIE), most


def _pieces(ends: list[float], values: Sequence[tuple[Array | None, float, float]]) -> Pieces:
    width = max((len(value) for value, *_ in values if value is not None), default=1)
    return Pieces(
        np.array(ends),
        np.array([value is not None for value, *_ in values]),
        np.array([np.zeros(width) if value is None else value for value, *_ in values]),
        np.array([low for _, low, _ in values]),
        np.array([high for *_, high in values]),
    )


def _at(coefficients: Array, x: float) -> Array:
    """Polynomials, coefficients by power along the last axis, at a point."""
    return np.asarray(coefficients @ (x ** np.arange(coefficients.shape[-1], dtype=np.float64)))


def _ahead(gains: Array) -> tuple[NDArray[np.bool_], Array]:
    """Which gains are equal, and (1 − TIE)·g_j − g_i as coefficients (j, i, power): where that is positive, i is not
    tied with the best. Equal coefficients are cancelled before the share TIE is subtracted, so that no digits are
    lost."""
    difference = gains[:, np.newaxis] - gains
    small = np.abs(difference) < SAME
    return np.asarray(small.all(axis=2)), np.where(small, 0.0, difference) - TIE * gains[:, np.newaxis]


def _least(ahead: Array, gains: Array | None, low: float, high: float) -> Array:
    """Lower bounds of polynomials on an interval, less a bound of the rounding error.

    The largest of several valid bounds is used. With `gains` the polynomials are g_j − g_i − TIE·g_j, (j, i, power);
    those that vanish at β = 1 are also bounded without the factor 1 − β, since the plain bound cannot show their sign.
    """
    powers = np.arange(ahead.shape[-1], dtype=np.float64)
    at_low, at_high = low**powers, high**powers
    up, down = np.maximum(ahead, 0.0) @ at_low, np.maximum(-ahead, 0.0) @ at_high
    # β^m with the lowest power m is a common factor: bounding the rest separately gives a second bound.
    first = np.argmax(ahead != 0, axis=-1)
    bound = np.maximum(up - down, up - down * (low / high) ** first)
    bound = np.maximum(bound, _around(ahead, low, high))
    if gains is not None:
        difference = ahead + TIE * gains[:, np.newaxis]
        meeting = np.abs(difference.sum(axis=-1)) < 10 * SAME
        if meeting.any() and len(powers) > 1:  # 1 − β is a factor
            rest = np.cumsum(difference, axis=-1)[..., :-1]
            inner = np.maximum(rest, 0.0) @ at_low[:-1] - np.maximum(-rest, 0.0) @ at_high[:-1]
            inner = np.maximum(inner, _around(rest, low, high))
            factored = (1 - high) * inner - (TIE * (gains @ at_high))[:, np.newaxis]
            bound = np.where(meeting, np.maximum(bound, factored), bound)
    return np.asarray(bound - len(powers) * ROUNDING * (np.abs(ahead) @ at_high))


def _around(coefficients: Array, low: float, high: float) -> Array:
    """A lower bound: the value in the middle less half the width times the largest possible slope."""
    powers = np.arange(coefficients.shape[-1], dtype=np.float64)
    middle = coefficients @ ((low + high) / 2) ** powers
    slope = (coefficients * powers)[..., 1:]
    raising, lowering = np.maximum(slope, 0.0), np.maximum(-slope, 0.0)
    at_low, at_high = low ** powers[:-1], high ** powers[:-1]
    steepest = np.maximum(np.abs(raising @ at_high - lowering @ at_low), np.abs(raising @ at_low - lowering @ at_high))
    return np.asarray(middle - (high - low) / 2 * steepest)


def _roots(coefficients: Array, low: float, high: float) -> list[float]:
    """Real roots of a polynomial between two points in doubles; they only decide where to cut, so they need no proof."""
    kept = np.flatnonzero(coefficients)
    if len(kept) < 2:
        return []
    roots = np.roots(coefficients[kept[0] : kept[-1] + 1][::-1])
    real = roots.real[np.abs(roots.imag) <= 1e-6 * np.abs(roots)]
    return [float(x) for x in real if low < x < high]
