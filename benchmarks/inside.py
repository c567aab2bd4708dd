"""Costs within a process, without its start: python benchmarks/inside.py WHAT ARGUMENT… prints a line of JSON.

tables files|polars|pandas|arrow|tuples QRELS RUN   six diversity metrics from files or from shapes in memory
tuples-ir_measures QRELS RUN                        the same from ir_measures' own tuples, by ir_measures
variants QRELS RUN…                                 scoring a hundred variants, everything in memory
variants-ranx QRELS RUN…                            five metrics of ranx, everything in memory
unanimity METRICS SYSTEMS TOPICS                    Metric Unanimity of random scores with 1,000 bootstrap samples
small-groups QRELS RUN FOLDER                       `evaluate_parquet` where each row group has one row
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools import OURS, SIX_OF_IR_MEASURES, _flat, variants

SIX = list(OURS.values())
FIVE = ["map", "mrr", "precision@20", "recall@20", "ndcg@20"]


def seconds_of(work: Callable[[], Any], times: int = 1) -> float:
    """The smallest CPU time of some calls."""
    spent = []
    for _ in range(times):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def _columns(qrels: str, run: str) -> tuple[Any, Any]:
    """Judgments and run as Arrow tables."""
    import pyarrow as pa
    import pyarrow.csv as pc

    def read(path: str, names: list[str], kept: dict[str, pa.DataType]) -> pa.Table:
        types = {name: kept.get(name, pa.string()) for name in names}
        options = pc.ConvertOptions(column_types=types, include_columns=list(kept))
        return pc.read_csv(path, pc.ReadOptions(column_names=names), pc.ParseOptions(delimiter=" "), options)

    text, whole = pa.string(), pa.int64()
    judged = {"topic": text, "aspect": text, "document": text, "grade": whole}
    listed = {"topic": text, "document": text, "rank": whole, "score": pa.float64()}
    return read(qrels, list(judged), judged), read(run, ["topic", "q0", "document", "rank", "score", "tag"], listed)


def tables(kind: str, qrels: str, run: str) -> float:
    import diveval

    def in_shape(judged: Any, listed: Any) -> tuple[Any, Any]:
        if kind == "polars":
            import polars

            return polars.from_arrow(judged), polars.from_arrow(listed)
        if kind == "tuples":
            return _tuples(judged, listed)
        return (judged.to_pandas(), listed.to_pandas()) if kind == "pandas" else (judged, listed)

    judged, listed = _columns(qrels, run)
    given = (qrels, run) if kind == "files" else in_shape(judged, listed)
    diveval.evaluate(*in_shape(judged.slice(0, 100), listed.slice(0, 20)), SIX)  # loads every library
    return seconds_of(lambda: diveval.evaluate(*given, SIX, jobs=1), 2)


def _tuples(judged: Any, listed: Any) -> tuple[Any, Any]:
    """ir_measures' own tuples."""
    from ir_measures.util import Qrel, ScoredDoc

    names = ("topic", "document", "grade", "aspect")
    return (
        [Qrel(t, d, g, a) for t, d, g, a in zip(*(judged[name].to_pylist() for name in names), strict=True)],
        [
            ScoredDoc(*row)
            for row in zip(*(listed[name].to_pylist() for name in ("topic", "document", "score")), strict=True)
        ],
    )


def tuples_in_ir_measures(qrels: str, run: str) -> float:
    import ir_measures

    given = _tuples(*_columns(qrels, run))
    measures = [ir_measures.parse_measure(name) for name in SIX_OF_IR_MEASURES]
    return seconds_of(lambda: list(ir_measures.iter_calc(measures, *given)))


def score_variants(qrels: str, *runs: str) -> float:
    from diveval.metrics.names import as_metrics
    from diveval.scoring.evaluate import load_judgments, rank_all
    from diveval.scoring.scorer import score
    from diveval.settings import Options

    options, metrics = Options(jobs=1), as_metrics(variants())
    judgments = load_judgments(qrels, options)
    rankings = rank_all(judgments, list(runs), metrics, options, keep_documents=False)
    return seconds_of(lambda: score(judgments, rankings, metrics, options), 5)


def variants_in_ranx(qrels: str, *runs: str) -> float:
    import ranx

    truth = ranx.Qrels(_flat(qrels))
    loaded = [ranx.Run.from_file(run, kind="trec") for run in runs]
    ranx.evaluate(truth, loaded[0], FIVE)  # compiles and is not counted
    return seconds_of(lambda: [ranx.evaluate(truth, run, FIVE) for run in loaded])


def agree_unanimously(*size: str) -> float:
    """Metrics correlated with one quality, with ties, like real variants."""
    import numpy as np

    from diveval.meta.unanimity import unanimity
    from diveval.results.scores import Scores

    metrics, systems, topics = map(int, size)
    rng = np.random.default_rng(7)
    noise, quality = rng.random((systems, metrics, topics)), rng.random((systems, 1, topics))
    scores = Scores.of(
        np.round(quality + rng.uniform(0.0, 0.02, (1, metrics, 1)) * noise, 2),
        runs=[f"r{i}" for i in range(systems)],
        metrics=[f"m(i={i})" for i in range(metrics)],
        topics=[f"t{i:04}" for i in range(topics)],
    )
    return seconds_of(lambda: unanimity(scores, bootstrap=1000))


def small_groups(qrels: str, run: str, folder: str) -> dict[str, float]:
    """The first 20,000 rows of each, in row groups of one row; `evaluate` on the same files beside it."""
    import pyarrow.parquet as pq

    import diveval
    from diveval.scoring.shards import evaluate_parquet

    paths = Path(folder) / "judgments.parquet", Path(folder) / "n.parquet"
    judged, listed = _columns(qrels, run)
    for path, table in zip(paths, (judged.slice(0, 17_000), listed.slice(0, 20_000)), strict=True):
        pq.write_table(table, path, row_group_size=1)
    diveval.evaluate(judged.slice(0, 100), listed.slice(0, 20), SIX)
    return {
        "seconds": seconds_of(lambda: evaluate_parquet(*paths, SIX)),
        "evaluate": seconds_of(lambda: diveval.evaluate(*paths, SIX)),
    }


WORK: dict[str, Callable[..., Any]] = {
    "tables": tables,
    "tuples-ir_measures": tuples_in_ir_measures,
    "variants": score_variants,
    "variants-ranx": variants_in_ranx,
    "unanimity": agree_unanimously,
    "small-groups": small_groups,
}

if __name__ == "__main__":
    found = WORK[sys.argv[1]](*sys.argv[2:])
    answer = found if isinstance(found, dict) else {"seconds": found}
    print(json.dumps({**answer, "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
