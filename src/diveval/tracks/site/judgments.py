"""What the site shows of judgments: how many there are, how far they cover each run, what the pool owes to each team."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from diveval.collection.judgments import TopicJudgments
from diveval.errors import DivevalError, count_of, share_text
from diveval.judging.pools import GroupEffect, audit_pool
from diveval.metrics.names import MetricText, parse
from diveval.reading.texts import mentions_aspects, read_topics
from diveval.results.setup import JUDGED_DEPTH
from diveval.tracks.assessment.pool import depth_of
from diveval.tracks.scorings import Truth, locate_run, truth_of
from diveval.tracks.site.edition import Edition
from diveval.tracks.site.html import Markup, el, facts, join, section, table


@dataclass(frozen=True)
class Audit:
    """The judgments of an edition with what they cover, and the depth at which that was measured."""

    truth: Truth
    depth: int
    pooled: bool  # the depth is that of the pool
    coverage: Mapping[str, float]
    effects: Mapping[str, GroupEffect]
    aspects: Mapping[str, Mapping[str, str]]  # texts by topic, where they are public


def audit_of(edition: Edition) -> Audit | None:
    """The audit of an edition; None where judgments are not published or cannot be read."""
    event, config, track = edition.event, edition.config, edition.track
    if event is None or not edition.full or (edition.public and config["site.judgments"] == "never"):
        return None
    given = [edition.state.submissions[name] for name in event["submissions"]]
    given = [one for one in given if not one.erased]
    try:
        truth = truth_of(track, track.record.events[event["judged"]], config)
        cutoff = MetricText.of(config.official).cutoff
        pooled = depth_of(track, event["judged"])
        depth = pooled or (int(cutoff) if cutoff else JUDGED_DEPTH)
        runs = {one.id: locate_run(track, one, config) for one in given}
        groups = {one.id: one.team for one in given}
        coverage, effects = audit_pool(truth.judgments, runs, groups, parse(config.official), truth.options, depth)
    except DivevalError:
        return None  # the scoring was made with files that changed since; its numbers stay as recorded
    return Audit(truth, depth, pooled is not None, coverage, {one.run: one for one in effects}, _texts(edition))


def _texts(edition: Edition) -> dict[str, Mapping[str, str]]:
    """The texts of aspects, from a file of topics that is published as it is."""
    name = edition.config["data.topics"]
    if edition.public and name not in edition.files:
        return {}
    if not mentions_aspects(edition.track.read(name)):
        return {}
    try:
        return {topic: text.aspects for topic, text in read_topics(edition.track.path(name)).items()}
    except DivevalError:
        return {}


def judgments(edition: Edition, audit: Audit) -> Markup:
    """How many judgments there are, and what they say about each run and team."""
    judged = audit.truth.judgments
    documents = sum(len(judged.topics[topic].documents) for topic in judged.topics)
    depth = f"{audit.depth}, {'of the pool' if audit.pooled else 'no pool is recorded'}"
    rows = []
    for name, share in audit.coverage.items():
        effect = audit.effects[name]
        rows.append(
            [
                edition.run_link(name),
                edition.names.team(edition.track.info(edition.state.submissions[name]).team),
                share_text(share),
                effect.documents,
                edition.number(effect.value),
                edition.number(effect.without),
                edition.number(effect.difference),
            ]
        )
    head = ["Run", "Team", "Judged", "Own documents", edition.config.label(edition.config.official), "Without", "Loss"]
    return join(
        facts([("Topics", len(judged.topics)), ("Judged documents", documents), ("Depth", depth)]),
        section(
            "Coverage, and the effect of the pool",
            el(
                "p",
                f"Judged: the share of the first {audit.depth} documents of a run that have a judgment, as the mean over"
                " all judged topics. Own documents: judged documents that are among these for runs of this team only. Without:"
                " the score of the run if those had not been judged, as for a team that did not contribute; the loss"
                " says how much lower such a run would be scored.",
                class_="what",
            ),
            table(head, rows, numbers=(2, 3, 4, 5, 6)),
        ),
    )


def topic_judgments(audit: Audit | None, name: str) -> Markup | None:
    """The aspects of a topic with their weights and numbers of judgments."""
    if audit is None or name not in audit.truth.judgments.topics:
        return None
    judged, texts = audit.truth.judgments.topics[name], audit.aspects.get(name, {})
    grades = sorted({float(grade) for grade in judged.grades.tolist()})
    rows = [
        [aspect, *([texts.get(aspect, "")] if texts else []), _weight(judged, place), *_counts(judged, place, grades)]
        for place, aspect in enumerate(judged.aspects)
    ]
    named = ["Aspect", "Text"] if texts else ["Aspect"]
    head = [*named, "Weight", "Judged", *(f"Label {grade:g}" for grade in grades)]
    numbers = tuple(range(len(named), len(head)))
    title = f"{count_of(len(judged.aspects), 'aspect')}, {count_of(len(judged.documents), 'judged document')}"
    return section(title, table(head, rows, numbers=numbers))


def _weight(judged: TopicJudgments, place: int) -> str:
    """A weight as given; uniform where none is."""
    if judged.weights is None or np.isnan(judged.weights).all():
        return "uniform"
    return "–" if np.isnan(judged.weights[place]) else f"{judged.weights[place]:g}"


def _counts(judged: TopicJudgments, place: int, grades: list[float]) -> list[int]:
    mine = judged.grades[judged.columns == place]
    return [len(mine), *(int((mine == grade).sum()) for grade in grades)]
