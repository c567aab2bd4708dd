"""ndeval, through pyndeval, on random collections: identical doubles."""

from __future__ import annotations

import math

import pyndeval
import pytest

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from support.drawn import draw

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
CUTOFFS = (1, 2, 5, 13, 20)
MEASURES = {
    **{
        f"{theirs}@{k}": (ours, f"@{k}")
        for theirs, ours in [
            ("ERR-IA", "ERR_IA"),
            ("nERR-IA", "nERR_IA"),
            ("alpha-DCG", "alpha_DCG"),
            ("alpha-nDCG", "alpha_nDCG"),
            ("P-IA", "P_IA"),
            ("strec", "strec"),
        ]
        for k in CUTOFFS
    },
    "NRBP": ("NRBP", ""),
    "nNRBP": ("nNRBP", ""),
    "MAP-IA": ("MAP_IA", ""),
}


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.5), (0.1, 0.8), (0.0, 0.3), (1.0, 0.9)])
@pytest.mark.parametrize("seed", range(25))
def test_every_measure_equals_ndeval_exactly(seed: int, alpha: float, beta: float) -> None:
    """All nine measures at cutoffs 1 to 20, with ties ordered as by pyndeval."""
    data = draw(seed)
    setting = f"(alpha={alpha},beta={beta})"
    names = [f"ndeval.{name}{setting}{cutoff}" for name, cutoff in MEASURES.values()]
    scores = evaluate(
        Judgments.from_rows(data.judgments), Run.from_rows(data.run), names, order="score", ties="docno-asc"
    )
    printed = pyndeval.ndeval(data.judgments, data.run, list(MEASURES), alpha=alpha, beta=beta)
    for topic in data.topics:
        for m, measure in enumerate(MEASURES):
            value, theirs = scores.values[0, m, scores.topics.index(topic)], printed[topic][measure]
            assert value == theirs or (math.isnan(value) and math.isnan(theirs)), (topic, measure)


def test_two_settings_in_one_call_are_both_scored() -> None:
    """Two values of α in one call give what each gives alone."""
    data = draw(0)
    judgments, run = Judgments.from_rows(data.judgments), Run.from_rows(data.run)
    names = ["ndeval.alpha_nDCG@20", "ndeval.alpha_nDCG(alpha=0.25)@20"]
    both = evaluate(judgments, run, names)
    for name in names:
        assert (both.array(name) == evaluate(judgments, run, name).array()).all()
