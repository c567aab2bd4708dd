"""The situations of the axioms in real rankings: where in a list an axiom's premise occurs, and the change it is about.

An axiom is about abstract rankings; here its premise is looked for in the lists that systems returned, and its change is
made with documents of the same topic. All lists of a topic are searched at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from diveval.analysis.violations.changes import LARGEST_ARRAY, Changes, TopicLists, make_changes, replace_documents
from diveval.analysis.violations.other_aspects import find_heavier, find_redundant, find_served
from diveval.analysis.violations.premises import Flags, within_limits
from diveval.axioms.specification.readings import Reading
from diveval.collection.columns import Floats, IntArray

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
    kinds = np.unique(whole.kinds[:-1])
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
        old, new = lists.relevance[..., np.newaxis], pool[:, np.newaxis, np.newaxis, kinds]
        better = (new >= old).all(axis=0) & (new > old).any(axis=0)
        better &= lists.inside[..., np.newaxis] & (free < lists.nothing)[:, np.newaxis]
        within = _within_aspdiv(lists, better & (new > old).all(axis=0), pool[:, kinds], reading)
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
