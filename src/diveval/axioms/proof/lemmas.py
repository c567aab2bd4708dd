"""Lemmas that carry a bounded proof to rankings of every length.

What a document adds depends only on the state before it, and every state satisfies an invariant. A lemma is a few
inductions and claims over abstract states and discounts, each checked by a query.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from diveval.axioms.proof import aspect_lemmas
from diveval.axioms.proof.column_machine import (
    GAIN,
    RECALL,
    Argument,
    Column,
    Named,
    averages_precision,
    column,
    gaining,
    over_scaled_relevance,
    relevance_scale,
    same_state,
    two_runs,
)
from diveval.axioms.proof.derivation import SYMBOLS, Derivation, State, definitions, premises, ranges, symbol
from diveval.axioms.proof.part_facts import convex_steps
from diveval.axioms.proof.solver import Solver
from diveval.axioms.proof.subjects import SymbolicMetric
from diveval.axioms.specification.constraints import Axiom
from diveval.axioms.specification.readings import Reading
from diveval.exact.polynomials import Condition, Term, Truth
from diveval.metrics.columnwise import AveragePrecision
from diveval.metrics.subtopics import SubtopicReciprocalRank


def every_length(
    subject: SymbolicMetric, axiom: Axiom, reading: Reading, left: Sequence[Condition], solver: Solver
) -> Derivation | None:
    """The checked steps that carry a bounded proof to all lengths and numbers of aspects; None where none is known."""
    derivation = Derivation(solver)
    by_itself = _special(subject, axiom, reading, derivation)
    if by_itself is not None:
        return derivation if by_itself and derivation.sound else None
    found = column(subject.formula)
    beta = relevance_scale(subject.formula)
    if beta is not None and not axiom.diversity:
        found = over_scaled_relevance(subject.formula, beta, derivation)
    lemma = _LEMMAS.get(axiom.lemma)
    if found is None or lemma is None or not _applies(found, axiom, reading, subject):
        return None
    argument = Argument(found, reading, axiom, list(left), derivation)
    return derivation if lemma(argument) and derivation.sound else None


def _applies(found: Column, axiom: Axiom, reading: Reading, subject: SymbolicMetric) -> bool:
    """Whether the lemmas, which are about the column of one aspect, cover this metric and constraint."""
    if axiom.two_aspects and not found.per_aspect:
        return False
    if axiom.two_aspects and subject.formula.normalised_per_aspect and not reading.same_ideal:
        return False
    if axiom.lemma == "saturation" and found.mixes_aspects:
        return False
    if axiom.lemma == "weight" and not found.weighted:
        return False
    if found.beside_recall and axiom.lemma == "weight" and reading.elsewhere:
        return False
    return not (found.beside_recall and axiom.lemma in ("redundancy", "monotonic", "saturation", "confidence"))


# --- metrics without a column ---------------------------------------------------------------------------------------


def _special(subject: SymbolicMetric, axiom: Axiom, reading: Reading, derivation: Derivation) -> bool | None:
    """Arguments for AP and S-RR, which are no sum over ranks of a state's factor; None where they do not apply."""
    formula = subject.formula
    if type(formula) is SubtopicReciprocalRank and axiom.lemma == "saturation":
        return _coverage_is_kept(derivation)
    per_aspect = averages_precision(formula) and formula.linear_in_weights
    if per_aspect and axiom.lemma == "weight" and not reading.elsewhere and reading.same_ideal:
        return formula.sees_weights and _one_relevant_document(derivation)
    return None


def _coverage_is_kept(derivation: Derivation) -> bool:
    facts, s, r, missing, allowed = RECALL.facts, symbol("q"), symbol("r"), symbol("missing"), symbol("allowed")

    def kept() -> list[Truth]:
        covered = facts.after({"q": s}, SYMBOLS.positive(Term.of(1)))
        return [covered["q"] == 0, facts.after(covered, SYMBOLS.positive(r))["q"] == 0]

    given = ranges(s >= 0, r > 0, r <= 1)
    derivation.claim("kept", "an aspect with a document of r = 1 is covered and stays so", given, kept)
    behind = symbol("behind")
    says = "one more document about it covers nothing new, so coverage is reached at no other rank"
    given = [*ranges(missing >= 0, allowed >= 0), *definitions(behind == missing)]
    derivation.claim("rank", says, given, lambda: [behind - missing == 0])
    return True


def _one_relevant_document(derivation: Derivation) -> bool:
    """AP of an aspect with one relevant document in the ranking is 1/(rank · R)."""
    hits, value, i = symbol("hits"), symbol("value"), symbol("i")
    base, zeros, one = AveragePrecision(), [Term.of(0)] * 8, Term.of(1)
    derivation.exact(
        "first ranks",
        "one relevant document at rank i gives Σ = 1/i, for i up to 8 (by the formula itself)",
        all((base.along([*zeros[:n], one], SYMBOLS, None) * (n + 1) == 1) is True for n in range(8)),
    )
    derivation.induction(
        "idle",
        "over the non-relevant documents: hits and Σ of precisions stay 0",
        begin={"hits": Term.of(0), "value": Term.of(0)},
        after=lambda now: {"hits": now["hits"] + 0, "value": now["value"] + 0 * now["hits"]},
        invariant=lambda now: [now["hits"] == 0, now["value"] == 0],
    )
    w, v, share, ideal = symbol("w1"), symbol("w2"), symbol("share"), symbol("ideal")

    def gain() -> Named:
        return gaining(ideal * (v - w) * (value + (hits + 1) * share))

    given = [*derivation.recall_invariant("idle", {"hits": hits, "value": value}), *ranges(w > 0, i >= 1, ideal > 0)]
    given += [*premises(w < v), *definitions(share * i == 1)]
    derivation.claim("heavier", "the relevant document adds hits/i = 1/i, to the heavier aspect more", given, gain)
    return True


# --- lemmas about one column: a better order, the same swap further up, noise at the end ------------------------------


def _recall_of_a_swap(a: Argument) -> None:
    if a.column.beside_recall:
        s, x, y = symbol("q"), symbol("x"), symbol("y")
        facts = RECALL.facts

        def cover() -> Named:
            b, c = SYMBOLS.positive(x), SYMBOLS.positive(y)
            one, other = (facts.after(facts.after({"q": s}, f), g)["q"] for f, g in ((b, c), (c, b)))
            return {"recalled": one - other}, [one - other == 0, one - other >= 0]

        a.derivation.claim(
            "recall", "a swap changes no aspect's coverage", ranges(s >= 0, s <= 1, x >= 0, y >= 0), cover
        )


def _orders_matter(a: Argument) -> bool:
    """Whether the order of documents changes the score, and what is known then of ranks, states and recall."""
    if a.column.binary or not a.ranks.falls:
        return False
    a.ranks.establish(a.derivation)
    a.facts.establish(a.derivation, alive=True)
    _recall_of_a_swap(a)
    return True


def priority(a: Argument) -> bool:
    if not _orders_matter(a):
        return False
    return _priority_any(a) if a.reading.swap == "any" else _contiguous(a)


def _contiguous(a: Argument) -> bool:
    state = a.facts.fresh("s")
    x, y, first, second = symbol("x"), symbol("y"), symbol("d1"), symbol("d2")
    given = [
        *a.facts.list_facts(a.derivation, state),
        *a.limits([x, y], state),
        *premises(x < y),
        *a.weights(first, second),
    ]

    def gain() -> Named:
        up, behind = a.run(state, [(y, first), (x, second)])
        down, same = a.run(state, [(x, first), (y, second)])
        return gaining(up - down, *same_state(behind, same))

    says = "from any state, putting the more relevant of two neighbours first gains, and leaves the same state, so all"
    a.derivation.claim("swap", says + " later ranks add the same", given, gain)
    if a.axiom.lemma == "priority":
        a.conclude(a.derivation.cite("swap", GAIN > 0))
    return True


def _priority_any(a: Argument) -> bool:
    """Invariant between the two places: Δ + D·(f(a)·x − f(b)·y) > 0, where a and b are the states of the two runs, and
    reading x after a leads where reading y after b leads."""
    if not a.facts.commutes:
        return False
    state = a.facts.fresh("s")
    x, y, r, d1, d2, d, further = (symbol(name) for name in ("x", "y", "r1", "d1", "d2", "d", "d3"))
    values = [*ranges(*(v >= 0 for v in (x, y)), *(v < 1 for v in (x, y))), *premises(x < y)]

    def invariant(now: State) -> list[Truth]:
        better, worse = two_runs(now)
        owed = a.facts.factor(better) * x - a.facts.factor(worse) * y
        return [
            now["delta"] + now["d"] * owed > 0,
            owed <= 0,
            a.facts.factor(better) <= a.facts.factor(worse),
            *a.facts.inside(better, alive=True),
            *a.facts.inside(worse, alive=True),
            now["d"] > 0,
            *same_state(a.facts.after(better, x), a.facts.after(worse, y)),
        ]

    a.derivation.induction(
        "between",
        "over the documents between: Δ + D·(f(a)·x − f(b)·y) > 0, a and b being the states of the two runs",
        begin=a.diverge(state, x, y, d1, d2),
        after=lambda now: a.both_read(now, r, further),
        invariant=invariant,
        first=[*a.facts.list_facts(a.derivation, state), *values, *a.weights(d1, d2)],
        given=[*values, *ranges(r >= 0, r < 1), *a.weights(d, further)],
    )
    now: State = {**a.facts.fresh("a"), **a.facts.fresh("b"), "delta": symbol("delta"), "d": d}

    def close() -> Named:
        one, other = two_runs(now)
        gained, end = a.run(one, [(x, d)])
        lost, same = a.run(other, [(y, d)])
        return gaining(now["delta"] + gained - lost, *same_state(end, same))

    says = "at the lower place the gain is still positive and both runs meet in one state"
    a.derivation.claim("swap", says, [*a.derivation.recall_invariant("between", now), *values], close)
    a.conclude(a.derivation.cite("swap", GAIN > 0))
    return True


def deepness(a: Argument) -> bool:
    if not _orders_matter(a):
        return False
    upper = a.facts.fresh("a")
    r, x, y = symbol("r1"), symbol("x"), symbol("y")
    base = ranges(x >= 0, y >= 0, x < 1, y < 1)

    def lower(now: State) -> list[Truth]:
        seen = [a.facts.sum_seen(now) >= a.facts.sum_seen(upper) + x + y] if len(now) > 1 else []
        return [a.facts.level(now) <= a.facts.level(upper), *a.facts.inside(now, alive=True), *seen] if now else []

    used = [*a.facts.list_facts(a.derivation, upper), *base]
    if upper:
        limited = premises(a.facts.sum_seen(a.facts.fresh("b")) + r < 1) if a.reading.contribution == "sum" else []
        top = premises(a.facts.sum_seen(upper) + x + y < 1) if a.reading.contribution == "sum" else []
        a.derivation.induction(
            "novelty",
            "over the documents between: novelty at the lower place is at most that at the upper",
            begin=lambda: a.rename("b", a.facts.after(a.facts.after(upper, x), y)),
            after=lambda now: a.facts.after(now, r),
            invariant=lower,
            first=[*used, *top],
            given=[*used, *top, *ranges(r >= 0, r < 1), *limited],
            variables=tuple(a.facts.fresh("b")),
        )
    _steps_fall(a)
    below = a.facts.fresh("b")
    d1, d2, u, v = symbol("d1"), symbol("d2"), symbol("u"), symbol("v")
    given = [
        *used,
        *(a.derivation.recall_invariant("novelty", below) if below else []),
        *a.limits([x, y], below),
        *premises(x < y),
    ]
    given += [*a.derivation.recall_invariant("distance", {"u": u, "v": v}), *a.weights(d1, d2)]

    def gain(state: State, first: Term, second: Term) -> Term:
        up, _ = a.run(state, [(y, first), (x, second)])
        down, _ = a.run(state, [(x, first), (y, second)])
        return Term.of(up - down)

    says = "the same swap gains more from the state and at the ranks of the upper place"
    a.derivation.claim("upper", says, given, lambda: gaining(gain(upper, d1, d2) - gain(below, u, v)))
    _contiguous(a)
    a.conclude(a.derivation.cite("upper", GAIN > 0))
    return True


def _steps_fall(a: Argument) -> None:
    """The step `distance`: D(i) − D(i+1) > D(j) − D(j+1) for every j > i, by induction over j."""
    d1, d2, z, u, v, w = (symbol(name) for name in ("d1", "d2", "d3", "u", "v", "w"))

    a.derivation.induction(
        "distance",
        "over the distance: the weight falls less from D(j) to D(j+1) than from D(i) to D(i+1)",
        begin={"u": d2, "v": z},
        after=lambda now: {"u": now["v"], "v": w},
        invariant=lambda now: [now["u"] > now["v"], now["v"] > 0, d1 - d2 > now["u"] - now["v"], now["u"] <= d2],
        first=[*a.weights(d1, d2, z), *convex_steps(a.derivation, a.ranks, d1, d2, z)],
        given=[*a.weights(u, v, w), *convex_steps(a.derivation, a.ranks, u, v, w), *a.weights(d1, d2)],
    )


def confidence(a: Argument) -> bool:
    a.ranks.establish(a.derivation)
    effort, d = SYMBOLS.of(a.column.effort), symbol("d1")
    says = "behind any ranking a non-relevant document adds −D·e < 0"
    a.derivation.claim("cost", says, [*a.region, *a.weights(d)], lambda: gaining(d * effort))
    a.conclude(a.derivation.cite("cost", GAIN > 0))
    return True


_LEMMAS: dict[str, Callable[[Argument], bool]] = {
    "priority": priority,
    "deepness": deepness,
    "confidence": confidence,
    "diversity": aspect_lemmas.aspect_diversity,
    "redundancy": aspect_lemmas.redundancy,
    "monotonic": aspect_lemmas.monotonic_redundancy,
    "saturation": aspect_lemmas.saturation,
    "weight": aspect_lemmas.aspect_relevance,
}
