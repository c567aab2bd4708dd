"""Agreement with human preferences, compared with manual counts; files of preferences and their errors."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from diveval import evaluate
from diveval.cli import main
from diveval.meta.preference_agreement import people_agreement
from diveval.reading.preferences import Preference, read_preferences
from support.refusals import refuses, warns

QRELS = {str(t): {"x": {"d1": 2, "d2": 1, "d3": 0}} for t in range(4)}
RUNS = {
    "good": {str(t): {"d1": 3.0, "d2": 2.0} for t in range(4)},
    "bad": {str(t): {"d3": 3.0, "d2": 2.0} for t in range(4)},
    "same": {str(t): {"d1": 3.0, "d2": 2.0} for t in range(4)},
}


def test_agreement_is_the_share_of_preferences_that_a_metric_shares() -> None:
    """Right counts 1, wrong 0, tied by the metric ½; preferences without a winner are left out."""
    scores = evaluate(QRELS, RUNS, ["nDCG@2", "P@1"])
    given = [
        Preference("0", "good", "bad", 1, "u"),
        Preference("1", "bad", "good", 1, "u"),
        Preference("2", "good", "same", 1, "u"),
        Preference("3", "good", "bad", 0, "v"),
    ]
    result = people_agreement(scores, given)
    assert {row.metric: row.agreement for row in result.rows} == {"nDCG@2": 0.5, "P@1": 0.5}
    assert [row.ties for row in result.rows] == [1, 1]
    assert (result.preferences, result.assessors, result.undecided) == (4, 2, 1)


def test_assessors_who_follow_a_metric_agree_with_it() -> None:
    """Preferences that follow nDCG agree with it always, the opposite ones never."""
    rng = random.Random(1)
    documents = [f"d{i}" for i in range(6)]
    qrels = {str(t): {"x": {d: rng.randint(0, 3) for d in documents}} for t in range(8)}
    runs = {f"r{i}": {t: {d: rng.random() for d in documents} for t in qrels} for i in range(4)}
    scores = evaluate(qrels, runs, "nDCG@3")
    given = []
    for t, topic in enumerate(scores.topics):
        for a in range(4):
            for b in range(a):
                sign = np.sign(scores.values[a, 0, t] - scores.values[b, 0, t])
                given.append(Preference(topic, scores.runs[a], scores.runs[b], int(sign)))
    (row,) = people_agreement(scores, given).rows
    assert (row.agreement, row.low, row.high) == (1.0, 1.0, 1.0)
    (row,) = people_agreement(scores, [Preference(p.topic, p.second, p.first, p.preferred) for p in given]).rows
    assert row.agreement == 0.0


def test_assessor_agreement_does_not_depend_on_the_side() -> None:
    """Agreement between assessors does not depend on which list was on the left."""
    scores = evaluate(QRELS, RUNS, "P@1")
    given = [
        Preference("0", "good", "bad", 1, "u"),
        Preference("0", "bad", "good", -1, "v"),
        Preference("0", "good", "bad", -1, "w"),
    ]
    with warns("too-few-topics"):
        assert people_agreement(scores, given).people == pytest.approx(1 / 3)


@pytest.mark.parametrize("separator", [",", "\t"])
def test_tables_of_preferences_are_read(tmp_path: Path, separator: str) -> None:
    """Columns are read in any order, separated by commas or tabs."""
    path = tmp_path / "p.csv"
    rows = [
        ["assessor", "topic", "a", "b", "preferred"],
        ["u", "1", "good", "bad", "good"],
        ["v", "1", "good", "bad", "b"],
        ["v", "2", "bad", "good", "tie"],
    ]
    path.write_text("".join(separator.join(row) + "\n" for row in rows))
    preferences = read_preferences(path)
    assert [p.preferred for p in preferences.rows] == [1, -1, 0]
    assert preferences.rows[0] == Preference("1", "good", "bad", 1, "u")


def test_lists_in_the_file_become_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON lines may contain the two lists; equal lists are one run."""
    qrels, path = tmp_path / "q.txt", tmp_path / "p.jsonl"
    qrels.write_text("".join(f"{t} x d1 1\n{t} x d2 0\n" for t in (1, 2, 3)))
    rows = [
        {"topic": str(t), "a": ["d1", "d2"], "b": ["d2", "d1"], "preferred": "a", "assessor": "u"} for t in (1, 2, 3)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert (
        main(
            [
                "meta",
                "agreement",
                str(qrels),
                "--preferences",
                str(path),
                "-m",
                "nDCG@2",
                "-m",
                "StRecall@2",
                "-f",
                "csv",
            ]
        )
        == 0
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("metric,agreement,low,high,pairs,ties")
    agreement = {line.split(",")[0]: line.split(",")[1] for line in lines[1:]}
    assert agreement == {"nDCG@2": "1.0", "StRecall@2": "0.5"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty-input"),
        ("topic,a,b\n1,x,y\n", "wrong-header"),
        ("topic,a,b,preferred\n", "empty-input"),
        ("topic,a,b,preferred\n1,x,x,a\n", "same-run-twice"),
        ("topic,a,b,preferred\n1,x,y,z\n", "invalid-choice"),
        ("topic,a,b,preferred\n1,x\n", "wrong-columns"),
        ('{"topic": "1", "a": ["d", "d"], "b": ["e"], "preferred": "a"}\n', "duplicate-document"),
        ('{"topic": "1", "a": {}, "b": "y", "preferred": "a"}\n', "wrong-value"),
        ('{"topic": "1", "a": "x", "b": "y"}\n', "missing-key"),
        ("{broken\n", "cannot-parse"),
    ],
)
def test_an_invalid_file_is_an_error_that_names_it(tmp_path: Path, text: str, code: str) -> None:
    """Missing columns or rows, unknown choices and invalid JSON are errors that name the file."""
    path = tmp_path / "p.csv"
    path.write_text(text)
    with refuses(code, source=str(path)):
        read_preferences(path)


def test_unknown_runs_and_topics_are_errors() -> None:
    """The error for a run or topic without scores names it."""
    scores = evaluate(QRELS, RUNS, "P@1")
    with refuses("unknown-run", "god"):
        people_agreement(scores, [Preference("0", "god", "bad", 1)])
    with refuses("unknown-topic", "9"):
        people_agreement(scores, [Preference("9", "good", "bad", 1)])


def test_two_answers_of_one_assessor_are_not_compared() -> None:
    """Only answers of different assessors are compared; each answer without a name is a different assessor."""
    scores = evaluate(QRELS, RUNS, ["nDCG@2"])
    twice = [Preference("0", "good", "bad", 1, "u"), Preference("0", "good", "bad", -1, "u")]
    other = Preference("0", "good", "bad", 1, "v")
    unnamed = [Preference("0", "good", "bad", sign, "") for sign in (1, -1)]
    with warns("too-few-topics"):
        assert people_agreement(scores, twice).people is None
        assert people_agreement(scores, [*twice, other]).people == 0.5
        assert people_agreement(scores, unnamed).people == 0.0
