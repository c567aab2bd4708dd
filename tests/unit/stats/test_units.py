"""The unit of the scores and a constant added to all of them do not change p, and scipy agrees."""

import warnings
from typing import Any, Literal

import numpy as np
import pytest

from diveval.errors import DivevalWarning
from diveval.meta import discriminative
from diveval.results.scores import Scores
from diveval.stats import compare, interval
from support.late import late

stats = late("scipy.stats")

UNITS = [(1e-3, 0.0), (1e-5, 0.3), (1 / 3, 1 / 7), (1e6, -3e6), (1.0, 1000.0)]
TESTS = ["t", "randomization", "bootstrap", "wilcoxon", "sign", "tukey"]


def table(values: Any) -> Any:
    names = [f"r{i}" for i in range(len(values))]
    topics = [f"t{t:03}" for t in range(len(values[0]))]
    return Scores.of(np.asarray(values, dtype=float)[:, None], runs=names, metrics=["m"], topics=topics)


def compared(values: Any, test: Any, **options: Any) -> Any:
    """Rows by pair, so that the order of equal means does not matter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivevalWarning)
        result = compare(table(values), test=test, correction="none", resamples=1000, **options)
    return {frozenset((row.run, row.other)): row for row in result.rows}


def integers(seed: int, topics: int = 14, most: int = 4) -> Any:
    """Few different scores, so that there are many ties."""
    return np.random.default_rng(seed).integers(0, most, size=(3, topics)).astype(float)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("seed", range(4))
def test_p_does_not_depend_on_unit_or_shift(test: Any, seed: int) -> None:
    """Scaled or shifted scores give the same p, and intervals in the new unit."""
    values = integers(seed)
    expected = compared(values, test)
    for unit, shift in UNITS:
        for pair, row in compared(values * unit + shift, test).items():
            assert row.p == pytest.approx(expected[pair].p, abs=1e-9)
            assert row.difference == pytest.approx(expected[pair].difference * unit, abs=1e-9 * unit * 1e3)
            for end in ("low", "high"):
                before, after = getattr(expected[pair], end), getattr(row, end)
                wanted = None if before is None else pytest.approx(before * unit, abs=1e-6 * unit)
                assert after == wanted


@pytest.mark.parametrize("method", ["tukey", "bootstrap"])
def test_discriminative_power_does_not_depend_on_the_unit(method: Literal["tukey", "bootstrap"]) -> None:
    """The significance levels of all pairs are the same in another unit."""
    values = integers(7)
    expected = discriminative(table(values), method=method, resamples=500)
    for unit, shift in UNITS:
        scaled = discriminative(table(values * unit + shift), method=method, resamples=500)
        assert np.array(scaled.asl) == pytest.approx(np.array(expected.asl), abs=1e-9)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("seed", range(6))
def test_an_interval_and_its_p_agree_about_zero(test: Any, seed: int) -> None:
    """At p = 1 the interval contains 0, and an interval without 0 belongs to a significant pair."""
    for unit, shift in [(1.0, 0.0), (1e-5, 0.3)]:
        for row in compared(integers(seed, topics=15, most=3) * unit + shift, test).values():
            outside = not row.low <= 0 <= row.high
            assert not (row.p == 1 and outside)
            if test != "wilcoxon":  # the interval is that of Hodges and Lehmann, which keeps zero differences
                assert not outside or row.significant


@pytest.mark.parametrize("unit", [1.0, 1e-5])
def test_exact_randomisation_equals_full_enumeration(unit: float) -> None:
    """p is the share of all 2^n sign patterns, counted in integers, in every unit."""
    for seed in range(8):
        values = integers(seed, topics=9)
        patterns = 1 - 2 * (np.arange(2**9)[:, None] >> np.arange(9) & 1)
        for pair, row in compared(values * unit + 0.3, "randomization").items():
            a, b = sorted(pair)
            differences = (values[int(a[1])] - values[int(b[1])]).astype(int)
            assert row.p == np.mean(np.abs(patterns @ differences) >= abs(differences.sum()))


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e-5])
def test_wilcoxon_equals_scipy_on_integers(unit: float) -> None:
    """Differences that tie as integers tie in every unit: p is scipy's for the integers."""
    for seed in range(6):
        values = integers(seed, topics=20)
        for pair, row in compared(values * unit + 0.3, "wilcoxon").items():
            a, b = sorted(pair)
            differences = values[int(a[1])] - values[int(b[1])]
            assert row.p == pytest.approx(stats.wilcoxon(differences).pvalue, abs=1e-12)


def test_t_equals_scipy_in_every_unit() -> None:
    """p is that of scipy's paired t-test on the unscaled scores."""
    values = np.random.default_rng(3).normal(size=(4, 30)) + np.arange(4)[:, None] / 5
    for unit, shift in [(1.0, 0.0), *UNITS]:
        for pair, row in compared(values * unit + shift, "t").items():
            assert row.p == pytest.approx(stats.ttest_rel(values[int(row.run[1])], values[int(row.other[1])]).pvalue)
            assert pair == {row.run, row.other}


def test_runs_with_equal_means_are_ordered_by_name() -> None:
    """Sums of the same scores in another order are the same mean, so names decide the order."""
    values = [[0.3, 0.2, 0.1, 0.4], [0.1, 0.2, 0.3, 0.4], [0.2, 0.3, 0.4, 0.1]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivevalWarning)
        result = compare(table(values))
    assert [run.run for run in result.runs] == ["r0", "r1", "r2"]
    assert {row.difference for row in result.rows} == {0.0}


def test_p_of_exactly_5_percent_is_not_significant() -> None:
    """p = 0.05 is not significant at 95 %, although 1 − 0.95 is above 0.05 as a double."""
    values = table([np.r_[np.full(13, 1.0), np.full(7, -0.6)], np.zeros(20)])
    assert 1 - 0.95 > 0.05
    rows = [compare(values, test="randomization", resamples=199, seed=seed).rows[0] for seed in range(60)]
    exactly = [row for row in rows if row.p == 0.05]
    assert exactly
    assert not any(row.significant for row in exactly)


def test_the_interval_of_equal_scores_is_a_point() -> None:
    """Equal scores have no spread, despite rounding."""
    values = np.array([[0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2], [0.3, 0.3, 0.3, 0.3]])
    assert [row.low == row.high for row in interval(table(values)).rows] == [True, True]
