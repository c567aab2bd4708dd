"""Scores of runs without the judged documents that only some of them brought to the pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from diveval.collection.columns import Names, any_in, spans
from diveval.collection.judgments import Judgments
from diveval.collection.rankings import Rankings
from diveval.collection.scenarios import keep_documents
from diveval.collection.topic_parts import join_topics, keep_judged, take_topics, without_topics
from diveval.errors import DivevalError
from diveval.metrics.metric import Metric
from diveval.results.scores import Scores
from diveval.scoring.scorer import RankingsByOrder, score
from diveval.settings import Options, OrderRule

Bools = NDArray[np.bool_]
AT_ONCE = 1_000_000  # judged documents of the topics that are scored at once


def mean_scores(scores: Scores) -> NDArray[np.float64]:
    """The means by run and metric; NaN where no topic counts."""
    return np.where(scores.counted.any(axis=2), scores.means, np.nan)


def score_without(
    judgments: Judgments,
    rankings: RankingsByOrder,
    metrics: Sequence[Metric],
    options: Options,
    whole: Scores,
    members: Sequence[Sequence[int]],
    unique: Bools,
) -> NDArray[np.float64]:
    """The mean of each run and metric without the documents that only its group brought, `unique` by group and document.

    NaN where no topic counts, or where the aspects that are left have no weight, so that no list has a score.
    """
    per_topic = options.efforts is None and not options.judged_only
    if per_topic and all(one.formula.is_algebraic and not one.formula.has_user_code for one in metrics):
        with suppress(_NoWeightError):
            return mean_scores(_score_at_once(judgments, rankings, metrics, options, whole, members, unique))
    after = mean_scores(whole)
    for own, left_out in zip(members, unique, strict=True):
        if left_out.any():
            fewer, moved = _drop_judgments(judgments, ~left_out)
            kept = {o: [_move(runs[r], moved, fewer, options.judged_only) for r in own] for o, runs in rankings.items()}
            after[list(own)] = np.nan
            with suppress(_NoWeightError):
                after[list(own)] = mean_scores(_score_fewer(fewer, kept, metrics, options))
    return after


class _NoWeightError(Exception):
    """All aspects of a topic that still have a relevant document have the weight 0."""


def _score_fewer(
    judgments: Judgments, rankings: RankingsByOrder, metrics: Sequence[Metric], options: Options
) -> Scores:
    try:
        return score(judgments, rankings, metrics, options)
    except DivevalError as error:
        if getattr(error, "code", "") != "weights-all-zero":
            raise
        raise _NoWeightError from error


def _score_at_once(
    judgments: Judgments,
    rankings: RankingsByOrder,
    metrics: Sequence[Metric],
    options: Options,
    whole: Scores,
    members: Sequence[Sequence[int]],
    unique: Bools,
) -> Scores:
    """The scores without each group's own documents, for metrics that see ranks and relevance of one topic only.

    Only the topics that change are scored again, all in few collections: there a topic without the documents of a group
    is a topic of its own, and the i-th run has the lists of the i-th member of each group.
    """
    judged, values, counted = judgments.columns, whole.values.copy(), whole.counted.copy()
    group, topics = np.nonzero(np.array([any_in(marks, judged.documents) for marks in unique]))
    step = np.cumsum(np.diff(judged.documents)[topics]) // AT_ONCE
    for number in np.unique(step):
        chosen, places = group[step == number], topics[step == number]
        names = Names.of(
            f"{judged.topics[t]} without {g}" for g, t in zip(chosen.tolist(), places.tolist(), strict=True)
        )
        every = replace(judged.take(places), topics=names)
        kept = ~unique[
            np.repeat(chosen, np.diff(every.documents)), spans(judged.documents[places], np.diff(every.documents))
        ]
        fewer = replace(judgments, topics=every.keep(kept).views, highest_of_all=judgments.highest)
        groups = [(members[g], chosen == g) for g in np.unique(chosen)]
        lists: dict[OrderRule, list[Rankings]] = {}
        for order, runs in rankings.items():
            columns = [run.columns(judgments) for run in runs]
            for i in range(max(len(own) for own, _ in groups)):
                parts = [
                    take_topics(columns[own[i]], places[at]) if i < len(own) else without_topics(int(at.sum()))
                    for own, at in groups
                ]
                left = keep_judged(join_topics(parts, names), every, kept)
                lists.setdefault(order, []).append(replace(runs[i], topics=left.by_name()))
        again = _score_fewer(fewer, lists, metrics, options)
        for own, at in groups:
            for i, r in enumerate(own):
                values[r][:, places[at]] = again.values[i][:, at]
                counted[r][:, places[at]] = again.counted[i][:, at]
    return Scores.of(values, runs=whole.runs, metrics=whole.metrics, topics=whole.topics, counted=counted)


def _drop_judgments(judgments: Judgments, kept: Bools) -> tuple[Judgments, dict[str, NDArray[np.int64]]]:
    """The judgments of some documents only, and by changed topic the new row of each document, −1 for those dropped.

    Topics and aspects stay, as does the highest grade of the collection, which gains may be relative to.
    """
    starts = judgments.columns.documents
    topics, moved = {}, {}
    for t, (name, topic) in enumerate(judgments.topics.items()):
        own = kept[starts[t] : starts[t + 1]]
        topics[name] = topic
        if not own.all():
            topics[name] = keep_documents(topic, own)
            moved[name] = np.where(own, np.cumsum(own) - 1, -1)
    return replace(judgments, topics=topics, highest_of_all=judgments.highest), moved


def _move(rankings: Rankings, moved: Mapping[str, NDArray[np.int64]], fewer: Judgments, judged_only: bool) -> Rankings:
    """The same lists with the judged documents that are left; the others leave lists of judged documents altogether."""
    topics = {}
    for name, ranking in rankings.topics.items():
        topics[name] = ranking
        if name not in moved:
            continue
        rows = moved[name][ranking.rows]
        kept, positions = rows >= 0, np.ones(ranking.length, dtype=bool)
        if judged_only:
            positions[ranking.ranks[~kept] - 1] = False
            if ranking.blanks is not None and ranking.documents is not None:
                left = set(fewer.topics[name].documents)
                positions[ranking.blanks - 1] = [ranking.documents[b - 1] in left for b in ranking.blanks]
        topics[name] = ranking.keep(kept, positions, rows[kept])
    return replace(rankings, topics=topics)
