"""The extra `table`: a table on a terminal."""

import rich  # noqa: F401

import diveval

scores = diveval.evaluate({"1": {"a": {"d": 1}}}, {"1": {"d": 1.0}}, "RBU@20")
assert "RBU" in scores.to_csv()
