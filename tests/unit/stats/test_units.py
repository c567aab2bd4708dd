"""The unit of the scores and a constant added to all of them change no p, and scipy agrees on the same data."""

import warnings
from typing import Any, Literal

import numpy as np
import pytest

from diveval.errors import DivevalWarning
from diveval.meta import discriminative
from diveval.scores import Scores
from diveval.stats import compare, interval
from support.late import late

stats = late("scipy.stats")

UNITS = [(1e-3, 0.0), (1e-5, 0.3), (1 / 3, 1 / 7), (1e6, -3e6), (1.0, 1000.0)]
TESTS = ["t", "randomization", "bootstrap", "wilcoxon", "tukey"]


def table(values: Any) -> Any:
    names = [f"r{i}" for i in range(len(values))]
    topics = [f"t{t:03}" for t in range(len(values[0]))]
    return Scores.of(np.asarray(values, dtype=float)[:, None], runs=names, metrics=["m"], topics=topics)


def compared(values: Any, test: Any, **options: Any) -> Any:
    """Row by pair, so that an order of equal means plays no part."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivevalWarning)
        result = compare(table(values), test=test, correction="none", resamples=1000, **options)
    return {frozenset((row.run, row.other)): row for row in result.rows}


def whole_numbers(seed: int, topics: int = 14, most: int = 4) -> Any:
    """Few different scores, so that ties abound."""
    return np.random.default_rng(seed).integers(0, most, size=(3, topics)).astype(float)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("seed", range(4))
def test_no_unit_and_no_shift_changes_p(test: Any, seed: int) -> None:
    """Scores in thousandths, in millions, or raised by a constant: the same p, and intervals in the new unit."""
    values = whole_numbers(seed)
    expected = compared(values, test)
    for unit, shift in UNITS:
        for pair, row in compared(values * unit + shift, test).items():
            assert row.p == pytest.approx(expected[pair].p, abs=1e-9)
            assert row.difference == pytest.approx(expected[pair].difference * unit, abs=1e-9 * unit * 1e3)
            for end in ("low", "high"):
                there, here = getattr(expected[pair], end), getattr(row, end)
                assert here == pytest.approx(there * unit, abs=1e-6 * unit)


@pytest.mark.parametrize("method", ["tukey", "bootstrap"])
def test_discriminative_power_knows_no_unit(method: Literal["tukey", "bootstrap"]) -> None:
    """The significance levels of all pairs are those of the scores in another unit."""
    values = whole_numbers(7)
    expected = discriminative(table(values), method=method, resamples=500)
    for unit, shift in UNITS:
        found = discriminative(table(values * unit + shift), method=method, resamples=500)
        assert np.array(found.asl) == pytest.approx(np.array(expected.asl), abs=1e-9)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("seed", range(6))
def test_an_interval_and_its_p_agree_about_zero(test: Any, seed: int) -> None:
    """At p = 1 the interval holds 0, and 0 is outside exactly where the pair is significant (but for ties at an end)."""
    for unit, shift in [(1.0, 0.0), (1e-5, 0.3)]:
        for row in compared(whole_numbers(seed, topics=15, most=3) * unit + shift, test).values():
            outside = not row.low <= 0 <= row.high
            assert not (row.p == 1 and outside)
            if test != "wilcoxon":  # the interval is that of Hodges and Lehmann, which keeps zero differences
                assert not outside or row.significant


@pytest.mark.parametrize("unit", [1.0, 1e-5])
def test_exact_randomisation_equals_every_sign_counted(unit: float) -> None:
    """All 2^n sign patterns of whole numbers, counted in whole numbers, give p in every unit."""
    for seed in range(8):
        values = whole_numbers(seed, topics=9)
        patterns = 1 - 2 * (np.arange(2**9)[:, None] >> np.arange(9) & 1)
        for pair, row in compared(values * unit + 0.3, "randomization").items():
            a, b = sorted(pair)
            whole = (values[int(a[1])] - values[int(b[1])]).astype(int)
            assert row.p == np.mean(np.abs(patterns @ whole) >= abs(whole.sum()))


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e-5])
def test_wilcoxon_equals_scipy_on_whole_numbers(unit: float) -> None:
    """Differences that tie in whole numbers tie in every unit: scipy's p of the whole numbers."""
    for seed in range(6):
        values = whole_numbers(seed, topics=20)
        for pair, row in compared(values * unit + 0.3, "wilcoxon").items():
            a, b = sorted(pair)
            whole = values[int(a[1])] - values[int(b[1])]
            assert row.p == pytest.approx(stats.wilcoxon(whole).pvalue, abs=1e-12)


def test_t_equals_scipy_in_every_unit() -> None:
    """p is scipy's."""
    values = np.random.default_rng(3).normal(size=(4, 30)) + np.arange(4)[:, None] / 5
    for unit, shift in [(1.0, 0.0), *UNITS]:
        for pair, row in compared(values * unit + shift, "t").items():
            assert row.p == pytest.approx(stats.ttest_rel(values[int(row.run[1])], values[int(row.other[1])]).pvalue)
            assert pair == {row.run, row.other}


def test_runs_of_one_mean_come_by_name() -> None:
    """Scores that add up to the same in another order are the same mean: names decide, not the last bit."""
    values = [[0.3, 0.2, 0.1, 0.4], [0.1, 0.2, 0.3, 0.4], [0.2, 0.3, 0.4, 0.1]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivevalWarning)
        result = compare(table(values))
    assert [run.run for run in result.runs] == ["r0", "r1", "r2"]
    assert {row.difference for row in result.rows} == {0.0}


def test_five_percent_is_not_below_five_percent() -> None:
    """p = 0.05 exactly is not significant at 95 %, though 1 − 0.95 is above 0.05 as a double."""
    values = table([np.r_[np.full(13, 1.0), np.full(7, -0.6)], np.zeros(20)])
    assert 1 - 0.95 > 0.05
    rows = [compare(values, test="randomization", resamples=199, seed=seed).rows[0] for seed in range(60)]
    exactly = [row for row in rows if row.p == 0.05]
    assert exactly
    assert not any(row.significant for row in exactly)


def test_the_interval_of_equal_scores_is_a_point() -> None:
    """Equal scores have no spread, whatever rounding leaves of it."""
    values = np.array([[0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2], [0.3, 0.3, 0.3, 0.3]])
    assert [row.low == row.high for row in interval(table(values)).rows] == [True, True]
