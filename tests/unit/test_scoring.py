"""What is made before there are runs changes no score, and is made once."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support import every_metric

from diveval import scoring
from diveval.metrics import as_metrics
from diveval.metrics.compat.ndeval import Ideal
from diveval.metrics.ideal import Greedy
from diveval.options import Options
from diveval.rankings import Rankings, rank
from diveval.runs import OrderRule
from diveval.scoring import Scorer, orders, score

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
JUDGMENTS = every_metric.judgments(unit=0.25).with_weights(every_metric.WEIGHTS)
METRICS = as_metrics(every_metric.names())
OPTIONS = Options()


def ranked(first: int, last: int) -> dict[OrderRule, list[Rankings]]:
    """Some of the runs, under every order that is needed."""
    return {
        order: [rank(JUDGMENTS, run, order) for run in every_metric.runs()[first:last]]
        for order in orders(METRICS, OPTIONS)
    }


def test_every_metric_scores_the_same_prepared_or_not() -> None:
    """To the last bit, for the first runs and for later ones."""
    plain, prepared = Scorer(JUDGMENTS, METRICS, OPTIONS), Scorer(JUDGMENTS, METRICS, OPTIONS)
    prepared.prepare()
    for first, last in ((0, 2), (2, 3)):
        found = [scorer.score(ranked(first, last)) for scorer in (plain, prepared)]
        np.testing.assert_array_equal(found[0].values, found[1].values)
        np.testing.assert_array_equal(found[0].values, score(JUDGMENTS, ranked(first, last), METRICS, OPTIONS).values)


def test_an_ideal_list_is_made_once_for_all_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not at all for runs that come after; without preparation, for each batch of runs."""
    metrics = as_metrics(["alpha_nDCG@5", "alpha_nDCG@3", "ndeval.alpha_nDCG@5", "AP"])
    made: list[type] = []
    for kind in (Ideal, Greedy):
        whole = kind.__init__

        def counted(self: object, *given: object, kind: type = kind, whole: object = whole) -> None:
            made.append(kind)
            whole(self, *given)  # type: ignore[operator]

        monkeypatch.setattr(kind, "__init__", counted)
    for most, before, after in ((10, 4, 4), (1, 0, 8)):
        made.clear()
        monkeypatch.setattr(scoring, "MOST_PREPARED", most)
        scorer = Scorer(JUDGMENTS, metrics, OPTIONS)
        for _ in range(2):
            scorer.prepare()
            assert len(made) == before
        for some in ((0, 2), (2, 3)):
            scorer.score({order: ranked(*some)[order] for order in orders(metrics, OPTIONS)})
        assert len(made) == after and set(made) == {Ideal, Greedy}
