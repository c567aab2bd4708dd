"""Rank correlation of metrics of retrieved contexts with metrics of the answers generated from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from diveval.argument_types import explain_types
from diveval.collection.topic_ids import no_shared_topic
from diveval.defaults import CONFIDENCE, QUICK_RESAMPLES, SEED, TOLERANCE
from diveval.errors import InputError, UsageError, preview
from diveval.meta.correlation import REFERENCES, kendall_tau
from diveval.results.protocol import Result
from diveval.results.scores import Scores
from diveval.stats.intervals import draw_with_replacement, percentiles_if_most
from diveval.stats.paired import Floats
from diveval.stats.ties import require_fraction

FEWEST = 3  # systems: two rankings of two systems can only be equal or opposite


@dataclass(frozen=True)
class PredictionRow:
    """One metric of contexts with one of answers.

    `tau` is Kendall's τ-b between the systems' means. `low` and `high` are its interval over resampled queries (for
    these systems), `low_systems` and `high_systems` over resampled systems and queries (for similar systems).
    `tau_queries` is the mean over queries of τ-b within a query. None: undefined, since all systems are tied.
    """

    context_metric: str
    answer_metric: str
    tau: float | None
    low: float | None
    high: float | None
    low_systems: float | None
    high_systems: float | None
    tau_queries: float | None
    systems: int
    queries: int


@dataclass(frozen=True, repr=False)
class Prediction(Result):
    """Every metric of contexts with every metric of answers."""

    rows: tuple[PredictionRow, ...]
    resamples: int
    seed: int
    confidence: float

    reference: ClassVar[str] = REFERENCES["tau"]
    header: ClassVar[tuple[str, ...]] = tuple(PredictionRow.__dataclass_fields__)


@explain_types
def prediction(
    contexts: Scores,
    answers: Scores,
    *,
    resamples: int = QUICK_RESAMPLES,
    seed: int = SEED,
    confidence: float = CONFIDENCE,
) -> Prediction:
    """Rank correlation of the systems by metrics of their contexts and by metrics of their answers.

    Args:
        contexts: scores of the contexts; a system's context and answer have the same run name.
        answers: scores of the answers of the same systems to the same queries.
        resamples: bootstrap samples of the percentile intervals.
        seed: of the sampling.
        confidence: of the intervals.
    """
    require_fraction("confidence", confidence)
    if resamples < 1:
        raise UsageError("out-of-range", f"resamples is at least 1, got {resamples}")
    runs, topics = _in_common(contexts, answers)
    first, second = (_values(scores, runs, topics) for scores in (contexts, answers))
    rng = np.random.default_rng(seed)
    sampled = draw_with_replacement(len(topics), resamples, rng)
    drawn = draw_with_replacement(len(runs), resamples, rng)
    upper = np.triu_indices(len(runs), 1)
    weights = drawn[:, upper[0]] * drawn[:, upper[1]]  # how often a pair of systems is in a sample
    signs = [_signs(values, known, sampled) for values, known in (first, second)]
    by_query = [_signs(values, known, np.eye(len(topics))) for values, known in (first, second)]
    means = [_means(values, known, np.ones((1, len(topics))))[..., 0] for values, known in (first, second)]
    rows = []
    for c, context_metric in enumerate(contexts.metrics):
        for a, answer_metric in enumerate(answers.metrics):
            pair = signs[0][c], signs[1][a]
            rows.append(
                PredictionRow(
                    context_metric,
                    answer_metric,
                    kendall_tau(means[0][:, c], means[1][:, a]),
                    *percentiles_if_most(_taus(*pair, np.ones_like(weights)), confidence),
                    *percentiles_if_most(_taus(*pair, weights), confidence),
                    _mean(_taus(by_query[0][c], by_query[1][a], np.ones((len(topics), weights.shape[1])))),
                    len(runs),
                    len(topics),
                )
            )
    return Prediction(tuple(rows), resamples, seed, confidence)


def _in_common(contexts: Scores, answers: Scores) -> tuple[list[str], list[str]]:
    """Systems and queries that both tables have; too few are an error."""
    runs = [run for run in contexts.runs if run in answers.runs]
    if len(runs) < FEWEST:
        raise InputError(
            "too-few-runs",
            f"contexts and answers share {len(runs)} systems, and a rank correlation needs at least {FEWEST}",
            hint=f"contexts"
            f" are of {preview(list(contexts.runs), 6)}, answers of {preview(list(answers.runs), 6)}"
            " (NAME=file names a run of contexts)",
        )
    topics = [topic for topic in contexts.topics if topic in answers.topics]
    if not topics:
        raise no_shared_topic(contexts.topics, answers.topics, source="contexts", others="the answers")
    return runs, topics


def _values(scores: Scores, runs: list[str], topics: list[str]) -> tuple[Floats, Floats]:
    """(run × metric × topic, 1 where counted); a metric that is a value of the whole run only is an error."""
    grid = np.ix_(
        [scores.runs.index(run) for run in runs], range(len(scores.metrics)), [scores.topics.index(t) for t in topics]
    )
    known = scores.counted[grid]
    for m, metric in enumerate(scores.metrics):
        bare = [run for run, mask in zip(runs, known[:, m], strict=True) if not mask.any()]
        if bare:
            raise InputError(
                "no-counted-topic",
                f"{metric} has no value for any shared query of {preview(bare)}",
                hint="leave the metric or run out",
            )
    return np.where(known, scores.values[grid], 0.0), known.astype(np.float64)


def _means(values: Floats, known: Floats, weights: Floats) -> Floats:
    """(run, metric, sample): means over weighted topics; NaN if a sample has no counted topic."""
    below = known @ weights.T
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(below > 0, (values * known) @ weights.T / below, np.nan))


def _signs(values: Floats, known: Floats, weights: Floats) -> Floats:
    """(metric, sample, pair of systems): which of two systems is ahead; 0 where they are tied or one has no mean."""
    means = np.moveaxis(_means(values, known, weights), 0, -1)  # metric, sample, run
    first, second = np.triu_indices(means.shape[-1], 1)
    apart = means[..., first] - means[..., second]
    noise = TOLERANCE * np.nanmax(np.abs(means), axis=-1, keepdims=True, initial=0.0)
    return np.where(np.abs(np.nan_to_num(apart)) <= noise, 0.0, np.sign(np.nan_to_num(apart)))


def _taus(first: Floats, second: Floats, weights: Floats) -> Floats:
    """τ-b in each sample, pairs weighted; NaN where one ranking ties every pair."""
    above = (weights * first * second).sum(axis=-1)
    below = np.sqrt((weights * np.abs(first)).sum(axis=-1) * (weights * np.abs(second)).sum(axis=-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(below > 0, above / below, np.nan))


def _mean(taus: Floats) -> float | None:
    known = taus[np.isfinite(taus)]
    return float(known.mean()) if len(known) else None
