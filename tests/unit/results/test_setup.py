"""The facts of a setup, recounted from the files; what a part of a result keeps; and the user behind a metric."""

from __future__ import annotations

import csv
import json
import math
from typing import Any

import numpy as np
import pytest

import diveval
from diveval.results.scores import Scores
from diveval.results.setup import Setup
from support.refusals import refuses
from support.shared import times

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
Grades = dict[str, dict[str, dict[str, int]]]


def draw(seed: int) -> tuple[Grades, dict[str, dict[str, list[str]]]]:
    """Judgments in which aspects and topics without a relevant document occur, and runs that lack topics."""
    rng = np.random.default_rng(seed)
    judged = {
        str(t): {
            a: {f"d{i}": int(rng.choice([-1, 0, 0, 1, 2])) for i in range(int(rng.integers(1, 4)))}
            for a in "abc"[: int(rng.integers(1, 4))]
        }
        for t in range(6)
    }
    judged["0"] = {"a": {"d0": 2}}
    runs = {
        name: {t: [f"d{i}" for i in rng.permutation(12)] for t in judged if t == "0" or rng.random() < share}
        for name, share in (("x", 2), ("y", 0.6))
    }
    return judged, runs


@pytest.mark.parametrize("drop", [True, False])
@pytest.mark.parametrize("seed", range(times(12, 300)))
def test_what_was_scored_is_counted(seed: int, drop: bool) -> None:
    """Topics, the highest grade, aspects and topics without a relevant document, judged shares, runs without a list."""
    judged, runs = draw(seed)
    level, metrics = 1 + seed % 2, ["RBU@20", "trec_eval.map", "ndeval.ERR_IA@20"]
    setup = diveval.evaluate(judged, runs, metrics, rel=level, empty_aspects="drop" if drop else "keep").setup
    aspects = [rows for own in judged.values() for rows in own.values()]
    assert setup.topics == len(judged) and setup.highest == 2 and setup.weights == "equal"
    assert setup.dropped_aspects == (sum(max(rows.values()) < level for rows in aspects) if drop else 0)
    assert setup.empty == sum(all(g < level for rows in own.values() for g in rows.values()) for own in judged.values())
    for run, lists in runs.items():
        known = [{d for rows in judged[t].values() for d in rows} for t in judged]
        shares = [sum(d in own for d in lists.get(t, [])) / 20 for t, own in zip(judged, known, strict=True)]
        assert setup.judged[run] == pytest.approx(math.fsum(shares) / len(judged)) or len(lists["0"]) < 20
    assert set(setup.without_list) == {run for run, lists in runs.items() if len(lists) < len(judged)}
    assert setup.lists_lacking(runs) == ({"without_list": len(setup.without_list)} if setup.without_list else {})
    assert setup.lists_lacking(["x"]) == ({"without_list": 1} if "x" in setup.without_list else {})
    shape = setup.as_dict()
    assert {"topics", "highest", "metrics", "judged"} <= set(shape) and not {"test", "judges", "trials"} & set(shape)
    assert all(value not in (None, (), {}) for value in shape.values())
    rows = {row["metric"]: row for row in shape["metrics"]}
    ours, theirs = rows["RBU(p=0.9,e=0.01)@20"], rows["ndeval.ERR_IA@20"]
    assert ours["dropped_aspects"] == setup.dropped_aspects and ours["empty"] == setup.empty
    assert theirs["empty"] == sum(all(g < 1 for rows in own.values() for g in rows.values()) for own in judged.values())


def test_topics_without_a_relevant_document_are_scored_or_left_out() -> None:
    """The setup says what each metric does with them, which its own count of topics shows."""
    judged: Grades = {"1": {"a": {"d": 1}}, "2": {"a": {"d": 0}}}
    metrics = ["RBU@20", "nDCG@5", "trec_eval.map", "ndeval.ERR_IA@20", "gdeval.nDCG@20", "Success@20", "SetF"]
    scores = diveval.evaluate(judged, {"x": {"1": ["d"], "2": ["d"]}}, metrics)
    for m, row in enumerate(scores.setup.metrics):
        assert (row.empty_topics == "skip") == (not scores.counted[0, m, 1]), row.metric
    assert {row.empty_topics for row in scores.setup.metrics} == {"skip", "score"}
    for asked in ("skip", "score"):
        scores = diveval.evaluate(judged, {"x": {"1": ["d"], "2": ["d"]}}, "RBU@20", empty_topics=asked)
        assert [row.empty_topics for row in scores.setup.metrics] == [asked] and scores.setup.empty_topics == asked
    scores = diveval.evaluate(judged, {"x": {"1": ["d"], "2": ["d"]}}, "P@1", judged_only=True)
    assert scores.setup.options == {"judged_only": True} and scores.setup.options["judged_only"] is True


def test_parts_keep_what_all_of_them_knew() -> None:
    """The setup of several groups of runs has the shares and the missing lists of every run."""
    parts = [Setup(topics=3, judged={name: share}, without_list=(name,)) for name, share in (("a", 0.5), ("b", 1.0))]
    whole = parts[0].of_runs(parts)
    assert (whole.topics, whole.judged, whole.without_list) == (3, {"a": 0.5, "b": 1.0}, ("a", "b"))


@pytest.mark.parametrize("seed", range(times(10, 100)))
def test_a_selection_is_what_was_asked_for(seed: int) -> None:
    """Runs, metrics and topics in the order asked for, with the values of whole runs that are no means."""
    rng = np.random.default_rng(seed)
    shape = (3, 4, 5)
    whole = np.where(rng.random(shape[:2]) < 0.4, rng.random(shape[:2]), np.nan)
    counted = rng.random(shape) < 0.9
    names = {"runs": list("abc"), "metrics": ["P@1", "P@2", "P@3", "P@4"], "topics": list("12345")}
    scores = Scores.of(rng.random(shape), counted=counted, whole=whole, **names)  # type: ignore[arg-type]
    r, m = ([int(i) for i in rng.permutation(n)[: rng.integers(1, n + 1)]] for n in shape[:2])
    part = scores.select(runs=[scores.runs[i] for i in r], metrics=[scores.metrics[i] for i in m])
    assert (part.runs, part.metrics) == (tuple(scores.runs[i] for i in r), tuple(scores.metrics[i] for i in m))
    for i, run in enumerate(r):
        for j, metric in enumerate(m):
            assert part.means[i, j] == scores.means[run, metric]
            assert part.per_topic(part.runs[i], part.metrics[j]) == scores.per_topic(
                scores.runs[run], scores.metrics[metric]
            )
    nested, turned = scores.to_dict(), scores.to_pytrec_eval()
    cells = {(run, q, t): v for run, by in nested.items() for q, values in by.items() for t, v in values.items()}
    assert cells == {
        (run, q, t): v for run, by in turned.items() for t, values in by.items() for q, v in values.items()
    }
    assert len(cells) == counted.sum()


def test_ids_of_any_script_are_written_as_they_are() -> None:
    """JSON has ids as the files have them, and reads back the same numbers."""
    scores = diveval.evaluate({"é∅": {"a": {"日本": 1}}}, {"Zoë": {"é∅": ["x", "日本"]}}, "RR")
    for text in (
        scores.to_json(),
        diveval.violations({"1": {"a": {"d": 1}}}, {"Zoë": {"1": ["x", "d"]}}, "P@2").to_json(),
    ):
        assert "Zoë" in text and "\\u" not in text
        shape: Any = json.loads(text)
    assert json.loads(scores.to_json())["mean"] == {"Zoë": {scores.metrics[0]: 0.5}} and shape


def test_the_user_of_a_metric() -> None:
    """A row per rank; of P every rank to the cutoff is looked at alike; gains that are no numbers are refused."""
    gains = (1.0, 0.0, 0.5)
    model = diveval.user_model("P@2", gains)
    columns = model.columns()
    assert columns["rank"] == [1, 2, 3] and columns["gain"] == list(gains)
    assert columns["C"] == pytest.approx([1, 0, 0]) and columns["W"] == pytest.approx([0.5, 0.5, 0])
    assert columns["L"] == pytest.approx([0, 1, 0])
    assert [list(record.values()) for record in model.records()] == [
        list(row) for row in zip(*columns.values(), strict=True)
    ]
    assert (model.by_aspect, diveval.user_model("P_IA@2", gains).by_aspect) == (False, True)
    table = [line.split() for line in model.to_text().splitlines() if line.split()[:1] and line.split()[0].isdigit()]
    assert [[float(cell) for cell in row] for row in table] == [[1, 1, 1, 0.5, 0], [2, 0, 0, 0.5, 1], [3, 0.5, 0, 0, 0]]
    for wrong in ([True], ["0.5"], [2.0], [-0.1], []):
        with refuses("out-of-range"):
            diveval.user_model("P@2", wrong)


def test_json_has_every_name_and_value() -> None:
    """Runs, metrics, topics, means, what each run answered, notes and the setup, under these keys."""
    judged, runs = draw(4)
    scores = diveval.evaluate(judged, runs, ["RBU@20", "P@5"], order="file", jobs=1)
    shape = json.loads(scores.to_json())
    assert {"runs", "metrics", "topics", "mean", "setup"} <= set(shape)
    names = (scores.runs, scores.metrics, scores.topics)
    assert [tuple(shape[key]) for key in ("runs", "metrics", "topics")] == list(names)
    own = {run: f"{len(lists)}/{len(judged)}" for run, lists in runs.items()}
    lacking = any(len(lists) < len(judged) for lists in runs.values())
    assert shape.get("answered") == (own if lacking else None)
    assert set(shape["setup"]["options"]) == {"order"} and "by='file'" in shape["setup"]["options"]["order"]
    head, *lines = scores.to_csv().splitlines()
    assert lacking and head == "run,metric,topic,value"
    rows = {(run, metric, topic): float(value) for run, metric, topic, value in csv.reader(lines)}
    assert shape["mean"] == scores.mean() and len(rows) == scores.counted.sum() + scores.means.size
    for r, run in enumerate(scores.runs):
        for m, metric in enumerate(scores.metrics):
            assert shape["mean"][run][metric] == scores.means[r, m] == rows[run, metric, "all"]


def test_few_judged_documents_are_named_from_the_lowest_share() -> None:
    """The caution names runs by their share, the lowest first, and none that has enough."""
    shares = {"a": 0.5, "b": 0.1, "c": 0.59, "d": 0.6, "e": 0.3}
    statement = Setup(judged=shares).judged_caution()
    assert statement is not None
    assert [row["run"] for row in statement.evidence] == ["b", "e", "a", "c"] == list(statement.facts["few"])
    assert Setup(judged={"d": 0.6}).judged_caution() is None


def test_rules_for_missing_topics_are_those_that_were_used() -> None:
    """A metric of another tool says what its tool does with a topic that the run lacks, which its values show."""
    judged: Grades = {"1": {"a": {"d": 1}}, "2": {"a": {"d": 1}}}
    names = ["RBU@20", "P@5", "trec_eval.map", "ndeval.ERR_IA@20", "gdeval.nDCG@20", "ir_measures.P@5"]
    for name in names:
        try:
            scores = diveval.evaluate(judged, {"x": {"1": ["d"]}}, name)
        except diveval.UsageError:
            continue
        (row,) = scores.setup.metrics
        assert (row.missing_topics == "skip") == (not scores.counted[0, 0, 1]), name
        assert (row.missing_topics == "tool") == ("." in name and bool(scores.counted[0, 0, 1])), name


@pytest.mark.parametrize("width", [40, 60, 120])
def test_results_fit_their_width(width: int) -> None:
    """Tables of results are in blocks no wider than asked; one that fits is one block."""
    judged, runs = draw(4)
    scores = diveval.evaluate(judged, runs, ["RBU@20", "P@5", "ERR_IA@5", "alpha_nDCG@5"])
    records = scores.records()
    assert len(records) == scores.counted.sum() and all(record["topic"] != "all" for record in records)
    assert all(scores.per_topic(r["run"], r["metric"])[r["topic"]] == r["value"] for r in records)
    for result in (scores, diveval.meta.strictness(scores), scores.compare("RBU")):
        lines = result.to_text(width).splitlines()
        assert max(map(len, lines)) <= width or width == 40
    catalogue = diveval.metrics()
    columns = catalogue.columns()
    assert [columns["name"], columns["reference"]] == [
        [e.name for e in catalogue.entries],
        [e.reference for e in catalogue.entries],
    ]
    for entry, text in zip(catalogue.entries, columns["parameters"], strict=True):
        assert [part.partition("=")[0] for part in str(text).split(", ") if part] == [p.name for p in entry.parameters]
    texts = catalogue.to_text(120).splitlines()
    assert max(map(len, texts)) <= 120 and len([x for x in texts if x[2:3] != " "]) == len(catalogue.entries)


def test_means_beyond_the_largest_sum() -> None:
    """Two values near the largest double have a mean, although their sum is none."""
    scores = Scores.of(np.array([[[1.5e308, 1.7e308]]]), runs=["a"], metrics=["P@1"], topics=["1", "2"])
    assert scores.means.item() == 1.6e308
