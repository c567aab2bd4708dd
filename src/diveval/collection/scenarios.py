"""Seeded random perturbations of judgments, weights and rankings.

Experiment 2 of the paper (`regrade`, `reweight`, `truncate`), and noise for robustness (`flip`, `thin`). Random numbers
depend on the seed, the topic and, for rankings, the run's name, so the order of rows and files does not matter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from diveval.collection.columns import BoolArray, Floats, concatenate
from diveval.collection.judgments import Judgments, TopicJudgments, TopicRelevance
from diveval.collection.rankings import Rankings, TopicRanking
from diveval.collection.runs import Run, TopicRun
from diveval.collection.topic_parts import keep_judged
from diveval.errors import UsageError, quote
from diveval.settings import OrderRule, RelevanceRule

Ranked = TypeVar("Ranked", Run, Rankings)
EXPONENTIAL, BY_SCORE = RelevanceRule(), OrderRule()


def generator(seed: int, *names: str) -> np.random.Generator:
    """A random generator that depends on the seed and the names alone."""
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise UsageError("out-of-range", f"seed must be a whole number of at least 0, not {quote(seed)}")
    digest = hashlib.blake2b("\0".join(names).encode("utf-8"), digest_size=16).digest()
    return np.random.default_rng(np.random.SeedSequence([seed, int.from_bytes(digest, "little")]))


def regrade(judgments: Judgments, seed: int, *, rule: RelevanceRule = EXPONENTIAL) -> Judgments:
    """Graded judgments: each relevance r becomes r' = rand(0..r). Score the result with gain "identity".

    r is the relevance of the grade under `rule`; the best of repeated judgments counts.
    """
    relevance = judgments.relevance(rule)

    def of(topic: TopicJudgments) -> TopicJudgments:
        cells = np.unique(np.stack([topic.columns, topic.rows]), axis=1)
        r = _per_cell(topic, relevance[topic.topic], cells)
        # 1 − [0, 1) is never 0, so relevant documents stay relevant.
        shrunk = r * (1.0 - generator(seed, "regrade", topic.topic).random(len(r)))
        return replace(topic, columns=cells[0], rows=cells[1], grades=shrunk)

    return _each(judgments, of)


def reweight(judgments: Judgments, seed: int) -> Judgments:
    """Aspects weighted at random: w(t) = rand(0..1), scaled so that the weights of each topic sum to 1."""

    def of(topic: TopicJudgments) -> TopicJudgments:
        weights = 1.0 - generator(seed, "reweight", topic.topic).random(len(topic.aspects))
        return replace(topic, weights=weights / weights.sum())

    return _each(judgments, of)


def flip(judgments: Judgments, share: float, seed: int) -> Judgments:
    """Judgments with errors: in each aspect, this share of the relevant judgments is swapped with non-relevant ones.

    A relevant judgment is drawn with probability `share`; its grade moves to a non-relevant judgment of the same
    aspect. So each aspect keeps its grades, and only the documents that have them are wrong. If no non-relevant
    judgment is left the grade is lost, except for an aspect's last one.
    """
    _check_share(share)

    def of(topic: TopicJudgments) -> Floats:
        draws = generator(seed, "flip", topic.topic).random(len(topic.grades))
        grades = topic.grades.copy()
        for column in range(len(topic.aspects)):
            entries = np.flatnonzero(topic.columns == column)
            entries = entries[np.argsort(draws[entries], kind="stable")]
            relevant, others = entries[grades[entries] > 0], entries[grades[entries] <= 0]
            lost = relevant[draws[relevant] < share]
            if len(lost) == len(relevant) and not len(others):
                lost = lost[:-1]
            receivers = others[: len(lost)]
            grades[receivers] = grades[lost[: len(receivers)]]
            grades[lost] = 0.0
        return np.asarray(grades)

    grades = concatenate([of(topic) for topic in judgments.topics.values()], np.float64)
    return replace(judgments, topics=replace(judgments.columns, grades=grades).views)


def thin(judgments: Judgments, share: float, seed: int) -> Judgments:
    """Incomplete judgments: each judged document is dropped with probability `share`, for all its aspects.

    A topic keeps at least one relevant document if it had any. Documents kept under a larger share are also kept under
    a smaller one. `rejudge` adapts rankings made with the full judgments.
    """
    _check_share(share)

    def of(topic: TopicJudgments) -> BoolArray:
        draws = generator(seed, "thin", topic.topic).random(len(topic.documents))
        kept = draws >= share
        relevant = np.unique(topic.rows[topic.grades > 0])
        if len(relevant):
            kept[relevant[np.argmax(draws[relevant])]] = True
        elif not kept.any():
            kept[np.argmax(draws)] = True
        return np.asarray(kept)

    kept = concatenate([of(topic) for topic in judgments.topics.values()], bool)
    return replace(judgments, topics=judgments.columns.keep(kept).views)


def keep_documents(topic: TopicJudgments, kept: NDArray[np.bool_]) -> TopicJudgments:
    """The same topic with only some of its judged documents; it keeps its aspects."""
    entries = kept[topic.rows]
    number = np.cumsum(kept, dtype=np.int32) - 1
    return replace(
        topic,
        documents=tuple(topic.documents[row] for row in np.flatnonzero(kept)),
        rows=number[topic.rows[entries]],
        columns=topic.columns[entries],
        grades=topic.grades[entries],
    )


def truncate(ranked: Ranked, seed: int, *, longest: int | None = None, order: OrderRule = BY_SCORE) -> Ranked:
    """Cut each ranking of a run at rand(0..n), n its length, or at rand(0..longest).

    A `Run` is ranked by `order`, and the lines that are kept stay in file order; `Rankings` already have an order.
    """
    if longest is not None and (isinstance(longest, bool) or not isinstance(longest, int) or longest < 0):
        raise UsageError("out-of-range", f"longest must be a whole number of at least 0, not {quote(longest)}")

    def length(topic: str, n: int) -> int:
        drawn = generator(seed, "truncate", ranked.name, topic).integers(0, (n if longest is None else longest) + 1)
        return min(n, int(drawn))

    if isinstance(ranked, Run):
        lists = {t: _cut_run(r, length(t, len(r.documents)), order) for t, r in ranked.topics.items()}
        return replace(ranked, topics=lists)
    return replace(
        ranked,
        topics={t: _cut_ranking(r, length(t, r.length)) for t, r in ranked.topics.items()},
        unjudged_topics={t: length(t, n) for t, n in ranked.unjudged_topics.items()},
    )


def rejudge(runs: Sequence[Rankings], before: Judgments, after: Judgments) -> list[Rankings]:
    """Rankings made with the judgments `before`, adapted to `after`, whose documents are among those of `before`."""
    pairs = ((before.topics[name].documents, set(after.topics[name].documents)) for name in before.topics)
    left = np.array([document in kept for documents, kept in pairs for document in documents], dtype=bool)
    topics, judged = after.columns.topics, before.columns
    columns = [replace(keep_judged(run.columns(before), judged, left), topics=topics) for run in runs]
    return [replace(run, topics=own.by_name()) for run, own in zip(runs, columns, strict=True)]


def _each(judgments: Judgments, change: Callable[[TopicJudgments], TopicJudgments]) -> Judgments:
    return replace(judgments, topics={name: change(topic) for name, topic in judgments.topics.items()})


def _per_cell(topic: TopicJudgments, under: TopicRelevance, cells: NDArray[np.int32]) -> NDArray[np.float64]:
    """The relevance of (aspect, document) cells; 0 for aspects and documents that the rule drops."""
    place = {aspect: number for number, aspect in enumerate(under.aspects)}
    columns = np.array([place.get(aspect, -1) for aspect in topic.aspects])[cells[0]]
    documents = under.place[cells[1]]
    r = np.zeros(cells.shape[1])
    kept = (columns >= 0) & (documents >= 0)
    r[kept] = under.relevance[columns[kept], documents[kept]]
    return r


def _cut_run(listed: TopicRun, length: int, order: OrderRule) -> TopicRun:
    kept = np.sort(listed.order(order)[:length])
    return TopicRun(
        [listed.documents[place] for place in kept],
        None if listed.scores is None else listed.scores[kept],
        None if listed.ranks is None else listed.ranks[kept],
        None if listed.iterations is None else listed.iterations[kept],
    )


def _cut_ranking(ranking: TopicRanking, length: int) -> TopicRanking:
    above = ranking.ranks <= length
    return TopicRanking(
        ranking.ranks[above],
        ranking.rows[above],
        length,
        None if ranking.iterations is None else ranking.iterations[:length],
        None if ranking.documents is None else ranking.documents[:length],
    )


def _check_share(share: float) -> None:
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise UsageError("out-of-range", f"share must be a number from 0 to 1, not {quote(share)}")
