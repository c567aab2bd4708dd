"""Exact roots and regions: every border is enclosed, including those between sample points."""

import re
from fractions import Fraction as F
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diveval.axioms import check
from diveval.exact.roots import WIDTH, at, isolate_roots, never_negative, positive_set
from support.present import present

small = st.fractions(min_value=-2, max_value=3, max_denominator=24)


def product(roots: Any, repeated: Any) -> Any:
    """The polynomial with these roots, some of them twice."""
    poly = [F(1)]
    for root, times in zip(roots, repeated, strict=False):
        for _ in range(times):
            poly = [a - root * b for a, b in zip([F(0), *poly], [*poly, F(0)], strict=True)]
    return poly


@given(st.lists(small, min_size=1, max_size=5, unique=True), st.lists(st.integers(1, 2), min_size=5, max_size=5))
@settings(max_examples=60, deadline=None)
def test_every_root_is_enclosed_and_every_sign_is_right(roots: Any, repeated: Any) -> None:
    """Each root has one narrow enclosure, and the polynomial is positive exactly on the returned set."""
    poly = product(sorted(roots), repeated)
    enclosures = isolate_roots(poly, F(0), F(1))
    expected = [root for root in sorted(roots) if 0 < root < 1]
    assert len(enclosures) == len(expected)
    assert all(a <= root <= b and b - a <= WIDTH for (a, b), root in zip(enclosures, expected, strict=True))
    pieces = positive_set(poly, F(0), F(1))
    for i in range(1, 60):
        x = F(i, 61)
        if not any(a <= x <= b for a, b in enclosures):
            assert (at(poly, x) > 0) == any(low[1] <= x <= high[0] for low, high in pieces)


def test_a_border_between_two_samples_is_found() -> None:
    """RBU(p=0.999,e=0.0001) fails CloseTh at r_c = 0.999: the printed upper end of r_c is below it."""
    region = present(check("RBU(p=0.999,e=0.0001)", "CloseTh", reading="as-written").region)
    high = present(re.search(r"r_c < (0\.\d+)", region.numbers[0]))[1]
    assert F("0.9975") < F(high) < F("0.998")


def test_each_cutoff_has_its_own_border() -> None:
    """α-nDCG@k: 0.1671 at k = 6 and 7, 0.2320 at 8 and 9, 0.2512 at 10 and 11."""
    for k, border in ((6, "0.1671"), (7, "0.1671"), (8, "0.2320"), (9, "0.2320"), (10, "0.2512"), (11, "0.2512")):
        number = present(check(f"alpha_nDCG@{k}", "CloseTh").region).numbers[0]
        assert abs(F(present(re.search(r"< (0\.\d+)", number))[1]) - F(border)) < F(1, 10**4), k


@pytest.mark.parametrize("end", [F(1, 2), F(1)])
def test_the_sign_over_a_whole_interval(end: F) -> None:
    """Positive, touching 0 or a point below 0: as the roots with which the polynomial is made say."""
    source = Random(7)
    for _ in range(300):
        roots = [
            F(source.randrange(0, 9), 8) + source.choice([F(0), F(0), F(1, 10**12)]) for _ in range(source.randrange(5))
        ]
        poly = product(roots, [1] * len(roots))
        between = sorted({F(0), end, *(root for root in roots if 0 <= root <= end)})
        points = [*between, *((a + b) / 2 for a, b in pairwise(between))]
        found = never_negative(poly, F(0), end)
        if any(at(poly, x) < 0 for x in points):
            assert isinstance(found, F) and 0 <= found <= end and at(poly, found) < 0
        else:
            assert found == ("touches" if any(at(poly, x) == 0 for x in points) else True)
