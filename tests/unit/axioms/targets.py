"""The targets of the attack: every metric of the catalogue, compositions of the algebra, functions and subclasses."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction as F
from itertools import product
from typing import Any

from diveval.metrics.algebra import (
    Always,
    Aspects,
    BestSoFar,
    Cascade,
    Decay,
    Flat,
    Geometric,
    GlobalGain,
    Log,
    Overall,
    Reciprocal,
    ShiftedLog,
)
from diveval.metrics.catalogue import OWN
from diveval.metrics.columnwise import AveragePrecision, NormalisedDCG, PerChannel, Precision, ReciprocalRank
from diveval.metrics.formulas import Formula, Normalised, PrefixMean, Sum
from diveval.metrics.subtopics import Blend, SubtopicRecall, SubtopicReciprocalRank
from unit.axioms import test_soundness as adversarial
from unit.axioms import user_metrics

ENTRIES = {entry.name: entry for entry in OWN if entry.name != "Judged"}  # Judged has no exact form and is refused
VARIANTS = {
    "RBU(novelty=best)": ("RBU", {"novelty": "best"}),
    "RBU(scale=evall)": ("RBU", {"scale": "evall"}),
    "StRecall(weights=given)": ("StRecall", {"weights": "given"}),
    "alpha_nDCG(ideal=exact)": ("alpha_nDCG", {"ideal": "exact"}),
    "nRBU(ideal=greedy)": ("nRBU", {"ideal": "greedy"}),
    "CT(limit=1/2)": ("CT", {"limit": F(1, 2)}),
    "CT(limit=2)": ("CT", {"limit": F(2)}),
    "SRR(coverage=1/2)": ("SRR", {"coverage": F(1, 2)}),
    "RBU(p=9/10,e=1/20)": ("RBU", {"p": F(9, 10), "e": F(1, 20)}),
    "EU(alpha=1/2,e=1/2)": ("EU", {"alpha": F(1, 2), "e": F(1, 2)}),
    "NRBP(p=4/5)": ("NRBP", {"p": F(4, 5)}),
}
CUT = ["P@1", "P@5", "RBU@3", "nDCG@4", "alpha_nDCG@10", "ERR_IA@2", "AP@6", "nRBU@4", "CT@5", "Dsharp_nDCG@8"]
ANY_CUT = ["P@k", "nDCG@k", "RBU@k", "alpha_nDCG@k", "ERR_IA@k", "Dsharp_nDCG@k", "nDCG_IA@k", "CT@k", "StRecall@k"]


@dataclass(frozen=True)
class Target:
    """A metric to check, and how to score it without the engine."""

    name: str
    item: Any
    build: Callable[[dict[str, F]], Any]  # maps a setting of the free parameters to a declaration or function
    free: tuple[str, ...] = ()
    cutoff: int | str | None = None
    group: str = "catalogue"

    @property
    def function(self) -> bool:
        return self.group == "functions"


def constant(item: Any) -> Callable[[dict[str, F]], Any]:
    """A builder that ignores the setting."""
    return lambda setting: item


def of_entry(text: Any, name: Any, given: Any, cutoff: Any = None) -> Any:
    """A metric of the catalogue with some parameters set; limit and coverage are part of its definition, never free."""
    entry = ENTRIES[name]
    fixed = {p.name: p.default for p in entry.parameters if p.choices or p.name in ("limit", "coverage")} | given
    free = tuple(p.name for p in entry.parameters if p.name not in fixed)
    return Target(text, text, lambda setting: entry.build(**{**fixed, **setting}), free, cutoff)


def catalogue() -> Any:
    metrics = [of_entry(name, name, {}) for name in ENTRIES]
    metrics += [of_entry(text, *chosen) for text, chosen in VARIANTS.items()]
    for text in CUT + ANY_CUT:
        name, _, cutoff = text.partition("@")
        metrics.append(of_entry(text, name, {}, "k" if cutoff == "k" else int(cutoff)))
    return metrics


def compositions(count: int = 40) -> Any:
    """Random compositions of the parts, with numbers inside the ranges; the same ones every time."""
    source = random.Random(2018)
    discounts = [
        Log(),
        ShiftedLog(),
        Reciprocal(),
        Flat(),
        *(Geometric(p, source.randrange(2)) for p in (F(1, 2), F(9, 10))),
    ]
    discounts.append(Geometric(F(3, 4), 0, True))
    novelties = [
        Always(),
        Cascade(),
        BestSoFar(),
        Decay(F(1, 2)),
        Decay(F(1, 10)),
        Decay(F(3, 4), F(1)),
        Decay(0),
        Decay(1),
    ]
    channels = [Aspects(), Aspects(weighted=False), GlobalGain(), Overall()]
    efforts = [0, 0, F(1, 20), F(1, 2), F(2)]
    bases = [Precision(), ReciprocalRank(), AveragePrecision(), NormalisedDCG()]
    every = [Sum(c, d, n, e) for c, d, n, e in product(channels, discounts, novelties, efforts)]
    metrics: dict[str, Target] = {}
    while len(metrics) < count:
        one, kind = source.choice(every), source.randrange(10)
        formula: Formula = one
        if kind == 5:
            formula = Normalised(one)
        elif kind == 6:
            formula = PrefixMean(one)
        elif kind == 7:
            formula = PerChannel(source.choice(bases), source.choice(channels))
        elif kind > 7:
            first = source.choice([SubtopicRecall(), SubtopicRecall("given"), SubtopicReciprocalRank(coverage=F(1, 2))])
            second = source.choice([one, PerChannel(source.choice(bases)), Normalised(Sum(GlobalGain(), Log()))])
            formula = Blend(source.choice([F(1, 4), F(1, 2)]), first, second)
        cutoff = source.choice([None, None, None, 5, 12])
        formula = formula.at(cutoff)
        metrics[repr(formula)] = Target(
            f"composition {len(metrics) + 1}",
            formula,
            constant(formula),
            (),
            cutoff,
            "compositions",
        )
    return list(metrics.values())


# --- functions --------------------------------------------------------------------------------------------------------


def err_ia(ranking: Any) -> Any:
    """ERR-IA as a user would write it."""
    total, left = 0, [1] * ranking.aspects
    for i, row in enumerate(ranking.relevance, 1):
        total += sum(w * r * s for w, r, s in zip(ranking.weights, row, left, strict=True)) / i
        left = [s * (1 - r) for s, r in zip(left, row, strict=True)]
    return total


def five_at_most(ranking: Any) -> Any:
    """Stops after five documents."""
    return sum(F(9, 10) ** i * (max(row) - F(1, 20)) for i, row in enumerate(ranking.relevance[:5]))


def reversed_weights_of_three(ranking: Any) -> Any:
    """With exactly three aspects, sorts the weights in descending order."""
    weights = list(ranking.weights) if len(ranking.weights) != 3 else sorted(ranking.weights, reverse=True)
    return sum(w * r / i for i, row in enumerate(ranking.relevance, 1) for w, r in zip(weights, row, strict=True))


def share_of_pool(ranking: Any) -> Any:
    """Recall of relevance: divides by what is judged."""
    judged = sum(max(row) for row in ranking.pool)
    return sum(max(row) for row in ranking.relevance) / judged if judged > 0 else 0


def pool_of_three(ranking: Any) -> Any:
    """Changes sign if three or more documents are judged relevant."""
    value = sum(max(row) / i for i, row in enumerate(ranking.relevance, 1))
    return value if sum(1 for row in ranking.pool if max(row) > 0) < 3 else -value


def rewards_blanks_with_three(ranking: Any) -> Any:
    """With three aspects, rewards non-relevant documents."""
    blank = sum(1 for row in ranking.relevance if not any(r > 0 for r in row))
    plain = sum(
        w * r / i for i, row in enumerate(ranking.relevance, 1) for w, r in zip(ranking.weights, row, strict=True)
    )
    return plain + blank * blank if ranking.aspects == 3 else plain


def twelve_digits(ranking: Any) -> Any:
    """Depends on rank by less than doubles reliably show."""
    return sum(max(row) * (1 + F(i, 10**13)) for i, row in enumerate(ranking.relevance))


def spike(ranking: Any) -> Any:
    """Drops by 1 if the first relevance is exactly 1/7."""
    value = sum(max(row) / i for i, row in enumerate(ranking.relevance, 1))
    return value - 1 if ranking.relevance[0][0] == F(1, 7) else value


def rounded(ranking: Any) -> Any:
    """Counts documents with a relevance of at least 1/2."""
    return sum((1 if max(row) >= F(1, 2) else 0) / F(i) for i, row in enumerate(ranking.relevance, 1))


def even_length_bonus(ranking: Any) -> Any:
    """Adds a bonus for an even number of documents."""
    value = sum(max(row) / F(2) ** i for i, row in enumerate(ranking.relevance, 1))
    return value + (F(1, 1000) if len(ranking.relevance) % 2 == 0 else 0)


def two_ranks_back(ranking: Any) -> Any:
    """Discounts each document by the one two ranks above it only."""
    column = [max(row) for row in ranking.relevance]
    return sum(r * (1 - (column[i - 2] if i > 1 else 0)) / (i + 1) for i, r in enumerate(column))


class CallableObject:
    """A callable object that resets its state on each call."""

    def __init__(self) -> None:
        self.left = 1

    def __call__(self, ranking: Any) -> Any:
        self.left, total = 1, 0
        for i, row in enumerate(ranking.relevance, 1):
            total += max(row) * self.left / i
            self.left *= 1 - max(row)
        return total


class Cached:
    """Caches values by length, so the second ranking of a length gets the value of the first."""

    def __init__(self) -> None:
        self.kept: dict[int, Any] = {}

    def __call__(self, ranking: Any) -> Any:
        value = sum(max(row) / i for i, row in enumerate(ranking.relevance, 1))
        return self.kept.setdefault(len(ranking.relevance), value)


def periodic() -> Any:
    """Adds 1 on every thirtieth call."""
    calls = [0]

    def metric(ranking: Any) -> Any:
        calls[0] += 1
        value = sum(max(row) / i for i, row in enumerate(ranking.relevance, 1))
        return value + (1 if calls[0] % 30 == 0 else 0)

    return metric


def slightly_noisy(ranking: Any) -> Any:
    """Noise too small to show in a table of scores."""
    return sum(max(row) / i for i, row in enumerate(ranking.relevance, 1)) + random.random() * 1e-6


def functions() -> Any:
    """Users' functions, some of which are designed to mislead the engine."""
    metrics: dict[str, Any] = {name: metric for name, metric in user_metrics.METRICS.items() if callable(metric)}
    metrics |= {
        one.__name__: one
        for one in (
            err_ia,
            five_at_most,
            reversed_weights_of_three,
            share_of_pool,
            pool_of_three,
            rewards_blanks_with_three,
        )
    }
    metrics |= {
        one.__name__: one for one in (twelve_digits, spike, rounded, even_length_bonus, two_ranks_back, slightly_noisy)
    }
    metrics |= {"object": CallableObject(), "cached": Cached(), "periodic": periodic()}
    names = ("own_ndcg", "better", "capped", "three_aspects", "noisy", "swallowing", "by_type", "hidden", "window")
    metrics |= {name: getattr(adversarial, name) for name in names} | {"counted": adversarial.counted()}
    return [Target(name, metric, constant(metric), (), None, "functions") for name, metric in metrics.items()]


NONDETERMINISTIC = {"counted", "noisy", "cached", "periodic", "slightly_noisy"}  # no single value per ranking


def overriding() -> Any:
    """Declarations with a user's subclass as a part, scored by their own `exact`."""
    parts = {
        "forgetful": adversarial.Forgetful(Aspects(), Reciprocal(), Cascade()),
        "steeper": Sum(Aspects(), adversarial.Steeper(), Cascade()),
        "half new": Sum(Aspects(), Reciprocal(), adversarial.HalfNew()),
        "steep": user_metrics.METRICS["steep"],
        "D# of steep": user_metrics.METRICS["D# of steep"],
    }
    return [Target(name, formula, constant(formula), (), None, "subclasses") for name, formula in parts.items()]


def targets() -> Any:
    return [*catalogue(), *compositions(), *functions(), *overriding()]
