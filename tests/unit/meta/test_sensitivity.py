"""Sensitivity of the system ranking to parameters."""

import json
from typing import Any

import numpy as np
import pytest

from diveval.meta import kendall_tau, sensitivity
from diveval.results.scores import Scores
from support.refusals import refuses

NAMES = ["RBU(p=0.8,e=0)", "RBU(p=0.8,e=0.05)", "RBU(p=0.99,e=0)", "RBU(p=0.99,e=0.05)"]
MEANS = np.array([[0.9, 0.5, 0.1], [0.9, 0.4, 0.4], [0.5, 0.9, 0.1], [0.1, 0.5, 0.9]])


@pytest.fixture
def scores() -> Any:
    return Scores.of(MEANS.T[:, :, None], runs=["x", "y", "z"], metrics=NAMES, topics=["t"])


def test_each_variant_is_compared_with_the_reference(scores: Any) -> None:
    """The value is τ between the ranking of the variant and that of the reference; the leader is the best run."""
    result = sensitivity(scores, reference=NAMES[0])
    assert [row.value for row in result.rows] == [kendall_tau(MEANS[0], other) for other in MEANS]
    assert [row.leader for row in result.rows] == ["x", "x", "y", "z"]
    assert result.rows[3].parameters == {"e": "0.05", "p": "0.99"}


def test_ranges_are_the_best_and_worst_rank(scores: Any) -> None:
    """Each run has its rank under the reference and its best and worst over the variants; ties take the better rank."""
    ranges = {row.run: (row.rank, row.best, row.worst) for row in sensitivity(scores, reference=NAMES[0]).ranges}
    assert ranges == {"x": (1, 1, 3), "y": (2, 1, 2), "z": (3, 1, 3)}


def test_tau_ap_and_rbo_are_available(scores: Any) -> None:
    """The reference agrees fully with itself under each coefficient."""
    for method in ("tau_ap", "rbo"):
        assert sensitivity(scores, reference=NAMES[0], method=method).rows[0].value == pytest.approx(1.0)


def test_an_unknown_reference_is_an_error(scores: Any) -> None:
    """The error names the unknown reference."""
    with refuses("unknown-metric", "RBU(p=0.5,e=0)"):
        sensitivity(scores, reference="RBU(p=0.5,e=0)")


def test_the_reference_may_be_spelled_otherwise(scores: Any) -> None:
    """Any spelling of a metric is accepted, and the result has the canonical one."""
    assert sensitivity(scores, reference="RBU(e=0.05,p=0.8)").variant == NAMES[1]


def test_exports(scores: Any) -> None:
    """CSV has one line per variant, JSON the ranges as well."""
    result = sensitivity(scores, reference=NAMES[0])
    lines = result.to_csv().splitlines()
    assert lines[0] == "metric,parameters,value,leader"
    assert lines[1] == '"RBU(p=0.8,e=0)",e=0 p=0.8,1.0,x'
    assert json.loads(result.to_json())["ranges"][0]["run"] == "x"
