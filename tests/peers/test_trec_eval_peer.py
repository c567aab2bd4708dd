"""trec_eval, through pytrec_eval, on random collections: identical doubles, with ties and negative grades."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import pytrec_eval

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from support.drawn import draw
from support.shared import times

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
# pytrec_eval's name, where it differs: it wraps trec_eval 9, and writes numbers after an underscore.
LEVELLED = {
    name: name
    for name in [
        "num_rel",
        "num_rel_ret",
        "map",
        "gm_map",
        "Rprec",
        "bpref",
        "gm_bpref",
        "recip_rank",
        "infAP",
        "utility",
        "binG",
        "set_P",
        "set_relative_P",
        "set_recall",
        "set_map",
        "set_F",
        "num_nonrel_judged_ret",
        "Rndcg",
        "P_5",
        "P_10",
        "P_100",
        "recall_5",
        "recall_30",
        "success_1",
        "success_10",
        "map_cut_5",
        "map_cut_20",
        "relative_P_5",
        "relative_P_30",
    ]
} | {f"Rprec_mult_{share}": f"Rprec_mult(multiple={share})" for share in ("0.20", "0.60", "1.40", "2.00")}
OLDER = {"11pt_avg": "11pt_avg"} | {
    f"iprec_at_recall_{share}": f"iprec_at_recall(recall={share})" for share in ("0.00", "0.10", "0.50", "1.00")
}
GRADED = ["num_q", "num_ret", "ndcg", "ndcg_rel", "G", "ndcg_cut_5", "ndcg_cut_10", "ndcg_cut_100"]


def _ours(level: int, judged_only: bool) -> dict[str, str]:
    """Our metrics by pytrec_eval's names."""
    drop = "judged_only=yes" if judged_only else ""
    named = {peer: f"trec_eval.{name}" for peer, name in LEVELLED.items()}
    named |= {peer: f"trec_eval9.{name}" for peer, name in OLDER.items()}
    out = {peer: _with(name, f"level={level}", drop) for peer, name in named.items()}
    return out | {name: _with(f"trec_eval.{name}", drop) for name in GRADED}


def _with(name: str, *settings: str) -> str:
    whole, _, own = name.removesuffix(")").partition("(")
    given = ",".join(filter(None, (own, *settings)))
    return f"{whole}({given})" if given else whole


@pytest.mark.parametrize("judged_only", [False, True], ids=["", "-J"])
@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("seed", range(times(20, 125)))
def test_every_measure_equals_trec_eval_exactly(seed: int, level: int, judged_only: bool) -> None:
    """Forty-five measures have the same bits, with -l 1 and 2, and with -J."""
    data, names = draw(seed, aspects=1, lowest=-2), _ours(level, judged_only)
    scores = evaluate(Judgments.from_rows(data.judgments), Run.from_rows(data.run), list(names.values()))
    printed = _trec_eval(data, level, set(names), judged_only)
    for topic in data.topics:
        for m, measure in enumerate(names):
            expected = np.nan_to_num(printed[topic][measure])  # it divides by the length of an empty list
            assert scores.values[0, m, scores.topics.index(topic)] == expected, (topic, measure)


def _trec_eval(data: Any, level: int, measures: set[str], judged_only: bool) -> Any:
    judgments: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for topic, _, document, grade in data.judgments:
        judgments.setdefault(topic, {})[document] = grade
    for topic, document, score in data.run:
        run.setdefault(topic, {})[document] = score
    peer = pytrec_eval.RelevanceEvaluator(judgments, measures, relevance_level=level, judged_docs_only_flag=judged_only)
    return peer.evaluate(run)
