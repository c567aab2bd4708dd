"""Interval scales: the answers agree with all rankings scored by plain arithmetic, and with what the literature states."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import pairwise, product
from typing import Any

import pytest

from diveval.axioms import scale
from diveval.cli import main
from support.refusals import refuses
from unit.axioms import plain


@pytest.mark.parametrize(
    ("metric", "interval"),
    [
        ("P@5", "yes"),
        ("P@20", "yes"),
        ("RBP(p=0.5)@5", "yes"),
        ("RBP(p=0.5)@20", "yes"),
        ("RBP(p=0.8)@5", "no"),
        ("RBP(p=0.8)@20", "no"),
        ("RR@4", "no"),
        ("AP@5", "no"),
        ("AP@16", "no"),
        ("nDCG@3", "no"),
        ("nDCG@10", "no"),
        ("nDCG@20", "no"),
        ("ERR@3", "no"),
        ("RBU@20", "no"),
    ],
)
def test_what_the_literature_states(metric: str, interval: str) -> None:
    """Ferrante, Ferro, Fuhr: P and RBP with p = 1/2 are interval scales of binary rankings; AP, nDCG, RR, ERR are not."""
    assert scale(metric).interval == interval


def values(metric: Any, k: int, levels: Any) -> list[F]:
    """The different scores of all rankings, by the scorer that shares no code with diveval."""
    pool = [[level] for level in levels if level for _ in range(k)]
    name, given = metric
    score = plain.METRICS[name]
    return sorted({score([[r] for r in rows], [F(1)], pool, k, **given) for rows in product(levels, repeat=k)})


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("levels", [(F(0), F(1)), (F(0), F(1, 2), F(1))])
@pytest.mark.parametrize(
    ("text", "name", "given"),
    [("P", "P@k", {}), ("RR", "RR", {}), ("AP", "AP", {}), ("ERR", "ERR@k", {}), ("nDCG", "nDCG@k", {})],
)
def test_all_rankings_by_another_scorer(k: int, levels: Any, text: str, name: str, given: Any) -> None:
    """The answer and the number of values are those of scores computed without diveval."""
    found = scale(text, cutoff=k, levels=levels)
    scores = values((name, given), k, levels)
    steps = {b - a for a, b in pairwise(scores)}
    equal = len(steps) == 1 or max(steps) - min(steps) < F(1, 10**40)
    assert found.values == len(scores)
    assert found.interval == ("yes" if equal else "no")


@pytest.mark.parametrize("metric", ["RBP(p=0.8)@4", "nDCG@4", "RBU@5", "ERR_IA@3"])
def test_the_rankings_shown_refute_it(metric: str) -> None:
    """Three rankings are shown, in the order of their scores, with unequal distances."""
    found = scale(metric, aspects=2 if metric == "ERR_IA@3" else 1)
    low, middle, high = (float(step.score) for step in found.steps)
    assert low < middle < high and abs((high - middle) - (middle - low)) > 1e-6
    assert all(len(step.ranking) == found.cutoff for step in found.steps)


@pytest.mark.parametrize("p", ["0.5", "0.6", "0.75"])
def test_arguments_agree_with_all_rankings(p: str) -> None:
    """What the units of a sum say is what all 2^8 rankings say, and what they say of 2^9."""
    assert scale(f"RBP(p={p})@8").interval == scale(f"RBP(p={p})@9").interval == ("yes" if p == "0.5" else "no")


def test_wrong_questions_are_refused() -> None:
    """A scale needs a cutoff, levels from 0 to 1, and at least one aspect."""
    with refuses("cutoff-needed", "RBU"):
        scale("RBU")
    with refuses("out-of-range", "2"):
        scale("P@3", levels=(0, 2))
    with refuses("out-of-range", "0"):
        scale("P@3", aspects=0)


def test_the_command_prints_what_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Text and JSON name the metric and the answer; an axiom or a missing metric is refused."""
    assert main(["axioms", "--scale", "P@4", "RBP(p=0.8)@4"]) == 0
    said = capsys.readouterr().out
    assert "P@4" in said and "Moffat" in said
    assert main(["axioms", "--scale", "P@4", "-f", "json"]) == 0
    assert '"interval": "yes"' in capsys.readouterr().out
    for wrong in (["--scale"], ["--scale", "P@4", "Pri"], ["--levels", "0,1"], ["--scale", "P@4", "--levels", "x"]):
        assert main(["axioms", *wrong]) == 2
        assert "error[" in capsys.readouterr().err
