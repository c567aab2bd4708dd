"""The extra `frames`: pandas frames as judgments and runs, and results as frames."""

import pandas

import diveval

judged = pandas.DataFrame({"topic": ["1"], "aspect": ["a"], "document": ["d"], "grade": [1]})
scores = diveval.evaluate(judged, {"1": {"d": 1.0}}, "StRecall@1")
assert scores.to_pandas()["value"].tolist() == [1.0]
