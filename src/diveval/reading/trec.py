"""TREC's formats: judgments `topic aspect document grade`, runs of six columns, NTCIR's variants, and those of the
Dynamic Domain track: passage judgments, and runs in rounds. Ordinary files are read by the compiled scanner.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from diveval.collection.columns import Codes, Names
from diveval.collection.judgments import JudgmentRows, naturally
from diveval.collection.runs import Run, RunRows, TopicRun
from diveval.errors import InputError, quote, warn
from diveval.reading.lines import Lines, fields_of, number_of, split_line
from diveval.reading.source import OpenSource
from diveval.system import scanner

JudgmentRow = tuple[str, str, str, float]
SIX_COLUMNS = "topic Q0 document rank score tag"
LONGEST_TAG = 5  # words; with six, a line may be two whose line end was lost


def judgment_rows(lines: Lines, source: str, *, levels: bool = False) -> Iterator[JudgmentRow]:
    """`topic aspect document grade`; with `levels` the grade is written L0, L1, … (NTCIR Dqrels, or qrels
    without aspects)."""
    plain: bool | None = None  # whether the first line, and so every one, is without an aspect
    for _, text in lines:
        if plain is None:
            plain = levels and len(fields_of(text)) == 3
        if plain:
            topic, document, grade = split_line(text, 3, "topic document grade")
            aspect = "0"
        else:
            topic, aspect, document, grade = split_line(text, 4, "topic aspect document grade")
        if levels:
            if not re.fullmatch(r"[Ll][0-9]{1,4}", grade):
                raise InputError("not-a-number", f"expected a level such as L2, got {quote(grade)}")
            grade = grade[1:]
        yield topic, aspect, document, number_of(grade, "a grade")


def weight_rows(lines: Lines) -> dict[tuple[str, str], float]:
    """`topic aspect weight`, which is also NTCIR's Iprob."""
    weights: dict[tuple[str, str], float] = {}
    for _, text in lines:
        topic, aspect, weight = split_line(text, 3, "topic aspect weight")
        value = number_of(weight, "a weight")
        if value < 0:
            raise InputError("invalid-weight", f"expected a weight of at least 0, got {quote(weight)}")
        if weights.setdefault((topic, aspect), value) != value:
            raise InputError(
                "conflicting-weights", f"topic {quote(topic)}, aspect {quote(aspect)} has two different weights"
            )
    return weights


def read_run_lines(lines: Lines, source: str, name: str) -> Run:
    """`topic Q0 document rank score tag`; the rank column may contain anything unless runs are ordered by it.

    Further columns are a tag with blanks if every line has the same ones. If they differ after the same first word,
    that word is the tag and the rest is ignored with a warning, as trec_eval ignores it. Anything else is an error, and
    so are as many columns as a second line would have: they may be the next line.
    """
    gathered: dict[str, tuple[list[str], list[float], list[str]]] = {}
    tag: list[str] = []
    ignored = False
    for _, text in lines:
        topic, _, document, rank, score, *last = split_line(text, 6, SIX_COLUMNS, more=True)
        tag = tag or last
        varies = last != tag and max(len(last), len(tag)) > 1
        ignored |= varies
        if len(last) > LONGEST_TAG or (varies and last[0] != tag[0]):
            message = f"expected 6 columns ({SIX_COLUMNS}), got {5 + len(last)}"
            hint = "only a tag may contain blanks, if it is the same on every line"
            raise InputError("wrong-columns", message, hint=hint)
        documents, scores, ranks = gathered.setdefault(topic, ([], [], []))
        documents.append(document)
        scores.append(number_of(score, "a score in column 5"))
        ranks.append(rank)
    if ignored:
        tag = tag[:1]
        warn("wrong-columns", f"{source}: text after the tag {quote(tag[0])} is ignored")
    topics = {}
    for topic in naturally(gathered):
        documents, scores, ranks = gathered[topic]
        topics[topic] = TopicRun(documents, np.array(scores), _ranks(ranks))
    return Run(name, topics, source, "trec", " ".join(tag))


def _ranks(column: list[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """The rank column, or None if a rank is not an integer."""
    if not all(re.fullmatch(r"-?[0-9]{1,18}", rank) for rank in column):
        return None
    return np.array([int(rank) for rank in column], dtype=np.int64)


# --- with the compiled scanner ----------------------------------------------------------------------------------------


def scan_judgments(opened: OpenSource) -> JudgmentRows | None:
    """Ordinary judgments of four columns; None if the plain reader has to read the file or report an error."""
    table = _table(opened, runs=False)
    if table is None:
        return None
    (topics, topic), (aspects, aspect), (documents, document) = map(_names, table[:3])
    grades = np.frombuffer(table[3], dtype=np.float64)
    return JudgmentRows(topics, aspects, documents, topic, aspect, document, grades)


def scan_run(opened: OpenSource) -> tuple[RunRows, str] | None:
    """An ordinary run of six columns, with its tag; None likewise."""
    table = _table(opened, runs=True)
    if table is None:
        return None
    (topics, topic), _, (documents, document) = map(_names, table[:3])
    scores, ranks = np.frombuffer(table[3], dtype=np.float64), np.frombuffer(table[4], dtype=np.int64)
    return RunRows(topics, documents, topic, document, scores, ranks), str(table[5])


def _names(column: tuple[tuple[bytes, bytes], bytes]) -> tuple[Names, Codes]:
    return Names.from_pair(column[0]), np.frombuffer(column[1], dtype=np.int32)


def _table(opened: OpenSource, *, runs: bool) -> Any | None:
    compiled = scanner.load()
    if compiled is None or not opened.can_rewind:  # the plain reader could not read a pipe from the start
        return None
    table = compiled.table(scanner.random_key(), runs)
    if any(compiled.table_feed(table, lines) != scanner.SCAN_OK for lines in opened.whole_lines()):
        return None
    result = compiled.table_finish(table)
    return result if result[3] else None


# --- Dynamic Domain ---------------------------------------------------------------------------------------------------


def passage_rows(lines: Lines, source: str) -> Iterator[JudgmentRow]:
    """`topic subtopic document passage rating`; all passages of a document are kept."""
    for _, text in lines:
        columns = split_line(text, 5, "topic subtopic document passage rating")
        topic, subtopic, document, _, rating = columns
        yield topic, subtopic, document, number_of(rating, "a rating")


def read_rounds(lines: Lines, source: str, name: str) -> Run:
    """`topic round document score …`: rounds in their order, documents within a round by the order rule."""
    gathered: dict[str, tuple[list[str], list[float], list[int]]] = {}
    for _, text in lines:
        columns = split_line(text, 4, "topic round document score …", more=True)
        topic, iteration, document, score = columns[:4]
        if not (iteration.isascii() and iteration.isdigit() and len(iteration) <= 9):
            raise InputError("not-a-number", f"expected a round, a whole number, in column 2, got {quote(iteration)}")
        documents, scores, rounds = gathered.setdefault(topic, ([], [], []))
        documents.append(document)
        scores.append(number_of(score, "a score in column 4"))
        rounds.append(int(iteration))
    topics = {
        t: TopicRun(gathered[t][0], np.array(gathered[t][1]), None, np.array(gathered[t][2], dtype=np.int64))
        for t in naturally(gathered)
    }
    return Run(name, topics, source, "dynamic-domain")
