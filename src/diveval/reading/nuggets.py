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
from diveval.reading.formats import Lines
from diveval.reading.trec import JudgmentRow

QUERY = ("query_id", "qid", "topic", "query")
NUGGET = ("nugget_id", "nugget", "criterion", "text")
IMPORTANCE = ("importance", "weight")
FULL, PARTIAL, NONE = ("support", "full"), ("partial_support", "partial"), ("not_support", "none")
GRADES = {**dict.fromkeys(FULL, 2.0), **dict.fromkeys(PARTIAL, 1.0), **dict.fromkeys(NONE, 0.0)}
WORDS = {"vital": 1.0, "okay": 0.5}


def judgments(lines: Lines, source: str) -> tuple[list[JudgmentRow], dict[tuple[str, str], float]]:
    """Rows and weights. A nugget that nothing supports stays known: the query's passages are judged 0 for it."""
    cells: dict[str, dict[str, dict[str, float]]] = {}
    weights: dict[tuple[str, str], float] = {}
    for number, text in lines:
        record = _record(text, source, number)
        query, nugget = _id(record, QUERY, "query", source, number), _id(record, NUGGET, "nugget", source, number)
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
                    source=source, line=number,
                )  # fmt: skip
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


def _record(text: str, source: str, line: int) -> Mapping[str, Any]:
    import json  # late: no other format needs it

    try:
        record = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"is not JSON: {error.msg} at column {error.colno}", source=source, line=line) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; brackets within brackets
        raise InputError(f"is JSON beyond what is read: {error}", source=source, line=line) from None
    if not isinstance(record, dict):
        raise InputError(f"expected a JSON object a line, got {type(record).__name__}", source=source, line=line)
    return record


def _id(record: Mapping[str, Any], keys: tuple[str, ...], what: str, source: str, line: int) -> str:
    value = next((record[key] for key in keys if key in record), None)
    if not _is_id(value):
        got = "nothing" if value is None else shown(value)
        raise InputError(f"expected a {what} under {', '.join(keys)}, got {got}", source=source, line=line)
    return str(value)


def _is_id(value: Any) -> bool:
    """Text or a whole number; half of a surrogate pair, which JSON can spell, is a character of no file."""
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        return False
    return not any("\ud800" <= character <= "\udfff" for character in str(value))


def _importance(record: Mapping[str, Any], source: str, line: int) -> float:
    value = next((record[key] for key in IMPORTANCE if key in record), 1.0)
    if isinstance(value, str) and value in WORDS:
        return WORDS[value]
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
    if not _is_id(value):
        raise InputError(f"expected the id of a passage, got {shown(value)}", source=source, line=line)
    return str(value)
