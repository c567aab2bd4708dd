"""The greedy ideal list of a topic's judgments, for normalised metrics.

For pools of thousands of documents, computing every gain at every rank would be too slow. So documents with equal
relevance and effort are one kind with a number of copies. And since no gain rises as a list grows, a gain computed at
an earlier rank is an upper bound: only the most promising kinds are computed again until their best falls to the bound
of the others. This is exact only for novelties whose factor never rises along a list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.metrics.algebra import Always, Array, Discount, Novelty, weighted_sum
from diveval.metrics.batch import last
from diveval.metrics.numbers import Number, Numbers

LONG = 2048  # documents: larger pools are searched this way
PROMISING = 512  # kinds whose gains are computed at every rank

Gain = Callable[[Array, Any], Array]  # relevance (channel, kind) and the state to a gain per kind
After = Callable[[Any, Array], Any]  # the state and a document's relevance to the next state


def alike(columns: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The index of the first column of each kind, kinds in lexical order, and the kind of every column.

    Like `np.unique(axis=1)`, in half the time: it sorts by one row after the other instead of comparing whole columns.
    """
    order = np.lexsort(columns[::-1])
    moved = columns[:, order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (moved[:, 1:] != moved[:, :-1]).any(axis=0)
    kind = np.empty(len(order), dtype=np.int64)
    kind[order] = np.cumsum(new) - 1
    return order[new], kind


class LongList:
    """The greedy list of one topic: at each rank the document of the largest net gain, the first of the pool if tied.

    `pool` is (channel, document). Gains that differ from the largest by at most the share `tie` are tied; a document
    whose net gain is at most that share of its effort is never taken.
    """

    def __init__(self, pool: Array, effort: Array, gain: Gain, state: Any, after: After, tie: float) -> None:
        first, kind = alike(np.vstack([pool, effort]))
        self._kinds, self._costs = pool[:, first], effort[first]
        self._gain, self._after, self._state, self._tie = gain, after, state, tie
        self._documents = np.argsort(kind, kind="stable")  # by kind, each in the order of the pool
        self._ends = np.cumsum(np.bincount(kind))
        self._next = np.concatenate([[0], self._ends[:-1]])  # of each kind, the first copy not yet taken
        self._promising = np.empty(0, dtype=np.int64)
        self._others = np.inf  # upper bound of the net gain of all other kinds
        self.nets: list[float] = []

    def extend(self) -> bool:
        """Take one more document; False if none is worth its effort."""
        net = self._net(self._promising)
        best = self._best(net, self._promising)
        if best - self._tie * best <= self._others:  # another kind may be as good, or tied
            net = self._choose_promising()
            best = self._best(net, self._promising)
        if best <= 0.0:
            return False
        equal = self._promising[net >= best - self._tie * best]
        kind = int(equal[self._documents[self._next[equal]].argmin()])
        self.nets.append(float(net[self._promising == kind][0]))
        self._state = self._after(self._state, self._kinds[:, kind])
        self._next[kind] += 1
        if self._next[kind] == self._ends[kind]:
            self._promising = self._promising[self._promising != kind]
        return True

    def _net(self, kinds: Any) -> Array:
        return np.asarray(self._gain(self._kinds[:, kinds], self._state) - self._costs[kinds])

    def _best(self, net: Array, kinds: Any) -> float:
        return float(np.where(net > self._tie * self._costs[kinds], net, 0.0).max(initial=0.0))

    def _choose_promising(self) -> Array:
        """Compute the gains of all kinds, keep the most promising ones with all ties, and bound the others."""
        left = np.flatnonzero(self._next < self._ends)
        # Computing all gains takes less time than copying most of the columns.
        net = self._net(slice(None))[left] if 2 * len(left) > len(self._ends) else self._net(left)
        least = -np.inf if len(left) <= PROMISING else float(np.partition(net, -PROMISING)[-PROMISING])
        chosen = net >= least - self._tie * abs(least) if len(left) > PROMISING else np.ones(len(left), dtype=bool)
        self._promising = left[chosen]
        self._others = float(net[~chosen].max(initial=-np.inf))
        return np.asarray(net[chosen])


# --- greedy lists -----------------------------------------------------------------------------------------------------


# Two gains closer than this share of the larger are tied, and the earlier document of the pool is taken. Without the
# rule, the last bit of a sum would determine the document, and with it all later gains.
# Likewise a document whose gain exceeds its effort by no more than this share of the effort is not worth it: the excess
# may be rounding, as in 0.05 + 0.05 + 0.05 − 0.15.
TIE = 1e-12
SOME_RANKS = 64  # computed of an ideal list before checking whether further ranks can change the sum


class ArrayFloats(Numbers):
    """Arrays of doubles as numbers: applies the scalar definition of a novelty to all channels at once."""

    def of(self, value: Number) -> Number:
        return float(value)

    def positive(self, value: Number) -> Number:
        return np.asarray(value > 0.0).astype(np.float64)

    def below(self, value: Number, limit: Number) -> Number:
        return np.asarray(value < limit).astype(np.float64)

    def largest(self, values: Sequence[Number]) -> Number:
        return np.max(values, axis=0)

    def inverse_log(self, argument: int) -> Number:
        return 1.0 / np.log2(argument)


class Greedy:
    """The greedy ideal list of each topic of a block: at each rank the document that adds most, the first if tied.

    The lists are extended on demand, all topics at once, since most metrics use the first few ranks only. A document
    that adds no more than its effort is never taken, so a list may end early. Shapes: pool (channel, topic, document),
    weights (channel, topic), effort (topic, document).
    """

    def __init__(self, pool: Array, weights: Array, novelty: Novelty, effort: Array, *, tie: float = TIE) -> None:
        self._weights, self._novelty, self._tie = weights, novelty, tie
        # Topics are the last axis, since there are many of them and few documents: numpy is fast along a long last axis.
        self._pool = np.ascontiguousarray(pool.transpose(0, 2, 1))
        self._effort = effort.T.copy()  # a copy, since the effort of a document that was taken becomes infinite
        # True if any positive net gain is worth it: there is no effort, or no margin is required.
        self._any_gain = not tie or not effort[np.isfinite(effort)].any()
        self._numbers = ArrayFloats()
        self._state: Any = start(novelty, pool.shape[:2])
        self._nets: list[Array] = []  # by rank, of each topic; 0 where its list has ended
        self._ended = False
        self._long: list[LongList] = []
        if pool.shape[2] > LONG and not isinstance(novelty, Always):
            self._long = [self._long_list(t) for t in range(pool.shape[1])]

    def first(self, count: int | None) -> Array:
        """Net gain (gain − effort) at the first ranks of each list, (topic, rank); 0 after the end of a list."""
        wanted = self._pool.shape[1] if count is None else min(count, self._pool.shape[1])
        if isinstance(self._novelty, Always) and not self._nets:
            self._sort()
        while not self._ended and len(self._nets) < wanted:
            self._extend()
        out = np.zeros((self._pool.shape[2], min(wanted, len(self._nets))))
        for rank, net in enumerate(self._nets[:wanted]):
            out[:, rank] = net
        return out

    def total(self, discount: Discount, count: int | None) -> Array:
        """Σ discount(i) · net(i) over the first ranks of each list.

        Neither discounts nor net gains rise. So once a term is too small to change the sum, all later ones are too, and
        the list need not be computed to its end: the bits are those of the whole sum. A quarter of the spacing, not
        half of it, because a term of half the spacing may still round the sum up.
        """
        wanted = self._pool.shape[1] if count is None else min(count, self._pool.shape[1])
        depth = min(wanted, SOME_RANKS)
        while True:
            net = self.first(depth)
            terms = net * discount.table(net.shape[1])[1:]
            sums = last(terms)
            if depth == wanted or net.shape[1] < depth or (terms[:, -1] <= np.spacing(sums) / 4).all():
                return sums
            depth = min(2 * depth, wanted)

    def _sort(self) -> None:
        """Without novelty no document changes another's gain, so the greedy list is sorted by gain."""
        net = weighted_sum(self._pool, self._weights[:, np.newaxis]) - self._effort
        self._nets = [net for net in -np.sort(-self._worth_it(net), axis=0) if net.any()]
        self._ended = True

    def _extend(self) -> None:
        if self._long:
            nets = [topic.nets[-1] if topic.extend() else 0.0 for topic in self._long]
            self._ended = not any(nets)
            self._nets += [] if self._ended else [np.array(nets)]
            return
        fresh = self._novelty.factor(self._state, self._numbers)
        net = weighted_sum(self._pool, (self._weights * fresh)[:, np.newaxis]) - self._effort
        best = (net if self._any_gain else self._worth_it(net)).max(axis=0, initial=0.0)
        if not best.any():
            self._ended = True
            return
        # The flat index (document × topics + topic) of the first document of each topic within the tie.
        at = (net >= best - self._tie * best).argmax(axis=0) * len(best) + np.arange(len(best))
        self._nets.append(np.where(best > 0.0, net.take(at), 0.0))
        self._effort.ravel()[at] = np.inf
        taken = self._pool.reshape(len(self._pool), -1).take(at, axis=1)
        self._state = self._novelty.after(self._state, taken, self._numbers)

    def _worth_it(self, net: Array) -> Array:
        """Net gains, 0 where a document is not worth its effort."""
        if self._any_gain:
            return np.maximum(net, 0.0)
        return np.where(net > self._tie * self._effort, net, 0.0)

    def _long_list(self, topic: int) -> LongList:
        """The list of one topic with many documents."""
        own = np.isfinite(self._effort[:, topic])
        weights, novelty, numbers = self._weights[:, topic], self._novelty, self._numbers
        return LongList(
            self._pool[:, own, topic],
            self._effort[own, topic],
            lambda kinds, state: weighted_sum(kinds, weights * novelty.factor(state, numbers)),
            start(novelty, self._pool.shape[:1]),
            lambda state, column: novelty.after(state, column, numbers),
            self._tie,
        )


def start(novelty: Novelty, shape: tuple[int, ...]) -> Any:
    """The state before rank 1 as arrays, one element per channel (and topic)."""
    state = novelty.begin(ArrayFloats())
    return tuple(np.full(shape, part) for part in state) if isinstance(state, tuple) else np.full(shape, state)


def greedy_generic(
    rows: Sequence[Sequence[Number]],
    weights: Sequence[Number],
    novelty: Novelty,
    effort: Sequence[Number],
    numbers: Numbers,
    count: int | None,
) -> list[Number]:
    """The net gains at the first ranks of the greedy list over any ordered numbers. `rows` has one row per document."""
    states = [novelty.begin(numbers) for _ in weights]
    left = list(range(len(rows)))
    nets: list[Number] = []
    tie = numbers.of(TIE)
    while left and (count is None or len(nets) < count):
        fresh = [novelty.factor(state, numbers) for state in states]
        net = [
            sum((w * r * f for w, r, f in zip(weights, rows[d], fresh, strict=True)), numbers.of(0)) - effort[d]
            for d in left
        ]
        best = max((n for n, d in zip(net, left, strict=True) if n > tie * effort[d]), default=None)
        if best is None:
            break
        taken = next(i for i, value in enumerate(net) if value >= best - tie * best)
        nets.append(net[taken])
        document = left.pop(taken)
        states = [novelty.after(state, rows[document][c], numbers) for c, state in enumerate(states)]
    return nets
