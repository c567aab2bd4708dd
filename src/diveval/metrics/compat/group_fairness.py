"""GFR, group fairness and relevance, as NTCIREVAL 230128 computes it (Sakai, Kim and Kang, TOIS 2023).

A user goes down the list and stops at rank i with the probability stop(i) = r(i) Π_{j<i} (1 − r(j)) of ERR. At each stop
the mean group membership of the documents seen is compared with the target:

    GF = Σ_i stop(i) · similarity(mean membership of the first i, target)
    GFR = the mean of the relevance measure and of one GF for each attribute

A similarity is 1 minus a divergence: JSD for groups without an order, NMD or RNOD for ordered ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from diveval.metrics.algebra import Array
from diveval.metrics.batch import Batch, source_of
from diveval.metrics.compat.base import entries_under, four_digits, overall
from diveval.metrics.grouped import find_attributes, score_by_row
from diveval.metrics.metric import Parameter, choice
from diveval.settings import GroupedTopic, OrderRule, RelevanceRule


def js_similarity(shares: Array, target: Array) -> Array:
    """1 − Jensen–Shannon divergence, base 2, for groups without an order."""
    middle = (shares + target) / 2

    def diverge(one: Array) -> Array:
        return np.asarray(
            np.sum(one * np.log2(np.divide(one, middle, out=np.ones_like(middle), where=one > 0)), axis=-1)
        )

    return np.asarray(1.0 - (diverge(shares) + diverge(np.broadcast_to(target, shares.shape))) / 2)


def nmd_similarity(shares: Array, target: Array) -> Array:
    """1 − normalised match distance: the differences of the cumulative shares, over the number of groups − 1."""
    apart = np.abs(np.cumsum(shares - target, axis=-1)).sum(axis=-1)
    return np.asarray(1.0 - apart / max(shares.shape[-1] - 1, 1))


def rnod_similarity(shares: Array, target: Array) -> Array:
    """1 − root normalised order-aware divergence, which weighs squared differences by the distance of the groups."""
    groups = np.arange(shares.shape[-1])
    distances = np.abs(groups[:, np.newaxis] - groups)[target > 0]
    weighed = ((shares - target) ** 2) @ distances.T
    divergence = weighed.sum(axis=-1) / max(len(distances), 1) / max(len(groups) - 1, 1)
    return np.asarray(1.0 - np.sqrt(divergence))


SIMILARITIES: dict[str, Callable[[Array, Array], Array]] = {
    "JSD": js_similarity,
    "NMD": nmd_similarity,
    "RNOD": rnod_similarity,
}


def _stops(batch: Batch, row: int, count: int, gain: str, top: int) -> Array:
    """The probability of stopping at each of the first ranks of a row."""
    grades, highest = np.zeros(count), float(top or max(source_of(batch).judged.grades.max(initial=0.0), 0.0))
    seen = batch.ranks[row] <= count
    grades[batch.ranks[row][seen] - 1] = overall(batch)[row][seen]
    gains, best = (grades, highest) if gain == "linear" else (np.exp2(grades) - 1.0, 2.0**highest - 1.0)
    r = gains / (best + 1.0)
    return np.asarray(r * np.concatenate([[1.0], np.cumprod(1.0 - r)[:-1]]))


def _similarities(grouped: GroupedTopic, documents: list[str], kind: str) -> Array:
    """The similarity to the target at each rank."""
    shares = np.array([grouped.of(document) for document in documents]).reshape(len(documents), -1)
    mean = np.cumsum(shares, axis=0) / np.arange(1.0, len(documents) + 1)[:, np.newaxis]
    return SIMILARITIES[kind](mean, np.array(grouped.target))


def _attributes(batch: Batch, row: int, intersect: str) -> list[GroupedTopic]:
    """The attributes of a row's topic, crossed to one where asked for."""
    found = find_attributes(batch, int(batch.topic[row]))
    return [reduce(GroupedTopic.cross, found)] if intersect == "yes" else found


def group_fairness(batch: Batch, cutoff: int | None, divergence: str, intersect: str, gain: str, top: int) -> Array:
    """GF with one divergence for every attribute, and their mean."""

    def value(row: int, documents: list[str]) -> float:
        stops = _stops(batch, row, len(documents), gain, top)
        grouped = _attributes(batch, row, intersect)
        return float(np.mean([stops @ _similarities(one, documents, divergence) for one in grouped]))

    return score_by_row(batch, cutoff, value)


def fairness_and_relevance(
    batch: Batch, cutoff: int | None, relevance: str, ordinal: str, p: float, intersect: str, gain: str, top: int
) -> Array:
    """GFR: the mean of ERR or iRBU and of GF by each attribute."""

    def value(row: int, documents: list[str]) -> float:
        stops = _stops(batch, row, len(documents), gain, top)
        ranks = np.arange(1.0, len(documents) + 1)
        parts = [stops @ (1.0 / ranks if relevance == "ERR" else float(p) ** ranks)]
        kinds = [(one, ordinal if one.ordinal else "JSD") for one in _attributes(batch, row, intersect)]
        parts += [stops @ _similarities(one, documents, kind) for one, kind in kinds]
        return float(np.mean(four_digits(np.array(parts))))  # the tool combines what it has printed

    return score_by_row(batch, cutoff, value)


_entry = entries_under(
    "ntcireval",
    "Sakai, Kim and Kang 2023",
    choice("intersect", "cross all attributes to one, whose groups are their combinations", "no", "yes"),
    choice("gain", "of a grade g: 2^g − 1, or g", "exponential", "linear"),
    Parameter(
        "top",
        0,
        "the highest grade there may be; 0 for the highest of the judgments",
        0,
        1000,
        in_name=False,
        whole=True,
    ),
    order=OrderRule("file"),
    rule=RelevanceRule(gain="raw", weights="uniform"),
    diversity=False,
    needs_groups=True,
)

GROUP_FAIRNESS = [
    _entry(
        "GF",
        group_fairness,
        "group fairness: how close the groups seen are to their target where users stop",
        "Σ_i r(i) Π_{j<i} (1 − r(j)) · (1 − divergence(mean membership of the first i, target))",
        choice("divergence", "without (JSD) or with an order of the groups", *SIMILARITIES, in_name=True),
    ),
    _entry(
        "GFR",
        fairness_and_relevance,
        "group fairness and relevance",
        "mean of ERR or iRBU, GF by JSD for each attribute, and by NMD or RNOD for each ordinal one",
        choice("relevance", "the measure of relevance", "ERR", "iRBU", in_name=True),
        choice("ordinal", "the divergence of ordinal attributes", "NMD", "RNOD", in_name=True),
        Parameter("p", 0.99, "patience of iRBU", 0, 1, True, True, in_name=False),
    ),
]
