"""Metrics as one column of relevance run through a small machine: the form in which proofs reach every length.

The step from a formula to its column is itself checked: on every pair of rankings that a cell looks at, up to four
documents, both must give the same polynomial on each path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from diveval.axioms.arithmetic.polynomials import Term
from diveval.axioms.proof.ledger import SYMBOLS, Ledger, premises, ranges, symbol
from diveval.axioms.proof.parts import DiscountFacts, NoveltyFacts, discount_facts, novelty_facts
from diveval.axioms.specification.cases import Row
from diveval.metrics.algebra import (
    Always,
    Aspects,
    Cascade,
    Channels,
    Discount,
    Flat,
    GlobalGain,
    Log,
    Novelty,
    Overall,
    Reciprocal,
)
from diveval.metrics.columnwise import Each, NormalisedDCG, Precision, ReciprocalRank
from diveval.metrics.formulas import Formula, Normalised, Sum
from diveval.metrics.numbers import Number, is_zero
from diveval.metrics.ranking import Ranking
from diveval.metrics.subtopics import AlphaBeta, Blend, SubtopicRecall, SubtopicReciprocalRank

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
        return type(self.over) is GlobalGain or (type(self.over) is Aspects and self.over.weighted)

    @property
    def per_aspect(self) -> bool:
        """Whether each aspect has a machine of its own: not so for max_t r, nor for novelty on a global gain."""
        mixed = type(self.over) is GlobalGain and not self.facts.remembers
        return mixed or type(self.over) is Aspects

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
            share = {
                "one": Term.of(1),
                "ideal": ideals[0],
                "ideals": ideals[c],
                "cutoff": Term.of(1) / cutoff,
                "aspects": Term.of(1) / max(len(weights), 1),
            }[self.scale]
            total = total + share * weight * self._along(column)
        if self.has_effort:
            spent = sum((self.discount.at(i + 1, SYMBOLS) for i in range(len(rows))), Term.of(0))
            total = total - (ideals[0] if self.scale == "ideal" else Term.of(1)) * SYMBOLS.of(self.effort) * spent
        if self.lam is None:
            return Term.of(total)
        lam = SYMBOLS.of(self.lam)
        return Term.of(lam * RECALL.score(rows, weights, ideals, cutoff) + (1 - lam) * total)

    def _along(self, column: Sequence[Any]) -> Term:
        value, state = Term.of(0), self.novelty.begin(SYMBOLS)
        for i, r in enumerate(column, 1):
            gain = SYMBOLS.positive(r) if self.binary else r
            value = value + self.discount.at(i, SYMBOLS) * gain * self.novelty.factor(state, SYMBOLS)
            state = self.novelty.after(state, gain, SYMBOLS)
        return value


RECALL = Column(Flat(), Cascade(), binary=True, over=Aspects(weighted=False), scale="aspects")


def column(formula: Formula) -> Column | None:
    """The machine behind a formula; None where a formula has no such form (AP, S-RR, a function, a subclass)."""
    kind = type(formula)
    if kind is Sum and _known(formula):
        assert isinstance(formula, Sum)
        return Column(formula.discount, formula.novelty, formula.effort, over=formula.over)
    if kind is Normalised:
        assert isinstance(formula, Normalised)
        inner = column(formula.sum)
        return None if inner is None else replace(inner, scale="ideal")
    if kind is SubtopicRecall:
        assert isinstance(formula, SubtopicRecall)
        return replace(RECALL, over=Aspects(), scale="one") if formula.weights == "given" else RECALL
    if kind is Blend:
        assert isinstance(formula, Blend)
        inner = column(formula.second)
        plain = type(formula.first) is SubtopicRecall and formula.first.weights == "uniform"
        return replace(inner, lam=formula.lam) if plain and inner is not None and inner.lam is None else None
    if kind is Each:
        assert isinstance(formula, Each)
        known: dict[type, Column] = {
            NormalisedDCG: Column(Log(), Always(), over=formula.over, scale="ideals"),
            Precision: Column(Flat(), Always(), binary=True, over=formula.over, scale="cutoff"),
            ReciprocalRank: Column(Reciprocal(), Cascade(), binary=True, over=formula.over),
        }
        return known.get(type(formula.base)) if type(formula.over) in CHANNELS else None
    return None


CHANNELS = (Aspects, Overall, GlobalGain)


def _known(formula: Formula) -> bool:
    """Whether every part is one of the algebra's own: of a subclass nothing is known."""
    assert isinstance(formula, Sum)
    parts = discount_facts(formula.discount), novelty_facts(formula.novelty)
    return None not in parts and type(formula.over) in CHANNELS


def single_aspect_column(formula: Formula) -> Column | None:
    """The same where the topic has one aspect: S-RR is then RR."""
    if type(formula) is SubtopicReciprocalRank:
        return Column(Reciprocal(), Cascade(), binary=True)
    return column(formula)


def over_scaled_relevance(formula: AlphaBeta, ledger: Ledger) -> Column:
    """αβ-nDCG of a topic with one aspect: the cascade over q = β·r, whose gains it sums. Two steps show it."""
    beta, x, y = SYMBOLS.of(formula.beta), symbol("x"), symbol("y")
    machine = Column(Log(), Cascade(), scale="ideal")
    rows = [[symbol(f"r{i}")] for i in range(1, 5)]
    ranking = Ranking.of(rows, weights=[Term.of(1)], pool=[], numbers=SYMBOLS, normaliser=lambda *_: Term.of(1))
    scaled = [[Term.of(beta * r) for r in row] for row in rows]
    gap = Term.of(formula.at(None).exact(ranking)) - machine.score(scaled, [Term.of(1)], [Term.of(1)], len(rows))
    ledger.exact(
        "one aspect",
        "with one aspect the sum is that of a cascade over q = β·r (as polynomials, up to four documents)",
        not gap.num.terms,
    )
    ledger.claim(
        "scaled",
        "q = β·r lies in the range of r and is ordered as r is; so are sums of it",
        [*ranges(beta > 0, beta <= 1, x >= 0, y < 1), *premises(x < y)],
        lambda: [beta * x < beta * y, beta * x >= 0, beta * y < 1],
    )
    return machine
