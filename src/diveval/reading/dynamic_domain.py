"""TREC Dynamic Domain's formats: passage judgments, and runs that come in rounds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from diveval.errors import InputError, shown
from diveval.judgments import naturally
from diveval.reading.lines import Lines, fields_of, number_of
from diveval.reading.trec import JudgmentRow
from diveval.runs import Run, TopicRun


def judgment_rows(lines: Lines, source: str) -> Iterator[JudgmentRow]:
    """`topic subtopic document passage rating`; a document may have many passages, and all are kept."""
    for number, text in lines:
        fields = fields_of(text)
        if len(fields) != 5:
            raise InputError(
                f"expected 5 columns (topic subtopic document passage rating), got {len(fields)}",
                source=source,
                line=number,
            )
        topic, subtopic, document, _, rating = fields
        yield topic, subtopic, document, number_of(rating, "a rating", source, number)


def read_run_lines(lines: Lines, source: str, name: str) -> Run:
    """`topic round document score …`: rounds in their order, inside a round by the order rule."""
    gathered: dict[str, tuple[list[str], list[float], list[int]]] = {}
    for number, text in lines:
        fields = fields_of(text)
        if len(fields) < 4:
            raise InputError(
                f"expected at least 4 columns (topic round document score), got {len(fields)}",
                source=source,
                line=number,
            )
        topic, iteration, document, score = fields[:4]
        if not (iteration.isascii() and iteration.isdigit() and len(iteration) <= 9):
            raise InputError(
                f"expected a round, a whole number, in column 2, got {shown(iteration)}", source=source, line=number
            )
        documents, scores, rounds = gathered.setdefault(topic, ([], [], []))
        documents.append(document)
        scores.append(number_of(score, "a score in column 4", source, number))
        rounds.append(int(iteration))
    topics = {
        t: TopicRun(gathered[t][0], np.array(gathered[t][1]), None, np.array(gathered[t][2], dtype=np.int64))
        for t in naturally(gathered)
    }
    return Run(name, topics, source, "dynamic-domain")
