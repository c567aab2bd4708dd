"""The attack itself: its sieve agrees with exact scores, and a line is tried at the cutoffs it is said of."""

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
def test_many_scores_at_once_are_the_exact_ones(axiom: str) -> None:
    """Every declaration that is attacked, at random parameters: doubles side by side against fractions one by one."""
    source, compared = random.Random(axiom), 0
    for target in attack.everything():
        chosen = attack.setting(target, source)
        metric, k = target.build(chosen), 9 if target.cutoff == "k" else target.cutoff
        if target.group not in ("catalogue", "compositions"):
            continue
        pack = source.choice(packs(axiom, "as-written", 8, 60))
        found = gaps(target, metric, chosen, pack, k)
        for i in source.sample(range(len(pack.pairs)), min(2, len(pack.pairs))):
            better, worse, weights, pool, _ = pack.pairs[i]
            exact = value(metric, better, weights, pool, k) - value(metric, worse, weights, pool, k)
            assert float(exact) == pytest.approx(found[i], abs=CLEAR / 10), (target.name, pack.pairs[i])
            compared += 1
    assert compared > 100


def test_what_doubles_cannot_tell_is_left_to_fractions() -> None:
    """A tie, a loss, a value that is none and a gain below the threshold are doubtful; a clear gain is not."""
    assert list(unclear(np.array([0.0, -1.0, np.nan, CLEAR / 2, 1e-3]))) == [0, 1, 2, 3]
    first, second = [[F(1, 3)], [F(1, 7)]], [[F(1, 7)], [F(1, 3)]]
    assert broken(("P@k", {}), (first, second, [F(1)], first, True), 2)


def test_borders_with_effort_hold_at_each_cutoff() -> None:
    """RBU@k, as written: within four ranks m = 2 is all there is, so the interval of r_c is smaller than from six on."""
    given: Any = {"p": F(99, 100), "e": F(1, 20)}
    target = of_entry("RBU(p=99/100,e=1/20)@k", "RBU", given, "k")
    verdict = check(target.item, "CloseTh", reading="as-written")
    tried, wrong = attack.examined(target, "CloseTh", "as-written", 4000, verdict)
    assert wrong is None and tried > 300
    lines = [line.partition(": ")[2] for line in present(verdict.region).numbers]
    everywhere = replace(verdict, region=replace(present(verdict.region), numbers=(lines[-1],)))
    assert attack.examined(target, "CloseTh", "as-written", 200_000, everywhere)[1] is not None


@pytest.mark.parametrize("k", [25, 30])
def test_a_region_at_a_long_cutoff_is_of_the_ranks_in_sight(k: int) -> None:
    """Small effort makes large m matter: within k ranks no m beyond k/2 does."""
    given: Any = {"p": F(999, 1000), "e": F(1, 10000)}
    target = of_entry(f"RBU(p=999/1000,e=1/10000)@{k}", "RBU", given, k)
    region = present(check(target.item, "CloseTh", reading="as-written").region)
    low, high = (F(x) for x in region.numbers[0].partition("[")[2].partition("]")[0].split(", "))
    metric = target.build({})

    def some(r: F) -> bool:
        return any(attack.does(metric, "CloseTh", "as-written", m, r, k) for m in range(1, k + 1))

    assert not some(low - F(1, 10**8)) and some(high + F(1, 10**8))
