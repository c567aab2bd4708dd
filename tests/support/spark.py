"""Small Spark sessions for tests: fast to start, without a user interface, on the loopback address only."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from support.shared import times

# For short jobs on few cores: little compilation, simple garbage collection, no code generation or verification.
FRUGAL = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
SETTINGS: dict[str, bool | float | int | str | None] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.log.level": "OFF",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.memory": "512m",
    "spark.driver.extraJavaOptions": FRUGAL,
    "spark.executor.extraJavaOptions": FRUGAL,
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.adaptive.enabled": "false",
}
# Workers that have the libraries loaded; `make thorough` uses Spark's own workers.
WARM_WORKERS: dict[str, bool | float | int | str | None] = {
    "spark.python.daemon.module": "support.spark_workers",
    "spark.executorEnv.PYTHONPATH": str(Path(__file__).parents[1]),
}


def session(master: str) -> Any:
    """A Spark session with this master."""
    from pyspark.sql import SparkSession

    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1", SPARK_LOCAL_HOSTNAME="localhost")
    builder = SparkSession.builder.master(master).appName("diveval-tests")
    return builder.config(map=times({**SETTINGS, **WARM_WORKERS}, SETTINGS)).getOrCreate()
