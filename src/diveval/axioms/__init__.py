"""The axiom engine: ten constraints decided for any metric, with evidence that anyone can check again."""

from diveval.axioms.advice import advise, regions
from diveval.axioms.check import check
from diveval.axioms.constraints import AXIOMS, Bounds
from diveval.axioms.evidence import Counterexample, Proof, Region
from diveval.axioms.family import walk
from diveval.axioms.matrix import Matrix, matrix
from diveval.axioms.readings import AS_WRITTEN, CHARITABLE, Reading
from diveval.axioms.verdicts import Verdict

__all__ = [
    "AS_WRITTEN", "AXIOMS", "CHARITABLE", "Bounds", "Counterexample", "Matrix", "Proof", "Reading", "Region", "Verdict",
    "advise", "check", "matrix", "regions", "walk",
]  # fmt: skip
