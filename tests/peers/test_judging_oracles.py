"""Agreement of labels, prediction-powered estimates and power against the packages that define them, on random inputs."""

from __future__ import annotations

import csv
import math
import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diveval.stats.agreement import COEFFICIENTS, count_pairs, gwet_ac1, kappa, pair_alpha
from diveval.stats.power import anova_power, t_power
from diveval.stats.prediction_powered import Moments, estimate_both, estimate_people
from support.late import late_or_skip

ppi = late_or_skip("ppi_py")
metrics = late_or_skip("sklearn.metrics")
alphas = late_or_skip("krippendorff")
powers = late_or_skip("statsmodels.stats.power")
special = late_or_skip("scipy.special")
CLOSE: Any = {"rel": 1e-9, "abs": 1e-9}


@pytest.mark.parametrize("seed", range(300))
def test_kappa_and_alpha_are_those_of_their_packages(seed: int) -> None:
    """κ in three weightings is scikit-learn's and ordinal α that of krippendorff; undefined ones are undefined in both."""
    rng = np.random.default_rng(seed)
    labels, items = int(rng.integers(1, 6)), int(rng.integers(2, 80))
    first = rng.integers(0, labels, items)
    second = np.where(rng.random(items) < 0.6, first, rng.integers(0, labels, items))
    known, codes = np.unique(np.concatenate([first, second]), return_inverse=True)
    a, b = codes[:items], codes[items:]
    confusion = count_pairs(a, b, np.zeros(items, dtype=np.intp), len(known))[0]
    if len(known) == 1:
        undefined = {name for name, value in COEFFICIENTS.items() if np.isnan(value(confusion))}
        assert undefined == set(COEFFICIENTS) - {"agreement"}
        return
    for ours, theirs in (("unweighted", None), ("linear", "linear"), ("quadratic", "quadratic")):
        expected = metrics.cohen_kappa_score(first, second, weights=theirs)
        assert float(kappa(confusion, ours)) == pytest.approx(expected, **CLOSE)  # type: ignore[arg-type]
    for level in ("nominal", "ordinal"):
        expected = alphas.alpha(reliability_data=[first, second], level_of_measurement=level)
        assert float(pair_alpha(confusion, level)) == pytest.approx(expected, **CLOSE)


def test_ac1_is_that_of_irrcac() -> None:
    """AC1 of 300 pairs of judges is irrCAC's, whose values `scripts/make_irrcac_values.py` wrote in its own environment."""
    path = Path(__file__).parents[1] / "data" / "judging" / "ac1.csv"
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert len(rows) > 290
    for row in rows:
        rng = random.Random(int(row["seed"]))
        labels, items = rng.randint(2, 5), rng.randint(5, 80)
        first = [min(rng.randrange(labels), rng.randrange(labels)) for _ in range(items)]
        second = [label if rng.random() < 0.6 else rng.randrange(labels) for label in first]
        known, codes = np.unique(np.concatenate([first, second]), return_inverse=True)
        confusion = count_pairs(codes[:items], codes[items:], np.zeros(items, dtype=np.intp), len(known))[0]
        assert float(gwet_ac1(confusion)) == pytest.approx(float(row["ac1"]), **CLOSE)


@pytest.mark.parametrize("seed", range(300))
def test_prediction_powered_means_are_those_of_ppi_python(seed: int) -> None:
    """Estimate and λ are ppi-python's; its interval is ours with normal quantiles and divisors n and N."""
    rng = np.random.default_rng(seed)
    n, rest = int(rng.integers(3, 60)), int(rng.integers(2, 300))
    truth = rng.normal(size=n + rest) * rng.uniform(0.01, 5)
    model = rng.uniform(-1.5, 1.5) * truth + rng.normal(size=n + rest) * rng.uniform(0, 3) + rng.normal()
    y, f, g = truth[:n], model[:n], model[n:]
    both = np.arange(n + rest) < n
    moments = Moments.of(truth[None], model[None], both[None], ~both[None])
    ours = estimate_both(moments, 0.95)
    assert ours.mean[0] == pytest.approx(float(np.squeeze(ppi.ppi_mean_pointestimate(y, f, g))), **CLOSE)
    tuning = float(ours.tuning[0])
    assert 0 <= tuning <= 1
    error = math.sqrt(tuning**2 * g.var() / rest + (y - tuning * f).var() / n)
    ends = [float(np.squeeze(end)) for end in ppi.ppi_mean_ci(y, f, g, alpha=0.05)]
    normal = float(special.ndtri(0.975))
    assert [ours.mean[0] - normal * error, ours.mean[0] + normal * error] == pytest.approx(ends, **CLOSE)
    unbiased = math.sqrt(tuning**2 * g.var(ddof=1) / rest + (y - tuning * f).var(ddof=1) / n)
    margin = float(special.stdtrit(n - 1, 0.975)) * unbiased
    assert [ours.low[0], ours.high[0]] == pytest.approx([ours.mean[0] - margin, ours.mean[0] + margin], **CLOSE)


@pytest.mark.parametrize("seed", range(50))
def test_without_model_topics_the_estimate_is_the_people_s(seed: int) -> None:
    """N = 0 gives λ = 0 and Student's interval of people's scores, as scipy computes it."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    y, f = rng.random((2, 1, n))
    all_topics, none = np.ones((1, n), dtype=bool), np.zeros((1, n), dtype=bool)
    moments = Moments.of(y, f, all_topics, none)
    both, people = estimate_both(moments, 0.9), estimate_people(moments, 0.9)
    assert both.tuning[0] == 0
    margin = float(special.stdtrit(n - 1, 0.95)) * y.std(ddof=1) / math.sqrt(n)
    for ours in (both, people):
        assert [ours.low[0], ours.high[0]] == pytest.approx([y.mean() - margin, y.mean() + margin], **CLOSE)


@pytest.mark.parametrize("seed", range(300))
def test_power_is_that_of_statsmodels(seed: int) -> None:
    """The power of the paired t-test and of one-way ANOVA is statsmodels'."""
    rng = np.random.default_rng(seed)
    difference, sd = rng.uniform(0.001, 0.5), rng.uniform(0.05, 0.6)
    topics, level, systems = (
        int(rng.integers(2, 400)),
        float(rng.choice([0.001, 0.01, 0.05, 0.1])),
        int(rng.integers(2, 40)),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = powers.TTestPower().power(difference / sd, topics, level)
        effect = difference / sd / math.sqrt(2 * systems)
        groups = powers.FTestAnovaPower().power(effect, topics * systems, level, k_groups=systems)
    if math.isnan(theirs):  # its lower tail, which is 0 to many digits
        theirs = powers.TTestPower().power(difference / sd, topics, level / 2, alternative="larger")
    # It still has NaN where the power is nearly 1.
    for ours, other in (
        (t_power(difference, sd, topics, level), float(theirs)),
        (anova_power(difference, sd, systems, topics, level), float(groups)),
    ):
        assert ours > 0.99 if math.isnan(other) else ours == pytest.approx(other, **CLOSE)
