"""A small evaluation for the tests of the report."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from support.late import late_or_skip

late_or_skip("altair", reason="the report needs altair")
late_or_skip("scipy", reason="the report needs scipy")

from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.datasets import synthesize
from diveval.metrics import as_metrics
from diveval.scoring.evaluate import rank_all
from diveval.scoring.study import Evaluation, metrics_to_read
from diveval.settings import Efforts, Options

COLLECTION = synthesize(topics=6, systems=5, depth=70, seed=5)
WEIGHTS = {(t, a): w for t, given in COLLECTION.weights.items() for a, w in given.items()}


def make(metrics: list[str], *, efforts: Efforts | None = None, keep_documents: bool = True) -> Evaluation:
    """Evaluate the synthetic collection."""
    judgments = Judgments.from_rows([(t, a, d, float(g)) for t, a, d, g in COLLECTION.judgments()], weights=WEIGHTS)
    runs = [
        Run.from_rows([(t, d, s) for t, some in COLLECTION.run(n).items() for d, s in some], name=n)
        for n in COLLECTION.rankings
    ]
    chosen, options = as_metrics(metrics), Options.of(efforts=efforts)
    rankings = rank_all(judgments, runs, metrics_to_read(chosen), options, keep_documents=keep_documents)
    return Evaluation(judgments, rankings, chosen, options)


@pytest.fixture(scope="session", name="make")
def maker() -> Callable[..., Evaluation]:
    """A function that evaluates it with other metrics or efforts."""
    return make


@pytest.fixture(scope="session")
def study() -> Evaluation:
    """The collection evaluated with four metrics."""
    return make(["RBU(p=0.99,e=0.05)@20", "alpha_nDCG@20", "ERR_IA@20", "StRecall@20"])
