"""Write Terms.v: each metric of the manifest as its declaration in Python says, which Coq must find equal to its definition.

    python proofs/terms.py > proofs/Terms.v

A term is put together from the parts of the declaration (channels, discount, novelty, effort, cutoff) and compared by
`reflexivity`, that is by structure and not by samples. A test generates the file again and compares.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from cells import METRICS, manifest

from diveval.axioms.proof.subjects import as_symbolic
from diveval.exact.polynomials import Term
from diveval.metrics import algebra
from diveval.metrics.formulas import Sum

HEADER = """(** Each metric of the manifest, put together from the parts of its declaration in Python: equal by structure to its
    definition. Written by terms.py. *)

From Coq Require Import Reals.
From DivEval Require Import Definitions.
Open Scope R_scope.
"""


class NoTerm(Exception):
    """A part of a declaration that the Coq development does not have."""


def number(value: Any) -> str:
    """A parameter: the name of its symbol, or a fraction."""
    term = Term.of(value)
    constant = term.num.value
    if constant is None:
        (name,) = term.num.symbols
        return str(name)
    return str(constant.numerator) if constant.denominator == 1 else f"({constant.numerator} / {constant.denominator})"


def _geometric(part: Any) -> str:
    shape = {(1, False): "geometric", (0, False): "geometric0", (0, True): "patient"}.get((part.start, part.scaled))
    if shape is None:
        raise NoTerm(repr(part))
    return f"({shape} {number(part.p)})"


def _decay(part: Any) -> str:
    alpha = number(part.alpha)
    return f"(decay {alpha})" if part.limit is None else f"(cube {alpha} {number(part.limit)})"


PARTS: dict[type, Callable[[Any], str]] = {
    algebra.Geometric: _geometric,
    algebra.Reciprocal: lambda part: "reciprocal",
    algebra.Log: lambda part: "logarithmic",
    algebra.ShiftedLog: lambda part: "shifted_log",
    algebra.Always: lambda part: "always",
    algebra.Cascade: lambda part: "cascade",
    algebra.Decay: _decay,
    algebra.Aspects: lambda part: "given" if part.weighted else "uniform",
    algebra.Overall: lambda part: "given",
}


def part_term(part: Any) -> str:
    """A part of the algebra in Coq."""
    if type(part) not in PARTS:
        raise NoTerm(repr(part))
    return PARTS[type(part)](part)


def term_of(name: str) -> str:
    """The Coq term of a metric, from its declaration."""
    subject = as_symbolic(name)
    formula = subject.formula
    if type(formula) is not Sum:
        raise NoTerm(repr(formula))
    parts = [part_term(part) for part in (formula.over, formula.discount, formula.novelty)]
    term = f"(score (Sum {' '.join(parts)} {number(formula.effort)}))"
    if type(formula.over) is algebra.Overall:
        term = f"(without_aspects {term})"
    if subject.cutoff is not None:
        term = f"(cut {subject.cutoff} {term})"
    return term


def terms() -> str:
    """The file: one equation per metric of the manifest, cutoffs and limits included."""
    lines = [HEADER]
    for name in dict.fromkeys(row["metric"] for row in manifest()):
        metric, _, cutoff = name.partition("@")
        parameters, _, defined = METRICS[metric]
        defined = f"cut k ({defined})" if cutoff else defined
        bound = [*([f"({parameters} : R)"] if parameters else []), *(["(k : nat)"] if cutoff else [])]
        quantified = f"forall {' '.join(bound)}, " if bound else ""
        lines.append(f"Goal {quantified}{defined} = {term_of(name)}.\nProof. reflexivity. Qed.  (* {name} *)\n")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(terms())
