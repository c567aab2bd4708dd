"""Readers of submitted answers (sentences with citations) and of the support of citations, and counts of tokens.

Support comes from NIST's and RAGDoll's assignments, or from single judgments joined to the answers' texts.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from diveval.answers.material import AnswerFiles, Citation, Passage, Sentence, System
from diveval.collection.joins import LEAST, Match
from diveval.errors import InputError, count_of, preview, quote, warn
from diveval.reading.judge_labels import Words
from diveval.reading.records import Records, id_of, is_id, list_of, object_of, run_of, text_of, with_metadata

TOPIC = ("topic_id", "narrative_id", "request_id", "qid", "query_id")
SENTENCES = ("answer", "responses", "sentences")
DOCUMENT = ("doc_id", "docid", "id")


def read_texts(records: Records, words: Words, *, stem: str) -> AnswerFiles:
    """Answers of TREC RAG 2024–26, NeuCLIR 2024, RAGTIME and DRAGUN, by content.

    Citations become documents, the strongest first: a mapping is sorted by descending score (ties as written), an index
    is replaced by its document, and an index out of range is dropped.
    """
    made, outside = AnswerFiles(), Outside(records.source)
    for record in records:
        named = with_metadata(record)
        query = id_of(named, TOPIC, "a topic")
        references = record.get("references") or []
        if not isinstance(references, list):
            raise InputError("wrong-value", f"references is a list of documents, got {quote(references)}")
        key = next((key for key in SENTENCES if key in record), "answer")
        listed = list_of(record, key)
        sentences = tuple(_sentence(item, references, outside) for item in listed)
        made.put("texts", run_of(named, stem), query, sentences)
    found = outside.report()
    if found is not None:
        made.note(found)
    return made


class Outside:
    """Citations by an index without a reference: tracks count from 0, but some systems count from 1."""

    def __init__(self, source: str) -> None:
        self.source, self.number, self.total = source, 0, 0
        self.from_one = True  # no citation has index 0, and none is more than one too large

    def look(self, index: int, references: int) -> None:
        """Count one citation."""
        self.total += 1
        self.number += not 0 <= index < references
        self.from_one = self.from_one and 1 <= index <= references

    def report(self) -> Match | None:
        """How many citations have a reference, with a warning if not all."""
        found = Match(self.source, "citations with a reference", self.total - self.number, self.total)
        if self.number:
            hint = "; references seem to be counted from 1" if self.from_one else ""
            warn(
                "unknown-citation",
                f"{self.source}: {count_of(self.number, 'citation points', 'citations point')} at no reference (the first is 0)"
                f" and {'names' if self.number == 1 else 'name'} no document{hint}",
            )
        return found if self.total else None


def read_crux_answers(records: Records, words: Words, *, stem: str) -> AnswerFiles:
    """CRUX's answers, `{"qid", "response"}`: one text without sentences or citations."""
    made = AnswerFiles()
    for record in records:
        query = id_of(record, TOPIC, "a topic")
        made.put("texts", run_of(record, stem), query, (Sentence(text_of(record, "response")),))
    return made


def _document(value: Any) -> str:
    """A cited document's id, alone or in an object."""
    named = next((value[key] for key in DOCUMENT if key in value), None) if isinstance(value, dict) else value
    if not is_id(named):
        raise InputError("wrong-value", f"a citation names a document by its id, got {quote(value)}")
    return str(named)


def _sentence(item: dict[str, Any], references: Sequence[Any], outside: Outside) -> Sentence:
    written = item.get("citations") or []
    if isinstance(written, dict):
        scores = {key: _strength(value) for key, value in written.items()}
        written = sorted(written, key=lambda key: -scores[key])
    if not isinstance(written, list):
        raise InputError("wrong-value", f"citations is a list or an object, got {quote(written)}")
    documents = [resolve_citation(value, references, outside) for value in written]
    citations = tuple(Citation(document) for document in documents if document is not None)
    pairs = zip(written, documents, strict=True)
    places = tuple(str(value) if document is None else document for value, document in pairs)
    return Sentence(text_of(item, "text"), citations, written=places)


def _strength(score: Any) -> float:
    """How strong a citation is; one without a score is the weakest."""
    if score is None:
        return -math.inf
    try:
        value = math.nan if isinstance(score, bool) else float(score)
    except (TypeError, ValueError):
        value = math.nan
    if math.isnan(value):
        raise InputError("not-a-number", f"a citation's score is a number, got {quote(score)}")
    return value


def resolve_citation(value: Any, references: Sequence[Any], outside: Outside) -> str | None:
    """The document a citation names: by index into the references, or by its id; None for an index out of range."""
    if isinstance(value, float) and value.is_integer():  # an index from a spreadsheet or a frame
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        outside.look(value, len(references))
        return _document(references[value]) if 0 <= value < len(references) else None
    return _document(value)


# --- the length of an answer ------------------------------------------------------------------------------------------


COUNTERS: Mapping[str, Callable[[str], int]] = {
    # Separated by white space: TREC RAG 2026.
    "words": lambda text: len(text.split()),
    # The same in Unicode's compatibility form: the validators of TREC RAG 2024 and 2025.
    "words-nfkc": lambda text: len(unicodedata.normalize("NFKC", text).split()),
    # With commas and semicolons as blanks: what ragnarok writes as response_length.
    "words-ragnarok": lambda text: len(text.replace(",", " ").replace(";", " ").split()),
    # Of the compatibility form: RAGTIME.
    "characters": lambda text: len(unicodedata.normalize("NFKC", text)),
}


# --- support of citations ---------------------------------------------------------------------------------------------


SUPPORT_TOPIC = ("topic_id", "narrative_id", "qid", "query_id")
REFERENCE = ("reference", "doc_id", "docid")
_IN_TEXT = ((2, "full support"), (1, "partial support"), (0, "no support"))  # looked for in this order


def read_support(records: Records, words: Words, *, stem: str) -> AnswerFiles:
    """Assignments: `{"topic_id", "run_id", "sentences": [{"text", "citations": [{"reference", "support": "2"}]}]}`."""
    made, bare = AnswerFiles(), list[str]()
    for record in records:
        named = with_metadata(record)
        query = id_of(named, SUPPORT_TOPIC, "a topic")
        sentences = tuple(
            Sentence(
                text_of(item, "text"),
                tuple(
                    Citation(_reference(citation, (place, c), bare), words.support(citation.get("support", -1)))
                    for c, citation in enumerate(list_of(item, "citations"))
                ),
            )
            for place, item in enumerate(list_of(record, "sentences"))
        )
        made.put("support", run_of(named, stem), query, sentences)
    if bare:
        number = count_of(len(bare), "citation names", "citations name")
        warn("missing-reference", f"{records.source}: {number} no reference: each counts as a separate passage")
    return made


def _reference(citation: dict[str, Any], place: tuple[int, int], bare: list[str]) -> str:
    """The passage that a citation names; without a name, its place, since two such citations may differ."""
    named = next((str(citation[key]) for key in REFERENCE if is_id(citation.get(key))), None)
    if named is None:
        named = f"(sentence {place[0]}, citation {place[1]})"
        bare.append(named)
    return named


def read_support_judgments(records: Records, words: Words, *, stem: str) -> AnswerFiles:
    """Single judgments, `{"support_label": "FS", "status", "metadata": {run_id, topic_id, sentence_index, …}}`.

    Sentences without citations are not in these files: the answers' texts (--answers) complete them.
    """
    made = AnswerFiles()
    for record in records:
        named = with_metadata(record)
        query, run = id_of(named, SUPPORT_TOPIC, "a topic"), run_of(named, stem)
        place = tuple(named.get(key) for key in ("sentence_index", "citation_index"))
        if not all(isinstance(index, int) and not isinstance(index, bool) for index in place):
            raise InputError(
                "wrong-value", f"expected sentence_index and citation_index, whole numbers, got {quote(place)}"
            )
        judged = made.system(run).judged.setdefault(query, {})
        if place in judged:
            what = (
                f"citation {place[1]} of sentence {place[0]}, topic {quote(query)}, run {quote(run)}, is judged twice"
            )
            raise InputError("duplicate-judgment", what, hint="keep one judgment")
        judged[place] = _judgment(record, words)  # type: ignore[index]
    return made


def _judgment(record: dict[str, Any], words: Words) -> int:
    """2, 1, 0, or −1 if the judge did not finish or gave no readable label; without a label the raw output is read."""
    if record.get("status", "completed") != "completed":
        return -1
    label = record.get("support_label")
    if label not in (None, ""):
        return words.support(label)
    raw = str(record.get("raw_output") or "").lower()
    return next((value for value, phrase in _IN_TEXT if re.search(phrase, raw)), -1)


def join_support(system: System) -> tuple[Match, dict[str, tuple[Sentence, ...]]]:
    """Single judgments joined to the citations of the answers' texts; an unjudged citation is −1.

    An index out of range is kept as a citation named by its number, so that the positions of judgments stay valid.
    Judgments of citations that the texts do not have are left out, with a warning.
    """
    places = {
        (query, s, c)
        for query, sentences in system.texts.items()
        for s, sentence in enumerate(sentences)
        for c in range(len(sentence.written))
    }
    lost = [
        f"{q}: sentence {s}, citation {c}"
        for q, own in system.judged.items()
        for s, c in own
        if (q, s, c) not in places
    ]
    total = sum(map(len, system.judged.values()))
    found = Match(system.source, "judgments of citations", total - len(lost), total)
    if found.share < LEAST:
        cited = [f"{q}: sentence {s}, citation {c}" for q, s, c in sorted(places)[:3]]
        raise InputError(
            "ids-unmatched",
            f"only {found.matched:,} of {count_of(total, 'judgment')} are of citations that the answers have: looked up"
            f" {preview(lost, 3)}; they have {preview(cited, 3) or 'none'}",
            hint="are these judgments of these answers?",
            source=system.source,
        )
    if lost:
        number = count_of(len(lost), "judgment", "judgments")
        warn(
            "unknown-citation",
            f"{system.source}: {number} of citations that the answers do not have, left out ({preview(lost)})",
        )
    out = {}
    for query, sentences in system.texts.items():
        judged = system.judged.get(query, {})
        out[query] = tuple(
            Sentence(
                sentence.text,
                tuple(Citation(document, judged.get((s, c), -1)) for c, document in enumerate(sentence.written)),
            )
            for s, sentence in enumerate(sentences)
        )
    return found, out


def read_udcg(records: Records, words: Words, *, stem: str) -> AnswerFiles:
    """UDCG's contexts: `{"question", "passages": [{"is_relevant", "models_info": {model: {"no_res_prob"}}}]}`.

    Every model is a separate system.
    """
    made = AnswerFiles()
    models = list(
        dict.fromkeys(
            model
            for record in records
            for passage in list_of(record, "passages")
            for model in object_of(passage, "models_info")
        )
    )
    for number, record in enumerate(records, 1):
        given = next((record[key] for key in ("example_id", "id", "qid") if is_id(record.get(key))), number)
        listed = list_of(record, "passages")
        for model in models or [stem]:
            passages = tuple(_passage(passage, model) for passage in listed)
            made.put("contexts", model, str(given), passages)
    return made


def _passage(passage: dict[str, Any], model: str) -> Passage:
    info = object_of(passage, "models_info").get(model)
    value = info.get("no_res_prob") if isinstance(info, dict) else None
    number = float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    relevant = passage.get("is_relevant")
    return Passage(relevant if isinstance(relevant, bool) else None, number)
