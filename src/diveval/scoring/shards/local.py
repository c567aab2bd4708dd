"""Evaluation of parquet files of any size on one machine: processes score one shard at a time, which bounds memory.

Files whose row groups are ranges of topics (as `diveval data convert` writes them, or any file sorted by topic) are read in
place. Others are first split by topic into files of a temporary folder, which takes their size once on disk.
"""

from __future__ import annotations

import tempfile
import warnings
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diveval.collection.inputs import WeightsLike
from diveval.errors import DivevalError, UsageError, need
from diveval.metrics import Metric, as_metrics
from diveval.metrics.names import MetricLike
from diveval.reading import weights_of
from diveval.reading.parquet import ParquetFiles
from diveval.reading.run_files import expand_runs
from diveval.reading.source import FILES, Source, SourceLike
from diveval.results.scores import Scores
from diveval.scoring.evaluate import score_all
from diveval.scoring.shards.one_shard import Part, emit_warnings, join_parts, score_tables, scores_schema, table_of
from diveval.scoring.shards.plan import Plan, Shard, make_plan, total_rows
from diveval.settings import Options
from diveval.system.files import replacing

if TYPE_CHECKING:
    from concurrent.futures import Future

SHARD_ROWS = 500_000  # with which a worker needs less than 500 MB


def evaluate(
    files: ParquetFiles,
    metrics: MetricLike | Sequence[MetricLike],
    options: Options,
    *,
    weights: WeightsLike | None = None,
    residuals: bool = False,
    columns: Mapping[str, str] | None = None,
) -> Scores:
    """Score parquet files; large ones shard by shard."""
    if not is_large(files, columns):
        return score_all(*files, metrics, options, weights=weights, residuals=residuals, columns=columns)
    asked = as_metrics(metrics)
    jobs = options.workers() if all(metric.entry for metric in asked) else 1
    return evaluate_parquet(
        *files, asked, options=options, jobs=jobs, weights=weights, residuals=residuals, columns=columns
    )


def is_large(files: ParquetFiles, columns: Mapping[str, str] | None = None) -> bool:
    """Whether the files are scored shard by shard, so that they need not fit into memory."""
    return total_rows(files.runs, columns) > SHARD_ROWS


def evaluate_parquet(
    judgments: SourceLike,
    runs: SourceLike | Sequence[SourceLike],
    metrics: MetricLike | Sequence[MetricLike],
    *,
    options: Options | None = None,
    jobs: int = 1,
    shard_rows: int = SHARD_ROWS,
    scratch: str | Path | None = None,
    weights: WeightsLike | None = None,
    residuals: bool = False,
    columns: Mapping[str, str] | None = None,
) -> Scores:
    """Score the runs of parquet files against judgments of a parquet file, out of core; the result is that of `evaluate`.

    `jobs` processes score shards of about `shard_rows` rows of the runs (a topic is never split). `scratch` is the
    folder for copies of files that are not sorted by topic; a temporary folder by default.
    """
    with _start_scoring(
        judgments, runs, metrics, options, jobs, shard_rows, scratch, weights, columns, residuals=residuals
    ) as parts:
        return join_parts(list(parts))


def evaluate_to_parquet(
    judgments: SourceLike,
    runs: SourceLike | Sequence[SourceLike],
    metrics: MetricLike | Sequence[MetricLike],
    output: str | Path,
    *,
    options: Options | None = None,
    jobs: int = 1,
    shard_rows: int = SHARD_ROWS,
    scratch: str | Path | None = None,
    weights: WeightsLike | None = None,
    residuals: bool = False,
    columns: Mapping[str, str] | None = None,
) -> Path:
    """The same, but every score is written to a parquet file (run, metric, topic, value, counted) as it is computed."""
    parquet = need("pyarrow.parquet", "arrow")
    with (
        _start_scoring(
            judgments, runs, metrics, options, jobs, shard_rows, scratch, weights, columns, residuals=residuals
        ) as parts,
        replacing(output) as beside,
        beside.open("wb") as stream,
        parquet.ParquetWriter(stream, scores_schema()) as writer,
    ):
        for part in parts:
            if part.scores is not None:
                writer.write_table(table_of(part.scores))
    return Path(output)


@contextmanager
def _start_scoring(
    judgments: SourceLike,
    runs: SourceLike | Sequence[SourceLike],
    metrics: MetricLike | Sequence[MetricLike],
    options: Options | None,
    jobs: int,
    shard_rows: int,
    scratch: str | Path | None,
    weights: WeightsLike | None,
    columns: Mapping[str, str] | None,
    *,
    residuals: bool,
) -> Iterator[Iterator[Part]]:
    if jobs < 1 or shard_rows < 1:
        raise UsageError("out-of-range", f"jobs and shard_rows are at least 1, got {jobs} and {shard_rows}")
    paths = expand_runs([runs] if isinstance(runs, FILES) else list(runs))  # type: ignore[arg-type]
    if not paths:
        raise UsageError("no-run", "no run was given")
    chosen = options or Options()
    with tempfile.TemporaryDirectory(prefix="diveval-shards-", dir=scratch) as folder:
        sources = [Source.of(path) for path in paths]
        plan = make_plan(Source.of(judgments), sources, Path(folder), shard_rows, chosen, columns)
        collection = replace(plan.collection, residuals=residuals)
        if weights is not None:
            given, source = weights_of(weights)
            collection = replace(collection, weights=given, weights_source=source)
        yield _with_warnings(replace(plan, collection=collection), metrics, chosen, jobs)


def _with_warnings(
    plan: Plan, metrics: MetricLike | Sequence[MetricLike], options: Options, jobs: int
) -> Iterator[Part]:
    """The parts; after the last one, the warnings about all of them."""
    parts = []
    for part in _parts(plan, metrics, options, jobs):
        parts.append(replace(part, scores=None))  # scores are not needed for warnings, and may not fit into memory
        yield part
    emit_warnings(parts, plan.collection, as_metrics(metrics), options)


def _parts(plan: Plan, metrics: MetricLike | Sequence[MetricLike], options: Options, jobs: int) -> Iterator[Part]:
    """The scores of each part, in order."""
    workers = min(jobs, len(plan.shards))
    if workers <= 1:
        asked = as_metrics(metrics)
        for shard in plan.shards:
            yield _score(shard, asked, plan, options)
        return
    from concurrent.futures.process import BrokenProcessPool  # imported late, since small files never need it

    from diveval.system.processes import process_pool

    setting = (_texts(metrics), replace(plan, shards=()), options)
    try:
        with process_pool(workers, _prepare, setting) as pool:
            waiting: deque[Future[Part]] = deque()
            for shard in plan.shards:
                waiting.append(pool.submit(_score_in_worker, shard))
                if len(waiting) > 2 * workers:  # limits the results that wait for a slow consumer
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
    except BrokenProcessPool as error:
        raise DivevalError(
            "worker-died",
            "a worker process ended without a result (killed, or out of memory?)",
            hint="fewer --jobs need less memory",
        ) from error


def _score(shard: Shard, metrics: Sequence[Metric], plan: Plan, options: Options) -> Part:
    judgments, runs = shard.read(plan.mapped)
    return score_tables(judgments, runs, metrics, plan.collection, options)


# The state of a worker process, set once when it starts.
_WORKER: dict[str, Any] = {}


def _prepare(texts: list[str], plan: Plan, options: Options) -> None:
    warnings.simplefilter("ignore")  # the parent process issues the warnings, once
    _WORKER.update(metrics=as_metrics(texts), plan=plan, options=options)


def _score_in_worker(shard: Shard) -> Part:
    return _score(shard, _WORKER["metrics"], _WORKER["plan"], _WORKER["options"])


def _texts(metrics: MetricLike | Sequence[MetricLike]) -> list[str]:
    """Metrics as texts, which can be sent to other processes."""
    listed = [metrics] if isinstance(metrics, (str, Metric)) or callable(metrics) else list(metrics)  # type: ignore[arg-type]
    out = []
    for item in listed:
        if isinstance(item, str):
            out.append(item)
        elif isinstance(item, Metric) and item.entry is not None:
            out.append(item.name)
        else:
            raise UsageError(
                "metric-not-picklable",
                "a metric of your own cannot be sent to other processes as an object: give it as path/to/file.py:name,"
                " or use one job",
            )
    return out
