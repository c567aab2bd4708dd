"""Pools: which documents to have judged, how far judgments cover each run, and what the pool owes to each group.

A pool of depth k is the union of the first k documents of every run: K. Sparck Jones, C. J. van Rijsbergen. Report on
the Need for and Provision of an "Ideal" Information Retrieval Test Collection. 1975. A run from outside can lose because
its own documents were never judged; leaving a group's own documents out of the judgments shows by how much: J. Zobel. How
Reliable Are the Results of Large-Scale Information Retrieval Experiments? SIGIR 1998.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from diveval.collection.columns import owners
from diveval.collection.inputs import RunsLike
from diveval.collection.judgments import Judgments
from diveval.collection.rankings import Rankings
from diveval.collection.runs import Run
from diveval.conclusions.all_pairs import conclude
from diveval.errors import capture_warnings
from diveval.metrics.metric import Metric
from diveval.reading.source import Source
from diveval.scoring.evaluate import rank_all, score_runs
from diveval.scoring.scorer import score, share_judged
from diveval.settings import Options, OrderRule

Pair = tuple[str, str]  # topic, document


class PooledDocument(NamedTuple):
    """A document that some run has among its first ones: its best rank, and how many runs have it there."""

    topic: str
    document: str
    rank: int
    runs: int


def top_documents(run: Run, rule: OrderRule, depth: int) -> dict[str, list[str]]:
    """The first documents of each topic, each once, in ranking order."""
    columns = run.columns
    order, out = columns.places(rule, where=run.source), {}
    for number, topic in enumerate(columns.topics.tolist()):
        codes = columns.codes[order[columns.starts[number] : columns.starts[number + 1]]]
        seen = list(dict.fromkeys(codes[: depth if len(set(codes[:depth].tolist())) == depth else None].tolist()))
        out[topic] = list(columns.documents.at(np.array(seen[:depth], dtype=np.intp)))
    return out


def build_pool(runs: Iterable[Run], rule: OrderRule, depth: int) -> list[PooledDocument]:
    """The union of the first documents of all runs, best rank first, then those of many runs, then by id."""
    best: dict[Pair, int] = {}
    counts: Counter[Pair] = Counter()
    for run in runs:
        for topic, documents in top_documents(run, rule, depth).items():
            for rank, document in enumerate(documents, 1):
                pair = topic, document
                best[pair] = min(best.get(pair, rank), rank)
                counts[pair] += 1
    pooled = [PooledDocument(*pair, rank, counts[pair]) for pair, rank in best.items()]
    return sorted(pooled, key=lambda one: (one.rank, -one.runs, one.topic, one.document))


def order_by_effect(
    pooled: Sequence[PooledDocument], judgments: Judgments, runs: RunsLike, metric: str, options: Options
) -> list[PooledDocument]:
    """First the documents whose labels could change the order of systems most, as `conclusions --budget` computes it.

    Documents without such an effect, and those of topics without any judgment, follow in their order.
    """
    with capture_warnings():
        found = conclude(judgments, runs, metric, unjudged="any", worth=True, significance=False, options=options)
    place = {(one.topic, one.document): number for number, one in enumerate(found.to_judge)}
    return sorted(pooled, key=lambda one: place.get((one.topic, one.document), len(place)))


# --- what judgments cover ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GroupEffect:
    """The score of a run, and its score without the judgments that are there only because of its own group."""

    group: str
    run: str
    documents: int  # judged, and among the first documents of no other group
    value: float
    without: float

    @property
    def difference(self) -> float:
        """What the run would lose if its group had not contributed to the pool."""
        return self.value - self.without


def find_own_documents(
    judgments: Judgments, rankings: Sequence[Rankings], groups: Mapping[str, str], depth: int
) -> dict[str, dict[str, list[str]]]:
    """By group and topic, the judged documents that only its runs have among their first ones."""
    holders: dict[Pair, set[str]] = {}
    names = list(judgments.topics)
    documents = {topic: judgments.topics[topic].documents for topic in names}
    for ranking in rankings:
        columns = ranking.columns(judgments)
        within = columns.ranks <= depth
        which = owners(columns.judged_offsets)[within].tolist()
        for topic, row in zip(which, columns.rows[within].tolist(), strict=True):
            holders.setdefault((names[topic], documents[names[topic]][row]), set()).add(groups[ranking.name])
    own: dict[str, dict[str, list[str]]] = {group: {} for group in dict.fromkeys(groups.values())}
    for (topic, document), found in holders.items():
        if len(found) == 1:
            own[next(iter(found))].setdefault(topic, []).append(document)
    return own


def audit_pool(
    judgments: Judgments,
    runs: Mapping[str, Run | Source],
    groups: Mapping[str, str],
    metric: Metric,
    options: Options,
    depth: int,
) -> tuple[dict[str, float], list[GroupEffect]]:
    """The share of judged documents of every run, and the effect of leaving each group's own documents out of the judgments.

    Args:
        judgments: those that score.
        runs: by their names, which they have too: runs, or files with a label.
        groups: the group of each run.
        metric: which scores show the effect.
        options: how files become scores.
        depth: of the pool, or what stands for it.
    """
    with capture_warnings():
        ranked = rank_all(judgments, list(runs.values()), [metric], options, keep_documents=False)
        rankings = next(iter(ranked.values()))
        whole = score(judgments, ranked, [metric], options)
        shares = {one.name: share_judged(judgments, one.columns(judgments), depth, options) for one in rankings}
        effects = []
        for group, own in find_own_documents(judgments, rankings, groups, depth).items():
            mine = {name: run for name, run in runs.items() if groups[name] == group}
            rest = score_runs(judgments.without(own), list(mine.values()), [metric], options) if own else whole
            count = sum(map(len, own.values()))
            before, after = whole.mean(), rest.mean()
            for name in mine:
                effects.append(GroupEffect(group, name, count, before[name][metric.name], after[name][metric.name]))
    return shares, effects
