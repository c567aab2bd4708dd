"""The situations of the axioms in real rankings: where in a list an axiom's premise occurs, and the change it is about.

An axiom is about abstract rankings; here its premise is looked for in the lists that systems returned, and its change is
made with documents of the same topic. All lists of a topic are searched at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from diveval.analysis.violations.changes import (
    LARGEST_ARRAY,
    Changes,
    TopicLists,
    first_equal,
    make_changes,
    replace_documents,
)
from diveval.analysis.violations.premises import Flags, are_small, within_limits
from diveval.axioms.specification.readings import Reading
from diveval.collection.columns import Floats, IntArray

Kind = TypeVar("Kind", np.float64, np.int64, np.bool_)


@dataclass(frozen=True, eq=False)
class _Singles:
    """The documents of a topic that are relevant to one aspect only."""

    aspect: IntArray  # of each document that aspect, −1 if it has none or several
    level: IntArray  # its relevance as a place among the different values
    documents: IntArray  # sorted by aspect, relevance and place in the judgments
    keys: IntArray  # their aspect and relevance as one number

    @classmethod
    def of(cls, lists: TopicLists) -> _Singles:
        relevant = lists.values > 0
        one = relevant.sum(axis=0) == 1
        aspect = np.where(one, relevant.argmax(axis=0) if len(relevant) else 0, -1)
        _, level = np.unique(lists.values.max(axis=0, initial=0.0), return_inverse=True)
        documents = np.flatnonzero(one)
        keys = aspect[documents] * len(level) + level[documents]
        order = np.argsort(keys, kind="stable")
        return cls(aspect, level, documents[order], keys[order])

    def first_free(self, places: IntArray, run: IntArray, place: IntArray, key: IntArray) -> IntArray:
        """For each list cut before a place, the first document with the key that it does not contain; −1 if it has all.

        `places` is where each run lists each document.
        """
        at, end = self.keys.searchsorted(key), self.keys.searchsorted(key, side="right")
        out, missing = np.full(len(run), -1), np.flatnonzero(at < end)
        while len(missing):
            document = self.documents[at[missing]]
            free = places[run[missing], document] >= place[missing]
            out[missing[free]] = document[free]
            at[missing] += 1
            missing = missing[~free & (at[missing] < end[missing])]
        return out


@dataclass(frozen=True, eq=False)
class _Above:
    """What stands above each place of the lists, by aspect, run and place."""

    lists: TopicLists
    aspect: IntArray  # of the document at the place; −1 if it has none or several

    @cached_property
    def places(self) -> IntArray:
        """Where each run lists each document; behind all others where it does not."""
        shown = self.lists.shown
        out = np.full((self.lists.runs, self.lists.nothing + 1), shown.shape[1])
        for at in reversed(range(shown.shape[1])):
            out[np.arange(self.lists.runs), shown[:, at]] = at
        return out

    @cached_property
    def own(self) -> Floats:
        """The relevance of the document at the place."""
        return np.asarray(self.lists.relevance.max(axis=0, initial=0.0))

    @cached_property
    def counts(self) -> IntArray:
        """How many documents above are relevant to the aspect."""
        return _shift(np.cumsum(self.lists.relevance > 0, axis=-1), 0)

    @cached_property
    def alike(self) -> Flags:
        """Whether the documents above that are relevant to the aspect are as relevant as the one at the place."""
        relevance = self.lists.relevance
        highest = _shift(np.maximum.accumulate(relevance, axis=-1), 0.0)
        lowest = _shift(np.minimum.accumulate(np.where(relevance > 0, relevance, np.inf), axis=-1), np.inf)
        return np.asarray((highest == 0) | ((highest == self.own) & (lowest == self.own)))

    def at_own(self, values: NDArray[Kind]) -> NDArray[Kind]:
        """Of values by aspect those of the place's own aspect."""
        own: NDArray[Kind] = np.take_along_axis(values, np.maximum(self.aspect, 0)[np.newaxis], axis=0)[0]
        return own

    def lead(self, other: int) -> tuple[Floats, Floats]:
        """By how much the documents above are more relevant to the place's own aspect: at least, and at most."""
        more = self.lists.relevance - self.lists.relevance[other]
        least = _shift(np.minimum.accumulate(more, axis=-1), np.inf)
        most = _shift(np.maximum.accumulate(more, axis=-1), -np.inf)
        return self.at_own(least), self.at_own(most)


def _shift(values: NDArray[Kind], first: float) -> NDArray[Kind]:
    """What is known before each place, from what is known after it."""
    out = np.empty_like(values)
    out[..., 0], out[..., 1:] = first, values[..., :-1]
    return out


@lru_cache(maxsize=1)  # three axioms ask for the same topic
def _prepare(lists: TopicLists) -> tuple[_Singles, IntArray]:
    """The documents about one aspect; and for each aspect the first one that has the same ideal."""
    return _Singles.of(lists), first_equal(np.sort(lists.values, axis=1).T)


@lru_cache(maxsize=1)
def _look_above(lists: TopicLists, singles: _Singles) -> _Above:
    return _Above(lists, singles.aspect[lists.shown])


Found = Callable[[_Above, int], Flags]
Within = Callable[[_Above, IntArray, IntArray, IntArray, Reading], Flags]


def _find(whole: TopicLists, reading: Reading, found: Found, within: Within | None) -> Iterator[Changes]:
    """The changes at places where `found` says that the axiom has something to say about another aspect.

    `within` says whether its premises hold as well, by run, place and other aspect.
    """
    singles, ideal = _prepare(whole)
    if not len(singles.documents):
        return
    for lists in whole.portions(whole.columns.shape[1] * len(whole.weights) * 8 + whole.nothing):
        above, columns = _look_above(lists, singles), lists.shown
        flags = np.zeros((*columns.shape, len(lists.weights)), dtype=bool)
        for t in np.flatnonzero(np.bincount(singles.aspect[singles.documents])).tolist():
            flags[..., t] = found(above, t) & (above.aspect >= 0) & (above.aspect != t)
        run, place, other = np.nonzero(flags)
        key = other * len(singles.level) + singles.level[columns[run, place]]
        new = singles.first_free(above.places, run, place, key)
        kept = new >= 0
        run, place, other, new = run[kept], place[kept], other[kept], new[kept]
        yield make_changes(
            lists,
            run,
            place + 1,
            None,
            replace_documents(lists.columns[run], place, new),
            np.ones(len(run), dtype=bool) if within is None else within(above, run, place, other, reading),
            lengths=(place + 1, place + 1),
            same_ideal=ideal[above.aspect[run, place]] == ideal[other],
        )


def find_redundant(lists: TopicLists, reading: Reading) -> Iterator[Changes]:
    """More documents about t than about t', all of them as relevant as the new one, and aspects of equal weight."""

    def found(above: _Above, other: int) -> Flags:
        weights, alike = above.lists.weights, above.alike
        more = above.at_own(above.counts) > above.counts[other]
        return np.asarray(more & above.at_own(alike) & alike[other] & (weights[above.aspect] == weights[other]))

    return _find(lists, reading, found, _within_red)


def _within_red(above: _Above, run: IntArray, place: IntArray, other: IntArray, reading: Reading) -> Flags:
    """Red: documents about one aspect or none, all as relevant as the new one; aspects of equal weight; and r ≪ 1."""
    relevance, weights = above.lists.relevance, above.lists.weights
    several = _shift(np.logical_or.accumulate((relevance > 0).sum(axis=0) > 1, axis=-1), 0)
    alike = ~several & above.alike.all(axis=0) & bool((weights == weights[0]).all())
    if reading.full_relevance:
        return np.asarray(alike[run, place])
    fullest = above.counts.max(axis=0)[run, place] + 1
    return np.asarray(alike[run, place] & are_small(fullest, above.own[run, place]))


def find_served(lists: TopicLists, reading: Reading) -> Iterator[Changes]:
    """No document more about t' than about t, one at least more about t, and aspects of equal weight."""

    def found(above: _Above, other: int) -> Flags:
        (least, most), weights = above.lead(other), above.lists.weights
        return np.asarray((least >= 0) & (most > 0) & (weights[above.aspect] == weights[other]))

    return _find(lists, reading, found, _within_mred)


def _within_mred(above: _Above, run: IntArray, place: IntArray, other: IntArray, reading: Reading) -> Flags:
    """MRed: every document above is more about t than about t', and r ≪ 1 with the new document for either aspect."""
    own, each = above.aspect[run, place], np.arange(len(run))
    relevance = above.lists.relevance[:, run]
    before = np.arange(relevance.shape[2]) < place[:, np.newaxis]
    less = (relevance[own, each] <= relevance[other, each]) & before
    out = (place > 0) & ~less.any(axis=1)
    relevance *= before
    for aspect in (own, other):
        ended = relevance.copy()
        ended[aspect, each, place] = above.own[run, place]
        out &= within_limits(ended, reading)
    return np.asarray(out)


def find_heavier(lists: TopicLists, reading: Reading) -> Iterator[Changes]:
    """Neither aspect was seen, and t' weighs more."""

    def found(above: _Above, other: int) -> Flags:
        weights, seen = above.lists.weights, above.counts
        return np.asarray((weights[other] > weights[above.aspect]) & (above.at_own(seen) == 0) & (seen[other] == 0))

    return _find(lists, reading, found, None)


Finder = Callable[[TopicLists, Reading], Iterator[Changes]]


@dataclass(frozen=True)
class Situation:
    """The situation of one axiom."""

    axiom: str
    says: str  # what is done to the list, and what a metric should do
    changes: Finder


def _exchange(rows: IntArray, i: IntArray, j: IntArray) -> IntArray:
    """Copies of the rows with places i and j (from 0) exchanged."""
    each = np.arange(len(i))
    out = replace_documents(rows, i, rows[each, j])
    out[each, j] = rows[each, i]
    return out


def _dominated(relevance: Floats, low: IntArray, high: IntArray) -> Flags:
    """By run and pair of places, whether the document at `high` is at least as relevant as that at `low` to every aspect,
    and more relevant to one."""
    above, below = relevance[:, :, high], relevance[:, :, low]
    return np.asarray((above >= below).all(axis=0) & (above > below).any(axis=0))


def _swaps(whole: TopicLists, reading: Reading) -> Iterator[Changes]:
    """A document and a better one below it, at any distance; some readings are about neighbours only."""
    low, high = np.triu_indices(whole.columns.shape[1], 1)
    for lists in whole.portions(len(low) * len(whole.weights)):
        dominated = _dominated(lists.relevance, low, high)
        run, pair = np.nonzero(dominated)
        i, j = low[pair], high[pair]
        near = (j == i + 1) | (reading.swap == "any")
        yield make_changes(
            lists,
            run,
            i + 1,
            j + 1,
            _exchange(lists.columns[run], i, j),
            np.asarray(near & lists.limited(reading)[run]),
        )


def _deep(whole: TopicLists, reading: Reading) -> Iterator[Changes]:
    """The same two kinds of document, badly ordered at two places: exchanging the upper two must gain more."""
    places = np.arange(whole.columns.shape[1] - 1)
    upper, lower = np.triu_indices(len(places), 2)
    for lists in whole.portions(len(upper) + len(places) * len(whole.weights)):
        first = _dominated(lists.relevance, places, places + 1)
        kinds = lists.kinds[lists.columns]
        same = first[:, upper] & first[:, lower] & (kinds[:, upper] == kinds[:, lower])
        run, pair = np.nonzero(same & (kinds[:, upper + 1] == kinds[:, lower + 1]))
        i, j, rows = upper[pair], lower[pair], lists.columns[run]
        within = lists.limited(reading)[run]
        yield make_changes(lists, run, i + 1, j + 1, _exchange(rows, i, i + 1), within, _exchange(rows, j, j + 1))


def _tails(lists: TopicLists, reading: Reading) -> Iterator[Changes]:
    """The non-relevant documents behind the last relevant one are cut off."""
    relevant = lists.relevance.any(axis=0)
    last = np.where(relevant, np.arange(1, relevant.shape[1] + 1), 0).max(axis=1, initial=0)
    run = np.flatnonzero(last < lists.lengths)
    # The constraint adds a document to a list that has one; an empty list is outside its premise.
    within = (last[run] > 0) & lists.limited(reading)[run]
    yield make_changes(
        lists, run, last[run] + 1, None, lists.columns[run], within, lengths=(last[run], lists.lengths[run])
    )


def _better_documents(whole: TopicLists, reading: Reading) -> Iterator[Changes]:
    """A document is replaced by one that serves its aspects at least as well and one of them better.

    Of several the smallest improvement is taken, the hardest case, and before them those within the reading's premises.
    """
    pool = whole.values[:, :-1]
    kinds = np.flatnonzero(np.bincount(whole.kinds[:-1]))
    # Rounded: which of two equal improvements is taken does not depend on the last digit of its sum.
    worth = whole.weights @ pool[:, kinds]
    kinds = kinds[np.lexsort((*pool[::-1, kinds], np.round(worth / (worth.max(initial=0.0) or 1.0), 12)))]
    kinds = kinds[pool[:, kinds].any(axis=0)]
    if not len(kinds):
        return
    depth, position = whole.columns.shape[1], np.full(whole.nothing + 1, -1)
    position[kinds] = np.arange(len(kinds))
    position = position[whole.kinds]
    documents = np.flatnonzero(position >= 0)
    documents = documents[np.argsort(position[documents], kind="stable")]
    starts = np.flatnonzero(np.diff(position[documents], prepend=-1))
    for lists in whole.portions(depth * len(kinds) * (len(whole.weights) + 1) + len(documents)):
        listed = np.zeros((lists.runs, lists.nothing + 1), dtype=bool)
        listed[np.nonzero(lists.inside)[0], lists.columns[lists.inside]] = True
        # The first document of each kind that the run does not list: equal documents make equal changes.
        free = np.where(listed[:, documents], lists.nothing, documents)
        free = np.minimum.reduceat(free, starts, axis=1)
        # Documents are compared once, not at each place where they stand.
        shown, at = np.unique(lists.shown, return_inverse=True)
        at = at.reshape(lists.shown.shape)
        old, new = lists.values[:, shown, np.newaxis], pool[:, np.newaxis, kinds]
        more: Flags = np.asarray(new > old)
        possible = lists.inside[..., np.newaxis] & (free < lists.nothing)[:, np.newaxis]
        dominating, by_all = np.all(new >= old, axis=0) & np.any(more, axis=0), np.all(more, axis=0)
        better = dominating[at] & possible
        within = _within_aspdiv(lists, by_all[at] & better, pool[:, kinds], reading)
        run, places = np.nonzero(better.any(axis=2))
        taken = np.where(within.any(axis=2), within.argmax(axis=2), better.argmax(axis=2))[run, places]
        rows = replace_documents(lists.columns[run], places, free[run, taken])
        yield make_changes(lists, run, places + 1, None, rows, within[run, places, taken])


def _within_aspdiv(lists: TopicLists, candidates: Flags, new: Floats, reading: Reading) -> Flags:
    """AspDiv, by run, place and new kind of document: of the candidates those whose list is within the limits before and
    after, and ends with the document if the reading asks."""
    out = candidates & lists.limited(reading)[:, np.newaxis, np.newaxis]
    if not reading.documents_behind:
        out &= (np.arange(out.shape[1]) == lists.lengths[:, np.newaxis] - 1)[..., np.newaxis]
    run, place, kind = np.nonzero(out)
    step = max(1, LARGEST_ARRAY // max(lists.relevance[:, 0].size, 1))
    for start in range(0, len(run), step):
        part = slice(start, start + step)
        after = lists.relevance[:, run[part]]
        after[:, np.arange(after.shape[1]), place[part]] = new[:, kind[part]]
        out[run[part], place[part], kind[part]] = within_limits(after, reading)
    return out


def _saturate(lists: TopicLists, reading: Reading) -> Iterator[Changes]:
    """The last document is only about aspects that a fully relevant document has satisfied: it must add nothing.

    The constraint is about one aspect, which the document just above satisfies.
    """
    shown = lists.relevance
    full = np.maximum.accumulate(shown, axis=2) >= 1.0
    about = shown[..., 1:] > 0
    run, above = np.nonzero(about.any(axis=0) & (full[..., :-1] | ~about).all(axis=0))
    satisfied = (~about | (shown[..., :-1] >= 1.0)).all(axis=0)
    within = (about.sum(axis=0) == 1) & satisfied
    rows, at = lists.columns[run], above + 1
    yield make_changes(lists, run, at + 1, None, rows, within[run, above], rows, lengths=(at, at + 1), strict=False)


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
            find_redundant,
        ),
        Situation(
            "MRed",
            "the last document, about an aspect served better so far, is replaced by one about another",
            find_served,
        ),
        Situation("Sat", "a document that is only about satisfied aspects is removed from the end", _saturate),
        Situation(
            "AspRel",
            "the last document, about a new aspect, is replaced by one about a heavier new aspect",
            find_heavier,
        ),
    )
}
