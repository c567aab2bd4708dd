"""Intervals, corrections, Tukey's test and κ against statsmodels; together, since it takes a second to load."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest

from diveval.errors import DivevalWarning
from diveval.results.scores import Scores
from diveval.stats import compare
from diveval.stats.agreement import cohen_kappa
from diveval.stats.tests import Correction
from support.late import late_or_skip

inter_rater = late_or_skip("statsmodels.stats.inter_rater")
multicomp = late_or_skip("statsmodels.stats.multicomp")
multitest = late_or_skip("statsmodels.stats.multitest")
weightstats = late_or_skip("statsmodels.stats.weightstats")

UNITS = [(1.0, 0.0), (1e-3, 0.0), (1e-5, 0.3), (1 / 3, 1 / 7), (1e6, -3e6), (1.0, 1000.0)]
CORRECTIONS: dict[Correction, str] = {"holm": "holm", "bh": "fdr_bh"}
INTERVALS: tuple[Correction, ...] = ("none", "holm")


def rows(values: Any, test: Any, **options: Any) -> Any:
    """Every pair of the rows of `values`, compared as runs `r0`, `r1`, …"""
    runs, topics = [f"r{i}" for i in range(len(values))], [f"t{t:03}" for t in range(len(values[0]))]
    scores = Scores.of(np.asarray(values)[:, None], runs=runs, metrics=["m"], topics=topics)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivevalWarning)
        return compare(scores, test=test, **options).rows


def levels(p: Any, correction: Correction, alpha: float) -> list[float]:
    """The level α at which each pair is decided: α itself, or by Holm's procedure, with the rejections of statsmodels."""
    if correction == "none":
        return [alpha] * len(p)
    rejected = int(multitest.multipletests(p, alpha=alpha, method="holm")[0].sum())
    place = np.argsort(np.argsort(p, kind="stable"))
    return [alpha / (len(p) - min(int(j), rejected, len(p) - 1)) for j in place]


@pytest.mark.parametrize(("unit", "shift"), UNITS)
def test_intervals_and_corrections_are_those_of_statsmodels(unit: float, shift: float) -> None:
    """Paired t intervals, each at its pair's level, and corrected p-values are the same, whatever the unit."""
    values = np.random.default_rng(3).normal(size=(4, 30)) + np.arange(4)[:, None] / 5
    moved = values * unit + shift
    for correction in INTERVALS:
        compared = rows(moved, "t", confidence=0.9, correction=correction)
        expected = levels([row.p for row in compared], correction, 0.1)
        assert [row.level for row in compared] == pytest.approx(expected)
        for row, level in zip(compared, expected, strict=True):
            apart = weightstats.DescrStatsW(moved[int(row.run[1])] - moved[int(row.other[1])])
            peer = apart.tconfint_mean(alpha=level)
            assert (row.low, row.high) == pytest.approx(peer, rel=1e-6, abs=1e-9 * unit)
    for ours, theirs in CORRECTIONS.items():
        adjusted = rows(moved, "t", correction=ours)
        expected = multitest.multipletests([row.p for row in adjusted], method=theirs)[1]
        assert [row.p_adjusted for row in adjusted] == pytest.approx(expected.tolist())


def test_tukey_by_permutation_is_near_statsmodels() -> None:
    """On normal scores without topic effects the permutation p is near that of Tukey's HSD."""
    values = np.random.default_rng(5).normal(size=(3, 200)) + np.array([0.0, 0.15, 0.3])[:, None]
    peer = multicomp.pairwise_tukeyhsd(values.ravel(), np.repeat(["r0", "r1", "r2"], 200))
    p_values = {frozenset((row.run, row.other)): row.p for row in rows(values, "tukey")}
    for pair, p in zip([("r0", "r1"), ("r0", "r2"), ("r1", "r2")], peer.pvalues, strict=True):
        assert p_values[frozenset(pair)] == pytest.approx(p, abs=0.04)


def test_kappa_agrees_with_statsmodels() -> None:
    """Cohen's κ is the same on random tables."""
    rng = random.Random(3)
    for _ in range(50):
        both = [(rng.randint(0, 2), rng.choice([0, 1, 2, 2])) for _ in range(rng.randint(5, 40))]
        grades = sorted({g for pair in both for g in pair})
        if len(grades) < 2:
            continue
        counts = np.array([[sum(pair == (a, b) for pair in both) for b in grades] for a in grades])
        with np.errstate(invalid="ignore"):  # of the variance, which is not compared
            assert cohen_kappa(both) == pytest.approx(inter_rater.cohens_kappa(counts).kappa)
