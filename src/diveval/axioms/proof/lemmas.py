"""From a bound to every length: what a document changes depends only on the state in front of it, and states obey
an invariant. Each lemma is a few inductions and claims over abstract states and discounts, and each of them is a query.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from diveval.axioms.arithmetic.polynomials import Condition, Term, Truth
from diveval.axioms.proof.argument import (
    Argument,
    Named,
)
from diveval.axioms.proof.aspect_lemmas import (
    aspect_diversity,
    aspect_relevance,
    monotonic_redundancy,
    redundancy,
    saturation,
)
from diveval.axioms.proof.columns import RECALL, Column, column, over_scaled_relevance
from diveval.axioms.proof.ledger import SYMBOLS, Ledger, definitions, premises, ranges, symbol
from diveval.axioms.proof.relevance_lemmas import confidence, deepness, priority
from diveval.axioms.proof.solver import Solver
from diveval.axioms.proof.subjects import Subject, normalised_per_aspect
from diveval.axioms.specification.constraints import Axiom
from diveval.axioms.specification.readings import Reading
from diveval.metrics.algebra import Aspects, GlobalGain
from diveval.metrics.columnwise import AveragePrecision, Each
from diveval.metrics.subtopics import AlphaBeta, SubtopicReciprocalRank


def every_length(
    subject: Subject, axiom: Axiom, reading: Reading, left: Sequence[Condition], solver: Solver
) -> Ledger | None:
    """The checked steps that carry a bounded proof to all lengths and numbers of aspects; None where none is known."""
    ledger = Ledger(solver)
    by_itself = _special(subject, axiom, reading, ledger)
    if by_itself is not None:
        return ledger if by_itself and ledger.sound else None
    found = column(subject.formula)
    if type(subject.formula) is AlphaBeta and not axiom.diversity:
        found = over_scaled_relevance(subject.formula, ledger)
    lemma = _LEMMAS.get(axiom.lemma)
    if found is None or lemma is None or not _applies(found, axiom, reading, subject):
        return None
    argument = Argument(found, reading, axiom, list(left), ledger)
    return ledger if lemma(argument) and ledger.sound else None


def _applies(found: Column, axiom: Axiom, reading: Reading, subject: Subject) -> bool:
    """Whether a lemma about one aspect's column speaks about this metric and constraint at all."""
    if axiom.two_aspects and not found.per_aspect:
        return False
    if axiom.two_aspects and normalised_per_aspect(subject.formula) and not reading.same_ideal:
        return False
    if axiom.lemma == "saturation" and type(found.over) is GlobalGain:
        return False
    if axiom.lemma == "weight" and not found.weighted:
        return False
    if found.beside_recall and axiom.lemma == "weight" and reading.elsewhere:
        return False
    return not (found.beside_recall and axiom.lemma in ("redundancy", "monotonic", "saturation", "confidence"))


# --- metrics without a column ---------------------------------------------------------------------------------------


def _special(subject: Subject, axiom: Axiom, reading: Reading, ledger: Ledger) -> bool | None:
    """Arguments for AP and S-RR, which are no sum over ranks of a state's factor; None where they do not apply."""
    formula = subject.formula
    if type(formula) is SubtopicReciprocalRank and axiom.lemma == "saturation":
        return _coverage_is_kept(ledger)
    plain = type(formula) is Each and type(formula.base) is AveragePrecision and type(formula.over) is Aspects
    if plain and axiom.lemma == "weight" and not reading.elsewhere and reading.same_ideal:
        return bool(formula.over.weighted) and _one_relevant_document(ledger)  # type: ignore[attr-defined]
    return None


def _coverage_is_kept(ledger: Ledger) -> bool:
    facts, s, r, missing, allowed = RECALL.facts, symbol("q"), symbol("r"), symbol("missing"), symbol("allowed")

    def kept() -> list[Truth]:
        covered = facts.after({"q": s}, SYMBOLS.positive(Term.of(1)))
        return [covered["q"] == 0, facts.after(covered, SYMBOLS.positive(r))["q"] == 0]

    ledger.claim(
        "kept", "an aspect with a document of r = 1 is covered and stays so", ranges(s >= 0, r > 0, r <= 1), kept
    )
    behind = symbol("behind")
    ledger.claim(
        "rank",
        "one more document about it covers nothing new, so coverage is reached at no other rank",
        [*ranges(missing >= 0, allowed >= 0), *definitions(behind == missing)],
        lambda: [behind - missing == 0],
    )
    return True


def _one_relevant_document(ledger: Ledger) -> bool:
    """AP of an aspect with one relevant document in the ranking is 1/(rank · R)."""
    hits, value, i = symbol("hits"), symbol("value"), symbol("i")
    base, zeros, one = AveragePrecision(), [Term.of(0)] * 8, Term.of(1)
    ledger.exact(
        "first ranks",
        "one relevant document at rank i gives Σ = 1/i, for i up to 8 (by the formula itself)",
        all((base.along([*zeros[:n], one], SYMBOLS, None) * (n + 1) == 1) is True for n in range(8)),
    )
    ledger.induction(
        "idle",
        "over the non-relevant documents: hits and Σ of precisions stay 0",
        begin={"hits": Term.of(0), "value": Term.of(0)},
        after=lambda now: {"hits": now["hits"] + 0, "value": now["value"] + 0 * now["hits"]},
        invariant=lambda now: [now["hits"] == 0, now["value"] == 0],
    )
    w, v, share, ideal = symbol("w1"), symbol("w2"), symbol("share"), symbol("ideal")

    def gain() -> Named:
        found = value + (hits + 1) * share
        return {"gain": ideal * (v - w) * found}, [ideal * (v - w) * found > 0]

    ledger.claim(
        "heavier",
        "the relevant document adds hits/i = 1/i, to the heavier aspect more",
        [
            *ledger.known("idle", {"hits": hits, "value": value}),
            *ranges(w > 0, i >= 1, ideal > 0),
            *premises(w < v),
            *definitions(share * i == 1),
        ],
        gain,
    )
    return True


_LEMMAS: dict[str, Callable[[Argument], bool]] = {
    "priority": priority,
    "deepness": deepness,
    "confidence": confidence,
    "diversity": aspect_diversity,
    "redundancy": redundancy,
    "monotonic": monotonic_redundancy,
    "saturation": saturation,
    "weight": aspect_relevance,
}
