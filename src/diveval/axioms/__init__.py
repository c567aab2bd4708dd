"""The axiom engine: ten constraints decided for any metric, with evidence that anyone can check again."""

from diveval.axioms.presentation.advice import advise, regions
from diveval.axioms.presentation.consistency import AxiomMap, map_axioms
from diveval.axioms.presentation.family import walk
from diveval.axioms.presentation.matrix import Matrix, matrix
from diveval.axioms.presentation.scales import Scale, scale
from diveval.axioms.proof.decide import check
from diveval.axioms.proof.verdicts import Counterexample, Proof, Region, Verdict
from diveval.axioms.specification.constraints import AXIOMS, Axiom
from diveval.axioms.specification.readings import AS_WRITTEN, CHARITABLE, Reading
from diveval.axioms.specification.shapes import Bounds, Case, Pair

__all__ = [
    "AS_WRITTEN",
    "AXIOMS",
    "CHARITABLE",
    "Axiom",
    "AxiomMap",
    "Bounds",
    "Case",
    "Counterexample",
    "Matrix",
    "Pair",
    "Proof",
    "Reading",
    "Region",
    "Scale",
    "Verdict",
    "advise",
    "check",
    "map_axioms",
    "matrix",
    "regions",
    "scale",
    "walk",
]
