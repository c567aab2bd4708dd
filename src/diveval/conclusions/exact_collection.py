"""The input of conclusions: every system's list per topic, and relevance, weights and efforts as rationals.

This is the only file of the package that depends on the representation of judgments and rankings.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np

from diveval.collection.judgments import Judgments, TopicJudgments, naturally
from diveval.collection.rankings import TopicRanking
from diveval.collection.relevance import Levels, Relevance
from diveval.errors import UsageError
from diveval.exact.symbols import Exacts
from diveval.metrics.algebra import Array
from diveval.metrics.metric import Metric
from diveval.metrics.numbers import exactly
from diveval.metrics.ranking import Ranking, grid, vector
from diveval.scoring.scorer import RankingsByOrder
from diveval.settings import Options, RelevanceRule

Row = tuple[Fraction, ...]
Scale = dict[float, tuple[str, float]]  # relevance, ascending → aspect and grade of a label that gives it
Order = Literal["any", "given"]  # of the weights in doubt: all of them, or those that keep the order of the aspects
NUMBERS = Exacts()
MOST_RANKS = 20_000  # the i-th power of a fraction has digits in proportion to i
ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, eq=False)
class ExactTopic:
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
    _scales: dict[bool, list[Scale]] = field(init=False, default_factory=dict)

    @cached_property
    def floats(self) -> dict[str, list[float]]:
        """Relevance as doubles, for bounds; verdicts are decided with the exact values."""
        return {document: [float(r) for r in row] for document, row in self.relevance.items()}

    def scales(self, *, overall: bool) -> list[Scale]:
        """The labels by the relevance that they give: of each aspect, or of all aspects in one."""
        if overall not in self._scales:
            named = zip([*self.aspects, *self.idle], self.levels, strict=True)
            scales: list[Scale] = [{float(r): (aspect, grade) for grade, r in of.items()} for aspect, of in named]
            if overall:
                scales = [{r: label for scale in reversed(scales) for r, label in scale.items()} or {0.0: ("", 0.0)}]
            self._scales[overall] = [dict(sorted(scale.items())) for scale in scales]
        return self._scales[overall]

    def rows(self, system: int, depth: int | None, *, filler: int | None = None) -> list[Row]:
        """A system's relevance by rank; a missing list is `filler` non-relevant documents."""
        nothing = (ZERO,) * max(len(self.aspects), 1)
        listed = self.lists[system]
        if listed is None:
            return [nothing] * (filler or 0)
        return [nothing if d is None else self.relevance.get(d, nothing) for d in listed[:depth]]

    def add_labels(self, labels: Mapping[str, Mapping[str, float]]) -> ExactTopic:
        """The topic with labels, grade by document and aspect, on unjudged documents; an idle aspect that gains
        a relevant document counts from then on."""
        woken = [a for a in self.idle if any(row.get(a, 0.0) > 0 for row in labels.values())]
        names = naturally([*self.aspects, *woken])
        every = [*self.aspects, *self.idle]
        rows = {d: dict(zip(self.aspects, row, strict=True)) for d, row in self.relevance.items()}
        levels = dict(zip(every, self.levels, strict=True))
        if self.rule.gmax == "per-aspect":  # the highest grade of an aspect is then that of its labels
            for a in woken:
                own = sorted({row[a] for row in labels.values() if row.get(a, 0.0) > 0})
                levels[a] = _render(tuple(own), own[-1], self.rule.gain)
        for document, row in labels.items():
            rows[document] = {a: levels[a][g] for a, g in row.items()}
        relevance = {d: tuple(rows[d].get(a, ZERO) for a in names) for d in sorted(rows, reverse=True)}
        relevance = {d: row for d, row in relevance.items() if any(row)}
        return replace(
            self,
            aspects=tuple(names),
            weights=weigh(names, self.given, self.rule),
            relevance=relevance,
            judged=self.judged | set(labels),
            idle=tuple(a for a in self.idle if a not in woken),
            levels=tuple(levels[a] for a in [*names, *(a for a in self.idle if a not in woken)]),
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
    topics: tuple[ExactTopic, ...]
    counted: tuple[frozenset[int], ...]
    missing: str  # worst, zero or skip
    depth: int | None
    _costs: dict[int, Array] = field(init=False, default_factory=dict, compare=False)

    def filler(self, topic: ExactTopic) -> int:
        """The number of non-relevant documents that replace a missing list."""
        if self.missing != "worst" or None not in topic.lists:
            return 0
        if (self.depth or 0) > MOST_RANKS:
            raise UsageError(
                "out-of-range",
                f"a topic that a run lacks counts as a list of {self.depth} documents, too many for exact numbers",
                hint=f"choose a cutoff of at most {MOST_RANKS}",
            )
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

    def share(self, system: int, topic: int) -> float:
        """The weight of a topic in the mean of a system."""
        return float(self.shares[system]) if topic in self.counted[system] else 0.0

    @cached_property
    def longest(self) -> int:
        """The number of ranks of the longest list, missing ones included."""
        lists = (len(listed or ()) for t in self.topics for listed in t.lists)
        return max(itertools.chain(lists, map(self.filler, self.topics)), default=0)

    def costs_by_rank(self, system: int) -> Array:
        """For each rank the sum of the efforts of a system's documents, over the topics of its mean, as multiples of e."""
        if system not in self._costs:
            costs = np.zeros(self.longest)
            for t in self.counted[system]:
                topic = self.topics[t]
                listed = topic.lists[system]
                if listed is None:
                    costs[: self.filler(topic)] += float(topic.filler_cost)
                else:
                    of = 1.0 if topic.costs is None else [float(c) for c in topic.costs[system][: len(listed)]]
                    costs[: len(listed)] += of
            self._costs[system] = costs
        return self._costs[system]


def collection(judgments: Judgments, rankings: RankingsByOrder, metric: Metric, options: Options) -> ExactCollection:
    """The systems under one metric's order, down to its cutoff; rankings must have every document."""
    listed = rankings[options.order_for(metric.order)]
    if metric.rule is not None:  # that of the tool whose metric it is
        options = replace(options, relevance=metric.rule)
    rule = options.relevance
    missing = options.missing_topics
    relevance: Relevance = judgments.relevance(rule).columns  # which refuses what `evaluate` refuses
    fractions = relevance.levels.fractions(exactly)
    topics = []
    for t, name in enumerate(judgments.topics):
        of_topic = [run.topics.get(name) for run in listed]
        facts = _topic(judgments, t, relevance, fractions, options)
        topics.append(_with_lists(facts, judgments.topics[name].documents, of_topic, metric.cutoff, options))
    every = range(len(topics))
    best = np.array([judgments.topics[topic.name].highest for topic in topics])
    relevant = [t for t in every if options.empty_topics != "skip" or rule.counts(best)[t]]
    counted = tuple(
        frozenset(t for t in relevant if missing != "skip" or topics[t].lists[s] is not None)
        for s in range(len(listed))
    )
    return ExactCollection(tuple(run.name for run in listed), tuple(topics), counted, missing, metric.cutoff)


def _topic(
    judgments: Judgments, t: int, relevance: Relevance, fractions: Sequence[Fraction], options: Options
) -> ExactTopic:
    """A topic's aspects, weights, relevant documents and possible labels, without the systems' lists."""
    columns, rule, efforts = judgments.columns, options.relevance, options.efforts
    judged = judgments.topics[columns.topics[t]]
    kept = (relevance.kept[relevance.aspects[t] : relevance.aspects[t + 1]] - columns.aspects[t]).tolist()
    place = relevance.place[columns.documents[t] : columns.documents[t + 1]]
    documents = [judged.documents[d] for d in np.flatnonzero(place >= 0).tolist()]
    rows = [[ZERO] * len(kept) for _ in documents]
    cells = slice(relevance.cells[t], relevance.cells[t + 1])
    parts = (relevance.aspect[cells], relevance.document[cells], relevance.level[cells])
    for aspect, document, level in zip(*(part.tolist() for part in parts), strict=True):
        rows[document][aspect] = fractions[level]
    given = None
    if judged.weights is not None and rule.weights != "uniform":
        given = {judged.aspects[i]: exactly(float(w)) for i, w in enumerate(judged.weights) if not np.isnan(w)}
    # An aspect without a weight cannot get a relevant document: `evaluate` refuses that.
    idle = [i for i, a in enumerate(judged.aspects) if i not in kept and (given is None or a in given)]
    names = tuple(judged.aspects[i] for i in kept)
    return ExactTopic(
        judged.topic,
        names,
        weigh(names, given, rule),
        frozenset(judged.documents),
        {document: tuple(row) for document, row in zip(documents, rows, strict=True)},
        (),
        None,
        tuple(ONE if efforts is None else exactly(float(efforts.of(d))) for d in documents),
        ONE if efforts is None else exactly(float(efforts.default)),
        tuple(judged.aspects[i] for i in idle),
        None,
        given,
        tuple(_levels(judged, i, rule, judgments.highest) for i in [*kept, *idle]),
        rule,
    )


def _with_lists(
    topic: ExactTopic,
    documents: Sequence[str],
    held: Sequence[TopicRanking | None],
    depth: int | None,
    options: Options,
) -> ExactTopic:
    efforts, costs = options.efforts, None
    if efforts is not None:
        lists = [() if r is None else (r.documents or ())[:depth] for r in held]
        costs = tuple(tuple(exactly(float(efforts.of(d))) for d in listed) for listed in lists)
    return replace(
        topic,
        lists=tuple(None if r is None else _list_documents(r, documents, topic.judged, depth) for r in held),
        costs=costs,
        below=_unseen(held, topic.judged, depth) if topic.idle and depth is not None else None,
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


def corners(topic: ExactTopic, order: Order) -> list[Row]:
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


def weights_text(topics: Sequence[ExactTopic], chosen: Sequence[Row]) -> str:
    """Weights that can be typed: `101:2` gives all weight of topic 101 to its aspect 2, `101:1+3` half to each."""
    parts = []
    for topic, corner in zip(topics, chosen, strict=True):
        names = [aspect for aspect, w in zip(topic.aspects, corner, strict=True) if w]
        if names:
            parts.append(f"{topic.name}:{'+'.join(names)}")
    return " ".join(parts)


def _levels(judged: TopicJudgments, aspect: int, rule: RelevanceRule, highest: float) -> dict[float, Fraction]:
    """The possible labels of an aspect, which are the grades of the topic and integers up to the highest grade, with
    their relevance."""
    grades = judged.grades[rule.counts(judged.grades)]
    if rule.gain not in ("exponential", "linear"):
        seen, top = {*grades.tolist(), max(1.0, rule.rel or 1.0)}, 1.0
    else:
        top = highest if isinstance(rule.gmax, str) else float(rule.gmax)
        if rule.gmax == "per-aspect":
            own = judged.grades[(judged.columns == aspect) & rule.counts(judged.grades)]
            top = float(own.max(initial=0.0)) or top
        top = top or 1.0
        seen = {g for g in grades.tolist() if g <= top} | {float(g) for g in range(1, min(int(top), 32) + 1)} | {top}
    counting = [g for g in sorted(seen) if rule.counts(np.array(g))]
    return _render(tuple(counting), top, rule.gain)


@lru_cache(maxsize=10_000)
def _render(grades: tuple[float, ...], top: float, gain: str) -> dict[float, Fraction]:
    """The relevance of grades above 0, and of 0."""
    levels = Levels(np.array(grades), np.full(len(grades), top), gain)
    return {0.0: ZERO, **dict(zip(grades, levels.fractions(exactly), strict=True))}


def _list_documents(
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
