"""The quality of files of RAG answers: what each table matches, whose labels cover what, and what failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from diveval.answers.answer_collection import list_labels
from diveval.answers.material import AnswerFiles
from diveval.answers.own_metrics import Answer, answers_of
from diveval.collection.joins import Match
from diveval.errors import share_text
from diveval.results.protocol import Columns, Result
from diveval.results.table_text import align


@dataclass(frozen=True, repr=False)
class AnswerCheck(Result):
    """How many things of each kind a table has: queries with an answer, nuggets with a label, labels by a judge, …"""

    rows: tuple[Match, ...]

    header: ClassVar[tuple[str, ...]] = ("table", "what", "matched", "total")

    def columns(self) -> Columns:
        """Table, what is counted, how many, of how many."""
        return {
            "table": [row.table for row in self.rows],
            "what": [row.kind for row in self.rows],
            "matched": [row.matched for row in self.rows],
            "total": [row.total for row in self.rows],
        }

    def to_text(self, width: int = 80) -> str:
        """A row per table and kind."""
        cells = [[row.table, row.kind, f"{row.matched:,} of {row.total:,}", share_text(row.share)] for row in self.rows]
        return "\n".join(align(cells, "<<>>")) + "\n"


def check_answers(material: AnswerFiles) -> AnswerCheck:
    """What `diveval check` says of answers; their reading and joining give the warnings."""
    counts: list[Match] = []
    bank, items = material.bank, list_labels(material)
    for name, system in material.systems.items():
        answers = answers_of(material, system)
        labels = [label for answer in answers.values() for label in _labels(answer)]
        failed = sum(answer.failures for answer in answers.values())
        if labels:
            counts.append(Match(name, "labels that the judge gave", len(labels) - failed, len(labels)))
        cited = [one for own in (system.support or system.reports).values() for s in own for one in s.citations]
        if cited:
            counts.append(Match(name, "citations with a judgment", sum(one.support >= 0 for one in cited), len(cited)))
        if system.texts:
            with_text = sum(any(s.text.strip() for s in own) for own in system.texts.values())
            counts.append(Match(name, "answers with a text", with_text, len(system.texts)))
    for judge, one in material.judges.items():
        own = list_labels(one)
        counts.append(Match(f"judge {judge or '(no name)'}", "labelled items", len(own & items), len(items)))
    if bank:
        vital = sum(bool(Answer(nuggets).vital) for nuggets in bank.values())
        counts.append(Match(material.bank_source, "queries with a vital nugget", vital, len(bank)))
    return AnswerCheck((*material.joins.values(), *counts))


def _labels(answer: Answer) -> list[object]:
    if answer.labels is not None:
        return list(answer.labels)
    return [label for sentence in answer.sentences or () for label in sentence.labels.values()]
