"""Metrics outside the catalogue: users' functions, and declarations for which the engine has no specialised proof."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction as F
from typing import Any

from diveval.metrics.algebra import (
    Always,
    Aspects,
    Cascade,
    Decay,
    Flat,
    Geometric,
    GlobalGain,
    Log,
    Overall,
    Reciprocal,
)
from diveval.metrics.columnwise import AveragePrecision, PerChannel, Precision, ReciprocalRank
from diveval.metrics.formulas import Normalised, Sum
from diveval.metrics.subtopics import Blend


def patient(ranking: Any) -> Any:
    """RBP as a user would write it, with floats."""
    return sum(0.9**i * max(row) for i, row in enumerate(ranking.relevance))


def greedy(ranking: Any) -> Any:
    """Counts documents above a threshold, with an `if`."""
    return sum(1 / (i + 1) for i, row in enumerate(ranking.relevance) if row[0] > 0.3)


def best_two(ranking: Any) -> Any:
    """Sorts relevances and charges for each document."""
    column = sorted([row[0] for row in ranking.relevance], reverse=True)
    return sum(column[:2]) - 0.1 * len(column)


def logged(ranking: Any) -> Any:
    """Not exact: a logarithm of relevance."""
    return sum(math.log(1 + row[0]) for row in ranking.relevance)


def rooted(ranking: Any) -> Any:
    """Not exact on longer rankings only: a root of the first relevance."""
    first = ranking.relevance[0][0]
    return first**0.5 if len(ranking.relevance) > 3 else first


def squares(ranking: Any) -> Any:
    """Rewards late ranks: squared relevance times rank, weighted by aspect."""
    return sum(
        w * r * r * i for i, row in enumerate(ranking.relevance, 1) for w, r in zip(ranking.weights, row, strict=True)
    )


@dataclass(frozen=True)
class Steep(Log):
    """A user's subclass of a discount, about which the engine may assume nothing."""


METRICS: dict[str, Any] = {
    "patient": patient,
    "greedy": greedy,
    "best two": best_two,
    "logged": logged,
    "rooted": rooted,
    "squares": squares,
    "steep": Sum(Aspects(), Steep(), Always()),
    "D# of steep": Blend(second=Sum(Aspects(), Steep(), Always())),
    "D# of AP": Blend(second=PerChannel(AveragePrecision())),
    "D# of RR": Blend(F(1, 4), second=PerChannel(ReciprocalRank())),
    "halves": Blend(first=PerChannel(Precision()), second=PerChannel(ReciprocalRank())),
    "global gain": Sum(GlobalGain(), Log(), Always()),
    "global cascade": Sum(GlobalGain(), Reciprocal(), Cascade(), F(1, 20)),
    "flat": Sum(Aspects(), Flat(), Always()),
    "flat with a bonus": Sum(Aspects(), Flat(), Always(), F(-1, 10)),
    "p = 1": Sum(Aspects(weighted=False), Geometric(1), Cascade(), F(1, 10)),
    "α = 0": Sum(Aspects(), Log(), Decay(0)),
    "filled": Sum(Aspects(), Geometric(F(1, 2)), Decay(F(1, 2), F(1, 2))),
    "overall": Sum(Overall(), Log(), Cascade(), F(1, 100)),
    "normalised": Normalised(Sum(Aspects(), Log(), Decay(F(1, 8)), F(1, 50))),
}
