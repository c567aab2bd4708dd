"""Rank sets: the ranks that each system can have, given which pairs differ significantly."""

from __future__ import annotations

from collections.abc import Iterable


def rank_sets(count: int, better: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The possible ranks (best, worst) of `count` systems, from 1, given decided pairs (better, worse).

    A rank counts the systems above. System i can be first but for the systems decided to be better than it, and last
    but for those decided to be worse: 1 + |better than i| … count − |worse than i|. If all decisions are right, so are
    all sets at once, so their joint confidence is that of the decisions (N. E. Klein et al., 2020; M. Mogstad et al.,
    Inference for Ranks, 2024). Decisions need not be transitive; a pair decided both ways is counted both ways.
    """
    above: list[set[int]] = [set() for _ in range(count)]
    below: list[set[int]] = [set() for _ in range(count)]
    for first, second in better:
        above[second].add(first)
        below[first].add(second)
    return [(1 + len(above[i]), count - len(below[i])) for i in range(count)]


def write_ranks(best: int, worst: int) -> str:
    """`1` or `1–3`."""
    return str(best) if best == worst else f"{best}–{worst}"
