"""The input of conclusions: every system's list per topic, and relevance, weights and efforts as rationals.

This is the only file of the package that depends on the representation of judgments and rankings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np

from diveval.axioms.arithmetic.symbols import Exacts
from diveval.judgments import Judgments, RelevanceRule, TopicJudgments, naturally
from diveval.metrics.metric import Metric
from diveval.metrics.numbers import exactly
from diveval.metrics.ranking import Ranking, grid, vector
from diveval.options import Options
from diveval.rankings import TopicRanking
from diveval.scoring import RankingsByOrder

Row = tuple[Fraction, ...]
Order = Literal["any", "given"]  # of the weights in doubt: all of them, or those that keep the order of the aspects
NUMBERS = Exacts()
ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, eq=False)
class DoubtedTopic:
    """One topic. A list has one entry per rank: a document, or None for a repetition, which counts as not relevant."""

    name: str
    aspects: tuple[str, ...]  # those that count
    weights: Row
    judged: frozenset[str]
    relevance: dict[str, Row]  # of documents relevant to an aspect that counts, by document id descending
    lists: tuple[tuple[str | None, ...] | None, ...]  # by system; None: the run lacks the topic
    costs: tuple[Row, ...] | None  # effort at each rank as a multiple of e, by system
    pool_costs: Row  # the same for the relevant documents
    filler_cost: Fraction  # the same for a document of a missing list
    idle: tuple[str, ...]  # aspects without a relevant document, which do not count
    below: str | None  # if aspects are idle: an unjudged document that is only below the cutoff of the lists
    given: dict[str, Fraction] | None  # weights as the judgments give them, before they sum to 1
    levels: tuple[dict[float, Fraction], ...]  # by aspect (those that count, then idle ones): relevance by grade
    rule: RelevanceRule
    _scales: dict[bool, tuple[list[list[float]], list[dict[float, float]]]] = field(init=False, default_factory=dict)

    @cached_property
    def floats(self) -> dict[str, list[float]]:
        """Relevance as doubles, for bounds; verdicts are decided with the exact values."""
        return {document: [float(r) for r in row] for document, row in self.relevance.items()}

    def scales(self, *, overall: bool) -> tuple[list[list[float]], list[dict[float, float]]]:
        """The relevance that a label may give, ascending, and its grade: by aspect, or overall for all aspects."""
        if overall not in self._scales:
            levels = self.levels
            if overall:
                merged = {grade: r for scale in levels[: len(self.aspects)] for grade, r in scale.items()}
                levels = (merged or {0.0: ZERO},)
            tops = [sorted({float(r) for r in scale.values()}) for scale in levels]
            self._scales[overall] = tops, [{float(r): grade for grade, r in scale.items()} for scale in levels]
        return self._scales[overall]

    def rows(self, system: int, depth: int | None, *, filler: int | None = None) -> list[Row]:
        """A system's relevance by rank; a missing list is `filler` non-relevant documents."""
        nothing = (ZERO,) * max(len(self.aspects), 1)
        listed = self.lists[system]
        if listed is None:
            return [nothing] * (filler or 0)
        return [nothing if d is None else self.relevance.get(d, nothing) for d in listed[:depth]]

    def labelled(self, labels: Mapping[str, Mapping[str, float]]) -> DoubtedTopic:
        """The topic with labels, grade by document and aspect, on unjudged documents; an idle aspect that gains
        a relevant document counts from then on."""
        woken = [a for a in self.idle if any(row.get(a, 0.0) > 0 for row in labels.values())]
        names = naturally([*self.aspects, *woken])
        every = [*self.aspects, *self.idle]
        rows = {d: dict(zip(self.aspects, row, strict=True)) for d, row in self.relevance.items()}
        for document, row in labels.items():
            rows[document] = {a: self.levels[every.index(a)][g] for a, g in row.items()}
        relevance = {d: tuple(rows[d].get(a, ZERO) for a in names) for d in sorted(rows, reverse=True)}
        relevance = {d: row for d, row in relevance.items() if any(row)}
        return replace(
            self,
            aspects=tuple(names),
            weights=weigh(names, self.given, self.rule),
            relevance=relevance,
            judged=self.judged | set(labels),
            idle=tuple(a for a in self.idle if a not in woken),
            levels=tuple(self.levels[every.index(a)] for a in [*names, *(a for a in self.idle if a not in woken)]),
        )

    def ranking(
        self, system: int, depth: int | None, filler: int | None, weights: Sequence[Any] | None = None
    ) -> Ranking:
        """A system's list as a `Ranking` in exact numbers."""
        rows = self.rows(system, depth, filler=filler)
        costs = pool_costs = None
        if self.costs is not None:
            missing = self.lists[system] is None
            costs = vector([self.filler_cost] * len(rows) if missing else self.costs[system])
            pool_costs = vector(self.pool_costs)
        # A topic without relevant documents gets one empty aspect, since formulas need at least one.
        width = max(len(self.aspects), 1)
        shares = list(self.weights if weights is None else weights) or [ONE]
        return Ranking(
            grid(rows, width), vector(shares), grid(list(self.relevance.values()), width), NUMBERS, costs, pool_costs
        )


@dataclass(frozen=True, eq=False)
class ExactCollection:
    """Systems and topics, exact. `counted[s]` holds the topics that enter the mean of system s."""

    systems: tuple[str, ...]
    topics: tuple[DoubtedTopic, ...]
    counted: tuple[frozenset[int], ...]
    missing: str  # worst, zero or skip
    depth: int | None

    def filler(self, topic: DoubtedTopic) -> int:
        """The number of non-relevant documents that replace a missing list."""
        if self.missing != "worst":
            return 0
        return len(topic.judged) if self.depth is None else self.depth

    def only(self, names: Sequence[str]) -> ExactCollection:
        """The same systems on these topics, in this order."""
        place = {topic.name: t for t, topic in enumerate(self.topics)}
        kept = [place[name] for name in names]
        counted = tuple(frozenset(i for i, t in enumerate(kept) if t in topics) for topics in self.counted)
        return replace(self, topics=tuple(self.topics[t] for t in kept), counted=counted)

    @cached_property
    def shares(self) -> tuple[Fraction, ...]:
        """The weight of one topic in the mean of each system."""
        return tuple(Fraction(1, max(len(topics), 1)) for topics in self.counted)


def collection(judgments: Judgments, rankings: RankingsByOrder, metric: Metric, options: Options) -> ExactCollection:
    """The systems under one metric's order, down to its cutoff; rankings must have every document."""
    listed = rankings[options.order_for(metric.order)]
    rule = options.relevance
    highest = judgments.highest
    missing = options.missing_topics
    topics = []
    for name in judgments.topics:
        of_topic = [run.topics.get(name) for run in listed]
        topics.append(_topic(judgments.topics[name], of_topic, rule, highest, metric.cutoff, options))
    every = range(len(topics))
    best = np.array([judgments.topics[topic.name].highest for topic in topics])
    relevant = [t for t in every if options.empty_topics != "skip" or rule.counts(best)[t]]
    counted = tuple(
        frozenset(t for t in relevant if missing != "skip" or topics[t].lists[s] is not None)
        for s in range(len(listed))
    )
    return ExactCollection(tuple(run.name for run in listed), tuple(topics), counted, missing, metric.cutoff)


def _topic(
    judged: TopicJudgments,
    held: Sequence[TopicRanking | None],
    rule: RelevanceRule,
    highest: float,
    depth: int | None,
    options: Options,
) -> DoubtedTopic:
    grades = judged.matrix()
    grades = np.where(rule.counts(grades), grades, 0.0)
    useful = np.asarray((grades > 0).any(axis=1))
    kept = [i for i in range(len(judged.aspects)) if useful[i] or not rule.drop_empty_aspects]
    idle = [i for i in range(len(judged.aspects)) if i not in kept]
    tops = [exactly(_top(grades[i], rule, highest)) for i in range(len(judged.aspects))]
    gains = [{g: gain(g, tops[i], rule) for g in np.unique(grades[i]).tolist()} for i in range(len(judged.aspects))]
    relevance = {}
    for d in np.flatnonzero((grades[kept] > 0).any(axis=0)).tolist():
        relevance[judged.documents[d]] = tuple(gains[i][float(grades[i, d])] for i in kept)
    given = None
    if judged.weights is not None and rule.weights != "uniform":
        given = {judged.aspects[i]: exactly(float(w)) for i, w in enumerate(judged.weights) if not np.isnan(w)}
    names = tuple(judged.aspects[i] for i in kept)
    known = frozenset(judged.documents)
    efforts = options.efforts
    costs = (
        None
        if efforts is None
        else tuple(
            tuple(exactly(float(efforts.of(d))) for d in (() if r is None else r.documents or ())[:depth]) for r in held
        )
    )
    pool_costs = tuple(ONE if efforts is None else exactly(float(efforts.of(d))) for d in relevance)
    return DoubtedTopic(
        judged.topic,
        names,
        weigh(names, given, rule),
        known,
        relevance,
        tuple(None if r is None else _listed(r, judged.documents, known, depth) for r in held),
        costs,
        pool_costs,
        ONE if efforts is None else exactly(float(efforts.default)),
        tuple(judged.aspects[i] for i in idle),
        _unseen(held, known, depth) if idle and depth is not None else None,
        given,
        tuple(_levels(tops[i], rule, grades) for i in [*kept, *idle]),
        rule,
    )


def _unseen(held: Sequence[TopicRanking | None], known: frozenset[str], depth: int) -> str | None:
    lists = [ranking.documents or () for ranking in held if ranking is not None]
    seen = {document for listed in lists for document in listed[:depth]} | known
    return min((document for listed in lists for document in listed[depth:] if document not in seen), default=None)


def weigh(aspects: Sequence[str], given: dict[str, Fraction] | None, rule: RelevanceRule) -> Row:
    """The weights of the aspects that count, as `Judgments.relevance` has them."""
    if given is None:
        return (Fraction(1, max(len(aspects), 1)),) * len(aspects)
    weights = tuple(given[a] for a in aspects)
    total = sum(weights, ZERO)
    return tuple(w / total for w in weights) if rule.renormalise and total else weights


def corners(topic: DoubtedTopic, order: Order) -> list[Row]:
    """The corners of a topic's weights: one aspect has all weight or, with an order, the first j aspects have 1/j each.

    Scores are linear in the weights, so their minimum over all weights is at a corner. The order is that of the weights
    in the judgments, descending; aspects of equal weight keep their own order.
    """
    n = len(topic.aspects)
    if order == "any":
        return [tuple(Fraction(int(i == j)) for i in range(n)) for j in range(n)]
    falling = sorted(range(n), key=lambda i: (-topic.weights[i], i))
    out = []
    for j in range(1, n + 1):
        first = set(falling[:j])
        out.append(tuple(Fraction(1, j) if i in first else Fraction(0) for i in range(n)))
    return out


def weights_text(topics: Sequence[DoubtedTopic], chosen: Sequence[Row]) -> str:
    """Weights that can be typed: `101:2` gives all weight of topic 101 to its aspect 2, `101:1+3` half to each."""
    parts = []
    for topic, corner in zip(topics, chosen, strict=True):
        names = [aspect for aspect, w in zip(topic.aspects, corner, strict=True) if w]
        if names:
            parts.append(f"{topic.name}:{'+'.join(names)}")
    return " ".join(parts)


def _top(grades: Any, rule: RelevanceRule, highest: float) -> float:
    if rule.gain in ("binary", "identity", "raw"):
        return 1.0
    if rule.gmax == "per-aspect":
        return float(grades.max(initial=0.0)) or 1.0
    return (highest if rule.gmax == "file" else float(rule.gmax)) or 1.0


def gain(grade: float, top: Fraction, rule: RelevanceRule) -> Fraction:
    """Relevance of a grade as an exact rational; 2^g of a fractional g is the nearest double."""
    g = exactly(float(grade))
    if g <= 0:
        return ZERO
    if rule.gain == "binary":
        return ONE
    if rule.gain == "linear":
        return g / top
    if rule.gain == "exponential":
        return (_power(g) - 1) / _power(top)
    return g


def _power(exponent: Fraction) -> Fraction:
    return Fraction(2 ** int(exponent)) if exponent.denominator == 1 else exactly(float(np.exp2(float(exponent))))


def _levels(top: Fraction, rule: RelevanceRule, grades: Any) -> dict[float, Fraction]:
    """The possible labels: the grades of the topic and integers up to the highest grade, with their relevance."""
    seen = {float(g) for g in np.unique(grades) if g > 0}
    if rule.gain in ("binary", "identity", "raw"):
        seen.add(max(1.0, rule.rel or 1.0))
    else:
        seen = {g for g in seen if g <= float(top)} | {float(g) for g in range(1, min(int(top), 32) + 1)} | {float(top)}
    seen = {g for g in seen if rule.counts(np.array(g))}
    return {0.0: ZERO, **{g: gain(g, top, rule) for g in sorted(seen)}}


def _listed(
    ranking: TopicRanking, judged: Sequence[str], known: frozenset[str], depth: int | None
) -> tuple[str | None, ...]:
    """The documents by rank; a judged document whose rank is not in the ranking is a repetition that counts as blank.

    Without ids, unjudged documents are blank as well, which is equivalent as long as they have no labels.
    """
    out: list[str | None] = []
    if ranking.documents is None:
        out = [None] * (ranking.length if depth is None else min(ranking.length, depth))
        for rank, row in zip(ranking.ranks.tolist(), ranking.rows.tolist(), strict=True):
            if rank <= len(out):
                out[rank - 1] = judged[row]
        return tuple(out)
    hits, seen = set(ranking.ranks.tolist()), set[str]()
    for i, document in enumerate(ranking.documents[:depth], 1):
        blank = (document in known and i not in hits) or document in seen
        out.append(None if blank else document)
        seen.add(document)
    return tuple(out)
