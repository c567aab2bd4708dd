"""Scores from what was laid out once are those of a fresh evaluation, bit for bit, whatever was scored before."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from diveval.datasets import synthesize
from diveval.evaluation import rank_all
from diveval.judgments import Judgments
from diveval.metrics import as_metrics
from diveval.options import Options
from diveval.runs import Run
from diveval.scoring import Scorer, score

MADE = synthesize(topics=6, systems=5, depth=30, seed=2)
JUDGMENTS = Judgments.from_rows([(t, a, d, float(g)) for t, a, d, g in MADE.judgments()])
RUNS = [
    Run.from_rows([(t, d, s) for t, some in MADE.run(name).items() for d, s in some], name=name)
    for name in MADE.rankings
]
OPTIONS = Options.of()
HELD = Scorer(JUDGMENTS, (), OPTIONS)
numbers = st.floats(0.05, 0.95).map(lambda x: round(x, 3))
metrics = st.one_of(
    st.tuples(numbers, numbers).map(lambda x: f"RBU(p={x[0]},e={x[1]})@10"),
    numbers.map(lambda x: f"alpha_nDCG(alpha={x})@10"),
    st.sampled_from(["ERR_IA@20", "P@5", "StRecall@20", "trec_eval.map", "ndeval.ERR_IA@10"]),
    numbers.map(lambda x: f"RBP(p={x})@20"),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(metrics, min_size=1, max_size=4, unique=True))
def test_scoring_again_changes_no_bit(names: list[Any]) -> None:
    """Any order of any metrics, some of them scored before."""
    chosen = as_metrics(names)
    rankings = rank_all(JUDGMENTS, RUNS, chosen, OPTIONS, keep_documents=False)
    held, fresh = HELD.of(chosen).score(rankings), score(JUDGMENTS, rankings, chosen, OPTIONS)
    np.testing.assert_array_equal(held.values, fresh.values)
    np.testing.assert_array_equal(held.counted, fresh.counted)
