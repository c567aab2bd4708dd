"""Public objects as users of pandas and ir_measures expect them: metrics, scores, judgments, runs, statements."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diveval
from diveval.errors import UsageError
from diveval.metrics.compat import TOOLS
from diveval.metrics.metric import Entry, Metric
from diveval.metrics.names import entries
from diveval.results.scores import Scores
from diveval.results.statements import Statement, words
from support.refusals import refuses

JUDGMENTS = {"1": {"a": {"d1": 1, "d5": 0}, "b": {"d2": 2}}, "2": {"a": {"d3": 1}}, "3": {"a": {"d4": 1}}}
RUNS = {"A": {"1": ["d1", "x"], "2": ["x", "d3"], "3": ["d4"]}, "B": {"1": ["x"], "2": ["d3"], "3": ["d4"]}}


@pytest.fixture(scope="module")
def scores() -> Scores:
    """Two runs, two metrics, three topics."""
    return diveval.evaluate(JUDGMENTS, RUNS, [diveval.RBU(p=0.9) @ 20, diveval.nDCG @ 10])


# --- metrics ----------------------------------------------------------------------------------------------------------


def test_every_metric_of_the_catalogue_is_an_object() -> None:
    """Each name gives the metric of its text, with and without a cutoff; `dir` lists all names."""
    for name, entry in entries().items():
        tool, _, word = name.rpartition(".")
        item = getattr(getattr(diveval, tool), word) if tool else getattr(diveval, name)
        if entry.cutoffs == "needed":
            assert isinstance(item, Entry)
        else:
            assert item == diveval.parse(name) and hash(item) == hash(diveval.parse(name)) and repr(item) == str(item)
        if entry.cutoffs:
            at = item @ 7
            assert at == diveval.parse(at.name) and repr(at) == at.name and at.cutoff == 7
    assert {name.partition(".")[0] for name in entries()} <= set(dir(diveval))
    assert all(dir(getattr(diveval, tool)) for tool in TOOLS)


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (diveval.RBU(p=0.9, e=0.01) @ 20, "RBU(p=0.9,e=0.01)@20"),
        ((diveval.RBU @ 20)(p=0.5), "RBU(p=0.5)@20"),
        (diveval.nDCG @ 10, "nDCG@10"),
        (diveval.alpha_nDCG(alpha=0.3) @ 20, "alpha_nDCG(alpha=0.3)@20"),
        (diveval.ndeval.alpha_nDCG(alpha=0.3) @ 20, "ndeval.alpha_nDCG(alpha=0.3)@20"),
        (diveval.trec_eval.P @ 10, "trec_eval.P_10"),
        (diveval.RBU(), "RBU"),
    ],
)
def test_parameters_and_cutoffs_are_those_of_the_text(item: Metric, text: str) -> None:
    """Parameters by name and a cutoff by @ give the metric that the text names."""
    assert item == diveval.parse(text) and hash(item) == hash(diveval.parse(text))
    assert diveval.evaluate(JUDGMENTS, RUNS, item) == diveval.evaluate(JUDGMENTS, RUNS, text)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: diveval.RBU(q=1), "unknown-parameter"),
        (lambda: diveval.RBU @ 0, "invalid-cutoff"),
        (lambda: diveval.RBU @ 1.5, "invalid-cutoff"),  # type: ignore[operator]
        (lambda: diveval.ndeval.NRBP @ 5, "cutoff-not-taken"),
        (lambda: diveval.evaluate(JUDGMENTS, RUNS, diveval.ndeval.P_IA), "cutoff-needed"),
        (lambda: diveval.metrics("no-such-tool"), "invalid-choice"),
    ],
)
def test_wrong_parameters_and_cutoffs_are_refused(make: Any, code: str) -> None:
    """A wrong name, a wrong cutoff and a missing one have the codes of the text."""
    with pytest.raises(UsageError) as caught:
        make()
    assert caught.value.code == code


def test_a_metric_still_scores_a_small_ranking() -> None:
    """Rows of relevance are scored, names set parameters."""
    metric = diveval.P @ 2
    assert metric([[1.0], [0.0]]) == 0.5
    assert diveval.RBU(p=0.5)([[1.0]]) < diveval.RBU(p=0.9)([[1.0]])


def test_the_catalogue_is_a_result() -> None:
    """`metrics()` lists our metrics, with a tool that tool's, and `all` everything."""
    assert diveval.metrics().columns()["name"] == [name for name in entries() if "." not in name]
    assert diveval.metrics("all").columns()["name"] == list(entries())
    assert all(str(name).startswith("gdeval.") for name in diveval.metrics("gdeval").columns()["name"])


# --- scores, judgments, runs ------------------------------------------------------------------------------------------


def test_scores_are_read_by_run_metric_and_topic(scores: Scores) -> None:
    """`len` and iteration are over runs; a key is a run, a run and a metric, or a topic too."""
    assert len(scores) == 2 and list(scores) == ["A", "B"] and "A" in scores
    assert scores["A"] == scores.select(runs=["A"]) != scores["B"]
    assert scores["A", "nDCG@10"] == scores["A", diveval.nDCG @ 10] == scores.mean()["A"]["nDCG@10"]
    assert scores["A", "nDCG@10", "2"] == scores.per_topic("A", "nDCG@10")["2"]
    wrong: tuple[tuple[Any, str], ...] = (
        ("C", "unknown-run"),
        (("C", "nDCG@10"), "unknown-run"),
        (("A", "AP"), "unknown-metric"),
        (("A", "nDCG@10", "9"), "unknown-topic"),
    )
    for key, code in wrong:
        with refuses(code):
            scores[key]


def test_scores_compare_and_hash(scores: Scores) -> None:
    """Equal names and values are equal, NaN too; another value, name or type is not."""
    same = diveval.evaluate(JUDGMENTS, RUNS, [diveval.RBU(p=0.9) @ 20, "nDCG@10"])
    assert scores == same and hash(scores) == hash(same) and len({scores, same}) == 1 and scores != "scores"
    values = np.full((1, 1, 2), np.nan)
    nan = [Scores.of(values.copy(), runs=["r"], metrics=["m"], topics=["1", "2"]) for _ in range(2)]
    assert nan[0] == nan[1] != Scores.of(np.zeros((1, 1, 2)), runs=["r"], metrics=["m"], topics=["1", "2"])
    assert pickle.loads(pickle.dumps(scores)) == scores


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_the_setup_says_how_the_scores_were_made(scores: Scores) -> None:
    """Gain and order per metric, weights, the missing-topic rule, judged shares as `Judged@20`, and the test."""
    mixed = diveval.evaluate(JUDGMENTS, RUNS, ["RBU@20", diveval.ndeval.P_IA @ 5, "Judged@20"], gain="linear")
    setup = mixed.setup
    assert [(m.gain, m.missing_topics) for m in setup.metrics[:2]] == [("linear", "worst"), ("binary", "tool")]
    assert (setup.topics, setup.weights, setup.missing_topics) == (3, "equal", "worst")
    assert setup.judged == pytest.approx({run: mixed[run, "Judged@20"] for run in mixed})
    compared = scores.compare("RBU", test="randomization", resamples=100).setup
    assert (compared.test, compared.correction, compared.family, compared.resamples) == (
        "randomization",
        "holm",
        1,
        100,
    )
    assert compared.judged == scores.setup.judged
    assert mixed["A"].setup.options == setup.options and "relevance" in setup.options


def test_judgments_show_their_data() -> None:
    """`repr` and HTML have the rows; a topic is a dict; frames have one row per judgment."""
    judgments = diveval.as_judgments(JUDGMENTS)
    assert "d1" in repr(judgments) and "d1" in judgments._repr_html_()
    assert {topic: judgments[topic] for topic in judgments} == JUDGMENTS and "9" not in judgments
    assert judgments.to_pandas().values.tolist() == [list(row) for row in judgments.rows()]
    assert judgments.to_polars().rows() == list(judgments.rows())


@pytest.mark.parametrize("form", ["scores", "lists", "file"])
def test_runs_show_their_data_and_can_be_pickled(form: str, tmp_path: Path) -> None:
    """A run from a dict of scores, of lists, or from a file scores the same after pickling; frames have its lines."""
    path = tmp_path / "a.run"
    path.write_text("1 Q0 d1 1 2.5 A\n1 Q0 x 2 1.5 A\n2 Q0 d3 1 1 A\n3 Q0 y 1 1 A\n")
    run = {
        "scores": lambda: diveval.as_run({"1": {"d1": 2.5, "x": 1.5}, "2": {"d3": 1.0}, "3": {"y": 1.0}}),
        "lists": lambda: diveval.as_run({"1": ["d1", "x"], "2": ["d3"], "3": ["y"]}),
        "file": lambda: diveval.read_run(path),
    }[form]()
    again = pickle.loads(pickle.dumps(run))
    assert diveval.evaluate(JUDGMENTS, again, "RBU") == diveval.evaluate(JUDGMENTS, run, "RBU")
    assert repr(again) == repr(run) and "d1" in repr(run) and "d1" in run._repr_html_()
    assert run.to_pandas()["document"].tolist() == run.to_polars()["document"].to_list() == ["d1", "x", "d3", "y"]


def test_a_report_takes_scores_or_judgments_and_runs(scores: Scores, tmp_path: Path) -> None:
    """Scores alone make a page; scores with runs, and judgments without runs, are refused."""
    assert diveval.report(scores, path=tmp_path / "s.html").stat().st_size > 10_000
    with pytest.raises(UsageError) as caught:
        diveval.report(scores, RUNS, tmp_path / "no.html")
    assert caught.value.code == "wrong-type"
    with pytest.raises(UsageError) as caught:
        diveval.report(JUDGMENTS, None, tmp_path / "no.html")
    assert caught.value.code == "no-run"


# --- statements -------------------------------------------------------------------------------------------------------


def test_a_statement_is_printed_from_its_facts_only() -> None:
    """The wording gets the facts and nothing else; evidence travels with them; a kind has one wording."""

    @words("test-leads")
    def leads(run: str, other: str, margin: float) -> str:
        return f"{run} leads {other} by {margin:.2f}."

    said = Statement("test-leads", {"run": "A", "other": "B", "margin": 0.5}, ({"topic": "1", "A": 1.0, "B": 0.5},))
    assert str(said) == leads("A", "B", 0.5) and said.as_dict()["evidence"] == [{"topic": "1", "A": 1.0, "B": 0.5}]
    with pytest.raises(TypeError):
        str(Statement("test-leads", {"run": "A"}))
    with pytest.raises(ValueError, match="test-leads"):
        words("test-leads")(leads)


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_ten_lines_of_a_notebook() -> None:
    """A notebook goes from judgments to a comparison in ten lines; docs/reference/api.md shows them."""
    from diveval import RBU, alpha_nDCG, evaluate

    scores = evaluate(JUDGMENTS, RUNS, [RBU(p=0.9, e=0.01) @ 20, alpha_nDCG @ 20])
    frame = scores.to_pandas()
    best = max(scores, key=lambda run: scores[run, RBU(p=0.9, e=0.01) @ 20])
    compared = scores.compare(RBU(p=0.9, e=0.01) @ 20, baseline="B")
    row = compared.to_pandas().iloc[0]
    assert len(frame) == 12 and best == "A"
    assert row["difference"] == pytest.approx(compared.rows[0].difference)
    assert compared.setup.test == "t" and compared.setup.judged["A"] == scores.setup.judged["A"]
    assert compared.to_markdown().startswith("| run |") and scores._repr_html_().startswith("<table>")
