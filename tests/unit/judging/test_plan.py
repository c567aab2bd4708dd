"""`diveval.plan`: the fewest topics by every design, from a standard deviation or from pilot runs."""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import diveval
from diveval.cli import main
from diveval.errors import DivevalError
from diveval.judging.planning import Plan
from support.judged import make_labels, make_runs, quietly, spoil
from support.late import late_or_skip

powers = late_or_skip("statsmodels.stats.power")
special = late_or_skip("scipy.special")
LABELS = make_labels(40)
RUNS = make_runs(list(LABELS))
METRIC = "RBU(p=0.9,e=0.01)@5"


@pytest.mark.parametrize("seed", range(60))
def test_the_topics_are_the_fewest_that_are_enough(seed: int) -> None:
    """By statsmodels' power, the planned number of topics reaches the power asked for, and one less does not."""
    rng = np.random.default_rng(seed)
    sd, difference = float(rng.uniform(0.1, 0.4)), float(rng.uniform(0.02, 0.2))
    power, level, systems = (
        float(rng.uniform(0.5, 0.95)),
        float(rng.choice([0.01, 0.05, 0.1])),
        int(rng.integers(2, 20)),
    )
    rows: dict[str, Any] = {
        row.design: row
        for row in diveval.plan(sd=sd, difference=difference, power=power, level=level, systems=systems).rows
    }
    effect = difference / sd
    t, f = powers.TTestPower(), powers.FTestAnovaPower()
    reached: dict[str, Callable[[int], bool]] = {
        "paired-t": lambda n: t.power(effect, n, level) >= power,
        "anova": lambda n: f.power(effect / math.sqrt(2 * systems), n * systems, level, k_groups=systems) >= power,
        "interval": lambda n: 2 * special.stdtrit(n - 1, 1 - level / 2) * sd / math.sqrt(n) <= difference,
    }
    assert set(rows) == set(reached)
    for design, enough in reached.items():
        topics = rows[design].topics
        assert topics is not None and enough(topics) and (topics == 2 or not enough(topics - 1)), design


def _pilot(**more: Any) -> Plan:
    return quietly(lambda: diveval.plan(LABELS, RUNS, METRIC, difference=0.05, **more))


def test_the_spread_of_pilot_runs() -> None:
    """Two runs: the deviation of their differences; several: the mean variance of all differences; ANOVA: within runs."""
    scores = diveval.evaluate(LABELS, RUNS, METRIC)
    values = {run: list(scores.per_topic(run).values()) for run in RUNS}
    pairs = [("A", "B"), ("A", "C"), ("B", "C")]
    variances = [statistics.variance(x - y for x, y in zip(values[a], values[b], strict=True)) for a, b in pairs]
    rows = {(row.design, row.level): row for row in _pilot().rows}
    assert rows["paired-t", 0.05].sd == pytest.approx(math.sqrt(statistics.fmean(variances)), abs=1e-12)
    within = math.sqrt(statistics.fmean(statistics.variance(values[run]) for run in RUNS))
    assert rows["anova", 0.05].sd == pytest.approx(within, abs=1e-12)
    assert ("paired-t", 0.05 / 3) in rows
    two = quietly(lambda: diveval.plan(LABELS, {name: RUNS[name] for name in "AB"}, METRIC, difference=0.05))
    assert two.rows[0].sd == pytest.approx(math.sqrt(variances[0]), abs=1e-12)


def test_the_interval_of_a_plan_contains_it_and_follows_from_the_deviation() -> None:
    """The lower and upper numbers of topics are the plans at both ends of the χ² interval of the deviation."""
    row = _pilot().rows[0]
    freedom = 2 * 39
    ends = [row.sd * math.sqrt(freedom / float(special.chdtri(freedom, tail))) for tail in (0.025, 0.975)]
    planned = [diveval.plan(sd=end, difference=0.05).rows[0].topics for end in ends]
    assert [row.topics_low, row.topics_high] == planned
    assert row.topics_low is not None and row.topics is not None and row.topics_high is not None
    assert row.topics_low <= row.topics <= row.topics_high


def test_a_good_model_saves_topics_and_a_useless_one_none() -> None:
    """With the model's labels equal to people's few topics are enough; with random labels as many as without."""
    with_copy = {(r.design, r.level): r.topics for r in _pilot(model=LABELS).rows}
    useless = {(r.design, r.level): r.topics for r in _pilot(model=spoil(LABELS, 1.0, seed=3)).rows}
    alone = with_copy["paired-t", 0.05]
    assert alone is not None and (with_copy["ppi", 0.05] or 0) <= 4 < alone
    assert useless["ppi", 0.05] == pytest.approx(alone, rel=0.2)


def test_the_curve_is_the_power_at_each_number_of_topics() -> None:
    """Power is statsmodels', and the smallest difference is found with exactly the power asked for."""
    (point,) = diveval.plan(sd=0.2, difference=0.05, topics=80).curve
    assert point.power == pytest.approx(powers.TTestPower().power(0.25, 80, 0.05), abs=1e-9)
    assert powers.TTestPower().power(point.smallest / 0.2, 80, 0.05) == pytest.approx(0.8, abs=1e-9)


def test_power_holds_when_topics_are_drawn_from_the_pilot() -> None:
    """Resampling pilot differences, shifted to the planned difference, the t-test rejects about as often as planned."""
    scores = diveval.evaluate(LABELS, {name: RUNS[name] for name in "AB"}, METRIC)
    d = scores.values[0, 0] - scores.values[1, 0]
    topics = quietly(lambda: diveval.plan(LABELS, {n: RUNS[n] for n in "AB"}, METRIC, difference=0.05)).rows[0].topics
    assert topics is not None
    drawn = np.random.default_rng(1).choice(d - d.mean() + 0.05, (4000, topics))
    t = np.abs(drawn.mean(axis=1)) / (drawn.std(axis=1, ddof=1) / math.sqrt(topics))
    assert np.mean(t > float(special.stdtrit(topics - 1, 0.975))) == pytest.approx(0.8, abs=0.05)


def test_the_command_needs_no_files(capsys: pytest.CaptureFixture[str]) -> None:
    """`--sd` alone gives the documented CSV."""
    assert main(["plan", "--sd", "0.2", "--difference", "0.05", "--power", "0.8", "--level", "0.05", "-f", "csv"]) == 0
    text = capsys.readouterr().out
    assert text.splitlines()[0] == "metric,design,difference,sd,level,power,topics"
    rows = {row["design"]: row for row in csv.DictReader(io.StringIO(text))}
    assert rows["paired-t"]["topics"] == "128" and rows["interval"]["topics"] == "249"
    assert rows["paired-t"]["metric"] == "" and rows["interval"]["power"] == ""


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, "missing-argument"),
        ({"sd": 0.2}, "missing-argument"),
        ({"difference": 0.1}, "missing-argument"),
        ({"sd": 0.0, "difference": 0.1}, "out-of-range"),
        ({"sd": math.nan, "difference": 0.1}, "out-of-range"),
        ({"sd": 0.2, "difference": -0.1}, "out-of-range"),
        ({"sd": 0.2, "difference": 0.1, "power": 1.0}, "out-of-range"),
        ({"sd": 0.2, "difference": 0.1, "power": 0.01}, "out-of-range"),
        ({"sd": 0.2, "difference": 0.1, "level": 0.0}, "out-of-range"),
        ({"sd": 0.2, "topics": 1}, "out-of-range"),
        ({"sd": 0.2, "difference": 0.1, "designs": ["z"]}, "invalid-choice"),
        ({"sd": 0.2, "difference": 0.1, "designs": ["anova"]}, "missing-argument"),
        ({"sd": 0.2, "difference": 0.1, "designs": ["ppi"]}, "missing-argument"),
        ({"sd": 0.2, "difference": 0.1, "judgments": LABELS, "runs": RUNS}, "conflicting-options"),
        ({"difference": 0.1, "judgments": LABELS, "runs": {"A": RUNS["A"]}}, "too-few-runs"),
        ({"difference": 0.1, "judgments": LABELS, "runs": {"A": RUNS["A"], "B": RUNS["A"]}}, "undefined-value"),
    ],
)
def test_impossible_plans_are_refused(given: dict[str, Any], code: str) -> None:
    """Each fault has its code."""
    with pytest.raises(DivevalError) as caught:
        diveval.plan(**given)
    assert caught.value.code == code


def test_a_plan_beyond_a_billion_topics_has_no_number() -> None:
    """A difference too small for any collection has None, not a wrong number."""
    assert diveval.plan(sd=1.0, difference=1e-7).rows[0].topics is None


def test_one_sentence_has_the_topics_of_every_metric() -> None:
    """Its numbers are those of the rows of the paired t-test at the level asked for."""
    result = quietly(lambda: diveval.plan(LABELS, RUNS, [METRIC, "ERR_IA@5"], difference=0.05))
    said = result.statements[0]
    rows = {row.metric: row.topics for row in result.rows if row.design == "paired-t" and row.level == 0.05}
    assert said.facts["topics"] == rows and len(rows) == 2
