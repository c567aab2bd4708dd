"""Judgments and runs in, Scores out: topics one after the other, all runs of a topic at once, metrics sharing work."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from diveval import timing
from diveval.errors import InputError, UsageError, shown, warn
from diveval.judgments import Judgments, RelevanceRule, TopicJudgments, TopicRelevance
from diveval.metrics.batch import PADDING, Batch
from diveval.metrics.judged import Judged
from diveval.metrics.metric import Metric
from diveval.metrics.names import MetricLike, as_metrics
from diveval.options import Efforts, Options
from diveval.rankings import EMPTY, Rankings, TopicRanking, rank
from diveval.reading import read_judgments, read_weights
from diveval.reading.scan import read_rankings
from diveval.reading.shapes import as_judgments, as_runs, why_no_aspects
from diveval.runs import OrderRule, Run
from diveval.scores import Scores

T = TypeVar("T")
U = TypeVar("U")
RankingsByOrder = Mapping[OrderRule, Sequence[Rankings]]
DEFAULT_ORDER = OrderRule()


def evaluate(
    judgments: Any,
    runs: Any,
    metrics: MetricLike | Sequence[MetricLike],
    *,
    options: Options | None = None,
    weights: str | Path | Mapping[tuple[str, str], float] | None = None,
    residuals: bool = False,
    **choices: Any,
) -> Scores:
    """Score runs against judgments.

    `judgments`: a path, `Judgments`, a dict, a frame, or other libraries' qrels. `runs`: one of these or several, or a
    dict by name. `metrics`: names, formulas or plain functions of a ranking. `choices` are the options of the command
    line by name: gain, gmax, renormalise, order, ties, missing_topics, empty_topics, duplicates, …
    `residuals` adds, for each metric M, `M+residual`: how much M would rise if every unjudged document were relevant
    to every aspect in full.
    """
    chosen = _options(options, choices)
    asked = as_metrics(metrics)
    lost = why_no_aspects(judgments)
    if lost and (wants := [m.name for m in asked if m.entry is not None and m.entry.diversity]):
        raise UsageError(f"{wants[0]} needs aspects, but {lost}")
    with timing.phase("reading"):
        truth = load_judgments(judgments, chosen, weights)
    rankings = rank_all(truth, runs, asked, chosen, keep_documents=False)
    with timing.phase("scoring"):
        scores = score(truth, rankings, asked, chosen)
    return add_residuals(scores, truth, rankings, asked, chosen) if residuals else scores


def _options(options: Options | None, choices: Mapping[str, Any]) -> Options:
    if options is not None and choices:
        raise UsageError(f"give options or single choices, not both: {', '.join(choices)}")
    return options or Options.of(**choices)


def load_judgments(
    judgments: Any, options: Options, weights: str | Path | Mapping[tuple[str, str], float] | None = None
) -> Judgments:
    """Judgments from a path or any shape, with weights if given."""
    if isinstance(judgments, (str, Path)):
        return read_judgments(
            judgments, format=options.judgment_format, weights=weights, duplicates=options.judgment_duplicates
        )
    loaded = as_judgments(judgments, duplicates=options.judgment_duplicates)
    if weights is None:
        return loaded
    given = weights if isinstance(weights, Mapping) else read_weights(weights)
    return loaded.with_weights(given, source="weights" if isinstance(weights, Mapping) else str(weights))


# --- rankings under every order the metrics ask for -------------------------------------------------------------------


def orders(metrics: Sequence[Metric], options: Options) -> list[OrderRule]:
    """The orders that are needed: one the user named, or each metric's own."""
    return list(dict.fromkeys(_order(metric, options) for metric in metrics))


def _order(metric: Metric, options: Options) -> OrderRule:
    return options.order or metric.order or DEFAULT_ORDER


def rank_all(
    judgments: Judgments, runs: Any, metrics: Sequence[Metric], options: Options, *, keep_documents: bool
) -> RankingsByOrder:
    """Every run under every order needed. Files are scanned for judged documents only; the rest is never held."""
    needed = orders(metrics, options)
    keep = keep_documents or options.efforts is not None

    def ranked(item: Run | Path | str) -> dict[OrderRule, Rankings]:
        if not isinstance(item, Run):
            return read_rankings(judgments, item, needed, options, keep_documents=keep)
        with timing.phase("matching"):
            return {o: rank(judgments, item, o, duplicates=options.duplicates, keep_documents=keep) for o in needed}

    listed = _at_once(ranked, as_runs(runs), options.jobs)
    out = {order: [found[order] for found in listed] for order in needed}
    _tell(judgments, out[needed[0]], needed, options)
    return {order: _with_unique_names(listed) for order, listed in out.items()}


def _at_once(function: Callable[[T], U], items: Sequence[T], jobs: int | None) -> list[U]:
    """The function of each item, in their order, by several threads: scanning a file leaves the interpreter free."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = min(jobs or cores, len(items))
    if threads < 2:
        return [function(item) for item in items]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(function, items))


def _with_unique_names(listed: list[Rankings]) -> list[Rankings]:
    """Two files of one name are told apart by their paths, then by number."""
    names = [r.name for r in listed]
    if len(set(names)) < len(names):
        names = [r.source or r.name if names.count(r.name) > 1 else r.name for r in listed]
    seen: dict[str, int] = {}
    out = []
    for name, rankings in zip(names, listed, strict=True):
        seen[name] = seen.get(name, 0) + 1
        out.append(replace(rankings, name=name if seen[name] == 1 else f"{name}#{seen[name]}"))
    return out


def _tell(judgments: Judgments, listed: Sequence[Rankings], needed: Sequence[OrderRule], options: Options) -> None:
    """What the reader of the scores should know about the files, one line per file and kind."""
    if judgments.highest <= 0:
        warn(f"{judgments.source or 'judgments'}: no document is judged relevant, so no metric can gain anything")
    used = " and ".join(dict.fromkeys(order.by for order in needed))
    for run in listed:
        where = run.source or run.name
        if not run.topics:
            raise InputError(
                "has no topic in common with the judgments; are they for the same collection?", source=where
            )
        if run.contradictions:
            warn(
                f"{where}: rank and score contradict each other in {run.contradictions} of {len(run.topics)} topics;"
                f" ordered by {used} (--order score|rank|file decides)"
            )
        missing = [topic for topic in judgments.topics if topic not in run.topics]
        if missing:
            rule = "left out of its mean" if options.missing_topics == "skip" else "scored 0"
            shown_few = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
            warn(f"{where}: lacks {len(missing)} of {len(judgments.topics)} judged topics ({shown_few}): {rule}")


# --- scoring ----------------------------------------------------------------------------------------------------------


def score(
    judgments: Judgments, rankings: RankingsByOrder, metrics: Sequence[Metric], options: Options
) -> Scores:
    """The table of scores from rankings already made."""
    first = next(iter(rankings.values()))
    topics = list(judgments.topics)
    values = np.zeros((len(first), len(metrics), len(topics)))
    kinds: dict[tuple[RelevanceRule, OrderRule], list[int]] = {}
    for m, metric in enumerate(metrics):
        kinds.setdefault((metric.rule or options.relevance, _order(metric, options)), []).append(m)
    relevances = {rule: judgments.relevance(rule) for rule in dict.fromkeys(rule for rule, _ in kinds)}
    tables: dict[Hashable, Any] = {}
    for t, topic in enumerate(topics):
        for (rule, order), members in kinds.items():
            listed = [run.topics.get(topic, EMPTY) for run in rankings[order]]
            batch = make_batch(relevances[rule][topic], judgments.topics[topic], listed, tables, options.efforts)
            for m in members:
                values[:, m, t] = metrics[m].score(batch)
    _check(values, metrics, topics)
    counted = _counted(judgments, rankings, metrics, options)
    return Scores.of(
        values, runs=[r.name for r in first], metrics=[m.name for m in metrics], topics=topics, counted=counted
    )


def make_batch(
    relevance: TopicRelevance,
    judged: TopicJudgments,
    listed: Sequence[TopicRanking],
    tables: dict[Hashable, Any] | None = None,
    efforts: Efforts | None = None,
) -> Batch:
    """All systems of a topic as arrays; only documents relevant to something are placed."""
    counts = np.array([len(ranking.ranks) for ranking in listed], dtype=np.int64)
    ranks = np.concatenate([ranking.ranks for ranking in listed]) if len(listed) else np.empty(0, dtype=np.int64)
    places = relevance.place[np.concatenate([r.rows for r in listed])] if len(ranks) else np.empty(0, dtype=np.int64)
    held = places >= 0
    system = np.repeat(np.arange(len(listed)), counts)[held]
    sizes = np.bincount(system, minlength=len(listed))
    width = int(sizes.max(initial=0))
    slot = np.arange(len(system)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    padded = np.full((len(listed), width), PADDING, dtype=np.int64)
    padded[system, slot] = ranks[held]
    pool = relevance.relevance
    column = np.full((len(listed), width), pool.shape[1], dtype=np.int64)  # one past the pool: a column of zeros
    column[system, slot] = places[held]
    grid = np.concatenate([pool, np.zeros((len(pool), 1))], axis=1).take(column, axis=1)
    lengths = np.array([ranking.length for ranking in listed], dtype=np.int64)
    pool_costs = None
    if efforts is not None:
        held_documents = np.flatnonzero(relevance.place >= 0)
        pool_costs = np.array([efforts.of(relevance.documents[i]) for i in held_documents])
    return Batch(
        grid, padded, lengths, relevance.weights, pool, _costs(listed, efforts), pool_costs,
        judged, listed, {} if tables is None else tables,
    )  # fmt: skip


def _costs(listed: Sequence[TopicRanking], efforts: Efforts | None) -> NDArray[np.float64] | None:
    if efforts is None:
        return None
    out = np.zeros((len(listed), max((ranking.length for ranking in listed), default=0)))
    for s, ranking in enumerate(listed):
        out[s, : ranking.length] = [efforts.of(document) for document in ranking.documents or ()]
    return out


def _check(values: NDArray[np.float64], metrics: Sequence[Metric], topics: Sequence[str]) -> None:
    """A score that is not a number is a bug or a tool's own quirk; ours never leave the house."""
    for m, metric in enumerate(metrics):
        own = metric.entry is None or "." not in metric.entry.name
        if own and not np.isfinite(values[:, m]).all():
            _, t = np.argwhere(~np.isfinite(values[:, m]))[0]
            raise UsageError(f"{metric.name} is not a finite number on topic {shown(topics[t])}; please report this")


def _counted(
    judgments: Judgments, rankings: RankingsByOrder, metrics: Sequence[Metric], options: Options
) -> NDArray[np.bool_]:
    """Which topics enter the mean, by run and metric."""
    first = next(iter(rankings.values()))
    present = np.array([[topic in run.topics for topic in judgments.topics] for run in first], dtype=bool)
    relevant = np.array([topic.highest > 0 for topic in judgments.topics.values()])
    out = np.ones((len(first), len(metrics), len(judgments.topics)), dtype=bool)
    for m, metric in enumerate(metrics):
        missing = options.missing_topics or ("skip" if metric.mean_over == "both" else "zero")
        empty = options.empty_topics or ("skip" if metric.mean_over == "judged-relevant" else "score")
        if missing == "skip":
            out[:, m] &= present
        if empty == "skip":
            out[:, m] &= relevant
    return out


# --- how much a score can be trusted ----------------------------------------------------------------------------------


def add_residuals(
    scores: Scores, judgments: Judgments, rankings: RankingsByOrder, metrics: Sequence[Metric], options: Options
) -> Scores:
    """Beside each metric M of ours, `M+residual`: the rise if every unjudged document were fully relevant to all."""
    own = [metric for metric in metrics if metric.rule is None and metric.order is None and _gains(metric)]
    if not own:
        raise UsageError("residuals are for diveval's own metrics of relevance; none was asked for")
    values = np.zeros((len(scores.runs), len(own), len(scores.topics)))
    relevances = judgments.relevance(options.relevance)
    tables: dict[Hashable, Any] = {}
    for t, topic in enumerate(scores.topics):
        for m, metric in enumerate(own):
            listed = [run.topics.get(topic, EMPTY) for run in rankings[_order(metric, options)]]
            batch = _hopeful(relevances[topic], judgments.topics[topic], listed, tables, options.efforts)
            values[:, m, t] = metric.score(batch)
    index = [scores.metric_index(metric.name) for metric in own]
    return Scores.of(
        np.concatenate([scores.values, values - scores.values[:, index]], axis=1),
        runs=scores.runs, topics=scores.topics,
        metrics=[*scores.metrics, *(f"{metric.name}+residual" for metric in own)],
        counted=np.concatenate([scores.counted, scores.counted[:, index]], axis=1), notes=scores.notes,
    )  # fmt: skip


def _gains(metric: Metric) -> bool:
    """Does the metric look at relevance at all, and not only at what was judged?"""
    return not isinstance(metric.formula, Judged)


def _hopeful(
    relevance: TopicRelevance, judged: TopicJudgments, listed: Sequence[TopicRanking], tables: Any, efforts: Any
) -> Batch:
    """The same rankings with every unjudged document fully relevant; the ideal stays that of the judgments."""
    real = make_batch(relevance, judged, listed, tables, efforts)
    longest = int(real.lengths.max(initial=0))
    grid = np.ones((len(real.weights), real.systems, longest))
    for s, ranking in enumerate(listed):
        grid[:, s, ranking.ranks - 1] = 0.0
        grid[:, s, ranking.length :] = 0.0
        held = real.ranks[s] != PADDING
        grid[:, s, real.ranks[s, held] - 1] = real.relevance[:, s, held]
    ranks = np.arange(1, longest + 1) + np.zeros((real.systems, 1), dtype=np.int64)
    ranks = np.where(ranks <= real.lengths[:, np.newaxis], ranks, PADDING)
    return Batch(
        grid, ranks, real.lengths, real.weights, real.pool, real.costs, real.pool_costs, judged, listed, tables
    )
