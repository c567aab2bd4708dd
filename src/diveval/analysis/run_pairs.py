"""Preferences between pairs of runs from the ranks of their relevant documents, without a metric of a single run.

A user who wants j relevant documents reads to the j-th one of a list; the list in which it is higher is preferred. With
R relevant documents and s(j) = 1 where a run has its j-th one above the other run's, −1 where below, 0 where they are level
or neither has it:

    RPP(a, b) = (1/R) Σ_j s(j)      every j counts the same
    lexirecall(a, b)                s(j) of the largest j that decides: the user who wants everything
    lexiprecision(a, b)             s(j) of the smallest j that decides: the user who wants one document

F. Diaz, A. Ferraro. Offline Retrieval Evaluation Without Evaluation Metrics. SIGIR 2022; F. Diaz, M. D. Ekstrand, B. Mitra.
Recall, Robustness, and Lexicographic Evaluation. arXiv 2302.11370; F. Diaz. Best-Case Retrieval Evaluation: Improving the
Sensitivity of Reciprocal Rank with Lexicographic Precision. arXiv 2306.07908.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from diveval.collection.judgments import Judgments
from diveval.errors import UsageError, suggestion
from diveval.metrics import as_metrics
from diveval.metrics.algebra import Array, Overall
from diveval.metrics.batch import PADDING, Batch, divide
from diveval.results.scores import Scores
from diveval.scoring.scorer import RankingsByOrder, Scorer
from diveval.settings import Options

RELEVANT = "R"  # a metric whose rules of relevance, order and topics the preferences follow


def _average(signs: Array, relevant: Array) -> Array:
    return divide(signs.sum(axis=-1), relevant)


def _last(signs: Array, relevant: Array) -> Array:
    return _first(signs[..., ::-1], relevant)


def _first(signs: Array, relevant: Array) -> Array:
    if not signs.shape[-1]:
        return np.zeros(signs.shape[:-1])
    place = (signs != 0).argmax(axis=-1)[..., np.newaxis]
    return np.asarray(np.take_along_axis(signs, place, axis=-1)[..., 0])


# From s(j), (other run, topic, j), and R by topic, to the preference, (other run, topic).
PREFERENCES: dict[str, Callable[[Array, Array], Array]] = {
    "RPP": _average,
    "lexirecall": _last,
    "lexiprecision": _first,
}


def prefer_runs(judgments: Judgments, rankings: RankingsByOrder, names: Sequence[str], options: Options) -> Scores:
    """By topic, the mean preference for each run over all the runs, itself included as 0.

    So the difference of two runs' values is the preference for one over the other if there are only two; if there are
    more, these differences are as close to all the preferences as those of any values are, by least squares.
    """
    for name in names:
        if name not in PREFERENCES:
            raise UsageError("invalid-choice", f"no preference is called {name!r}", hint=suggestion(name, PREFERENCES))
    scorer = Scorer(judgments, as_metrics(RELEVANT), options)
    base = scorer.score(rankings)
    if len(base.runs) < 2:
        raise UsageError("too-few-runs", f"a preference is between two runs or more, got {len(base.runs)}")
    values = np.zeros((len(base.runs), len(names), len(base.topics)))
    for topics, batch in scorer.batches(rankings):
        ranks, relevant = _ranks_of_relevant(batch), np.count_nonzero(batch.pool_by_channel(Overall())[0] > 0, axis=-1)
        ranks = ranks.reshape(len(base.runs), len(topics), ranks.shape[-1])
        for r, own in enumerate(ranks):
            signs = np.sign(ranks - own).astype(np.float64)
            for m, name in enumerate(names):
                values[r, m, topics] = PREFERENCES[name](signs, relevant.astype(np.float64)).mean(axis=0)
    return Scores.of(
        values,
        runs=base.runs,
        metrics=list(names),
        topics=base.topics,
        counted=np.repeat(base.counted, len(names), axis=1),
        missing=base.missing,
        setup=base.setup,
    )


def _ranks_of_relevant(batch: Batch) -> Array:
    """The ranks of each row's relevant documents, ascending; PADDING beyond the last."""
    return np.sort(np.where(batch.by_channel(Overall())[0] > 0, batch.ranks, PADDING), axis=-1)
