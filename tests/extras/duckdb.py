"""The extra `duckdb`: relations in, a relation out."""

import duckdb

import diveval

judgments = duckdb.sql("select '1' as topic, 'a' as aspect, 'd' as document, 1 as grade")
run = duckdb.sql("select '1' as topic, 'd' as document, 1.0 as score")
assert diveval.evaluate(judgments, run, "StRecall@1").to_duckdb().fetchall()[0][-1] == 1.0
