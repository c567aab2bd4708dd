"""Shards: some topics of a collection with everything about them, scored by one pure function over Arrow tables.

Topics are independent, so a shard (all runs, some topics) is the unit of parallel work: a process on one machine, a
task of Spark beyond it. Both call `score_shard`, which gives the numbers `evaluate` gives, to the last bit.
"""

from diveval.shards.local import evaluate_parquet, evaluate_to_parquet
from diveval.shards.plan import make_plan
from diveval.shards.scoring import score_shard, scores_from_table

__all__ = ["evaluate_parquet", "evaluate_to_parquet", "make_plan", "score_shard", "scores_from_table"]
