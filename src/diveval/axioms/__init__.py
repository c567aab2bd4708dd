"""The axiom engine: ten constraints decided for any metric, with evidence that anyone can check again.

The names below are imported on first use: counting violations needs the constraints, but not the proofs and the solver.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_HOMES = {
    "advise": "presentation.advice",
    "regions": "presentation.advice",
    "AxiomMap": "presentation.consistency",
    "map_axioms": "presentation.consistency",
    "walk": "presentation.family",
    "Matrix": "presentation.matrix",
    "matrix": "presentation.matrix",
    "Scale": "presentation.scales",
    "scale": "presentation.scales",
    "check": "proof.decide",
    "Counterexample": "proof.verdicts",
    "Proof": "proof.verdicts",
    "Region": "proof.verdicts",
    "Verdict": "proof.verdicts",
    "AXIOMS": "specification.constraints",
    "Axiom": "specification.constraints",
    "AS_WRITTEN": "specification.readings",
    "CHARITABLE": "specification.readings",
    "Reading": "specification.readings",
    "Bounds": "specification.shapes",
    "Case": "specification.shapes",
    "Pair": "specification.shapes",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
