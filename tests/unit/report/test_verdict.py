"""The verdict on the metrics and the titles of the views: every number is recomputed from scores, axioms and counts."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import diveval
from diveval.analysis.violations import find_violations
from diveval.axioms import AXIOMS
from diveval.axioms.presentation.data_verdicts import decide_in_data, levels_of
from diveval.errors import capture_warnings
from diveval.metrics import as_metrics
from diveval.scoring.evaluate import load_judgments, rank_all
from diveval.scoring.study import Evaluation, metrics_to_read
from diveval.settings import Options
from diveval.stats import compare
from diveval.views.axiom_matrix import occurrences
from diveval.views.board import MetricQuality
from diveval.views.titles import disagreeing_pairs, find_titles
from diveval.views.verdict import decide_verdict
from support.late import late_or_skip

from .conftest import COLLECTION

pytestmark = pytest.mark.slow
METRICS = ["RBU(p=0.9,e=0.01)@20", "ERR_IA@20", "StRecall@20"]


@pytest.fixture(scope="module")
def study() -> Evaluation:
    """The synthetic collection without weights, scored with three metrics."""
    late_or_skip("z3", reason="the axioms need z3")
    rows = [(topic, aspect, document, float(grade)) for topic, aspect, document, grade in COLLECTION.judgments()]
    runs = {name: {t: dict(some) for t, some in COLLECTION.run(name).items()} for name in COLLECTION.rankings}
    judgments = load_judgments(rows, Options(), None)
    asked = as_metrics(METRICS)
    return Evaluation(
        judgments,
        rank_all(judgments, runs, metrics_to_read(asked), Options(), keep_documents=True),
        asked,
        Options(),
    )


@pytest.fixture(scope="module")
def shown(study: Evaluation) -> dict[str, Any]:
    """The verdict as the report shows it."""
    levels = {metric.name: levels_of(study.judgments, study.options.relevance) for metric in study.metrics}
    verdicts = decide_in_data(study.metrics, list(AXIOMS), levels, time_limit=20)
    counts, _ = occurrences(study.judgments, study.rankings, study.metrics, study.options)
    quality = MetricQuality.of(study.scores)
    found = decide_verdict(study.metrics, verdicts, counts, quality, study.scores.setup.judged)
    assert found is not None
    return found


def test_the_table_is_that_of_choose(study: Evaluation, shown: dict[str, Any]) -> None:
    """Constraints, failures, power and unanimity are those of `choose` asked for every constraint."""
    rows = [(topic, aspect, document, float(grade)) for topic, aspect, document, grade in COLLECTION.judgments()]
    runs = {name: {t: dict(some) for t, some in COLLECTION.run(name).items()} for name in COLLECTION.rankings}
    choice = diveval.choose(rows, runs, need=list(AXIOMS), metrics=METRICS)
    table = shown["rows"]
    assert [row["metric"] for row in table] == [candidate.metric for candidate in choice.candidates]
    for row, candidate in zip(table, choice.candidates, strict=True):
        assert row["satisfied"] == len(candidate.satisfied or ())
        assert (row["situations"], row["mu"]) == (candidate.situations, candidate.mu)
        assert row["failed"] == round((candidate.violated or 0) * candidate.situations)
        assert row["significant"] == round((candidate.power or 0) * row["pairs"])


def test_failures_are_counted_as_by_violations(study: Evaluation, shown: dict[str, Any]) -> None:
    """The failures of each metric are the sum over the constraints, and the one it fails most often is the largest share."""
    counted = find_violations(study.judgments, study.rankings, study.metrics, study.options).rows
    table = shown["rows"]
    for row in table:
        own = [one for one in counted if one.metric == row["metric"]]
        assert row["failed"] == sum(one.violations for one in own)
        shares = {one.axiom: one.violations / one.situations for one in own if one.situations and one.violations}
        assert (row["often"] is None) == (not shares)
        if shares:
            assert shares[row["often"][0]] == max(shares.values())


def test_links_of_the_verdict_are_about_the_metrics_they_name(study: Evaluation, shown: dict[str, Any]) -> None:
    """Every clause that opens a cell of the matrix opens one of a metric of the report and of a constraint."""
    names = {metric.name for metric in study.metrics}
    sentences = [*shown["sentences"], *shown["against"]]
    cells = [part["open"]["cell"] for some in sentences for part in some if part["open"] and "cell" in part["open"]]
    assert cells
    for cell in cells:
        metric, _, axiom = cell.rpartition("/")
        assert metric in names and axiom in AXIOMS


def test_the_title_of_the_ranks_counts_pairs_in_opposite_order(study: Evaluation) -> None:
    """The number of disagreeing pairs is that of a count pair by pair, and no other two metrics disagree more."""
    scores, counts = study.scores, {}
    for one, two in combinations(scores.metrics, 2):
        first, second = (scores.means[:, scores.metric_index(name)] for name in (one, two))
        counts[one, two] = sum(
            (first[a] - first[b]) * (second[a] - second[b]) < -1e-15
            for a, b in combinations(range(len(scores.runs)), 2)
        )
    assert disagreeing_pairs(scores, scores.metrics) == counts
    titles = find_titles(scores, MetricQuality.of(scores), {"leaderboard": {"columns": _columns(scores)}})
    assert f" {max(counts.values())} of 10 " in titles["bump"]["text"] + " "


def _columns(scores: diveval.Scores) -> list[dict[str, Any]]:
    """For each metric the runs that `compare` does not tell apart, by run."""
    out = []
    for metric in scores.metrics:
        alike: list[list[int]] = [[] for _ in scores.runs]
        with capture_warnings():
            compared = compare(scores, metric)
        for row in compared.rows:
            if not row.significant:
                a, b = scores.runs.index(row.run), scores.runs.index(row.other)
                alike[a].append(b)
                alike[b].append(a)
        out.append({"metric": metric, "alike": alike})
    return out


def test_the_title_of_the_leaderboard_names_the_best_run(study: Evaluation) -> None:
    """The best run by the first metric, and the number of runs that a paired t-test with Holm leaves beside it."""
    scores, columns = study.scores, _columns(study.scores)
    best = int(np.argmax(scores.means[:, 0]))
    titles = find_titles(scores, MetricQuality.of(scores), {"leaderboard": {"columns": columns}})
    behind = len(columns[0]["alike"][best])
    facts = titles["leaderboard"]["facts"]
    assert (facts["run"], facts["alike"], facts["others"]) == (scores.runs[best], behind, len(scores.runs) - 1)
