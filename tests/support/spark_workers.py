"""Spark's Python workers, forked from a process that has the libraries loaded, which saves a second per worker."""

import gc

import pyarrow.parquet  # noqa: F401
from pyspark import worker  # noqa: F401
from pyspark.daemon import manager

import diveval.metrics.compat.ndeval
import diveval.scoring.shards  # noqa: F401

if __name__ == "__main__":
    gc.freeze()  # the garbage collector would cause the parent's memory to be copied
    manager()
