"""Evaluation in shards gives the values of a single evaluation to the last bit, however the work is split."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import diveval
from diveval.collection.judgments import Judgments
from diveval.collection.rankings import rank
from diveval.collection.runs import Run
from diveval.metrics import as_metrics
from diveval.reading.source import Source
from diveval.scoring.scorer import orders, score
from diveval.scoring.shards import evaluate_parquet, score_shard, scores_from_table
from diveval.scoring.shards.local import evaluate_to_parquet
from diveval.scoring.shards.plan import make_plan
from diveval.settings import Options
from diveval.writing import write_judgments, write_runs
from support.refusals import refuses, warns

METRICS = ["RBU(p=0.99,e=0.05)@20", "alpha_nDCG(alpha=0.5)@10", "AP", "ndeval.ERR_IA@20", "evall.RBU(p=0.8,e=0.03)"]


def collection(seed: int = 1, topics: int = 12) -> tuple[Judgments, list[Run]]:
    """Weighted judgments and three runs with tied scores; one run lacks a topic, one topic is judged not relevant."""
    rng = np.random.default_rng(seed)
    rows, weights = [], {}
    lists: dict[str, list[tuple[str, str, float]]] = {"a": [], "b": [], "c": []}
    for t in range(1, topics + 1):
        for aspect in range(int(rng.integers(1, 5))):
            weights[str(t), f"s{aspect}"] = float(rng.random()) + 0.1
            high = 1 if t == 3 else 5
            rows += [(str(t), f"s{aspect}", f"d{d}", float(rng.integers(0, high))) for d in rng.permutation(40)[:12]]
        for name, listed in lists.items():
            if (name, t) != ("b", 2):
                scores = np.round(rng.random(30), 1)
                listed += [(str(t), f"d{d}", float(s)) for d, s in zip(rng.permutation(60)[:30], scores, strict=True)]
    return Judgments.from_rows(rows, weights=weights), [Run.from_rows(r, name=n) for n, r in lists.items()]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A collection in memory and in parquet: in one sorted, shuffled or regrouped file, and in one file per run."""
    folder = tmp_path_factory.mktemp("shards")
    judgments, runs = collection()
    write_judgments(judgments, folder / "q.parquet", format="parquet")
    write_runs(runs, folder / "sorted.parquet", format="parquet")
    for run in runs:
        write_runs([run], folder / f"{run.name}.parquet", format="parquet")
    table = pq.read_table(folder / "sorted.parquet")
    pq.write_table(table.take(np.random.default_rng(0).permutation(table.num_rows)), folder / "mixed.parquet")
    pq.write_table(table, folder / "small.parquet", row_group_size=30)  # row groups end at topics
    pq.write_table(table, folder / "ragged.parquet", row_group_size=37)  # row groups rarely end at topics
    return folder, judgments, runs


@pytest.fixture(scope="module")
def expected(files: Any) -> Any:
    """The scores of a single evaluation."""
    _, judgments, runs = files
    with warns("missing-topics", 1, 12):
        return diveval.evaluate(judgments, runs, METRICS)


def assert_equal(scores: Any, expected: Any) -> None:
    """Equal in every name and value, and in which topics count."""
    assert (scores.runs, scores.metrics, scores.topics) == (expected.runs, expected.metrics, expected.topics)
    np.testing.assert_array_equal(scores.values, expected.values)
    np.testing.assert_array_equal(scores.counted, expected.counted)


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize("shard_rows", [1, 100, 10**6])
@pytest.mark.parametrize("source", ["sorted", "small", "ragged", "mixed", "apart"])
def test_every_split_gives_the_same_scores(files: Any, expected: Any, source: str, shard_rows: Any) -> None:
    """Scores do not depend on row groups, order of rows, number of files, or size of shards."""
    folder, _, runs = files
    paths = [folder / f"{run.name}.parquet" for run in runs] if source == "apart" else folder / f"{source}.parquet"
    # evall.RBU uses the order of rows, which the mixed file does not keep.
    metrics = METRICS[:4] if source == "mixed" else METRICS
    scores = evaluate_parquet(folder / "q.parquet", paths, metrics, shard_rows=shard_rows)
    assert_equal(scores, expected.select(metrics=metrics))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_processes_and_streaming_give_the_same_scores(files: Any, expected: Any, tmp_path: Path) -> None:
    """Two processes that stream to a file write the same scores, and leave no other file."""
    folder, _, _ = files
    out = evaluate_to_parquet(
        folder / "q.parquet", folder / "small.parquet", METRICS, tmp_path / "s.parquet", jobs=2, shard_rows=200
    )
    assert_equal(scores_from_table(pq.read_table(out), runs=expected.runs, metrics=expected.metrics), expected)
    assert [path.name for path in tmp_path.iterdir()] == ["s.parquet"]


@pytest.mark.parametrize("source", ["small", "ragged"])
def test_sorted_files_are_read_in_place(files: Any, tmp_path: Path, source: str) -> None:
    """The shards of a sorted file are disjoint ranges of topics that cover all, wherever its row groups end."""
    folder, _, _ = files
    plan = make_plan(Source.of(folder / "q.parquet"), [Source.of(folder / f"{source}.parquet")], tmp_path, 100)
    assert len(plan.shards) > 4
    assert list(tmp_path.iterdir()) == []  # no temporary copy of the rows
    seen: list[str] = []
    for shard in plan.shards:
        judgments, (runs,) = shard.read()
        topics = set(judgments["topic"].to_pylist())
        assert runs.num_rows < 300
        assert set(runs["topic"].to_pylist()) <= topics
        seen += topics
    assert len(seen) == len(set(seen)) == 12


def test_a_topic_is_never_split(tmp_path: Path) -> None:
    """One topic with nearly all rows, over many row groups, is one shard."""
    rows = [("big", f"d{i}", float(-i)) for i in range(500)] + [("a", "x", 1.0), ("z", "y", 1.0)]
    judgments = Judgments.from_rows([("a", "1", "x", 1.0), ("big", "1", "d3", 1.0), ("z", "1", "y", 2.0)])
    run = Run.from_rows(rows, name="r")
    write_judgments(judgments, tmp_path / "q.parquet", format="parquet")
    write_runs([run], tmp_path / "r.parquet", format="parquet")
    pq.write_table(pq.read_table(tmp_path / "r.parquet"), tmp_path / "g.parquet", row_group_size=20)
    plan = make_plan(Source.of(tmp_path / "q.parquet"), [Source.of(tmp_path / "g.parquet")], tmp_path, 10)
    assert len(plan.shards) == 2
    scores = evaluate_parquet(tmp_path / "q.parquet", tmp_path / "g.parquet", METRICS, shard_rows=10)
    assert_equal(scores, diveval.evaluate(judgments, run, METRICS))


@pytest.mark.parametrize("digits", [1, 3], ids=["not in the order of texts", "sorted by topic"])
def test_tiny_row_groups_are_read_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, digits: int) -> None:
    """The number of reads does not grow with the number of row groups: one by one, thousands of them take minutes."""
    run = Run.from_rows([(f"{t:0{digits}}", f"d{i}", float(-i)) for t in range(40) for i in range(10)], name="r")
    judgments = Judgments.from_rows((f"{t:0{digits}}", "1", f"d{i}", 1.0) for t in range(40) for i in range(3))
    write_judgments(judgments, tmp_path / "q.parquet", format="parquet")
    write_runs([run], tmp_path / "r.parquet", format="parquet")
    for name in "qr":
        pq.write_table(pq.read_table(tmp_path / f"{name}.parquet"), tmp_path / f"{name}1.parquet", row_group_size=1)
    reads: list[int] = []
    original = pq.ParquetFile.read_row_groups

    def counting(file: Any, groups: list[int], **named: Any) -> Any:
        reads.append(len(groups))
        return original(file, groups, **named)

    monkeypatch.setattr(pq.ParquetFile, "read_row_groups", counting)
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", None)  # a batch per row group, if there is a dictionary
    scores = evaluate_parquet(tmp_path / "q1.parquet", tmp_path / "r1.parquet", METRICS)
    assert len(reads) <= 4 and max(reads) == 400
    assert_equal(scores, diveval.evaluate(judgments, run, METRICS))


def arrow_of(rows: list[tuple[Any, ...]], names: list[str]) -> pa.Table:
    """Rows as a table."""
    columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) or [[] for _ in names]
    return pa.table(
        {name: pa.array(column, None if rows else pa.string()) for name, column in zip(names, columns, strict=True)}
    )


ids = st.sampled_from(["a", "b", "B", "ä", "10", "9", "é\u0301"])


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    judged=st.dictionaries(st.tuples(st.sampled_from("123"), ids, ids), st.integers(-1, 3), min_size=1, max_size=15),
    listed=st.dictionaries(
        st.tuples(st.sampled_from("xy"), st.sampled_from("1234"), ids), st.integers(0, 2), max_size=30
    ),
    order=st.sampled_from([None, "score", "file"]),
    ties=st.sampled_from(["docno-desc", "docno-asc", "file"]),
)
def test_a_shard_equals_the_simple_evaluation(judged: Any, listed: Any, order: Any, ties: Any) -> None:
    """The vectorised shard equals the simple evaluation on small collections with ties, unusual ids and missing topics."""
    judgments = Judgments.from_rows([(*key, float(grade)) for key, grade in judged.items()])
    options = Options.of(order=order, ties=ties)
    runs = [
        Run.from_rows([(t, d, float(s)) for (n, t, d), s in listed.items() if n == name], name=name) for name in "xy"
    ]
    metrics = as_metrics(["RBU(p=0.9,e=0.1)", "P@2", "Judged@3", "ndeval.strec@2"])
    table = score_shard(
        arrow_of([(*key, float(grade)) for key, grade in judged.items()], ["topic", "aspect", "document", "grade"]),
        arrow_of([(*key, float(score)) for key, score in listed.items()], ["run", "topic", "document", "score"]),
        metrics,
        names=["x", "y"],
        highest=judgments.highest,
        options=options,
    )
    scores = scores_from_table(table, runs=["x", "y"], metrics=[metric.name for metric in metrics])
    rankings = {o: [rank(judgments, run, o) for run in runs] for o in orders(metrics, options)}
    assert_equal(scores, score(judgments, rankings, metrics, options))


def test_rounds_and_repeated_documents_follow_the_rules_of_readers() -> None:
    """A repeated document is an error by default, follows --duplicates, and is blank in a run with rounds."""
    judged = pa.table({"topic": ["1", "1"], "aspect": ["a", "a"], "document": ["x", "y"], "grade": [1.0, 1.0]})
    listed = pa.table({"run": ["r"] * 3, "topic": ["1"] * 3, "document": ["x", "x", "y"], "score": [3.0, 2.0, 1.0]})
    metrics = as_metrics(["P@3"])
    with refuses("duplicate-document", "--duplicates"):
        score_shard(judged, listed, metrics, names=["r"], highest=1.0)
    first = score_shard(judged, listed, metrics, names=["r"], highest=1.0, options=Options.of(duplicates="first"))
    assert first["value"].to_pylist() == [pytest.approx(2 / 3)]
    rounds = listed.append_column("round", pa.array([0, 1, 1]))
    assert score_shard(judged, rounds, metrics, names=["r"], highest=1.0)["value"].to_pylist() == [pytest.approx(2 / 3)]


def test_the_highest_grade_is_that_of_the_collection() -> None:
    """A shard with grades up to 1 uses the highest grade of the collection, 3."""
    judged = pa.table({"topic": ["1"], "aspect": ["a"], "document": ["x"], "grade": [1.0]})
    listed = pa.table({"run": ["r"], "topic": ["1"], "document": ["x"], "score": [1.0]})
    metrics = as_metrics(["RBU(p=1,e=0)"])
    value = score_shard(judged, listed, metrics, names=["r"], highest=3.0)["value"][0].as_py()
    assert value == (2**1 - 1) / 2**3


def test_an_empty_shard_gives_no_row() -> None:
    """A shard without judgments has no scores; judgments without rows of a run are missing topics."""
    nothing = pa.table({name: pa.array([], pa.string()) for name in ("run", "topic", "document")})
    judged = pa.table({"topic": ["1"], "aspect": ["a"], "document": ["x"], "grade": [1.0]})
    metrics = as_metrics(["RBU", "P@5"])
    assert score_shard(judged.slice(0, 0), nothing, metrics, names=["r"], highest=1.0).num_rows == 0
    assert score_shard(judged, nothing, metrics, names=["r"], highest=1.0)["value"].to_pylist() == pytest.approx(
        [-0.01 * 0.9, 0.0]
    )


def test_invalid_input_is_one_clear_line(files: Any, tmp_path: Path) -> None:
    """Foreign topics, a missing column or file, a function with several processes, and an unknown run are refused."""
    folder, _, _ = files
    other = Run.from_rows([("99", "x", 1.0)], name="other")
    write_runs([other], tmp_path / "o.parquet", format="parquet")
    with refuses("no-shared-topic", "o.parquet"):
        evaluate_parquet(folder / "q.parquet", tmp_path / "o.parquet", METRICS)
    pq.write_table(pa.table({"topic": ["1"], "thing": ["x"]}), tmp_path / "bad.parquet")
    with refuses("missing-column"):
        evaluate_parquet(folder / "q.parquet", tmp_path / "bad.parquet", METRICS)
    with refuses("cannot-read"):
        evaluate_parquet(folder / "q.parquet", tmp_path / "none.parquet", METRICS)
    with refuses("metric-not-picklable"):
        evaluate_parquet(folder / "q.parquet", folder / "small.parquet", [lambda ranking: 0.0], jobs=2, shard_rows=100)
    judged = pa.table({"topic": ["1"], "aspect": ["a"], "document": ["x"], "grade": [1.0]})
    listed = pa.table({"run": ["stranger"], "topic": ["1"], "document": ["x"], "score": [1.0]})
    with refuses("unknown-run", "stranger"):
        score_shard(judged, listed, as_metrics("RBU"), names=["r"], highest=1.0)


def test_the_command_line_reads_and_writes_parquet(
    files: Any, expected: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`diveval evaluate` prints the same for parquet as for text, and -f parquet needs and writes a file."""
    from diveval.cli import main

    folder, _, _ = files
    words = [
        "evaluate",
        str(folder / "q.parquet"),
        str(folder / "sorted.parquet"),
        *(w for m in METRICS for w in ("-m", m)),
    ]
    assert main([*words, "-q", "-f", "csv"]) == 0
    assert capsys.readouterr().out == expected.to_csv()
    assert main([*words, "-f", "parquet", "-o", str(tmp_path / "s.parquet")]) == 0
    assert_equal(
        scores_from_table(pq.read_table(tmp_path / "s.parquet"), runs=expected.runs, metrics=expected.metrics), expected
    )
    assert main([*words, "-f", "parquet"]) == 2
    assert "-o FILE" in capsys.readouterr().err
