"""The axiom engine: ten constraints decided for any metric, with evidence that anyone can check again."""

from diveval.axioms.presentation.advice import advise, regions
from diveval.axioms.presentation.family import walk
from diveval.axioms.presentation.matrix import Matrix, matrix
from diveval.axioms.proof.check import check
from diveval.axioms.proof.evidence import Counterexample, Proof, Region
from diveval.axioms.proof.verdicts import Verdict
from diveval.axioms.specification.cases import Bounds, Case, Pair
from diveval.axioms.specification.constraints import AXIOMS, Axiom
from diveval.axioms.specification.readings import AS_WRITTEN, CHARITABLE, Reading

__all__ = [
    "AS_WRITTEN",
    "AXIOMS",
    "CHARITABLE",
    "Axiom",
    "Bounds",
    "Case",
    "Counterexample",
    "Matrix",
    "Pair",
    "Proof",
    "Reading",
    "Region",
    "Verdict",
    "advise",
    "check",
    "matrix",
    "regions",
    "walk",
]
