"""Readers of nuggets and of labels.

Nuggets: nuggetizer's and TREC RAG's lists, ARGUE's banks of three years, CRUX's sub-questions. Labels: assignments of
answers and of passages, labels by sentence, ARGUE's judgments, graded rubrics.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

from diveval.answers.material import AnswerFiles, AssignmentLine, Citation, Criterion, Nugget, Sentence, System
from diveval.errors import InputError, count_of, quote, warn
from diveval.reading.judge_labels import Words, plain
from diveval.reading.records import Records, id_of, list_of, object_of, run_of, text_of, with_metadata

QUERY = ("qid", "query_id", "topic_id", "narrative_id", "request_id", "id")


def nuggets_of(record: dict[str, Any], words: Words) -> tuple[Nugget, ...]:
    """A record's nuggets in their order. Nuggets are identified by position: the same text twice is two nuggets."""
    made = []
    for item in list_of(record, "nuggets"):
        importance = item.get("importance")
        words.importance(importance)
        made.append(Nugget(text_of(item, "text"), importance, id=text_of(item, "id")))
    return tuple(made)


def read_nuggets(records: Records, words: Words, *, stem: str) -> AnswerFiles:
    """nuggetizer's nuggets: `{"qid", "nuggets": [{"text", "importance"}]}`, one line per query."""
    bank: dict[str, tuple[Nugget, ...]] = {}
    repeated = 0
    for record in records:
        query = id_of(record, QUERY, "a query")
        nuggets = nuggets_of(record, words)
        repeated += sum(times - 1 for times in Counter(nugget.text for nugget in nuggets).values())
        _add(bank, query, nuggets)
    if repeated:
        warn(
            "duplicate-nugget",
            f"{records.source}: {count_of(repeated, 'nugget repeats', 'nuggets repeat')} the text of another nugget of the query; each counts",
        )
    return AnswerFiles(bank)


def _add(bank: dict[str, tuple[Nugget, ...]], query: str, nuggets: tuple[Nugget, ...]) -> None:
    if query in bank:
        raise InputError("duplicate-nugget", f"query {quote(query)} has nuggets twice")
    bank[query] = nuggets


def read_bank(records: Records, words: Words, *, stem: str) -> AnswerFiles:
    """ARGUE's banks: v3 (questions by text), RAGTIME 2026 (a list of them), NeuCLIR 2024 (`["OR", {answer: ids}]`).

    Answers without references are dropped, then questions without answers.
    """
    bank: dict[str, tuple[Nugget, ...]] = {}
    for record in records:
        metadata = record.get("metadata")
        named = {**record, **metadata} if isinstance(metadata, dict) else record
        questions = record["nugget_bank"] or [] if "nugget_bank" in record else record
        query = (
            id_of(named, ("query_id", "topic_id", "request_id", "qid"), "a topic")
            if "nugget_bank" in record
            else _topic_in_name(records.source)
        )
        listed = [_question(item) for item in _questions(questions)]
        for nugget in listed:
            words.importance(nugget.importance)
        _add(bank, query, tuple(nugget for nugget in listed if nugget.answers))
    return AnswerFiles(bank)


def _topic_in_name(source: str) -> str:
    """The topic of NeuCLIR's older banks, which is only in the file's name: nuggets_300.json."""
    shape = re.fullmatch(r"(?:nuggets?[_-])?(.+?)(?:\.v[0-9]+)?", Path(source).name.partition(".json")[0])
    return shape[1] if shape else source


def _questions(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        value = [{"question": text, **_as_object(item)} for text, item in value.items()]
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InputError("wrong-value", f"a nugget bank holds questions, got {quote(value)}")
    return value


def _as_object(item: Any) -> dict[str, Any]:
    """A question's content; NeuCLIR 2024 wrote ["OR", {answer: [document, …]}]."""
    if isinstance(item, list) and len(item) == 2:
        return {"aggregator_type": item[0], "answers": item[1]}
    return item if isinstance(item, dict) else {}


def _question(item: dict[str, Any]) -> Nugget:
    kind = str(item.get("aggregator_type") or "OR").strip().upper()  # null: any of the answers, as in ARGUE's own code
    if kind not in ("OR", "AND"):
        raise InputError("invalid-choice", f"aggregator_type is OR or AND, got {quote(kind)}")
    answers = item.get("answers") or {}
    pairs = (
        answers.items()
        if isinstance(answers, dict)
        else ((answer.get("answer"), answer) for answer in answers if isinstance(answer, dict))
    )
    referenced = tuple(str(text) for text, answer in pairs if _references(answer))
    return Nugget(text_of(item, "question"), item.get("importance"), referenced, kind == "AND")


def _references(answer: Any) -> list[Any]:
    references = answer.get("references", []) if isinstance(answer, dict) else answer
    return references if isinstance(references, list) else []


def read_subquestions(records: Records, words: Words, *, stem: str) -> AnswerFiles:
    """CRUX's sub-questions: `{"id", "subquestions": [text, …]}`, with equal weights."""
    bank: dict[str, tuple[Nugget, ...]] = {}
    for record in records:
        listed = record.get("subquestions")
        if not isinstance(listed, list):
            raise InputError("wrong-value", f"subquestions is a list, got {quote(listed)}")
        questions = tuple(Nugget(_subquestion(item)) for item in listed)
        _add(bank, id_of(record, QUERY, "a query"), questions)
    return AnswerFiles(bank)


def _subquestion(item: Any) -> str:
    """The text of a sub-question, which may be an object."""
    text = next((item[key] for key in ("question", "text") if key in item), None) if isinstance(item, dict) else item
    if not isinstance(text, str):
        raise InputError("wrong-value", f"a sub-question is a text, got {quote(item)}")
    return text


# --- labels -----------------------------------------------------------------------------------------------------------


# Types of ARGUE's judgments: a cited document is relevant, it attests the sentence, the sentence answers a question.
RELEVANT, ATTESTED, ANSWERS = "CITED_DOCUMENT_RELEVANCE", "SENTENCE_ATTESTED", "SENTENCE_ANSWERS_QUESTION"


def read_assignments(records: Records, words: Words, *, stem: str) -> AnswerFiles:
    """nuggetizer's and NIST's assignments, of answers or of passages: one label per nugget and line."""
    made = AnswerFiles()
    for record in records:
        query = id_of(record, QUERY, "a query")
        nuggets = nuggets_of(record, words)
        labels = tuple(words.label(item.get("assignment")) for item in list_of(record, "nuggets"))
        document = record.get("docid", record.get("doc_id"))
        text = record.get("candidate_text" if "candidate_text" in record else "answer_text")
        named = None if document is None else str(document)
        line = AssignmentLine(query, nuggets, labels, text if isinstance(text, str) else None, named, records.line)
        run, place = _sentence_id(line)
        made.system(run_of(record, stem) if place is None else run).lines.append(line)
    for system in made.systems.values():
        _sentences_of_lines(system)
    return made


def _sentence_id(line: AssignmentLine) -> tuple[str, int | None]:
    """The run and place of a passage that is a sentence of an answer: its id is `run/query/place`."""
    shape = re.fullmatch(r"(.+)/([0-9]+)", line.document or "")
    run, slash, query = (shape[1] if shape else "").rpartition("/" + line.query)
    return (run, int(shape[2])) if shape and slash and not query and run else ("", None)


def _sentences_of_lines(system: System) -> None:
    """Group passages by query: passages in file order are a context, sentences with ids are an answer."""
    if not system.lines or any(line.document is None for line in system.lines):
        return
    grouped: dict[str, list[AssignmentLine]] = {}
    for line in system.lines:
        grouped.setdefault(line.query, []).append(line)
    for query, lines in grouped.items():
        places = [_sentence_id(line)[1] for line in lines]
        if None not in places:
            grouped[query] = [
                line for _, line in sorted(zip(places, lines, strict=True), key=lambda pair: pair[0] or 0)
            ]
        system.labelled[query] = tuple(
            Sentence(line.text or "", labels=dict(enumerate(line.labels))) for line in grouped[query]
        )


def read_sentence_labels(records: Records, words: Words, *, stem: str) -> AnswerFiles:
    """Labels by sentence: `{"qid", "run_id", "sentences": [{"text", "tokens", "nuggets": {id or place: label}}]}`."""
    made = AnswerFiles()
    for record in records:
        query = id_of(record, QUERY, "a query")
        sentences = []
        for item in list_of(record, "sentences"):
            given = object_of(item, "nuggets")
            labels: dict[int | str, Any] = {key: words.label(value) for key, value in given.items()}
            sentences.append(Sentence(text_of(item, "text"), labels=labels, tokens=_tokens(item)))
        made.put("labelled", run_of(record, stem), query, tuple(sentences))
    return made


def _tokens(item: dict[str, Any]) -> float | None:
    value = item.get("tokens")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise InputError("not-a-number", f"tokens is a number of at least 0, got {quote(value)}")
    return float(value)


# --- ARGUE ------------------------------------------------------------------------------------------------------------


def read_argue(records: Records, words: Words, *, stem: str) -> AnswerFiles:
    """Auto-ARGUE's judgments: a report and, by sentence, the support of its citations and the nuggets it matches."""
    made = AnswerFiles()
    for record in records:
        report = object_of(record, "report")
        named = with_metadata({**record, **report})
        query = id_of(named, ("topic_id", "request_id", "query_id", "narrative_id"), "a topic")
        listed = list_of(record, "judgments")
        sentences = tuple(_argue_sentence(item, words) for item in listed)
        made.put("reports", run_of(named, stem), query, sentences)
    return made


_UNCITED = {"requires_citation", "is_first_instance"}  # keys of judgments of a sentence without citation


def _argue_sentence(item: dict[str, Any], words: Words) -> Sentence:
    relevant: dict[str, bool] = {}
    attested: dict[str, bool] = {}
    matches: list[tuple[str, tuple[str, ...]]] = []
    needs = first = None
    for judgment in list_of(item, "judgments"):
        kind = plain(judgment.get("judgment_type_id")).upper()
        response = object_of(judgment, "response")
        provenance = object_of(judgment, "provenance")
        document = str(provenance.get("doc_id") or response.get("doc_id") or "")
        if kind == RELEVANT:
            relevant[document] = _is_true(response.get("is_relevant"), words)
        elif kind == ATTESTED:
            attested[document] = _is_true(response.get("is_attested"), words)
        elif kind == ANSWERS:
            matches += [_match(matched) for matched in list_of(response, "matched_nuggets")]
        elif not _UNCITED & set(response):
            words.count("judgment types", judgment.get("judgment_type_id"))
        # No published file has judgments of sentences without citation, so they are recognised by key, not by type.
        if isinstance(response.get("requires_citation"), bool):
            needs = response["requires_citation"]
        if isinstance(response.get("is_first_instance"), bool):
            first = response["is_first_instance"]
    citations = tuple(
        Citation(name, (2 if attested[name] else 0) if name in attested else -1, relevant.get(name))
        for name in (text_of(citation, "doc_id") for citation in list_of(item, "citations"))
    )
    for name in [*relevant, *attested]:
        if name not in {citation.document for citation in citations}:
            words.count("judged documents", name)
    return Sentence(
        text_of(item, "text"), citations, matches=tuple(matches), needs_citation=needs, first_instance=first
    )


def _is_true(response: Any, words: Words) -> bool:
    """A judge's true or false; anything else is false, and counted in `words`."""
    if not isinstance(response, bool):
        words.count("responses", response)
    return response is True


def _match(matched: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    answers = matched.get("matched_answer") or []
    listed = answers if isinstance(answers, list) else [answers]
    return text_of(matched, "question_text"), tuple(str(answer) for answer in listed)


# --- rubrics ----------------------------------------------------------------------------------------------------------


def read_rubric(records: Records, words: Words, *, stem: str) -> AnswerFiles:
    """Graded rubrics: `{"qid", "run_id", "criteria": [{"text", "tier", "type", "weight", "verdict"}]}`."""
    made = AnswerFiles()
    for record in records:
        query = id_of(record, QUERY, "a query")
        criteria = []
        for item in list_of(record, "criteria"):
            weight = item.get("weight", 1)
            if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not math.isfinite(weight):
                raise InputError("not-a-number", f"a criterion's weight is a number, got {quote(weight)}")
            verdict = words.verdict(item.get("verdict"))
            criteria.append(Criterion(float(weight), verdict, text_of(item, "tier"), text_of(item, "type")))
        made.system(run_of(record, stem)).graded.append((query, tuple(criteria)))
    return made
