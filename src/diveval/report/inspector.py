"""Data for the ranking inspector: rank by rank what was relevant, what was still unsatisfied, and gain against effort.

Per topic the documents are listed once, and each ranking is a list of places in that list: compact, and shared by all
systems. Numbers are whole: utilities in ten-thousandths, what is unsatisfied in hundredths.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.errors import UsageError
from diveval.judgments import TopicJudgments, TopicRelevance
from diveval.metrics.batch import Batch
from diveval.metrics.formulas import Sum
from diveval.rankings import EMPTY, TopicRanking
from diveval.report.study import Study
from diveval.scoring import make_batch
from diveval.stopping import best_stop

DEPTHS = (50, 30, 20, 10)  # how many ranks are shown: the most that fits
UNIT = 10_000
SHARE = 100


def inspector(study: Study, *, budget: int) -> dict[str, Any]:
    """Every topic and run down to the deepest of `DEPTHS` that `budget` bytes of JSON allow; else fewer topics."""
    topics = list(study.judgments.topics)
    sample = topics[:: max(1, len(topics) // 4)][:4]
    note = None
    for depth in DEPTHS:
        view = _View.of(study, depth)
        size = sum(len(packed(view.topic(topic))) for topic in sample) / len(sample)
        if size * len(topics) <= budget:
            break
    else:
        kept = max(1, int(budget / size))
        note = f"To keep this file small, {depth} ranks are shown for the first {kept} of {len(topics)} topics."
        topics = topics[:kept]
    if note is None and depth < DEPTHS[0]:
        note = f"To keep this file small, rankings are shown down to rank {depth}."
    return {
        **view.about(),
        "topics": [view.topic(topic) for topic in topics],
        "note": note,
    }


def inspect(study: Study, topic: str, *, depth: int = DEPTHS[0]) -> dict[str, Any]:
    """One topic: what the inspector shows of it, for every run."""
    if topic not in study.judgments.topics:
        raise UsageError(f"no judgments for topic {topic!r}")
    view = _View.of(study, depth)
    return {**view.about(), "topics": [view.topic(topic)], "note": None}


def packed(value: Any) -> str:
    """JSON without spaces, and without NaN."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True)
class _View:
    """The study seen through its explained metric, down to a depth."""

    study: Study
    formula: Sum
    depth: int
    relevances: dict[str, TopicRelevance]
    tables: dict[Hashable, Any]

    @classmethod
    def of(cls, study: Study, depth: int) -> _View:
        formula = study.explained.formula
        assert isinstance(formula, Sum)  # `explained` chooses no other
        whole = replace(formula, cutoff=None)
        return cls(study, whole, depth, study.judgments.relevance(study.options.relevance), {})

    def about(self) -> dict[str, Any]:
        """What holds for every topic: the metric, the depth, and the effort by rank unless documents differ in it."""
        metric = self.study.explained
        shared = None
        if self.study.options.efforts is None:
            spent = self.formula.discount.total(np.arange(1, self.depth + 1))
            shared = _whole(float(self.formula.effort) * spent, UNIT)
        return {
            "metric": metric.name, "parameters": dict(metric.values), "cutoff": metric.cutoff, "depth": self.depth,
            "unit": UNIT, "share": SHARE, "effort": shared,
        }  # fmt: skip

    def topic(self, topic: str) -> dict[str, Any]:
        """One topic: aspects, documents, and each run's ranking of them."""
        judged, relevance = self.study.judgments.topics[topic], self.relevances[topic]
        listed = [run.topics.get(topic, EMPTY) for run in self.study.listed()]
        shown = [_documents(ranking, self.depth) for ranking in listed]
        place = {document: i for i, document in enumerate(dict.fromkeys(d for some in shown for d in some))}
        batch = make_batch(relevance, judged, listed, self.tables, self.study.options.efforts)
        curves = _curves(batch, self.formula, self.depth)
        return {
            "aspects": list(relevance.aspects), "weights": [round(float(w), 4) for w in relevance.weights],
            **_described(place, judged, relevance),
            "runs": [
                None if ranking.length == 0 else {"n": ranking.length, "docs": [place[d] for d in some], **curve}
                for ranking, some, curve in zip(listed, shown, curves, strict=True)
            ],
        }  # fmt: skip


def _documents(ranking: TopicRanking, depth: int) -> Sequence[str]:
    if ranking.documents is None and ranking.length:
        raise UsageError("the inspector shows documents: read the rankings with keep_documents=True")
    return (ranking.documents or ())[:depth]


def _described(place: dict[str, int], judged: TopicJudgments, relevance: TopicRelevance) -> dict[str, Any]:
    """The documents in the order of their places; 0 unjudged, 1 judged and not relevant, 2 relevant; and their r."""
    row_of = {document: i for i, document in enumerate(judged.documents)}
    states, relevant = [], {}
    for document, i in place.items():
        row = row_of.get(document)
        column = -1 if row is None else int(relevance.place[row])
        states.append("0" if row is None else "1" if column < 0 else "2")
        if column >= 0:
            values = relevance.relevance[:, column]
            relevant[str(i)] = [[int(a), round(float(values[a]), 4)] for a in np.flatnonzero(values)]
    return {"docs": list(place), "judged": "".join(states), "relevant": relevant}


def _curves(batch: Batch, formula: Sum, depth: int) -> list[dict[str, Any]]:
    """Per run: ranks of relevant documents, what each leaves unsatisfied, gain there; utility by rank; the stop."""
    stops, best = best_stop(batch, formula)
    gained = batch.discounts(formula.discount) * batch.gain(formula.over, formula.novelty)
    seen = batch.seen_by(formula.over)
    # One more document, relevant to nothing: what is unsatisfied before it is what the last hit leaves.
    after = formula.novelty.table(np.concatenate([seen, np.zeros((*seen.shape[:-1], 1))], axis=-1))[..., 1:]
    reached = (np.minimum(i, batch.lengths) for i in range(1, depth + 1))
    paid = float(formula.effort) * np.array([batch.effort(formula.discount, visible) for visible in reached])
    out = []
    for s in range(batch.systems):
        hits = int(np.count_nonzero(batch.ranks[s] <= depth))
        ranks = batch.ranks[s, :hits]
        visible = min(depth, int(batch.lengths[s]))
        gain = np.zeros(visible)
        gain[ranks - 1] = gained[s, :hits]
        gain = np.cumsum(gain)
        curve = {
            "hits": ranks.tolist(), "left": [_whole(after[:, s, h], SHARE) for h in range(hits)],
            "gain": _whole(gain[ranks - 1], UNIT), "utility": _whole(gain - paid[:visible, s], UNIT),
            "stop": [int(stops[s]), round(float(best[s]), 4)],
        }  # fmt: skip
        if batch.costs is not None:
            curve["effort"] = _whole(paid[:visible, s], UNIT)
        out.append(curve)
    return out


def _whole(values: NDArray[np.float64], unit: int) -> list[int]:
    whole: list[int] = np.rint(values * unit).astype(np.int64).tolist()
    return whole
