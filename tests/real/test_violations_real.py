"""Violations in 22 runs of the Web track of 2011."""

from __future__ import annotations

from typing import Any

import pytest

from diveval.analysis.violations import violations

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")


def test_swaps_and_tails_of_web_2011(collection: Any) -> None:
    """37,297 swaps and 742 tails; metrics with novelty by count violate about one swap in ten, RBU and ERR-IA none."""
    web2011 = collection(2011)
    names = ["CT@20", "alpha_DCG@20", "EU@20", "NRBP", "ERR_IA@20", "RBU@20"]
    result = violations(web2011.diversity, web2011.runs, names, axioms=["Pri", "Conf"])
    exact = {row.metric: row.unrewarded for row in result.rows if row.axiom == "Pri"}
    assert list(exact.values())[-2:] == [0, 0]  # exactly 0: small gains are compared with many digits
    shares = [round(row.unrewarded / row.found, 3) for row in result.rows if row.axiom == "Pri"]
    assert shares == [0.246, 0.110, 0.108, 0.063, 0.0, 0.0]
    assert {row.found for row in result.rows if row.axiom == "Pri"} == {37_297}
    assert {(row.situations, row.violations) for row in result.rows if row.axiom == "Pri"} == {(672, 0)}
    tails = {row.metric: (row.found, row.unrewarded) for row in result.rows if row.axiom == "Conf"}
    assert [tails[row.metric][1] for row in result.rows if row.axiom == "Conf"] == [742, 742, 0, 742, 742, 0]
