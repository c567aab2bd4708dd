"""Verdicts against brute force on small random collections; DIVEVAL_CASES=2000 DIVEVAL_ATTACKS=25000 is the full run."""

from __future__ import annotations

import os
from typing import Any

import pytest

from diveval.conclusions import conclude
from diveval.reading.objects import as_judgments
from support.attack_conclusions import JOINT, METRICS, attack, attack_jointly
from support.brute_conclusions import KINDS, campaign
from support.shared import THOROUGH, times

CASES = int(os.environ.get("DIVEVAL_CASES", times(10, 40)))
ATTACKS = int(os.environ.get("DIVEVAL_ATTACKS", times(100, 400)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_verdicts_agree_with_brute_force(kind: Any) -> None:
    """No verdict disagrees with brute force, and `evaluate` gives every flip the lead of its witness."""
    tally = campaign(kind, CASES)
    assert sum(tally.verdicts.values()) == CASES
    assert tally.verdicts["certain"] and tally.verdicts["flips"]
    scored = sum(n for text, n in tally.rescored.items() if text.startswith("flips"))
    assert scored == tally.verdicts["flips"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("metric", [*METRICS, "alpha_nDCG(alpha=0..1)@10"])
def test_random_settings_break_no_certain_conclusion(metric: Any) -> None:
    """No random setting, scored by `evaluate`, reverses a certain conclusion."""
    found = attack(metric, ATTACKS, seed=1, topics=times(4, 8), systems=times(5, 6))
    assert found.settings == ATTACKS
    assert found.certain > 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("doubts", "metric"), JOINT)
def test_random_weights_and_labels_break_no_certain_conclusion(doubts: Any, metric: Any) -> None:
    """No random weights, labels and parameters, scored by `evaluate`, reverse a certain conclusion."""
    certain = 0
    for seed in range(2):
        certain += attack_jointly(doubts, metric, ATTACKS // 10, seed).certain
        if certain and not THOROUGH:
            break
    assert certain > 0


@pytest.mark.filterwarnings("ignore")
def test_long_lists_of_unjudged_documents_are_decided() -> None:
    """More unjudged documents than a numpy array may have dimensions are handled."""
    judgments = as_judgments({"1": {"x": {"d": 1}}})
    runs = {
        "a": {"1": {"d": 100.0, **{f"a{i}": float(-i) for i in range(40)}}},
        "b": {"1": {f"b{i}": float(-i) for i in range(40)}},
    }
    (row,) = conclude(judgments, runs, "RBU(p=0.9,e=0.01)@40", unjudged=True, significance=False).rows
    assert (row.better, row.verdict) == ("a", "flips")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("metric", ["CT(limit=0.5..1.5)", "RBU(p=0.5..0.9,e=0..0.1)@5", "EU(alpha=0.1..0.9)"])
def test_a_flip_has_two_winners(metric: str) -> None:
    """Two systems that tie as given do not flip: in every witness of a flip each of them wins once."""
    judgments = as_judgments({"1": {"x": {"d": 1, "e": 1}, "y": {"f": 1}}})
    orders = (["d", "e", "f"], ["e", "d", "f"], ["f", "d", "e"], ["d", "f", "e"], ["n", "d", "e"], ["d"])
    runs = {f"s{i}": {"1": {d: float(-j) for j, d in enumerate(order)}} for i, order in enumerate(orders)}
    for row in conclude(judgments, runs, metric).rows:
        if row.verdict == "flips":
            signs = {word[0] for word in row.witness.split() if word[0] in "+-"}
            assert signs == {"+", "-"}, row
