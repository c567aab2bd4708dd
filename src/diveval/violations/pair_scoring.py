"""Scores of the pairs of a situation: in doubles, and again with sixty digits where a difference may be rounding."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from diveval.columns import Floats, Whole
from diveval.judgments import TopicRelevance
from diveval.metrics.batch import PADDING, Batch
from diveval.metrics.formulas import Formula
from diveval.metrics.metric import Metric, UserFormula
from diveval.metrics.numbers import Number, Numbers, exactly
from diveval.metrics.ranking import Ranking
from diveval.rankings import Rankings
from diveval.stats.ties import TOLERANCE
from diveval.violations.situations import Changes, TopicLists

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


def joined(parts: Sequence[Changes]) -> Changes | None:
    filled = [part for part in parts if len(part)]
    if not filled:
        return None
    names = ("run", "rank", "other", "better", "better_lengths", "worse", "worse_lengths")
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
    lists: TopicLists, columns: Whole, lengths: Whole, metrics: Sequence[Metric], tables: Kept, kept: Kept
) -> list[Floats]:
    """The scores of many lists of one topic by each metric, a portion of the lists at a time."""
    parts: list[list[Floats]] = [[] for _ in metrics]
    for start in range(0, len(lengths), ROWS_AT_ONCE):
        part = slice(start, start + ROWS_AT_ONCE)
        batch = _batch(lists, columns[part], lengths[part], tables, kept)
        for m, metric in enumerate(metrics):
            parts[m].append(metric.score(batch))
    return [np.concatenate(scores) for scores in parts]


def _batch(lists: TopicLists, columns: Whole, lengths: Whole, tables: Kept, kept: Kept) -> Batch:
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

DIGITS = 60
NOTHING = Decimal(10) ** -40  # relative to the scores: what is left of a tie after sixty digits
LARGEST = 10**6  # a double next to a fraction with a smaller denominator means that fraction: 1/3, 7/8, 0.99


class Decimals(Numbers):
    """Decimals of the current context's precision."""

    def of(self, value: Number) -> Decimal:
        return value if isinstance(value, Decimal) else meant(value)

    def positive(self, value: Number) -> Decimal:
        return Decimal(1 if value > 0 else 0)

    def below(self, value: Number, limit: Number) -> Decimal:
        return Decimal(1 if value < self.of(limit) else 0)

    def largest(self, values: Sequence[Number]) -> Decimal:
        return Decimal(max(values))

    def inverse_log(self, argument: int) -> Decimal:
        return _inverse_log(argument)


@lru_cache(maxsize=10_000)
def meant(value: float | Fraction) -> Decimal:
    """The number a double stands for: the simple fraction next to it, else the decimal it prints as."""
    simple = Fraction(value).limit_denominator(LARGEST)
    number = simple if float(simple) == value else exactly(value)
    with localcontext() as context:
        context.prec = DIGITS
        return Decimal(number.numerator) / Decimal(number.denominator)


@lru_cache(maxsize=10_000)
def _inverse_log(argument: int) -> Decimal:
    with localcontext() as context:
        context.prec = DIGITS
        return Decimal(2).ln() / Decimal(argument).ln()


def gains(formula: Formula, lists: TopicLists, changes: Changes, better: Floats, worse: Floats) -> Floats:
    """By how much each change raises the score; exactly 0 for a tie, even where doubles differ by rounding.

    For a user's own function, which has no exact form, a difference within rounding counts as a tie.
    """
    out = np.asarray(better - worse)
    noise = TOLERANCE * np.maximum(np.abs(better), np.abs(worse))
    doubtful = np.flatnonzero((np.abs(out) <= noise) & (out != 0))
    if isinstance(formula, UserFormula):
        out[doubtful] = 0.0
        return out
    with localcontext() as context:
        context.prec = DIGITS
        for at in doubtful.tolist():
            high = _score(formula, lists, changes.better[at], int(changes.better_lengths[at]))
            low = _score(formula, lists, changes.worse[at], int(changes.worse_lengths[at]))
            tie = abs(high - low) <= NOTHING * max(abs(high), abs(low))
            out[at] = 0.0 if tie else float(high - low)
    return out


def _score(formula: Formula, lists: TopicLists, columns: Whole, length: int) -> Decimal:
    rows, pool = lists.values[:, columns[:length]].T.tolist(), lists.values[:, :-1].T.tolist()
    ranking = Ranking.of(rows, weights=lists.weights.tolist(), pool=pool, numbers=Decimals())
    return Decimal(formula.exact(ranking))
