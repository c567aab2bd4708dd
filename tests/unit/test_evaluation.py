"""`evaluate`: topic rules, residuals, efforts, users' metrics, and all shapes of input."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import diveval
from diveval import parse
from diveval.collection.topic_ids import find_prefix
from diveval.errors import capture_warnings
from diveval.metrics.names import entries
from diveval.results import tables
from diveval.scoring.evaluate import RUNS_AT_ONCE
from diveval.settings import Efforts, Options
from diveval.stats import compare
from support.refusals import refuses, warns

JUDGMENTS = {"1": {"a": {"d1": 1}, "b": {"d2": 1}}, "2": {"a": {"d3": 1}}, "3": {"a": {"d4": 0}}}
RUN = {"1": {"d1": 3.0, "x": 2.0, "d2": 1.0}, "3": {"d4": 1.0}, "9": {"y": 1.0}}


def test_a_missing_topic_scores_0_without_effort_with_a_warning() -> None:
    """All judged topics enter the mean; a run that lacks some gets a warning."""
    with warns("missing-topics", "1", "3", "2"):
        scores = diveval.evaluate(JUDGMENTS, RUN, "RR", gain="binary")
    assert scores.topics == ("1", "2", "3")
    assert scores.mean() == {"run": {"RR": pytest.approx(1 / 3)}}


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_topic_rules_select_the_topics_of_the_mean() -> None:
    """missing_topics=skip and empty_topics=skip leave topics out of means and exports."""
    skipped = diveval.evaluate(JUDGMENTS, RUN, "RR", gain="binary", missing_topics="skip")
    assert skipped.mean()["run"]["RR"] == pytest.approx(1 / 2)
    only = diveval.evaluate(JUDGMENTS, RUN, "RR", gain="binary", missing_topics="skip", empty_topics="skip")
    assert only.mean()["run"]["RR"] == 1.0
    assert only.per_topic("run") == {"1": 1.0}
    assert only.to_csv() == "run,metric,topic,value\nrun,RR,1,1.0\nrun,RR,all,1.0\n"


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize("metric", ["RBU(p=0.9,e=0.05)@3", "RBU(p=0.9,e=0.05)", "EU@4", "alpha_nDCG@5", "ERR_IA"])
def test_a_missing_topic_scores_like_a_list_of_non_relevant_documents(metric: str) -> None:
    """The list is as long as the cutoff, or without one as the topic's judged documents, whatever the other runs."""
    judgments = {"1": {"a": {"d1": 1}}, "2": {"a": {"d3": 1, "d4": 0}}}
    depth = parse(metric).cutoff or 2
    full = {"1": ["d1"], "2": [f"x{i}" for i in range(depth)]}
    scores = diveval.evaluate(
        judgments, {"missing": {"1": ["d1"]}, "full": full, "long": {"2": ["x", "y", "z"]}}, metric
    )
    alone = diveval.evaluate(judgments, {"missing": {"1": ["d1"]}}, metric)
    assert scores.per_topic("missing")["2"] == scores.per_topic("full")["2"] == alone.per_topic("missing")["2"]


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_leaving_topics_out_is_no_advantage() -> None:
    """A run that lacks topics ranks below a run that has them; an explicit empty list is an answer and scores 0."""
    judgments = {str(t): {"a": {"d": 1}} for t in range(5)}
    complete = {str(t): ["d", *(f"x{i}" for i in range(19))] for t in range(5)}
    empty: dict[str, list[str]] = {str(t): [] for t in range(1, 5)}
    runs = {"complete": complete, "lacking": {"0": ["x"]}, "empty": {"0": ["x"], **empty}}
    scores = diveval.evaluate(judgments, runs, ["RBU(p=0.99,e=0.05)@20"])
    assert scores.means[0, 0] > scores.means[1, 0]
    assert scores.per_topic("empty")["1"] == 0.0
    assert scores.coverage() == ("5/5", "1/5", "5/5")
    zero = diveval.evaluate(judgments, runs, ["RBU(p=0.99,e=0.05)@20"], missing_topics="zero")
    assert zero.per_topic("lacking")["1"] == 0.0


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_other_tools_keep_their_rule_for_missing_topics() -> None:
    """ndeval -c scores 0 and the Cube Test leaves the topic out, whatever `missing_topics` is."""
    scores = diveval.evaluate(JUDGMENTS, RUN, ["ndeval.ERR_IA@5", "cubetest.CT"])
    assert scores.per_topic("run", "ndeval.ERR_IA@5")["2"] == 0.0
    assert "2" not in scores.per_topic("run", "cubetest.CT")


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_a_missing_topic_costs_the_default_effort_and_has_no_residual() -> None:
    """A missing topic costs the effort of unknown documents, and its residual is 0."""
    options = Options.of(efforts=Efforts({"d1": 7.0}, default=3.0))
    scores = diveval.evaluate(JUDGMENTS, RUN, "RBU(p=0.5,e=0.1)@2", options=options, residuals=True)
    assert scores.per_topic("run", "RBU(p=0.5,e=0.1)@2")["2"] == pytest.approx(-0.1 * 3 * 0.75)
    assert scores.per_topic("run", "RBU(p=0.5,e=0.1)@2+residual")["2"] == 0.0


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_every_summary_marks_a_run_that_lacks_topics() -> None:
    """Every format shows the share of topics in the run's row; it is omitted where every run is complete."""
    runs = {"part": RUN, "complete": {"1": ["d1"], "2": ["d3"], "3": ["d4"]}}
    scores = diveval.evaluate(JUDGMENTS, runs, "P@2")
    texts = [
        tables.terminal_text(scores),
        scores.to_csv(per_topic=False),
        scores.to_latex(),
        scores._repr_html_().replace("<tr>", "\n<tr>"),
    ]
    for text in texts:
        assert any("part" in line and "2/3" in line for line in text.splitlines())
    assert json.loads(scores.to_json())["answered"] == {"part": "2/3", "complete": "3/3"}
    assert [run.topics for run in compare(scores).runs] == ["3/3", "2/3"]
    assert "3/3" not in tables.terminal_text(scores.select(runs=["complete"]))


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_topics_without_relevant_documents_cost_their_effort() -> None:
    """RBU of such a topic is minus the effort, and no metric of ours gives NaN."""
    own = [entry for entry in entries().values() if "." not in entry.name and not entry.needs_groups]
    names = [entry.metric({}, 5 if entry.cutoffs else None).name for entry in own]
    scores = diveval.evaluate(JUDGMENTS, RUN, names)
    assert np.isfinite(scores.values).all()
    assert scores.per_topic("run", "RBU(p=0.9,e=0.01)@5")["3"] == pytest.approx(-0.01 * 0.9)


def test_disjoint_topics_are_an_error() -> None:
    """Judgments and runs without a common topic raise an InputError that shows three ids of each."""
    judged = {str(topic): {"d": 1} for topic in range(151, 156)}
    run = {f"x{topic}": {"d": 1.0} for topic in "abcde"}
    with refuses("no-shared-topic", "151", "152", "153", "xa", "xb", "xc") as caught:
        diveval.evaluate(judged, run, "RR")
    assert "154" not in caught.value.message


@pytest.mark.parametrize("prefixed", ["run", "judgments"])
def test_a_prefix_that_explains_disjoint_topics_is_named(prefixed: str) -> None:
    """`wt12-151` against `151`, on either side, is explained; ids with another difference are not."""
    plain = [str(topic) for topic in range(151, 165)]
    long = [f"wt12-{topic}" for topic in plain]
    given, judged = (long, plain) if prefixed == "run" else (plain, long)
    with refuses("no-shared-topic") as caught:
        diveval.evaluate({topic: {"d": 1} for topic in judged}, {topic: {"d": 1.0} for topic in given}, "RR")
    assert "wt12-" in caught.value.hint
    assert find_prefix(["2001", "2002", "2003", "2004"], ["1", "8", "9", "10"]) == ""


def test_documents_without_an_effort_are_counted_aloud() -> None:
    """A file of efforts that knows only some documents says how many count the default, and in how many runs."""
    runs = {"a": {"1": ["d1", "x", "d2"]}, "b": {"1": ["d1"]}, "c": {"1": ["d1", "x"]}}
    with capture_warnings() as notes:
        diveval.evaluate({"1": {"a": {"d1": 1}}}, runs, "RBU@5", options=Options.of(efforts=Efforts({"d1": 2.0})))
    (note,) = [note for note in notes if note.code == "ids-partly-matched"]
    assert note.message.startswith("a: ") and re.findall(r"\d+", note.message) == ["2", "3", "1", "2"]


@pytest.mark.filterwarnings("ignore:.*no effort of their own")
def test_effort_by_document() -> None:
    """With costs, RBU subtracts e · cost for each document, and so does the ideal of nRBU."""
    judgments = {"1": {"a": {"d1": 1, "d2": 1}}}
    run = {"1": ["d1", "x", "d2"]}
    options = Options.of(gain="linear", efforts=Efforts({"d1": 200.0, "x": 50.0}, unit=100.0, default=3.0))
    scores = diveval.evaluate(
        judgments, run, ["RBU(p=0.5,e=0.1)", "RBU(p=0.5,e=0.1)@2", "nRBU(p=0.5,e=0.1)"], options=options
    )
    paid = 0.1 * (0.5 * 2 + 0.25 * 0.5)
    assert scores.values[0, 1, 0] == pytest.approx(0.5 - paid)
    assert scores.values[0, 0, 0] == pytest.approx(0.5 - paid - 0.1 * 0.125 * 3)
    assert scores.values[0, 2, 0] == pytest.approx((0.5 - paid - 0.1 * 0.125 * 3) / (0.5 * (1 - 0.2)))


def test_nrbu_is_1_for_a_list_that_stops_in_time() -> None:
    """nRBU is 1 for the list that ends where further documents cost more than they gain, and less for a longer one."""
    judgments = {"1": {"a": {"d1": 3, "d2": 3}, "b": {"d3": 3}}}
    scores = diveval.evaluate(
        judgments, {"stop": {"1": ["d1", "d3"]}, "continue": {"1": ["d1", "d3", "d2"]}}, "nRBU(p=0.9,e=0.2)"
    )
    assert scores.mean()["stop"]["nRBU(p=0.9,e=0.2)"] == pytest.approx(1.0)
    assert scores.mean()["continue"]["nRBU(p=0.9,e=0.2)"] < 1.0


def test_a_users_metric_that_fails_is_named() -> None:
    """A function that raises or returns no finite number is reported by its name."""
    with refuses("metric-failed", "KeyError"):

        def broken(ranking: Any) -> None:
            raise KeyError("x")

        diveval.evaluate({"1": {"d": 1}}, {"1": ["d"]}, broken)
    with refuses("metric-failed"):

        def nothing(ranking: Any) -> Any:
            return float("nan")

        diveval.evaluate({"1": {"d": 1}}, {"1": ["d"]}, nothing)


def test_every_shape_of_input_gives_the_same_scores(tmp_path: Path) -> None:
    """Files, dicts, frames, rows and objects of other libraries give the same scores."""
    pandas, polars, ir_measures = (pytest.importorskip(m) for m in ("pandas", "polars", "ir_measures"))
    rows = [("1", "a", "d1", 2), ("1", "b", "d2", 1), ("1", "a", "d2", 0), ("2", "a", "d3", 1)]
    lines = [("1", "d2", 3.0), ("1", "x", 2.0), ("1", "d1", 1.0), ("2", "d3", 1.0)]
    (tmp_path / "q").write_text("".join(f"{t} {a} {d} {g}\n" for t, a, d, g in rows))
    (tmp_path / "r").write_text("".join(f"{t} Q0 {d} 0 {s} tag\n" for t, d, s in lines))
    qrels = {
        "query_id": [r[0] for r in rows],
        "iteration": [r[1] for r in rows],
        "doc_id": [r[2] for r in rows],
        "relevance": [r[3] for r in rows],
    }
    run = {"qid": [r[0] for r in lines], "docno": [r[1] for r in lines], "score": [r[2] for r in lines]}
    nested: dict[str, dict[str, dict[str, float]]] = {}
    for t, a, d, g in rows:
        nested.setdefault(t, {}).setdefault(a, {})[d] = g
    scored: dict[str, dict[str, float]] = {}
    for t, d, s in lines:
        scored.setdefault(t, {})[d] = s

    class TrecSubQrel(NamedTuple):
        query_id: str
        subtopic_id: str
        doc_id: str
        relevance: float

    judgments = [
        str(tmp_path / "q"),
        diveval.read_judgments(tmp_path / "q"),
        nested,
        pandas.DataFrame(qrels),
        polars.DataFrame(qrels),
        [ir_measures.Qrel(t, d, g, a) for t, a, d, g in rows],
        [TrecSubQrel(t, a, d, g) for t, a, d, g in rows],
        rows,
    ]
    runs = [
        str(tmp_path / "r"),
        diveval.read_run(tmp_path / "r"),
        scored,
        pandas.DataFrame(run),
        polars.DataFrame(run),
        [ir_measures.ScoredDoc(t, d, s) for t, d, s in lines],
        {"1": ["d2", "x", "d1"], "2": ["d3"]},
        {"named": scored},
    ]
    metrics = ["RBU", "AP_IA", "alpha_nDCG@2", "StRecall@1"]
    expected = diveval.evaluate(judgments[0], runs[0], metrics).values
    for shape in judgments:
        assert (diveval.evaluate(shape, runs[0], metrics).values == expected).all()
    for shape in runs:
        assert (diveval.evaluate(judgments[0], shape, metrics).values == expected).all()


def test_frames_with_several_runs_and_wrong_columns() -> None:
    """A run column splits a frame into runs; a missing column is named."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"run": ["A", "B"], "topic": ["1", "1"], "document": ["d1", "x"], "score": [1.0, 1.0]})
    with warns("no-judged-document", "B"):
        scores = diveval.evaluate({"1": {"a": {"d1": 1}}}, frame, "P@1")
    assert scores.mean() == {"A": {"P@1": 1.0}, "B": {"P@1": 0.0}}
    with refuses("missing-column"):
        diveval.evaluate({"1": {"a": {"d1": 1}}}, frame.drop(columns="document"), "P@1")


@pytest.mark.parametrize(("costs", "warned"), [({"D1": 2.0}, 2), ({"d1": 2.0}, 1), ({"d1": 2.0, "x": 3.0}, 0)])
def test_a_run_without_costs_gets_a_warning(costs: dict[str, float], warned: int) -> None:
    """A run none of whose documents has a cost is evaluated at the default effort, with a warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        diveval.evaluate({"1": {"a": {"d1": 1}}}, {"A": {"1": ["d1"]}, "B": {"1": ["x"]}}, "RBU", efforts=costs)
    assert sum("cost" in str(warning.message) for warning in caught) == warned


def test_runs_of_the_same_name_are_named_by_their_paths(tmp_path: Path) -> None:
    """Two files called x.run are named by their paths."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.run").write_text("1 Q0 d1 1 1 t\n")
    scores = diveval.evaluate({"1": {"d1": 1}}, [tmp_path / "a" / "x.run", tmp_path / "b" / "x.run"], "P@1")
    assert scores.runs == (str(tmp_path / "a" / "x.run"), str(tmp_path / "b" / "x.run"))


def test_contradictions_of_rank_and_score_get_a_warning(tmp_path: Path) -> None:
    """One warning per file says in how many topics rank and score disagree, and which was used."""
    (tmp_path / "r").write_text("1 Q0 d1 1 1 t\n1 Q0 d2 2 2 t\n2 Q0 d3 1 1 t\n")
    with warns("rank-contradicts-score", "1", "2", "--order"):
        scores = diveval.evaluate({"1": {"d1": 1}, "2": {"d3": 1}}, tmp_path / "r", "P@1")
    assert scores.per_topic("r") == {"1": 0.0, "2": 1.0}


def test_scores_are_selected_by_name() -> None:
    """`select` and `array` return the named part; an unknown name gets a suggestion."""
    scores = diveval.evaluate(
        JUDGMENTS, {"A": {t: ["d1"] for t in "123"}, "B": {t: ["d3"] for t in "123"}}, ["RR", "P@1"]
    )
    small = scores.select(runs=["B"], metrics=["P@1"], topics=["2"])
    assert small.values.tolist() == [[[1.0]]]
    assert (scores.array("Precision@1") == scores.array("P@1")).all()
    with refuses("unknown-metric", "P@1"):
        scores.array("P@2")
    with refuses("no-metric"):
        scores.array()


def test_scores_go_to_frames_json_and_latex(tmp_path: Path) -> None:
    """Every export has the same numbers, and LaTeX escapes names."""
    scores = diveval.evaluate({"1": {"d1": 1}}, {"a_b": {"1": ["d1"]}, "c&d": {"1": ["x", "d1"]}}, ["RR"])
    assert scores.to_pandas()["value"].tolist() == [1.0, 0.5]
    assert scores.to_polars()["value"].to_list() == [1.0, 0.5]
    latex = scores.to_latex(tmp_path / "t.tex")
    assert (
        r"a\_b & \textbf{1.0000}" in latex and r"c\&d & 0.5000" in latex and (tmp_path / "t.tex").read_text() == latex
    )
    assert '"a_b": {\n   "RR": 1.0' in scores.to_json()


def test_judgments_without_a_relevant_document_get_a_warning() -> None:
    """Judgments without a relevant document score 0, or minus the effort, with a warning."""
    with warns("nothing-relevant"):
        scores = diveval.evaluate({"1": {"a": {"d": -2}}}, {"1": ["d"]}, ["AP", "RBU(p=0.5,e=0.1)"])
    assert scores.values[0, :, 0].tolist() == [0.0, pytest.approx(-0.05)]


def many_runs(tmp_path: Path, count: Any) -> Any:
    """Different run files for one topic."""
    (tmp_path / "qrels").write_text("1 a d0 1\n1 b d1 2\n")
    documents = ["d0", "d1", "d2", "d3"]
    for i in range(count):
        order = [documents[(i + k) % 4] for k in range(1 + i % 3)]
        lines = [f"1 Q0 {document} {rank} {9 - rank} t\n" for rank, document in enumerate(order, start=1)]
        (tmp_path / f"r{i:03}").write_text("".join(lines))
    return tmp_path / "qrels", sorted(tmp_path.glob("r*"))


@pytest.mark.parametrize("residuals", [False, True])
def test_many_runs_score_as_each_alone(tmp_path: Path, residuals: bool) -> None:
    """Runs are scored in batches, with the values of each run alone."""
    qrels, runs = many_runs(tmp_path, 2 * RUNS_AT_ONCE + 3)
    metrics = ["RBU", "alpha_nDCG@2", "ndeval.NRBP"] if not residuals else ["RBU", "ERR_IA"]
    together = diveval.evaluate(qrels, runs, metrics, residuals=residuals, jobs=2)
    assert together.runs == tuple(run.name for run in runs)
    for r, run in enumerate(runs):
        alone = diveval.evaluate(qrels, run, metrics, residuals=residuals)
        assert alone.metrics == together.metrics
        np.testing.assert_array_equal(together.values[r], alone.values[0])


def test_the_first_bad_file_is_named_whatever_the_number_of_jobs(tmp_path: Path) -> None:
    """The error names the first bad file in the order given."""
    qrels, runs = many_runs(tmp_path, 12)
    for bad in (runs[4], runs[5]):
        bad.write_text("1 Q0 d0 1 nine t\n")
    for jobs in (1, 2, 5):
        with refuses("not-a-number", "r004"):
            diveval.evaluate(qrels, runs, "RBU", jobs=jobs)
