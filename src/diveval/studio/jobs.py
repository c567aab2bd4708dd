"""Computations behind the views that take longer than scores, with progress and cancellation: analyses and what-if
edits of a collection (`JOBS`).

Analyses are computed by the same functions as in the report. A what-if edit cuts the lists of a system, removes
repeated or redundant documents, or swaps the tops of two systems.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from diveval.collection.judgments import Judgments
from diveval.collection.rankings import Rankings, rank
from diveval.collection.runs import Run, TopicRun
from diveval.conclusions.exact_collection import Order
from diveval.conclusions.ranges import as_ranged
from diveval.errors import UsageError
from diveval.meta.discriminative import decide_pairs
from diveval.metrics import Metric
from diveval.results.scores import Scores
from diveval.scoring.evaluate import load_judgments
from diveval.scoring.scorer import score
from diveval.scoring.study import Evaluation, metrics_to_read
from diveval.settings import Options, OrderRule
from diveval.studio.constraint_jobs import verdict_job, violations_job
from diveval.studio.fields import text
from diveval.studio.loaded_collection import LoadedCollection
from diveval.system.progress import Progress
from diveval.views.board import absent, leaderboard
from diveval.views.headline import headline
from diveval.views.judging import Decisions, judging
from diveval.views.parameters import parameters
from diveval.views.shared import attempt, testable
from diveval.views.survival import Doubts, survival
from diveval.views.titles import count_certain, count_leaders, find_resolution, find_titles

# How the weights of aspects are put in doubt, by the value in a request.
WEIGHTS: dict[str, Order | None] = {"as given": None, "in their order": "given", "any": "any"}
HIGHEST = {"p": 0.999, "e": 1.0}  # ends of the ranges that parameters may be put in doubt over
EDITS = ("cut", "repeated", "redundant", "swap")
Body = Mapping[str, Any]  # the fields of a request, checked and with their defaults, and `how`: the studio's test
Lists = dict[str, list[str]]  # topic → documents in order


def prepare(collection: LoadedCollection, metrics: list[Metric], options: Options, body: Body, step: Progress) -> Any:
    """Read the rankings in every order that the metrics need."""
    return {"orders": len(collection.rankings(metrics, options, step))}


def leaderboard_job(
    collection: LoadedCollection, metrics: list[Metric], options: Options, body: Body, step: Progress
) -> Any:
    """One metric by run: mean, 95 % interval, letters, and the runs that are not significantly different."""
    step("scores", 0, 2)
    scores = collection.scores(metrics, options)
    step("comparing every pair of systems", 1, 2)
    power, notes = attempt(lambda: decide_pairs(testable(scores), body["how"]))
    board = leaderboard(scores, power, body["how"])
    return {**board["columns"][0], "test": board["test"], "notes": list(dict.fromkeys([*notes, *board["notes"]]))}


def quality_job(
    collection: LoadedCollection, metrics: list[Metric], options: Options, body: Body, step: Progress
) -> Any:
    """The metrics together: agreement, unanimity, power; the headline; every column's intervals and letters."""
    scores = collection.scores(metrics, options, step)
    quality = collection.quality(metrics, options, step, body["how"])
    runs = collection.any_rankings
    missing = absent(runs, scores.topics)
    board = leaderboard(scores, quality.power, quality.how)
    return {
        **quality.tables(),
        "headline": headline(scores, quality, missing),
        "leaderboard": board,
        "titles": find_titles(scores, quality, {"leaderboard": board}),
    }


def over_parameters(
    collection: LoadedCollection, metrics: list[Metric], options: Options, body: Body, step: Progress
) -> Any:
    """The map over p and e, and the table of a few settings."""
    found = parameters(metrics[0], lambda variants: collection.scores(variants, options), step, body["how"])
    title = count_leaders(found)
    return {**found, "title": title and title.as_dict()}


def surviving(collection: LoadedCollection, metrics: list[Metric], options: Options, body: Body, step: Progress) -> Any:
    """Which conclusions hold over ranges of p and e, and over weights if asked."""
    ends = {name: body[name] for name in HIGHEST if body[name] is not None}
    usual = Doubts.usual(metrics[0], collection.judgments, **ends)
    asked = usual if body["weights"] is None else replace(usual, weights=WEIGHTS[body["weights"]])
    ranked = collection.rankings([as_ranged(asked.metric).metric], options, step)
    found = survival(collection.judgments, ranked, options, asked, step, body["how"])
    title = count_certain(found, collection.runs)
    return {**found, "title": title and title.as_dict()}


def decisions_job(
    collection: LoadedCollection, metrics: list[Metric], options: Options, body: Body, step: Progress
) -> Any:
    """What the pool does to scores, how many topics are needed, and where asked a model's labels and a gate."""
    collection.check_size(metrics)
    rankings = collection.rankings(metrics_to_read(metrics), options, step)
    asked = Decisions(baseline=body["baseline"], margin=body["margin"])
    if body["model"] is not None:
        body["model"].check()
        model = load_judgments(body["model"].source, options, collection.sources.weighting)
        asked = replace(asked, model=model, runs=[known.source for known in collection.sources.runs])
    step("labels and topics", 0, 1)
    found = judging(Evaluation(collection.judgments, rankings, metrics, options), asked)
    title = find_resolution(found, len(collection.topics))
    return {**found, "title": title and title.as_dict()}


# --- what-if edits ------------------------------------------------------------------------------------------------------


def what_if(collection: LoadedCollection, metrics: list[Metric], options: Options, body: Body, step: Progress) -> Any:
    """Means before and after, for the runs that changed, and the topics in which each metric rose, fell or stayed."""
    edit = body["edit"]
    before, reading = _read_edited(collection, options, body, step)
    order = options.order_for()
    step("scores", len(before), len(before) + 1)
    changed = _edit(edit, body, before, collection.judgments, options)
    after = [_rank(collection.judgments, lists, original) for lists, original in zip(changed, before, strict=True)]
    return {
        "edit": edit,
        "metrics": [metric.name for metric in metrics],
        "removed": _total(before) - _total(after),
        "runs": _compare(
            score(collection.judgments, {order: before}, metrics, reading),
            score(collection.judgments, {order: after}, metrics, reading),
        ),
    }


def lists_to_edit(
    collection: LoadedCollection, metrics: list[Metric], options: Options, body: Body, step: Progress
) -> Any:
    """The lists of one run, or of two to swap, as numbers of documents, by which the page scores its edits.

    The numbers of a topic's relevant documents are the places of their rows of relevance; other documents have higher ones.
    """
    before, _ = _read_edited(collection, options, body, step)
    listed = [_documents(rankings) for rankings in before]
    judged = collection.judgments
    relevances, counts = judged.relevance(options.relevance), options.relevance.counts(judged.columns.highest())
    topics, lists = [], []
    for t, topic in enumerate(judged.topics):
        relevance = relevances[topic]
        numbers = {d: int(c) for d, c in zip(relevance.documents, relevance.place, strict=True) if c >= 0}
        own = [one.get(topic) for one in listed]
        for document in (d for documents in own if documents for d in documents):
            numbers.setdefault(document, len(numbers))
        lists.append([None if one is None else [numbers[d] for d in one] for one in own])
        topics.append(
            {
                "weights": relevance.weights.tolist(),
                "rows": relevance.relevance.T.tolist(),
                "judged": len(relevance.documents),
                "counts": options.empty_topics != "skip" or bool(counts[t]),
            }
        )
    return {"runs": [run.name for run in before], "topics": topics, "lists": lists, "missing": options.missing_topics}


def _read_edited(
    collection: LoadedCollection, options: Options, body: Body, step: Progress
) -> tuple[list[Rankings], Options]:
    """The runs that an edit changes, and how they are read."""
    edit = body["edit"]
    runs = [body["run"], text().read(body["other"], "other")] if edit == "swap" else [body["run"]]
    if len(set(runs)) < len(runs):
        raise UsageError("same-run-twice", "a swap needs two different runs")
    # Other tools' metrics may order a run in their own way; an edited list has one order, so all metrics share it.
    order = options.order_for()
    reading = replace(options, order=order, duplicates="blank" if edit == "repeated" else options.duplicates)
    before = []
    for done, name in enumerate(runs):
        step(name, done, len(runs) + 1)
        before.append(collection.with_documents(name, order, reading))
    return before, reading


def _edit(edit: str, body: Body, before: list[Rankings], judgments: Judgments, options: Options) -> list[Lists]:
    lists = [_documents(rankings) for rankings in before]
    if edit == "swap":
        return _swap(lists[0], lists[1], body["depth"])
    if edit == "cut":
        return [{topic: documents[: body["depth"]] for topic, documents in lists[0].items()}]
    if edit == "repeated":
        return [{topic: list(dict.fromkeys(documents)) for topic, documents in lists[0].items()}]
    return [_without_redundant(lists[0], judgments, options)]


def _documents(rankings: Rankings) -> Lists:
    if any(ranking.iterations is not None for ranking in rankings.topics.values()):
        raise UsageError(
            "run-in-rounds", f"{rankings.name} is a run in rounds (Dynamic Domain)", hint="what-if takes plain lists"
        )
    return {topic: list(ranking.documents or ()) for topic, ranking in rankings.topics.items()}


def _swap(first: Lists, second: Lists, depth: int) -> list[Lists]:
    """Each list gets the other's top, then its own documents from below its top that are not in the list yet."""

    def join(top: Sequence[str], below: Sequence[str]) -> list[str]:
        return list(dict.fromkeys([*top, *below]))

    topics = dict.fromkeys([*first, *second])
    one, two = ({topic: lists.get(topic, []) for topic in topics} for lists in (first, second))
    return [{topic: join(b[topic][:depth], a[topic][depth:]) for topic in topics} for a, b in ((one, two), (two, one))]


def _without_redundant(lists: Lists, judgments: Judgments, options: Options) -> Lists:
    """Without relevant documents all of whose aspects are covered at least as well by documents above."""
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


def _rank(judgments: Judgments, lists: Lists, original: Rankings) -> Rankings:
    run = Run(original.name, {topic: TopicRun(documents) for topic, documents in lists.items()})
    return rank(judgments, run, OrderRule("file"), duplicates="blank")


def _total(listed: list[Rankings]) -> int:
    """How many documents there are, over all topics and runs."""
    return sum(ranking.length for rankings in listed for ranking in rankings.topics.values())


def _compare(before: Scores, after: Scores) -> list[dict[str, Any]]:
    def count(run: int, metric: int, condition: Callable[[Any], Any]) -> int:
        return int(np.count_nonzero(condition(after.values[run, metric] - before.values[run, metric])))

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


# Kind → the fields it takes beside collection and options, and the function that computes it.
JOBS: dict[str, tuple[tuple[str, ...], Callable[[LoadedCollection, list[Metric], Options, Body, Progress], Any]]] = {
    "prepare": (("metrics",), prepare),
    "leaderboard": (("metric",), leaderboard_job),
    "judged": (("metrics",), quality_job),
    "verdict": (("metrics",), verdict_job),
    "violations": (("metrics",), violations_job),
    "parameters": (("metric",), over_parameters),
    "conclusions": (("metric", "p", "e", "weights"), surviving),
    "judging": (("metrics", "model", "baseline", "margin"), decisions_job),
    "whatif": (("metrics", "edit", "run", "other", "depth"), what_if),
    "lists": (("edit", "run", "other"), lists_to_edit),
}
