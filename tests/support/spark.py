"""A Spark for tests: small, quick to start, and it listens to nobody."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

# Short jobs on few cores: compile little, collect simply, generate no code, trust Spark's own classes.
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
    "spark.python.daemon.module": "support.spark_workers",
    "spark.executorEnv.PYTHONPATH": str(Path(__file__).parents[1]),
}


def session(master: str) -> Any:
    """A session of this master."""
    from pyspark.sql import SparkSession

    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1", SPARK_LOCAL_HOSTNAME="localhost")
    builder = SparkSession.builder.master(master).appName("diveval-tests")
    return builder.config(map=SETTINGS).getOrCreate()
