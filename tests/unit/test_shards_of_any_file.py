"""Parquet files of other tools: unsorted, without statistics, without a run column, without rows."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from diveval.metrics import as_metrics
from diveval.reading.parquet import read_runs
from diveval.scoring.shards import evaluate_parquet, score_shard
from diveval.settings import Options, OrderRule
from diveval.system import processes
from support.late import late
from support.refusals import refuses, warns

pa, pq = late("pyarrow"), late("pyarrow.parquet")

METRICS = ["P@2", "StRecall@2", "RBU(p=0.9,e=0.01)"]


@cache  # not a constant, since making a table imports pandas
def judged_rows() -> Any:
    return pa.table(
        {
            "topic": ["1", "1", "2", "2"],
            "aspect": ["a", "b", "a", "a"],
            "document": ["x", "y", "x", "z"],
            "grade": [1.0, 2.0, 1.0, 0.0],
        }
    )


@cache
def listed_rows() -> Any:
    return pa.table(
        {
            "run": ["r", "r", "r", "s", "s"],
            "topic": ["1", "1", "2", "1", "2"],
            "document": ["x", "q", "z", "y", "x"],
            "score": [2.0, 1.0, 1.0, 1.0, 1.0],
        }
    )


def scored(tmp_path: Path, judged: Any = None, listed: Any = None, **more: Any) -> Any:
    """The means of an evaluation of two files with these tables."""
    pq.write_table(judged_rows() if judged is None else judged, tmp_path / "q.parquet", **more)
    pq.write_table(listed_rows() if listed is None else listed, tmp_path / "r.parquet", **more)
    return evaluate_parquet(tmp_path / "q.parquet", tmp_path / "r.parquet", METRICS).mean()


def test_a_file_of_another_tool_gives_the_same_scores(tmp_path: Path) -> None:
    """Files without statistics or metadata and with rows in any order give the same scores."""
    plain = scored(tmp_path)
    assert plain["r"]["P@2"] == pytest.approx(0.25) and plain["s"]["P@2"] == pytest.approx(0.5)
    assert scored(tmp_path, write_statistics=False) == plain
    shuffled = scored(tmp_path, judged_rows().take([3, 0, 2, 1]), listed_rows().take([4, 0, 3, 2, 1]), row_group_size=1)
    assert list(plain) == ["r", "s"] and shuffled == plain


def test_a_file_without_a_run_column_is_one_run_named_after_the_file(tmp_path: Path) -> None:
    """The run has the name of the file, sorted or not, alone or with another file."""
    alone = listed_rows().filter(pa.compute.equal(listed_rows()["run"], "r"))
    bare = alone.drop_columns("run")
    expected = scored(tmp_path, listed=alone)["r"]
    assert scored(tmp_path, listed=bare) == {"r": expected}
    pq.write_table(bare.take([2, 0, 1]), tmp_path / "other.parquet")
    both = evaluate_parquet(tmp_path / "q.parquet", [tmp_path / "r.parquet", tmp_path / "other.parquet"], METRICS)
    assert both.mean() == {"r": expected, "other": expected}


def test_judgments_without_an_aspect_column_have_one_aspect(tmp_path: Path) -> None:
    """Without an aspect column each topic has one aspect."""
    one = judged_rows().set_column(1, "aspect", pa.array(["0"] * 4))
    assert scored(tmp_path, judged_rows().drop_columns("aspect")) == scored(tmp_path, one)


def test_a_topic_without_weights_has_uniform_weights(tmp_path: Path) -> None:
    """A topic without weights has uniform ones, with a warning; two weights for one aspect are an error."""
    half = judged_rows().append_column("weight", pa.array([0.5, 0.5, None, None]))
    with warns("missing-weights", "1", "2"):
        weighted = scored(tmp_path, half)
    assert weighted == scored(tmp_path)
    split = judged_rows().append_column("weight", pa.array([0.5, 0.5, 0.2, 0.4]))
    with refuses("conflicting-weights", "2", "a"):
        scored(tmp_path, split)


def test_ranks_are_used_where_there_are_no_scores() -> None:
    """Without scores, ranks or else the order of rows is used; --order rank without ranks is an error."""
    bare = listed_rows().slice(0, 2).drop_columns("score")
    ranked = bare.append_column("rank", pa.array([2, 1]))

    def first(table: Any, by: Any = None) -> Any:
        options = Options.of(order=OrderRule(by=by)) if by else Options()
        asked = as_metrics("P@1")
        return score_shard(judged_rows().slice(0, 2), table, asked, names=["r"], highest=2.0, options=options)["value"][
            0
        ].as_py()

    assert first(ranked) == 0.0 and first(ranked, "rank") == 0.0
    assert first(bare) == 1.0 and first(listed_rows().slice(0, 2), "file") == 1.0
    with refuses("missing-column", "--order"):
        first(listed_rows().slice(0, 2), "rank")


@pytest.mark.parametrize(
    ("column", "values", "refusal"),
    [
        ("document", ["x", None, "z", "y", "x"], ("missing-id",)),
        ("score", [1.0, None, 1.0, 1.0, 1.0], ("missing-value",)),
        ("score", [1.0, float("nan"), 1, 1, 1], ("not-a-number", "nan")),
    ],
    ids=["no-document", "no-score", "nan"],
)
def test_missing_values_are_one_clear_line(
    tmp_path: Path, column: str, values: list[Any], refusal: tuple[str, ...]
) -> None:
    """The error names the column of the missing value."""
    place = listed_rows().column_names.index(column)
    with refuses(*refusal):
        scored(tmp_path, listed=listed_rows().set_column(place, column, pa.array(values)))


def test_judgments_without_rows_or_grades_are_one_clear_line(tmp_path: Path) -> None:
    """Judgments without rows or without grades raise an InputError."""
    with refuses("no-judgment"):
        scored(tmp_path, judged_rows().slice(0, 0))
    with refuses("not-a-number"):
        scored(tmp_path, judged_rows().set_column(3, "grade", pa.array([None] * 4, pa.float64())))


def test_invalid_calls_are_one_clear_line(tmp_path: Path) -> None:
    """No run, jobs=0, a file that is not parquet, and two runs without a run column are refused."""
    scored(tmp_path)
    files = tmp_path / "q.parquet", tmp_path / "r.parquet"
    with refuses("no-run"):
        evaluate_parquet(files[0], [], METRICS)
    with refuses("out-of-range", "1", "0"):
        evaluate_parquet(*files, METRICS, jobs=0)
    (tmp_path / "text.parquet").write_text("1 0 x 1\n")
    with refuses("cannot-parse"):
        evaluate_parquet(tmp_path / "text.parquet", files[1], METRICS)
    with refuses("missing-column", "2"):
        score_shard(judged_rows(), listed_rows().drop_columns("run"), as_metrics("P@1"), names=["r", "s"], highest=2.0)


def test_a_metric_of_the_catalogue_can_be_sent_to_other_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Metric objects give the same scores as their names when the work is pickled as for other processes."""

    @contextmanager
    def pool(_: int, prepare: Callable[..., None], setting: tuple[Any, ...]) -> Iterator[SimpleNamespace]:
        prepare(*pickle.loads(pickle.dumps(setting)))
        yield SimpleNamespace(submit=submit)

    def submit(function: Callable[..., Any], *given: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(function(*pickle.loads(pickle.dumps(given))))
        return future

    monkeypatch.setattr(processes, "process_pool", pool)
    expected = scored(tmp_path, row_group_size=1)
    files = tmp_path / "q.parquet", tmp_path / "r.parquet"
    assert evaluate_parquet(*files, as_metrics(METRICS), jobs=2, shard_rows=1).mean() == expected


@pytest.mark.slow
def test_a_file_that_declares_too_many_rows_for_its_size_is_refused(tmp_path: Path) -> None:
    """Both readers refuse millions of rows in a few kilobytes before they allocate memory."""
    path, rows = tmp_path / "bomb.parquet", 1_000_000
    schema = pa.schema([("topic", pa.string()), ("document", pa.string()), ("score", pa.int8())])
    piece = pa.table(
        {
            "topic": pa.repeat("1", rows),
            "document": pa.repeat("d", rows),
            "score": pa.repeat(pa.scalar(1, pa.int8()), rows),
        }
    ).cast(schema)
    with pq.ParquetWriter(path, schema) as writer:
        for _ in range(3):
            writer.write_table(piece)
    assert path.stat().st_size < 100_000
    with refuses("file-too-large", "bomb.parquet", "3000000", "0.6", "GB"):
        evaluate_parquet(path, [path], as_metrics(["AP"]))
    with refuses("file-too-large", "3000000"):
        read_runs(path)
