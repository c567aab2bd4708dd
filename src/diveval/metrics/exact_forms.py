"""Which metrics can be computed exactly, so that something can be proven about them: formulas can, rules by column cannot."""

from __future__ import annotations

from collections.abc import Sequence

from diveval.errors import UsageError
from diveval.metrics.formulas import Formula
from diveval.metrics.metric import Metric


def require_exact(metric: Metric) -> Formula:
    """The formula that can be computed exactly; an error if there is none."""
    if not metric.formula.has_exact:
        raise UsageError(
            "metric-not-exact",
            f"{metric.name} has no exact form, so nothing can be proven about it or counted exactly",
            hint="`diveval metrics NAME` says which metrics have one",
        )
    return metric.formula.algebraic


def split_exact(metrics: Sequence[Metric]) -> tuple[list[Metric], list[Metric]]:
    """The metrics that can be computed exactly, and the others."""
    return [m for m in metrics if m.formula.has_exact], [m for m in metrics if not m.formula.has_exact]


def explain_inexact(names: Sequence[str]) -> str:
    """Why there is no verdict on metrics without an exact form."""
    has = "has" if len(names) == 1 else "have"
    return f"{', '.join(names)} {has} no exact form: no axiom is decided for {'it' if has == 'has' else 'them'}, and no violation is counted"
