"""The best list of a topic's judgments, proven by branch and bound, in doubles and in any other numbers.

A document's gain depends on the set of documents above it, not on their order, and never rises as the list grows. This
gives two bounds on the rest of a list. The current net gains in descending order bound the gains of the next ranks. And
the sum over the next i ranks is at most what each aspect by itself would gain from its i best documents, less the i
lowest efforts; since discounts do not rise, bounds on such sums bound the discounted sum too. With a novelty whose
factor could rise along a list, neither bound would hold and the search would prune optimal lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.metrics.algebra import Array, Decay, Novelty, weighted_sum
from diveval.metrics.ideal import TIE, ArrayFloats, Greedy, alike, greedy_generic, start
from diveval.metrics.numbers import Number, Numbers

STEPS = 2000  # of a search: about a tenth of a second
LARGE = 5000  # cells of a pool; in a pool of n times as many a step counts n-fold, so that the time stays bounded


def optimum(
    pool: Array, weights: Array, novelty: Novelty, effort: Array, discounts: Array, *, steps: int = STEPS
) -> float | None:
    """The largest Σ discount(i) · net(i) over all ordered subsets of the pool; None if it takes too many steps.

    `pool` is (channel, document); `discounts` has one entry per rank and does not rise.
    """
    if not pool.shape[1] or not len(discounts):
        return 0.0
    search = _Search(pool, weights, novelty, effort, discounts, steps)
    return search.best if search.proven else None


class _Search:
    """Depth-first search, the largest gain first; a set of documents already reached with a higher value is pruned."""

    def __init__(
        self, pool: Array, weights: Array, novelty: Novelty, effort: Array, discounts: Array, steps: int
    ) -> None:
        # Documents with equal relevance and effort are one kind with a number of copies.
        first, kind = alike(np.vstack([pool, effort]))
        copies = np.bincount(kind)
        self.documents, self.costs = pool[:, first], effort[first]
        self.weights, self.novelty, self.discounts, self.left_steps = weights, novelty, discounts, steps
        self.price = 1 + pool.size // LARGE
        # The coefficients of the partial sums: Σ d(i)·net(i) = Σ (d(i) − d(i+1)) · (sum of net gains to rank i).
        self.falls = discounts - np.append(discounts[1:], 0.0)
        block = Greedy(pool[:, np.newaxis], weights[:, np.newaxis], novelty, effort[np.newaxis])
        greedy = block.first(len(discounts))[0]
        self.best = float(np.dot(discounts[: len(greedy)], greedy))
        self.reached: dict[bytes, float] = {}
        self.numbers = ArrayFloats()
        self.proven = self.follow(0, 0.0, start(novelty, pool.shape[:1]), copies)

    def follow(self, rank: int, value: float, state: Any, left: NDArray[np.int64]) -> bool:
        """Try all continuations of a list; False once the steps are used up."""
        self.best = max(self.best, value)
        if rank == len(self.discounts):
            return True
        self.left_steps -= self.price
        if self.left_steps < 0:
            return False
        key = left.tobytes()
        if self.reached.get(key, -1.0) >= value:
            return True
        self.reached[key] = value
        worth = self.weights * self.novelty.factor(state, self.numbers)
        net = weighted_sum(self.documents, worth) - self.costs
        choices = np.flatnonzero((left > 0) & (net > TIE * self.costs))
        falling = choices[np.argsort(-net[choices], kind="stable")]
        if not len(falling) or value + self.bound(rank, worth, net, falling, left) <= self.best * (1 + TIE):
            return True
        for d in falling:
            left[d] -= 1
            after = self.novelty.after(state, self.documents[:, d], self.numbers)
            done = self.follow(rank + 1, value + float(self.discounts[rank] * net[d]), after, left)
            left[d] += 1
            if not done:
                return False
        return True

    def bound(self, rank: int, worth: Array, net: Array, falling: NDArray[np.int64], left: NDArray[np.int64]) -> float:
        """An upper bound on the discounted net gains from rank + 1 on."""
        depth = len(self.discounts) - rank
        each = np.repeat(falling, left[falling])
        sums = np.cumsum(net[each][:depth])
        if by_aspect(self.novelty):
            r = -np.sort(-self.documents[:, each], axis=1)[:, :depth]
            alone = (worth[:, np.newaxis] * r * self.novelty.table(r)).sum(axis=0)
            sums = np.minimum(sums, np.cumsum(alone - np.sort(self.costs[each])[:depth]))
        falls = self.falls[rank : rank + len(sums)].copy()
        falls[-1] = self.discounts[rank + len(sums) - 1]  # the last partial sum has the whole last discount
        return float(np.dot(falls, np.maximum.accumulate(sums)))


def by_aspect(novelty: Novelty) -> bool:
    """Whether an aspect gains most from its best documents, best first; not so if it is full from some sum on."""
    return not (isinstance(novelty, Decay) and novelty.limit is not None)


def optimum_generic(
    rows: Sequence[Sequence[Number]],
    weights: Sequence[Number],
    novelty: Novelty,
    effort: Sequence[Number],
    discounts: Sequence[Number],
    numbers: Numbers,
    *,
    steps: int = STEPS,
) -> Number | None:
    """`optimum` over any ordered numbers. `rows` has one row per document."""
    zero, tie = numbers.of(0), numbers.of(TIE)
    price = 1 + len(rows) * len(weights) // LARGE
    kinds: dict[tuple[Number, ...], int] = {}
    for row, cost in zip(rows, effort, strict=True):
        kind = (*row, cost)
        kinds[kind] = kinds.get(kind, 0) + 1
    documents, costs = [kind[:-1] for kind in kinds], [kind[-1] for kind in kinds]
    left, reached = list(kinds.values()), dict[tuple[int, ...], Number]()
    greedy = greedy_generic(rows, weights, novelty, effort, numbers, len(discounts))
    best = sum((d * n for d, n in zip(discounts, greedy, strict=False)), zero)

    def bound(rank: int, worth: list[Number], nets: dict[int, Number], falling: list[int]) -> Number:
        depth = len(discounts) - rank
        each = [d for d in falling for _ in range(left[d])]
        sums = list(accumulate(nets[d] for d in each[:depth]))
        if by_aspect(novelty):
            alone = [zero] * len(sums)
            for c, factor in enumerate(worth):
                column = sorted((documents[d][c] for d in each), reverse=True)[:depth]
                alone = [a + factor * g for a, g in zip(alone, novelty.gain(column, numbers), strict=True)]
            cheapest = sorted(costs[d] for d in each)
            both = accumulate(a - cost for a, cost in zip(alone, cheapest, strict=False))
            sums = [min(a, b) for a, b in zip(sums, both, strict=True)]
        total, highest = zero, zero
        for i, partial in enumerate(sums):
            highest = max(highest, partial)
            after = discounts[rank + i + 1] if i + 1 < len(sums) else zero
            total = total + (discounts[rank + i] - after) * highest
        return total

    def follow(rank: int, value: Number, states: list[Any]) -> bool:
        nonlocal best, steps
        best = max(best, value)
        if rank == len(discounts):
            return True
        steps -= price
        if steps < 0:
            return False
        key = tuple(left)
        if key in reached and reached[key] >= value:
            return True
        reached[key] = value
        worth = [w * novelty.factor(s, numbers) for w, s in zip(weights, states, strict=True)]
        nets = {
            d: sum((w * r for w, r in zip(worth, row, strict=True)), zero) - costs[d]
            for d, row in enumerate(documents)
            if left[d]
        }
        falling = sorted((d for d, net in nets.items() if net > tie * costs[d]), key=lambda d: nets[d], reverse=True)
        if not falling or value + bound(rank, worth, nets, falling) <= best:
            return True
        for d in falling:
            left[d] -= 1
            after = [novelty.after(s, r, numbers) for s, r in zip(states, documents[d], strict=True)]
            done = follow(rank + 1, value + discounts[rank] * nets[d], after)
            left[d] += 1
            if not done:
                return False
        return True

    proven = follow(0, zero, [novelty.begin(numbers) for _ in weights])
    return best if proven else None
