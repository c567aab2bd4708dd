"""Scores from a kept scorer are identical to those of a new evaluation, whatever was scored before."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.datasets import synthesize
from diveval.metrics import as_metrics
from diveval.scoring.evaluate import rank_all
from diveval.scoring.scorer import Scorer, score
from diveval.settings import Options

COLLECTION = synthesize(topics=6, systems=5, depth=30, seed=2)
JUDGMENTS = Judgments.from_rows([(t, a, d, float(g)) for t, a, d, g in COLLECTION.judgments()])
RUNS = [
    Run.from_rows([(t, d, s) for t, some in COLLECTION.run(name).items() for d, s in some], name=name)
    for name in COLLECTION.rankings
]
OPTIONS = Options.of()
KEPT = Scorer(JUDGMENTS, (), OPTIONS)
numbers = st.floats(0.05, 0.95).map(lambda x: round(x, 3))
metrics = st.one_of(
    st.tuples(numbers, numbers).map(lambda x: f"RBU(p={x[0]},e={x[1]})@10"),
    numbers.map(lambda x: f"alpha_nDCG(alpha={x})@10"),
    st.sampled_from(["ERR_IA@20", "P@5", "StRecall@20", "trec_eval.map", "ndeval.ERR_IA@10"]),
    numbers.map(lambda x: f"RBP(p={x})@20"),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(metrics, min_size=1, max_size=4, unique=True))
def test_a_kept_scorer_gives_identical_scores(names: list[Any]) -> None:
    """Any metrics in any order, some of them scored before."""
    chosen = as_metrics(names)
    rankings = rank_all(JUDGMENTS, RUNS, chosen, OPTIONS, keep_documents=False)
    kept, fresh = KEPT.of(chosen).score(rankings), score(JUDGMENTS, rankings, chosen, OPTIONS)
    np.testing.assert_array_equal(kept.values, fresh.values)
    np.testing.assert_array_equal(kept.counted, fresh.counted)
