"""Judgments and runs in, Scores out: runs are read some at a time, so that memory does not grow with their number."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from diveval import timing
from diveval.ahead import RUNS_AT_ONCE
from diveval.errors import DivevalError, InputError, UsageError, few, warn
from diveval.judgments import Judgments
from diveval.machine import cores
from diveval.metrics.metric import Metric
from diveval.metrics.names import MetricLike, as_metrics
from diveval.options import Options
from diveval.rankings import Rankings, rank
from diveval.reading import read_judgments, read_weights, run_name
from diveval.reading.lines import source_name
from diveval.reading.scan import read_rankings
from diveval.reading.shapes import as_judgments, as_runs, why_no_aspects
from diveval.residuals import add_residuals
from diveval.runs import OrderRule, Run
from diveval.scores import Scores
from diveval.scoring import RankingsByOrder, Scorer, orders

T = TypeVar("T")
U = TypeVar("U")


def score_all(
    judgments: Any,
    runs: Any,
    metrics: MetricLike | Sequence[MetricLike],
    options: Options,
    *,
    weights: str | Path | Mapping[tuple[str, str], float] | None,
    residuals: bool,
) -> Scores:
    """Everything in the shape it came in: what `diveval.evaluate` does once all is loaded."""
    asked = as_metrics(metrics)
    lost = why_no_aspects(judgments)
    if lost and (wants := [m.name for m in asked if m.entry is not None and m.entry.diversity]):
        raise UsageError(f"{wants[0]} needs aspects, but {lost}")
    with timing.phase("reading"):
        truth = load_judgments(judgments, options, weights)
    return score_runs(truth, runs, asked, options, residuals=residuals)


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


def score_runs(
    judgments: Judgments, runs: Any, metrics: Sequence[Metric], options: Options, *, residuals: bool = False
) -> Scores:
    """Read, rank and score any number of runs; only the scores of a run are kept once it is scored."""
    named = _named(as_runs(runs))
    _tell_of_judgments(judgments)
    scorer = Scorer(judgments, metrics, options)

    def prepare() -> None:
        with timing.phase("scoring"), suppress(DivevalError):  # it will be met again, after what files complain of
            scorer.prepare()

    def some(here: Sequence[tuple[str, Run | Path | str]]) -> Scores:
        rankings = _rank(judgments, here, metrics, options, keep_documents=False, meanwhile=prepare)
        with timing.phase("scoring"):
            scores = scorer.score(rankings)
            return add_residuals(scores, judgments, rankings, metrics, options) if residuals else scores

    return Scores.joined([some(named[i : i + RUNS_AT_ONCE]) for i in range(0, len(named), RUNS_AT_ONCE)])


def rank_all(
    judgments: Judgments, runs: Any, metrics: Sequence[Metric], options: Options, *, keep_documents: bool
) -> RankingsByOrder:
    """Every run under every order the metrics need, held at once."""
    _tell_of_judgments(judgments)
    return _rank(judgments, _named(as_runs(runs)), metrics, options, keep_documents=keep_documents)


def _rank(
    judgments: Judgments,
    named: Sequence[tuple[str, Run | Path | str]],
    metrics: Sequence[Metric],
    options: Options,
    *,
    keep_documents: bool,
    meanwhile: Callable[[], None] = lambda: None,
) -> RankingsByOrder:
    """Files are scanned for judged documents only; the rest is never held."""
    needed = orders(metrics, options)
    keep = keep_documents or options.efforts is not None

    def ranked(pair: tuple[str, Run | Path | str]) -> dict[OrderRule, Rankings]:
        name, item = pair
        if isinstance(item, Run):
            with timing.phase("matching"):
                found = {
                    order: rank(judgments, item, order, duplicates=options.duplicates, keep_documents=keep)
                    for order in needed
                }
        else:
            found = read_rankings(judgments, item, needed, options, keep_documents=keep)
        return {order: replace(rankings, name=name) for order, rankings in found.items()}

    listed = _at_once(ranked, named, options.jobs, meanwhile)
    out = {order: [found[order] for found in listed] for order in needed}
    _tell(judgments, out[needed[0]], needed, options)
    return out


def _at_once(
    function: Callable[[T], U], items: Sequence[T], jobs: int | None, meanwhile: Callable[[], None]
) -> list[U]:
    """The function of each item, in their order, by several threads: scanning a file leaves the interpreter free
    to do something else meanwhile.

    The first item that fails decides the error, as it would one after the other. (`concurrent.futures` does the same,
    but loading it takes longer than scanning a small file.)
    """
    count = min(jobs or cores(), len(items))
    if count < 2:
        meanwhile()
        return [function(item) for item in items]
    done: dict[int, U] = {}
    failed: dict[int, BaseException] = {}
    waiting = iter(range(len(items)))

    def work() -> None:
        for i in waiting:
            try:
                done[i] = function(items[i])
            except BaseException as error:
                failed[i] = error
            if failed:  # what comes later in the list cannot change the error any more
                return

    threads = [threading.Thread(target=work, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    meanwhile()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[min(failed)]
    return [done[i] for i in range(len(items))]


def _named(items: Sequence[Run | Path | str]) -> list[tuple[str, Run | Path | str]]:
    """Each run with a name of its own: two files of one name are told apart by their paths, then by number."""
    pairs = [(i.name, i.source) if isinstance(i, Run) else (run_name(i), source_name(i)) for i in items]
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        often = {name for name, times in Counter(names).items() if times > 1}
        names = [source or name if name in often else name for name, source in pairs]
    seen: dict[str, int] = {}
    out = []
    for name, item in zip(names, items, strict=True):
        seen[name] = seen.get(name, 0) + 1
        out.append((name if seen[name] == 1 else f"{name}#{seen[name]}", item))
    return out


def _tell_of_judgments(judgments: Judgments) -> None:
    if judgments.highest <= 0:
        warn(f"{judgments.source or 'judgments'}: no document is judged relevant, so no metric can gain anything")


def _tell(judgments: Judgments, listed: Sequence[Rankings], needed: Sequence[OrderRule], options: Options) -> None:
    """What the reader of the scores should know about the files, one line per file and kind."""
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
            warn(f"{where}: lacks {len(missing)} of {len(judgments.topics)} judged topics ({few(missing)}): {rule}")
