"""Nuggets of a RAG evaluation as aspects: JSON lines that say which passages support which nugget, fully or partly.

    {"query": "q1", "nugget": "n1", "importance": "vital", "support": ["p1", "p4"], "partial_support": ["p2"]}
    {"query": "q1", "nugget": "n2", "importance": 0.5, "passages": {"p1": "partial_support", "p9": "not_support"}}

A nugget (or the criterion of a rubric) is an aspect, its importance the weight: a number, or `vital` (1) and `okay`
(0.5). Full support is grade 2, partial 1, none 0, so that --gain linear gives 1, 0.5 and 0.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from diveval.errors import InputError, shown, warn
from diveval.reading import contexts
from diveval.reading.labels import IMPORTANCE as IMPORTANCE_WORDS
from diveval.reading.labels import SUPPORT
from diveval.reading.lines import Lines
from diveval.reading.records import id_of, is_id, records_of
from diveval.reading.trec import JudgmentRow

QUERY = ("query_id", "qid", "topic", "query")
NUGGET = ("nugget_id", "nugget", "criterion", "text")
IMPORTANCE = ("importance", "weight")
KINDS = ("support", "full", "partial_support", "partial", "not_support", "none")
GRADES = {kind: SUPPORT[kind] for kind in KINDS}


def judgments(lines: Lines, source: str) -> tuple[list[JudgmentRow], dict[tuple[str, str], float]]:
    """Rows and weights, also from other tools' files. A nugget nothing supports stays known by a passage judged 0."""
    records = list(records_of(iter(lines), source))
    reader = contexts.reader_of(records[0][1])
    if reader is not None:
        return reader(records, source)
    cells: dict[str, dict[str, dict[str, float]]] = {}
    weights: dict[tuple[str, str], float] = {}
    for number, record in records:
        query = id_of(record, QUERY, "a query", source, number)
        nugget = id_of(record, NUGGET, "a nugget", source, number)
        weight = _importance(record, source, number)
        if weights.setdefault((query, nugget), weight) != weight:
            raise InputError(
                f"nugget {shown(nugget)} of query {shown(query)} has two importances", source=source, line=number
            )
        support = cells.setdefault(query, {}).setdefault(nugget, {})
        for passage, grade in _support(record, source, number):
            if support.setdefault(passage, grade) != grade:
                raise InputError(
                    f"passage {shown(passage)} supports nugget {shown(nugget)} of query {shown(query)} in two ways",
                    source=source,
                    line=number,
                )
    return list(_rows(cells, source)), weights


def _rows(cells: Mapping[str, Mapping[str, Mapping[str, float]]], source: str) -> Iterator[JudgmentRow]:
    for query, nuggets in cells.items():
        known = next((passage for support in nuggets.values() for passage in support), None)
        if known is None:
            warn(f"{source}: query {shown(query)} is left out: no passage is named for any of its nuggets")
            continue
        for nugget, support in nuggets.items():
            for passage, grade in (support or {known: 0.0}).items():
                yield query, nugget, passage, grade


def _importance(record: Mapping[str, Any], source: str, line: int) -> float:
    value = next((record[key] for key in IMPORTANCE if key in record), 1.0)
    if isinstance(value, str) and value in IMPORTANCE_WORDS:
        return IMPORTANCE_WORDS[value]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= sys.float_info.max:
        raise InputError(
            f"an importance is vital, okay or a number of at least 0, got {shown(value)}", source=source, line=line
        )
    return float(value)


def _support(record: Mapping[str, Any], source: str, line: int) -> Iterator[tuple[str, float]]:
    """(passage, grade) from the lists by kind of support, and from the mapping `passages`."""
    for kind, grade in GRADES.items():
        passages = record.get(kind, [])
        if not isinstance(passages, list):
            raise InputError(f"{kind} is a list of passages, got {shown(passages)}", source=source, line=line)
        for passage in passages:
            yield _passage(passage, source, line), grade
    named = record.get("passages", {})
    if not isinstance(named, dict):
        raise InputError(
            f"passages maps a passage to {', '.join(GRADES)}, got {shown(named)}", source=source, line=line
        )
    for passage, kind in named.items():
        if not isinstance(kind, str) or kind not in GRADES:
            raise InputError(f"support is one of {', '.join(GRADES)}, got {shown(kind)}", source=source, line=line)
        yield _passage(passage, source, line), GRADES[kind]


def _passage(value: Any, source: str, line: int) -> str:
    if not is_id(value):
        raise InputError(f"expected the id of a passage, got {shown(value)}", source=source, line=line)
    return str(value)
