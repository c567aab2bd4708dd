"""What-if edits of a system's lists: cut, without repeats, or with another system's top ten."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from diveval.errors import UsageError
from diveval.judgments import Judgments
from diveval.metrics import Metric
from diveval.options import Options
from diveval.rankings import Rankings, rank
from diveval.runs import OrderRule, Run, TopicRun
from diveval.scores import Scores
from diveval.scoring import score
from diveval.studio.collection import LoadedCollection
from diveval.studio.fields import text
from diveval.studio.work import Step

EDITS = ("cut", "repeated", "redundant", "swap")
Lists = dict[str, list[str]]  # topic → documents in order


def what_if(
    collection: LoadedCollection, body: Mapping[str, Any], metrics: Sequence[Metric], options: Options, step: Step
) -> dict[str, Any]:
    """Means before and after, for the runs that changed, and the topics in which each metric rose, fell or stayed."""
    edit = body["edit"]
    runs = [body["run"], text().read(body["other"], "other")] if edit == "swap" else [body["run"]]
    if len(set(runs)) < len(runs):
        raise UsageError("to swap takes two different runs")
    # Other tools' metrics may order a run in their own way; an edited list has one order, so all metrics share it.
    order = options.order_for()
    reading = replace(options, order=order, duplicates="blank" if edit == "repeated" else options.duplicates)
    before = []
    for done, name in enumerate(runs):
        step(done, len(runs) + 1, name)
        before.append(collection.with_documents(name, order, reading))
    step(len(runs), len(runs) + 1, "scores")
    changed = _edited(edit, body, before, collection.judgments, options)
    after = [_ranked(collection.judgments, lists, original) for lists, original in zip(changed, before, strict=True)]
    return {
        "edit": edit,
        "metrics": [metric.name for metric in metrics],
        "removed": _shorter(before, after),
        "runs": _compared(
            score(collection.judgments, {order: before}, metrics, reading),
            score(collection.judgments, {order: after}, metrics, reading),
        ),
    }


def _edited(
    edit: str, body: Mapping[str, Any], before: list[Rankings], judgments: Judgments, options: Options
) -> list[Lists]:
    lists = [_documents(rankings) for rankings in before]
    if edit == "swap":
        return _swapped(lists[0], lists[1], body["depth"])
    if edit == "cut":
        return [{topic: documents[: body["depth"]] for topic, documents in lists[0].items()}]
    if edit == "repeated":
        return [{topic: list(dict.fromkeys(documents)) for topic, documents in lists[0].items()}]
    return [_without_redundant(lists[0], judgments, options)]


def _documents(rankings: Rankings) -> Lists:
    if any(ranking.iterations is not None for ranking in rankings.topics.values()):
        raise UsageError(f"{rankings.name} came in rounds; what-if is for plain lists")
    return {topic: list(ranking.documents or ()) for topic, ranking in rankings.topics.items()}


def _swapped(first: Lists, second: Lists, depth: int) -> list[Lists]:
    """Each gets the other's top in front of what it had below its own, without what now stands above."""

    def joined(top: Sequence[str], below: Sequence[str]) -> list[str]:
        return list(dict.fromkeys([*top, *below]))

    topics = dict.fromkeys([*first, *second])
    one, two = ({topic: lists.get(topic, []) for topic in topics} for lists in (first, second))
    return [
        {topic: joined(b[topic][:depth], a[topic][depth:]) for topic in topics} for a, b in ((one, two), (two, one))
    ]


def _without_redundant(lists: Lists, judgments: Judgments, options: Options) -> Lists:
    """Without documents that are relevant, but only to aspects some document above covers at least as well."""
    relevances = judgments.relevance(options.relevance)
    out: Lists = {}
    for topic, documents in lists.items():
        relevance = relevances[topic]
        place = {d: int(relevance.place[i]) for i, d in enumerate(relevance.documents) if relevance.place[i] >= 0}
        covered = np.zeros(len(relevance.aspects))
        kept = []
        for document in documents:
            if document in place:
                own = relevance.relevance[:, place[document]]
                if (own <= covered).all():
                    continue
                covered = np.maximum(covered, own)
            kept.append(document)
        out[topic] = kept
    return out


def _ranked(judgments: Judgments, lists: Lists, original: Rankings) -> Rankings:
    run = Run(original.name, {topic: TopicRun(documents) for topic, documents in lists.items()})
    return rank(judgments, run, OrderRule("file"), duplicates="blank")


def _shorter(before: list[Rankings], after: list[Rankings]) -> int:
    """How many documents went, over all topics and runs."""

    def total(listed: list[Rankings]) -> int:
        return sum(ranking.length for rankings in listed for ranking in rankings.topics.values())

    return total(before) - total(after)


def _compared(before: Scores, after: Scores) -> list[dict[str, Any]]:
    def count(run: int, metric: int, says: Callable[[Any], Any]) -> int:
        return int(np.count_nonzero(says(after.values[run, metric] - before.values[run, metric])))

    means_before, means_after = before.means, after.means
    return [
        {
            "run": run,
            "metrics": {
                metric: {
                    "before": float(means_before[r, m]),
                    "after": float(means_after[r, m]),
                    "rose": count(r, m, lambda d: d > 1e-12),
                    "fell": count(r, m, lambda d: d < -1e-12),
                    "same": count(r, m, lambda d: abs(d) <= 1e-12),
                }
                for m, metric in enumerate(before.metrics)
            },
        }
        for r, run in enumerate(before.runs)
    ]
