"""The report on RAG answers: the same leaderboard, queries and metrics, and every answer sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from diveval.answers.collection import contents as answer_contents
from diveval.answers.store import Material
from diveval.report.contents import deflated
from diveval.report.table import table_contents
from diveval.scores import Scores

RULES = "vital nuggets weigh 1, okay ones ½; support is 1, partial support ½; a missing answer scores 0"


def answers_contents(
    material: Material,
    scores: Scores,
    *,
    title: str = "Answers",
    command: Sequence[str] = (),
    files: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """The data of every view that answers have: no rankings, no axioms, and the answers themselves, packed by query."""
    by_query: dict[str, dict[str, Any]] = {}
    for answer in answer_contents(material):
        by_query.setdefault(answer["query"], {})[answer["run"]] = answer
    absent = {run: [q for q in scores.topics if run not in by_query.get(q, {})] for run in scores.runs}
    absent = {run: queries for run, queries in absent.items() if queries and len(queries) < len(scores.topics)}
    data = table_contents(
        scores, title=title, command=command, files=files, notes=notes, facts=[("Rules", RULES)], absent=absent
    )
    for clause in (clause for sentence in data["headline"] for clause in sentence):
        if clause["open"] and "topic" in clause["open"]:
            clause["open"] = {**clause["open"], "view": "answers"}
    data["answers"] = [deflated([by_query.get(q, {}).get(run) for run in scores.runs]) for q in data["topics"]]
    return data
