"""The extra `frames`: any frame that narwhals knows; the frame library is the user's own."""

import narwhals  # noqa: F401

import diveval

assert diveval.evaluate({"1": {"a": {"d": 1}}}, {"1": {"d": 1.0}}, "StRecall@1").mean()["run"]["StRecall@1"] == 1.0
