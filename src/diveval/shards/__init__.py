"""Shards of a collection (all runs, some topics), for several processes, parquet of any size and Spark.

Topics are independent, so a shard is the unit of parallel work. Every shard is scored by the evaluation behind
`diveval.evaluate`; this package only plans and distributes the work.
"""

from diveval.shards.local import evaluate_parquet, evaluate_to_parquet
from diveval.shards.one_shard import joined, score_shard, score_tables, scores_from_table, tell
from diveval.shards.plan import make_plan

__all__ = [
    "evaluate_parquet",
    "evaluate_to_parquet",
    "joined",
    "make_plan",
    "score_shard",
    "score_tables",
    "scores_from_table",
    "tell",
]
