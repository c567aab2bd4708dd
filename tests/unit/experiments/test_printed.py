"""The paper's printed values: every row maps to variants that are measured."""

from __future__ import annotations

from typing import Any

import pytest

from diveval.experiments import metric_set
from diveval.experiments.paper_tables import TITLES, official_at_20
from diveval.experiments.reproduction import expand, select_printed
from diveval.metrics import as_metrics

MEASURED = {
    ("table2", "official"): metric_set("paper"),
    ("table2", "simulated"): metric_set("paper"),
    ("table2", "simulated-50"): metric_set("paper"),
    ("table3", "official"): metric_set("official"),
    ("table3", "at-20"): official_at_20(),
    ("table3", "at-20-without-effort"): official_at_20(efforts=(0,)),
    ("table3", "dynamic-domain"): metric_set("dynamic-domain"),
}
ROWS = [19, 19, 20, 16, 5, 5, 14]  # as printed in the paper; the third adds RBU with e = 0, given in its text


@pytest.mark.parametrize(("column", "rows"), list(zip(MEASURED, ROWS, strict=True)), ids=map(" ".join, MEASURED))
def test_every_printed_row_maps_to_measured_variants(column: Any, rows: Any) -> None:
    """As many rows as in the paper, each with variants, all of them in the set of that column."""
    measured = {metric.name for metric in as_metrics(MEASURED[column])}
    printed_rows = select_printed(*column)
    assert len(printed_rows) == rows and column in TITLES
    assert all(metrics and measured.issuperset(metrics) and 0 < low <= high < 1 for metrics, low, high in printed_rows)


def test_values_of_the_paper() -> None:
    """Spot checks against the paper: a last row, a first row and a range."""
    assert select_printed("table2", "official")[-1][:2] == (("StRecall@100",), 0.2478)
    metrics, _, high = select_printed("table2", "simulated-50")[0]
    assert high == 0.9808 and len(metrics) == 12
    assert select_printed("table3", "official")[1][1:] == (0.9766, 0.9770)


def test_braces_expand_to_every_combination() -> None:
    """Braces expand as in a shell."""
    assert expand("A(x={1,2})@{3,4}") == ["A(x=1)@3", "A(x=1)@4", "A(x=2)@3", "A(x=2)@4"]
    assert expand("AP") == ["AP"]
