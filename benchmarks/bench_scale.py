"""Out-of-core evaluation of a parquet collection of any size: rows per second and memory.

    python benchmarks/bench_scale.py --rows 100_000_000 --jobs 2 --memory 4

creates a collection with that many run rows (two systems, 100 documents per query, four aspects, pooled judgments) in a
temporary folder, block by block, scores it in a new process under a memory limit and prints the cost as JSON.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

METRICS = ["RBU(p=0.99,e=0.05)@20", "alpha_nDCG@20", "ERR_IA@20", "StRecall@20", "nDCG@20"]
RUNS, DEPTH, ASPECTS, JUDGED = 2, 100, 4, 24
DOCUMENTS = 10_000_000
PIECE = 2_000  # topics created at a time


def make(folder: Path, rows: int, seed: int) -> tuple[Path, Path]:
    """Runs and judgments sorted by topic; topics are queries, so there are many and each is small."""
    rng = np.random.default_rng(seed)
    topics = rows // (RUNS * DEPTH)
    judgments, runs = folder / "judgments.parquet", folder / "runs.parquet"
    with (
        pq.ParquetWriter(judgments, _judgment_schema(), compression="zstd") as judged_to,
        pq.ParquetWriter(runs, _run_schema(), compression="zstd") as runs_to,
    ):
        for start in range(0, topics, PIECE):
            judged, listed = tables(rng, start, min(start + PIECE, topics))
            judged_to.write_table(judged)
            runs_to.write_table(listed)
    return judgments, runs


def _judgment_schema() -> pa.Schema:
    text = pa.string()
    return pa.schema([("topic", text), ("aspect", text), ("document", text), ("grade", pa.float64())])


def _run_schema() -> pa.Schema:
    text = pa.string()
    return pa.schema([("run", text), ("topic", text), ("document", text), ("score", pa.float64())])


def _text(numbers: np.ndarray) -> pa.Array:
    padded = pc.utf8_lpad(pa.array(numbers.ravel()).cast(pa.string()), 9, "0")
    return pc.binary_join_element_wise("doc", padded, "-")


def _named(words: Iterable[object], places: np.ndarray) -> pa.Array:
    """A column of text from positions in a short list."""
    return pa.array([str(word) for word in words]).take(pa.array(places))


def _each(names: np.ndarray, times: int) -> pa.Array:
    """Every name repeated `times` times."""
    return _named(names, np.repeat(np.arange(len(names)), times))


def tables(rng: np.random.Generator, start: int, end: int) -> tuple[pa.Table, pa.Table]:
    """Judgments and runs of the topics `start` to `end`."""
    names = np.array([f"q{i:09d}" for i in range(start, end)])
    pool = rng.integers(0, DOCUMENTS // JUDGED, (len(names), JUDGED)) * JUDGED + np.arange(JUDGED)
    return _judgments(rng, names, pool), _runs(rng, names, pool)


def _judgments(rng: np.random.Generator, names: np.ndarray, pool: np.ndarray) -> pa.Table:
    """Each pooled document is graded for two of the aspects."""
    documents = np.repeat(pool.ravel(), 2)
    aspects = (rng.integers(0, ASPECTS, pool.size)[:, None] + [0, 1]).ravel() % ASPECTS
    grades = rng.choice([0.0, 0.0, 0.0, 1.0, 2.0, 3.0], len(documents))
    columns = [_each(names, 2 * JUDGED), _named(range(ASPECTS), aspects), _text(documents), pa.array(grades)]
    return pa.table(columns, schema=_judgment_schema())


def _runs(rng: np.random.Generator, names: np.ndarray, pool: np.ndarray) -> pa.Table:
    """Half of the pooled documents at random ranks among others; scores decrease, with occasional ties."""
    shape = (len(names), RUNS, DEPTH)
    listed = DOCUMENTS + rng.integers(0, DOCUMENTS, (*shape[:2], 1)) + np.cumsum(rng.integers(1, 50, shape), axis=2)
    for run in range(RUNS):
        half = rng.permuted(pool, axis=1)[:, : JUDGED // 2]
        places = rng.permuted(np.tile(np.arange(DEPTH), (len(names), 1)), axis=1)[:, : JUDGED // 2]
        listed[np.arange(len(names))[:, None], run, places] = half
    scores = np.round(-np.sort(-rng.gamma(2.0, 2.0, shape), axis=2), 4)
    runs = _named(["old", "new"], np.tile(np.repeat(np.arange(RUNS), DEPTH), len(names)))
    columns = [runs, _each(names, RUNS * DEPTH), _text(listed), pa.array(scores.ravel())]
    return pa.table(columns, schema=_run_schema())


def score(judgments: Path, runs: Path, jobs: int, shard_rows: int) -> dict[str, float]:
    """Score, writing the results to a file; memory is that of this process and of its largest worker."""
    from diveval.scoring.shards.local import evaluate_to_parquet

    started = time.perf_counter()
    out = runs.parent / "scores.parquet"
    evaluate_to_parquet(judgments, runs, METRICS, out, jobs=jobs, shard_rows=shard_rows)
    seconds = time.perf_counter() - started
    own, workers = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "seconds": round(seconds, 1),
        "processor seconds": round(sum(u.ru_utime + u.ru_stime for u in (own, workers)), 1),
        "peak MB of the main process": round(own.ru_maxrss / 1024),
        "peak MB of a worker": round(workers.ru_maxrss / 1024),
        "scores": pq.ParquetFile(out).metadata.num_rows,
    }


def main() -> None:
    """Create the collection, score it in a new process under the limit and print the cost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=lambda text: int(text.replace("_", "")), default=2_000_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--memory", type=float, default=4.0, help="GB of address space each process may use")
    parser.add_argument("--shard-rows", type=int, default=500_000)
    parser.add_argument("--score", nargs=2, metavar=("JUDGMENTS", "RUNS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.score:
        limit = int(arguments.memory * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        judgments, runs = map(Path, arguments.score)
        print(json.dumps(score(judgments, runs, arguments.jobs, arguments.shard_rows)))
        return
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        judgments, runs = make(Path(folder), arguments.rows, seed=1)
        made = time.perf_counter() - started
        words = [sys.executable, __file__, "--score", str(judgments), str(runs), "--jobs", str(arguments.jobs)]
        words += ["--memory", str(arguments.memory), "--shard-rows", str(arguments.shard_rows)]
        done = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)
        rows = pq.ParquetFile(runs).metadata.num_rows
        report = {
            "run rows": rows,
            "judgments": pq.ParquetFile(judgments).metadata.num_rows,
            "topics": rows // (RUNS * DEPTH),
            "metrics": len(METRICS),
            "jobs": arguments.jobs,
            "memory limit GB": arguments.memory,
            "runs file MB": round(runs.stat().st_size / 1e6),
            "judgments file MB": round(judgments.stat().st_size / 1e6),
            "seconds to make": round(made, 1),
            **done,
            "rows per second": round(rows / done["seconds"]),
            "topics per second": round(rows // (RUNS * DEPTH) / done["seconds"]),
            "processor ms per topic": round(1000 * done["processor seconds"] / (rows // (RUNS * DEPTH)), 3),
        }
        print(json.dumps(report))


if __name__ == "__main__":
    main()
