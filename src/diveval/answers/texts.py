"""Answers as participants hand them in: sentences with citations, and the ways tracks count their length."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from diveval.answers.nuggets import Records
from diveval.answers.store import Citation, Material, Sentence, System
from diveval.errors import InputError, shown
from diveval.reading.labels import Words
from diveval.reading.records import id_of, is_id, list_of, object_of, text_of

TOPIC = ("topic_id", "narrative_id", "request_id", "qid", "query_id")
SENTENCES = ("answer", "responses", "sentences")
DOCUMENT = ("doc_id", "docid", "id")


def read_texts(records: Records, source: str, words: Words, *, stem: str) -> Material:
    """Answers of TREC RAG 2024–26, NeuCLIR 2024, RAGTIME and DRAGUN, by content.

    Citations come out as documents, the strongest first: a mapping is sorted by falling score (ties as written), an
    index becomes the document it points at, and one that points nowhere is dropped.
    """
    made = Material()
    for line, record in records:
        metadata = object_of(record, "metadata", source, line)
        named = {**record, **{key: value for key, value in metadata.items() if value is not None}}
        query = id_of(named, TOPIC, "a topic", source, line)
        run = next((str(named[key]) for key in ("run_id", "run", "runtag") if named.get(key) not in (None, "")), stem)
        system = made.systems.setdefault(run, System(run, source))
        if query in system.texts:
            raise InputError(f"topic {shown(query)} occurs twice for {run}", source=source, line=line)
        references = record.get("references") or []
        if not isinstance(references, list):
            raise InputError(f"references is a list of documents, got {shown(references)}", source=source, line=line)
        key = next((key for key in SENTENCES if key in record), "answer")
        listed = list_of(record, key, source, line)
        system.texts[query] = tuple(_sentence(item, references, source, line) for item in listed)
    return made


def read_crux_answers(records: Records, source: str, words: Words, *, stem: str) -> Material:
    """CRUX's answers, `{"qid", "response"}`: one text without sentences or citations."""
    made = Material()
    for line, record in records:
        system = made.systems.setdefault(stem, System(stem, source))
        query = id_of(record, TOPIC, "a query", source, line)
        system.texts[query] = (Sentence(text_of(record, "response")),)
    return made


def _document(value: Any, source: str, line: int) -> str:
    """A cited document's id, alone or in an object."""
    named = next((value[key] for key in DOCUMENT if key in value), None) if isinstance(value, dict) else value
    if not is_id(named):
        raise InputError(f"a citation names a document by its id, got {shown(value)}", source=source, line=line)
    return str(named)


def _sentence(item: dict[str, Any], references: Sequence[Any], source: str, line: int) -> Sentence:
    written = item.get("citations") or []
    if isinstance(written, dict):
        scores = {key: value if isinstance(value, (int, float)) else 0.0 for key, value in written.items()}
        written = sorted(written, key=lambda key: -scores[key])
    if not isinstance(written, list):
        raise InputError(f"citations is a list or an object, got {shown(written)}", source=source, line=line)
    documents = [resolved(value, references, source, line) for value in written]
    citations = tuple(Citation(document) for document in documents if document is not None)
    pairs = zip(written, documents, strict=True)
    places = tuple(str(value) if document is None else document for value, document in pairs)
    return Sentence(text_of(item, "text"), citations, written=places)


def resolved(value: Any, references: Sequence[Any], source: str, line: int) -> str | None:
    """The document a citation names: by index into the references, or by its id; None for an index out of range."""
    if isinstance(value, float) and value.is_integer():  # what a spreadsheet or a frame makes of an index
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return _document(references[value], source, line) if 0 <= value < len(references) else None
    return _document(value, source, line)


# --- how long an answer is --------------------------------------------------------------------------------------------


def words_by_blanks(text: str) -> int:
    """Words between white space: TREC RAG 2026."""
    return len(text.split())


def words_after_nfkc(text: str) -> int:
    """Words of the text in Unicode's compatibility form: the validators of TREC RAG 2024 and 2025."""
    return len(unicodedata.normalize("NFKC", text).strip().split())


def words_of_ragnarok(text: str) -> int:
    """Words with commas and semicolons as blanks: what ragnarok writes as response_length."""
    return len(text.replace(",", " ").replace(";", " ").split())


def characters(text: str) -> int:
    """Characters of the compatibility form: RAGTIME."""
    return len(unicodedata.normalize("NFKC", text))


COUNTERS: Mapping[str, Callable[[str], int]] = {
    "words": words_by_blanks,
    "words-nfkc": words_after_nfkc,
    "words-ragnarok": words_of_ragnarok,
    "characters": characters,
}


def length(sentences: Sequence[Sentence], counter: str = "words") -> int:
    """The length of a whole answer, its sentences joined by blanks."""
    return COUNTERS[counter](" ".join(sentence.text for sentence in sentences))
