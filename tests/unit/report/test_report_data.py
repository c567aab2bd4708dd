"""Data for the pictures: computed by the library, compact, and thinned with a note where it is large."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diveval.defaults import RBU
from diveval.errors import UsageError
from diveval.metrics import as_metrics
from diveval.metrics.formulas import Sum
from diveval.options import Efforts
from diveval.report import Study, contents, gathered
from diveval.report.contents import DEPTHS, walks
from diveval.scoring import make_batch, score
from diveval.stats import compare, interval
from diveval.stopping import stopping_points
from diveval.study import explained
from diveval.views.board import MetricQuality, leaderboard
from diveval.views.parameters import leaders, settings, variant
from diveval.views.walks import FINE, UNIT, Walker, inspect, packed
from support.present import present
from support.reports import leave_axioms_out
from support.wording import wording


def utility(run: dict[str, Any], effort: list[int]) -> list[float]:
    """Gain less effort after each rank, as the page draws it."""
    gains = dict(zip(run["hits"], run["gain"], strict=True))
    out, gain = [], 0
    for rank in range(1, len(run["docs"]) + 1):
        gain = gains.get(rank, gain)
        out.append((gain - effort[rank - 1]) / UNIT)
    return out


def test_utility_at_each_rank_is_rbu_cut_there(study: Study) -> None:
    """The curve of every run at rank k is RBU@k, for every k it shows."""
    topic = study.scores.topics[1]
    shown = inspect(study, topic, depth=30)["topics"][0]["runs"]
    metrics = as_metrics([f"RBU(p=0.99,e=0.05)@{k}" for k in range(1, 31)])
    values = score(study.judgments, study.rankings, metrics, study.options).values[:, :, 1]
    effort = inspect(study, topic, depth=30)["effort"]
    for run, expected in zip(shown, values, strict=True):
        np.testing.assert_allclose(utility(run, effort), expected[: len(run["docs"])], atol=1.0001 / UNIT)


def test_effort_by_document_reaches_the_curve(make: Callable[..., Study]) -> None:
    """With costs per document each run has its own effort, and utility is still RBU."""
    plain = make(["RBU(p=0.9,e=0.1)"])
    documents = plain.listed()[0].topics[plain.scores.topics[0]].documents
    costly = make(["RBU(p=0.9,e=0.1)"], efforts=Efforts({d: 1.0 + i % 3 for i, d in enumerate(present(documents))}))
    data = inspect(costly, costly.scores.topics[0], depth=10)
    assert data["effort"] is None
    metrics = as_metrics("RBU(p=0.9,e=0.1)@10")
    expected = score(costly.judgments, costly.rankings, metrics, costly.options).values[:, 0, 0]
    found = [utility(run, run["effort"])[-1] for run in data["topics"][0]["runs"]]
    np.testing.assert_allclose(found, expected, atol=1.0001 / UNIT)
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
    walker = Walker.of(study)
    stops = stopping_points(study.judgments, study.rankings, as_metrics("RBU(p=0.99,e=0.05)")[0], study.options)
    found = {(s.run, s.topic): ([s.rank, round(s.utility, 4)], round(s.utility_of_all, 4)) for s in stops}
    for topic in study.scores.topics:
        shown = walker.topic(topic)
        for rankings, run in zip(study.listed(), shown["runs"], strict=True):
            documents = rankings.topics[topic].documents
            assert documents is not None
            assert [shown["docs"][i] for i in run["docs"]] == list(documents[:50])
            assert (run["stop"], run["whole"]) == found[rankings.name, topic]


EVERY = [
    "RBU(p=0.9,e=0.1)@10",
    "nRBU@4",  # its best list takes long to prove
    "EU@10",
    "alpha_nDCG@10",
    "ERR_IA@10",
    "Dsharp_nDCG@10",
    "StRecall@10",
    "SRR",
    "P@10",
    "P",
    "RR@10",
    "AP@10",
    "nDCG@10",
    "nDCG_IA@10",
    "AP_IA",
    "NRBP",
    "CT@10",
    "ACT@10",
    "ndeval.alpha_nDCG@10",
    "trec_eval.P_10",
]


def test_parts_add_up_to_the_score_of_every_metric(make: Callable[..., Study]) -> None:
    """What documents added one after the other, with all ranks told, is the score less that of an empty list."""
    with gathered():  # the best list of nRBU may not be proven
        study = make(EVERY)
        walker, scores = Walker.of(study, depth=70), study.scores
        shown_topics = {t: walker.topic(scores.topics[t]) for t in (0, 3)}
    for t, shown in shown_topics.items():
        for r, run in enumerate(shown["runs"]):
            totals = [part[-1] / FINE for part in run["parts"]]
            np.testing.assert_allclose(totals, scores.values[r, :, t], atol=1e-6)
            for m, part in enumerate(run["parts"]):
                assert len(part) == len(run["hits"]) + 1
                if (
                    scores.metrics[m].startswith(("RBU", "nRBU", "EU", "P", "trec_eval"))
                    and "@" not in scores.metrics[m]
                ):
                    continue  # documents that are not relevant change these too: they are in the rest
                if not scores.metrics[m].startswith(("RBU", "nRBU", "EU", "ACT")):
                    assert sum(part[:-1]) == pytest.approx(part[-1], abs=len(part))


def test_parts_of_a_sum_are_its_terms(study: Study) -> None:
    """For RBU the part of a document is its term: discount × (gain − effort)."""
    topic = study.scores.topics[2]
    metric = as_metrics("RBU(p=0.99,e=0.05)@20")[0]
    run = Walker.of(study).topic(topic)["runs"][1]
    batch = make_batch(
        study.judgments.relevance(study.options.relevance)[topic],
        study.judgments.topics[topic],
        [study.listed()[1].topics[topic]],
    )
    assert isinstance(metric.formula, Sum)
    terms = metric.formula.terms(batch.ranking(0))
    expected = [terms[rank - 1] if rank <= 20 else 0.0 for rank in run["hits"]]
    np.testing.assert_allclose(np.array(run["parts"][0][:-1]) / FINE, expected, atol=1e-6)


def test_large_data_is_thinned_with_a_note(study: Study) -> None:
    """A smaller budget takes fewer ranks, keeps every topic, and says so."""
    whole = walks(study)
    assert whole["depth"] == DEPTHS[0] and whole["note"] is None and len(whole["topics"]) == len(study.scores.topics)
    some = walks(study, budget=sum(map(len, whole["topics"])) // 2)
    assert some["depth"] < DEPTHS[0] and len(some["topics"]) == len(study.scores.topics)
    assert f"rank {some['depth']}" in some["note"]
    packed_topic = json.loads(zlib.decompress(base64.b64decode(whole["topics"][0])))
    assert packed_topic == json.loads(packed(Walker.of(study).topic(study.scores.topics[0])))


def test_the_map_gives_the_mean_for_any_effort(study: Study) -> None:
    """gain − e · cost is the mean of RBU(p, e), whatever e; a band of ties is where scipy's paired t-test sees none."""
    stats = pytest.importorskip("scipy.stats")
    found = leaders(study.explained, lambda metrics: score(study.judgments, study.rankings, metrics, study.options))
    for i, e in [(i, e) for i in (0, 5, 20, len(found["p"]) - 1) for e in (0.0, 0.013, 0.08, 0.21, 0.5)]:
        p = found["p"][i]
        scores = score(study.judgments, study.rankings, [variant(study.explained, p, e)], study.options)
        means = scores.means[:, 0]
        np.testing.assert_allclose(np.array(found["gain"][i]) - e * np.array(found["cost"][i]), means, atol=3e-6)
        first, second = np.argsort(-means, kind="stable")[:2]
        level = stats.ttest_rel(scores.values[first, 0], scores.values[second, 0]).pvalue
        if abs(level - found["alpha"]) > 1e-3:
            assert any(low <= e <= high for low, high in found["ties"][i]) == (not level < found["alpha"])
    assert study.explained.values["p"] in found["p"]


def test_the_inspector_needs_documents(make: Callable[..., Study]) -> None:
    """Rankings read without their documents are refused in one line."""
    with pytest.raises(UsageError, match="keep_documents"):
        inspect(make(["RBU"], keep_documents=False), "101")
    with pytest.raises(UsageError, match=wording("no judgments for topic")):
        inspect(make(["RBU"]), "no such topic")


def test_the_leaderboard_is_the_statistics_rooms(study: Study) -> None:
    """Means, intervals, letters and pairs are those of `Scores`, `interval` and Tukey's test in `compare`."""
    with gathered():
        power = MetricQuality.of(study.scores).power
        board = leaderboard(study.scores, power)
        for m, column in enumerate(board["columns"]):
            assert column["mean"] == study.scores.means[:, m].tolist()
            assert column["low"] == [row.low for row in interval(study.scores, column["metric"]).rows]
            tested = compare(study.scores, column["metric"], test="tukey", resamples=1000)
            letters = {row.run: row.letters for row in tested.runs}
            assert column["letters"] == [letters[run] for run in study.scores.runs]
            alike = {frozenset((row.run, row.other)) for row in tested.rows if not row.significant}
            found = {
                frozenset((study.scores.runs[a], study.scores.runs[b]))
                for a, some in enumerate(column["alike"])
                for b in some
            }
            assert found == alike


def test_parameters_hold_every_cell(study: Study) -> None:
    """The grid's means are the variants' means, and the chosen setting correlates fully with itself."""
    found, moved = settings(study.explained, study.scored)
    i, j = found["p"].index(0.9), found["e"].index(0.1)
    scores = score(study.judgments, study.rankings, as_metrics("RBU(p=0.9,e=0.1)@20"), study.options)
    assert [grid[i][j] for grid in found["means"]] == [round(v, 6) for v in scores.means[:, 0]]
    assert moved is not None
    assert next(row.value for row in moved.rows if row.metric == found["reference"]) == 1.0


def test_the_explained_metric_is_the_first_rbu() -> None:
    """The inspector explains the RBU that was asked for, else the usual one."""
    assert explained(as_metrics(["ERR_IA@20", "RBU(p=0.8,e=0.1)@5", "RBU"])).name == "RBU(p=0.8,e=0.1)@5"
    assert explained(as_metrics("ERR_IA@20")).name == RBU


@pytest.mark.slow
def test_contents_are_plain_json(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything a page needs is in one JSON value without NaN, with the files' fingerprints."""
    leave_axioms_out(monkeypatch)
    file = tmp_path / "qrels.txt"
    file.write_bytes(b"101 0 d 1\n")
    data = contents(study, title="t", command=["diveval", "report", "a b"], files=[str(file), "-"])
    assert json.loads(packed(data)) == data
    assert data["made"]["facts"][0] == ["Command", "diveval report 'a b'"]
    digest = hashlib.sha256(b"101 0 d 1\n").hexdigest()
    assert data["made"]["files"] == [{"path": str(file), "bytes": 10, "sha256": digest}]
    assert data["made"]["csv"] == study.scores.to_csv(per_topic=False)
