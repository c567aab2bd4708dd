"""Unusual but valid files of answers keep their meaning; meaningless values are refused or reported, never a silent 0."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from diveval.answers import evaluate, gather
from diveval.answers.reading import read
from diveval.errors import DivevalWarning
from support.answer_files import nugget, quietly, write
from support.refusals import has_facts, refuses, warns


def answer(*citations: Any, references: Any = ("d1", "d2"), **more: Any) -> Any:
    """One answer of one sentence in TREC RAG's format."""
    return {
        "metadata": {"run_id": "r", "narrative_id": 1},
        "references": list(references),
        "answer": [{"text": "A.", "citations": list(citations)}],
        **more,
    }


def cited(path: Any) -> Any:
    """The documents that the only sentence of a file cites."""
    (system,) = quietly(read, path)[0][1].systems.values()
    (sentences,) = system.texts.values()
    return [citation.document for citation in sentences[0].citations]


def test_forms_of_a_citation(tmp_path: Path) -> None:
    """A citation is an index (also as 1.0), an id or an object with an id; anything else is refused with its line."""
    path = tmp_path / "a.jsonl"
    for citations, documents in (((1.0, 0), ["d2", "d1"]), (("x",), ["x"]), (({"doc_id": "y"},), ["y"]), ((9,), [])):
        assert cited(write(path, answer(*citations))) == documents
    assert cited(write(path, answer(0, references=[{"docid": "d7", "score": 3}]))) == ["d7"]
    for wrong in (True, ["d1", 90], {"score": 1}, 0.5, ""):
        with refuses("wrong-value") as refused:
            read(write(path, answer(wrong)))
        assert (refused.value.source, refused.value.line) == (str(path), 1)


def test_null_lists_are_empty(tmp_path: Path) -> None:
    """`"answer": null` is an empty answer."""
    path = write(tmp_path / "a.jsonl", answer(answer=None), {**answer(0), "metadata": {"run_id": "r", "topic_id": "2"}})
    assert [len(sentences) for sentences in read(path)[1].systems["r"].texts.values()] == [0, 1]


def test_null_in_an_argue_bank(tmp_path: Path) -> None:
    """A question without an aggregator accepts any answer, and a null bank has no questions."""
    question = {"question": "Q", "aggregator_type": None, "answers": {"a": {"references": [{"doc_id": "d"}]}}}
    path = write(
        tmp_path / "b.jsonl", {"query_id": 1, "nugget_bank": {"Q": question}}, {"query_id": 2, "nugget_bank": None}
    )
    bank = read(path)[1].bank
    assert [(n.text, n.answers, n.all_of) for n in bank["1"]] == [("Q", ("a",), False)]
    assert bank["2"] == ()


def test_a_label_that_is_not_boolean_is_reported(tmp_path: Path) -> None:
    """An `is_attested` that is not a boolean counts as false and is reported with its frequency."""
    judgment = {
        "judgment_type_id": "SENTENCE_ATTESTED",
        "response": {"is_attested": "yes"},
        "provenance": {"doc_id": "d"},
    }
    record = {
        "report": {"metadata": {"topic_id": "1", "run_id": "r"}},
        "judgments": [{"text": "A.", "citations": [{"doc_id": "d"}], "judgments": [judgment]}],
    }
    (_, made), messages = quietly(read, write(tmp_path / "j.jsonl", record))
    assert made.systems["r"].reports["1"][0].citations[0].support == 0
    assert len(messages) == 1
    assert "'yes' (1×)" in messages[0]


def test_support_without_citations_in_any_topic_key(tmp_path: Path) -> None:
    """A topic without citations is read from a file of support, under `narrative_id` as under `topic_id`."""
    sentence = {"text": "A.", "citations": [{"reference": "d", "support": "2"}]}
    for key in ("topic_id", "narrative_id"):
        path = write(
            tmp_path / "s.jsonl",
            {key: "1", "run_id": "r", "sentences": [sentence]},
            {key: "2", "run_id": "r", "sentences": [{"text": "B.", "citations": []}]},
        )
        assert evaluate([path], ["CitationRecall"]).per_topic("r") == {"1": 1.0, "2": 0.0}


def judgment(sentence: Any, citation: Any, label: str = "FS", topic: str = "1") -> Any:
    """A single support judgment of run r."""
    place = {"run_id": "r", "topic_id": topic, "sentence_index": sentence, "citation_index": citation}
    return {"support_label": label, "status": "completed", "metadata": place}


def test_support_judgments_are_neither_overwritten_nor_lost(tmp_path: Path) -> None:
    """Two judgments of one citation are refused; judgments of citations that the answers lack are reported."""
    texts = write(tmp_path / "answers.jsonl", answer(0, 1))
    twice = write(tmp_path / "twice.jsonl", judgment(0, 0), judgment(0, 0, "NS"))
    with refuses("duplicate-judgment") as refused:
        gather([twice], [texts])
    assert refused.value.line == 2
    unmatched = write(tmp_path / "unmatched.jsonl", judgment(0, 0), judgment(7, 0))
    made, messages = quietly(gather, [unmatched], [texts])
    assert [c.support for c in made.systems["r"].support["1"][0].citations] == [2, -1]
    assert len(messages) == 1
    assert "1 judgment" in messages[0]
    foreign = write(tmp_path / "foreign.jsonl", judgment(0, 0), judgment(7, 0), judgment(0, 0, topic="9"))
    with refuses("ids-unmatched"):
        gather([foreign], [texts])


def test_unjudged_citations_are_left_out_with_their_share(tmp_path: Path) -> None:
    """An unknown support label counts as unjudged, not 0, and the share judged is reported."""
    cites = [{"text": "A.", "citations": [{"reference": "d", "support": label}]} for label in ("2", "0", "?")]
    path = write(tmp_path / "s.jsonl", {"topic_id": "1", "run_id": "r", "sentences": cites})
    scores, messages = quietly(evaluate, [path], ["CitationPrecision", "CitationRecall"])
    assert scores.means.tolist() == [[0.5, 0.5]]
    assert any(has_facts(message, "'?' (1×)") for message in messages)
    assert any(has_facts(message, "1 of 3", "66.7 %") for message in messages)


def assignments(path: Any, **texts: Any) -> Any:
    """Assignments of one supported vital nugget per query, with the answer's text unless it is None."""
    lines = []
    for query, text in texts.items():
        line = {"qid": query, "run_id": "r", "nuggets": [nugget("a", label="support")]}
        lines.append(line if text is None else {**line, "answer_text": text})
    return write(path, *lines)


def test_an_empty_answer_scores_zero(tmp_path: Path) -> None:
    """Under our names a blank answer scores 0, with a warning; the tool's name uses its labels; texts are optional."""
    path = assignments(tmp_path / "a.jsonl", q1="Words.", q2=" ", q3=None)
    scores, messages = quietly(evaluate, [path], ["Coverage", "nuggetizer.all"])
    assert scores.per_topic("r", "Coverage") == {"q1": 1.0, "q2": 0.0, "q3": 1.0}
    assert scores.per_topic("r", "nuggetizer.all") == {"q1": 1.0, "q2": 1.0, "q3": 1.0}
    assert any("1 empty answer" in message and "q2" in message for message in messages)
    with warns("answer-without-text"):
        assert evaluate([assignments(tmp_path / "b.jsonl", q1="", q2="")], ["Coverage"]).means.tolist() == [[1.0]]
    texts = write(tmp_path / "t.jsonl", {"run_id": "r", "topic_id": "q1", "answer": [], "references": []})
    labels = assignments(tmp_path / "c.jsonl", q1=None, q2=None)
    scores, _ = quietly(evaluate, [labels], ["Coverage"], answers=[texts])
    assert scores.per_topic("r") == {"q1": 0.0, "q2": 1.0}


def test_a_metric_without_any_value_is_not_zero(tmp_path: Path) -> None:
    """Without vital nuggets a vital score is refused if requested, else left out with a note."""
    path = write(tmp_path / "a.jsonl", {"qid": "1", "run_id": "r", "nuggets": [nugget("a", "okay", "support")]})
    with refuses("missing-labels"):
        evaluate([path], ["Coverage_vital"])
    scores = evaluate([path])
    assert not any("vital" in name for name in scores.metrics)
    assert sum("Coverage_vital" in note for note in scores.notes) == 2
    with refuses("missing-labels"):
        evaluate(
            [
                write(
                    tmp_path / "s.jsonl",
                    {
                        "topic_id": "1",
                        "run_id": "r",
                        "sentences": [{"text": "A.", "citations": [{"reference": "d", "support": "-1"}]}],
                    },
                )
            ],
            ["CitationPrecision"],
        )


def test_absent_answers_and_vital_scores_share_their_queries(tmp_path: Path) -> None:
    """A query without vital nuggets is in no vital mean, not even as the 0 of a run without an answer."""
    bank = write(
        tmp_path / "n.jsonl",
        {"qid": "1", "nuggets": [nugget("a")]},
        {"qid": "2", "nuggets": [nugget("b", "okay")]},
        {"qid": "3", "nuggets": [nugget("c")]},
    )
    labels = write(tmp_path / "a.jsonl", {"qid": "1", "run_id": "r", "nuggets": [nugget("a", label="support")]})
    scores, _ = quietly(evaluate, [bank, labels], ["Coverage_vital", "Coverage"])
    assert scores.per_topic("r", "Coverage_vital") == {"1": 1.0, "3": 0.0}
    assert scores.per_topic("r", "Coverage") == {"1": 1.0, "2": 0.0, "3": 0.0}


def test_nuggetizer_refuses_a_nugget_without_importance(tmp_path: Path) -> None:
    """nuggetizer's metrics raise an error, as the tool does; under our names such a nugget weighs 1."""
    item = {"text": "a", "assignment": "support"}
    path = write(tmp_path / "a.jsonl", {"qid": "1", "run_id": "r", "nuggets": [item]})
    with refuses("missing-key") as refused:
        evaluate([path], ["nuggetizer.all"])
    assert refused.value.line == 1
    assert evaluate([path], ["Coverage_weighted", "ragdoll.all"]).means.tolist() == [[1.0, 1.0]]


def test_labels_that_are_not_text_are_shown_as_json(tmp_path: Path) -> None:
    """A label that is null is reported as it is in the file."""
    listed = [nugget("a", label="support"), {**nugget("b"), "assignment": None}]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DivevalWarning)
        read(write(tmp_path / "a.jsonl", {"qid": "1", "nuggets": listed}))
    (messages,) = [str(warning.message) for warning in caught]
    assert f"{json.dumps(None)} (1×)" in messages


def test_citations_out_of_range_are_reported(tmp_path: Path) -> None:
    """Indices without a reference are reported once per file, with a hint if they seem to count from 1."""
    path = tmp_path / "a.jsonl"
    other = {**answer(2, 1), "metadata": {"run_id": "r", "narrative_id": 2}}
    _, messages = quietly(read, write(path, answer(1, 2), other))
    assert len(messages) == 1 and "2 citations" in messages[0] and "from 1" in messages[0]
    _, messages = quietly(read, write(path, answer(0, -1, 2)))
    assert len(messages) == 1 and "2 citations" in messages[0] and "from 1" not in messages[0]
    assert quietly(read, write(path, answer(0, 1)))[1] == []


def test_the_strength_of_a_citation_is_a_number(tmp_path: Path) -> None:
    """A score as text is read as a number, null is the weakest, and anything else is refused."""
    path = tmp_path / "a.jsonl"

    def scored(**scores: Any) -> Any:
        return {"metadata": {"topic_id": 1, "run_id": "r"}, "responses": [{"text": "A.", "citations": scores}]}

    assert cited(write(path, scored(a=None, b="90", c=10, d=90))) == ["b", "d", "c", "a"]
    for wrong in ("high", [3], True, float("nan")):
        with refuses("not-a-number"):
            read(write(path, scored(a=1, b=wrong)))


@pytest.mark.parametrize("form", ["topic_id", "narrative_id", "qid", "query_id", "metadata"])
def test_support_is_recognised_by_its_labels(tmp_path: Path, form: str) -> None:
    """A support label decides the kind of a file; the topic may be under any of its keys or in `metadata`."""
    sentences = [{"text": "A.", "citations": [{"reference": "d", "support": "PS"}]}, {"text": "B.", "citations": []}]
    named = {"metadata": {"topic_id": 3, "run_id": "r"}} if form == "metadata" else {form: 3, "run_id": "r"}
    scores = evaluate([write(tmp_path / "s.jsonl", {**named, "sentences": sentences})], ["CitationRecall"])
    assert scores.to_dict() == {"r": {"CitationRecall": {"3": 0.25}}}


def test_citations_without_a_reference_are_not_one_passage(tmp_path: Path) -> None:
    """Open RAG Eval averages over distinct passages, and passages without an id are distinct."""
    labels = ("2", "0", "0")
    sentences = [{"text": "A.", "citations": [{"citationID": c, "support": s} for c, s in enumerate(labels)]}]
    sentences.append({"text": "B.", "citations": [{"citationID": 0, "support": "0"}]})
    path = write(tmp_path / "s.jsonl", {"topic_id": 1, "run_id": "r", "sentences": sentences})
    scores, messages = quietly(evaluate, [path], ["openrageval.weighted_precision"])
    assert scores.means.ravel().tolist() == [0.25]
    assert len(messages) == 1 and "4 citations" in messages[0]


def _judged(*judgments: Any) -> Any:
    return {
        "report": {"metadata": {"topic_id": "1", "run_id": "r"}},
        "judgments": [{"text": "A.", "citations": [{"doc_id": "d"}], "judgments": list(judgments)}],
    }


def test_unknown_argue_judgments_are_reported(tmp_path: Path) -> None:
    """Types ignore case; an unknown type, or a judgment of a document that is not cited, is reported."""
    path = tmp_path / "j.jsonl"
    fine = {"judgment_type_id": "sentence_attested", "response": {"is_attested": True}, "provenance": {"doc_id": "d"}}
    (_, made), messages = quietly(read, write(path, _judged(fine)))
    assert made.systems["r"].reports["1"][0].citations[0].support == 2
    assert messages == []
    unknown = {"judgment_type_id": "SENTENCE_IS_NICE", "response": {"is_nice": True}}
    _, messages = quietly(read, write(path, _judged(fine, unknown, {**fine, "provenance": {"doc_id": "e"}})))
    assert len(messages) == 1 and "'SENTENCE_IS_NICE' (1×)" in messages[0] and "'e' (1×)" in messages[0]
    uncited = {"judgment_type_id": "ANY_NAME", "response": {"requires_citation": True}}
    assert quietly(read, write(path, _judged(fine, uncited)))[1] == []


def test_argue_matches_outside_the_bank_are_reported(tmp_path: Path) -> None:
    """A match with a question or answer that the bank lacks scores 0 and is reported."""
    question = {"question": "Q", "aggregator_type": "OR", "answers": {"a": {"references": [{"doc_id": "d"}]}}}
    bank = write(tmp_path / "b.json", {"query_id": "1", "nugget_bank": {"Q": question}})
    for found, unknown in ((("Q", ["a"]), 0), (("Q?", ["a"]), 1), (("Q", ["b"]), 1)):
        matched = [{"question_text": found[0], "matched_answer": found[1]}]
        judgment = {"judgment_type_id": "SENTENCE_ANSWERS_QUESTION", "response": {"matched_nuggets": matched}}
        scores, messages = quietly(evaluate, [bank, write(tmp_path / "j.jsonl", _judged(judgment))], ["Coverage"])
        assert scores.means.ravel().tolist() == [1.0 - unknown]
        assert len(messages) == unknown


def test_empty_and_repeated_answers_are_refused(tmp_path: Path) -> None:
    """An empty array and two texts for one topic are refused."""
    (tmp_path / "a.json").write_text("[]")
    with refuses("empty-input"):
        read(tmp_path / "a.json")
    with refuses("duplicate-topic"):
        read(write(tmp_path / "c.jsonl", {"qid": "1", "response": "A."}, {"qid": 1, "response": "B."}))


def test_a_query_without_nuggets_is_noted_not_scored(tmp_path: Path) -> None:
    """A query without nuggets is in no mean, causes no warning, and is named in a note."""
    bank = write(tmp_path / "n.jsonl", {"qid": "1", "nuggets": [nugget("a")]}, {"qid": "2", "nuggets": []})
    labels = write(tmp_path / "r.jsonl", {"qid": "1", "nuggets": [nugget("a", label="support")]})
    scores, messages = quietly(evaluate, [bank, labels], ["Coverage"])
    assert scores.to_dict() == {"r": {"Coverage": {"1": 1.0}}}
    assert messages == []
    assert any("(2)" in note for note in scores.notes)
