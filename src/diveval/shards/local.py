"""Parquet of any size on one machine: shards read, scored and let go by a few processes, memory bounded by a shard.

Files whose row groups are ranges of topics (as `diveval convert` writes them, or any file sorted by topic) are read in
place. Others are first scattered by topic into a scratch folder, which costs their size once on disk.
"""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from diveval.errors import DivevalError, InputError, UsageError, need, warn
from diveval.metrics import Metric, as_metrics
from diveval.metrics.names import MetricLike
from diveval.options import Options
from diveval.processes import process_pool
from diveval.scores import Scores
from diveval.shards.plan import Plan, Shard, make_plan
from diveval.shards.scoring import NOTE, score_shard, scores_from_table, scores_schema

SHARD_ROWS = 1_000_000


def evaluate_parquet(
    judgments: str | Path,
    runs: str | Path | Sequence[str | Path],
    metrics: MetricLike | Sequence[MetricLike],
    *,
    options: Options | None = None,
    jobs: int = 1,
    shard_rows: int = SHARD_ROWS,
    scratch: str | Path | None = None,
) -> Scores:
    """Score the runs of parquet files against judgments of a parquet file, out of core; the same numbers as `evaluate`.

    `jobs` processes work on shards of about `shard_rows` rows of the runs (a topic is never split). `scratch` is where
    files that are not sorted by topic are scattered; a temporary folder by default.
    """
    asked = as_metrics(metrics)
    with _scored(judgments, runs, metrics, options, jobs, shard_rows, scratch) as (plan, tables):
        table = need("pyarrow", "arrow").concat_tables([_plain(table) for table in tables])
        return scores_from_table(table, runs=plan.names, metrics=[metric.name for metric in asked])


def evaluate_to_parquet(
    judgments: str | Path,
    runs: str | Path | Sequence[str | Path],
    metrics: MetricLike | Sequence[MetricLike],
    output: str | Path,
    *,
    options: Options | None = None,
    jobs: int = 1,
    shard_rows: int = SHARD_ROWS,
    scratch: str | Path | None = None,
) -> Path:
    """The same, with every score written to a parquet file (run, metric, topic, value, counted) as it is computed."""
    parquet = need("pyarrow.parquet", "arrow")
    with _scored(judgments, runs, metrics, options, jobs, shard_rows, scratch) as (_, tables):
        target = Path(output)
        beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            with parquet.ParquetWriter(beside, scores_schema()) as writer:
                for table in tables:
                    writer.write_table(_plain(table))
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    return target


def _plain(table: Any) -> Any:
    return table.replace_schema_metadata(None)


@contextmanager
def _scored(
    judgments: str | Path,
    runs: str | Path | Sequence[str | Path],
    metrics: MetricLike | Sequence[MetricLike],
    options: Options | None,
    jobs: int,
    shard_rows: int,
    scratch: str | Path | None,
) -> Iterator[tuple[Plan, Iterator[Any]]]:
    if jobs < 1 or shard_rows < 1:
        raise UsageError(f"jobs and shard_rows are at least 1, got {jobs} and {shard_rows}")
    paths = [runs] if isinstance(runs, (str, Path)) else list(runs)
    if not paths:
        raise UsageError("no run was given")
    with tempfile.TemporaryDirectory(prefix="diveval-shards-", dir=scratch) as folder:
        plan = make_plan(Path(judgments), [Path(path) for path in paths], Path(folder), shard_rows)
        yield plan, _told(plan, _tables(plan, metrics, options or Options(), jobs))


def _tables(
    plan: Plan, metrics: MetricLike | Sequence[MetricLike], options: Options, jobs: int
) -> Iterator[Any]:
    """The scores of each shard, in order."""
    workers = min(jobs, len(plan.shards))
    if workers <= 1:
        asked = as_metrics(metrics)
        for shard in plan.shards:
            yield _score(shard, asked, plan, options)
        return
    setting = (_texts(metrics), plan.without_shards(), options)
    try:
        with process_pool(workers, _prepare, setting) as pool:
            waiting: deque[Future[Any]] = deque()
            for shard in plan.shards:
                waiting.append(pool.submit(_score_here, shard))
                if len(waiting) > 2 * workers:  # a slow consumer must not pile up results
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
    except BrokenProcessPool as error:
        raise DivevalError(
            "a worker process ended without an answer (killed, or out of memory?); fewer --jobs need less memory"
        ) from error


def _score(shard: Shard, metrics: Sequence[Metric], plan: Plan, options: Options) -> Any:
    judgments, runs = shard.read()
    return score_shard(judgments, runs, metrics, names=plan.names, highest=plan.highest, options=options)


# What a worker process knows: set once, when it starts.
_WORKER: dict[str, Any] = {}


def _prepare(texts: list[str], plan: Plan, options: Options) -> None:
    warnings.simplefilter("ignore")  # what is to be told is told once, by the process that was asked
    _WORKER.update(metrics=as_metrics(texts), plan=plan, options=options)


def _score_here(shard: Shard) -> Any:
    return _score(shard, _WORKER["metrics"], _WORKER["plan"], _WORKER["options"])


def _texts(metrics: MetricLike | Sequence[MetricLike]) -> list[str]:
    """Metrics as other processes can be told of them."""
    listed = [metrics] if isinstance(metrics, (str, Metric)) or callable(metrics) else list(metrics)  # type: ignore[arg-type]
    out = []
    for item in listed:
        if isinstance(item, str):
            out.append(item)
        elif isinstance(item, Metric) and item.entry is not None:
            out.append(item.name)
        else:
            raise UsageError(
                "other processes cannot be told of a metric of your own as an object: give it as path/to/file.py:name,"
                " or use one job"
            )
    return out


def _told(plan: Plan, tables: Iterator[Any]) -> Iterator[Any]:
    """The tables, and then what the reader of the scores should know about the runs."""
    lacking, topics = dict.fromkeys(plan.names, 0), 0
    for table in tables:
        if table.num_rows:
            note = json.loads(table.schema.metadata[NOTE])
            topics += note["topics"]
            for name, count in note["lacking"].items():
                lacking[name] += count
        yield table
    if topics == 0:
        raise InputError("holds no judgment", source=str(plan.judgments))
    for name, count in lacking.items():
        if count == topics:
            raise InputError(
                "has no topic in common with the judgments; are they for the same collection?", source=name
            )
        if count:
            warn(f"{name}: lacks {count} of {topics} judged topics")
