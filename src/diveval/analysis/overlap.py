"""Runs that return nearly the same documents in nearly the same order, topic by topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

DEPTH, CLOSE = 50, 0.9
Tops = Mapping[str, Sequence[str]]  # topic → first documents
Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class ClosePair:
    """Two runs, how alike they are, and on how many of their topics they agree in every place."""

    first: str
    second: str
    overlap: float  # of the lists, mean over the topics of either
    common: float  # of the part that both lists have, mean over the topics of both
    identical: int
    topics: int


def find_close_pairs(runs: Mapping[str, Tops], *, depth: int = DEPTH, least: float = CLOSE) -> list[ClosePair]:
    """The pairs of which one may be a copy; the closest first.

    The average overlap of two lists is the mean over d = 1 … depth of the share of documents that their first d have in
    common: R. Fagin, R. Kumar, D. Sivakumar. Comparing Top k Lists. SODA 2003. It reacts little to a dropped, added or
    moved document, which makes two files differ and two systems not. Lists shorter than the depth are compared down to the
    longer one; a topic that only one run has counts 0.

    A copy that was cut, or that has documents of its own before the copied ones, has less overlap. So the common part
    counts too: the share of the shorter list that the other has, times the average overlap of both lists without other
    documents, where most topics are those of both. Listed is a pair of which either measure is at least `least`, or that
    agrees in every place on most topics.
    """
    names = list(runs)
    total, identical, count, both, shares = (np.zeros((len(names), len(names))) for _ in range(5))
    by_topic = []
    for topic in dict.fromkeys(topic for tops in runs.values() for topic in tops):
        lists = [list(runs[name].get(topic, ()))[:depth] for name in names]
        overlap, share = _overlap(lists)
        total, shares = total + overlap, shares + share
        has = np.array([bool(one) for one in lists])
        count += has[:, None] | has[None, :]
        both += has[:, None] & has[None, :]
        by_topic.append([{document: place for place, document in enumerate(one)} for one in lists])
        same = {i: tuple(one) for i, one in enumerate(lists) if one}
        for i, j in combinations(same, 2):
            identical[i, j] += same[i] == same[j]
    pairs = []
    for i, j in combinations(range(len(names)), 2):
        enough = 2 * both[i, j] > count[i, j] and shares[i, j] >= least * both[i, j]
        common = _common([(topic[i], topic[j]) for topic in by_topic]) if enough else 0.0
        mean = float(total[i, j] / max(count[i, j], 1))
        if count[i, j] and (max(mean, common) >= least or 2 * identical[i, j] > count[i, j]):
            pairs.append(ClosePair(names[i], names[j], mean, common, int(identical[i, j]), int(count[i, j])))
    return sorted(pairs, key=lambda pair: (-max(pair.overlap, pair.common), pair.first, pair.second))


def _common(topics: Sequence[tuple[Mapping[str, int], Mapping[str, int]]]) -> float:
    """The mean over the topics of both runs; a list is given by the places of its documents."""
    values = []
    for one, two in topics:
        if one and two:
            places = [two[document] for document in one if document in two]
            order = np.argsort(np.argsort(places))
            reached = np.bincount(np.maximum(order, np.arange(len(order))), minlength=len(order)).cumsum()
            inner = float(np.mean(reached / np.arange(1, len(order) + 1))) if places else 0.0
            values.append(inner * len(places) / min(len(one), len(two)))
    return sum(values) / len(values)


def _overlap(lists: Sequence[Sequence[str]]) -> tuple[Matrix, Matrix]:
    """For each pair of lists the average overlap, and the share of the shorter one that the other has."""
    codes: dict[str, int] = {}
    coded = [[codes.setdefault(document, len(codes)) for document in one] for one in lists]
    lengths = np.array([len(one) for one in lists])
    here = np.zeros((len(lists), len(codes)), dtype=np.float32)
    total = np.zeros((len(lists), len(lists)))
    longest, shortest = (pick(lengths[:, None], lengths[None, :]) for pick in (np.maximum, np.minimum))
    for d in range(1, int(lengths.max(initial=0)) + 1):
        for i, one in enumerate(coded):
            if d <= len(one):
                here[i, one[d - 1]] = 1
        total += np.where(d <= longest, (here @ here.T) / d, 0.0)
    share = (here @ here.T).astype(np.float64) / np.maximum(shortest, 1)
    return total / np.maximum(longest, 1), share
