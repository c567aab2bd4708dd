"""The extra `arrow`: Arrow tables in, parquet files in, an Arrow table out."""

import pyarrow as pa
import pyarrow.parquet as pq

import diveval
from diveval.cli import main

judgments = pa.table({"topic": ["1", "1"], "aspect": ["a", "b"], "document": ["d", "e"], "grade": [1, 1]})
run = pa.table({"topic": ["1", "1"], "document": ["d", "x"], "score": [2.0, 1.0]})
scores = diveval.evaluate(judgments, run, "StRecall@1")
assert scores.to_arrow()["value"].to_pylist() == [0.5]
pq.write_table(judgments, "q.parquet")
pq.write_table(run, "r.parquet")
assert main(["evaluate", "q.parquet", "r.parquet", "-m", "StRecall@1"]) == 0
