"""Metrics without one of their parts: the axiom that depends on the part fails, with a counterexample."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from diveval.axioms import check
from diveval.metrics import parse
from diveval.metrics.algebra import Always, Aspects, Channels, Flat
from diveval.metrics.formulas import Normalised
from support.present import present


@dataclass(frozen=True)
class Binarised(Channels):
    """Each aspect separately, with binary relevance."""

    def pick(self, row: Any, ranking: Any) -> Any:
        return [ranking.numbers.positive(r) for r in row]

    def weigh(self, ranking: Any) -> Any:
        return list(ranking.weights)


def sum_of(name: Any) -> Any:
    """The sum behind a metric of the catalogue, at its defaults."""
    formula = parse(name).formula
    return formula.sum if isinstance(formula, Normalised) else formula


MUTANTS = {
    "drop effort": lambda s: replace(s, effort=0),
    "flatten discount": lambda s: replace(s, discount=Flat()),
    "forget weights": lambda s: replace(s, over=Aspects(weighted=False)),
    "forget redundancy": lambda s: replace(s, novelty=Always()),
    "binarise": lambda s: replace(s, over=Binarised()),
}
ROWS = {"RBU": "RBU@k", "ERR_IA": "ERR-IA@k", "RBP_IA": "RBP-IA", "CT": "CT@k", "alpha_nDCG": "alpha-nDCG@k"}
# At a cutoff these need k large enough; without one, as the mutants are, they hold.
REGIONS = {("RBU@k", "DeepTh"), ("alpha-nDCG@k", "DeepTh")}
FLIPS = [
    ("RBU", "drop effort", ["Conf"]),
    ("RBU", "flatten discount", ["Pri", "Deep", "DeepTh"]),
    ("RBU", "forget weights", ["AspRel"]),
    ("RBU", "forget redundancy", ["Red", "MRed", "Sat"]),
    ("RBU", "binarise", ["Pri", "Deep", "AspDiv", "MRed"]),
    ("EU", "drop effort", ["Conf"]),
    ("EU", "flatten discount", ["Deep", "DeepTh"]),
    ("EU", "forget weights", ["AspRel"]),
    ("EU", "forget redundancy", ["Red", "DeepTh"]),
    ("EU", "binarise", ["Pri", "AspDiv"]),
    ("ERR_IA", "flatten discount", ["Pri", "Deep", "DeepTh"]),
    ("ERR_IA", "forget weights", ["AspRel"]),
    ("ERR_IA", "forget redundancy", ["Red", "MRed", "Sat"]),
    ("ERR_IA", "binarise", ["Pri", "AspDiv"]),
    ("RBP_IA", "flatten discount", ["Pri", "Deep", "DeepTh"]),
    ("RBP_IA", "forget weights", ["AspRel"]),
    ("RBP_IA", "binarise", ["Pri", "AspDiv"]),
    ("CT", "forget weights", ["AspRel"]),
    ("CT", "forget redundancy", ["Red", "Sat"]),
    ("CT", "binarise", ["Pri", "AspDiv"]),
    ("NRBP", "flatten discount", ["Deep", "DeepTh"]),
    ("NRBP", "forget redundancy", ["Red"]),
    ("NRBP", "binarise", ["Pri", "AspDiv"]),
    ("alpha_nDCG", "flatten discount", ["Deep", "DeepTh"]),
    ("alpha_nDCG", "forget redundancy", ["Red", "DeepTh"]),
    ("alpha_nDCG", "binarise", ["Pri", "AspDiv"]),
]


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "mutation", "flipped"), FLIPS)
def test_a_mutant_loses_the_axiom_of_its_part(full_matrix: Any, metric: Any, mutation: Any, flipped: Any) -> None:
    """Without the part, the axiom that holds for the metric fails, and the counterexample breaks only the mutant.

    That it holds for the metric comes from the full matrix, which decides it for every setting, not only the default.
    """
    original = sum_of(metric)
    mutant = MUTANTS[mutation](original)
    for axiom in flipped:
        row = ROWS.get(metric, metric)
        if (row, axiom) in REGIONS:
            assert full_matrix.cell(row, axiom, "charitable").verdict == "region"
            assert check(metric, axiom, reading="charitable").verdict == "holds", axiom
        else:
            assert full_matrix.cell(row, axiom, "charitable").verdict == "holds", axiom
        verdict = check(mutant, axiom, reading="charitable")
        assert verdict.verdict == "fails", axiom
        if axiom != "DeepTh":
            example = present(verdict.counterexample)
            assert example.breaks(mutant) and not example.breaks(original)


def test_a_reversed_discount_breaks_priority() -> None:
    """A metric that weights lower ranks more fails Pri."""

    def bottom_heavy(ranking: Any) -> Any:
        return sum(i * row[0] for i, row in enumerate(ranking.relevance, 1))

    assert check(bottom_heavy, "Pri").verdict == "fails"
