"""The extra `meta`: a significance test."""

import numpy as np

from diveval.results.scores import Scores
from diveval.stats import compare

values = np.random.default_rng(0).uniform(size=(3, 1, 30))
result = compare(Scores.of(values, runs=["a", "b", "c"], metrics=["M"], topics=[str(t) for t in range(30)]))
assert len(result.rows) == 3 and all(0 <= row.p <= 1 for row in result.rows)
