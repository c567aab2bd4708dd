"""The sets of metrics: every name is a metric, and the counts match the paper's lists."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from diveval.experiments import metric_set
from diveval.experiments.paper_tables import SETS, official_at_20
from diveval.meta import family
from diveval.metrics import as_metrics
from support.refusals import refuses


@pytest.mark.parametrize("name", SETS)
def test_every_name_of_a_set_is_a_different_metric(name: Any) -> None:
    """Every name parses, and no two have the same canonical name."""
    names = metric_set(name)
    assert len(as_metrics(names)) == len(names)


def test_the_paper_set_holds_the_variants_the_paper_lists() -> None:
    """k × 5, p × 3, α × 4, e × 5, as in section 6.2: 109 variants of 16 families."""
    counts = Counter(family(metric.name) for metric in as_metrics(metric_set("paper")))
    assert sum(counts.values()) == 109 and len(counts) == 16
    assert {counts[name] for name in ("AP", "RR", "AP_IA", "RR_IA")} == {1}
    assert {counts[name] for name in ("P", "ERR", "DCG", "P_IA", "ERR_IA", "DCG_IA", "StRecall")} == {5}
    assert [counts[name] for name in ("RBP", "NRBP", "alpha_DCG", "EU", "RBU")] == [3, 12, 20, 20, 15]


def test_the_official_set_is_what_ndeval_prints_and_rbu() -> None:
    """21 columns of ndeval and 15 variants of RBU; at cutoff 20, 6 and 15, or 3 without effort."""
    assert len(metric_set("official")) == 21 + 15
    assert len(official_at_20()) == 6 + 15
    assert [name for name in official_at_20(efforts=(0,)) if name.startswith("RBU")] == [
        "RBU(p=0.8,e=0)@20",
        "RBU(p=0.9,e=0)@20",
        "RBU(p=0.99,e=0)@20",
    ]


def test_the_error_for_an_unknown_set_suggests_the_nearest() -> None:
    """The error names the nearest set."""
    with refuses("invalid-choice"):
        metric_set("papers")
