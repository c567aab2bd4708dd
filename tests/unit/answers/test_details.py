"""Nuggets of several parts, banks of every shape, leaderboards of every format, and names that are not given."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from diveval.answers import contents, evaluate, find_missed, gather, leaderboard_text, read_leaderboard
from diveval.answers.material import Citation, Nugget, Sentence
from diveval.answers.own_metrics import Answer, Utility
from diveval.answers.reading import is_answers, read, stem_of
from diveval.errors import capture_warnings
from support.answer_files import nugget, quietly, write
from support.refusals import refuses


def report(run: str, *matches: list[str]) -> dict[str, Any]:
    """A report judged by ARGUE, with the answers to question q? that each sentence gives."""
    judged = [
        {
            "text": f"sentence {place}",
            "citations": [],
            "judgments": [
                {
                    "judgment_type_id": "SENTENCE_ANSWERS_QUESTION",
                    "response": {"matched_nuggets": [{"question_text": "q?", "matched_answer": own}] if own else []},
                }
            ],
        }
        for place, own in enumerate(matches)
    ]
    return {"report": {"metadata": {"topic_id": "1", "run_id": run}, "responses": []}, "judgments": judged}


@pytest.mark.parametrize(("kind", "completing"), [("AND", [1]), ("OR", [0, 1, 2])])
def test_a_nugget_of_several_answers(kind: str, completing: list[int], tmp_path: Path) -> None:
    """With AND the sentence that completes the answers supports the nugget, with OR every sentence that gives one."""
    answers = {name: {"answer": name, "references": [{"doc_id": "d"}]} for name in ("x", "y")}
    bank = {"q?": {"question": "q?", "aggregator_type": kind, "answers": answers}}
    files = [
        write(tmp_path / "bank.jsonl", {"query_id": "1", "nugget_bank": bank}),
        write(tmp_path / "judged.jsonl", report("whole", ["x"], ["y"], ["x"]), report("half", ["x"], [], ["x"])),
    ]
    scores, _ = quietly(evaluate, files, "Coverage")
    assert scores.means[:, 0].tolist() == [1.0, float(kind == "OR")]
    with capture_warnings():
        whole, _ = contents(gather(files))
    given = [s for s, sentence in enumerate(whole["sentences"]) if sentence["brought"] or sentence["repeated"]]
    assert given == completing and [bool(s["brought"]) for s in whole["sentences"]].count(True) == 1


def test_questions_of_a_context(tmp_path: Path) -> None:
    """CRUX's sub-questions are nuggets of equal weight under their query's id."""
    path = write(tmp_path / "q.jsonl", {"id": "7", "subquestions": ["a?", "b?"]}, {"id": 8, "subquestions": ["c?"]})
    bank = read(path)[1].bank
    assert {query: [n.text for n in own] for query, own in bank.items()} == {"7": ["a?", "b?"], "8": ["c?"]}


@pytest.mark.parametrize("name", ["nuggets_300.json", "nugget-300.v2.json", "300.json.gz"])
def test_banks_that_name_their_topic_in_the_file_name(name: str, tmp_path: Path) -> None:
    """NeuCLIR's older banks: {question: ["OR", {answer: [document, …]}]}; an answer without documents is dropped."""
    import gzip

    text = json.dumps({"q?": ["AND", {"x": ["d1"], "y": ["d2", "d3"], "z": []}], "r?": ["OR", {"x": []}]})
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    ((query, (only,)),) = read(path)[1].bank.items()
    assert (query, only.text, only.answers, only.all_of) == ("300", "q?", ("x", "y"), True)


@pytest.mark.parametrize("key", ["topic_id", "request_id", "query_id", "narrative_id"])
def test_every_name_of_a_topic(key: str, tmp_path: Path) -> None:
    """A judged report may call its topic in four ways."""
    record = report("r", ["x"])
    record["report"]["metadata"] = {key: "12", "run_id": "r"}
    _, made = read(write(tmp_path / "j.jsonl", record))
    assert list(made.systems["r"].reports) == ["12"]


@pytest.mark.parametrize("format", ["tot", "ir_measures", "trec_eval", "jsonl"])
def test_leaderboards_are_read_back(format: str, tmp_path: Path) -> None:
    """Every value of every topic; the file names the run where the format has no column for it."""
    rows = [
        {"question": q, "system": "s", "nugget": n, "label": (i + len(n)) % 3 > 0}
        for i, (q, n) in enumerate((q, n) for q in ("1", "2", "10") for n in ("a", "bb"))
    ]
    with capture_warnings():
        scores = evaluate(rows, ["Coverage", "Coverage_strict"])
    path = tmp_path / "s.txt"
    path.write_text(leaderboard_text(scores, format))
    again = read_leaderboard(path, format)
    assert again.to_dict() == scores.to_dict() and again.topics == ("1", "2", "10")
    if format != "jsonl":
        path.write_text(path.read_text() + "a\tb\n")
        with refuses("wrong-columns", "s.txt"):
            read_leaderboard(path, format)


def test_queries_without_a_vital_nugget_are_noted_where_it_matters(tmp_path: Path) -> None:
    """The note names them, and only if there are some and a vital score is asked for."""
    labelled = {"qid": "1", "run_id": "r", "nuggets": [nugget("a", "vital", "support")]}
    bare = {"qid": "77", "run_id": "r", "nuggets": [nugget("b", "okay", "support")]}
    for records, metric, noted in (
        ([labelled, bare], "Coverage_vital", True),
        ([labelled, bare], "Coverage", False),
        ([labelled], "Coverage_vital", False),
    ):
        scores, _ = quietly(evaluate, [write(tmp_path / "a.jsonl", *records)], metric)
        assert any("(77)" in note for note in scores.notes) == noted, scores.notes


def test_names_that_are_not_given() -> None:
    """Records without a system are of one run; standard input and files of several endings have their name."""
    with capture_warnings():
        scores = evaluate([{"question": "1", "nugget": "n", "label": True}], "Coverage")
    assert scores.runs == ("run",)
    names = {"-": "stdin", "assignments.a_b.jsonl": "a_b", "x/answers-c.json.gz": "c", "d.tsv": "d.tsv"}
    assert {path: stem_of(path) for path in names} == names


@pytest.mark.parametrize("first", [[], None])
def test_an_empty_answer_does_not_decide_the_kind(first: Any, tmp_path: Path) -> None:
    """The second answer shows what the file is; both forms of JSON are recognised as answers."""
    head = {"metadata": {"narrative_id": "1", "run_id": "r"}, "references": [], "answer": first}
    body = {
        "metadata": {"narrative_id": "2", "run_id": "r"},
        "references": ["d"],
        "answer": [{"text": "x", "citations": [0]}],
    }
    for form in ("lines", "array"):
        path = write(tmp_path / f"{form}.json", head, body, form=form)
        assert is_answers(path)
        _, made = read(path)
        assert {query: len(own) for query, own in made.systems["r"].texts.items()} == {"1": 0, "2": 1}


@pytest.mark.parametrize(("importance", "weight"), [("1", 1), ("0.5", 0.5), (2, 2), ("vital", 1), ("okay", 0.5)])
def test_importances_of_a_table_are_numbers_or_words(importance: Any, weight: float) -> None:
    """Numbers may be texts, as in CSV: a nugget's share of the score is its weight's."""
    rows = [
        {"question": "1", "system": "s", "nugget": "a", "label": True, "importance": importance},
        {"question": "1", "system": "s", "nugget": "b", "label": False, "importance": "okay"},
    ]
    with capture_warnings():
        scores = evaluate(rows, "Coverage_weighted")
    assert scores.means.item() == pytest.approx(weight / (weight + 0.5))


def test_missed_nuggets_are_printed() -> None:
    """A line per nugget: missed of all systems, partly, and the mean; long texts are cut to the width."""
    rows = [
        {"question": "1", "system": s, "nugget": n, "label": i % 2 == 0}
        for i, (s, n) in enumerate((s, n) for s in "abc" for n in ("x", "long " * 30))
    ]
    with capture_warnings():
        missed = find_missed(gather(rows))
    for width in (80, 120):
        head, *lines = missed.to_text(width).splitlines()
        assert max(map(len, (head, *lines))) <= width
        for row, line in zip(missed.rows, lines, strict=True):
            words = line.split()
            assert words[0] == row.query and float(words[-1]) == pytest.approx(row.mean, abs=5e-5)
            assert words[-3:-1] == [f"{row.missed}/{row.systems}", str(row.partial)]
    short = missed.to_text(40).splitlines()
    assert max(map(len, short)) < len(missed.to_text(120).splitlines()[1])


@pytest.mark.parametrize("cited", [False, True])
@pytest.mark.parametrize("novelty", ["cascade", "best"])
@pytest.mark.parametrize("seed", range(5))
def test_the_utility_of_an_answer_is_its_formula(seed: int, novelty: str, cited: bool) -> None:
    """Σ pⁱ (Σ w r · novelty − e n/U) by a plain loop; with `cited` a sentence counts if its first citation supports it."""
    rng = random.Random(seed)
    nuggets = tuple(Nugget(name, rng.choice(["vital", "okay"])) for name in "abc")
    grades = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
    sentences = tuple(
        Sentence(
            labels={place: rng.choice([*grades]) for place in range(3)},
            tokens=float(rng.randint(0, 40)),
            citations=tuple(Citation("d", rng.choice([0.0, 1.0, 2.0, -1.0])) for _ in range(rng.randint(0, 2))),
        )
        for _ in range(5)
    )
    p, e, unit = 0.8, 0.1, 10.0
    weights = [1.0 if n.importance == "vital" else 0.5 for n in nuggets]
    left, best, expected = [1.0] * 3, [0.0] * 3, []
    for i, sentence in enumerate(sentences, 1):
        counts = not cited or bool(sentence.citations and sentence.citations[0].support == 2)
        own = [grades[sentence.labels[place]] * counts for place in range(3)]
        gained = [r * x for r, x in zip(own, left, strict=True)]
        if novelty == "best":
            gained = [max(r - b, 0.0) for r, b in zip(own, best, strict=True)]
        left = [x * (1 - r) for x, r in zip(left, own, strict=True)]
        best = [max(b, r) for b, r in zip(best, own, strict=True)]
        gain = sum(w * g for w, g in zip(weights, gained, strict=True)) / sum(weights)
        expected.append(p**i * (gain - e * (sentence.tokens or 0.0) / unit))
    found = Utility(p, e, unit, novelty, cited).terms(Answer(nuggets, sentences=sentences))
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_question_that_no_trial_answers_is_missing() -> None:
    """After averaging over trials a system lacks the questions that all of its trials lack, and no other."""
    rows = [
        {"question": q, "system": s, "trial": t, "nugget": "n", "label": True}
        for q, s, t in (("1", "a", 1), ("1", "a", 2), ("2", "a", 2), ("1", "b", 1), ("2", "b", 1), ("3", "b", 2))
    ]
    with capture_warnings():
        scores = evaluate(rows, "Coverage")
    assert scores.missing is not None
    lacking = {
        (run, t) for r, run in enumerate(scores.runs) for i, t in enumerate(scores.topics) if scores.missing[r, i]
    }
    assert lacking == {("a", "3")}
