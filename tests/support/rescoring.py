"""What `diveval.evaluate` says of the evidence of a conclusion: settings, weights and labels put in by its options."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

import diveval
from diveval.axioms.arithmetic.symbols import decimal as approximate
from diveval.conclusions import Conclusion
from diveval.metrics.metric import Metric
from diveval.metrics.numbers import Number
from support.small_cases import Case, Grades

# Means of a few lists of at most four ranks: doubles are off by far less. An exact lead that is smaller than this has
# no sign that doubles could show, and is counted apart.
ROUNDING = 1e-12


class Lead(NamedTuple):
    """The mean of the better system less that of the worse, in exact arithmetic and by `evaluate`."""

    exact: Number
    evaluated: float


def lead(
    case: Case,
    row: Conclusion,
    metric: Metric,
    *,
    labels: Grades | None = None,
    weights: Mapping[str, Mapping[str, Fraction]] | None = None,
) -> float:
    """The lead by `evaluate`: labels as further judgments, weights of the topics named by its option."""
    judged = case.labelled(labels or {})
    given = None
    if weights:
        given = {}
        for topic, rows in judged.grades.items():
            for aspect in sorted({a for held in rows.values() for a in held}):
                usual = 1.0 if case.weights is None else case.weights[topic, aspect]
                named = weights.get(topic)
                given[topic, aspect] = float(named.get(aspect, 0)) if named else usual
    scored = diveval.evaluate(judged.judgments(), case.shapes(), metric, weights=given)
    means = dict(zip(scored.runs, scored.means[:, 0].tolist(), strict=True))
    return float(means[row.better] - means[row.worse])


def compared(row: Conclusion, found: Lead) -> str:
    """`same sign`, or `0 to rounding` where the exact lead is too small for doubles; fails where the two differ.

    A lead that flips must be below 0 exactly, one that is certain above 0 and not below the margin that is claimed.
    """
    exact = Fraction(approximate(found.exact, 30))
    assert abs(float(exact) - found.evaluated) < ROUNDING * max(1.0, abs(found.evaluated)), (row, found)
    if row.verdict == "flips":
        assert exact < 0, (row, found)
        assert abs(row.margin - float(exact)) < ROUNDING, (row, found)
    else:
        assert exact > 0, (row, found)
        assert row.margin <= float(exact) + ROUNDING, (row, found)
    if abs(exact) < 2 * ROUNDING:
        return "0 to rounding"
    assert (found.evaluated > 0) == (exact > 0), (row, found)
    return "same sign"
