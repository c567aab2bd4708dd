"""Spark's Python workers, forked from a process that has loaded what they need: each would load it for a second."""

import gc

import pyarrow.parquet  # noqa: F401
from pyspark import worker  # noqa: F401
from pyspark.daemon import manager

import diveval.metrics.compat.ndeval
import diveval.shards  # noqa: F401

if __name__ == "__main__":
    gc.freeze()  # memory of the parent that the garbage collector touched would be copied
    manager()
