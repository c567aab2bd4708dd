"""What a file holds and what is odd about it, before any score is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from diveval.errors import few
from diveval.judgments import Judgments
from diveval.reading import read_run
from diveval.runs import OrderRule, Run


@dataclass(frozen=True)
class Finding:
    """One fact about a file; `odd` marks what deserves a look."""

    what: str
    value: str
    odd: bool = False


def check_judgments(judgments: Judgments) -> list[Finding]:
    """Topics, aspects, documents, grades; topics and aspects without anything relevant; how weights are given."""
    topics = list(judgments.topics.values())
    aspects = [len(topic.aspects) for topic in topics]
    grades = sorted({float(g) for topic in topics for g in np.unique(topic.grades)})
    empty = [topic.topic for topic in topics if topic.highest <= 0]
    bare = sum(int((topic.matrix() <= 0).all(axis=1).sum()) for topic in topics)
    documents = sum(len(topic.documents) for topic in topics)
    weighted = sum(topic.weights is not None for topic in topics)
    return [
        Finding("format", judgments.format),
        Finding("topics", str(len(topics))),
        Finding("aspects a topic", f"{min(aspects)}–{max(aspects)}"),
        Finding("judged documents", f"{documents} ({documents / len(topics):.0f} a topic)"),
        Finding("grades", ", ".join(f"{g:g}" for g in grades[:12]) + (", …" if len(grades) > 12 else "")),
        Finding("aspect weights", f"given for {weighted} topics" if weighted else "none, so uniform"),
        Finding("topics without a relevant document", f"{len(empty)} {_few(empty)}".strip(), bool(empty)),
        Finding("aspects without a relevant document", str(bare), bare > 0),
    ]


def check_run(path: str | Path, judgments: Judgments, *, format: str | None = None) -> list[Finding]:
    """Lengths, ties, contradictions, duplicates, topics missing or without judgments, the share of judged documents."""
    run = read_run(path, format=format)
    lengths = [len(topic.documents) for topic in run.topics.values()]
    missing = [topic for topic in judgments.topics if topic not in run.topics]
    strangers = [topic for topic in run.topics if topic not in judgments.topics]
    repeated = sum(len(t.documents) - len(set(t.documents)) for t in run.topics.values())
    tied = sum(len(t.scores) - len(np.unique(t.scores)) for t in run.topics.values() if t.scores is not None)
    contradictions = run.contradictions()
    return [
        Finding("format", run.format + (f", tag {run.tag}" if run.tag else "")),
        Finding("topics", str(len(run.topics))),
        Finding("documents a topic", f"{min(lengths)}–{max(lengths)}"),
        Finding("judged topics it lacks", f"{len(missing)} {_few(missing)}".strip(), bool(missing)),
        Finding("topics without judgments", f"{len(strangers)} {_few(strangers)}".strip(), bool(strangers)),
        Finding("documents listed twice", str(repeated), repeated > 0),
        Finding("equal scores", f"{tied} lines share a score with another", tied > 0),
        Finding("rank against score", f"contradict in {contradictions} topics", contradictions > 0),
        Finding("judged among the first 10, 20", _judged_shares(run, judgments, (10, 20))),
    ]


def _judged_shares(run: Run, judgments: Judgments, cutoffs: Sequence[int]) -> str:
    shares = []
    for k in cutoffs:
        seen = known = 0
        for name, topic in judgments.topics.items():
            if name in run.topics:
                places = run.topics[name].order(OrderRule())[:k]
                seen += len(places)
                known += len({run.topics[name].documents[i] for i in places} & set(topic.documents))
        shares.append(f"{100 * known / seen:.0f} %" if seen else "–")
    return ", ".join(shares)


def _few(names: Sequence[str]) -> str:
    return f"({few(names)})" if names else ""
