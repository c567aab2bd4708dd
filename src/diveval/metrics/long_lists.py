"""Greedy lists over pools of thousands of documents, without looking at every document at every rank.

Documents that look alike are one kind with a number of copies. And since no gain rises as a list grows, a gain from
earlier bounds today's: only the most promising kinds are looked at until their best falls to what the others had.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from diveval.metrics.algebra import Array

LONG = 2048  # documents: a pool beyond this is searched this way
PROMISING = 512  # kinds looked at between two looks at all

Gain = Callable[[Array, Any], Array]  # (channel, kind) and the state to a gain per kind
After = Callable[[Any, Array], Any]  # the state and a document's column to the next state


class LongList:
    """The greedy list of one topic: at each rank the document of the largest net gain, ties to the first of the pool.

    `pool` is (channel, document). Gains within the share `tie` of the largest are ties; a document whose net gain is
    not above that share of its effort is never taken.
    """

    def __init__(self, pool: Array, effort: Array, gain: Gain, state: Any, after: After, tie: float) -> None:
        _, first, kind = np.unique(np.vstack([pool, effort]), axis=1, return_index=True, return_inverse=True)
        self._kinds, self._costs = pool[:, first], effort[first]
        self._gain, self._after, self._state, self._tie = gain, after, state, tie
        self._documents = np.argsort(kind.ravel(), kind="stable")  # by kind, each in the order of the pool
        self._ends = np.cumsum(np.bincount(kind.ravel()))
        self._next = np.concatenate([[0], self._ends[:-1]])  # of each kind, the first copy that is left
        self._promising = np.empty(0, dtype=np.int64)
        self._others = np.inf  # no kind that is not promising has more
        self.nets: list[float] = []

    def extend(self) -> bool:
        """Take one more document; False if none is worth it."""
        net = self._net(self._promising)
        best = self._best(net, self._promising)
        if best - self._tie * best <= self._others:
            net = self._look_at_all()
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

    def _look_at_all(self) -> Array:
        """Choose the most promising kinds anew, ties included, and bound the others."""
        left = np.flatnonzero(self._next < self._ends)
        net = self._net(left)
        least = -np.inf if len(left) <= PROMISING else float(np.partition(net, -PROMISING)[-PROMISING])
        chosen = net >= least - self._tie * abs(least) if len(left) > PROMISING else np.ones(len(left), dtype=bool)
        self._promising = left[chosen]
        self._others = float(net[~chosen].max(initial=-np.inf))
        return np.asarray(net[chosen])
