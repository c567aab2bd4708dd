"""The situations of the axioms in real rankings: pairs of lists of which the axiom says that one must score higher.

An axiom is about abstract rankings; here its premise is looked for in the lists that systems returned, and its change is
made with documents of the same topic. Lists are rows of column numbers in the topic's relevance table, whose last column
is a non-relevant document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from diveval.columns import Floats, Whole


@dataclass(frozen=True, eq=False)
class TopicLists:
    """The lists of all runs for one topic, down to a depth."""

    columns: Whole  # (run, rank): column of `values`; the last column, all zeros, is a non-relevant document
    lengths: Whole
    values: Floats  # (aspect, document + 1)
    weights: Floats

    @property
    def nothing(self) -> int:
        """The column of a non-relevant document."""
        return int(self.values.shape[1]) - 1

    @property
    def runs(self) -> int:
        return len(self.lengths)

    def shown(self, run: int) -> Whole:
        """The columns of one run's list, as long as it is."""
        return np.asarray(self.columns[run, : self.lengths[run]])


@dataclass(frozen=True, eq=False)
class Changes:
    """Pairs of lists, one row each: `better` must score higher than `worse`; they differ at `rank` (and `other`)."""

    run: Whole
    rank: Whole
    other: Whole  # 0 where only one rank is concerned
    better: Whole
    better_lengths: Whole
    worse: Whole
    worse_lengths: Whole
    strict: bool = True  # else it may score the same

    def __len__(self) -> int:
        return len(self.run)


Finder = Callable[[TopicLists], Iterator[Changes]]


@dataclass(frozen=True)
class Situation:
    """The situation of one axiom, or of one reading of it."""

    name: str  # the axiom's, with `-` and the way to read it
    says: str  # what is done to the list, and what a metric should do
    changes: Finder

    @property
    def axiom(self) -> str:
        return self.name.partition("-")[0]


def _of(
    lists: TopicLists,
    run: int,
    rank: Whole,
    other: Whole,
    better: Whole,
    worse: Whole | None = None,
    lengths: tuple[Whole, Whole] | None = None,
    strict: bool = True,
) -> Changes:
    """Changes of one run's list; without `worse` they are compared with the list itself, at its full length."""
    count = len(rank)
    own = np.full(count, lists.lengths[run])
    before = np.broadcast_to(lists.columns[run], (count, lists.columns.shape[1])) if worse is None else worse
    long, short = lengths or (own, own)
    return Changes(np.full(count, run), rank, other, better, long, before, short, strict)


def _dominated(values: Floats, low: Whole, high: Whole) -> NDArray[np.bool_]:
    """Where `high` is at least as relevant as `low` to every aspect, and more relevant to one."""
    above, below = values[:, high], values[:, low]
    return np.asarray((above >= below).all(axis=0) & (above > below).any(axis=0))


def _replaced(row: Whole, places: Whole, documents: Whole) -> Whole:
    """Copies of the row, each with another document at one place (from 0)."""
    out = np.repeat(row[np.newaxis], len(places), axis=0)
    out[np.arange(len(places)), places] = documents
    return out


def _exchanged(row: Whole, i: Whole, j: Whole) -> Whole:
    """Copies of the row with places i and j (from 0) exchanged."""
    out = _replaced(row, i, row[j])
    out[np.arange(len(i)), j] = row[i]
    return out


def _swaps(contiguous: bool) -> Finder:
    def changes(lists: TopicLists) -> Iterator[Changes]:
        for run in range(lists.runs):
            shown = lists.shown(run)
            i, j = np.triu_indices(len(shown), 1)
            if contiguous:
                i, j = np.arange(len(shown) - 1), np.arange(1, len(shown))
            if len(i):
                dominated = _dominated(lists.values, shown[i], shown[j])
                i, j = i[dominated], j[dominated]
                yield _of(lists, run, i + 1, j + 1, _exchanged(lists.columns[run], i, j))

    return changes


def _deep(lists: TopicLists) -> Iterator[Changes]:
    """The same two kinds of document, badly ordered at two places: exchanging the upper two must gain more."""
    for run in range(lists.runs):
        shown = lists.shown(run)
        if len(shown) < 4:
            continue
        first = np.flatnonzero(_dominated(lists.values, shown[:-1], shown[1:]))
        i, j = (first[side] for side in np.triu_indices(len(first), 1))
        table = lists.values
        same = (table[:, shown[i]] == table[:, shown[j]]).all(axis=0)
        same &= (table[:, shown[i + 1]] == table[:, shown[j + 1]]).all(axis=0) & (j >= i + 2)
        i, j, row = i[same], j[same], lists.columns[run]
        yield _of(lists, run, i + 1, j + 1, _exchanged(row, i, i + 1), _exchanged(row, j, j + 1))


def _tails(lists: TopicLists) -> Iterator[Changes]:
    """The non-relevant documents behind the last relevant one are cut off."""
    for run in range(lists.runs):
        shown = lists.shown(run)
        relevant = np.flatnonzero(shown != lists.nothing)
        last = int(relevant[-1]) + 1 if len(relevant) else 0
        if last < len(shown):
            rank = np.array([last + 1])
            lengths = (np.array([last]), np.array([len(shown)]))
            yield _of(lists, run, rank, np.zeros(1, dtype=np.int64), lists.columns[run][np.newaxis], lengths=lengths)


def _better_documents(lists: TopicLists) -> Iterator[Changes]:
    """A document is replaced by one that serves its aspects at least as well and one of them better."""
    pool = lists.values[:, :-1]
    if not pool.shape[1]:
        return
    weight = lists.weights @ pool
    for run in range(lists.runs):
        shown = lists.shown(run)
        free = np.setdiff1d(np.arange(pool.shape[1]), shown)
        if not len(free):
            continue
        free = free[np.argsort(weight[free], kind="stable")]  # the smallest improvement is the hardest case
        old = lists.values[:, shown][:, :, np.newaxis]
        new = pool[:, free][:, np.newaxis, :]
        better = np.asarray(np.all(new >= old, axis=0) & np.any(new > old, axis=0))
        places = np.flatnonzero(better.any(axis=1))
        rows = _replaced(lists.columns[run], places, free[better[places].argmax(axis=1)])
        yield _of(lists, run, places + 1, np.zeros_like(places), rows)


def _single(lists: TopicLists) -> tuple[Whole, Floats]:
    """Of each document the one aspect it is relevant to (−1: none or several), and how much."""
    relevant = lists.values > 0
    one = relevant.sum(axis=0) == 1
    aspect = np.where(one, relevant.argmax(axis=0), -1)
    return aspect, lists.values.max(axis=0, initial=0.0)


Premise = Callable[[Floats, int, int, float, Floats], bool]


def _other_aspect(premise: Premise) -> Finder:
    """A document about one aspect t ends the list; one about another aspect t', equally relevant, must be worth more.

    `premise(above, t, t', r, weights)` decides whether the axiom applies to the documents above (rank × aspect).
    """

    def changes(lists: TopicLists) -> Iterator[Changes]:
        about, grade = (of.tolist() for of in _single(lists))
        examples: dict[float, dict[int, int]] = {}  # by grade and aspect: the first document about it
        for document in range(len(about)):
            if about[document] >= 0:
                examples.setdefault(grade[document], {}).setdefault(about[document], document)
        for run in range(lists.runs):
            shown = lists.shown(run)
            above = lists.values[:, shown].T
            documents = shown.tolist()
            first = {d: n for n, d in reversed(list(enumerate(documents)))}
            replacements = [
                (n, document)
                for n, d in enumerate(documents)
                if about[d] >= 0
                for other, document in examples[grade[d]].items()
                if other != about[d]
                and first.get(document, n) >= n
                and premise(above[:n], about[d], other, grade[d], lists.weights)
            ]
            if replacements:
                places, documents = (np.array(side) for side in zip(*replacements, strict=True))
                rows = _replaced(lists.columns[run], places, documents)
                lengths = (places + 1, places + 1)
                yield _of(lists, run, places + 1, np.zeros_like(places), rows, lengths=lengths)

    return changes


def _redundant(above: Floats, t: int, other: int, r: float, weights: Floats) -> bool:
    """More documents about t than about t', all of them as relevant as the new one, and aspects of equal weight."""
    seen = above[:, [t, other]]
    counts = (seen > 0).sum(axis=0)
    return bool(counts[0] > counts[1] and ((seen == 0) | (seen == r)).all() and weights[t] == weights[other])


def _served(above: Floats, t: int, other: int, r: float, weights: Floats) -> bool:
    """No document more about t' than about t, one at least more about t, and aspects of equal weight."""
    more = above[:, t] - above[:, other]
    return bool(len(more) and (more >= 0).all() and (more > 0).any() and weights[t] == weights[other])


def _heavier(above: Floats, t: int, other: int, r: float, weights: Floats) -> bool:
    """Neither aspect was seen, and t' weighs more."""
    return bool(weights[other] > weights[t] and not above[:, [t, other]].any())


def _saturated(lists: TopicLists) -> Iterator[Changes]:
    """The last document is only about aspects that a fully relevant document has satisfied: it must add nothing."""
    for run in range(lists.runs):
        shown = lists.shown(run)
        above = lists.values[:, shown].T
        full = np.maximum.accumulate(above, axis=0) >= 1.0
        places = [n for n in range(1, len(shown)) if above[n].any() and full[n - 1][above[n] > 0].all()]
        if places:
            at = np.array(places)
            rows = np.repeat(lists.columns[run][np.newaxis], len(at), axis=0)
            yield _of(lists, run, at + 1, np.zeros_like(at), rows, rows, lengths=(at, at + 1), strict=False)


SITUATIONS = {
    situation.name: situation
    for situation in (
        Situation(
            "Pri",
            "a more relevant document changes places with a less relevant one above it, at any distance",
            _swaps(contiguous=False),
        ),
        Situation(
            "Pri-contiguous",
            "a more relevant document changes places with the less relevant one just above it",
            _swaps(contiguous=True),
        ),
        Situation("Deep", "the same swap near the top must gain more than further down", _deep),
        Situation("Conf", "the non-relevant documents at the end are cut off", _tails),
        Situation(
            "AspDiv", "a document is replaced by one that serves every aspect as well and one better", _better_documents
        ),
        Situation(
            "Red",
            "the last document, about a much covered aspect, is replaced by one about a less covered one",
            _other_aspect(_redundant),
        ),
        Situation(
            "MRed",
            "the last document, about an aspect served better so far, is replaced by one about another",
            _other_aspect(_served),
        ),
        Situation("Sat", "a document that is only about satisfied aspects is removed from the end", _saturated),
        Situation(
            "AspRel",
            "the last document, about a new aspect, is replaced by one about a heavier new aspect",
            _other_aspect(_heavier),
        ),
    )
}
