"""Answers as participants hand them in: sentences with citations, and the ways tracks count their length."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from diveval.answers.nuggets import Records
from diveval.answers.store import Citation, Material, Sentence, System
from diveval.errors import InputError, count_of, shown, warn
from diveval.reading.labels import Words
from diveval.reading.records import id_of, is_id, list_of, run_of, text_of, with_metadata

TOPIC = ("topic_id", "narrative_id", "request_id", "qid", "query_id")
SENTENCES = ("answer", "responses", "sentences")
DOCUMENT = ("doc_id", "docid", "id")


def read_texts(records: Records, source: str, words: Words, *, stem: str) -> Material:
    """Answers of TREC RAG 2024–26, NeuCLIR 2024, RAGTIME and DRAGUN, by content.

    Citations come out as documents, the strongest first: a mapping is sorted by falling score (ties as written), an
    index becomes the document it points at, and one that points nowhere is dropped.
    """
    made, outside = Material(), Outside(source)
    for line, record in records:
        named = with_metadata(record, source, line)
        query, texts = _topic(made, named, source, line, stem=stem)
        references = record.get("references") or []
        if not isinstance(references, list):
            raise InputError(f"references is a list of documents, got {shown(references)}", source=source, line=line)
        key = next((key for key in SENTENCES if key in record), "answer")
        listed = list_of(record, key, source, line)
        texts[query] = tuple(_sentence(item, references, outside, source, line) for item in listed)
    outside.report()
    return made


def _topic(
    made: Material, named: Mapping[str, Any], source: str, line: int, *, stem: str
) -> tuple[str, dict[str, tuple[Sentence, ...]]]:
    """A record's topic, and the texts of its run, which may not have that topic yet."""
    query, run = id_of(named, TOPIC, "a topic", source, line), run_of(named, stem)
    texts = made.systems.setdefault(run, System(run, source)).texts
    if query in texts:
        raise InputError(f"topic {shown(query)} occurs twice for {run}", source=source, line=line)
    return query, texts


class Outside:
    """Citations by an index that points at no reference: tracks count from 0, and some systems from 1."""

    def __init__(self, source: str) -> None:
        self.source, self.number = source, 0
        self.from_one = True  # nobody cites the first reference, and nobody points further than one too far

    def look(self, index: int, references: int) -> None:
        """One citation."""
        self.number += not 0 <= index < references
        self.from_one = self.from_one and 1 <= index <= references

    def report(self) -> None:
        """One warning for the file."""
        if self.number:
            hint = "; references seem to be counted from 1" if self.from_one else ""
            warn(
                f"{self.source}: {count_of(self.number, 'citation points', 'citations point')} at no reference (the first is 0)"
                f" and {'names' if self.number == 1 else 'name'} no document{hint}"
            )


def read_crux_answers(records: Records, source: str, words: Words, *, stem: str) -> Material:
    """CRUX's answers, `{"qid", "response"}`: one text without sentences or citations."""
    made = Material()
    for line, record in records:
        query, texts = _topic(made, record, source, line, stem=stem)
        texts[query] = (Sentence(text_of(record, "response")),)
    return made


def _document(value: Any, source: str, line: int) -> str:
    """A cited document's id, alone or in an object."""
    named = next((value[key] for key in DOCUMENT if key in value), None) if isinstance(value, dict) else value
    if not is_id(named):
        raise InputError(f"a citation names a document by its id, got {shown(value)}", source=source, line=line)
    return str(named)


def _sentence(item: dict[str, Any], references: Sequence[Any], outside: Outside, source: str, line: int) -> Sentence:
    written = item.get("citations") or []
    if isinstance(written, dict):
        scores = {key: _strength(value, source, line) for key, value in written.items()}
        written = sorted(written, key=lambda key: -scores[key])
    if not isinstance(written, list):
        raise InputError(f"citations is a list or an object, got {shown(written)}", source=source, line=line)
    documents = [resolved(value, references, outside, source, line) for value in written]
    citations = tuple(Citation(document) for document in documents if document is not None)
    pairs = zip(written, documents, strict=True)
    places = tuple(str(value) if document is None else document for value, document in pairs)
    return Sentence(text_of(item, "text"), citations, written=places)


def _strength(score: Any, source: str, line: int) -> float:
    """How strong a citation is; one without a score is the weakest."""
    if score is None:
        return -math.inf
    try:
        value = math.nan if isinstance(score, bool) else float(score)
    except (TypeError, ValueError):
        value = math.nan
    if math.isnan(value):
        raise InputError(f"a citation's score is a number, got {shown(score)}", source=source, line=line)
    return value


def resolved(value: Any, references: Sequence[Any], outside: Outside, source: str, line: int) -> str | None:
    """The document a citation names: by index into the references, or by its id; None for an index out of range."""
    if isinstance(value, float) and value.is_integer():  # what a spreadsheet or a frame makes of an index
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        outside.look(value, len(references))
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
