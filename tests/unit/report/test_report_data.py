"""Data for the charts: computed by the library, compact, and reduced with a note if large."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diveval.analysis.stopping import stopping_points
from diveval.defaults import RBU
from diveval.errors import capture_warnings
from diveval.metrics import as_metrics
from diveval.metrics.formulas import Sum
from diveval.report.contents import DEPTHS, contents, walks
from diveval.scoring.scorer import make_batch, score
from diveval.scoring.study import Evaluation, find_explained
from diveval.settings import Efforts
from diveval.stats import compare, interval
from diveval.stats.tests import Significance, describe_test
from diveval.views.board import MetricQuality, leaderboard
from diveval.views.parameters import leaders, settings, variant
from diveval.views.walks import FINE, UNIT, Walker, inspect, pack
from support.present import present
from support.refusals import refuses
from support.reports import leave_axioms_out


def utility(run: dict[str, Any], effort: list[int]) -> list[float]:
    """Gain less effort after each rank, as drawn by the page."""
    gains = dict(zip(run["hits"], run["gain"], strict=True))
    out, gain = [], 0
    for rank in range(1, len(run["docs"]) + 1):
        gain = gains.get(rank, gain)
        out.append((gain - effort[rank - 1]) / UNIT)
    return out


def test_utility_at_each_rank_is_rbu_at_that_cutoff(study: Evaluation) -> None:
    """The curve of every run at rank k is RBU@k."""
    topic = study.scores.topics[1]
    shown = inspect(study, topic, depth=30)["topics"][0]["runs"]
    metrics = as_metrics([f"RBU(p=0.99,e=0.05)@{k}" for k in range(1, 31)])
    values = score(study.judgments, study.rankings, metrics, study.options).values[:, :, 1]
    effort = inspect(study, topic, depth=30)["effort"]
    for run, expected in zip(shown, values, strict=True):
        np.testing.assert_allclose(utility(run, effort), expected[: len(run["docs"])], atol=1.0001 / UNIT)


@pytest.mark.filterwarnings("ignore:.*no effort of their own")
def test_effort_per_document_is_in_the_curve(make: Callable[..., Evaluation]) -> None:
    """With costs per document each run has its own effort, and utility is still RBU."""
    plain = make(["RBU(p=0.9,e=0.1)"])
    documents = plain.explained_runs()[0].topics[plain.scores.topics[0]].documents
    costly = make(["RBU(p=0.9,e=0.1)"], efforts=Efforts({d: 1.0 + i % 3 for i, d in enumerate(present(documents))}))
    data = inspect(costly, costly.scores.topics[0], depth=10)
    assert data["effort"] is None
    metrics = as_metrics("RBU(p=0.9,e=0.1)@10")
    expected = score(costly.judgments, costly.rankings, metrics, costly.options).values[:, 0, 0]
    computed = [utility(run, run["effort"])[-1] for run in data["topics"][0]["runs"]]
    np.testing.assert_allclose(computed, expected, atol=1.0001 / UNIT)
    assert data["topics"][0]["runs"][0]["effort"] != data["topics"][0]["runs"][1]["effort"]


def test_the_unsatisfied_share_of_an_aspect(study: Evaluation) -> None:
    """After each relevant document the unsatisfied share of an aspect is Π (1 − r)."""
    topic = inspect(study, study.scores.topics[0], depth=50)["topics"][0]
    for run in topic["runs"]:
        left = np.ones(len(topic["aspects"]))
        for rank, shares in zip(run["hits"], run["left"], strict=True):
            for aspect, relevance in topic["relevant"][str(run["docs"][rank - 1])]:
                left[aspect] *= 1 - relevance
            np.testing.assert_allclose(np.array(shares) / 100, left, atol=0.0051)


def test_documents_and_stops_are_those_of_the_rankings(study: Evaluation) -> None:
    """Document indices give the ranking in order, and the stop is that of `stopping_points`."""
    walker = Walker.of(study)
    stops = stopping_points(study.judgments, study.rankings, as_metrics("RBU(p=0.99,e=0.05)")[0], study.options)
    expected = {(s.run, s.topic): ([s.rank, round(s.utility, 4)], round(s.utility_of_all, 4)) for s in stops}
    for topic in study.scores.topics:
        shown = walker.topic(topic)
        for rankings, run in zip(study.explained_runs(), shown["runs"], strict=True):
            documents = rankings.topics[topic].documents
            assert documents is not None
            assert [shown["docs"][i] for i in run["docs"]] == list(documents[:50])
            assert (run["stop"], run["whole"]) == expected[rankings.name, topic]


EVERY = [
    "RBU(p=0.9,e=0.1)@10",
    "nRBU@4",  # proving its best list takes long
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


def test_parts_add_up_to_the_score_of_every_metric(make: Callable[..., Evaluation]) -> None:
    """The contributions of the documents add up to the score less that of an empty list."""
    with capture_warnings():  # the best list of nRBU may not be proven
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
                    continue  # non-relevant documents change these too, and are in the rest
                if not scores.metrics[m].startswith(("RBU", "nRBU", "EU", "ACT")):
                    assert sum(part[:-1]) == pytest.approx(part[-1], abs=len(part))


def test_parts_of_a_sum_are_its_terms(study: Evaluation) -> None:
    """For RBU the contribution of a document is its term, discount × (gain − effort)."""
    topic = study.scores.topics[2]
    metric = as_metrics("RBU(p=0.99,e=0.05)@20")[0]
    run = Walker.of(study).topic(topic)["runs"][1]
    batch = make_batch(study.judgments, study.options.relevance, topic, [study.explained_runs()[1].topics[topic]])
    assert isinstance(metric.formula, Sum)
    terms = metric.formula.terms(batch.ranking(0))
    expected = [terms[rank - 1] if rank <= 20 else 0.0 for rank in run["hits"]]
    np.testing.assert_allclose(np.array(run["parts"][0][:-1]) / FINE, expected, atol=1e-6)


def test_large_data_is_reduced_with_a_note(study: Evaluation) -> None:
    """A smaller budget takes fewer ranks, keeps every topic, and adds a note."""
    complete = walks(study)
    assert (
        complete["depth"] == DEPTHS[0]
        and complete["note"] is None
        and len(complete["topics"]) == len(study.scores.topics)
    )
    reduced = walks(study, budget=sum(map(len, complete["topics"])) // 2)
    assert reduced["depth"] < DEPTHS[0] and len(reduced["topics"]) == len(study.scores.topics)
    assert f"rank {reduced['depth']}" in reduced["note"]
    packed_topic = json.loads(zlib.decompress(base64.b64decode(complete["topics"][0])))
    assert packed_topic == json.loads(pack(Walker.of(study).topic(study.scores.topics[0])))


TESTS = [
    Significance(),
    Significance(correction="none", confidence=0.9),
    Significance(test="wilcoxon"),
    Significance(test="sign", correction="bh"),
]


@pytest.mark.parametrize("how", TESTS, ids=lambda how: f"{how.test} {how.correction}")
def test_the_parameter_map_gives_the_mean_for_any_effort(study: Evaluation, how: Significance) -> None:
    """gain − e · cost is the mean of RBU(p, e); ties are where `compare` finds no significant difference."""
    shown = leaders(
        study.explained, lambda metrics: score(study.judgments, study.rankings, metrics, study.options), how=how
    )
    for i, e in [(i, e) for i in (0, 5, 20, len(shown["p"]) - 1) for e in (0.0, 0.013, 0.08, 0.21, 0.5)]:
        p = shown["p"][i]
        scores = score(study.judgments, study.rankings, [variant(study.explained, p, e)], study.options)
        means = scores.means[:, 0]
        np.testing.assert_allclose(np.array(shown["gain"][i]) - e * np.array(shown["cost"][i]), means, atol=3e-6)
        first, second = np.argsort(-means, kind="stable")[:2]
        with capture_warnings():
            compared = compare(scores, **asdict(how))
        rows = compared.rows
        assert shown["test"] == describe_test(compared.setup)
        pair = {scores.runs[first], scores.runs[second]}
        found = next(row for row in rows if {row.run, row.other} == pair)
        if found.p_adjusted is not None and abs(found.p_adjusted - how.alpha) > 1e-2:
            assert any(low <= e <= high for low, high in shown["ties"][i]) == (not found.significant)
    assert study.explained.values["p"] in shown["p"]


def test_a_test_by_resamples_is_not_on_the_map(study: Evaluation) -> None:
    """It would take minutes: no lead is called significant or not, and no test is named."""
    how = Significance(test="tukey", resamples=100)
    shown = leaders(
        study.explained, lambda metrics: score(study.judgments, study.rankings, metrics, study.options), how=how
    )
    assert shown["test"] is None and not any(shown["ties"])


def test_the_inspector_needs_documents(make: Callable[..., Evaluation]) -> None:
    """Rankings read without their documents, and an unknown topic, are errors."""
    with refuses("order-not-read", "keep_documents"):
        inspect(make(["RBU"], keep_documents=False), "101")
    with refuses("unknown-topic"):
        inspect(make(["RBU"]), "no such topic")


def test_the_leaderboard_has_the_statistics_of_the_library(study: Evaluation) -> None:
    """Means, intervals, letters and pairs are those of `Scores`, `interval` and `compare`."""
    with capture_warnings():
        power = MetricQuality.of(study.scores).power
        board = leaderboard(study.scores, power)
        for m, column in enumerate(board["columns"]):
            assert column["mean"] == study.scores.means[:, m].tolist()
            assert column["low"] == [row.low for row in interval(study.scores, column["metric"]).rows]
            tested = compare(study.scores, column["metric"])
            letters = {row.run: row.letters for row in tested.runs}
            assert column["letters"] == [letters[run] for run in study.scores.runs]
            ranks = {row.run: row.ranks for row in tested.runs}
            assert column["ranks"] == [list(ranks[run] or ()) for run in study.scores.runs]
            alike = {frozenset((row.run, row.other)) for row in tested.rows if not row.significant}
            shown = {
                frozenset((study.scores.runs[a], study.scores.runs[b]))
                for a, some in enumerate(column["alike"])
                for b in some
            }
            assert shown == alike


def test_the_grid_of_parameters_has_every_cell(study: Evaluation) -> None:
    """The means of the grid are those of the variants, and the chosen setting correlates fully with itself."""
    grid, sensitivity = settings(study.explained, study.score)
    i, j = grid["p"].index(0.9), grid["e"].index(0.1)
    scores = score(study.judgments, study.rankings, as_metrics("RBU(p=0.9,e=0.1)@20"), study.options)
    assert [means[i][j] for means in grid["means"]] == [round(v, 6) for v in scores.means[:, 0]]
    assert sensitivity is not None
    assert next(row.value for row in sensitivity.rows if row.metric == grid["reference"]) == 1.0


def test_the_explained_metric_is_the_first_rbu() -> None:
    """The inspector explains the first RBU requested, otherwise the default one."""
    assert find_explained(as_metrics(["ERR_IA@20", "RBU(p=0.8,e=0.1)@5", "RBU"])).name == "RBU(p=0.8,e=0.1)@5"
    assert find_explained(as_metrics("ERR_IA@20")).name == RBU


@pytest.mark.slow
def test_contents_are_plain_json(study: Evaluation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything a page needs is one JSON value without NaN, with the checksums of the files."""
    leave_axioms_out(monkeypatch)
    file = tmp_path / "qrels.txt"
    file.write_bytes(b"101 0 d 1\n")
    data = contents(study, title="t", command=["diveval", "report", "a b"], files=[str(file), "-"])
    assert json.loads(pack(data)) == data
    assert data["made"]["facts"][0] == ["Command", "diveval report 'a b'"]
    digest = hashlib.sha256(b"101 0 d 1\n").hexdigest()
    assert data["made"]["files"] == [{"path": str(file), "bytes": 10, "sha256": digest}]
    assert data["made"]["csv"] == study.scores.to_csv(per_topic=False)
