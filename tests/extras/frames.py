"""The extra `frames`: narwhals, without a frame library, which the user installs."""

import narwhals  # noqa: F401

import diveval

assert diveval.evaluate({"1": {"a": {"d": 1}}}, {"1": {"d": 1.0}}, "StRecall@1").mean()["run"]["StRecall@1"] == 1.0
