"""Everything a report shows, as one dictionary that JSON can hold; nothing is left to compute for who draws it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from diveval.meta import plots
from diveval.report import charts
from diveval.report.axioms import WAIT_SECONDS, Deciding
from diveval.report.inspector import inspector, packed
from diveval.report.judging import Judged, Parameters
from diveval.report.leaderboard import leaderboard, topic_values
from diveval.report.provenance import provenance
from diveval.report.study import Study

DATA_BUDGET = 3_600_000  # bytes of JSON; with Vega's script (0.9 MB) and the page the file stays under 5 MB
MOST_VALUES = 120_000  # values of the topics picture


def contents(
    study: Study,
    *,
    title: str = "Evaluation",
    command: Sequence[str] = (),
    files: Sequence[str] = (),
    deciding: Deciding | None = None,
    axiom_seconds: float = WAIT_SECONDS,
) -> dict[str, Any]:
    """The data of every section. Where data is large, topics and ranks are thinned, and a note says so.

    `deciding` is the axioms' matrix if it was begun before; it is waited for `axiom_seconds` after all else is done.
    """
    with deciding or Deciding(study.metrics) as matrix:
        data = _computed(study, title)
        data["made"] = provenance(study, command=command, files=files)
        data["axioms"] = matrix.finish(seconds=axiom_seconds)
    left = DATA_BUDGET - len(packed(data).encode())
    data["inspector"] = {**inspector(study, budget=max(left, 0)), "spec": charts.for_page(charts.curve_chart())}
    return data


def _computed(study: Study, title: str) -> dict[str, Any]:
    """What needs nothing but the scores."""
    scores = study.scores
    judged = Judged.of(study)
    parameters = Parameters.of(study)
    return {
        "title": title,
        "summary": f"{len(scores.runs)} systems, {len(scores.topics)} topics, {len(scores.metrics)} metrics.",
        "runs": list(scores.runs),
        "topic_names": list(scores.topics),
        "metrics": list(scores.metrics),
        "leaderboard": leaderboard(study, judged.power),
        "topics": topic_values(study, most=MOST_VALUES),
        "judged": judged.tables(),
        "parameters": {**parameters.table(), "chosen": [float(study.explained.values[name]) for name in ("p", "e")]},
        "charts": _charts(judged, parameters),
    }


def _charts(judged: Judged, parameters: Parameters) -> dict[str, Any]:
    """The charts of the page, by name; None where there is nothing to draw."""
    moved = parameters.sensitivity
    # A metric that ties every system has no τ; where all do, there is nothing to colour.
    known = judged.agreement and any(value is not None for row in judged.agreement.matrix for value in row)
    page, rows = charts.for_page, charts.intervals_for_page
    return {
        "agreement": page(plots.agreement_chart(judged.agreement)) if judged.agreement and known else None,
        "unanimity": judged.unanimity and rows(plots.unanimity_chart(judged.unanimity, best=False)),
        "power": judged.power and page(plots.discriminative_chart(judged.power), wide=True),
        "ranges": moved and rows(plots.rank_range_chart(moved), ranks=True),
    }
