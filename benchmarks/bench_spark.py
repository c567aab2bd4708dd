"""Spark on many rows: time, CPU time of Spark and of its Python workers, memory.

    python benchmarks/bench_spark.py --rows 10_000_000 --local          # compare all bits with the local path
    python benchmarks/bench_spark.py --rows 10_000_000 --shards 2 5 10 20 40

The collection is that of bench_scale.py, in `local[2]`; billion.py scores rows that no disk holds.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psutil
from bench_scale import METRICS, make


def number(text: str) -> int:
    """A whole number, which may contain underscores."""
    return int(text.replace("_", ""))


class Watch:
    """CPU time and peak memory of the JVM and of its Python workers."""

    def __init__(self) -> None:
        self.spent: dict[str, dict[int, float]] = {"spark": {}, "python workers": {}}
        self.peak = {"spark": 0, "python workers": 0}
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._poll, daemon=True)

    def __enter__(self) -> Watch:
        self.start = self.seconds()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
        self.used = {kind: round(value - self.start[kind], 1) for kind, value in self.seconds().items()}

    def _poll(self) -> None:
        while not self._end.wait(1.0):
            self.seconds()

    def seconds(self) -> dict[str, float]:
        """CPU seconds by kind of process; a worker that ended counts in the daemon that waited for it."""
        for process in psutil.Process().children(recursive=True):
            try:
                kind = "spark" if "java" in process.name() else "python workers"
                times = process.cpu_times()
                # the JVM's children are counted on their own; workers that ended only in their parent
                children = 0.0 if kind == "spark" else times.children_user + times.children_system
                self.spent[kind][process.pid] = times.user + times.system + children
                self.peak[kind] = max(self.peak[kind], process.memory_info().rss // 2**20)
            except psutil.NoSuchProcess:
                continue
        # only live processes: a worker that ended is already in its parent's time
        alive = {process.pid for process in psutil.Process().children(recursive=True)}
        return {kind: sum(s for pid, s in seen.items() if pid in alive) for kind, seen in self.spent.items()}


def session(scratch: str) -> Any:
    """A Spark session on two cores of this machine."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "4g")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": scratch,
        "spark.network.timeout": "36000s",  # a paused machine must not count as a lost executor
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
    }.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def score(spark: Any, files: tuple[Path, Path], shards: int, *, check: bool) -> dict[str, Any]:
    """The cost of one evaluation, reduced to means by run and metric."""
    from diveval.integrations.spark import evaluate

    spark.conf.set("spark.sql.shuffle.partitions", shards)
    judgments, runs = (spark.read.parquet(str(path)) for path in files)
    known = {"names": ["new", "old"], "highest": 3.0, "check": check}
    with Watch() as watch:
        started = time.perf_counter()
        scores = evaluate(judgments=judgments, runs=runs, metrics=METRICS, shards=shards, **known)
        rows = scores.groupBy("run", "metric").agg({"value": "avg", "topic": "count"}).collect()
        seconds = time.perf_counter() - started
    cost = {"shards": shards, "seconds": round(seconds, 1), **{f"CPU s, {k}": v for k, v in watch.used.items()}}
    cost |= {f"peak MB, {k}": v for k, v in watch.peak.items()}
    return {**cost, "topics": rows[0]["count(topic)"]}


def compare_local(spark: Any, files: tuple[Path, Path], shards: int, folder: Path) -> dict[str, Any]:
    """How many values differ in any bit from the local path, and the CPU time of that path in one process."""
    import numpy as np
    import pyarrow.parquet as pq

    from diveval.integrations.spark import evaluate
    from diveval.scoring.shards.local import evaluate_to_parquet

    started = time.process_time()
    evaluate_to_parquet(*files, METRICS, folder / "local.parquet", jobs=1)
    local = time.process_time() - started
    judgments, runs = (spark.read.parquet(str(path)) for path in files)
    evaluate(
        judgments=judgments, runs=runs, metrics=METRICS, shards=shards, names=["new", "old"], highest=3.0
    ).write.parquet(str(folder / "s"))
    keys = ["run", "metric", "topic"]
    tables = [pq.read_table(path, columns=[*keys, "value"]) for path in (folder / "local.parquet", folder / "s")]
    ordered = [table.sort_by([(key, "ascending") for key in keys]) for table in tables]
    same = all(ordered[0][key].to_pylist() == ordered[1][key].to_pylist() for key in keys)
    bits = [np.asarray(table["value"]).view(np.int64) for table in ordered]
    differ = int((bits[0] != bits[1]).sum()) if same else -1
    return {"CPU s, local path": round(local, 1), "values": len(bits[0]), "values that differ": differ}


def main() -> None:
    """Score with each number of shards; a line of JSON for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=number, default=10_000_000)
    parser.add_argument("--shards", type=int, nargs="+", help="groups of topics (default: a million rows each)")
    parser.add_argument("--local", action="store_true", help="also score without Spark and compare")
    parser.add_argument("--trust", action="store_true", help="skip the passes that look for bad rows")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        files = make(Path(scratch), arguments.rows, seed=1)
        spark = session(scratch)
        for shards in arguments.shards or [max(2, arguments.rows // 1_000_000)]:
            cost = score(spark, files, shards, check=not arguments.trust)
            if arguments.local:
                cost |= compare_local(spark, files, shards, Path(scratch))
            print(json.dumps({**cost, "load": round(os.getloadavg()[0], 1)}), flush=True)
        spark.stop()


if __name__ == "__main__":
    main()
