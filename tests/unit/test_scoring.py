"""Results that depend on judgments alone are computed once for all runs, and topics are grouped by size."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from diveval.collection.rankings import Rankings, rank
from diveval.metrics import as_metrics
from diveval.metrics.ideal import Greedy
from diveval.scoring import scorer as scoring
from diveval.scoring.blocks import FEW, plan_blocks
from diveval.scoring.scorer import Scorer, orders, score
from diveval.settings import Options, OrderRule
from support import every_metric

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
JUDGMENTS = every_metric.judgments(unit=0.25).with_weights(every_metric.WEIGHTS)
# The search for an ideal list without a cutoff takes long, and its result is kept like those at a cutoff.
SLOW = ("nRBU(p=0.99,e=0.05)", "nRBU(p=0.99,e=0.05)@20")
METRICS = as_metrics([name for name in every_metric.names() if name not in SLOW])
OPTIONS = Options()


def ranked(first: int, last: int) -> dict[OrderRule, list[Rankings]]:
    """Some of the runs, under every order that the metrics need."""
    return {
        order: [rank(JUDGMENTS, run, order) for run in every_metric.runs()[first:last]]
        for order in orders(METRICS, OPTIONS)
    }


@pytest.mark.slow
def test_a_scorer_scores_later_runs_like_a_new_one() -> None:
    """Every metric has the same values to the last bit, whether or not earlier runs were scored before."""
    scorer = Scorer(JUDGMENTS, METRICS, OPTIONS)
    for first, last in ((0, 2), (2, 3)):
        alone = score(JUDGMENTS, ranked(first, last), METRICS, OPTIONS).values
        np.testing.assert_array_equal(scorer.score(ranked(first, last)).values, alone)


def test_an_ideal_list_is_computed_once_for_all_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Metrics share an ideal list whatever their cutoff; later runs reuse it unless there are too many topics to keep."""
    metrics = as_metrics(["alpha_nDCG@5", "alpha_nDCG@3", "ndeval.alpha_nDCG@5", "AP"])
    computed: list[int] = []
    original = Greedy.__init__

    def counted(self: Greedy, *given: object, **named: object) -> None:
        computed.append(1)
        original(self, *given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Greedy, "__init__", counted)
    monkeypatch.setattr(scoring, "plan_blocks", partial(plan_blocks, topics=1))  # two topics are two blocks
    for most, after in ((10, 4), (1, 8)):
        computed.clear()
        monkeypatch.setattr(scoring, "MOST_KEPT", most)
        scorer = Scorer(JUDGMENTS, metrics, OPTIONS)
        for some in ((0, 2), (2, 3)):
            scorer.score({order: ranked(*some)[order] for order in orders(metrics, OPTIONS)})
        assert len(computed) == after


def test_blocks_contain_every_topic_once_and_topics_of_similar_size() -> None:
    """No block exceeds the limits unless a single topic does; padding at most doubles each dimension of a block of many
    topics, and no two adjacent blocks of few topics would fit into one."""
    rng = np.random.default_rng(3)
    aspects, depths = rng.integers(0, 20, 5000), rng.integers(0, 300, 5000)
    for topics, cells in ((16, 5000), (1000, 5000), (1000, 10**6)):
        blocks = list(plan_blocks(aspects, depths, 3, topics=topics, cells=cells))
        assert sorted(np.concatenate(blocks).tolist()) == list(range(5000))
        for i, block in enumerate(blocks):
            wide, deep = max(aspects[block].max(), 1), max(depths[block].max(), 1)
            assert len(block) == 1 or (len(block) <= topics and len(block) * wide * deep * 3 <= 2 * cells)
            alike = wide < 2 * max(aspects[block].min(), 1) and deep < 2 * max(depths[block].min(), 1)
            assert alike or len(block) <= FEW
            both = np.concatenate(blocks[i : i + 2])
            fits = len(both) * max(aspects[both].max(), 1) * max(depths[both].max(), 1) * 3 <= 2 * cells
            assert i + 1 == len(blocks) or len(both) > min(FEW, topics) or not fits
    assert list(plan_blocks(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), 1)) == []
