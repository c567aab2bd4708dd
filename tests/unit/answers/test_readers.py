"""Files of answers: valid variants are read, and invalid files are refused with their location."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from diveval.answers import evaluate, gather
from diveval.answers.reading import is_answers, read
from support.answer_files import nugget, quietly, write
from support.refusals import refuses


@pytest.mark.parametrize("form", ["lines", "array", "packed"])
def test_formats_of_the_same_records(tmp_path: Path, form: str) -> None:
    """Lines, an array, and gzip with a byte-order mark and CRLF give the same scores; ids may be numbers or any script."""
    bank = write(tmp_path / "nuggets.x", {"qid": 7, "nuggets": [nugget("日本"), nugget("é", "okay")]}, form=form)
    labels = write(
        tmp_path / "labels.x",
        {
            "qid": "7",
            "run_id": "ü",
            "nuggets": [nugget("日本", label="support"), nugget("é", "okay", "partial_support")],
        },
        form=form,
    )
    scores = evaluate([bank, labels], ["nuggetizer.all", "nuggetizer.W", "Coverage_weighted"])
    assert scores.runs == ("ü",)
    assert scores.per_topic("ü", "nuggetizer.all") == {"7": 0.75}
    assert scores.per_topic("ü", "nuggetizer.W") == {"7": 1.25 / 1.5}


def test_an_empty_list_does_not_decide_the_kind(tmp_path: Path) -> None:
    """A file of assignments whose first query has no nuggets is still read as assignments."""
    path = write(
        tmp_path / "a.jsonl", {"qid": "1", "nuggets": []}, {"qid": "2", "nuggets": [nugget("a", label="support")]}
    )
    kind, made = read(path)
    assert kind.name == "assignments"
    assert [len(line.labels) for line in made.systems["a"].lines] == [0, 1]
    scores = evaluate([path], ["nuggetizer.all"])
    assert scores.per_topic("a") == {"1": 0.0, "2": 1.0}


def test_two_kinds_in_one_file_are_refused(tmp_path: Path) -> None:
    """A nugget list among assignments is refused with its line."""
    path = write(
        tmp_path / "a.jsonl",
        {"qid": "1", "nuggets": [nugget("a", label="support")]},
        {"qid": "2", "nuggets": [nugget("b")]},
    )
    with refuses("mixed-records", "a.jsonl:2"):
        read(path)


def test_null_ids_and_texts(tmp_path: Path) -> None:
    """A null id is skipped for the next key, and a null text is empty; neither becomes the word None."""
    path = write(
        tmp_path / "r.jsonl",
        {
            "topic_id": None,
            "metadata": {"topic_id": None, "narrative_id": 4, "run_id": None},
            "references": None,
            "answer": [{"text": None, "citations": None}, {"text": "b"}],
        },
    )
    _, made = read(path)
    ((run, system),) = made.systems.items()
    assert run == "r"
    assert [(s.text, s.citations) for s in system.texts["4"]] == [("", ()), ("b", ())]


@pytest.mark.parametrize(
    ("record", "cited"),
    [
        (
            {
                "metadata": {"narrative_id": 1},
                "references": ["x", "y"],
                "answer": [{"text": "a", "citations": [1, -1, 0, 9]}],
            },
            ["y", "x"],
        ),
        (
            {
                "metadata": {"narrative_id": "1"},
                "references": ["x"],
                "answer": [{"text": "a", "citations": ["x", "z"]}],
            },
            ["x", "z"],
        ),
        (
            {"metadata": {"topic_id": "1"}, "responses": [{"text": "a", "citations": {"u": 3, "v": 90.5, "w": 3}}]},
            ["v", "u", "w"],
        ),
        ({"request_id": "1", "run_id": "r", "sentences": [{"text": "a", "citations": ["x"]}]}, ["x"]),
        ({"metadata": {"topic_id": 1, "run_id": "r"}, "responses": [{"text": "a", "citations": []}]}, []),
    ],
)
def test_citations_of_every_track(tmp_path: Path, record: Any, cited: Any) -> None:
    """Indices become documents, those out of range are dropped, and scores sort citations from strong to weak."""
    (_, made), _ = quietly(read, write(tmp_path / "r.jsonl", record))
    (system,) = made.systems.values()
    assert [c.document for c in system.texts["1"][0].citations] == cited


def test_unknown_labels_are_reported_once_per_file(tmp_path: Path) -> None:
    """Unknown labels and importances count as 0, and one warning per file lists them with their frequency."""
    records = [
        {
            "qid": str(q),
            "nuggets": [
                nugget("a", "sq3r method", "established"),
                nugget("b", label="Support"),
                nugget("b", "okay", "failed"),
            ],
        }
        for q in range(3)
    ]
    path = write(tmp_path / "a.jsonl", *records)
    scores, messages = quietly(
        evaluate, [path], ["nuggetizer.all", "ragdoll.all", "Coverage", "Coverage_weighted"], residuals=True
    )
    about = [text for text in messages if "sq3r method" in text]
    assert len(about) == 1 and "'sq3r method' (3×)" in about[0] and "'established' (3×)" in about[0]
    assert scores.means[0, 0] == 0.0  # nuggetizer matches labels exactly
    assert scores.mean()["a"]["ragdoll.all"] == round(1 / 3, 6)
    assert scores.mean()["a"]["Coverage"] == pytest.approx(1 / 3)
    assert scores.mean()["a"]["Coverage+residual"] == pytest.approx(1 / 3)
    assert any(re.search(r"\b3\b.*--residuals", text) for text in messages)  # the failed labels


def test_repeated_texts_are_separate_nuggets(tmp_path: Path) -> None:
    """Nuggets with the same text are matched by position, also with a bank."""
    listed = [nugget("a"), nugget("a", "okay"), nugget("b")]
    labels = ["support", "not_support", "partial_support"]
    bank = write(tmp_path / "n.jsonl", {"qid": "1", "nuggets": listed})
    made = write(
        tmp_path / "r.jsonl",
        {"qid": "1", "nuggets": [{**n, "assignment": x} for n, x in zip(listed, labels, strict=True)]},
    )
    scores, messages = quietly(evaluate, [bank, made], ["Coverage_weighted", "nuggetizer.W"])
    assert any("nugget" in text and "repeat" in text for text in messages)
    assert scores.means[0].tolist() == [1.5 / 2.5, 1.5 / 2.5]


def test_a_folder_of_banks_and_topics_without_report(tmp_path: Path) -> None:
    """A folder with one ARGUE bank per topic is read; topics without a report count only if requested."""
    folder = tmp_path / "banks"
    folder.mkdir()
    answers = {"x": {"answer": "x", "references": [{"doc_id": "d"}]}}
    for topic in ("1", "2"):
        question = {"q?": {"question": "q?", "aggregator_type": "OR", "answers": answers}}
        (folder / f"nuggets_{topic}.v3.json").write_text(
            json.dumps({"query_id": topic, "nugget_bank": question}, indent=2)
        )
    matched = {
        "judgment_type_id": "SENTENCE_ANSWERS_QUESTION",
        "response": {"matched_nuggets": [{"question_text": "q?", "matched_answer": ["x"]}]},
    }
    judged = write(
        tmp_path / "j.jsonl",
        {
            "report": {"metadata": {"topic_id": "1", "run_id": "r"}, "responses": []},
            "judgments": [
                {"text": "ab", "citations": [], "judgments": [matched]},
                {"text": "cde", "citations": [], "judgments": []},
            ],
        },
    )
    names = ["argue.nugget_coverage", "argue.nugget_coverage_micro", "argue.character_count_max", "Coverage"]
    plain, _ = quietly(evaluate, [folder, judged], names)
    assert plain.means[0].tolist() == [1.0, 1.0, 5.0, 0.5]
    with_zeros, _ = quietly(evaluate, [folder, judged], names, missing_topics="zero")
    assert with_zeros.means[0].tolist() == [0.5, 0.5, 5.0, 0.5]


def test_the_order_of_files_does_not_matter(tmp_path: Path) -> None:
    """Answers before or after the labels, or in `answers`, give the same material."""
    bank = write(tmp_path / "n.jsonl", {"qid": "1", "nuggets": [nugget("a")]})
    labels = write(tmp_path / "l.jsonl", {"qid": "1", "run_id": "r", "sentences": [{"nuggets": {"0": "support"}}]})
    texts = write(
        tmp_path / "t.jsonl",
        {"metadata": {"topic_id": "1", "run_id": "r"}, "responses": [{"text": "one two", "citations": ["d"]}]},
    )
    made = [gather([bank, labels], [texts]), gather([bank, texts, labels]), gather([texts, bank, labels])]
    assert made[0] == made[1] == made[2]
    assert evaluate(made[0], ["Tokens"]).means[0, 0] == 2.0
    with refuses("wrong-kind-of-file"):
        gather([bank], [labels])


def test_is_answers(tmp_path: Path) -> None:
    """Rankings, missing files and other JSON are not answers, and none of them raises an error."""
    run = tmp_path / "r.run"
    run.write_text("1 Q0 d 1 2.0 t\n" * 3)
    assert not is_answers(run)
    assert not is_answers(tmp_path / "none")
    assert not is_answers("-")
    assert not is_answers(write(tmp_path / "x.json", {"some": "thing"}))
    assert is_answers(write(tmp_path / "a.jsonl", {"qid": "1", "nuggets": [nugget("a", label="support")]}))


def test_two_values_of_a_parameter_never_share_a_name() -> None:
    """Names keep enough digits to distinguish parameter values, and parse to the same metric."""
    from diveval.answers import parse

    names = {parse(f"RBU(p={p})").name for p in ("0.99", "0.9900001", "0.99000010")}
    assert len(names) == 2
    assert parse(parse("RBU(p=0.9900001)").name) == parse("RBU(p=0.9900001)")
