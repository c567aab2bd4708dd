"""Runs that return nearly the same documents in nearly the same order, topic by topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

DEPTH, CLOSE = 50, 0.9
Tops = Mapping[str, Sequence[str]]  # topic → first documents


@dataclass(frozen=True)
class ClosePair:
    """Two runs with their mean overlap, and on how many of their topics they agree in every place."""

    first: str
    second: str
    overlap: float
    identical: int
    topics: int


def find_close_pairs(runs: Mapping[str, Tops], *, depth: int = DEPTH, least: float = CLOSE) -> list[ClosePair]:
    """The pairs whose average overlap, mean over the topics of either, is at least `least`; the closest first.

    The average overlap of two lists is the mean over d = 1 … depth of the share of documents that their first d have in
    common: R. Fagin, R. Kumar, D. Sivakumar. Comparing Top k Lists. SODA 2003. It reacts little to a dropped, added or
    moved document, which makes two files differ and two systems not. Lists shorter than the depth are compared down to the
    longer one; a topic that only one run has counts 0.
    """
    names = list(runs)
    total, identical, count = (np.zeros((len(names), len(names))) for _ in range(3))
    for topic in dict.fromkeys(topic for tops in runs.values() for topic in tops):
        lists = [list(runs[name].get(topic, ()))[:depth] for name in names]
        total += _overlap(lists)
        has = np.array([bool(one) for one in lists])
        count += has[:, None] | has[None, :]
        same = {i: tuple(one) for i, one in enumerate(lists) if one}
        for i, j in combinations(same, 2):
            identical[i, j] += same[i] == same[j]
    pairs = []
    for i, j in combinations(range(len(names)), 2):
        if count[i, j] and total[i, j] >= least * count[i, j]:
            mean = float(total[i, j] / count[i, j])
            pairs.append(ClosePair(names[i], names[j], mean, int(identical[i, j]), int(count[i, j])))
    return sorted(pairs, key=lambda pair: (-pair.overlap, pair.first, pair.second))


def _overlap(lists: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """The average overlap of each pair of lists."""
    codes: dict[str, int] = {}
    coded = [[codes.setdefault(document, len(codes)) for document in one] for one in lists]
    lengths = np.array([len(one) for one in lists])
    here = np.zeros((len(lists), len(codes)), dtype=np.float32)
    total = np.zeros((len(lists), len(lists)))
    longest = np.maximum(lengths[:, None], lengths[None, :])
    for d in range(1, int(lengths.max(initial=0)) + 1):
        for i, one in enumerate(coded):
            if d <= len(one):
                here[i, one[d - 1]] = 1
        total += np.where(d <= longest, (here @ here.T) / d, 0.0)
    return np.asarray(total / np.maximum(longest, 1))
