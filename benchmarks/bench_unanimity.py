"""Time and memory of Metric Unanimity: 120 metrics × 100 systems × 250 topics on one core.

Usage: python benchmarks/bench_unanimity.py [--metrics N --systems N --topics N]
"""

from __future__ import annotations

import argparse
import os
import resource
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from diveval.meta.unanimity import unanimity
from diveval.results.scores import Scores

KINDS = {
    "related": "metrics correlated with one quality, with ties, like real variants",
    "random": "independent metrics: no pair is unanimous",
    "equal": "identical metrics: every pair is unanimous",
}


def table(kind: str, metrics: int, systems: int, topics: int) -> Scores:
    """Scores from a fixed seed."""
    rng = np.random.default_rng(7)
    quality = rng.random((systems, 1, topics))
    noise = rng.random((systems, metrics, topics))
    spread = {"related": rng.uniform(0.0, 0.02, (1, metrics, 1)), "random": 1e6, "equal": 0.0}[kind]
    values = np.round(quality + spread * noise, 2)
    names = [f"m(i={i})" for i in range(metrics)]
    runs, ids = [f"r{i}" for i in range(systems)], [f"t{i:04}" for i in range(topics)]
    return Scores.of(values, runs=runs, metrics=names, topics=ids)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--metrics", type=int, default=120)
    parser.add_argument("--systems", type=int, default=100)
    parser.add_argument("--topics", type=int, default=250)
    args = parser.parse_args()
    size = (args.metrics, args.systems, args.topics)
    print(f"{size[0]} metrics × {size[1]} systems × {size[2]} topics; seconds without and with bootstrap (1000)")
    for kind, meaning in KINDS.items():
        scores = table(kind, *size)
        seconds = []
        for resamples in (0, 1000):
            start = time.perf_counter()
            unanimity(scores, bootstrap=resamples)
            seconds.append(time.perf_counter() - start)
        print(f"{kind:8} {seconds[0]:6.2f} {seconds[1]:6.2f}   {meaning}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of the process {peak:.0f} MB")


if __name__ == "__main__":
    main()
