"""Scores of the pairs of a situation: in doubles, and again with many digits where a difference may be rounding."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from diveval.analysis.violations.premises import fraction_of
from diveval.analysis.violations.situations import Changes, TopicLists
from diveval.collection.columns import Floats, IntArray
from diveval.collection.judgments import TopicRelevance
from diveval.collection.rankings import Rankings
from diveval.metrics.batch import PADDING, Batch
from diveval.metrics.formulas import Formula
from diveval.metrics.metric import Metric
from diveval.metrics.numbers import Number, Numbers
from diveval.metrics.ranking import Ranking
from diveval.stats.ties import TOLERANCE

ROWS_AT_ONCE = 20_000  # lists scored together: many for numpy, few for the cache and the memory
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
    filled = [part for part in parts if len(part)]
    if not filled:
        return None
    names = [name for name in Changes.__dataclass_fields__ if name != "strict"]
    columns = {name: np.concatenate([getattr(part, name) for part in filled]) for name in names}
    return Changes(**columns, strict=filled[0].strict)


def pairs_scored(
    lists: TopicLists, changes: Changes, metrics: Sequence[Metric], tables: Kept, kept: Kept
) -> list[tuple[Floats, Floats]]:
    """The scores of both lists of each pair, by metric. Lists that occur often are scored once."""
    sides = [(changes.better, changes.better_lengths), (changes.worse, changes.worse_lengths)]
    rows = [np.concatenate([lengths[:, np.newaxis], columns], axis=1) for columns, lengths in sides]
    unique, inverse = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
    first, second = inverse.reshape(2, len(changes))
    return [(v[first], v[second]) for v in lists_scored(lists, unique[:, 1:], unique[:, 0], metrics, tables, kept)]


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
    """Every rank is a place for a hit; a non-relevant document is one without relevance."""
    ranks = np.broadcast_to(np.arange(1, columns.shape[1] + 1), columns.shape)
    inside = ranks <= lengths[:, np.newaxis]
    relevance = lists.values[:, np.where(inside, columns, lists.nothing)]
    return Batch.of_topic(
        relevance,
        np.where(inside, ranks, PADDING),
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


def gains(
    formula: Formula, lists: TopicLists, changes: Changes, better: Floats, worse: Floats, exact: dict[Hashable, Decimal]
) -> Floats:
    """By how much each change raises the score: exactly 0 for a tie, and above 0 for a gain that doubles do not show.

    For a user's own function, which has no exact form, a difference within rounding counts as a tie. `exact` keeps the
    exact scores of a topic's lists.
    """
    out = np.asarray(better - worse)
    doubtful = np.flatnonzero(np.abs(out) <= TOLERANCE * np.maximum(np.abs(better), np.abs(worse)))
    if len(doubtful) and not _loses_gains(formula, lists):
        doubtful = doubtful[out[doubtful] != 0]
    if not len(doubtful):
        return out
    if formula.is_function:
        out[doubtful] = 0.0
        return out
    kinds = lists.kinds
    sides = ((changes.better, changes.better_lengths), (changes.worse, changes.worse_lengths))
    with localcontext() as context:
        context.prec = DIGITS
        for at in doubtful.tolist():
            keys = [_visible(formula, kinds[rows[at, : lengths[at]]]) for rows, lengths in sides]
            high, low = (_score(formula, lists, key, exact) for key in keys) if keys[0] != keys[1] else (ZERO, ZERO)
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
    levels = np.unique(lists.values)
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


def _visible(formula: Formula, columns: IntArray) -> tuple[int, ...]:
    """The documents down to the cutoff, which alone decide the score."""
    return tuple(columns[: formula.cutoff].tolist())


def _score(formula: Formula, lists: TopicLists, columns: tuple[int, ...], exact: dict[Hashable, Decimal]) -> Decimal:
    """The score of a list in many digits, computed once."""
    if columns not in exact:
        rows, pool = lists.values[:, columns].T.tolist(), lists.values[:, :-1].T.tolist()
        ranking = Ranking.of(rows, weights=lists.weights.tolist(), pool=pool, numbers=Decimals())
        exact[columns] = Decimal(formula.exact(ranking))
    return exact[columns]
