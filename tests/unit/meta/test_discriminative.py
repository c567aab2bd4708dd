"""Discriminative power, compared with literal implementations and with the tests of `compare`."""

import csv
import io
import json
import math
from functools import partial
from typing import Any, Literal

import numpy as np
import pytest

from diveval.meta import discriminative
from diveval.results.scores import Scores
from diveval.stats import compare
from support.refusals import refuses

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")


@pytest.fixture
def scores() -> Any:
    """A sharp metric, a blunt one (two values only), and a constant one."""
    rng = np.random.default_rng(0)
    sharp = rng.normal(size=(4, 30)) * 0.2 + np.linspace(0.5, 0, 4)[:, None]
    values = np.stack([sharp, (sharp > 0.3).astype(float), np.full((4, 30), 0.5)], axis=1)
    topics = [f"t{t:02}" for t in range(30)]
    return Scores.of(values, runs=list("abcd"), metrics=["sharp", "blunt", "flat"], topics=topics)


def literal_bootstrap(x: Any, y: Any, alpha: Any, resamples: Any, seed: int) -> Any:
    """Sakai 2006, figures 1, 2 and 5, resample by resample: ASL and the difference required for the pair."""
    z = x - y
    n = len(z)
    t = abs(z.mean()) / (z.std(ddof=1) / math.sqrt(n))
    w = z - z.mean()
    statistics = []
    for draw in np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=resamples):
        sample = np.repeat(w, draw)
        statistics.append((abs(sample.mean()) / (sample.std(ddof=1) / math.sqrt(n)), abs(sample.mean())))
    reached = sum(value >= t for value, _ in statistics)
    required = sorted(statistics, key=lambda pair: -pair[0])[round(alpha * resamples) - 1][1]
    return (1 + reached) / (1 + resamples), required


def test_bootstrap_equals_the_published_algorithm(scores: Any) -> None:
    """The ASL of every pair and the largest required difference equal those of Sakai's algorithm."""
    result = discriminative(scores, method="bootstrap", resamples=400, seed=2)
    values = scores.array("sharp")
    expected = [
        literal_bootstrap(values["abcd".index(a)], values["abcd".index(b)], 0.05, 400, 2) for a, b in result.pairs
    ]
    assert result.asl[0] == pytest.approx([asl for asl, _ in expected])
    assert result.rows[0].required == pytest.approx(max(required for _, required in expected))
    assert result.rows[0].significant == sum(asl < 0.05 for asl, _ in expected)


@pytest.mark.parametrize("method", ["tukey", "bootstrap"])
def test_asl_is_the_p_of_compare(scores: Any, method: Literal["tukey", "bootstrap"]) -> None:
    """`compare` gives the same p on the same resamples."""
    result = discriminative(scores, method=method, resamples=500, seed=3)
    rows = compare(scores, "sharp", test=method, resamples=500, seed=3, correction="none").rows
    by_pair = {frozenset((row.run, row.other)): row.p for row in rows}
    assert [by_pair[frozenset(pair)] for pair in result.pairs] == pytest.approx(result.asl[0], abs=1e-12)


@pytest.mark.parametrize("method", ["tukey", "bootstrap"])
def test_a_sharper_metric_separates_more_pairs(scores: Any, method: Literal["tukey", "bootstrap"]) -> None:
    """The sharp metric separates more pairs than the blunt one, and the constant one none."""
    sharp, blunt, flat = discriminative(scores, method=method, resamples=500).rows
    assert sharp.share >= blunt.share > flat.share == 0.0
    assert flat.required == 0.0


def test_the_required_difference_of_tukey_separates_the_pairs(scores: Any) -> None:
    """A pair is significant exactly if its difference exceeds the required one."""
    result = discriminative(scores, resamples=999)
    means = scores.array("sharp").mean(axis=1)
    for (a, b), asl in zip(result.pairs, result.asl[0], strict=True):
        difference = abs(means["abcd".index(a)] - means["abcd".index(b)])
        assert (asl < 0.05) == (difference > result.rows[0].required)


def test_the_curve_is_sorted_by_asl(scores: Any) -> None:
    """Each metric has every pair once, by descending ASL; the CSV has the same rows."""
    result = discriminative(scores, resamples=200)
    curve = [record["asl"] for record in result.curve() if record["metric"] == "sharp"]
    assert curve == sorted(result.asl[0], reverse=True)
    records = list(csv.DictReader(io.StringIO(result.curve_to_csv())))
    assert len(records) == 3 * 6
    assert list(records[0]) == ["metric", "place", "run", "other", "asl"]


@pytest.mark.parametrize("method", ["tukey", "bootstrap"])
def test_the_order_of_runs_and_topics_does_not_matter(scores: Any, method: Literal["tukey", "bootstrap"]) -> None:
    """Reordered runs and topics give the same levels."""
    shuffled = scores.select(runs=list("cadb"), topics=list(reversed(scores.topics)))
    asl = partial(discriminative, method=method, resamples=200)
    assert asl(scores) == asl(shuffled)


def test_metrics_may_count_different_topics(scores: Any) -> None:
    """Each metric uses the topics that count for it in all runs."""
    counted = np.ones(scores.values.shape, dtype=bool)
    counted[1, 1, 10:] = False
    masked = Scores(scores.runs, scores.metrics, scores.topics, scores.values, counted)
    result = discriminative(masked, resamples=200)
    assert [row.topics for row in result.rows] == [30, 10, 30]
    assert result.asl[0] == discriminative(scores.select(metrics=["sharp"]), resamples=200).asl[0]


def test_too_few_topics_are_refused(scores: Any) -> None:
    """Fewer than two common topics are an error that names the metric."""
    counted = np.ones(scores.values.shape, dtype=bool)
    counted[1, 1, 1:] = False
    masked = Scores(scores.runs, scores.metrics, scores.topics, scores.values, counted)
    with refuses("too-few-topics"):
        discriminative(masked)
    with refuses("too-few-topics"):
        discriminative(masked, method="bootstrap")


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        ({"alpha": 5}, ("out-of-range", "0", "1")),
        ({"method": "z"}, ("invalid-choice", "z")),
        ({"resamples": 10}, ("out-of-range", "100")),
    ],
)
def test_wrong_arguments_are_named(scores: Any, options: Any, refusal: tuple[str, ...]) -> None:
    """The error names the invalid argument and the allowed values."""
    with refuses(*refusal):
        discriminative(scores, **options)


def test_exports(scores: Any) -> None:
    """CSV and JSON contain the summary; the reference cites both methods."""
    result = discriminative(scores, resamples=200)
    assert result.to_csv().splitlines()[0] == "metric,pairs,significant,share,required,topics"
    assert json.loads(result.to_json())["asl"][0] == list(result.asl[0])
    assert "Sakai" in result.reference
    assert "Carterette" in result.reference
