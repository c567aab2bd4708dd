"""Tables of pandas, polars, Arrow and DuckDB, and pytrec_eval's dicts: in wherever judgments or runs go, and out."""

from __future__ import annotations

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import pytrec_eval

import diveval
from diveval.errors import InputError, UsageError
from diveval.reading.shapes import as_runs

METRICS = ["RBU(p=0.9,e=0.05)@20", "alpha_nDCG(alpha=0.5)@10", "P@5"]


@pytest.fixture(scope="module")
def tables():
    """Judgments of three aspects with weights, and two runs, as plain columns."""
    rng = np.random.default_rng(9)
    judged: dict[str, list] = {"query_id": [], "subtopic_id": [], "doc_id": [], "relevance": [], "weight": []}
    listed: dict[str, list] = {"run": [], "query_id": [], "doc_id": [], "score": []}
    for topic in ("11", "12", "13"):
        for aspect, weight in (("x", 0.5), ("y", 0.3), ("z", 0.2)):
            for document in rng.choice(50, 20, replace=False):
                row = (topic, aspect, f"d{document}", int(rng.integers(0, 4)), weight)
                for column, value in zip(judged.values(), row, strict=True):
                    column.append(value)
        for run in ("first", "second"):
            for document, score in zip(rng.permutation(50)[:30], rng.random(30), strict=True):
                for column, value in zip(listed.values(), (run, topic, f"d{document}", float(score)), strict=True):
                    column.append(value)
    return judged, listed


@pytest.fixture(scope="module")
def expected(tables):
    """The same from plain rows."""
    judged, listed = tables
    rows = zip(judged["query_id"], judged["subtopic_id"], judged["doc_id"], judged["relevance"], strict=True)
    weights = {(t, a): w for t, a, w in zip(judged["query_id"], judged["subtopic_id"], judged["weight"], strict=True)}
    judgments = diveval.Judgments.from_rows(rows, weights=weights)
    runs = [
        diveval.Run.from_rows(
            [(t, d, s) for r, t, d, s in zip(*listed.values(), strict=True) if r == name], name=name
        )
        for name in ("first", "second")
    ]
    return diveval.evaluate(judgments, runs, METRICS)


LIBRARIES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars lazy": lambda table: pl.DataFrame(table).lazy(),
    "arrow": pa.table,
    "duckdb": lambda table: duckdb.from_arrow(pa.table(table)),
    "arrow stream": lambda table: Stream(pa.table(table)),
}


class Stream:
    """Anything that hands its columns out through Arrow's C interface, and nothing else."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_gives_the_same_scores(library, tables, expected):
    """The same columns in any library are the same judgments and runs, to the last bit."""
    made = [LIBRARIES[library](table) for table in tables]
    scores = diveval.evaluate(made[0], made[1], METRICS)
    assert scores.runs == expected.runs
    np.testing.assert_array_equal(scores.values, expected.values)


def test_columns_are_mapped_by_argument(tables, expected):
    """Names nobody could guess are named by the caller, and a wrong name is one clear line."""
    judged, listed = (pd.DataFrame(table) for table in tables)
    odd = judged.rename(columns={"query_id": "thema", "subtopic_id": "sicht", "doc_id": "text", "relevance": "note"})
    columns = {"topic": "thema", "aspect": "sicht", "document": "text", "grade": "note"}
    judgments = diveval.as_judgments(odd, columns=columns)
    runs = as_runs(listed.rename(columns={"doc_id": "text", "run": "wer"}), columns={"document": "text", "run": "wer"})
    np.testing.assert_array_equal(diveval.evaluate(judgments, runs, METRICS).values, expected.values)
    with pytest.raises(InputError, match=r"no topic column: expected one of topic, query_id.*name it with columns"):
        diveval.as_judgments(odd)
    with pytest.raises(UsageError, match="the frame has no column 'thma'"):
        diveval.as_judgments(odd, columns={**columns, "topic": "thma"})
    with pytest.raises(UsageError, match="got 'thema'"):
        diveval.as_judgments(odd, columns={"thema": "topic"})


def test_ranks_order_a_frame_without_scores():
    """A rank column is the order where there is no score; without both, the rows are."""
    judgments = {"1": {"a": {"x": 1}}}
    by_rank = pd.DataFrame({"qid": ["1"] * 3, "docno": ["p", "q", "x"], "rank": [3, 2, 1]})
    assert diveval.evaluate(judgments, by_rank, "RR").mean()["run"]["RR"] == 1.0
    assert diveval.evaluate(judgments, by_rank.drop(columns="rank"), "RR").mean()["run"]["RR"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": [1.0, float("nan")]}, "a score is a finite number, got nan"),
        ({"doc_id": ["a", None]}, "an id .* is missing"),
    ],
)
def test_broken_cells_are_one_clear_line(change, message):
    """A missing id or score is an error, never a silent zero."""
    frame = pl.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"], "score": [2.0, 1.0], **change})
    with pytest.raises(InputError, match=message):
        diveval.evaluate({"1": {"t": {"a": 1}}}, frame, "RBU")


def test_two_weights_for_an_aspect_are_an_error():
    """Weights stand on every row of an aspect and must agree."""
    frame = pd.DataFrame({"topic": ["1", "1"], "aspect": ["a", "a"], "document": ["x", "y"], "grade": [1, 1]})
    with pytest.raises(InputError, match="two different weights"):
        diveval.as_judgments(frame.assign(weight=[0.5, 0.6]))


def test_scores_go_back_to_every_library(expected):
    """Each export holds the same rows."""
    rows = list(expected.rows(mean=False))
    frames = [expected.to_pandas(), expected.to_polars(), expected.to_arrow(), expected.to_duckdb().to_arrow_table()]
    for frame in frames:
        table = nw.from_native(frame, eager_only=True)
        assert table.columns == ["run", "metric", "topic", "value"]
        assert list(zip(*(table[name].to_list() for name in table.columns), strict=True)) == rows
    nested = expected.to_dict()
    assert [(r, m, t, v) for r in nested for m in nested[r] for t, v in nested[r][m].items()] == rows
    by_topic = expected.to_pytrec_eval()
    assert all(by_topic[r][t][m] == v for r, m, t, v in rows)


def test_a_notebook_shows_the_means(expected):
    """The HTML has each run, each metric and each mean, escaped."""
    html = expected._repr_html_()
    for run, values in expected.mean().items():
        assert f'<th scope="row">{run}</th>' in html
        assert all(f"{value:.4f}" in html for value in values.values())
    odd = diveval.Scores.of(np.zeros((60, 1, 1)), runs=[f"<b>{i}" for i in range(60)], metrics=["m"], topics=["1"])
    assert "&lt;b&gt;0" in odd._repr_html_()
    assert "and 10 more runs" in odd._repr_html_()


def test_pytrec_eval_dicts_in_and_out():
    """Its qrels and runs are taken as they are for ad hoc metrics, and its own numbers come out the same."""
    qrels = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1, "d": 1}}
    run = {"q1": {"a": 1.0, "x": 0.9, "c": 0.5}, "q2": {"d": 0.1, "a": 0.7}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map", "P.5"}).evaluate(run)
    scores = diveval.evaluate(qrels, run, ["trec_eval.map", "trec_eval.P_5"]).to_pytrec_eval()["run"]
    for topic, values in theirs.items():
        assert scores[topic]["trec_eval.map"] == pytest.approx(values["map"], abs=1e-12)
        assert scores[topic]["trec_eval.P_5"] == pytest.approx(values["P_5"], abs=1e-12)


def test_flat_dicts_cannot_carry_aspects():
    """A metric of aspects on a dict of one grade a document is refused, with the remedies; each remedy works."""
    flat = {"q1": {"a": 1, "c": 2}}
    run = {"q1": {"a": 1.0, "c": 0.5}}
    with pytest.raises(UsageError, match=r"RBU.* needs aspects, but a dict .*; give \{topic: \{aspect"):
        diveval.evaluate(flat, run, ["P@5", "RBU"])
    one = diveval.evaluate(diveval.as_judgments(flat), run, "RBU").values
    same = diveval.evaluate({"q1": {"0": flat["q1"]}}, run, "RBU").values
    np.testing.assert_array_equal(one, same)


def test_a_notebook_shows_statistical_results(expected):
    """Unanimity and its kin have a table for the notebook, with a dash where there is no value."""
    from diveval.meta.unanimity import unanimity

    html = unanimity(expected, bootstrap=0)._repr_html_()
    assert "<caption>Unanimity</caption>" in html
    assert all(f'<th scope="row">{metric}</th>' in html for metric in expected.metrics)
    assert "<td>–</td>" in html
