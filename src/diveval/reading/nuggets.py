"""Nuggets of a RAG evaluation as aspects: JSON lines with the passages that support each nugget, fully or partly.

    {"query": "q1", "nugget": "n1", "importance": "vital", "support": ["p1", "p4"], "partial_support": ["p2"]}
    {"query": "q1", "nugget": "n2", "importance": 0.5, "passages": {"p1": "partial_support", "p9": "not_support"}}

A nugget (or the criterion of a rubric) is an aspect, its importance the weight: a number, or `vital` (1) and `okay`
(0.5). Full support is grade 2, partial 1, none 0, so that --gain linear gives 1, 0.5 and 0.

Other tools' files are read too: nuggetizer's passages, CRUX's ratings, FreshStack's queries. In the first two a nugget
is identified by its position in the list, since texts repeat; FreshStack's nuggets have ids.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from diveval.errors import InputError, close_names, count_of, preview, quote, suggestion, warn
from diveval.reading.judge_labels import IMPORTANCE as IMPORTANCE_WORDS
from diveval.reading.judge_labels import SUPPORT, Words, as_number, importance_weight, is_failed, plain, support_grade
from diveval.reading.lines import Lines
from diveval.reading.records import Records, id_of, is_id, list_of, object_of, text_of
from diveval.reading.trec import JudgmentRow

QUERY = ("query_id", "qid", "topic", "query")
NUGGET = ("nugget_id", "nugget", "criterion", "text")
IMPORTANCE = ("importance", "weight")
KINDS = ("support", "full", "partial_support", "partial", "not_support", "none")
GRADES = {kind: SUPPORT[kind] for kind in KINDS}
Weights = dict[tuple[str, str], float]
Reader = Callable[[Records], tuple[list[JudgmentRow], Weights]]


def judgments(lines: Lines, source: str) -> tuple[list[JudgmentRow], Weights]:
    """Rows and weights, also from other tools' files. An unsupported nugget gets a passage with grade 0, so that it is
    still an aspect."""
    records = Records(iter(lines), source)
    reader = reader_of(next(iter(records)), source) or own
    with records.locate_errors():
        return reader(records)


def own(records: Records) -> tuple[list[JudgmentRow], Weights]:
    """Our own format: a record per nugget."""
    cells: dict[str, dict[str, dict[str, float]]] = {}
    weights: dict[tuple[str, str], float] = {}
    failed = 0
    for record in records:
        failed += sum(map(is_failed, object_of(record, "passages").values()))
        query = id_of(record, QUERY, "a query")
        nugget = id_of(record, NUGGET, "a nugget")
        weight = _importance(record)
        if weights.setdefault((query, nugget), weight) != weight:
            raise InputError(
                "conflicting-weights", f"nugget {quote(nugget)} of query {quote(query)} has two importances"
            )
        _refuse_unknown(record)
        support = cells.setdefault(query, {}).setdefault(nugget, {})
        for passage, grade in _support(record):
            if support.setdefault(passage, grade) != grade:
                raise InputError(
                    "conflicting-grades",
                    f"passage {quote(passage)} supports nugget {quote(nugget)} of query {quote(query)} in two ways",
                )
    if failed:
        number = count_of(failed, "label failed and counts", "labels failed and count")
        warn("failed-labels", f"{records.source}: {number} 0")
    return list(_rows(cells, records.source)), weights


def _rows(cells: Mapping[str, Mapping[str, Mapping[str, float]]], source: str) -> Iterator[JudgmentRow]:
    for query, nuggets in cells.items():
        any_passage = next((passage for support in nuggets.values() for passage in support), None)
        if any_passage is None:
            warn(
                "topics-left-out",
                f"{source}: query {quote(query)} is left out: no passage is named for any of its nuggets",
            )
            continue
        for nugget, support in nuggets.items():
            for passage, grade in (support or {any_passage: 0.0}).items():
                yield query, nugget, passage, grade


def _refuse_unknown(record: Mapping[str, Any]) -> None:
    """Raise an error for a key that holds a list or an object and is not known, or is nearly a known one."""
    known = (*QUERY, *NUGGET, *IMPORTANCE, *KINDS, "passages")
    for key, value in record.items():
        nearly = close_names(key, known, count=1, likeness=0.85)
        if key not in known and (isinstance(value, list | dict) or nearly):
            raise InputError("unknown-key", f"a nugget has no key {quote(key)}", hint=suggestion(key, known))


def _importance(record: Mapping[str, Any]) -> float:
    value = next((record[key] for key in IMPORTANCE if key in record), 1.0)
    if isinstance(value, str) and plain(value) in IMPORTANCE_WORDS:
        return IMPORTANCE_WORDS[plain(value)]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= sys.float_info.max:
        raise InputError(
            "invalid-choice", f"an importance is vital, okay or a number of at least 0, got {quote(value)}"
        )
    return float(value)


def _support(record: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """(passage, grade) from the lists by kind of support, and from the mapping `passages`."""
    for kind, grade in GRADES.items():
        passages = record.get(kind, [])
        if not isinstance(passages, list):
            raise InputError("wrong-value", f"{kind} is a list of passages, got {quote(passages)}")
        for passage in passages:
            yield _passage(passage), grade
    named = record.get("passages", {})
    if not isinstance(named, dict):
        raise InputError("wrong-value", f"passages maps a passage to {', '.join(GRADES)}, got {quote(named)}")
    for passage, kind in named.items():
        if as_number(kind) is not None:
            fault = (
                f"the support of a passage is a word or true or false, got the number {kind}, whose scale is unknown"
            )
            raise InputError("ambiguous-label", fault, hint=f"write {', '.join(KINDS)}")
        found = 0.0 if is_failed(kind) else support_grade(kind)
        if found is None:
            raise InputError("invalid-choice", f"support is one of {', '.join(KINDS)}, got {quote(kind)}")
        yield _passage(passage), found


def _passage(value: Any) -> str:
    if not is_id(value):
        raise InputError("invalid-id", f"expected the id of a passage, got {quote(value)}")
    return str(value)


# --- other tools' files -----------------------------------------------------------------------------------------------


QUERY_IDS = ("qid", "query_id", "id", "topic_id")
FOREIGN = -1.0  # the grade for a nugget of another query, which FreshStack's join by prefix assigns to this one


def reader_of(record: dict[str, Any], source: str) -> Reader | None:
    """The reader of a file that begins with this record; None for our own format, an error if there is none."""
    if isinstance(record.get("rating"), list):
        return ratings
    if isinstance(record.get("nuggets"), list):
        keys = {key for item in record["nuggets"] if isinstance(item, dict) for key in item}
        if "relevant_corpus_ids" in keys:
            return freshstack
        if "docid" in record or "candidate_text" in record:
            return passages
        message = "contains nuggets or labels of whole answers, not of documents"
        raise InputError("wrong-kind-of-file", message, hint="`diveval answers` scores them", source=source)
    nested = [value for value in record.values() if isinstance(value, list) and value and isinstance(value[0], list)]
    if record and len(nested) == len(record):
        raise InputError(
            "wrong-kind-of-file",
            "rates documents by their position in a run (LANCER's format) without their ids",
            hint="write `id`, `docid` and `rating`, one line per document",
            source=source,
        )
    return None


def passages(records: Records) -> tuple[list[JudgmentRow], Weights]:
    """nuggetizer's assignments of passages: a label for each nugget and passage."""
    words, weights, rows, seen = Words(records.source), Weights(), [], dict[str, list[tuple[str, Any]]]()
    for record in records:
        query = id_of(record, QUERY_IDS, "a query")
        document = id_of(record, ("docid", "doc_id"), "a passage")
        listed = list_of(record, "nuggets")
        bank = [(text_of(item, "text"), item.get("importance")) for item in listed]
        if seen.setdefault(query, bank) != bank:
            what = f"query {quote(query)} has other nuggets than on an earlier line"
            raise InputError("conflicting-nuggets", what)
        for place, item in enumerate(listed):
            words.importance(item.get("importance"))
            weights[query, str(place)] = importance_weight(item.get("importance")) or 0.0
            grade = support_grade(words.label(item.get("assignment")))
            rows.append((query, str(place), document, grade or 0.0))
    words.report()
    return rows, weights


def ratings(records: Records) -> tuple[list[JudgmentRow], Weights]:
    """CRUX's ratings: `{"id", "docid", "rating": [0–5 for each sub-question]}`, with equal weights."""
    rows: list[JudgmentRow] = []
    widths: dict[str, int] = {}
    for record in records:
        query = id_of(record, ("id", "qid", "query_id"), "a query")
        document = id_of(record, ("docid", "doc_id"), "a passage")
        listed = record.get("rating")
        if not isinstance(listed, list) or not all(_is_finite(value) for value in listed):
            raise InputError("wrong-value", f"rating is a list of numbers, got {quote(listed)}")
        if widths.setdefault(query, len(listed)) != len(listed):
            what = f"query {quote(query)} has {count_of(widths[query], 'sub-question')}, but {count_of(len(listed), 'rating')} here"
            raise InputError("conflicting-nuggets", what)
        rows += [(query, str(place), document, float(value)) for place, value in enumerate(listed)]
    return rows, {(query, str(place)): 1.0 for query, width in widths.items() for place in range(width)}


def _is_finite(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def freshstack(records: Records) -> tuple[list[JudgmentRow], Weights]:
    """FreshStack's queries: which documents support each nugget.

    The tool joins nuggets to queries by the prefix of their ids, so that query 76 also gets the nuggets of 7643. Such
    nuggets are kept with a negative grade and no weight: only metrics under FreshStack's name count them.
    """
    nuggets: dict[str, tuple[str, list[str], list[str]]] = {}
    bare: list[str] = []
    for record in records:
        query = id_of(record, ("query_id", "qid", "id"), "a query")
        bare += [] if record.get("nuggets") else [query]
        for item in list_of(record, "nuggets"):
            name = id_of(item, ("_id", "id"), "a nugget")
            if name in nuggets:
                raise InputError("duplicate-nugget", f"nugget {quote(name)} occurs twice")
            lists = [_documents(item, key) for key in ("relevant_corpus_ids", "non_relevant_corpus_ids")]
            nuggets[name] = (query, *lists)  # type: ignore[assignment]
    if bare:
        warn(
            "topics-left-out",
            f"{records.source}: {count_of(len(bare), 'query has no nugget and is', 'queries have no nuggets and are')} left out ({preview(bare)})",
        )
    queries = list(dict.fromkeys(query for query, _, _ in nuggets.values()))
    foreign = {q: [n for n, (own, _, _) in nuggets.items() if own != q and n.startswith(q)] for q in queries}
    rows: list[JudgmentRow] = []
    weights = Weights()
    for query in queries:
        own = [name for name, (of, _, _) in nuggets.items() if of == query]
        any_document = next((d for name in own for listed in nuggets[name][1:] for d in listed), None)
        if any_document is None:
            warn(
                "topics-left-out",
                f"{records.source}: query {quote(query)} is left out: no document is named for any of its nuggets",
            )
            continue
        for name in own:
            rows += _judge(query, name, *nuggets[name][1:], any_document)
            weights[query, name] = 1.0
        for name in foreign[query]:
            supporting = [(query, name, document, FOREIGN) for document in nuggets[name][1]]
            rows += supporting or [(query, name, any_document, 0.0)]
            weights[query, name] = 0.0
    taken = [query for query, names in foreign.items() if names]
    if taken:
        warn(
            "ambiguous-topic",
            f"{records.source}: the ids of {len(taken)} queries are prefixes of others ({quote(taken[0])}); metrics"
            " named freshstack.* give them the others' nuggets too, as the tool does",
        )
    return rows, weights


def _judge(query: str, name: str, full: Iterable[str], none: Iterable[str], any_document: str) -> Iterator[JudgmentRow]:
    """A nugget's judgments; a nugget without any gets a document with grade 0, so that it is still an aspect."""
    grades = {**dict.fromkeys(none, 0.0), **dict.fromkeys(full, 1.0)} or {any_document: 0.0}
    for document, grade in grades.items():
        yield query, name, document, grade


def _documents(item: dict[str, Any], key: str) -> list[str]:
    listed = item.get(key) or []
    if not isinstance(listed, list):
        raise InputError("wrong-value", f"{key} is a list of documents, got {quote(listed)}")
    return [str(document) for document in listed]
