"""The extra `polars`: polars frames as judgments and runs, and results as frames."""

import polars

import diveval

judged = polars.DataFrame({"topic": ["1"], "aspect": ["a"], "document": ["d"], "grade": [1]})
scores = diveval.evaluate(judged, {"1": {"d": 1.0}}, "StRecall@1")
assert scores.to_polars()["value"].to_list() == [1.0]
