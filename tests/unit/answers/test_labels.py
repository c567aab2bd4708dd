"""Labels, keys and importances that do not fit are refused or warned about; numbers and booleans never count 0 silently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.answers import as_collection, evaluate, gather
from diveval.errors import capture_warnings
from support.answer_files import nugget, quietly, write
from support.refusals import refuses, warns


def labelled(path: Path, *labels: Any, importance: str = "vital", query: str = "q") -> Path:
    """Assignments of one answer with nuggets n0, n1, …"""
    listed = [{**nugget(f"n{i}", importance), "assignment": label} for i, label in enumerate(labels)]
    return write(path, {"qid": query, "run_id": path.stem, "answer_text": "Words.", "nuggets": listed})


def bank(path: Path, *importances: str, query: str = "q") -> Path:
    """Nuggets n0, n1, … of one query."""
    listed = [{"text": f"n{i}", "importance": importance} for i, importance in enumerate(importances)]
    return write(path, {"qid": query, "nuggets": listed})


def cites(path: Path, *labels: Any) -> Path:
    """A sentence for each support label."""
    sentences = [{"text": "A.", "citations": [{"reference": "d", "support": label}]} for label in labels]
    return write(path, {"topic_id": "q", "run_id": "r", "sentences": sentences})


def test_booleans_are_labels(tmp_path: Path) -> None:
    """True is full support and false none, of nuggets and of citations."""
    assert evaluate([labelled(tmp_path / "a.jsonl", True, False)], ["Coverage"]).means.item() == 0.5
    assert evaluate([cites(tmp_path / "c.jsonl", True, False)], ["CitationRecall"]).means.item() == 0.5


@pytest.mark.parametrize("label", [0, 1, 2, 0.5])
def test_numbers_are_no_labels_of_nuggets(tmp_path: Path, label: float) -> None:
    """Their scale is unknown."""
    with refuses("ambiguous-label"):
        evaluate([labelled(tmp_path / "a.jsonl", label, "support")], ["Coverage"])


@pytest.mark.parametrize("labels", [("1", "0"), (1, 0), (1, 1)])
def test_a_judge_of_zero_and_one_is_warned_about(tmp_path: Path, labels: Any) -> None:
    """1 is partial support on the track's scale."""
    with warns("ambiguous-label"):
        evaluate([cites(tmp_path / "c.jsonl", *labels)], ["CitationRecall"])
    assert evaluate([cites(tmp_path / "d.jsonl", 2, 1)], ["CitationRecall"]).means.item() == 0.75


def test_only_unknown_labels_are_an_error(tmp_path: Path) -> None:
    """An answer is not 0 because nobody knows its labels; a few odd ones are a warning."""
    with refuses("unknown-label"):
        evaluate([labelled(tmp_path / "a.jsonl", "yes", "partly")], ["Coverage"])
    with warns("unknown-label"):
        evaluate([labelled(tmp_path / "b.jsonl", "yes", "support")], ["Coverage"])


def test_importances_that_differ_are_warned_about(tmp_path: Path) -> None:
    """The nuggets file counts."""
    nuggets = bank(tmp_path / "n.jsonl", "vital", "okay")
    with warns("conflicting-weights"):
        scores = evaluate([nuggets, labelled(tmp_path / "a.jsonl", "support", "not_support")], ["Coverage_weighted"])
    assert scores.means.item() == pytest.approx(2 / 3)


@pytest.mark.parametrize("other", [{"query": "Q"}, {}])
def test_labels_of_other_nuggets_are_an_error(tmp_path: Path, other: Any) -> None:
    """Queries or nuggets of which fewer than half are in the other file."""
    nuggets = bank(tmp_path / "n.jsonl", "vital", **other)
    renamed = write(tmp_path / "a.jsonl", {"qid": "q", "run_id": "a", "nuggets": [nugget("x", "vital", "support")]})
    with refuses("ids-unmatched"):
        evaluate([nuggets, renamed], ["Coverage"])


def test_joins_are_in_the_setup(tmp_path: Path) -> None:
    """Queries that have nuggets, queries that are answered, nuggets with a label, labels with a nugget; each in the notes."""
    nuggets = bank(tmp_path / "n.jsonl", "vital", "okay")
    with capture_warnings():  # the labels call both nuggets vital
        scores = evaluate([nuggets, labelled(tmp_path / "a.jsonl", "support", "support")], ["Coverage"])
    assert [(found.matched, found.total) for found in scores.setup.joins] == [(1, 1), (1, 1), (2, 2), (2, 2)]
    assert set(map(str, scores.setup.joins)) <= set(scores.notes)


@pytest.mark.parametrize("key", ["supports", "partial_suport", "docs"])
def test_unknown_keys_of_context_nuggets_are_refused(tmp_path: Path, key: str) -> None:
    """A misspelt list of passages would be lost."""
    path = write(tmp_path / "n.jsonl", {"query": "q", "nugget": "n", "support": ["p"], key: ["p2"]})
    with refuses("unknown-key"):
        diveval.read_judgments(path)


@pytest.mark.parametrize(("label", "grade"), [("Full support", 2.0), (True, 2.0), ("no_support", 0.0), (False, 0.0)])
def test_contexts_take_the_spellings_of_answers(tmp_path: Path, label: Any, grade: float) -> None:
    """The same words mean the same for a passage and for an answer."""
    path = write(tmp_path / "n.jsonl", {"query": "q", "nugget": "n", "passages": {"p": label, "p2": "support"}})
    assert dict(diveval.read_judgments(path).to_pandas()[["document", "grade"]].to_numpy())["p"] == grade


def test_a_collection_of_answers_has_no_other_document(tmp_path: Path) -> None:
    """Its documents are the answers, so that two judges are compared on these only."""
    material, _ = quietly(gather, [labelled(tmp_path / "a.jsonl", "support", "not_support")])
    judgments = as_collection(material).judgments
    assert set(judgments.columns.document_names) == {"a/q/0"}
    facts = write(
        tmp_path / "n.jsonl",
        *({"qid": query, "nuggets": [{"text": text, "importance": "vital"} for text in "xyz"]} for query in "qr"),
    )
    table = tmp_path / "b.csv"
    table.write_text("question,system,nugget,label\nq,b,x,true\nq,b,y,false\n")
    material, _ = quietly(gather, [facts, table])
    with capture_warnings():
        judgments = as_collection(material).judgments
    # Nothing stands for the answers of r, which nobody gave, or for z, which nobody labelled; both keep their nuggets.
    assert {row[:3] for row in judgments.rows()} == {("q", "0", "b/q/0"), ("q", "1", "b/q/0")}
    assert judgments.aspect_weights() == {(query, place): 1.0 for query in "qr" for place in "012"}
