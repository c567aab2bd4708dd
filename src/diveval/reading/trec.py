"""TREC's formats: judgments `topic aspect document grade`, runs of six columns, NTCIR's variants, and those of the
Dynamic Domain track: passage judgments, and runs in rounds. Ordinary files are read by the compiled scanner.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from diveval import scanner
from diveval.columns import Codes, Names
from diveval.errors import InputError, shown
from diveval.judgments import JudgmentRows, naturally
from diveval.reading.lines import Lines, number_of, open_unpacked, split_line, state
from diveval.runs import Run, RunRows, TopicRun

JudgmentRow = tuple[str, str, str, float]
SIX_COLUMNS = "topic Q0 document rank score tag"


def judgment_rows(lines: Lines, source: str, *, levels: bool = False) -> Iterator[JudgmentRow]:
    """`topic aspect document grade`; with `levels` the grade is written L0, L1, … (NTCIR Dqrels)."""
    for number, text in lines:
        topic, aspect, document, grade = split_line(text, 4, "topic aspect document grade", source, number)
        if levels:
            if not re.fullmatch(r"[Ll][0-9]{1,4}", grade):
                raise InputError(f"expected a level such as L2, got {shown(grade)}", source=source, line=number)
            grade = grade[1:]
        yield topic, aspect, document, number_of(grade, "a grade", source, number)


def weight_rows(lines: Lines, source: str) -> dict[tuple[str, str], float]:
    """`topic aspect weight`, which is also NTCIR's Iprob."""
    weights: dict[tuple[str, str], float] = {}
    for number, text in lines:
        topic, aspect, weight = split_line(text, 3, "topic aspect weight", source, number)
        value = number_of(weight, "a weight", source, number)
        if value < 0:
            raise InputError(f"expected a weight of at least 0, got {shown(weight)}", source=source, line=number)
        if weights.setdefault((topic, aspect), value) != value:
            raise InputError(
                f"topic {shown(topic)}, aspect {shown(aspect)} has two different weights", source=source, line=number
            )
    return weights


def read_run_lines(lines: Lines, source: str, name: str) -> Run:
    """`topic Q0 document rank score tag`; the rank column may contain anything unless runs are ordered by it."""
    gathered: dict[str, tuple[list[str], list[float], list[str]]] = {}
    tag = ""
    for number, text in lines:
        topic, _, document, rank, score, last, *_ = split_line(text, 6, SIX_COLUMNS, source, number, more=True)
        tag = tag or last
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
    """The rank column, or None if a rank is not an integer."""
    if not all(re.fullmatch(r"-?[0-9]{1,18}", rank) for rank in column):
        return None
    return np.array([int(rank) for rank in column], dtype=np.int64)


# --- with the compiled scanner ----------------------------------------------------------------------------------------


_PIECE = 1 << 20  # bytes passed to the scanner at once


def scanner_for(path: str | Path) -> Any | None:
    """The compiled scanner; None for a pipe, which the plain reader could not read again from the start."""
    return None if str(path) == "-" or state(path) is None else scanner.load()


def scanned_judgments(path: str | Path) -> JudgmentRows | None:
    """Ordinary judgments of four columns; None if the plain reader has to read the file or report an error."""
    table = _table(path, runs=False)
    if table is None:
        return None
    (topics, topic), (aspects, aspect), (documents, document) = map(_names, table[:3])
    grades = np.frombuffer(table[3], dtype=np.float64)
    return JudgmentRows(topics, aspects, documents, topic, aspect, document, grades)


def scanned_run(path: str | Path) -> tuple[RunRows, str] | None:
    """An ordinary run of six columns, with its tag; None likewise."""
    table = _table(path, runs=True)
    if table is None:
        return None
    (topics, topic), _, (documents, document) = map(_names, table[:3])
    scores, ranks = np.frombuffer(table[3], dtype=np.float64), np.frombuffer(table[4], dtype=np.int64)
    return RunRows(topics, documents, topic, document, scores, ranks), str(table[5])


def _names(column: tuple[tuple[bytes, bytes], bytes]) -> tuple[Names, Codes]:
    return Names.from_pair(column[0]), np.frombuffer(column[1], dtype=np.int32)


def _table(path: str | Path, *, runs: bool) -> Any | None:
    compiled = scanner_for(path)
    if compiled is None:
        return None
    table, rest = compiled.table(scanner.random_key(), runs), b""
    with open_unpacked(path) as stream:
        while piece := stream.read(_PIECE):
            cut = piece.rfind(b"\n") + 1
            if compiled.table_feed(table, rest + piece[:cut]) != scanner.SCAN_OK:
                return None
            rest = piece[cut:]
    if compiled.table_feed(table, rest) != scanner.SCAN_OK:
        return None
    result = compiled.table_finish(table)
    return result if result[3] else None


# --- Dynamic Domain ---------------------------------------------------------------------------------------------------


def passage_rows(lines: Lines, source: str) -> Iterator[JudgmentRow]:
    """`topic subtopic document passage rating`; all passages of a document are kept."""
    for number, text in lines:
        columns = split_line(text, 5, "topic subtopic document passage rating", source, number)
        topic, subtopic, document, _, rating = columns
        yield topic, subtopic, document, number_of(rating, "a rating", source, number)


def read_rounds(lines: Lines, source: str, name: str) -> Run:
    """`topic round document score …`: rounds in their order, documents within a round by the order rule."""
    gathered: dict[str, tuple[list[str], list[float], list[int]]] = {}
    for number, text in lines:
        columns = split_line(text, 4, "topic round document score …", source, number, more=True)
        topic, iteration, document, score = columns[:4]
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
