"""Readers of nuggets: nuggetizer's and TREC RAG's lists, ARGUE's banks of three years, CRUX's sub-questions."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from diveval.answers.store import Material, Nugget
from diveval.errors import InputError, count_of, shown, warn
from diveval.reading.labels import Words, importance_weight
from diveval.reading.records import id_of, list_of, text_of

QUERY = ("qid", "query_id", "topic_id", "narrative_id", "request_id", "id")
Records = list[tuple[int, dict[str, Any]]]


def nuggets_of(record: dict[str, Any], words: Words, source: str, line: int) -> tuple[Nugget, ...]:
    """A record's nuggets in their order. A nugget is its position: the same text twice is two nuggets."""
    made = []
    for item in list_of(record, "nuggets", source, line):
        importance = item.get("importance")
        if "importance" in item and importance_weight(importance) is None:
            words.count("importances", importance)
        made.append(Nugget(text_of(item, "text"), importance, id=text_of(item, "id")))
    return tuple(made)


def read_nuggets(records: Records, source: str, words: Words) -> Material:
    """nuggetizer's nuggets: `{"qid", "nuggets": [{"text", "importance"}]}`, one line per query."""
    bank: dict[str, tuple[Nugget, ...]] = {}
    repeated = 0
    for line, record in records:
        query = id_of(record, QUERY, "a query", source, line)
        nuggets = nuggets_of(record, words, source, line)
        repeated += sum(times - 1 for times in Counter(nugget.text for nugget in nuggets).values())
        _add(bank, query, nuggets, source, line)
    if repeated:
        warn(
            f"{source}: {count_of(repeated, 'nugget repeats', 'nuggets repeat')} the text of another of their query; each counts by itself"
        )
    return Material(bank=bank, bank_source=source)


def _add(bank: dict[str, tuple[Nugget, ...]], query: str, nuggets: tuple[Nugget, ...], source: str, line: int) -> None:
    if query in bank:
        raise InputError(f"query {shown(query)} has nuggets twice", source=source, line=line)
    bank[query] = nuggets


def read_bank(records: Records, source: str, words: Words) -> Material:
    """ARGUE's banks: v3 (questions by text), RAGTIME 2026 (a list of them), NeuCLIR 2024 (`["OR", {answer: ids}]`).

    Answers without references are dropped, then questions without answers.
    """
    bank: dict[str, tuple[Nugget, ...]] = {}
    for line, record in records:
        metadata = record.get("metadata")
        named = {**record, **metadata} if isinstance(metadata, dict) else record
        questions = record["nugget_bank"] or [] if "nugget_bank" in record else record
        query = (
            id_of(named, ("query_id", "topic_id", "request_id", "qid"), "a topic", source, line)
            if "nugget_bank" in record
            else _topic_in_name(source)
        )
        listed = [_question(item, source, line) for item in _questions(questions, source, line)]
        for nugget in listed:
            if importance_weight(nugget.importance) is None:
                words.count("importances", nugget.importance)
        _add(bank, query, tuple(nugget for nugget in listed if nugget.answers), source, line)
    return Material(bank=bank, bank_source=source)


def _topic_in_name(source: str) -> str:
    """NeuCLIR's older banks have the topic in the file's name only: nuggets_300.json."""
    shape = re.fullmatch(r"(?:nuggets?[_-])?(.+?)(?:\.v[0-9]+)?", Path(source).name.partition(".json")[0])
    return shape[1] if shape else source


def _questions(value: Any, source: str, line: int) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        value = [{"question": text, **_as_object(item)} for text, item in value.items()]
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InputError(f"a nugget bank holds questions, got {shown(value)}", source=source, line=line)
    return value


def _as_object(item: Any) -> dict[str, Any]:
    """A question's content; NeuCLIR 2024 wrote ["OR", {answer: [document, …]}]."""
    if isinstance(item, list) and len(item) == 2:
        return {"aggregator_type": item[0], "answers": item[1]}
    return item if isinstance(item, dict) else {}


def _question(item: dict[str, Any], source: str, line: int) -> Nugget:
    kind = str(item.get("aggregator_type") or "OR").strip().upper()  # null: any of the answers, as in ARGUE's own code
    if kind not in ("OR", "AND"):
        raise InputError(f"aggregator_type is OR or AND, got {shown(kind)}", source=source, line=line)
    answers = item.get("answers") or {}
    pairs = (
        answers.items()
        if isinstance(answers, dict)
        else ((answer.get("answer"), answer) for answer in answers if isinstance(answer, dict))
    )
    held = tuple(str(text) for text, answer in pairs if _references(answer))
    return Nugget(text_of(item, "question"), item.get("importance"), held, kind == "AND")


def _references(answer: Any) -> list[Any]:
    found = answer.get("references", []) if isinstance(answer, dict) else answer
    return found if isinstance(found, list) else []


def read_subquestions(records: Records, source: str, words: Words) -> Material:
    """CRUX's sub-questions: `{"id", "subquestions": [text, …]}`; all of one weight."""
    bank: dict[str, tuple[Nugget, ...]] = {}
    for line, record in records:
        listed = record.get("subquestions")
        if not isinstance(listed, list):
            raise InputError(f"subquestions is a list, got {shown(listed)}", source=source, line=line)
        questions = tuple(Nugget(_subquestion(item, source, line)) for item in listed)
        _add(bank, id_of(record, QUERY, "a query", source, line), questions, source, line)
    return Material(bank=bank, bank_source=source)


def _subquestion(item: Any, source: str, line: int) -> str:
    """A sub-question's text, also where it is an object."""
    text = next((item[key] for key in ("question", "text") if key in item), None) if isinstance(item, dict) else item
    if not isinstance(text, str):
        raise InputError(f"a sub-question is a text, got {shown(item)}", source=source, line=line)
    return text
