"""Contexts judged in other tools' files, scored by `evaluate` under the tools' names and under ours."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.errors import DivevalWarning
from diveval.reading import read_judgments
from support.refusals import refuses

DATA = Path(__file__).parents[2] / "data" / "rag"
INPUT, EXPECTED = DATA / "synthetic", DATA / "expected"


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivevalWarning)
        yield


@pytest.mark.parametrize("name", ["plain", "prefix"])
def test_freshstack_under_our_names(name: str) -> None:
    """S-Recall uses each query's own nuggets, unlike the tool where one id is a prefix of another."""
    expected = json.loads((EXPECTED / f"freshstack/{name}.json").read_text())["all, with each query's own nuggets"]
    folder, depths = INPUT / "freshstack" / name, (1, 3, 5, 10, 20, 50)
    judgments = read_judgments(folder / "queries.jsonl")
    own = {t: {a for (u, a), w in judgments.aspect_weights().items() if u == t and w > 0} for t in judgments.topics}
    kept = [row for row in judgments.rows() if row[1] in own[row[0]]]
    scores = diveval.evaluate(
        kept,
        folder / "syn.run.trec",
        [f"StRecall@{k}" for k in depths],
        order="score",
        ties="file",
        empty_aspects="keep",
    )
    for k in depths:
        assert scores.means[0, depths.index(k)] == pytest.approx(expected[f"Coverage@{k}"], abs=6e-5)


def test_passages_of_nuggetizer() -> None:
    """Of nuggetizer's labels, nugget positions become aspects, support the grade and importance the weight."""
    judgments = read_judgments(INPUT / "nuggetizer/assignments.retrieval.jsonl")
    assert len(judgments) == 8
    rows = {(t, a, d): g for t, a, d, g in judgments.rows()}
    lines = [json.loads(line) for line in (INPUT / "nuggetizer/assignments.retrieval.jsonl").open()]
    for line in lines:
        for place, nugget in enumerate(line["nuggets"]):
            grade = {"support": 2.0, "partial_support": 1.0, "not_support": 0.0}[nugget["assignment"]]
            assert rows[line["qid"], str(place), line["docid"]] == grade
            weight = {"vital": 1.0, "okay": 0.5}[nugget["importance"]]
            assert judgments.aspect_weights()[line["qid"], str(place)] == weight


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ('{"qid": "q", "nuggets": [{"text": "a", "importance": "vital"}]}', ("wrong-kind-of-file",)),
        (
            '{"id": "q", "docid": "d", "rating": [1, 2]}\n{"id": "q", "docid": "e", "rating": [1]}',
            ("conflicting-nuggets", "2"),
        ),
        ('{"id": "q", "docid": "d", "rating": ["a"]}', ("wrong-value",)),
        ('{"q": [[1, 2], [3, 4]]}', ("wrong-kind-of-file",)),
        ('{"query_id": "q", "nuggets": [{"text": "a", "relevant_corpus_ids": ["d"]}]}', ("missing-key",)),
        ('{"id": "q", "docid": "d", "rating": [1]}\n{"id": "q", "docid": "d", "rating": [2]}', ("conflicting-grades",)),
    ],
)
def test_bad_files_are_refused_in_one_line(tmp_path: Path, text: str, refusal: tuple[str, ...]) -> None:
    """The error names the fault or its line; a file for another command names that command."""
    path = tmp_path / "judgments.jsonl"
    path.write_text(text)
    with refuses(*refusal):
        read_judgments(path)


def test_rel_is_the_lowest_relevant_grade() -> None:
    """With rel = T, grades below T count as 0 and the others keep their relevance."""
    judgments = {"1": {"a": {"d": 1, "e": 3}, "b": {"d": 2}}}
    run = {"1": ["d", "e"]}
    assert diveval.evaluate(judgments, run, "P@2", rel=2).means[0, 0] == 1.0
    assert diveval.evaluate(judgments, run, "P@2", rel=3).means[0, 0] == 0.5
    assert diveval.evaluate(judgments, run, "StRecall@1", rel=2).means[0, 0] == 0.5
    with refuses("out-of-range"):
        diveval.evaluate(judgments, run, "P@2", rel=0)
