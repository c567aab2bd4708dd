"""The situations of the axioms in real rankings: pairs of lists of which the axiom says that one must score higher.

An axiom is about abstract rankings; here its premise is looked for in the lists that systems returned, and its change is
made with documents of the same topic. Lists are rows of column numbers in the topic's relevance table, whose last column
is a non-relevant document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from diveval.analysis.violations.premises import Flags, within_limits, within_mred, within_red
from diveval.axioms.specification.readings import Reading
from diveval.collection.columns import Floats, IntArray


def first_equal(values: Floats) -> IntArray:
    """For each column the first column with the same values."""
    _, first, inverse = np.unique(values, axis=1, return_index=True, return_inverse=True)
    return np.asarray(first[inverse.reshape(-1)])


@dataclass(frozen=True, eq=False)
class TopicLists:
    """The lists of all runs for one topic, down to a depth."""

    columns: IntArray  # (run, rank): column of `values`; the last column, all zeros, is a non-relevant document
    lengths: IntArray
    values: Floats  # (aspect, document + 1)
    weights: Floats

    @property
    def nothing(self) -> int:
        """The column of a non-relevant document."""
        return int(self.values.shape[1]) - 1

    @property
    def runs(self) -> int:
        return len(self.lengths)

    @cached_property
    def kinds(self) -> IntArray:
        """For each column the first column with the same relevance: documents that no metric tells apart."""
        return first_equal(self.values)

    def columns_of(self, run: int) -> IntArray:
        """The columns of one run's list, as long as it is."""
        return np.asarray(self.columns[run, : self.lengths[run]])

    def is_limited(self, run: int, reading: Reading) -> bool:
        """Whether the relevance in one run's list is as small as the reading's r ≪ 1 asks."""
        return bool(within_limits(self.values[:, self.columns_of(run)][:, np.newaxis], reading)[0])


@dataclass(frozen=True, eq=False)
class Changes:
    """Pairs of lists, one row each: `better` must score higher than `worse`; they differ at `rank` (and `other`)."""

    run: IntArray
    rank: IntArray
    other: IntArray  # 0 where only one rank is concerned
    better: IntArray
    better_lengths: IntArray
    worse: IntArray
    worse_lengths: IntArray
    within: Flags  # whether the premises of the reading hold
    same_ideal: Flags  # whether the judgments give the two aspects concerned, if any, the same ideal
    strict: bool = True  # else it may score the same

    def __len__(self) -> int:
        return len(self.run)


Finder = Callable[[TopicLists, Reading], Iterator[Changes]]


@dataclass(frozen=True)
class Situation:
    """The situation of one axiom."""

    axiom: str
    says: str  # what is done to the list, and what a metric should do
    changes: Finder


def _of(
    lists: TopicLists,
    run: int,
    rank: IntArray,
    other: IntArray,
    better: IntArray,
    within: Flags,
    worse: IntArray | None = None,
    lengths: tuple[IntArray, IntArray] | None = None,
    same_ideal: Flags | None = None,
    strict: bool = True,
) -> Changes:
    """Changes of one run's list; without `worse` they are compared with the list itself, at its full length."""
    count = len(rank)
    own = np.full(count, lists.lengths[run])
    before = np.broadcast_to(lists.columns[run], (count, lists.columns.shape[1])) if worse is None else worse
    long, short = lengths or (own, own)
    ideals = np.ones(count, dtype=bool) if same_ideal is None else same_ideal
    return Changes(np.full(count, run), rank, other, better, long, before, short, within, ideals, strict)


def _dominates(values: Floats, low: IntArray, high: IntArray) -> Flags:
    """Where `high` is at least as relevant as `low` to every aspect, and more relevant to one."""
    above, below = values[:, high], values[:, low]
    return np.asarray((above >= below).all(axis=0) & (above > below).any(axis=0))


def _replace(row: IntArray, places: IntArray, documents: IntArray) -> IntArray:
    """Copies of the row, each with another document at one place (from 0)."""
    out = np.repeat(row[np.newaxis], len(places), axis=0)
    out[np.arange(len(places)), places] = documents
    return out


def _exchange(row: IntArray, i: IntArray, j: IntArray) -> IntArray:
    """Copies of the row with places i and j (from 0) exchanged."""
    out = _replace(row, i, row[j])
    out[np.arange(len(i)), j] = row[i]
    return out


def _swaps(lists: TopicLists, reading: Reading) -> Iterator[Changes]:
    """A document and a better one below it, at any distance; some readings are about neighbours only."""
    for run in range(lists.runs):
        shown = lists.columns_of(run)
        i, j = np.triu_indices(len(shown), 1)
        if len(i):
            dominated = _dominates(lists.values, shown[i], shown[j])
            i, j = i[dominated], j[dominated]
            near = (j == i + 1) | (reading.swap == "any")
            yield _of(
                lists,
                run,
                i + 1,
                j + 1,
                _exchange(lists.columns[run], i, j),
                np.asarray(near & lists.is_limited(run, reading)),
            )


def _deep(lists: TopicLists, reading: Reading) -> Iterator[Changes]:
    """The same two kinds of document, badly ordered at two places: exchanging the upper two must gain more."""
    for run in range(lists.runs):
        shown = lists.columns_of(run)
        if len(shown) < 4:
            continue
        first = np.flatnonzero(_dominates(lists.values, shown[:-1], shown[1:]))
        i, j = (first[side] for side in np.triu_indices(len(first), 1))
        table = lists.values
        same = (table[:, shown[i]] == table[:, shown[j]]).all(axis=0)
        same &= (table[:, shown[i + 1]] == table[:, shown[j + 1]]).all(axis=0) & (j >= i + 2)
        i, j, row = i[same], j[same], lists.columns[run]
        within = np.full(len(i), lists.is_limited(run, reading))
        yield _of(lists, run, i + 1, j + 1, _exchange(row, i, i + 1), within, _exchange(row, j, j + 1))


def _tails(lists: TopicLists, reading: Reading) -> Iterator[Changes]:
    """The non-relevant documents behind the last relevant one are cut off."""
    for run in range(lists.runs):
        shown = lists.columns_of(run)
        relevant = np.flatnonzero(lists.values[:, shown].any(axis=0))
        last = int(relevant[-1]) + 1 if len(relevant) else 0
        if last < len(shown):
            rank, none = np.array([last + 1]), np.zeros(1, dtype=np.int64)
            # The constraint adds a document to a list that has one; an empty list is outside its premise.
            within = np.array([last > 0 and lists.is_limited(run, reading)])
            lengths = (np.array([last]), np.array([len(shown)]))
            yield _of(lists, run, rank, none, lists.columns[run][np.newaxis], within, lengths=lengths)


def _better_documents(lists: TopicLists, reading: Reading) -> Iterator[Changes]:
    """A document is replaced by one that serves its aspects at least as well and one of them better.

    Of several the smallest improvement is taken, the hardest case, and before them those within the reading's premises.
    """
    pool = lists.values[:, :-1]
    for run in range(lists.runs):
        shown = lists.columns_of(run)
        unlisted = np.ones(lists.nothing + 1, dtype=bool)
        unlisted[shown] = unlisted[lists.nothing] = False
        free = np.flatnonzero(unlisted)
        if not len(free) or not len(shown):
            continue
        free = free[np.unique(lists.kinds[free], return_index=True)[1]]  # equal documents make equal changes
        # Rounded: which of two equal improvements is taken does not depend on the last digit of its sum.
        free = free[np.lexsort((*pool[::-1, free], np.round(lists.weights @ pool[:, free], 12)))]
        old = lists.values[:, shown][:, :, np.newaxis]
        new = pool[:, free][:, np.newaxis, :]
        better = np.asarray(np.all(new >= old, axis=0) & np.any(new > old, axis=0))
        within = better & np.all(new > old, axis=0) & _are_replaceable(lists, shown, free, reading)
        places = np.flatnonzero(better.any(axis=1))
        taken = np.where(within.any(axis=1), within.argmax(axis=1), better.argmax(axis=1))[places]
        rows = _replace(lists.columns[run], places, free[taken])
        yield _of(lists, run, places + 1, np.zeros_like(places), rows, within[places, taken])


def _are_replaceable(lists: TopicLists, shown: IntArray, documents: IntArray, reading: Reading) -> Flags:
    """AspDiv, by place and new document: whether the list is within the limits before and after, and ends with the
    document if the reading asks."""
    out = np.zeros((len(shown), len(documents)), dtype=bool)
    if not within_limits(lists.values[:, shown][:, np.newaxis], reading)[0]:
        return out
    for place in range(len(shown)) if reading.documents_behind else [len(shown) - 1]:
        after = np.repeat(shown[np.newaxis], len(documents), axis=0)
        after[:, place] = documents
        out[place] = within_limits(lists.values[:, after], reading)
    return out


def _single(lists: TopicLists) -> tuple[IntArray, Floats]:
    """Of each document the one aspect it is relevant to (−1: none or several), and how much."""
    relevant = lists.values > 0
    one = relevant.sum(axis=0) == 1
    aspect = np.where(one, relevant.argmax(axis=0), -1) if len(relevant) else np.full(relevant.shape[1], -1)
    return aspect, lists.values.max(axis=0, initial=0.0)


class _OtherAspect:
    """A document about one aspect t ends the list; one about another aspect t', equally relevant, must be worth more."""

    def found(self, above: Floats, t: int, other: int, r: float, weights: Floats) -> bool:
        """Whether the axiom has something to say after the documents above (rank × aspect)."""
        raise NotImplementedError

    def within(self, above: Floats, t: int, other: int, r: float, weights: Floats, reading: Reading) -> bool:
        """Whether its premises hold as well."""
        return True

    def __call__(self, lists: TopicLists, reading: Reading) -> Iterator[Changes]:
        about, grade = (of.tolist() for of in _single(lists))
        known: dict[tuple[float, int], list[int]] = {}  # by grade and aspect: the documents about it alone
        for document, aspect in enumerate(about):
            if aspect >= 0:
                known.setdefault((grade[document], aspect), []).append(document)
        ideals = np.sort(lists.values, axis=1)
        for run in range(lists.runs):
            rows = list(self._replacements(lists, run, about, grade, known))
            if not rows:
                continue
            above = lists.values[:, lists.columns_of(run)].T
            places, documents = (np.array(side) for side in zip(*(row[:2] for row in rows), strict=True))
            asked = [(above[:n], t, other, r) for n, _, t, other, r in rows]
            within = np.array([self.within(*one, lists.weights, reading) for one in asked])
            same = np.array([bool((ideals[t] == ideals[other]).all()) for _, t, other, _ in asked])
            better, lengths = _replace(lists.columns[run], places, documents), (places + 1, places + 1)
            yield _of(lists, run, places + 1, np.zeros_like(places), better, within, lengths=lengths, same_ideal=same)

    def _replacements(
        self,
        lists: TopicLists,
        run: int,
        about: list[int],
        grade: list[float],
        known: dict[tuple[float, int], list[int]],
    ) -> Iterator[tuple[int, int, int, int, float]]:
        """Place, the first document about t' that is not listed above it, t, t' and r."""
        shown = lists.columns_of(run)
        above, documents = lists.values[:, shown].T, shown.tolist()
        for n, d in enumerate(documents):
            t, r = about[d], grade[d]
            for other in range(len(lists.weights)) if t >= 0 else ():
                free = next((new for new in known.get((r, other), ()) if new not in documents[:n]), None)
                if other != t and free is not None and self.found(above[:n], t, other, r, lists.weights):
                    yield n, free, t, other, r


class _Redundant(_OtherAspect):
    """More documents about t than about t', all of them as relevant as the new one, and aspects of equal weight."""

    def found(self, above: Floats, t: int, other: int, r: float, weights: Floats) -> bool:
        seen = above[:, [t, other]]
        counts = (seen > 0).sum(axis=0)
        return bool(counts[0] > counts[1] and ((seen == 0) | (seen == r)).all() and weights[t] == weights[other])

    def within(self, above: Floats, t: int, other: int, r: float, weights: Floats, reading: Reading) -> bool:
        return within_red(above, r, weights, reading)


class _Served(_OtherAspect):
    """No document more about t' than about t, one at least more about t, and aspects of equal weight."""

    def found(self, above: Floats, t: int, other: int, r: float, weights: Floats) -> bool:
        more = above[:, t] - above[:, other]
        return bool(len(more) and (more >= 0).all() and (more > 0).any() and weights[t] == weights[other])

    def within(self, above: Floats, t: int, other: int, r: float, weights: Floats, reading: Reading) -> bool:
        return within_mred(above, t, other, r, reading)


class _Heavier(_OtherAspect):
    """Neither aspect was seen, and t' weighs more."""

    def found(self, above: Floats, t: int, other: int, r: float, weights: Floats) -> bool:
        return bool(weights[other] > weights[t] and not above[:, [t, other]].any())


def _saturate(lists: TopicLists, reading: Reading) -> Iterator[Changes]:
    """The last document is only about aspects that a fully relevant document has satisfied: it must add nothing.

    The constraint is about one aspect, which the document just above satisfies.
    """
    for run in range(lists.runs):
        shown = lists.columns_of(run)
        above = lists.values[:, shown].T
        full = np.maximum.accumulate(above, axis=0) >= 1.0
        places = [n for n in range(1, len(shown)) if above[n].any() and full[n - 1][above[n] > 0].all()]
        if places:
            at = np.array(places)
            one = (above[at] > 0).sum(axis=1) == 1
            within = one & (above[at - 1, above[at].argmax(axis=1)] >= 1.0)
            rows = np.repeat(lists.columns[run][np.newaxis], len(at), axis=0)
            yield _of(lists, run, at + 1, np.zeros_like(at), rows, within, rows, lengths=(at, at + 1), strict=False)


SITUATIONS = {
    situation.axiom: situation
    for situation in (
        Situation("Pri", "a more relevant document changes places with a less relevant one above it", _swaps),
        Situation("Deep", "the same swap near the top must gain more than further down", _deep),
        Situation("Conf", "the non-relevant documents at the end are cut off", _tails),
        Situation(
            "AspDiv", "a document is replaced by one that serves every aspect as well and one better", _better_documents
        ),
        Situation(
            "Red",
            "the last document, about a much covered aspect, is replaced by one about a less covered one",
            _Redundant(),
        ),
        Situation(
            "MRed",
            "the last document, about an aspect served better so far, is replaced by one about another",
            _Served(),
        ),
        Situation("Sat", "a document that is only about satisfied aspects is removed from the end", _saturate),
        Situation(
            "AspRel",
            "the last document, about a new aspect, is replaced by one about a heavier new aspect",
            _Heavier(),
        ),
    )
}
