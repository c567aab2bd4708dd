"""The best ranking a topic's judgments allow, for the metrics that are a share of it: greedy, or proven optimal."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from diveval.metrics.algebra import Always, Array, Novelty, weighted_sum
from diveval.metrics.numbers import Number, Numbers

# Two gains closer than this share of the larger are the same gain, and the earlier document of the pool is taken.
# Without the rule, the last bit of a sum would choose the document, and with it all later gains.
TIE = 1e-12


class ArrayFloats(Numbers):
    """Doubles by the array: lets the scalar definition of a novelty step over all channels at once."""

    def of(self, value: Number) -> Number:
        return float(value)

    def positive(self, value: Number) -> Number:
        return np.where(value > 0.0, 1.0, 0.0)

    def below(self, value: Number, limit: Number) -> Number:
        return np.where(value < limit, 1.0, 0.0)

    def largest(self, values: Sequence[Number]) -> Number:
        return np.max(values, axis=0)

    def inverse_log(self, argument: int) -> Number:
        return 1.0 / np.log2(argument)


class Greedy:
    """The greedy ideal list: at each rank the document that adds most, ties to the first of the pool.

    The list is extended on demand, since most metrics look at the first few ranks only. A document that adds no more
    than its effort is never taken: the best list may stop early.
    """

    def __init__(self, pool: Array, weights: Array, novelty: Novelty, effort: Array) -> None:
        self._pool, self._weights, self._novelty = pool, weights, novelty
        self._effort = effort.copy()  # its own: what is taken costs too much to be taken again
        self._numbers = ArrayFloats()
        self._state: Any = self._start()
        self._utilities: list[float] = []
        self._ended = False

    def _start(self) -> Any:
        """One state per channel, as arrays."""
        state = self._novelty.begin(self._numbers)
        width = self._pool.shape[0]
        return tuple(np.full(width, part) for part in state) if isinstance(state, tuple) else np.full(width, state)

    def first(self, count: int | None) -> Array:
        """Net gain (gain − effort) at the first ranks of the list; shorter when the list ends before."""
        wanted = self._pool.shape[1] if count is None else min(count, self._pool.shape[1])
        if isinstance(self._novelty, Always) and not self._utilities:
            self._sort()
        while not self._ended and len(self._utilities) < wanted:
            self._extend()
        return np.array(self._utilities[:wanted])

    def _sort(self) -> None:
        """Without novelty no document changes another's gain: the greedy list is the sorted one."""
        net = weighted_sum(self._pool, self._weights) - self._effort
        self._utilities = np.sort(net[net > 0.0])[::-1].tolist()
        self._ended = True

    def _extend(self) -> None:
        fresh = self._novelty.factor(self._state, self._numbers)
        # Accumulating adds channel by channel, in the order of weighted_sum, and is one call instead of many.
        net = np.add.accumulate(self._pool * (self._weights * fresh)[:, np.newaxis])[-1] - self._effort
        best = float(net.max())
        if best <= 0.0:
            self._ended = True
            return
        taken = int((net >= best - TIE * best).argmax())
        self._utilities.append(float(net[taken]))
        self._effort[taken] = np.inf
        self._state = self._novelty.after(self._state, self._pool[:, taken], self._numbers)


def greedy_generic(
    rows: Sequence[Sequence[Number]],
    weights: Sequence[Number],
    novelty: Novelty,
    effort: Sequence[Number],
    numbers: Numbers,
    count: int | None,
) -> list[Number]:
    """The same list over any ordered numbers: net gains at its first ranks. `rows` has one row per document."""
    states = [novelty.begin(numbers) for _ in weights]
    left = list(range(len(rows)))
    nets: list[Number] = []
    tie = numbers.of(Fraction(1, 10**12))
    while left and (count is None or len(nets) < count):
        fresh = [novelty.factor(state, numbers) for state in states]
        net = [
            sum((w * r * f for w, r, f in zip(weights, rows[d], fresh, strict=True)), numbers.of(0)) - effort[d]
            for d in left
        ]
        best = max(net)
        if best <= 0:
            break
        taken = next(i for i, value in enumerate(net) if value >= best - tie * best)
        nets.append(net[taken])
        document = left.pop(taken)
        states = [novelty.after(state, rows[document][c], numbers) for c, state in enumerate(states)]
    return nets


def optimum(
    pool: Array, weights: Array, novelty: Novelty, effort: Array, discounts: Array, *, nodes: int = 20_000
) -> float | None:
    """The largest Σ discount(i) · net(i) over all orders of the pool, by branch and bound; None if it costs too much.

    `discounts` has one entry per rank and is not increasing. Since novelty only falls, today's net gains in falling
    order bound whatever may follow.
    """
    numbers = ArrayFloats()
    _, first, copies = np.unique(np.vstack([pool, effort]), axis=1, return_index=True, return_counts=True)
    documents, costs = pool[:, first], effort[first]
    start = Greedy(pool, weights, novelty, effort)
    greedy = start.first(len(discounts))
    best = float(np.dot(discounts[: len(greedy)], greedy))
    budget = nodes

    def search(rank: int, value: float, state: Any, left: np.ndarray[Any, np.dtype[np.int64]]) -> bool:
        nonlocal best, budget
        best = max(best, value)
        if rank == len(discounts):
            return True
        budget -= 1
        if budget < 0:
            return False
        net = weighted_sum(documents, weights * novelty.factor(state, numbers)) - costs
        open_now = np.flatnonzero((left > 0) & (net > 0.0))
        falling = open_now[np.argsort(-net[open_now], kind="stable")]
        future = np.repeat(net[falling], left[falling])[: len(discounts) - rank]
        if value + float(np.dot(discounts[rank : rank + len(future)], future)) <= best * (1 + TIE):
            return True
        for d in falling:
            left[d] -= 1
            done = search(
                rank + 1, value + float(discounts[rank] * net[d]), novelty.after(state, documents[:, d], numbers), left
            )
            left[d] += 1
            if not done:
                return False
        return True

    proven = search(0, 0.0, start._start(), copies)
    return best if proven else None
