"""Write Examples.v: random rankings with scores by diveval's exact interpreter, which Coq computes again.

    python proofs/examples.py > proofs/Examples.v

The rankings are always the same. A test generates the file again and compares, so that it fails if a metric's definition
in Python changes; Coq fails to compile the file if a definition in Coq changes.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from diveval.exact.polynomials import Term
from diveval.exact.symbols import Exacts
from diveval.metrics.formulas import Sum
from diveval.metrics.names import find
from diveval.metrics.ranking import Ranking

EACH = 45  # rankings per metric
Rows = list[list[Fraction]]


@dataclass(frozen=True)
class Compared:
    """A metric of the catalogue and its name in Coq, with its parameters in Coq's order."""

    entry: str
    coq: str
    parameters: tuple[str, ...] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
    logarithmic: str = ""  # the Coq name of a discount that remains a symbol


METRICS = [
    Compared("RBU", "RBU", ("p", "e"), {"scale": "paper", "novelty": "cascade"}),
    Compared("RBP", "RBP", ("p",)),
    Compared("RBP_IA", "RBP_IA", ("p",)),
    Compared("ERR_IA", "ERR_IA"),
    Compared("NRBP", "NRBP", ("p", "alpha")),
    Compared("CT", "CT", ("alpha", "limit")),
    Compared("alpha_DCG", "alpha_DCG", ("alpha",), logarithmic="logarithmic"),
    Compared("EU", "EU", ("alpha", "e"), logarithmic="shifted_log"),
    Compared("ERR", "ERR"),
]


def fraction(value: Fraction) -> str:
    """A fraction in Coq's notation, such as 1 # 2 or (-1) # 2."""
    number = str(value.numerator) if value >= 0 else f"({value.numerator})"
    return f"{number} # {value.denominator}"


def listed(values: list[Fraction]) -> str:
    return "[" + "; ".join(fraction(value) for value in values) + "]"


def random_ranking(chance: random.Random) -> tuple[Rows, list[Fraction]]:
    """A ranking of 1 to 6 documents over 1 to 4 aspects, with ties, zeros and ones, and weights that sum to 1."""
    aspects, documents = chance.randint(1, 4), chance.randint(1, 6)
    levels = [Fraction(0), Fraction(0), Fraction(1), *(Fraction(chance.randint(1, 11), 12) for _ in range(3))]
    shares = [chance.randint(1, 9) for _ in range(aspects)]
    rows = [[chance.choice(levels) for _ in range(aspects)] for _ in range(documents)]
    return rows, [Fraction(share, sum(shares)) for share in shares]


def setting(names: tuple[str, ...], chance: random.Random) -> dict[str, Fraction]:
    """A value for each parameter, strictly inside its range; the limit of the Cube Test is always 1."""
    return {name: Fraction(1) if name == "limit" else Fraction(chance.randint(1, 19), 20) for name in names}


def gains(formula: Sum, ranking: Ranking) -> list[Fraction]:
    """The gain at each rank without its discount: the coefficient of each logarithm."""
    discounts = formula.discount.along(len(ranking), ranking.numbers)
    out = []
    for term, discount in zip(formula.terms(ranking), discounts, strict=True):
        ratio = Term.of(term) / Term.of(discount)
        out.append(_coefficient(ratio.num.terms, ratio.den.terms))
    return out


def _coefficient(above: dict[object, Fraction], below: dict[object, Fraction]) -> Fraction:
    if not above:
        return Fraction(0)
    ((symbols, top),), ((same, bottom),) = above.items(), below.items()
    assert symbols == same, "a gain does not depend on a logarithm"
    return Fraction(top) / bottom


def example(number: int, metric: Compared, chance: random.Random) -> str:
    """One statement: the score of a random ranking equals the interpreter's."""
    rows, weights = random_ranking(chance)
    values = setting(metric.parameters, chance)
    formula = find(metric.entry).build(**values, **metric.choices)
    assert isinstance(formula, Sum)
    ranking = Ranking.of(rows, weights=weights, pool=rows, numbers=Exacts())
    parameters = "".join(f" (Q2R ({fraction(value)}))" for value in values.values())
    documents = "; ".join(map(listed, rows))
    score = (
        f"{metric.coq}{parameters} {len(weights)}%nat (weights_of {listed(weights)})\n    (ranking_of [{documents}])"
    )
    if metric.logarithmic:
        result, equal = f"discounted {metric.logarithmic} {listed(gains(formula, ranking))}", "discounted_same"
    else:
        result, equal = f"Q2R ({fraction(Fraction(formula.exact(ranking)))})", "value_same"
    proof = f"rewrite {metric.coq}_computed. apply {equal}. vm_compute. reflexivity."
    return f"Example example_{number} :\n  {score}\n  = {result}.\nProof. {proof} Qed.\n"


HEADER = """(** Written by examples.py: rankings scored by diveval's exact interpreter, computed again by Coq. *)

From Coq Require Import Reals QArith Qreals List.
From DivEval Require Import Definitions Compute.
Import ListNotations.
Open Scope R_scope.
"""


def text() -> str:
    """The text of Examples.v."""
    chance = random.Random(2018)
    parts = [HEADER]
    for metric in METRICS:
        for _ in range(EACH):
            parts.append(example(len(parts), metric, chance))
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(text())
