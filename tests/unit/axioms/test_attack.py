"""The attack itself: its doubles agree with exact scores, and printed lines are tried at the cutoffs they cover."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from diveval.axioms import check
from support.present import present
from unit.axioms import attack
from unit.axioms.many import CLEAR, packs, unclear
from unit.axioms.scoring import broken, gaps, value
from unit.axioms.targets import of_entry


@pytest.mark.slow
@pytest.mark.parametrize("axiom", ["Pri", "Deep", "AspDiv", "Red", "Sat", "AspRel"])
def test_scores_in_doubles_match_exact_scores(axiom: str) -> None:
    """For every declaration under attack, batched doubles equal fractions computed one at a time."""
    source, compared = random.Random(axiom), 0
    for target in attack.all_targets():
        chosen = attack.setting(target, source)
        metric, k = target.build(chosen), 9 if target.cutoff == "k" else target.cutoff
        if target.group not in ("catalogue", "compositions"):
            continue
        pack = source.choice(packs(axiom, "as-written", 8, 60))
        differences = gaps(target, metric, chosen, pack, k)
        for i in source.sample(range(len(pack.pairs)), min(2, len(pack.pairs))):
            better, worse, weights, pool, _ = pack.pairs[i]
            exact = value(metric, better, weights, pool, k) - value(metric, worse, weights, pool, k)
            assert float(exact) == pytest.approx(differences[i], abs=CLEAR / 10), (target.name, pack.pairs[i])
            compared += 1
    assert compared > 100


def test_unclear_doubles_are_scored_in_fractions() -> None:
    """A tie, a loss, NaN and a gain below the threshold are unclear; a large gain is not."""
    assert list(unclear(np.array([0.0, -1.0, np.nan, CLEAR / 2, 1e-3]))) == [0, 1, 2, 3]
    first, second = [[F(1, 3)], [F(1, 7)]], [[F(1, 7)], [F(1, 3)]]
    assert broken(("P@k", {}), (first, second, [F(1)], first, True), 2)


def test_borders_with_effort_hold_at_each_cutoff() -> None:
    """RBU@k, as written: within four ranks m is at most 2, so the interval of r_c is smaller than with six or more."""
    given: Any = {"p": F(99, 100), "e": F(1, 20)}
    target = of_entry("RBU(p=99/100,e=1/20)@k", "RBU", given, "k")
    verdict = check(target.item, "CloseTh", reading="as-written")
    tried, wrong = attack.attack_verdict(target, "CloseTh", "as-written", 4000, verdict)
    assert wrong is None and tried > 300
    lines = [line.partition(": ")[2] for line in present(verdict.region).numbers]
    everywhere = replace(verdict, region=replace(present(verdict.region), numbers=(lines[-1],)))
    assert attack.attack_verdict(target, "CloseTh", "as-written", 200_000, everywhere)[1] is not None


@pytest.mark.parametrize("k", [25, 30])
def test_a_region_at_a_long_cutoff_covers_ranks_within_it(k: int) -> None:
    """With small effort large m matter, but within k ranks none beyond k/2 is a witness."""
    given: Any = {"p": F(999, 1000), "e": F(1, 10000)}
    target = of_entry(f"RBU(p=999/1000,e=1/10000)@{k}", "RBU", given, k)
    region = present(check(target.item, "CloseTh", reading="as-written").region)
    low, high = (F(x) for x in region.numbers[0].partition("[")[2].partition("]")[0].split(", "))
    metric = target.build({})

    def some(r: F) -> bool:
        return any(attack.is_witness(metric, "CloseTh", "as-written", m, r, k) for m in range(1, k + 1))

    assert not some(low - F(1, 10**8)) and some(high + F(1, 10**8))
