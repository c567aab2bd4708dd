"""Tables of pandas, polars, Arrow and DuckDB, and pytrec_eval's dicts, as judgments, runs and exports."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import diveval
from diveval.reading.objects import as_runs
from diveval.system import scanner
from support.late import late
from support.refusals import has_facts, refuses, warns

duckdb = late("duckdb")
nw = late("narwhals")
pd = late("pandas")
pl = late("polars")
pa = late("pyarrow")
pytrec_eval = late("pytrec_eval")

METRICS = ["RBU(p=0.9,e=0.05)@20", "alpha_nDCG(alpha=0.5)@10", "P@5"]


@pytest.fixture(scope="module")
def tables() -> Any:
    """Judgments of three aspects with weights, and two runs, as plain columns."""
    rng = np.random.default_rng(9)
    judged: dict[str, list[Any]] = {"query_id": [], "subtopic_id": [], "doc_id": [], "relevance": [], "weight": []}
    listed: dict[str, list[Any]] = {"run": [], "query_id": [], "doc_id": [], "score": []}
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
def expected(tables: Any) -> Any:
    """The scores of the same data as plain rows."""
    judged, listed = tables
    rows = zip(judged["query_id"], judged["subtopic_id"], judged["doc_id"], judged["relevance"], strict=True)
    weights = {(t, a): w for t, a, w in zip(judged["query_id"], judged["subtopic_id"], judged["weight"], strict=True)}
    judgments = diveval.Judgments.from_rows(rows, weights=weights)
    runs = [
        diveval.Run.from_rows([(t, d, s) for r, t, d, s in zip(*listed.values(), strict=True) if r == name], name=name)
        for name in ("first", "second")
    ]
    return diveval.evaluate(judgments, runs, METRICS)


def pandas_frame(table: Any) -> Any:
    return pd.DataFrame(table)


def polars_frame(table: Any) -> Any:
    return pl.DataFrame(table)


def arrow_table(table: Any) -> Any:
    return pa.table(table)


LIBRARIES: dict[str, Callable[[Any], Any]] = {
    "pandas": pandas_frame,
    "polars": polars_frame,
    "polars lazy": lambda table: pl.DataFrame(table).lazy(),
    "arrow": arrow_table,
    "duckdb": lambda table: duckdb.from_arrow(pa.table(table)),
    "arrow stream": lambda table: Stream(pa.table(table)),
}
EAGER = [pandas_frame, polars_frame, arrow_table]


class Stream:
    """An object that offers its columns through Arrow's C interface only."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_gives_the_same_scores(library: Any, tables: Any, expected: Any) -> None:
    """The same columns in any library give identical scores."""
    frames = [LIBRARIES[library](table) for table in tables]
    scores = diveval.evaluate(frames[0], frames[1], METRICS)
    assert scores.runs == expected.runs
    np.testing.assert_array_equal(scores.values, expected.values)


def test_columns_are_mapped_by_argument(tables: Any, expected: Any) -> None:
    """Columns with other names are mapped by `columns`, and a wrong name is an error."""
    judged, listed = (pd.DataFrame(table) for table in tables)
    odd = judged.rename(columns={"query_id": "thema", "subtopic_id": "sicht", "doc_id": "text", "relevance": "note"})
    columns = {"topic": "thema", "aspect": "sicht", "document": "text", "grade": "note"}
    judgments = diveval.as_judgments(odd, columns=columns)
    runs = as_runs(listed.rename(columns={"doc_id": "text", "run": "wer"}), columns={"document": "text", "run": "wer"})
    np.testing.assert_array_equal(diveval.evaluate(judgments, runs, METRICS).values, expected.values)
    with refuses("missing-column", "query_id"):
        diveval.as_judgments(odd)
    with refuses("unknown-column", "thma"):
        diveval.as_judgments(odd, columns={**columns, "topic": "thma"})
    with refuses("unknown-column", "thema"):
        diveval.as_judgments(odd, columns={"thema": "topic"})


def test_ranks_order_a_frame_without_scores() -> None:
    """Without scores the rank column gives the order; without both, the order of the rows."""
    judgments = {"1": {"a": {"x": 1}}}
    by_rank = pd.DataFrame({"qid": ["1"] * 3, "docno": ["p", "q", "x"], "rank": [3, 2, 1]})
    assert diveval.evaluate(judgments, by_rank, "RR").mean()["run"]["RR"] == 1.0
    assert diveval.evaluate(judgments, by_rank.drop(columns="rank"), "RR").mean()["run"]["RR"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"score": [1.0, float("nan")]}, ("not-a-number", "nan")),
        ({"doc_id": ["a", None]}, ("missing-id",)),
    ],
)
def test_missing_cells_are_errors(change: Any, refusal: tuple[str, ...]) -> None:
    """A missing id or score is an error, never a silent 0."""
    frame = pl.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"], "score": [2.0, 1.0], **change})
    with refuses(*refusal):
        diveval.evaluate({"1": {"t": {"a": 1}}}, frame, "RBU")


def test_two_weights_for_an_aspect_are_an_error() -> None:
    """The weights on the rows of an aspect must agree."""
    frame = pd.DataFrame({"topic": ["1", "1"], "aspect": ["a", "a"], "document": ["x", "y"], "grade": [1, 1]})
    with refuses("conflicting-weights"):
        diveval.as_judgments(frame.assign(weight=[0.5, 0.6]))


def test_scores_are_exported_to_every_library(expected: Any) -> None:
    """Each export has the same rows."""
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


def test_the_html_of_scores_shows_the_means(expected: Any) -> None:
    """The HTML has each run, each metric and each mean, escaped, and the number of runs left out."""
    html = expected._repr_html_()
    for run, values in expected.mean().items():
        assert f'<th scope="row">{run}</th>' in html
        assert all(f"{value:.4f}" in html for value in values.values())
    odd = diveval.Scores.of(np.zeros((60, 1, 1)), runs=[f"<b>{i}" for i in range(60)], metrics=["m"], topics=["1"])
    assert "&lt;b&gt;0" in odd._repr_html_()
    assert has_facts(odd._repr_html_(), 10)


def test_pytrec_eval_dicts_in_and_out() -> None:
    """Its qrels and runs are accepted for ad hoc metrics, and its values are reproduced."""
    qrels = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1, "d": 1}}
    run = {"q1": {"a": 1.0, "x": 0.9, "c": 0.5}, "q2": {"d": 0.1, "a": 0.7}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map", "P.5"}).evaluate(run)
    scores = diveval.evaluate(qrels, run, ["trec_eval.map", "trec_eval.P_5"]).to_pytrec_eval()["run"]
    for topic, values in theirs.items():
        assert scores[topic]["trec_eval.map"] == pytest.approx(values["map"], abs=1e-12)
        assert scores[topic]["trec_eval.P_5"] == pytest.approx(values["P_5"], abs=1e-12)


def test_flat_dicts_cannot_carry_aspects() -> None:
    """A metric of aspects on a dict without aspects is an error; both remedies it names work."""
    flat = {"q1": {"a": 1, "c": 2}}
    run = {"q1": {"a": 1.0, "c": 0.5}}
    with refuses("metric-needs-aspects", "RBU"):
        diveval.evaluate(flat, run, ["P@5", "RBU"])
    converted = diveval.evaluate(diveval.as_judgments(flat), run, "RBU").values
    nested = diveval.evaluate({"q1": {"0": flat["q1"]}}, run, "RBU").values
    np.testing.assert_array_equal(converted, nested)


def test_the_html_of_statistical_results(expected: Any) -> None:
    """Unanimity has an HTML table, with a dash where there is no value."""
    from diveval.meta.unanimity import unanimity

    html = unanimity(expected, bootstrap=0)._repr_html_()
    assert "<caption>Unanimity</caption>" in html
    assert all(f'<th scope="row">{metric}</th>' in html for metric in expected.metrics)
    assert "<td>–</td>" in html


MOVIES = {
    "user_id": [1, 1, 2],
    "movieId": [10, 11, 10],
    "rating": [4.0, 2.0, 1.0],
    "genres": ["Drama|Comedy", "Drama", "War"],
}
LISTS = {"user_id": [1, 1, 2], "movieId": [11, 10, 10], "score": [0.9, 0.5, 0.1]}


@pytest.mark.parametrize("make", EAGER)
def test_a_column_may_hold_several_aspects(make: Any) -> None:
    """Aspects joined as text or in lists give the same as one row per aspect."""
    columns = {"aspect": "genres"}
    joined = diveval.evaluate(make(MOVIES), make(LISTS), ["alpha_nDCG@5", "StRecall@5"], columns=columns)
    lists = make({**MOVIES, "genres": [["Drama", "Comedy"], ["Drama"], ["War"]]})
    in_lists = diveval.evaluate(lists, make(LISTS), ["alpha_nDCG@5", "StRecall@5"], columns=columns)
    rows = {
        "topic": ["1", "1", "1", "2"],
        "aspect": ["Drama", "Comedy", "Drama", "War"],
        "document": ["10", "10", "11", "10"],
        "grade": [4, 4, 2, 1],
    }
    plain = diveval.evaluate(make(rows), make(LISTS), ["alpha_nDCG@5", "StRecall@5"])
    by_argument = diveval.evaluate(lists, make(LISTS), ["alpha_nDCG@5", "StRecall@5"], aspect="genres")
    assert by_argument.values.tolist() == joined.values.tolist()
    with refuses("conflicting-options"):
        diveval.evaluate(lists, make(LISTS), "P@1", aspect="genres", columns={"aspect": "other"})
    assert joined.topics == plain.topics == ("1", "2")
    assert joined.values.tolist() == in_lists.values.tolist() == plain.values.tolist()


@pytest.mark.parametrize("make", EAGER)
def test_columns_that_look_like_aspects_or_runs_must_be_named(make: Any) -> None:
    """A column that may be aspects or runs is an error unless `columns` names it."""
    with refuses("ambiguous-column", "genres", "aspect", "columns="):
        diveval.evaluate(make(MOVIES), make(LISTS), "P@1")
    judged = make({name: values for name, values in MOVIES.items() if name != "genres"})
    for name in ("system", "method", "name", "Model"):
        with refuses("ambiguous-column", name):
            diveval.evaluate(judged, make({**LISTS, name: ["a", "a", "b"]}), "P@1")
    two = make({**LISTS, "model": ["a", "a", "b"]})
    with refuses("ambiguous-column", "model"):
        diveval.evaluate(judged, two, "P@1")
    with warns("missing-topics", "1", "2"):
        scores = diveval.evaluate(judged, {"mine": two}, "P@1", columns={"run": "model"})
    assert scores.runs == ("mine:a", "mine:b")
    with refuses("unknown-column", "nothing"):
        diveval.evaluate(judged, make(LISTS), "P@1", columns={"score": "nothing"})


@pytest.mark.parametrize("make", EAGER)
def test_missing_ids_are_errors_and_decimals_are_numbers(make: Any) -> None:
    """A missing id is an error in every library, and a grade may be a Decimal."""
    with refuses("missing-id"):
        diveval.evaluate(make({"qid": ["1", "1"], "docno": ["x", None], "label": [1, 1]}), make(LISTS), "P@1")
    judged = make({"user_id": [1], "item_id": [11], "rating": [Decimal("1.5")]})
    assert diveval.evaluate(judged, make({**LISTS, "user_id": [1, 1, 1], "movieId": [11, 10, 9]}), "P@1").mean() == {
        "run": {"P@1": 1.0}
    }


@pytest.mark.parametrize("make", EAGER)
def test_integer_ids_are_the_same_in_any_type(make: Any) -> None:
    """pandas turns integers into floats if a cell is empty: 10.0 is the document 10."""
    judged = make({"user_id": [1.0, 1.0], "item_id": [10.0, 11.0], "rating": [1.0, 0.0]})
    scores = diveval.evaluate(judged, make({"user_id": [1, 1], "item_id": [10, 11], "score": [0.9, 0.5]}), "P@1")
    assert scores.topics == ("1",) and scores.mean() == {"run": {"P@1": 1.0}}


@pytest.mark.parametrize("layout", ["string", "large_string", "string_view", "dictionary"])
def test_text_columns_in_any_layout(layout: str) -> None:
    """Joined aspects, text as grade and empty ids are treated the same in every Arrow layout."""
    kind = pa.dictionary(pa.int32(), pa.string()) if layout == "dictionary" else getattr(pa, layout)()
    listed = pa.table({"topic": ["1", "1"], "document": ["x", "y"], "score": [2.0, 1.0]})
    judged: dict[str, list[Any]] = {
        "topic": ["1", "1"],
        "document": ["x", "y"],
        "grade": [1, 1],
        "genres": ["a|b", "b"],
    }
    judgments = pa.table({name: pa.array(v).cast(kind) if isinstance(v[0], str) else v for name, v in judged.items()})
    means = diveval.evaluate(judgments, listed, "StRecall@1", aspect="genres").mean()
    assert means == {"run": {"StRecall@1": 1.0}}
    with refuses("not-a-number"):
        diveval.evaluate(judgments.drop(["grade"]).rename_columns(["topic", "document", "grade"]), listed, "P@1")
    for name in ("topic", "document"):
        empty = listed.set_column(listed.column_names.index(name), name, pa.array(["", "1"]).cast(kind))
        with refuses("missing-id", name):
            diveval.evaluate(judgments, empty, "P@1", aspect="genres")


def test_a_table_that_exceeds_its_buffers_is_an_error() -> None:
    """The compiled scanner checks offsets, views and indices before it uses them."""
    compiled = scanner.load()
    if compiled is None:
        pytest.skip("needs the compiled scanner")
    text, rows = b"abc", np.array([0, 1, 3], dtype=np.int32).tobytes()
    valid = (0, 2, 0, rows, (text,), None)
    codes, names = compiled.intern(scanner.random_key(), (valid,))
    assert np.frombuffer(codes, dtype=np.int32).tolist() == [0, 1] and names[0] == text
    view = np.array([13, 0, 0, 1], dtype=np.int32).tobytes()  # 13 bytes from the second on, of three
    for invalid in (
        (0, 3, 0, rows, (text,), None),
        (0, 2, 1, rows, (text,), None),
        (0, 2, 0, np.array([0, 4, 3], dtype=np.int32).tobytes(), (text,), None),
        (0, 2, 0, np.array([0, 1, 4], dtype=np.int32).tobytes(), (text,), None),
        (1, 1, 0, np.array([-1, 1], dtype=np.int64).tobytes(), (text,), None),
        (2, 1, 0, view, (text,), None),
        (2, 1, 0, np.array([-1, 0, 0, 0], dtype=np.int32).tobytes(), (), None),
        (0, 2, 0, rows, (text,), (1, 2, 0, bytes([0, 2]))),
        (0, 2, 0, rows, (text,), (1, 3, 0, bytes([0, 1]))),
        (0, 2, 0, rows, (text,), (3, 1, 0, bytes([0, 1, 0]))),
        (7, 0, 0, rows, (text,), None),
    ):
        with pytest.raises(ValueError):
            compiled.intern(scanner.random_key(), (invalid,))
