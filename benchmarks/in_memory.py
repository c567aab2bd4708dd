"""Scoring time with the data in memory: a hundred variants in diveval, five metrics in ranx. Prints one line of JSON.

python benchmarks/in_memory.py diveval|ranx QRELS RUN...
"""

from __future__ import annotations

import json
import sys
import time

from tools import _flat, variants

REPEATS = 5
FIVE = ["map", "mrr", "precision@20", "recall@20", "ndcg@20"]


def diveval_seconds(qrels: str, runs: list[str]) -> list[float]:
    from diveval.metrics.names import as_metrics
    from diveval.scoring.evaluate import load_judgments, rank_all
    from diveval.scoring.scorer import score
    from diveval.settings import Options

    options, metrics = Options(jobs=1), as_metrics(variants())
    judgments = load_judgments(qrels, options)
    rankings = rank_all(judgments, runs, metrics, options, keep_documents=False)
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        score(judgments, rankings, metrics, options)
        seconds.append(time.process_time() - start)
    return seconds


def ranx_seconds(qrels: str, runs: list[str]) -> list[float]:
    import ranx

    truth = ranx.Qrels(_flat(qrels))
    loaded = [ranx.Run.from_file(run, kind="trec") for run in runs]
    ranx.evaluate(truth, loaded[0], FIVE)  # compiles and is not counted
    start = time.process_time()
    for run in loaded:
        ranx.evaluate(truth, run, FIVE)
    return [time.process_time() - start]


def main() -> None:
    name, qrels, *runs = sys.argv[1:]
    print(json.dumps({"diveval": diveval_seconds, "ranx": ranx_seconds}[name](qrels, runs)))


if __name__ == "__main__":
    main()
