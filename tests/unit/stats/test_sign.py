"""The sign test: p of scipy's binomial test, and an interval that excludes 0 exactly where it is significant."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from diveval.stats.paired import Paired, sign
from support.shared import times


@pytest.mark.parametrize("seed", range(times(4, 40)))
def test_p_is_that_of_the_binomial_test(seed: int) -> None:
    """Ties are dropped; the median and its interval agree with the test at every level."""
    source = np.random.default_rng(seed)
    topics = int(source.integers(1, 60))
    a, b = np.round(source.normal(source.normal(0, 0.5), 1, (6, topics)), 1), np.zeros((6, topics))
    level = source.choice([0.01, 0.05, 0.2, 0.5], 6)
    found = sign(Paired.of(a, b, np.ones((6, topics), dtype=bool)), level)
    for i in range(6):
        kept = a[i][a[i] != 0]
        expected = stats.binomtest(int((kept > 0).sum()), len(kept)).pvalue if len(kept) else 1.0
        assert found.p[i] == pytest.approx(expected, abs=1e-12)
        assert (found.p[i] < level[i]) == (found.low[i] > 0 or found.high[i] < 0)
        assert found.low[i] <= found.estimate[i] <= found.high[i]


def test_a_monotone_change_of_the_scores_changes_nothing() -> None:
    """Only which run is better matters: any growing function of the scores gives the same p."""
    source = np.random.default_rng(3)
    a, b, shared = source.random((3, 25)), source.random((3, 25)), np.ones((3, 25), dtype=bool)
    level = np.full(3, 0.05)
    assert sign(Paired.of(a, b, shared), level).p.tolist() == sign(Paired.of(a**3, b**3, shared), level).p.tolist()
