"""The axiom engine: ten constraints decided for any metric, with evidence that anyone can check again."""

from diveval.axioms.check import check
from diveval.axioms.constraints import AXIOMS, Bounds
from diveval.axioms.evidence import Counterexample, Proof, Region
from diveval.axioms.readings import AS_WRITTEN, CHARITABLE, Reading
from diveval.axioms.verdicts import Verdict

__all__ = [
    "AS_WRITTEN", "AXIOMS", "CHARITABLE", "Bounds", "Counterexample", "Proof", "Reading", "Region", "Verdict", "check",
]  # fmt: skip
