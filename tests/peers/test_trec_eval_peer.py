"""trec_eval, through pytrec_eval, on random collections: identical doubles, with ties and negative grades."""

from __future__ import annotations

from typing import Any

import pytest
import pytrec_eval

from diveval import evaluate
from diveval.judgments import Judgments
from diveval.runs import Run
from support.drawn import draw

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
BINARY = [
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "map",
    "Rprec",
    "bpref",
    "recip_rank",
    "P_5",
    "P_10",
    "P_100",
    "recall_5",
    "recall_30",
    "success_1",
    "success_10",
    "map_cut_5",
    "map_cut_20",
]
GRADED = ["ndcg", "ndcg_cut_5", "ndcg_cut_10", "ndcg_cut_100"]


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("seed", range(40))
def test_every_measure_equals_trec_eval_exactly(seed: int, level: int) -> None:
    """Sixteen measures with a relevance level, and four with graded gain."""
    data = draw(seed, aspects=1, lowest=-2)
    graded = [] if level > 1 else GRADED
    setting = f"(level={level})" if level > 1 else ""
    names = [f"trec_eval.{name}{'' if name == 'num_ret' else setting}" for name in BINARY]
    scores = evaluate(
        Judgments.from_rows(data.judgments), Run.from_rows(data.run), [*names, *(f"trec_eval.{n}" for n in graded)]
    )
    printed = _trec_eval(data, level, {*BINARY, *graded})
    for topic in data.topics:
        for m, measure in enumerate([*BINARY, *graded]):
            assert scores.values[0, m, scores.topics.index(topic)] == printed[topic][measure], (topic, measure)


def _trec_eval(data: Any, level: Any, measures: Any) -> Any:
    judgments: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for topic, _, document, grade in data.judgments:
        judgments.setdefault(topic, {})[document] = grade
    for topic, document, score in data.run:
        run.setdefault(topic, {})[document] = score
    return pytrec_eval.RelevanceEvaluator(judgments, measures, relevance_level=level).evaluate(run)
