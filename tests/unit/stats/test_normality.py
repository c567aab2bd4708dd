"""The Shapiro–Wilk test, against scipy's."""

from __future__ import annotations

import numpy as np
import pytest

from diveval.stats.power import shapiro_wilk
from support.late import late_or_skip
from support.shared import times

stats = late_or_skip("scipy.stats")


@pytest.mark.filterwarnings("ignore:.*N > 5000")
@pytest.mark.parametrize("n", [*range(3, 15), 50, 51, 249, 5001])
def test_p_equals_scipy(n: int) -> None:
    """p is scipy's for normal, skewed, heavy-tailed and tied values of any size and scale, to scipy's six digits."""
    draws = np.random.default_rng(n)
    for _ in range(times(3, 100)):
        for values in (
            draws.normal(size=n),
            draws.exponential(size=n),
            draws.standard_t(2, size=n) * 1e6 + 3,
            np.append(draws.integers(0, 3, n - 1), 3.0) / 1e9,
            np.append(np.zeros(n - 1), 1.0),
        ):
            assert shapiro_wilk(values) == pytest.approx(stats.shapiro(values).pvalue, rel=1e-5, abs=1e-9)
