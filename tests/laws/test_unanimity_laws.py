"""Properties of Metric Unanimity: agreement with a plain implementation, and the paper's four properties."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from diveval.meta import family, unanimity
from diveval.results.scores import Scores
from support.present import present
from support.refusals import warns

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")


def build(values: Any, metrics: Any = None, counted: Any = None) -> Any:
    """Scores from run × metric × topic."""
    runs, count, topics = values.shape
    names = metrics or [f"m{i}" for i in range(count)]
    return Scores.of(
        values,
        runs=[f"r{i}" for i in range(runs)],
        metrics=names,
        topics=[f"t{i}" for i in range(topics)],
        counted=counted,
    )


def plain(scores: Any, m: Any, others: Any) -> Any:
    """MU(m) from the definition in exact arithmetic: P(Δm, ΔM) and P(ΔM) as counts of pairs, and all pairs."""
    joint, together, pairs = Fraction(0), 0, 0
    for t in range(len(scores.topics)):
        for a in range(len(scores.runs)):
            for b in range(len(scores.runs)):
                if a == b or not (scores.counted[a, :, t].all() and scores.counted[b, :, t].all()):
                    continue
                pairs += 1
                one, other = scores.values[a, :, t], scores.values[b, :, t]
                if all(one[k] >= other[k] for k in others):
                    together += 1
                    joint += 1 if one[m] > other[m] else Fraction(1, 2) if one[m] == other[m] else 0
    return joint, together, pairs


@st.composite
def tables(draw: Any, metrics: Any = (2, 5)) -> Any:
    """Small tables with many ties, some outputs not counted."""
    shape = (draw(st.integers(2, 5)), draw(st.integers(*metrics)), draw(st.integers(1, 4)))
    values = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 3))) / 8
    counted = draw(hnp.arrays(np.bool_, shape, elements=st.sampled_from([True] * 9 + [False])))
    names = draw(st.permutations(["A(p=1)", "A(p=2)", "B@1", "B@2", "C"]))[: shape[1]]
    return build(values, names, counted)


@settings(max_examples=150, deadline=None)
@given(tables(), st.booleans())
def test_fast_and_plain_agree(scores: Any, leave_family_out: Any) -> None:
    """The one-pass count equals the definition, with and without metrics of the same family."""
    result = unanimity(scores, bootstrap=0, leave_family_out=leave_family_out)
    for m, row in enumerate(result.rows):
        others = [
            k
            for k in range(len(scores.metrics))
            if (family(scores.metrics[k]) != family(row.metric) if leave_family_out else k != m)
        ]
        joint, together, pairs = plain(scores, m, others)
        assert row.pairs == pairs
        if not others:
            assert row.mu is None
            continue
        assert row.unanimous == together
        if joint == 0:
            assert row.mu is None
        else:
            assert row.mu == pytest.approx(math.log2(joint / (Fraction(1, 2) * together)), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(0, 2**32 - 1))
def test_property_1_capturing_every_unanimous_improvement_is_the_maximum(scores: Any, seed: int) -> None:
    """Any metric that confirms every unanimous improvement has the same MU, and no metric has more."""
    rng = np.random.default_rng(seed)
    faithful = [(scores.values * rng.integers(1, 9, (1, len(scores.metrics), 1))).sum(axis=1) for _ in range(2)]
    arbitrary = rng.integers(0, 4, faithful[0].shape).astype(float)
    unanimities = []
    for extra in (*faithful, arbitrary):
        values = np.concatenate([scores.values, extra[:, None]], axis=1)
        present = scores.counted.all(axis=1, keepdims=True)
        unanimities.append(
            unanimity(
                build(values, [*scores.metrics, "new"], np.concatenate([scores.counted, present], axis=1)), bootstrap=0
            )["new"].mu
        )
    assert unanimities[0] == unanimities[1]
    if unanimities[0] is not None and unanimities[2] is not None:
        assert unanimities[2] <= unanimities[0] <= 1.0


@settings(max_examples=60, deadline=None)
@given(tables())
def test_property_2_a_constant_metric_scores_zero(scores: Any) -> None:
    """A constant metric has an MU of exactly 0 wherever it is defined."""
    values = np.concatenate([scores.values, np.ones((len(scores.runs), 1, len(scores.topics)))], axis=1)
    counted = np.concatenate([scores.counted, scores.counted.all(axis=1, keepdims=True)], axis=1)
    row = unanimity(build(values, [*scores.metrics, "constant"], counted), bootstrap=0)["constant"]
    assert row.mu == (0.0 if row.unanimous else None)


def test_property_2_a_random_metric_scores_about_zero() -> None:
    """A random metric confirms about half of the unanimous pairs, so its MU is close to 0."""
    rng = np.random.default_rng(0)
    quality = np.round(rng.random((20, 1, 60)) + 0.1 * rng.random((20, 3, 60)), 2)
    values = np.concatenate([quality, rng.random((20, 1, 60))], axis=1)
    assert abs(present(unanimity(build(values), bootstrap=0)["m3"].mu)) < 0.05


def test_property_3_it_is_asymmetric() -> None:
    """A metric may confirm the others while they do not confirm it."""
    m1 = [6, 5, 4, 3, 2, 1]
    m2 = [6, 4, 5, 3, 2, 1]
    m3 = [6, 5, 4, 1, 1, 1]
    result = unanimity(build(np.array([m1, m2, m3], dtype=float).T[:, :, None]), bootstrap=0)
    assert len({row.mu for row in result.rows}) == 3


@settings(max_examples=60, deadline=None)
@given(tables(metrics=(3, 5)), st.integers(1, 4))
def test_property_4_copies_in_the_set_change_nothing(scores: Any, copies: Any) -> None:
    """Repeating a metric of the set does not change the MU of the others."""
    repeated = np.repeat(scores.values[:, 1:2], copies, axis=1)
    values = np.concatenate([scores.values, repeated], axis=1)
    counted = np.concatenate([scores.counted, np.repeat(scores.counted[:, 1:2], copies, axis=1)], axis=1)
    names = [*scores.metrics, *(f"copy{i}" for i in range(copies))]
    before, after = unanimity(scores, bootstrap=0), unanimity(build(values, names, counted), bootstrap=0)
    for metric in (scores.metrics[0], *scores.metrics[2:]):
        assert after[metric] == before[metric]


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(0, 2**32 - 1))
def test_only_the_order_of_scores_matters(scores: Any, seed: int) -> None:
    """Rescaling each metric and adding float noise changes no count."""
    rng = np.random.default_rng(seed)
    scale = rng.uniform(1e-3, 1e3, (1, len(scores.metrics), 1))
    jog = 1 + rng.uniform(-1e-14, 1e-14, scores.values.shape)
    moved = build(scores.values * scale * jog, list(scores.metrics), scores.counted)
    assert unanimity(moved, bootstrap=0).rows == unanimity(scores, bootstrap=0).rows


@settings(max_examples=40, deadline=None)
@given(tables())
def test_intervals_hold_no_nan(scores: Any) -> None:
    """Every end of an interval is finite or None, and low never exceeds high."""
    for row in unanimity(scores, bootstrap=30).rows:
        ends = [end for end in (row.low, row.mu, row.high) if end is not None]
        assert all(math.isfinite(end) for end in ends)
        if row.low is not None and row.high is not None:
            assert row.low <= row.high


def test_undefined_values_cause_a_diveval_warning() -> None:
    """Undefined values cause a warning of the project's own class."""
    with warns("undefined-value"):
        unanimity(build(np.array([[[1.0], [2.0]], [[2.0], [1.0]]])), bootstrap=0)
