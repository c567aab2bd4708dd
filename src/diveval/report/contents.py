"""Everything a report shows, as one dictionary that JSON can hold; rankings are kept apart, topic by topic."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from diveval.report.axiom_section import WAIT_SECONDS, Deciding
from diveval.report.provenance import provenance
from diveval.scoring import score
from diveval.views.board import absent, leaderboard, topic_values, unjudged
from diveval.views.headline import headline, sizes
from diveval.views.judging import MetricQuality, no_step
from diveval.views.marks import legend
from diveval.views.occurrences import occurrences
from diveval.views.parameters import parameters
from diveval.views.study import Study, topic_texts
from diveval.views.survival import Doubts, survival
from diveval.views.walks import DEPTH, Walker, packed

BUDGET = 2_400_000  # characters of packed rankings; with all else the file stays under 4 MB
DEPTHS = (DEPTH, 30, 20, 10)  # how many ranks are shown: the most that fits


def contents(
    study: Study,
    *,
    title: str = "Evaluation",
    command: Sequence[str] = (),
    files: Sequence[str] = (),
    deciding: Deciding | None = None,
    axiom_seconds: float = WAIT_SECONDS,
    conclusions: bool | Doubts = True,
    step: Callable[[int, int, str], None] = no_step,
) -> dict[str, Any]:
    """The data of every view. Where rankings are many, fewer ranks are shown, and a note says so.

    `deciding` is the axioms' matrix if it was begun before; it is waited for `axiom_seconds` after all else is done.
    `conclusions` says what is put in doubt, True the usual, False nothing: then that view is left out.
    """
    with deciding or Deciding(study.metrics) as matrix:
        data = _computed(study, title)
        if conclusions and len(study.scores.runs) > 1:
            asked = Doubts.usual(study.explained, study.judgments) if conclusions is True else conclusions
            data["conclusions"] = survival(study.judgments, study.rankings, study.options, asked, step)
            data["headline"].insert(1, data["conclusions"].get("sentence", []))
        data["made"] = provenance(study, command=command, files=files)
        data["walks"] = walks(study)
        counts, notes = occurrences(study.judgments, study.rankings, study.metrics, study.options)
        data["axioms"] = matrix.finish(seconds=axiom_seconds)
    if data["axioms"]["rows"]:
        data["axioms"] |= {"violations": counts, "notes": [*data["axioms"]["notes"], *notes]}
    return data


def _computed(study: Study, title: str) -> dict[str, Any]:
    """What needs nothing but the scores."""
    scores, runs = study.scores, study.listed()
    judged = MetricQuality.of(scores)
    missing, share = absent(runs, scores.topics), unjudged(runs, scores.topics)
    return {
        "title": title,
        "summary": sizes(scores),
        "runs": list(scores.runs),
        "topics": list(scores.topics),
        "metrics": list(scores.metrics),
        "absent": missing,
        "missing_rule": study.options.missing_topics,
        "texts": topic_texts(study.texts, scores.topics),
        "marks": legend(),
        "headline": headline(scores, judged, missing, share),
        "leaderboard": leaderboard(scores, judged.power),
        "values": topic_values(scores),
        "judged": judged.tables(),
        "parameters": parameters(
            study.explained, lambda metrics: score(study.judgments, study.rankings, metrics, study.options)
        ),
    }


def walks(study: Study, *, budget: int = BUDGET) -> dict[str, Any]:
    """Every topic for every run, each topic packed by itself (JSON, deflate, base64): opened when it is looked at."""
    topics = list(study.scores.topics)
    sample = topics[:: max(1, len(topics) // 3)][:3]
    for depth in DEPTHS:
        walker = Walker.of(study, depth)
        size = sum(len(deflated(walker.topic(topic))) for topic in sample) / len(sample)
        if size * len(topics) <= budget:
            break
    note = None
    if depth < DEPTHS[0]:
        note = f"To keep this file small, rankings are shown down to rank {depth}; `diveval studio` shows them whole."
    return {**walker.about(), "topics": [deflated(walker.topic(topic)) for topic in topics], "note": note}


def deflated(value: Any) -> str:
    """As text that is a seventh of the JSON; every current browser can open it without a library."""
    return base64.b64encode(zlib.compress(packed(value).encode(), 9)).decode()
