"""αβ-nDCG with α > 0, which counts the genres of items that a user did not rate."""

from __future__ import annotations

import numpy as np

from diveval.collection.columns import Floats, IntArray
from diveval.collection.judgments import Judgments
from diveval.collection.rankings import rank
from diveval.collection.relevance import Relevance
from diveval.collection.runs import Run
from diveval.metrics.algebra import Log
from diveval.metrics.batch import Batch, divide, last
from diveval.metrics.subtopics import best_attainable, meet
from diveval.recommend.arrays import RatingData, UserLists
from diveval.recommend.list_metrics import Unified
from diveval.scoring.blocks import JoinedRuns, TopicBlock, plan_blocks
from diveval.settings import Options


def score_unrated(
    formula: Unified, data: RatingData, lists: UserLists, run: Run, judgments: Judgments, options: Options
) -> Floats:
    """A value for each rated user: q = β r for items that the user rated, α for the genres of unrated items.

    The ideal list is that of the judgments, so unrated items are not in it.
    """
    relevance: Relevance = judgments.relevance(options.relevance).columns
    ranked = rank(judgments, run, options.order_for(None), duplicates=options.duplicates).columns(judgments)
    names = judgments.columns.aspect_names.at(judgments.columns.aspect_codes[relevance.kept])
    place = {name: g for g, name in enumerate(data.aspects)}
    genre = np.array([place.get(name, -1) for name in names], dtype=np.int64)  # −1: of an item without genres
    items = np.full((len(data.users), lists.at(formula.cutoff).items.shape[1]), -1)
    items[lists.users] = lists.at(formula.cutoff).items
    out = np.zeros(len(judgments))
    for topics in plan_blocks(np.diff(relevance.aspects), np.diff(relevance.documents), 1):
        batch = TopicBlock(judgments.columns, relevance, topics).batch(JoinedRuns.of([ranked]))
        users = data.rated_users[topics]
        q = float(formula.beta) * _place_grades(batch, items.shape[1])
        q += float(formula.alpha) * _mark_unrated(data, users, items[users], genre, relevance.aspects[topics], batch)
        gains = meet(q, batch.weights[:, :, np.newaxis])
        out[topics] = divide(last(gains * Log().table(gains.shape[-1])[1:]), best_attainable(batch, formula))
    return out


def _place_grades(batch: Batch, width: int) -> Floats:
    """r of rated items, by aspect, user and rank."""
    out = np.zeros((len(batch.weights), batch.rows, width))
    row, hit = np.nonzero(batch.ranks <= width)
    out[:, row, batch.ranks[row, hit] - 1] = batch.relevance[:, row, hit]
    return out


def _mark_unrated(
    data: RatingData, users: IntArray, items: IntArray, genre: IntArray, first: IntArray, batch: Batch
) -> Floats:
    """1 for the genres of unrated items, by aspect, user and rank; `first` are the users' first aspects in `genre`."""
    unrated = np.isnan(data.ratings.lookup(users[:, np.newaxis], items, default=np.nan)) & (items >= 0)
    out = np.zeros((len(batch.weights), *items.shape))
    for aspect in range(len(out)):
        own = np.flatnonzero(batch.aspects > aspect)
        column = genre[first[own] + aspect][:, np.newaxis]
        out[aspect, own] = (column >= 0) * data.genres[np.maximum(items[own], 0), np.maximum(column, 0)]
    return out * unrated
