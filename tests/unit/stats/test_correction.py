"""Corrections for multiple comparisons, against scipy and published values."""

from typing import Any

import numpy as np
import pytest

from diveval.stats import benjamini_hochberg, holm
from support.late import late
from support.refusals import refuses

stats = late("scipy.stats")

# The fifteen p-values of Benjamini and Hochberg's own example (1995, section 3.2).
PUBLISHED = [
    0.0001,
    0.0004,
    0.0019,
    0.0095,
    0.0201,
    0.0278,
    0.0298,
    0.0344,
    0.0459,
    0.3240,
    0.4262,
    0.5719,
    0.6528,
    0.7590,
    1.0,
]


def test_benjamini_hochberg_rejects_what_its_paper_rejects() -> None:
    """At 0.05 four hypotheses are rejected under FDR control, three by Holm's method."""
    assert np.count_nonzero(benjamini_hochberg(PUBLISHED) <= 0.05) == 4
    assert np.count_nonzero(holm(PUBLISHED) <= 0.05) == 3


def test_holm_gives_the_textbook_values() -> None:
    """Worked example: 4·0.005, 3·0.01, 2·0.03, and 0.04 raised to its neighbour."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_benjamini_hochberg_equals_scipy() -> None:
    """scipy's false_discovery_control gives the same values on random p-values."""
    rng = np.random.default_rng(3)
    for size in (1, 2, 17, 100):
        p = rng.random(size) ** 3
        assert benjamini_hochberg(p) == pytest.approx(stats.false_discovery_control(p), rel=1e-12)


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_empty_and_invalid_p_values(adjust: Any) -> None:
    """No p-values give an empty result, and numbers outside [0, 1] are an error."""
    assert len(adjust([])) == 0
    with refuses("out-of-range", "0", "1"):
        adjust([0.5, 1.5])
    with refuses("out-of-range", "0", "1"):
        adjust([float("nan")])
