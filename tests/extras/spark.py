"""The extra `spark`: judgments and a run as Spark frames."""

from pyspark.sql import SparkSession

from diveval.integrations.spark import evaluate

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
judgments = spark.createDataFrame([("1", "a", "d", 1)], ["topic", "aspect", "document", "grade"])
run = spark.createDataFrame([("1", "d", 1.0)], ["topic", "document", "score"])
rows = evaluate(judgments=judgments, runs=run, metrics="StRecall@1").collect()
assert [row["value"] for row in rows] == [1.0]
spark.stop()
