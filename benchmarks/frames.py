"""Workload F, which is N from frames in memory: python benchmarks/frames.py files|polars|pandas|arrow QRELS RUN

Prints the CPU seconds of the evaluation alone, without loading libraries and creating frames.
"""

from __future__ import annotations

import sys
import time

import pyarrow as pa
import pyarrow.csv as pc
from tools import OURS

import diveval

SIX = list(OURS.values())


def read(path: str, names: list[str], kept: dict[str, pa.DataType]) -> pa.Table:
    options = pc.ConvertOptions(
        column_types={name: kept.get(name, pa.string()) for name in names}, include_columns=list(kept)
    )
    return pc.read_csv(path, pc.ReadOptions(column_names=names), pc.ParseOptions(delimiter=" "), options)


def main() -> None:
    kind, qrels, run = sys.argv[1:]
    text = pa.string()
    judged = read(
        qrels,
        ["topic", "aspect", "document", "grade"],
        {"topic": text, "aspect": text, "document": text, "grade": pa.int64()},
    )
    listed = read(
        run,
        ["topic", "q0", "document", "rank", "score", "tag"],
        {"topic": text, "document": text, "rank": pa.int64(), "score": pa.float64()},
    )
    shapes = {"files": lambda: (qrels, run), "arrow": lambda: (judged, listed)}
    if kind == "polars":
        import polars

        frames = polars.from_arrow(judged), polars.from_arrow(listed)
        shapes["polars"] = lambda: frames
    if kind == "pandas":
        frames = judged.to_pandas(), listed.to_pandas()
        shapes["pandas"] = lambda: frames
    given = shapes[kind]()
    head = judged.slice(0, 100), listed.slice(0, 20)
    diveval.evaluate(*(frame.to_pandas() for frame in head), SIX)  # loads every library
    if kind == "polars":
        diveval.evaluate(*(polars.from_arrow(frame) for frame in head), SIX)
    start = time.process_time()
    diveval.evaluate(*given, SIX, jobs=1)
    print(time.process_time() - start)


if __name__ == "__main__":
    main()
