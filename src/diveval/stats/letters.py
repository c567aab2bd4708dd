"""Significance letters: two systems share a letter exactly when they do not differ significantly."""

from __future__ import annotations

import string
from collections.abc import Iterable

MOST = 500
SIGNS = string.ascii_lowercase + string.ascii_uppercase


def letters(count: int, different: Iterable[tuple[int, int]]) -> list[str] | None:
    """The letters of `count` systems, numbered from the best, given the pairs that differ significantly.

    Insert and absorb: start with one column that holds everyone; for each differing pair split every column that holds
    both into one without the first and one without the second; drop columns that lie within another. Their number can
    grow without bound; beyond 500 no reader could use the letters, and the answer is None.
    H.-P. Piepho. An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons. Journal of Computational
    and Graphical Statistics, 2004.
    """
    columns = {(1 << count) - 1}
    for i, j in sorted(different):
        both = (1 << i) | (1 << j)
        split = {column for column in columns if column & both == both}
        columns -= split
        # Untouched columns lie within none of the halves, so only the halves can be absorbed.
        halves = {column & ~(1 << k) for column in split for k in (i, j)}
        columns |= {half for half in halves if not any(half != c and half & ~c == 0 for c in (*columns, *halves))}
        if len(columns) > MOST:
            return None
    # The letter a belongs to the column of the best system, and so on downwards.
    ordered = sorted(columns, key=lambda column: [i for i in range(count) if column >> i & 1])
    return ["".join(_sign(c) for c, column in enumerate(ordered) if column >> i & 1) for i in range(count)]


def _sign(number: int) -> str:
    """a … z, A … Z, then a1 … Z1, a2 …"""
    turn, place = divmod(number, len(SIGNS))
    return SIGNS[place] + (str(turn) if turn else "")
