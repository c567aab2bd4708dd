"""Metrics as one column of relevance run through a small machine: the form in which proofs reach every length.

That a column equals its formula is checked: on every pair of rankings of a cell, up to four documents, both must give the
same polynomial on each path. An `Argument` runs a column on symbols for the lemmas, and turns what its columns gain into a
difference of scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

from diveval.axioms.proof.derivation import SYMBOLS, Derivation, Given, State, premises, ranges, symbol
from diveval.axioms.proof.part_facts import DiscountFacts, NoveltyFacts, discount_facts, novelty_facts
from diveval.axioms.proof.solver import Solver
from diveval.axioms.proof.subjects import symbolic_difference
from diveval.axioms.specification.constraints import Axiom
from diveval.axioms.specification.readings import Reading
from diveval.axioms.specification.shapes import Pair, Row
from diveval.exact.paths import explore
from diveval.exact.polynomials import Condition, Term, Truth
from diveval.metrics.algebra import (
    Always,
    Aspects,
    Cascade,
    Channels,
    Discount,
    Flat,
    Log,
    Novelty,
    Reciprocal,
)
from diveval.metrics.columnwise import AveragePrecision, NormalisedDCG, PerChannel, Precision, ReciprocalRank
from diveval.metrics.formulas import Formula, Normalised, Sum
from diveval.metrics.numbers import Number, is_zero
from diveval.metrics.ranking import Ranking
from diveval.metrics.subtopics import AlphaBeta, Blend, SubtopicRecall, SubtopicReciprocalRank
from diveval.metrics.tool_parts import BinaryAspects

# What a column's sum is multiplied by: nothing, one ideal for all, an ideal for each aspect, 1/k, or 1/aspects.
Scale = Literal["one", "ideal", "ideals", "cutoff", "aspects"]


@dataclass(frozen=True)
class Column:
    """What a metric does with one aspect: Σ_i D(i) · (g(i) · novelty(i) − effort), up to a positive constant.

    g is r, or [r > 0] when `binary`. With `lam`, aspect recall is added: λ·recall + (1−λ)·this, as in D#.
    """

    discount: Discount
    novelty: Novelty
    effort: Number = 0
    binary: bool = False
    over: Channels = field(default_factory=Aspects)
    scale: Scale = "one"
    lam: Number | None = None

    @property
    def beside_recall(self) -> bool:
        return self.lam is not None

    @property
    def weighted(self) -> bool:
        """Whether each aspect counts by its weight."""
        return self.over.weighted

    @property
    def per_aspect(self) -> bool:
        """Whether each aspect has a machine of its own: not so for max_t r, nor for novelty on a global gain."""
        return self.over.per_aspect or (self.mixes_aspects and not self.facts.remembers)

    @property
    def mixes_aspects(self) -> bool:
        """Whether all aspects are in one column, by their weights."""
        return self.over.weighted and not self.over.per_aspect

    @property
    def has_effort(self) -> bool:
        return not is_zero(self.effort)

    @property
    def normalised(self) -> bool:
        return self.scale in ("ideal", "ideals")

    @property
    def may_vanish(self) -> bool:
        """Whether the ideal may be 0, and every score with it: nothing may be worth its effort."""
        return self.normalised and self.has_effort

    @property
    def ranks(self) -> DiscountFacts:
        found = discount_facts(self.discount)
        assert found is not None
        return found

    @property
    def facts(self) -> NoveltyFacts:
        found = novelty_facts(self.novelty)
        assert found is not None
        return found

    def fading(self, r: Term) -> Term | None:
        """u when the j-th relevant document counts (1−u)^(j−1): α, or r_c; None when novelty does not fade so."""
        return self.facts.fading(r, binary=self.binary)

    def score(self, rows: Sequence[Row], weights: Row, ideals: Sequence[Term], cutoff: int) -> Term:
        """The metric's value by its column, on symbols."""
        ranking = Ranking.of(rows, weights=weights, pool=[], numbers=SYMBOLS)
        total = Term.of(0)
        for c, (weight, column) in enumerate(self.over.columns(ranking)):
            total = total + self._share(c, ideals, cutoff) * weight * self._along(column)
        if self.has_effort:
            spent = sum((self.discount.at(i + 1, SYMBOLS) for i in range(len(rows))), Term.of(0))
            total = total - (ideals[0] if self.scale == "ideal" else Term.of(1)) * SYMBOLS.of(self.effort) * spent
        if self.lam is None:
            return Term.of(total)
        lam = SYMBOLS.of(self.lam)
        return Term.of(lam * RECALL.score(rows, weights, ideals, cutoff) + (1 - lam) * total)

    def _share(self, column: int, ideals: Sequence[Term], cutoff: int) -> Term:
        """The factor of one column's sum, by `scale`."""
        if self.scale in ("ideal", "ideals"):
            return ideals[column if self.scale == "ideals" else 0]
        parts = {"one": 1, "cutoff": cutoff, "aspects": max(len(ideals), 1)}[self.scale]
        return Term.of(Fraction(1, parts))

    def _along(self, column: Sequence[Any]) -> Term:
        value, state = Term.of(0), self.novelty.begin(SYMBOLS)
        for i, r in enumerate(column, 1):
            gain = SYMBOLS.positive(r) if self.binary else r
            value = value + self.discount.at(i, SYMBOLS) * gain * self.novelty.factor(state, SYMBOLS)
            state = self.novelty.after(state, gain, SYMBOLS)
        return value

    def agrees(
        self, formula: Formula, pair: Pair, solver: Solver, held: Sequence[Truth], *, same_ideal: bool = False
    ) -> bool:
        """That the column gives what the formula gives on one pair: the same polynomial on each path."""
        ideals = [Term.symbol("I0" if same_ideal else f"I{c}") for c in range(len(pair.weights))]

        def both() -> tuple[Term, Term]:
            by_formula = symbolic_difference(formula, pair, same_ideal=same_ideal)
            better, worse = (
                self.score(rows, pair.weights, ideals, formula.cutoff or len(rows))
                for rows in (pair.better, pair.worse)
            )
            return by_formula, Term.of(better - worse)

        for path in explore(both, solver, held):
            by_formula, by_column = path.result
            vanished = self.may_vanish and not by_formula.num.terms  # nothing is worth its effort
            if not vanished and (by_formula - by_column).num.terms:
                return False
        return True


RECALL = Column(Flat(), Cascade(), binary=True, over=Aspects(weighted=False), scale="aspects")


def column(formula: Formula) -> Column | None:
    """The machine behind a formula; None where a formula has no such form (AP, S-RR, a function, a subclass)."""
    known = _COLUMNS.get(type(formula))
    return None if known is None or formula.has_user_code else known(formula)


def _of_sum(formula: Sum) -> Column | None:
    known = discount_facts(formula.discount) is not None and novelty_facts(formula.novelty) is not None
    binary = isinstance(formula.over, BinaryAspects)
    return Column(formula.discount, formula.novelty, formula.effort, binary, formula.over) if known else None


def _of_share(formula: Normalised) -> Column | None:
    inner = column(formula.sum)
    return None if inner is None else replace(inner, scale="ideal")


def _of_recall(formula: SubtopicRecall) -> Column:
    return replace(RECALL, over=Aspects(), scale="one") if formula.sees_weights else RECALL


def _of_blend(formula: Blend) -> Column | None:
    share = SYMBOLS.of(formula.lam).num.value
    if share in (0, 1):  # one part alone: no argument that divides by λ or 1 − λ applies
        return column(formula.first if share else formula.second)
    inner = column(formula.second)
    beside_recall = inner is not None and inner.lam is None and column(formula.first) is RECALL
    return replace(inner, lam=formula.lam) if inner is not None and beside_recall else None


def _of_each(formula: PerChannel) -> Column | None:
    bases: dict[type, Column] = {
        NormalisedDCG: Column(Log(), Always(), over=formula.over, scale="ideals"),
        Precision: Column(Flat(), Always(), binary=True, over=formula.over, scale="cutoff"),
        ReciprocalRank: Column(Reciprocal(), Cascade(), binary=True, over=formula.over),
    }
    return bases.get(type(formula.base))


# By exact type: of a subclass nothing is known.
_COLUMNS: dict[type, Callable[[Any], Column | None]] = {
    Sum: _of_sum,
    Normalised: _of_share,
    SubtopicRecall: _of_recall,
    Blend: _of_blend,
    PerChannel: _of_each,
}
# The same where the topic has one aspect: S-RR is then RR.
_OF_ONE_ASPECT: dict[type, Column] = {SubtopicReciprocalRank: Column(Reciprocal(), Cascade(), binary=True)}


def single_aspect_column(formula: Formula) -> Column | None:
    """The machine behind a formula where the topic has one aspect."""
    return _OF_ONE_ASPECT.get(type(formula)) or column(formula)


def averages_precision(formula: Formula) -> bool:
    """Whether this is AP or AP-IA, which have no column."""
    return type(formula) is PerChannel and type(formula.base) is AveragePrecision


def relevance_scale(formula: Formula) -> Term | None:
    """β of αβ-nDCG, which sees β·r; None of other formulas."""
    return SYMBOLS.of(formula.beta) if type(formula) is AlphaBeta else None


def over_scaled_relevance(formula: Formula, beta: Term, derivation: Derivation) -> Column:
    """αβ-nDCG of a topic with one aspect: the cascade over q = β·r, whose gains it sums. Two steps show it."""
    x, y = symbol("x"), symbol("y")
    machine = Column(Log(), Cascade(), scale="ideal")
    rows = [[symbol(f"r{i}")] for i in range(1, 5)]
    ranking = Ranking.of(rows, weights=[Term.of(1)], pool=[], numbers=SYMBOLS, normaliser=lambda *_: Term.of(1))
    scaled = [[Term.of(beta * r) for r in row] for row in rows]
    gap = Term.of(formula.at(None).exact(ranking)) - machine.score(scaled, [Term.of(1)], [Term.of(1)], len(rows))
    derivation.exact(
        "one aspect",
        "with one aspect the sum is that of a cascade over q = β·r (as polynomials, up to four documents)",
        not gap.num.terms,
    )
    derivation.claim(
        "scaled",
        "q = β·r lies in the range of r and is ordered as r is; so are sums of it",
        [*ranges(beta > 0, beta <= 1, x >= 0, y < 1), *premises(x < y)],
        lambda: [beta * x < beta * y, beta * x >= 0, beta * y < 1],
    )
    return machine


# --- what every lemma runs --------------------------------------------------------------------------------------------

Named = tuple[State, list[Truth]]
GAIN, RECALLED = symbol("gain"), symbol("recalled")


class Argument:
    """A column on symbols: documents run from an abstract state at abstract ranks."""

    def __init__(
        self, found: Column, reading: Reading, axiom: Axiom, left: list[Condition], derivation: Derivation
    ) -> None:
        self.column, self.reading, self.axiom, self.derivation = found, reading, axiom, derivation
        self.facts, self.ranks = found.facts, found.ranks
        self.region = ranges(*left)  # the conditions on the parameters under which the claim is made

    def run(self, state: State, documents: Sequence[tuple[Term, Term]]) -> tuple[Term, State]:
        """Σ D · r · novelty over (r, D) from a state, and the state behind."""
        total = Term.of(0)
        for r, d in documents:
            total = total + d * r * self.facts.factor(state)
            state = self.facts.after(state, r)
        return total, state

    def diverge(self, state: State, x: Term, y: Term, d1: Term, d2: Term) -> State:
        """Two runs that differ in one document: y in the first and x in the second, at rank d1. The states a and b
        behind it, what the first has gained, and the weight of the next rank."""
        up, better = self.run(state, [(y, d1)])
        down, worse = self.run(state, [(x, d1)])
        return {**self.rename("a", better), **self.rename("b", worse), "delta": up - down, "d": d2}

    def both_read(self, now: State, r: Term, further: Term) -> State:
        """The same behind one more document, which both runs read."""
        one, other = two_runs(now)
        gained, next_one = self.run(one, [(r, now["d"])])
        lost, next_other = self.run(other, [(r, now["d"])])
        return {**next_one, **next_other, "delta": now["delta"] + gained - lost, "d": further}

    def rename(self, name: str, state: State) -> State:
        """A state under another name."""
        return dict(zip(self.facts.fresh(name), state.values(), strict=True))

    def limits(self, values: Sequence[Term], state: State) -> list[Given]:
        """0 ≤ r and r ≪ 1; under the Σ reading, together with what the state has seen."""
        out = ranges(*(r >= 0 for r in values), *(r < 1 for r in values))
        if self.reading.contribution == "sum":
            out += premises(sum(values, self.facts.sum_seen(state)) < 1)
        return out

    def weights(self, *d: Term) -> list[Given]:
        """The weights of consecutive ranks."""
        return self.ranks.at_ranks(self.derivation, *d)

    def conclude(self, source: Sequence[Given], *, strict: bool = True) -> None:
        """From what the columns gain to the score: ideals and λ are positive, and recall is not smaller."""
        ideal, lam = symbol("ideal"), SYMBOLS.of(self.column.lam) if self.column.beside_recall else Term.of(0)
        given = list(source)
        if self.column.normalised:
            given += ranges(ideal >= 0 if self.column.may_vanish else ideal > 0)
        else:
            ideal = Term.of(1)
        if self.column.beside_recall:
            given += [*self.derivation.cite("recall", RECALLED >= 0), *ranges(lam > 0, lam < 1)]
        value = (1 - lam) * ideal * GAIN + lam * (RECALLED if self.column.beside_recall else 0)
        text = "the scores differ by the columns' gain times positive constants"
        text += "; aspect recall is not smaller" if self.column.beside_recall else ""
        self.derivation.claim("whole", text, given, lambda: [value > 0 if strict else value >= 0])


def two_runs(now: State) -> tuple[State, State]:
    """The states a and b of two runs."""
    return {k: v for k, v in now.items() if k[0] == "a"}, {k: v for k, v in now.items() if k[0] == "b"}


def same_state(a: State, b: State) -> list[Truth]:
    """That two states are equal, part by part."""
    return [x == y for x, y in zip(a.values(), b.values(), strict=True)]


def gaining(value: Term, *more: Truth, strict: bool = True) -> Named:
    return {"gain": value}, [value > 0 if strict else value >= 0, *more]
