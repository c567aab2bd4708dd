"""Shards of a collection (all runs, some topics), for several processes, parquet of any size and Spark.

Topics are independent, so a shard is the unit of parallel work. Every shard is scored by the evaluation behind
`diveval.evaluate`; this package only plans and distributes the work.
"""

from diveval.scoring.shards.local import evaluate_parquet, evaluate_to_parquet
from diveval.scoring.shards.one_shard import emit_warnings, join_parts, score_shard, score_tables, scores_from_table
from diveval.scoring.shards.plan import make_plan

__all__ = [
    "emit_warnings",
    "evaluate_parquet",
    "evaluate_to_parquet",
    "join_parts",
    "make_plan",
    "score_shard",
    "score_tables",
    "scores_from_table",
]
