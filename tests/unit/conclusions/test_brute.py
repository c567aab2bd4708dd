"""Verdicts against brute force on small random collections; DIVEVAL_CASES=2000 DIVEVAL_ATTACKS=25000 is the full run."""

from __future__ import annotations

import os
import random
import re
from fractions import Fraction
from typing import Any

import pytest

from diveval import evaluate
from diveval.conclusions import conclude, ratios, signs, unjudged_bounds
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


LIMITS: dict[str, tuple[Any, dict[str, int]]] = {
    "no labelling is enumerated": (unjudged_bounds, {"ENUMERATED": 1, "FEW": 1}),
    "few nodes are kept": (unjudged_bounds, {"ENUMERATED": 1, "FEW": 1, "NODES": 2}),
    "few halvings": (signs, {"DEPTH": 2, "QUICK_DEPTH": 1}),
    "few cells": (signs, {"CELLS": 3, "QUICK": 1}),
    "few cells of a ratio": (ratios, {"CELLS": 2}),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("limit", LIMITS)
def test_smaller_limits_make_no_verdict_wrong(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What large collections meet, small ones meet with smaller limits: every verdict agrees with brute force."""
    module, smaller = LIMITS[limit]
    for name, value in smaller.items():
        monkeypatch.setattr(module, name, value)
    for kind in ("unjudged", "all") if module is unjudged_bounds else ("parameters", "all"):
        tally = campaign(kind, 10, seed=5)
        assert sum(tally.verdicts.values()) == 10 and tally.verdicts["flips"]


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


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_both_winners_of_a_flip_over_a_limit_win() -> None:
    """`evaluate` at the two limits of each flip over CT's limit finds a lead of each system, of the size that is printed."""
    flips, topics, names = 0, ("1", "2"), [f"d{i}" for i in range(8)]
    for seed in range(times(12, 200)):
        rng = random.Random(seed)
        qrels = {t: {a: {d: rng.choice([0, 0, 1, 2]) for d in names} | {"d0": 2} for a in "xy"} for t in topics}
        order = {f"s{i}": {t: rng.sample(names, 5) for t in topics} for i in range(4)}
        runs = {s: {t: {d: -float(j) for j, d in enumerate(docs)} for t, docs in of.items()} for s, of in order.items()}
        judgments = as_judgments(qrels)
        for row in conclude(judgments, runs, "CT(limit=0.25..1.5)").rows:
            if row.verdict != "flips":
                continue
            flips += 1
            leads = []
            for limit, printed in re.findall(r"limit=([\d./]+): ([+-][\d.e-]+)", row.witness):
                scored = evaluate(judgments, runs, f"CT(limit={float(Fraction(limit))})")
                means = dict(zip(scored.runs, scored.means[:, 0].tolist(), strict=True))
                leads.append(means[row.better] - means[row.worse])
                assert leads[-1] == pytest.approx(float(printed), rel=5e-3)  # three digits are printed
            assert len(leads) == 2 and min(leads) < 0 < max(leads), row
            assert row.margin == pytest.approx(min(leads))
    assert flips > 3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_place_of_the_smallest_lead_has_it() -> None:
    """Where a certain pair names a place, `evaluate` finds the printed lead there, and the margin is no larger."""
    judgments = as_judgments({"1": {"x": {"d": 1, "e": 1}, "y": {"f": 1}}, "2": {"x": {"d": 2}, "y": {"e": 1}}})
    orders = (["d", "e", "f"], ["e", "d", "f"], ["n", "f", "d"], ["n", "m", "d", "e"])
    runs = {f"s{i}": {t: {d: float(-j) for j, d in enumerate(order)} for t in "12"} for i, order in enumerate(orders)}
    places = 0
    for row in conclude(judgments, runs, "RBU(p=0.5..0.9,e=0..0.1)@5").rows:
        found = re.match(r"([+-][\d.e-]+) at (.+), the smallest found", row.witness)
        if row.verdict != "certain" or found is None:
            continue
        places += 1
        setting = ",".join(f"{k}={float(Fraction(v))}" for k, v in re.findall(r"(\w+)=([\d./]+)", found[2]))
        scored = evaluate(judgments, runs, f"RBU({setting})@5")
        means = dict(zip(scored.runs, scored.means[:, 0].tolist(), strict=True))
        assert means[row.better] - means[row.worse] == pytest.approx(
            float(found[1]), rel=5e-3
        )  # three digits are printed
        assert row.margin <= means[row.better] - means[row.worse] + 1e-12
    assert places
