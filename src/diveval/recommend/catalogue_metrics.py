"""Metrics of the main catalogue for all users of a recommender at once, each user with their own weights.

The parts are those of the metric's declaration (discount, novelty, channels), applied to arrays by user. Other metrics
are computed by `diveval.evaluate`, and a test compares the two ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from diveval.judgments import RelevanceRule
from diveval.metrics.algebra import Aspects, Overall
from diveval.metrics.formulas import Formula, Normalised, Sum
from diveval.metrics.ideal import TIE, ArrayFloats, started
from diveval.metrics.metric import Metric
from diveval.metrics.numbers import is_zero
from diveval.metrics.subtopics import AlphaBeta, SubtopicRecall, ideal_gains, met
from diveval.recommend.arrays import Data
from diveval.recommend.list_metrics import Unified
from diveval.recommend.listwise import CHUNK, discounts
from diveval.recommend.rating_tables import Floats, Ints, Pairs, occurring
from diveval.relevance import gained


def is_direct(metric: Metric) -> bool:
    """Whether the metric can be scored for all users at once."""
    formula = metric.formula
    if metric.rule is not None:
        return False
    if isinstance(formula, Normalised):
        return formula.ideal == "greedy" and isinstance(formula.sum.over, (Aspects, Overall))
    if isinstance(formula, Sum):
        return isinstance(formula.over, (Aspects, Overall))
    return isinstance(formula, (SubtopicRecall, AlphaBeta))


def relevance_of(ratings: Pairs, rule: RelevanceRule) -> Pairs:
    """Ratings as relevance in [0, 1] under a rule; pairs that are not relevant are left out."""
    grades = np.maximum(ratings.values, 0.0)
    if rule.rel is not None:
        grades = np.where(grades < rule.rel, 0.0, grades)
    top = float(ratings.values.max(initial=0.0)) if isinstance(rule.gmax, str) else float(rule.gmax)
    r = gained(grades, top or 1.0, rule.gain)
    relevant = r > 0
    return Pairs(ratings.users[relevant], ratings.items[relevant], r[relevant], ratings.item_count)


@dataclass(frozen=True)
class Pool:
    """Some users' relevant items: rows of `items` by id descending (the tie rule), padded with −1."""

    users: Ints
    items: Ints
    values: Floats


def pools(relevant: Pairs, users: Ints, order: Ints, aspects: int) -> list[Pool]:
    """The pools of users in groups of similar size, to limit padding; `order` ranks items by id descending."""
    sorting = np.lexsort((order[relevant.items], relevant.users))
    owners, items, values = relevant.users[sorting], relevant.items[sorting], relevant.values[sorting]
    starts, ends = np.searchsorted(owners, users, side="left"), np.searchsorted(owners, users, side="right")
    sizes = ends - starts
    by_size = np.argsort(sizes, kind="stable")
    out, at = [], 0
    while at < len(users):
        step = max(1, CHUNK // max(aspects * int(max(sizes[by_size[at]], 8)) * 2, 1))
        some = by_size[at : at + step]
        # A group ends before a size that is more than twice its first one.
        some = some[sizes[some] <= max(2 * int(sizes[some[0]]), 8)]
        width = int(sizes[some].max(initial=0))
        grid = starts[some][:, None] + np.arange(width)
        filled = grid < ends[some][:, None]
        place = np.minimum(grid, max(len(items) - 1, 0))
        item = items[place] if len(items) else np.zeros_like(place)
        value = values[place] if len(values) else np.zeros(place.shape)
        out.append(Pool(some, np.where(filled, item, -1), np.where(filled, value, 0.0)))
        at += len(some)
    return out


def direct_scores(
    data: Data, relevant: Pairs, metrics: Sequence[Metric], *, weighted: bool
) -> Iterator[tuple[Ints, Floats]]:
    """For each run the users with ratings and their scores, (metric, user).

    A user without a list gains nothing and is charged the effort of a list.
    """
    users = occurring(data.ratings.users, len(data.users))
    by_name = np.array(data.items, dtype=object)
    order = np.empty(len(by_name), dtype=np.int64)
    order[np.argsort(by_name, kind="stable")[::-1]] = np.arange(len(by_name))
    groups = pools(relevant, users, order, len(data.aspects))
    for lists in data.runs.values():
        out = np.zeros((len(metrics), len(users)))
        row = np.searchsorted(lists.users, users)
        near = lists.users[np.minimum(row, len(lists.users) - 1)]
        row = np.where((row < len(lists.users)) & (near == users), row, -1)
        for pool in groups:
            rows = row[pool.users]
            items = np.where(rows[:, None] >= 0, lists.items[np.maximum(rows, 0)], -1)
            block = UserBlock(data, relevant, users[pool.users], items, rows >= 0, pool, weighted=weighted)
            for m, metric in enumerate(metrics):
                out[m, pool.users] = block.score(metric.formula)
        yield users, out


class UserBlock:
    """Some users at once."""

    def __init__(
        self, data: Data, relevant: Pairs, users: Ints, items: Ints, present: Any, pool: Pool, *, weighted: bool
    ) -> None:
        self.data, self.present, self.items = data, present, items
        self.r = relevant.lookup(users[:, None], items)
        genres = np.moveaxis(data.genres[np.maximum(items, 0)] * (items >= 0)[:, :, None], 2, 0)
        self.genres, self.seen = genres, genres * self.r
        self.pool = np.moveaxis(data.genres[np.maximum(pool.items, 0)], 2, 0) * pool.values
        kept = (self.pool > 0).any(axis=2)
        profile = data.profiles[users].T * kept if weighted else kept.astype(np.float64)
        # If a user's profile has none of the genres that count, they get equal weights.
        profile = np.where(profile.sum(axis=0) > 0, profile, kept)
        total = profile.sum(axis=0)
        self.kept = kept
        self.weights: Floats = np.divide(profile, total, out=np.zeros_like(profile), where=total > 0)
        self.lengths = np.where(present, np.count_nonzero(items >= 0, axis=1), 0)
        self.rated = np.count_nonzero(pool.items >= 0, axis=1)
        self.unrated = np.isnan(data.ratings.lookup(users[:, None], items, default=np.nan)) & (items >= 0)

    def score(self, formula: Formula) -> Floats:
        if isinstance(formula, SubtopicRecall):
            covered = ((self.seen > 0) & self._within(formula.cutoff)).any(axis=2)
            if formula.weights == "given":
                return np.asarray((covered * self.weights).sum(axis=0))
            return np.asarray(covered.sum(axis=0) / np.maximum(self.kept.sum(axis=0), 1))
        if isinstance(formula, AlphaBeta):
            return self._unified(formula)
        if isinstance(formula, Normalised):
            value, best = self._sum(formula.sum.at(formula.cutoff)), self._ideal(formula)
            return np.divide(value, best, out=np.zeros_like(value), where=best > 0)
        assert isinstance(formula, Sum)
        return self._sum(formula)

    def _within(self, cutoff: int | None) -> Any:
        return np.arange(self.items.shape[1]) < (self.items.shape[1] if cutoff is None else cutoff)

    def _channels(self, over: Any, relevance: Floats) -> tuple[Floats, Floats]:
        if isinstance(over, Overall):
            return np.asarray(relevance.max(axis=0, keepdims=True, initial=0.0)), np.ones((1, relevance.shape[1]))
        return relevance, np.asarray(self.weights if over.weighted else self.kept, dtype=np.float64)

    def _sum(self, formula: Any) -> Floats:
        columns, weights = self._channels(formula.over, self.seen)
        fresh = columns * formula.novelty.table(columns)
        gains = np.einsum("cuk,cu->uk", fresh, weights) * self._within(formula.cutoff)
        value = gains @ formula.discount.table(gains.shape[1])[1:]
        if is_zero(formula.effort):
            return np.asarray(value)
        # A user without a list is charged for a full one, so that leaving users out is no advantage.
        absent = self.rated if formula.cutoff is None else np.full(len(value), formula.cutoff)
        shown_items = np.where(self.present, np.minimum(self.lengths, formula.cutoff or self.items.shape[1]), absent)
        return np.asarray(value - float(formula.effort) * formula.discount.total(shown_items))

    def _ideal(self, formula: Normalised) -> Floats:
        over, novelty, effort = formula.sum.over, formula.sum.novelty, float(formula.sum.effort)
        pool, weights = self._channels(over, self.pool)
        pool, numbers, users = pool.copy(), ArrayFloats(), np.arange(pool.shape[1])
        depth = pool.shape[2] if formula.cutoff is None else min(formula.cutoff, pool.shape[2])
        discounts = formula.sum.discount.table(depth)[1:]
        state = started(novelty, pool.shape[:2])
        best, going = np.zeros(pool.shape[1]), np.ones(pool.shape[1], dtype=bool)
        taken_before = np.zeros(pool.shape[1:], dtype=bool)
        for rank in range(depth):
            net = np.einsum("cup,cu->up", pool, weights * novelty.factor(state, numbers)) - effort
            net[taken_before] = -np.inf
            top = net.max(axis=1)
            going &= top > 0
            if not going.any():
                break
            taken = (net >= (top - TIE * np.abs(top))[:, None]).argmax(axis=1)
            best += np.where(going, discounts[rank] * net[users, taken], 0.0)
            taken_before[users, taken] = True
            state = novelty.after(state, pool[:, users, taken], numbers)
        return best

    def _unified(self, formula: AlphaBeta) -> Floats:
        """q = β r for items that the user rated, α for genres of unrated items."""
        beta, alpha = float(formula.beta), formula.alpha if isinstance(formula, Unified) else 0.0
        q = np.where(self.unrated, alpha * self.genres, beta * self.seen) * self._within(formula.cutoff)
        gains, ideal = met(q, self.weights[:, :, None]), ideal_gains(beta * self.pool, self.weights, formula.cutoff)
        value, best = gains @ discounts(gains.shape[1], "log"), ideal @ discounts(ideal.shape[1], "log")
        return np.divide(value, best, out=np.zeros_like(value), where=best > 0)
