"""The pairs of an attack: generated once for all cells of a constraint and reading, and scored many at a time.

Doubles decide clear cases; all others are scored exactly, pair by pair.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction as F
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from unit.axioms.declared import OneByOne, declared
from unit.axioms.pairs import Pairs

PACK_SIZE = 64  # pairs of one shape that share a setting of the parameters
CLEAR = 1e-11  # a larger difference of doubles has the sign of the exact one: scores are below 100, sums short


def doubles(rows: Any) -> Any:
    return [[float(r) for r in row] for row in rows]


@dataclass(frozen=True, eq=False)
class Pack:
    """Pairs of the same shape: equal numbers of documents on each side and of aspects."""

    pairs: tuple[Any, ...]

    @property
    def length(self) -> int:
        return max(len(self.pairs[0][0]), len(self.pairs[0][1]))

    @property
    def aspects(self) -> int:
        return len(self.pairs[0][2])

    @cached_property
    def arrays(self) -> Any:
        """Better, worse, weights and judgments; each number is an array with one entry per pair. Non-relevant documents
        pad the judgments to equal length."""
        judged = max(len(pair[3]) for pair in self.pairs)
        nothing = [F(0)] * self.aspects
        pools = [[*pair[3], *[nothing] * (judged - len(pair[3]))] for pair in self.pairs]
        better, worse = ([pair[side] for pair in self.pairs] for side in (0, 1))
        weights = _stacked([[pair[2]] for pair in self.pairs])[0]
        return _stacked(better), _stacked(worse), weights, _stacked(pools)

    @cached_property
    def floats(self) -> Any:
        """Each pair in doubles."""
        return [
            (doubles(better), doubles(worse), [float(w) for w in weights], doubles(pool))
            for better, worse, weights, pool, _ in self.pairs
        ]

    def gaps(self, formula: Any, k: Any) -> Any:
        """Q(better) − Q(worse) of each pair under a declaration, in doubles."""
        better, worse, weights, pool = self.arrays
        try:
            return declared(formula, better, weights, pool, k) - declared(formula, worse, weights, pool, k)
        except OneByOne:
            return np.array(
                [declared(formula, b, w, p, k) - declared(formula, c, w, p, k) for b, c, w, p in self.floats]
            )

    def with_small_pool(self, extra: Any) -> Pack:
        """The same pairs, with at most one judged document outside the rankings, as `bounded` verdicts assume."""
        return Pack(tuple(_small_pool(pair, extra) for pair in self.pairs))


def _stacked(lists: Any) -> Any:
    """Many lists of rows as one list of rows of arrays."""
    table = np.array([doubles(rows) for rows in lists], dtype=float)
    if table.ndim < 3:
        return []
    return [[np.ascontiguousarray(table[:, i, t]) for t in range(table.shape[2])] for i in range(table.shape[1])]


def _small_pool(pair: Any, extra: Any) -> Any:
    better, worse, weights, pool, strict = pair
    more = pool[-1:] if extra.random() < 0.5 else []
    return better, worse, weights, [*better, *(row for row in worse if row not in better), *more], strict


@lru_cache(maxsize=4)  # cells are attacked constraint by constraint, reading by reading
def packs(axiom: str, reading: str, longest: int, rankings: int, bounded: Any = None) -> tuple[Pack, ...]:
    """Packs with this many pairs of a constraint in total, the same for every cell.

    `bounded` gives the maximum length of rankings per number of aspects, as ((aspects, documents), …).
    """
    most = dict(bounded or ())
    reach = max(2, min(longest, 8, *most.values())) if most else max(2, min(longest, 8))
    source = Pairs(
        reading, random.Random(f"{axiom} {reading} {longest} {bounded}").random(), reach, 1 if bounded else 2
    )
    shapes: dict[Any, list[Any]] = {}
    count = 0
    for _ in range(20 * rankings + 2000):
        if count == rankings:
            break
        pair = source.make(axiom)
        if pair is None:
            continue
        better, worse, weights, _, _ = pair
        length = max(len(better), len(worse))
        if length > longest or (bounded is not None and length > most.get(len(weights), 0)):
            continue
        count += 1
        shapes.setdefault((len(better), len(worse), len(weights)), []).append(pair)
    extra = random.Random(axiom)
    packed = [
        Pack(tuple(pairs[start : start + PACK_SIZE]))
        for pairs in shapes.values()
        for start in range(0, len(pairs), PACK_SIZE)
    ]
    return tuple(pack.with_small_pool(extra) for pack in packed) if bounded is not None else tuple(packed)


def unclear(gaps: Any) -> Iterator[int]:
    """The pairs that doubles do not decide in favour of the claim."""
    yield from np.flatnonzero(~(np.asarray(gaps) > CLEAR)).tolist()
