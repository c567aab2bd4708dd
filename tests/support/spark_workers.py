"""Spark's Python workers, forked from a process that has loaded what they need: each would load it for a second."""

import pandas  # noqa: F401
import pyarrow.parquet  # noqa: F401
from pyspark import worker  # noqa: F401
from pyspark.daemon import manager

import diveval.integrations.spark
import diveval.metrics.compat.ndeval  # noqa: F401

if __name__ == "__main__":
    manager()
