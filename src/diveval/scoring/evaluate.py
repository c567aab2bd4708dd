"""From judgments and runs to scores: runs are read a few at a time, so that memory use does not grow with their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from diveval.collection.inputs import JudgmentsLike, RunsLike, WeightsLike
from diveval.collection.judgments import Judgments, is_ad_hoc
from diveval.collection.rankings import RankedColumns, Rankings, forget_judged_set
from diveval.collection.runs import Run
from diveval.collection.topic_ids import no_shared_topic
from diveval.errors import UsageError, preview, share_text, warn
from diveval.metrics.metric import Metric
from diveval.metrics.names import MetricLike, as_metrics
from diveval.reading import read_judgments, read_run, run_name, with_weights
from diveval.reading.frames import check_columns, is_frame, materialise, names_of
from diveval.reading.objects import as_judgments, as_runs, is_scored, why_no_aspects
from diveval.reading.scan import rankings_of, read_rankings
from diveval.reading.source import FILES, Source, source_name
from diveval.results.scores import MEAN, Scores
from diveval.scoring.scorer import MOST_KEPT, RankingsByOrder, Scorer, add_residuals, orders
from diveval.settings import Options, OrderRule
from diveval.system import timing

_RULES = {
    "worst": "scored as lists without a relevant document",
    "zero": "scored 0",
    "skip": "left out of the mean",
    "tool": "scored 0, as the metric's tool does",
}

FEW = 10  # topics of a run that are kept for messages
RUNS_AT_ONCE = 32  # enough for metrics to share work, few enough for memory
T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True)
class RunFacts:
    """Properties of a run that may need a warning beside its scores."""

    where: str
    topics: int  # judged topics that it has
    contradictions: int
    documents: int
    judged: int  # of the documents
    missing: tuple[str, ...]  # judged topics that it lacks
    unpriced: int = 0  # of the documents, those without a cost of their own if costs were given
    ungrouped: int = 0  # those without a group if groups were given
    strangers: tuple[str, ...] = ()  # topics without judgments, the first ones

    def __add__(self, other: RunFacts) -> RunFacts:
        """Add the facts of the same run on other topics."""
        return RunFacts(
            self.where,
            self.topics + other.topics,
            self.contradictions + other.contradictions,
            self.documents + other.documents,
            self.judged + other.judged,
            (*self.missing, *other.missing),
            self.unpriced + other.unpriced,
            self.ungrouped + other.ungrouped,
            (*self.strangers, *other.strangers)[:FEW],
        )


def score_all(
    judgments: JudgmentsLike,
    runs: RunsLike,
    metrics: MetricLike | Sequence[MetricLike],
    options: Options,
    *,
    weights: WeightsLike | None,
    residuals: bool,
    columns: Mapping[str, str] | None = None,
) -> Scores:
    """`diveval.evaluate` once its arguments are checked; judgments and runs are in any supported form."""
    asked = as_metrics(metrics)
    reason = why_no_aspects(judgments)
    if reason and (wants := [m.name for m in asked if m.entry is not None and m.entry.diversity]):
        raise UsageError("metric-needs-aspects", f"{wants[0]} needs aspects, but {reason}")
    judgments, runs = materialise(judgments), _materialise(runs)
    if columns:
        check_columns(columns, *[names_of(shape) for shape in (judgments, *_frames(runs)) if is_frame(shape)])
    with timing.phase("reading"):
        truth = load_judgments(judgments, options, weights, columns)
    return score_runs(truth, runs, asked, options, residuals=residuals, columns=columns)


def _materialise(runs: Any) -> Any:
    """Runs that can be read more than once."""
    if isinstance(runs, Mapping):
        return {name: materialise(run) for name, run in runs.items()}
    several = isinstance(runs, (list, tuple)) and not (runs and is_scored(runs[0]))  # or the documents of one
    return [materialise(run) for run in runs] if several else materialise(runs)


def _frames(runs: Any) -> list[Any]:
    listed = list(runs.values()) if isinstance(runs, Mapping) else runs if isinstance(runs, (list, tuple)) else [runs]
    return [run for run in listed if is_frame(run)]


def load_judgments(
    judgments: JudgmentsLike,
    options: Options,
    weights: WeightsLike | None = None,
    columns: Mapping[str, str] | None = None,
) -> Judgments:
    """Judgments from a path or any shape, with weights if given."""
    if isinstance(judgments, FILES):
        return read_judgments(
            judgments,
            format=options.judgment_format,
            weights=weights,
            duplicates=options.judgment_duplicates,
            columns=columns,
        )
    if not isinstance(weights, (*FILES, Mapping, type(None))):
        raise UsageError(
            "wrong-type", f"weights are a path or {{(topic, aspect): weight}}, got {type(weights).__name__}"
        )
    own = columns
    if columns and is_frame(judgments):  # the other columns belong to runs
        names = names_of(judgments)
        own = {what: name for what, name in columns.items() if name in names}
    return with_weights(as_judgments(judgments, duplicates=options.judgment_duplicates, columns=own), weights)


def score_runs(
    judgments: Judgments,
    runs: RunsLike,
    metrics: Sequence[Metric],
    options: Options,
    *,
    residuals: bool = False,
    columns: Mapping[str, str] | None = None,
) -> Scores:
    """Read, rank and score any number of runs; only the scores of a run are kept once it is scored."""
    named = _name_runs(as_runs(runs, columns=columns))
    warn_about_judgments(judgments.topics, judgments.highest, judgments.source)
    warn_about_metrics(metrics, judgments.source, ad_hoc=is_ad_hoc(judgments))
    scorer = Scorer(judgments, metrics, options)
    parts = []
    for start in range(0, len(named), RUNS_AT_ONCE):
        rankings = _rank(judgments, named[start : start + RUNS_AT_ONCE], metrics, options, keep_documents=False)
        warn_about_runs(facts_of(judgments, rankings, options), len(judgments), metrics, options)
        if start + RUNS_AT_ONCE >= len(named) and len(judgments) > MOST_KEPT:
            forget_judged_set(judgments)
        parts.append(_score(scorer, judgments, rankings, metrics, options, residuals=residuals))
    return Scores.joined(parts)


def score_part(
    judgments: Judgments, runs: Sequence[Run], metrics: Sequence[Metric], options: Options, *, residuals: bool
) -> tuple[Scores, list[RunFacts]]:
    """Score some topics of a collection; the caller warns about the runs once all topics are scored."""
    rankings = _rank(judgments, [(run.name, run) for run in runs], metrics, options, keep_documents=False)
    scorer = Scorer(judgments, metrics, options)
    scores = _score(scorer, judgments, rankings, metrics, options, residuals=residuals)
    return scores, facts_of(judgments, rankings, options)


def _score(
    scorer: Scorer,
    judgments: Judgments,
    rankings: RankingsByOrder,
    metrics: Sequence[Metric],
    options: Options,
    *,
    residuals: bool,
) -> Scores:
    with timing.phase("scoring"):
        scores = scorer.score(rankings)
        return add_residuals(scores, judgments, rankings, metrics, options) if residuals else scores


def rank_all(
    judgments: Judgments, runs: RunsLike, metrics: Sequence[Metric], options: Options, *, keep_documents: bool
) -> RankingsByOrder:
    """Every run under every order that the metrics need, all in memory."""
    warn_about_judgments(judgments.topics, judgments.highest, judgments.source)
    warn_about_metrics(metrics, judgments.source, ad_hoc=is_ad_hoc(judgments))
    rankings = _rank(judgments, _name_runs(as_runs(runs)), metrics, options, keep_documents=keep_documents)
    warn_about_runs(facts_of(judgments, rankings, options), len(judgments), metrics, options)
    return rankings


def read_once(runs: RunsLike, options: Options) -> list[Run]:
    """Runs in memory, for callers that rank them more than once: a pipe cannot be read again."""
    return [
        item if isinstance(item, Run) else read_run(item, format=options.run_format, name=run_name(item))
        for item in as_runs(runs)
    ]


def list_runs(runs: RunsLike) -> list[Run | Source]:
    """Runs one by one, each of which can be read again: only the content of a pipe is kept in memory."""
    return [item if isinstance(item, Run) else Source.of(item).read_once() for item in as_runs(runs)]


def _rank(
    judgments: Judgments,
    named: Sequence[tuple[str, Run | Path | str | Source]],
    metrics: Sequence[Metric],
    options: Options,
    *,
    keep_documents: bool,
) -> RankingsByOrder:
    """Rankings by order. Files are scanned for judged documents only; the others are not kept in memory."""
    needed = orders(metrics, options)
    keep = keep_documents or options.efforts is not None or options.document_groups is not None

    def rank(pair: tuple[str, Run | Path | str | Source]) -> dict[OrderRule, Rankings]:
        name, item = pair
        if isinstance(item, Run):
            by_order = rankings_of(judgments, item, needed, options, keep_documents=keep)
        else:
            by_order = read_rankings(judgments, item, needed, options, keep_documents=keep)
        return {order: replace(rankings, name=name) for order, rankings in by_order.items()}

    listed = _each(rank, named, options.workers())
    return {order: [by_order[order] for by_order in listed] for order in needed}


def _each(function: Callable[[T], U], items: Sequence[T], jobs: int) -> list[U]:
    """`function` of each item, in order, computed by several threads: scanning a file releases the interpreter lock.

    The first item that fails determines the error, as in a loop.
    """
    count = min(jobs, len(items))
    if count < 2:
        return [function(item) for item in items]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(count) as pool:
        try:
            return list(pool.map(function, items))
        finally:
            pool.shutdown(cancel_futures=True)


def _name_runs(items: Sequence[Run | Path | str | Source]) -> list[tuple[str, Run | Path | str | Source]]:
    """Each run with a unique name."""
    pairs = [(i.name, i.source) if isinstance(i, Run) else (run_name(i), source_name(i)) for i in items]
    return list(zip(distinct_names(pairs), items, strict=True))


def distinct_names(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """A unique name for each (name, source): runs with the same name get their path, then a number."""
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        often = {name for name, times in Counter(names).items() if times > 1}
        names = [_with_source(name, source) if name in often else name for name, source in pairs]
    given, taken = set(names), set[str]()
    out = []
    for name in names:
        own, number = name, 1
        while own in taken or (number > 1 and own in given):  # another run may be called a#2 already
            number += 1
            own = f"{name}#{number}"
        taken.add(own)
        out.append(own)
    return out


def _with_source(name: str, source: str) -> str:
    """The path if it identifies the run; path and name if the file contains several runs."""
    if not source or source == name:
        return name
    return source if run_name(source).removesuffix(".parquet") == name else f"{source}:{name}"


def warn_about_judgments(topics: Container[str], highest: float, source: str) -> None:
    """Warn about judgments that make scores misleading."""
    if MEAN in topics:
        warn(
            "topic-named-like-mean",
            f"{source or 'judgments'}: a topic is called `{MEAN}`, which is also what outputs call the mean",
        )
    if highest <= 0:
        warn(
            "nothing-relevant",
            f"{source or 'judgments'}: no document is judged relevant, so no metric can gain anything",
        )


def warn_about_metrics(metrics: Sequence[Metric], source: str, *, ad_hoc: bool) -> None:
    """Warn where a metric is not what its name suggests, or the judgments do not have what it measures."""
    if unnormalised := [metric.name for metric in metrics if metric.entry is not None and metric.entry.unnormalised]:
        warn(
            "unnormalised-metric",
            f"{preview(unnormalised)}: the form of its paper, which is not normalised and may exceed 1; TREC's and"
            " ir_measures' number of that name is ndeval.NRBP",
        )
    by_aspect = [metric.name for metric in metrics if metric.entry is not None and metric.entry.diversity]
    if by_aspect and ad_hoc:
        warn(
            "one-aspect",
            f"{source or 'judgments'}: the only aspect of every topic is 0 or Q0, as in ad hoc judgments:"
            f" {preview(by_aspect)} {'measures' if len(by_aspect) == 1 else 'measure'} relevance here, not diversity",
        )


def facts_of(judgments: Judgments, rankings: RankingsByOrder, options: Options) -> list[RunFacts]:
    """The facts about each run that `warn_about_runs` reports."""
    out = []
    for run in next(iter(rankings.values())):
        columns = run.columns(judgments)
        columns = columns.submitted or columns
        absent = np.flatnonzero(~columns.present)
        missing = tuple(judgments.columns.topics.at(absent))
        where, topics = run.source or run.name, len(judgments) - len(absent)
        documents, judged = int(columns.lengths.sum()), int(columns.judged_offsets[-1])
        unpriced = 0 if options.efforts is None else _count_unknown(columns, options.efforts.costs.__contains__)
        ungrouped = 0 if options.document_groups is None else _count_unknown(columns, options.document_groups.knows)
        strangers = tuple(islice(run.unjudged_topics, FEW))
        out.append(
            RunFacts(where, topics, run.contradictions, documents, judged, missing, unpriced, ungrouped, strangers)
        )
    return out


def _count_unknown(columns: RankedColumns, known: Callable[[str], bool]) -> int:
    """How many of the documents of judged topics are not known."""
    if columns.codes is None or columns.documents is None:
        return int(columns.lengths.sum())
    codes, counts = np.unique(columns.codes, return_counts=True)
    return sum(int(count) for name, count in zip(columns.documents.at(codes), counts, strict=True) if not known(name))


def _word_missing_rules(metrics: Sequence[Metric], options: Options) -> str:
    """How a topic without a list counts, with the metrics of each rule where they differ."""
    by_rule: dict[str, list[str]] = {}
    for metric in metrics:
        by_rule.setdefault(metric.rule_for_missing(options.missing_topics), []).append(metric.name)
    named = len(by_rule) > 1
    return "; ".join(_RULES[rule] + (f" ({preview(names)})" if named else "") for rule, names in by_rule.items())


def warn_about_runs(facts: Sequence[RunFacts], topics: int, metrics: Sequence[Metric], options: Options) -> None:
    """Warn about runs that do not fit the judgments, once per run and kind; no common topic is an error."""
    used = " and ".join(dict.fromkeys(order.by for order in orders(metrics, options)))
    rule = _word_missing_rules(metrics, options)
    if options.judged_only and facts:
        _warn_about_condensed(facts)
    if options.efforts:
        _warn_about_default_efforts(facts, options.efforts.default)
    for run in facts:
        if not run.topics:
            raise no_shared_topic(run.strangers, run.missing, source=run.where)
        none = f"{run.where}: none of its documents"
        if run.documents and not run.judged:
            warn("no-judged-document", f"{none} is judged; are its document ids those of the judgments?")
        if run.documents and run.unpriced == run.documents:
            warn("no-document-with-cost", f"{none} has its own cost; are its ids those of the efforts?")
        if run.documents and run.ungrouped == run.documents:
            warn("no-document-with-group", f"{none} has a group; are its ids those of the groups?")
        if run.contradictions:
            warn(
                "rank-contradicts-score",
                f"{run.where}: rank and score contradict each other in {run.contradictions} of {run.topics} topics;"
                f" ordered by {used} (--order score|rank|file decides)",
            )
        if run.missing:
            names = preview(run.missing)
            warn("missing-topics", f"{run.where}: lacks {len(run.missing)} of {topics} judged topics ({names}): {rule}")


def _warn_about_default_efforts(facts: Sequence[RunFacts], default: float) -> None:
    """Warn that only some documents have an effort of their own, with the run where most have none."""
    partly = [run for run in facts if 0 < run.unpriced < run.documents]
    if partly:
        most = max(partly, key=lambda run: run.unpriced / run.documents)
        lacking = f"{most.where}: {most.unpriced:,} of {most.documents:,} documents have no effort of their own"
        warn("ids-partly-matched", f"{lacking} and count {default:g} (--effort-default); runs with such: {len(partly)}")


def _warn_about_condensed(facts: Sequence[RunFacts]) -> None:
    """Warn that lists were condensed, with the run that lost most."""
    removed = {run.where: 1 - run.judged / run.documents if run.documents else 0.0 for run in facts}
    most = max(removed, key=lambda where: removed[where])
    if removed[most]:
        warn(
            "unjudged-removed",
            f"unjudged documents are removed before scoring (--judged-only): {share_text(min(removed.values()))} to"
            f" {share_text(removed[most])} of a run's documents, most of {most}; scores are not comparable with those of whole"
            " lists",
        )
