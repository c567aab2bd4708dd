"""Judgments and runs from memory: an invalid object is a one-line error with what was expected and what was given."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import diveval
from diveval.collection.judgments import LARGEST_MATRIX, Judgments, TopicJudgments
from diveval.collection.runs import Run
from diveval.reading import read_judgments, read_run, run_name
from diveval.reading.objects import as_judgments, as_run, as_runs
from diveval.reading.parquet import read_runs
from diveval.results.scores import Scores
from diveval.settings import Options
from support.refusals import refuses


class Scored(NamedTuple):
    query_id: str
    doc_id: str
    score: float


ROWS = [("1", "0", "x", 1.0), ("1", "0", "y", 0.0)]


@pytest.mark.parametrize(
    ("call", "refusal"),
    [
        (
            lambda: as_judgments(3),  # type: ignore[arg-type]
            ("wrong-type",),
        ),
        (lambda: as_judgments({"1": ["x"]}), ("wrong-type", "1")),
        (lambda: as_judgments([("1", "x", 1)]), ("wrong-type",)),
        (lambda: as_judgments({"1": {"x": "high"}}), ("not-a-number", "x", "high")),
        (lambda: as_judgments({"1": {"x": float("nan")}}), ("not-a-number", "x")),
        (lambda: as_judgments([(None, "a", "x", 1)]), ("missing-id",)),
        (lambda: as_judgments({}), ("no-judgment",)),
        (
            lambda: as_judgments({"1": {"x": 1}}, duplicates="worst"),  # type: ignore[arg-type]
            ("invalid-choice", "worst"),
        ),
        (
            lambda: as_runs(3),  # type: ignore[arg-type]
            ("wrong-type",),
        ),
        (lambda: as_runs([]), ("no-run",)),
        (
            lambda: as_run(3),  # type: ignore[arg-type]
            ("wrong-type",),
        ),
        (lambda: as_run({"1": {"x": float("inf")}}), ("not-a-number",)),
        (
            lambda: Run.from_rows([("1", "x", 1.0), ("1", "y", float("nan"))]),
            ("not-a-number", "y"),
        ),
        (lambda: Judgments.from_rows(ROWS).with_weights({("1", "0"): -1.0}), ("invalid-weight", "0", "-1")),
        (lambda: Options.of(jobs=0), ("out-of-range", "1")),
        (
            lambda: Scores.of([[0.5]], runs=["r"], metrics=["P"], topics=["1"]),
            ("wrong-shape", "×", "=", "1"),
        ),
        (
            lambda: Scores.of([[[0.5]]], runs=["bm25"], metrics=["P"], topics=["1"]).per_topic("bm26"),
            ("unknown-run", "bm25"),
        ),
    ],
)
def test_an_invalid_object_is_a_one_line_error(call: Any, refusal: tuple[str, ...]) -> None:
    """The error says what was expected and what was given."""
    with refuses(*refusal) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_own_objects_and_scored_documents_are_accepted() -> None:
    """Judgments and runs pass through; scored documents of ir_measures are a run."""
    judgments, run = Judgments.from_rows(ROWS), Run.from_rows([("1", "x", 1.0)])
    assert as_judgments(judgments) is judgments and as_run(run) is run
    scored = [Scored("1", "x", 2.0), Scored("1", "y", 1.0)]
    for converted in (as_run(iter(scored), name="r"), as_runs(scored)[0]):
        assert isinstance(converted, Run) and list(converted.topics["1"].documents) == ["x", "y"]


def test_runs_by_name_may_be_files(tmp_path: Path) -> None:
    """{name: path} reads the file and gives the run that name."""
    (tmp_path / "a.run").write_text("1 Q0 x 1 1.0 tag\n")
    runs = as_runs({"mine": str(tmp_path / "a.run"), "other": {"1": ["x"]}})
    assert [run.name if isinstance(run, Run) else run_name(run) for run in runs] == ["mine", "other"]


def test_a_topic_too_large_for_memory_is_refused() -> None:
    """Aspects × documents beyond the limit are an error that names the topic and the sizes."""
    side = int(LARGEST_MATRIX**0.5) + 1
    names = tuple(map(str, range(side)))
    one = Judgments.from_rows([("1", "0", "x", 1.0)]).topics["1"]
    with refuses("topic-too-large", side, side):
        TopicJudgments("1", names, names, one.columns, one.rows, one.grades).matrix()


def test_a_frame_of_an_unknown_library_is_an_error() -> None:
    """The error names the type of the object."""
    odd = type("Table", (), {"columns": ["topic", "document", "grade"], "__dataframe__": None})()
    with refuses("wrong-type"):
        as_judgments(odd)


def test_two_weights_of_one_aspect_are_an_error() -> None:
    """The weights on the rows of an aspect must agree; empty cells give no weight."""
    table = {"topic": ["1", "1"], "aspect": ["a", "a"], "document": ["x", "y"], "grade": [1, 0]}
    with refuses("conflicting-weights", "1", "a"):
        as_judgments(pa.table({**table, "weight": [0.5, 0.6]}))
    assert as_judgments(pa.table({**table, "weight": pa.array([None, None], pa.float64())})).aspect_weights() == {}


def test_compressed_files_without_the_extras(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """gz needs no extra; the error for zst names its library."""
    (tmp_path / "q.gz").write_bytes(gzip.compress(b"1 0 x 1\n"))
    (tmp_path / "q.zst").write_bytes(pytest.importorskip("zstandard").ZstdCompressor().compress(b"1 0 x 1\n"))
    monkeypatch.setitem(sys.modules, "isal.igzip", None)
    monkeypatch.setitem(sys.modules, "isal", None)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    assert list(read_judgments(tmp_path / "q.gz").rows()) == [("1", "0", "x", 1.0)]
    with refuses("missing-extra", "q.zst", "diveval[zstd"):
        read_judgments(tmp_path / "q.zst")


def test_parquet_runs_are_named_by_column_or_file(tmp_path: Path) -> None:
    """Without a run column the file is one run; two runs where one is expected, and no rows, are errors."""
    bare = pa.table({"topic": ["1"], "document": ["x"], "score": [1.0]})
    pq.write_table(bare, tmp_path / "mine.parquet")
    assert [run.name for run in read_runs(tmp_path / "mine.parquet")] == ["mine"]
    assert read_run(tmp_path / "mine.parquet", name="called").name == "called"
    pq.write_table(pa.concat_tables([bare.append_column("run", pa.array([n])) for n in "ab"]), tmp_path / "two.parquet")
    with refuses("wrong-number-of-runs", "2"):
        read_run(tmp_path / "two.parquet")
    pq.write_table(bare.slice(0, 0).append_column("run", pa.array([], pa.string())), tmp_path / "none.parquet")
    with refuses("empty-input"):
        read_runs(tmp_path / "none.parquet")


@pytest.mark.parametrize("cell", [["d1"], {"id": "d1"}], ids=["list", "record"])
def test_a_document_cannot_be_a_list_or_a_record(cell: Any) -> None:
    """In a table of any library this is an input error."""
    arrow, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    table = arrow.table({"topic": ["1"], "document": [cell], "score": [1.0]})
    for frame in (table, pandas.DataFrame({"topic": ["1"], "document": [cell], "score": [1.0]})):
        with refuses("invalid-id"):
            diveval.evaluate({"1": {"d1": 1}}, frame, "P@1")


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    """Neither column may be ignored silently."""
    arrow, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    names = ["topic", "document", "document", "score"]
    table = arrow.table([["1"], ["d1"], ["d2"], [1.0]], names=names)
    pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "x.parquet")
    frame = pandas.DataFrame([["1", "d1", "d2", 1.0]], columns=names)
    for run in (table, table.to_batches()[0], table.to_reader(), frame, tmp_path / "x.parquet"):
        with refuses("duplicate-column", "document"):
            diveval.evaluate({"1": {"d1": 1}}, run, "P@1")
