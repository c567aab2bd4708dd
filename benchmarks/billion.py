"""A billion rows in Spark: every part is generated where it is scored, without disk space and without a shuffle.

    python benchmarks/billion.py --rows 1_000_000_000 --log pieces.jsonl

The collection is that of bench_scale.py, with other topics and documents in every part of a million rows. `local[2]`
scores ten parts at a time (a piece), reduced to means by run and metric. Each finished piece is a line of the log, and the
same command resumes after the last line. In every tenth piece one part is also scored by `diveval.evaluate`, and all bits
must be equal.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from bench_scale import DEPTH, METRICS, RUNS, tables
from bench_spark import Watch, number, session

import diveval
from diveval.integrations.spark import evaluate_parts, to_scores

PART = 1_000_000  # rows
TOPICS = PART // (RUNS * DEPTH)
PIECE = 10  # parts scored at a time
CHECKED = 10  # every tenth piece is compared


def read(part: dict[str, Any]) -> tuple[Any, Any]:
    """The judgments and runs of a part."""
    start = part["id"] * TOPICS
    return tables(np.random.default_rng(part["id"]), start, start + TOPICS)


def scored(spark: Any, first: int, last: int) -> Any:
    """The scores of some parts, as a frame."""
    parts = spark.range(first, last, 1, last - first)
    return evaluate_parts(parts, read, METRICS, names=["old", "new"], highest=3.0)


def differing(spark: Any, part: int) -> tuple[int, int]:
    """The number of values of a part, and how many differ in any bit from those of `diveval.evaluate`."""
    judgments, runs = read({"id": part})
    own = diveval.evaluate(judgments, runs, METRICS)
    found = to_scores(scored(spark, part, part + 1)).select(runs=own.runs, metrics=own.metrics)
    assert found.topics == own.topics
    return own.values.size, int((found.values.view(np.int64) != own.values.view(np.int64)).sum())


def piece(spark: Any, first: int, last: int) -> dict[str, Any]:
    """The means of some parts, and their cost."""
    with Watch() as watch:
        started = time.perf_counter()
        rows = scored(spark, first, last).groupBy("run", "metric").agg({"value": "avg", "topic": "count"}).collect()
        seconds = time.perf_counter() - started
    cost: dict[str, Any] = {"seconds": round(seconds, 1), **{f"CPU s, {k}": v for k, v in watch.used.items()}}
    cost |= {f"peak MB, {k}": v for k, v in watch.peak.items()}
    cost |= {"values": sum(row["count(topic)"] for row in rows), "load": round(os.getloadavg()[0], 1)}
    means = {f"{row['run']} {row['metric']}": row["avg(value)"] for row in rows}
    return {**cost, "means": dict(sorted(means.items()))}


def summary(done: list[dict[str, Any]]) -> dict[str, Any]:
    """The total cost of all pieces, the peak memory, and the means over all topics."""
    summed = ("rows", "values", "seconds", "CPU s, spark", "CPU s, python workers", "checked", "differ")
    total: dict[str, Any] = {name: round(sum(line[name] for line in done), 1) for name in summed}
    total |= {name: max(line[name] for line in done) for name in done[0] if name.startswith("peak")}
    weights = np.array([line["rows"] for line in done]) / total["rows"]
    named = done[0]["means"]
    means = {name: round(float(weights @ [line["means"][name] for line in done]), 6) for name in named}
    return {**total, "load": [min(line["load"] for line in done), max(line["load"] for line in done)], "means": means}


def main() -> None:
    """Score piece by piece; print one line of JSON per piece and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=number, default=1_000_000_000)
    parser.add_argument("--log", default="billion.jsonl", help="file of the finished pieces, to resume a stopped run")
    options = parser.parse_args()
    log = Path(options.log)
    done = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    parts = options.rows // PART
    # Spark's workers start in another folder and need this path to import the functions of these files.
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    with tempfile.TemporaryDirectory() as scratch:
        spark = session(scratch)
        spark.conf.set("spark.sql.shuffle.partitions", 2)  # the result has only ten rows
        for first in range(PIECE * len(done), parts, PIECE):
            last = min(first + PIECE, parts)
            line = {"piece": len(done), "rows": (last - first) * PART, **piece(spark, first, last)}
            line["checked"], line["differ"] = differing(spark, first) if len(done) % CHECKED == 0 else (0, 0)
            line["peak MB, this process"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            done.append(line)
            with log.open("a") as out:
                out.write(json.dumps(line) + "\n")
            print(json.dumps({name: value for name, value in line.items() if name != "means"}), flush=True)
        spark.stop()
    print(json.dumps(summary(done)))


if __name__ == "__main__":
    main()
