"""Rankings rank by rank: relevant documents, what was still unsatisfied, gain and effort, and what each document added
to each metric.

To keep pages small, the documents of a topic are listed once and each ranking is a list of indices into that list, and
numbers are integers: gains in ten-thousandths, parts of a metric in millionths, what is unsatisfied in hundredths.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.analysis.stopping import best_stop
from diveval.collection.columns import IntArray, concatenate, offsets_of, owners
from diveval.collection.judgments import Judgments, TopicJudgments, TopicRelevance
from diveval.collection.rankings import EMPTY, Rankings, TopicRanking
from diveval.errors import UsageError, quote
from diveval.metrics import Metric
from diveval.metrics.batch import Batch
from diveval.metrics.formulas import Sum
from diveval.reading.texts import Texts
from diveval.scoring.scorer import make_batch
from diveval.scoring.study import Evaluation
from diveval.settings import Options, OrderRule, RelevanceRule

DEPTH = 50  # ranks shown unless fewer are asked for
UNIT, FINE, SHARE = 10_000, 1_000_000, 100
SNIPPET = 240  # characters of a snippet that are shown


def pack(value: Any) -> str:
    """JSON without spaces, NaN and halves of surrogate pairs, which texts may contain and UTF-8 cannot represent."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=float)
    except ValueError:  # the scores were finite, so it is a sum or a share of them that is not
        raise too_large() from None
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def too_large() -> UsageError:
    """The error of a value that no double can hold, such as the gain and the effort of RBU(e=1e308)."""
    return UsageError("metric-failed", "a value is too large for a number", hint="choose smaller parameters")


@dataclass(frozen=True)
class Walker:
    """Some runs explained by one metric with effort, down to a depth; for `metrics` the parts of documents are given."""

    judgments: Judgments
    rankings: Mapping[Any, Sequence[Rankings]]
    explained: Metric
    metrics: Sequence[Metric]
    options: Options
    texts: Texts
    depth: int
    tables: dict[Hashable, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, study: Evaluation, depth: int = DEPTH) -> Walker:
        """All runs of a study."""
        return cls(study.judgments, study.rankings, study.explained, study.metrics, study.options, study.texts, depth)

    @property
    def formula(self) -> Sum:
        """The explained metric without its cutoff."""
        formula = self.explained.formula.as_sum
        if formula is None:
            raise UsageError(
                "metric-needs-effort",
                f"a walk needs a metric with effort, such as RBU or EU, got {self.explained.name}",
            )
        return replace(formula, cutoff=None)

    def about(self) -> dict[str, Any]:
        """What holds for every topic: the metric, the depth, and the effort by rank unless documents differ in it."""
        formula, metric, effort = self.formula, self.explained, None
        if self.options.efforts is None:
            effort = _whole(float(formula.effort) * formula.discount.total(np.arange(1, self.depth + 1)), UNIT)
        return {
            "metric": metric.name,
            "parameters": dict(metric.values),
            "cutoff": metric.cutoff,
            "depth": self.depth,
            "unit": UNIT,
            "fine": FINE,
            "share": SHARE,
            "effort": effort,
            "metrics": [metric.name for metric in self.metrics],
        }

    def topic(self, topic: str) -> dict[str, Any]:
        """One topic: aspects, documents, and each run's ranking of them."""
        if topic not in self.judgments.topics:
            raise UsageError("unknown-topic", f"no judgments for topic {quote(topic)}")
        judged, relevance = self.judgments.topics[topic], self.judgments.relevance(self.options.relevance)[topic]
        listed = self._lists_of(self.explained, topic)
        shown_documents = [_documents(ranking, self.depth) for ranking in listed]
        place = {document: i for i, document in enumerate(dict.fromkeys(d for some in shown_documents for d in some))}
        batch = make_batch(self.judgments, self.options.relevance, topic, listed, self.tables, self.options.efforts)
        curves = _curves(batch, self.formula, self.depth)
        parts = self._parts(topic, listed, [curve["hits"] for curve in curves])
        runs = [
            None
            if ranking.length == 0
            else {"n": ranking.length, "docs": [place[d] for d in some], **curve, "parts": [part[s] for part in parts]}
            for s, (ranking, some, curve) in enumerate(zip(listed, shown_documents, curves, strict=True))
        ]
        return {
            "aspects": list(relevance.aspects),
            "weights": [round(float(w), 4) for w in relevance.weights],
            **_describe(place, judged, relevance),
            "texts": self._texts(place),
            "runs": runs,
        }

    def _lists_of(self, metric: Metric, topic: str) -> list[TopicRanking]:
        runs = self.rankings[self.options.order_for(metric.order)]
        return [run.topics.get(topic, EMPTY) for run in runs]

    def _parts(self, topic: str, shown: Sequence[TopicRanking], hits: Sequence[Sequence[int]]) -> list[list[list[int]]]:
        """Per metric and run, what each relevant document of `hits`, ranks of the lists shown, added when a reader reached
        it, then the score.

        The part of the document at rank i is M(first i) − M(first i − 1). The parts of all ranks add up to
        the score of the list, less that of an empty one, for every metric; the page shows the rest as one part.
        """
        kinds: dict[tuple[RelevanceRule, OrderRule], list[int]] = {}
        for m, metric in enumerate(self.metrics):
            rules = metric.rule or self.options.relevance, self.options.order_for(metric.order)
            kinds.setdefault(rules, []).append(m)
        rows = [ranking.rows[ranking.ranks.searchsorted(some)] for ranking, some in zip(shown, hits, strict=True)]
        starts = offsets_of([len(some) for some in rows])
        run = owners(starts)
        out: list[list[list[int]]] = [[] for _ in self.metrics]
        for (rule, _), members in kinds.items():
            listed = self._lists_of(self.metrics[members[0]], topic)
            ranks = concatenate(
                [_find_ranks(ranking, some) for ranking, some in zip(listed, rows, strict=True)], np.int64
            )
            lengths = np.array([ranking.length for ranking in listed], dtype=np.int64)
            beyond = int(lengths.max(initial=0)) + 1
            reached, whole = run * beyond + ranks, np.arange(len(listed)) * beyond + lengths
            # Adjacent hits share a prefix, which is scored once.
            held = reached[ranks > 0]
            keys = np.unique(np.concatenate([held, held - 1, whole]))
            batch = make_batch(
                self.judgments, rule, topic, listed, self.tables, self.options.efforts, np.divmod(keys, beyond)
            )
            after, before, ends = (keys.searchsorted(some) for some in (reached, reached - (ranks > 0), whole))
            for m in members:
                values = np.nan_to_num(self.metrics[m].score(batch))
                # A document that is not in the run under this metric's order has no part.
                added = _scale_exactly(
                    np.where(ranks > 0, values.take(after, mode="clip") - values.take(before, mode="clip"), 0.0)
                )
                scores = _scale_exactly(values[ends])
                out[m] = [
                    [*added[low:high], score] for low, high, score in zip(starts[:-1], starts[1:], scores, strict=True)
                ]
        return out

    def _texts(self, place: Mapping[str, int]) -> dict[str, list[str]]:
        """Title, snippet and address of the documents that have any, by place."""
        known = self.texts.documents
        return {
            str(i): [known[d].title, known[d].snippet[:SNIPPET], known[d].url] for d, i in place.items() if d in known
        }


def inspect(study: Evaluation, topic: str, *, depth: int = DEPTH) -> dict[str, Any]:
    """One topic for every run, with what holds for every topic."""
    walker = Walker.of(study, depth)
    return {**walker.about(), "topics": [walker.topic(topic)]}


def _scale_exactly(values: NDArray[np.float64]) -> list[int]:
    """Values in millionths; an error if one is too large for that."""
    if not (np.abs(values) < np.finfo(np.float64).max / FINE).all():
        raise too_large()
    return _whole(values, FINE)


def _find_ranks(ranking: TopicRanking, rows: IntArray) -> IntArray:
    """Where judged documents stand in a ranking, 0 if nowhere."""
    if not len(ranking.rows):
        return np.zeros_like(rows)
    order = np.argsort(ranking.rows, kind="stable")
    at = order[np.minimum(ranking.rows[order].searchsorted(rows), len(order) - 1)]
    return np.where(ranking.rows[at] == rows, ranking.ranks[at], 0)


def _documents(ranking: TopicRanking, depth: int) -> Sequence[str]:
    if ranking.documents is None and ranking.length:
        raise UsageError("order-not-read", "the inspector shows documents: read the rankings with keep_documents=True")
    return tuple((ranking.documents or ())[:depth])


def _describe(place: Mapping[str, int], judged: TopicJudgments, relevance: TopicRelevance) -> dict[str, Any]:
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
    """Per run: ranks of relevant documents, what each leaves unsatisfied, the gain reached there, and the stop."""
    stops, best = best_stop(batch, formula)
    gained = np.cumsum(batch.discounts(formula.discount) * batch.gain(formula.over, formula.novelty), axis=-1)
    seen = batch.by_channel(formula.over)
    # The table gives what is unsatisfied before each document. One more document, relevant to nothing, is appended to get
    # what the last hit leaves.
    after = formula.novelty.table(np.concatenate([seen, np.zeros((*seen.shape[:-1], 1))], axis=-1))[..., 1:]
    whole = gained[:, -1] if gained.shape[1] else np.zeros(batch.rows)
    utility = whole - float(formula.effort) * batch.effort(formula.discount, batch.lengths)
    left, gains = np.rint(after * SHARE).astype(np.int64), np.rint(gained * UNIT).astype(np.int64)
    counts = np.count_nonzero(batch.ranks <= depth, axis=1).tolist()
    out = []
    for s, hits in enumerate(counts):
        curve = {
            "hits": batch.ranks[s, :hits].tolist(),
            "left": left[:, s, :hits].T.tolist(),
            "gain": gains[s, :hits].tolist(),
            "stop": [int(stops[s]), round(float(best[s]), 4)],
            "whole": round(float(utility[s]), 4),
        }
        if batch.costs is not None:
            reached = np.arange(1, min(depth, int(batch.lengths[s])) + 1)
            paid = np.cumsum(formula.discount.table(len(reached))[1:] * batch.costs[s, : len(reached)])
            curve["effort"] = _whole(float(formula.effort) * paid, UNIT)
        out.append(curve)
    return out


def _whole(values: NDArray[np.float64], unit: int) -> list[int]:
    whole: list[int] = np.rint(values * unit).astype(np.int64).tolist()
    return whole
