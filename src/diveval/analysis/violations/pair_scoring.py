"""Scores of the pairs of a situation: in doubles, and again with many digits where a difference may be rounding."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from diveval.analysis.violations.changes import Changes, TopicLists, first_equal
from diveval.analysis.violations.premises import fraction_of
from diveval.collection.columns import Floats, IntArray
from diveval.collection.judgments import TopicRelevance
from diveval.collection.rankings import Rankings
from diveval.defaults import TOLERANCE
from diveval.metrics.batch import PADDING, Batch
from diveval.metrics.formulas import Formula
from diveval.metrics.metric import Metric
from diveval.metrics.numbers import Number, Numbers, is_zero
from diveval.metrics.ranking import Ranking, grid

ROWS_AT_ONCE = 20_000  # lists scored together: many for numpy, few for the cache and the memory
MOST = 2**62  # numbers that stand for rows stay below this
Kept = dict[Hashable, Any]  # what several batches share


def topic_lists(listed: Sequence[Rankings], topic: str, relevance: TopicRelevance, depth: int) -> TopicLists:
    """The lists of a topic, cut at the depth. A missing topic is an empty list: it has no situations."""
    pool = relevance.relevance
    columns = np.full((len(listed), depth), pool.shape[1], dtype=np.int64)
    lengths = np.zeros(len(listed), dtype=np.int64)
    for r, run in enumerate(listed):
        ranking = run.topics.get(topic)
        if ranking is not None:
            lengths[r] = min(ranking.length, depth)
            place = relevance.place[ranking.rows]
            seen = (ranking.ranks <= depth) & (place >= 0)
            columns[r, ranking.ranks[seen] - 1] = place[seen]
    values = np.concatenate([pool, np.zeros((len(pool), 1))], axis=1)
    return TopicLists(columns, lengths, values, relevance.weights)


def join(parts: Sequence[Changes]) -> Changes | None:
    """Changes in the order of the parts; None if there are none."""
    filled = [part for part in parts if len(part)]
    if len(filled) < 2:
        return filled[0] if filled else None
    names = [name for name in Changes.__dataclass_fields__ if name != "strict"]
    columns = {name: np.concatenate([getattr(part, name) for part in filled]) for name in names}
    return Changes(**columns, strict=filled[0].strict)


def score_pairs(
    lists: TopicLists, found: Sequence[Changes], metrics: Sequence[Metric], tables: Kept, kept: Kept
) -> list[list[tuple[Floats, Floats]]]:
    """By situation and metric, the scores of both lists of each pair. Lists that occur often are scored once."""
    if not found:
        return []
    columns = np.concatenate([side for changes in found for side in (changes.better, changes.worse)])
    lengths = np.concatenate([side for changes in found for side in (changes.better_lengths, changes.worse_lengths)])
    inside = np.arange(columns.shape[1]) < lengths[:, np.newaxis]
    kinds, digits = np.unique(lists.kinds, return_inverse=True)
    first, inverse = group_rows(np.where(inside, digits[columns], len(kinds)), len(kinds) + 1)
    scores = lists_scored(lists, columns[first], lengths[first], metrics, tables, kept)
    sides = np.split(inverse, np.cumsum([len(changes) for changes in found for _ in range(2)])[:-1])
    return [
        [(values[better], values[worse]) for values in scores]
        for better, worse in zip(sides[::2], sides[1::2], strict=True)
    ]


def group_rows(rows: IntArray, base: int) -> tuple[IntArray, IntArray]:
    """The first row of each group of equal rows, and each row's group; values are from 0 to `base` − 1.

    Rows are compared as numbers with a digit per column: numpy's own comparison of rows takes several times as long.
    """
    key, span = np.zeros(len(rows), dtype=np.int64), 1
    for column in rows.T:
        if span > MOST // base:
            values, key = np.unique(key, return_inverse=True)
            span = len(values)
        key, span = key * base + column, span * base
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    return first, inverse


def lists_scored(
    lists: TopicLists, columns: IntArray, lengths: IntArray, metrics: Sequence[Metric], tables: Kept, kept: Kept
) -> list[Floats]:
    """The scores of many lists of one topic by each metric, a portion of the lists at a time."""
    parts: list[list[Floats]] = [[] for _ in metrics]
    for start in range(0, len(lengths), ROWS_AT_ONCE):
        part = slice(start, start + ROWS_AT_ONCE)
        batch = _batch(lists, columns[part], lengths[part], tables, kept)
        for m, metric in enumerate(metrics):
            parts[m].append(metric.score(batch))
    return [np.concatenate(scores) for scores in parts]


def _batch(lists: TopicLists, columns: IntArray, lengths: IntArray, tables: Kept, kept: Kept) -> Batch:
    """Every rank is a place for a hit; a non-relevant document is one without relevance.

    Neighbours in memory are the same rank of two lists, over which numpy is fast; see `scoring.blocks`.
    """
    ranks = np.broadcast_to(np.arange(1, columns.shape[1] + 1)[:, np.newaxis], columns.T.shape)
    inside = ranks <= lengths
    relevance = lists.values[:, np.where(inside, columns.T, lists.nothing)]
    return Batch.of_topic(
        relevance.transpose(0, 2, 1),
        np.where(inside, ranks, PADDING).T,
        lengths,
        lists.weights,
        lists.values[:, :-1],
        tables=tables,
        pool_kept=kept,
    )


# --- differences within rounding --------------------------------------------------------------------------------------

DIGITS = 400  # after 20 documents of grade 30, 2⁻⁶⁰⁰ of the need is open: such gains are positive too
NOTHING = Decimal(10) ** -350  # relative to the scores: what is left of a tie after so many digits


class Decimals(Numbers):
    """Decimals of the current context's precision."""

    def of(self, value: Number) -> Decimal:
        return value if isinstance(value, Decimal) else decimal_of(value)

    def positive(self, value: Number) -> Decimal:
        return Decimal(1 if value > 0 else 0)

    def below(self, value: Number, limit: Number) -> Decimal:
        return Decimal(1 if value < self.of(limit) else 0)

    def largest(self, values: Sequence[Number]) -> Decimal:
        return Decimal(max(values))

    def inverse_log(self, argument: int) -> Decimal:
        return _inverse_log(argument)


@lru_cache(maxsize=10_000)
def decimal_of(value: float | Fraction) -> Decimal:
    """The number a double stands for, in so many digits."""
    number = fraction_of(value)
    with localcontext() as context:
        context.prec = DIGITS
        return Decimal(number.numerator) / Decimal(number.denominator)


@lru_cache(maxsize=10_000)
def _inverse_log(argument: int) -> Decimal:
    with localcontext() as context:
        context.prec = DIGITS
        return Decimal(2).ln() / Decimal(argument).ln()


class DecimalScores:
    """Scores of a topic's lists in many digits; the pool is converted and its ideals are computed once."""

    def __init__(self, lists: TopicLists) -> None:
        self._lists = lists
        self._known: dict[Hashable, Decimal] = {}
        self._kinds: dict[int, IntArray] = {}
        self._loses: dict[int, bool] = {}

    @cached_property
    def _columns(self) -> list[list[Decimal]]:
        """The relevance of each document, and last that of a non-relevant one."""
        return [[decimal_of(r) for r in column] for column in self._lists.values.T.tolist()]

    @cached_property
    def _topic(self) -> Ranking:
        """An empty ranking of the topic."""
        weights = [decimal_of(w) for w in self._lists.weights.tolist()]
        pool = self._columns[:-1]
        topic = Ranking.of([], weights=weights, pool=pool, numbers=Decimals())
        return replace(topic, normaliser=self._ideal)

    def _ideal(self, formula: Formula, channel: int) -> Decimal:
        """The ideal value of a formula; infinite where there is none, so that the score is 0."""
        key = ("ideal", formula, channel)
        if key not in self._known:
            best = formula.attainable(self._topic, channel)
            self._known[key] = Decimal("Infinity") if best is None else Decimal(best)
        return self._known[key]

    def kinds(self, formula: Formula) -> IntArray:
        """For each document the first one that is the same for the formula, which may see less than all of its relevance."""
        total, lists = formula.as_sum or formula.share_of, self._lists
        if total is None or not (total.over.per_aspect or total.over.takes_best):
            return lists.kinds
        if id(formula) not in self._kinds:
            channels = total.over.table(lists.values[:, np.newaxis], lists.weights[:, np.newaxis])
            self._kinds[id(formula)] = first_equal(channels[:, 0])
        return self._kinds[id(formula)]

    def loses_gains(self, formula: Formula) -> bool:
        """Whether a document may add so little to a score that doubles lose it."""
        if id(formula) not in self._loses:
            self._loses[id(formula)] = _loses_gains(formula, self._lists)
        return self._loses[id(formula)]

    def score(self, formula: Formula, columns: tuple[int, ...]) -> Decimal:
        """The score of a list, computed once."""
        key = (id(formula), columns)
        if key not in self._known:
            rows = grid([self._columns[column] for column in columns], len(self._lists.weights))
            self._known[key] = Decimal(formula.exact(replace(self._topic, relevance=rows)))
        return self._known[key]


def gains(
    formula: Formula, lists: TopicLists, changes: Changes, better: Floats, worse: Floats, exact: DecimalScores
) -> Floats:
    """By how much each change raises the score: exactly 0 for a tie, and above 0 for a gain that doubles do not show.

    For a user's own function, which has no exact form, a difference within rounding counts as a tie.
    """
    out = np.asarray(better - worse)
    doubtful = np.flatnonzero(np.abs(out) <= TOLERANCE * np.maximum(np.abs(better), np.abs(worse)))
    if len(doubtful) and not exact.loses_gains(formula):
        doubtful = doubtful[out[doubtful] != 0]
    if not len(doubtful):
        return out
    if formula.is_function:
        out[doubtful] = 0.0
        return out
    kinds = exact.kinds(formula)
    end = int(kinds[lists.nothing]) if _is_free(formula) else None
    sides = ((changes.better, changes.better_lengths), (changes.worse, changes.worse_lengths))
    with localcontext() as context:
        context.prec = DIGITS
        for at in doubtful.tolist():
            keys = [_visible(formula, kinds[rows[at, : lengths[at]]], end) for rows, lengths in sides]
            high, low = (exact.score(formula, key) for key in keys) if keys[0] != keys[1] else (ZERO, ZERO)
            tie = abs(high - low) <= NOTHING * max(abs(high), abs(low))
            out[at] = 0.0 if tie else float(high - low) or (SMALLEST if high > low else -SMALLEST)
    return out


VISIBLE = 1e-9  # smallest part of a score that doubles show beside the rest of it


def _loses_gains(formula: Formula, lists: TopicLists) -> bool:
    """Whether a document may add so little to a score that doubles lose it.

    Its share is at least the product of the smallest discount, novelty, weight and step of relevance. After ten
    documents of relevance 15/16 a cascade leaves 2⁻⁴⁰; a list scored by precision has nothing so small.
    """
    depth = lists.columns.shape[1] if formula.cutoff is None else min(lists.columns.shape[1], formula.cutoff)
    levels = np.sort(lists.values, axis=None)
    least = _least(np.diff(levels)) * _least(lists.weights) / float(levels.max(initial=1.0))
    for part in formula.parts:
        if (discounts := getattr(part, "table", None)) and hasattr(part, "rate"):
            least *= _least(discounts(depth))
        if (decay_of := getattr(part, "decay_of", None)) and (decay := decay_of(levels)) is not None:
            least *= _least(decay) ** (depth - 1)
        least *= _least(np.array([float(getattr(part, "effort", 1) or 1)]))
    return bool(least < VISIBLE)


def _least(values: Floats) -> float:
    """The smallest positive value, at most 1."""
    return float(values[values > 0].min(initial=1.0))


ZERO = Decimal(0)
SMALLEST = float(np.nextafter(0.0, 1.0))  # stands for a gain too small for a double


def _is_free(formula: Formula) -> bool:
    """Whether a document without relevance at the end of a list neither adds to the score nor costs anything."""
    total = formula.as_sum or formula.share_of
    return total is not None and is_zero(total.effort)


def _visible(formula: Formula, columns: IntArray, end: int | None) -> tuple[int, ...]:
    """The documents that alone decide the score: down to the cutoff, and without those like `end` at the end."""
    shown: list[int] = columns[: formula.cutoff].tolist()
    while shown and shown[-1] == end:
        shown.pop()
    return tuple(shown)
