"""The evidence of a conclusion scored by `diveval.evaluate`, with its settings, weights and labels as options."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

import diveval
from diveval.conclusions import Conclusion
from diveval.exact.symbols import decimal as approximate
from diveval.metrics.metric import Metric
from diveval.metrics.numbers import Number
from support.small_cases import Case, Grades

# The rounding error of means of a few short lists is far smaller. The sign of a smaller exact lead cannot be seen in
# doubles, so such leads are counted separately.
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
    """The lead by `evaluate`, with labels as further judgments and the weights of the named topics."""
    judged = case.labelled(labels or {})
    given = None
    if weights:
        given = {}
        for topic, rows in judged.grades.items():
            for aspect in sorted({a for row in rows.values() for a in row}):
                usual = 1.0 if case.weights is None else case.weights[topic, aspect]
                named = weights.get(topic)
                given[topic, aspect] = float(named.get(aspect, 0)) if named else usual
    scored = diveval.evaluate(judged.judgments(), case.shapes(), metric, weights=given)
    means = dict(zip(scored.runs, scored.means[:, 0].tolist(), strict=True))
    return float(means[row.better] - means[row.worse])


def compared(row: Conclusion, lead: Lead) -> str:
    """`same sign`, or `0 to rounding` where the exact lead is too small for doubles; fails where the two differ.

    The exact lead must be below 0 for `flips`; otherwise it must be above 0 and at least the claimed margin.
    """
    exact = Fraction(approximate(lead.exact, 30))
    assert abs(float(exact) - lead.evaluated) < ROUNDING * max(1.0, abs(lead.evaluated)), (row, lead)
    if row.verdict == "flips":
        assert exact < 0, (row, lead)
        assert abs(row.margin - float(exact)) < ROUNDING, (row, lead)
    else:
        assert exact > 0, (row, lead)
        assert row.margin <= float(exact) + ROUNDING, (row, lead)
    if abs(exact) < 2 * ROUNDING:
        return "0 to rounding"
    assert (lead.evaluated > 0) == (exact > 0), (row, lead)
    return "same sign"
