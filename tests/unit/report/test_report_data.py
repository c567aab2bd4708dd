"""Data for the pictures: computed by the library, compact, and thinned with a note where it is large."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from diveval.errors import UsageError
from diveval.metrics import as_metrics
from diveval.options import Efforts
from diveval.report import Study, contents
from diveval.report.inspector import DEPTHS, UNIT, inspect, inspector, packed
from diveval.report.judging import Judged, Parameters
from diveval.report.leaderboard import leaderboard, topic_values
from diveval.report.study import explained, listening
from diveval.scoring import score
from diveval.stats import compare, interval
from diveval.stopping import stopping_points


def test_utility_at_each_rank_is_rbu_cut_there(study: Study) -> None:
    """The curve of every run at rank k is RBU@k, for every k it shows."""
    topic = study.scores.topics[1]
    shown = inspect(study, topic, depth=30)["topics"][0]["runs"]
    metrics = as_metrics([f"RBU(p=0.99,e=0.05)@{k}" for k in range(1, 31)])
    values = score(study.judgments, study.rankings, metrics, study.options).values[:, :, 1]
    for run, expected in zip(shown, values, strict=True):
        np.testing.assert_allclose(np.array(run["utility"]) / UNIT, expected[: len(run["utility"])], atol=0.5001 / UNIT)


def test_effort_by_document_reaches_the_curve(make: Callable[..., Study]) -> None:
    """With costs per document each run has its own effort, and utility is still RBU."""
    plain = make(["RBU(p=0.9,e=0.1)"])
    documents = plain.listed()[0].topics[plain.scores.topics[0]].documents
    costly = make(["RBU(p=0.9,e=0.1)"], efforts=Efforts({d: 1.0 + i % 3 for i, d in enumerate(documents)}))
    data = inspect(costly, costly.scores.topics[0], depth=10)
    assert data["effort"] is None
    metrics = as_metrics("RBU(p=0.9,e=0.1)@10")
    expected = score(costly.judgments, costly.rankings, metrics, costly.options).values[:, 0, 0]
    found = [run["utility"][-1] / UNIT for run in data["topics"][0]["runs"]]
    np.testing.assert_allclose(found, expected, atol=0.5001 / UNIT)
    assert data["topics"][0]["runs"][0]["effort"] != data["topics"][0]["runs"][1]["effort"]


def test_what_is_left_unsatisfied_is_the_product_of_what_was_not_relevant(study: Study) -> None:
    """After each relevant document, an aspect keeps Π (1 − r) of its wish."""
    topic = inspect(study, study.scores.topics[0], depth=50)["topics"][0]
    for run in topic["runs"]:
        left = np.ones(len(topic["aspects"]))
        for rank, said in zip(run["hits"], run["left"], strict=True):
            for aspect, relevance in topic["relevant"][str(run["docs"][rank - 1])]:
                left[aspect] *= 1 - relevance
            np.testing.assert_allclose(np.array(said) / 100, left, atol=0.0051)


def test_documents_and_stops_are_those_of_the_rankings(study: Study) -> None:
    """Places lead back to the documents in rank order, and the stop is `stopping_points`'."""
    data = inspector(study, budget=10_000_000)
    assert data["depth"] == DEPTHS[0]
    assert data["note"] is None
    stops = stopping_points(study.judgments, study.rankings, as_metrics("RBU(p=0.99,e=0.05)")[0], study.options)
    found = {(s.run, s.topic): [s.rank, round(s.utility, 4)] for s in stops}
    for topic, shown in zip(study.scores.topics, data["topics"], strict=True):
        for rankings, run in zip(study.listed(), shown["runs"], strict=True):
            documents = rankings.topics[topic].documents
            assert documents is not None
            assert [shown["docs"][i] for i in run["docs"]] == list(documents[:50])
            assert run["stop"] == found[rankings.name, topic]


def test_large_data_is_thinned_with_a_note(study: Study) -> None:
    """A smaller budget takes fewer ranks, then fewer topics, keeps to the budget, and says so."""
    whole = len(packed(inspector(study, budget=10_000_000)))
    some = inspector(study, budget=whole // 2)
    assert some["depth"] < DEPTHS[0] and len(packed(some)) < 0.6 * whole
    assert f"down to rank {some['depth']}" in some["note"]
    few = inspector(study, budget=len(packed(inspector(study, budget=whole // 4))) // 4)
    assert few["depth"] == DEPTHS[-1] and 0 < len(few["topics"]) < len(study.scores.topics)
    assert f"first {len(few['topics'])} of 6 topics" in few["note"]
    values = topic_values(study, most=60)
    assert len(values["values"]) == 2 and "first 2 of 4 metrics" in values["note"]


def test_the_inspector_needs_documents(make: Callable[..., Study]) -> None:
    """Rankings read without their documents are refused in one line."""
    with pytest.raises(UsageError, match="keep_documents"):
        inspect(make(["RBU"], keep_documents=False), "101")
    with pytest.raises(UsageError, match="no judgments for topic"):
        inspect(make(["RBU"]), "no such topic")


def test_the_leaderboard_is_the_statistics_rooms(study: Study) -> None:
    """Means, intervals, letters and pairs are those of `Scores`, `interval` and Tukey's test in `compare`."""
    with listening():
        power = Judged.of(study).power
        board = leaderboard(study, power)
        for m, column in enumerate(board["columns"]):
            assert column["mean"] == study.scores.means[:, m].tolist()
            assert column["low"] == [row.low for row in interval(study.scores, column["metric"]).rows]
            tested = compare(study.scores, column["metric"], test="tukey", resamples=1000)
            letters = {row.run: row.letters for row in tested.runs}
            assert column["letters"] == [letters[run] for run in study.scores.runs]
            alike = {frozenset((row.run, row.other)) for row in tested.rows if not row.significant}
            found = {
                frozenset((study.scores.runs[a], study.scores.runs[b])) for a, some in enumerate(column["alike"]) for b in some
            }
            assert found == alike


def test_parameters_hold_every_cell(study: Study) -> None:
    """The grid's means are the variants' means, and the chosen setting correlates fully with itself."""
    found = Parameters.of(study)
    i, j = found.p.index(0.9), found.e.index(0.1)
    scores = score(study.judgments, study.rankings, as_metrics("RBU(p=0.9,e=0.1)@20"), study.options)
    assert [grid[i][j] for grid in found.means] == [round(v, 6) for v in scores.means[:, 0]]
    assert found.sensitivity is not None
    assert next(row.value for row in found.sensitivity.rows if row.metric == found.reference) == 1.0


def test_the_explained_metric_is_the_first_rbu() -> None:
    """The inspector explains the RBU that was asked for, else the paper's."""
    assert explained(as_metrics(["ERR_IA@20", "RBU(p=0.8,e=0.1)@5", "RBU"])).name == "RBU(p=0.8,e=0.1)@5"
    assert explained(as_metrics("ERR_IA@20")).name == "RBU(p=0.99,e=0.05)"


def test_contents_are_plain_json(study: Study, tmp_path: Path) -> None:
    """Everything a page needs is in one JSON value without NaN, with the files' fingerprints."""
    file = tmp_path / "qrels.txt"
    file.write_bytes(b"101 0 d 1\n")
    data = contents(study, title="t", command=["diveval", "report", "a b"], files=[str(file), "-"], axiom_seconds=0)
    assert json.loads(packed(data)) == data
    assert data["made"]["facts"][0] == ["Command", "diveval report 'a b'"]
    digest = hashlib.sha256(b"101 0 d 1\n").hexdigest()
    assert data["made"]["files"] == [{"path": str(file), "bytes": 10, "sha256": digest}]
    assert data["made"]["csv"] == study.scores.to_csv(per_topic=False)
