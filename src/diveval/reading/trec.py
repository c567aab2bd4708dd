"""TREC's formats, judgments `topic aspect document grade` and runs of six columns, and NTCIR's similar ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from diveval.errors import InputError, shown
from diveval.judgments import naturally
from diveval.reading.lines import Lines, fields_of, number_of
from diveval.runs import Run, TopicRun

JudgmentRow = tuple[str, str, str, float]


def judgment_rows(lines: Lines, source: str, *, levels: bool = False) -> Iterator[JudgmentRow]:
    """`topic aspect document grade`; with `levels` the grade is written L0, L1, … (NTCIR Dqrels)."""
    for number, text in lines:
        fields = fields_of(text)
        if len(fields) != 4:
            raise InputError(
                f"expected 4 columns (topic aspect document grade), got {len(fields)}", source=source, line=number
            )
        topic, aspect, document, grade = fields
        if levels:
            if not re.fullmatch(r"[Ll][0-9]{1,4}", grade):
                raise InputError(f"expected a level such as L2, got {shown(grade)}", source=source, line=number)
            grade = grade[1:]
        yield topic, aspect, document, number_of(grade, "a grade", source, number)


def weight_rows(lines: Lines, source: str) -> dict[tuple[str, str], float]:
    """`topic aspect weight`, which is also NTCIR's Iprob."""
    weights: dict[tuple[str, str], float] = {}
    for number, text in lines:
        fields = fields_of(text)
        if len(fields) != 3:
            raise InputError(f"expected 3 columns (topic aspect weight), got {len(fields)}", source=source, line=number)
        topic, aspect, weight = fields
        value = number_of(weight, "a weight", source, number)
        if value < 0:
            raise InputError(f"expected a weight of at least 0, got {shown(weight)}", source=source, line=number)
        if weights.setdefault((topic, aspect), value) != value:
            raise InputError(
                f"topic {shown(topic)}, aspect {shown(aspect)} has two different weights", source=source, line=number
            )
    return weights


def read_run_lines(lines: Lines, source: str, name: str) -> Run:
    """`topic Q0 document rank score tag`; the rank column may hold anything unless it decides the order."""
    gathered: dict[str, tuple[list[str], list[float], list[str]]] = {}
    tag = ""
    for number, text in lines:
        fields = fields_of(text)
        if len(fields) < 6:
            raise InputError(
                f"expected 6 columns (topic Q0 document rank score tag), got {len(fields)}", source=source, line=number
            )
        topic, _, document, rank, score = fields[:5]
        tag = tag or fields[5]
        documents, scores, ranks = gathered.setdefault(topic, ([], [], []))
        documents.append(document)
        scores.append(number_of(score, "a score in column 5", source, number))
        ranks.append(rank)
    topics = {}
    for topic in naturally(gathered):
        documents, scores, ranks = gathered[topic]
        topics[topic] = TopicRun(documents, np.array(scores), _ranks(ranks))
    return Run(name, topics, source, "trec", tag)


def _ranks(column: list[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """The rank column, or None where a rank is not a whole number."""
    if not all(re.fullmatch(r"-?[0-9]{1,18}", rank) for rank in column):
        return None
    return np.array([int(rank) for rank in column], dtype=np.int64)
