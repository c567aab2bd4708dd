"""Spark in one process and as a small cluster: scores are identical to those of a local evaluation."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diveval
from diveval.integrations import spark as spark_frames
from diveval.meta.unanimity import unanimity as local_unanimity
from diveval.settings import Options
from support.late import late, late_or_skip
from support.refusals import refuses, warns
from support.shared import times
from support.spark import session
from support.ways_in import answer, draw, tables, texts

pyspark = late_or_skip("pyspark")
pa, parquet, pd, psutil = late("pyarrow"), late("pyarrow.parquet"), late("pandas"), late("psutil")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java 17", allow_module_level=True)

pytestmark = pytest.mark.slow
METRICS = ["RBU(p=0.99,e=0.05)@20", "alpha_nDCG(alpha=0.5)@10", "AP", "ndeval.ERR_IA@20"]
# Without a pass that checks the frames.
TRUSTED: dict[str, Any] = {"check": False, "names": ["x", "y", "z"], "highest": 3.0}


@pytest.fixture(scope="module")
def collection() -> Any:
    """Judgments and runs as frames: a topic with most of the rows, one that a run lacks, one that no run has."""
    rng = np.random.default_rng(4)
    judged, listed = [], []
    for t in range(1, 16):
        many = 400 if t == 7 else 40
        for aspect in ("a", "b", "c"):
            judged += [
                (str(t), aspect, f"d{d}", float(rng.integers(0, 4)), 0.2 + len(aspect))
                for d in rng.permutation(many)[:15].tolist()
            ]
        for run in ("x", "y", "z"):
            if t == 9 or (run, t) == ("y", 3):
                continue
            scores = np.round(rng.random(many), 2)
            listed += [
                (run, str(t), f"d{d}", float(s)) for d, s in zip(rng.permutation(2 * many)[:many], scores, strict=True)
            ]
    listed += [("x", "unjudged", "d1", 1.0)]
    return (
        pd.DataFrame(judged, columns=["topic", "aspect", "document", "grade", "weight"]),
        pd.DataFrame(listed, columns=["run", "topic", "document", "score"]),
    )


@pytest.fixture(scope="module")
def expected(collection: Any) -> Any:
    """The scores of a local evaluation."""
    judged, listed = collection
    with warns("missing-topics"):
        return diveval.evaluate(judged, listed, METRICS)


def assert_equal(scores: Any, expected: Any) -> None:
    """The scores are identical, in any order of rows."""
    values = {(row.run, row.metric, row.topic): row.value for row in scores.collect()}
    assert values == {(run, metric, topic): value for run, metric, topic, value in expected.rows(mean=False)}


@pytest.fixture(scope="module")
def local(collection: Any) -> Iterator[Any]:
    """The frames in a session of `local[2]`."""
    spark = session("local[2]")
    yield [spark.createDataFrame(frame) for frame in collection]
    spark.stop()


@pytest.fixture(scope="module")
def scored(local: Any) -> Any:
    """The scores with more shards than topics (some are empty) and runs in parts."""
    judged, listed = local
    return spark_frames.evaluate(judgments=judged, runs=listed, metrics=METRICS, shards=24, run_parts=2).cache()


def test_scores_equal_a_local_evaluation(local: Any, scored: Any, expected: Any) -> None:
    """With more shards than topics and runs in parts, and with one shard of trusted frames."""
    judged, listed = local
    assert_equal(scored, expected)
    assert_equal(spark_frames.evaluate(judgments=judged, runs=listed, metrics=METRICS, shards=1, **TRUSTED), expected)


def test_parts_of_whole_topics_need_no_shuffle(local: Any, expected: Any, collection: Any, tmp_path: Path) -> None:
    """Each part is read where it is scored; a part without judgments is empty, and the plan has no exchange."""
    judged, listed = collection
    for part in range(4):
        for frame, name in ((judged, "judged"), (listed, "listed")):
            in_part = frame["topic"].map(lambda topic: len(topic) > 2 if part == 3 else part_of(topic) == part)
            frame[in_part].to_parquet(tmp_path / f"{name}-{part}.parquet")
    folder = str(tmp_path)

    def read(part: dict[str, Any]) -> Any:
        from pyarrow.parquet import read_table

        return tuple(read_table(f"{folder}/{name}-{part['id']}.parquet") for name in ("judged", "listed"))

    parts = local[0].sparkSession.range(0, 4, 1, 4)
    scores = spark_frames.evaluate_parts(parts, read, METRICS, names=["z", "x", "y"], highest=3.0)
    assert_equal(scores, expected)
    assert "Exchange" not in scores._jdf.queryExecution().executedPlan().toString()
    with refuses("conflicting-options"):
        spark_frames.evaluate_parts(parts, read, METRICS, names=["x"], highest=3, options=Options(), gain="linear")


def part_of(topic: str) -> int:
    """The part of a topic; the unjudged one is in none of the three."""
    return int(topic) % 3 if topic.isdigit() else -1


def test_column_names_options_and_user_metrics(local: Any, collection: Any) -> None:
    """Columns by other names and by mapping, options, a function as metric, given names and highest grade."""
    judged, listed = local

    def relevant_documents(ranking: Any) -> Any:
        return float(sum(max(row) > 0 for row in ranking.relevance))

    renamed = judged.withColumnRenamed("topic", "query_id").withColumnRenamed("document", "doc_id")
    odd = listed.withColumnRenamed("topic", "qid").withColumnRenamed("document", "what")
    scores = spark_frames.evaluate(
        judgments=renamed,
        runs=odd,
        metrics=["RBU", relevant_documents],
        columns={"document": "what"},
        shards=2,
        gain="linear",
        names=["z", "y", "x"],
        highest=3,
    )
    with warns("missing-topics"):
        expected = diveval.evaluate(collection[0], collection[1], ["RBU", relevant_documents], gain="linear")
    assert_equal(scores, expected)


def test_unanimity_over_the_scores(scored: Any, expected: Any) -> None:
    """Over all topics it equals the local one; a sample has the requested number of topics."""
    assert spark_frames.unanimity(scored, bootstrap=50) == local_unanimity(expected, bootstrap=50)
    assert spark_frames.unanimity(scored, topics=5, bootstrap=0).topics == 5


# A small collection for errors: Spark filters a frame that comes from a table while it plans, without a job.
RUN = {"run": "string", "topic": "string", "document": "string", "score": "float64"}
JUDGMENT = {"topic": "string", "aspect": "string", "document": "string", "grade": "float64", "weight": "float64"}
LISTED = [(run, topic, f"d{d}", 9.0 - d) for run in ("x", "y") for topic in ("1", "2") for d in range(3)]
JUDGED = [(topic, aspect, f"d{d}", float(d), 1.2) for topic in ("1", "2") for aspect in "ab" for d in range(3)]


def table(rows: list[Any], columns: dict[str, str]) -> Any:
    """Rows as an Arrow table, which keeps null and NaN apart."""
    return pa.table({name: pa.array([row[i] for row in rows], kind) for i, (name, kind) in enumerate(columns.items())})


@pytest.fixture(scope="module")
def few(local: Any) -> list[Any]:
    """Frames with few rows."""
    spark = local[0].sparkSession
    return [spark.createDataFrame(table(JUDGED, JUDGMENT)), spark.createDataFrame(table(LISTED, RUN))]


def test_errors_reach_the_caller(few: Any) -> None:
    """A repeated document in a task, a missing column and an empty frame are errors."""
    judged, listed = few
    with pytest.raises(Exception, match="--duplicates"):
        spark_frames.evaluate(judgments=judged, runs=listed.union(listed), metrics=METRICS, shards=1).collect()
    with refuses("missing-column"):
        spark_frames.evaluate(judgments=judged, runs=listed.drop("document"), metrics=METRICS)
    with refuses("unknown-column", "wat"):
        spark_frames.evaluate(judgments=judged, runs=listed, metrics=METRICS, columns={"document": "wat"})
    with refuses("no-run"):
        spark_frames.evaluate(judgments=judged, runs=listed.limit(0), metrics=METRICS)


@pytest.mark.parametrize(
    ("row", "refusal"),
    [
        ({"run": None}, ("missing-id", "1", "new")),
        ({"topic": None}, ("missing-id",)),
        ({"score": None}, ("missing-id",)),
        ({"score": float("nan")}, ("not-a-number",)),
    ],
)
def test_an_invalid_row_is_an_error_before_scoring(few: Any, row: Any, refusal: tuple[str, ...]) -> None:
    """The input error names topic and document, as in a local evaluation."""
    invalid = {"run": "x", "topic": "1", "document": "new", "score": 1.0, **row}
    listed = few[0].sparkSession.createDataFrame(table([*LISTED, tuple(invalid.values())], RUN))
    with refuses(*refusal):
        spark_frames.evaluate(judgments=few[0], runs=listed, metrics=METRICS, shards=1)


@pytest.mark.parametrize("frame", ["runs", "judgments"])
@pytest.mark.parametrize("place", [2, 3])
def test_an_invalid_row_ends_the_job_if_nothing_looked_for_it(few: Any, frame: str, place: int) -> None:
    """Without checks a row that lacks its document or its number is not dropped: the job ends and names the row."""
    spark, added = few[0].sparkSession, ["y", "2", "n7", 1.0] if frame == "runs" else ["2", "b", "n7", 1.0, 1.2]
    added[place] = None
    rows, columns = (LISTED, RUN) if frame == "runs" else (JUDGED, JUDGMENT)
    frames = {"judgments": few[0], "runs": few[1], frame: spark.createDataFrame(table([*rows, tuple(added)], columns))}
    known = {"names": ["x", "y"], "highest": 2.0}
    for given in ({}, known):  # with what is known no pass comes before the scoring
        with pytest.raises(Exception, match=f"{frame}.*topic 2" + (", document n7" if place == 3 else "")):
            spark_frames.evaluate(**frames, metrics=METRICS, shards=1, check=False, **given).collect()
    good = spark_frames.evaluate(judgments=few[0], runs=few[1], metrics=METRICS, shards=1, check=False, **known)
    assert_equal(good, diveval.evaluate(table(JUDGED, JUDGMENT), table(LISTED, RUN), METRICS))


def test_disjoint_topics_are_an_error(few: Any) -> None:
    """A run for another collection is an error as in a local evaluation, and never scores silent zeros."""
    judged, listed = few
    other = listed.withColumn("topic", pyspark.sql.functions.concat(pyspark.sql.functions.lit("t"), "topic"))
    with refuses("no-shared-topic"):
        spark_frames.evaluate(judgments=judged, runs=other, metrics=METRICS)
    with refuses("no-shared-topic"):
        spark_frames.evaluate(
            runs=listed.where("run = 'x'").drop("run"),
            judgments=judged.withColumn("topic", pyspark.sql.functions.lit("none")),
            metrics=METRICS,
        )
    text = judged.withColumn("grade", pyspark.sql.functions.lit("good"))
    with refuses("not-a-number"):
        spark_frames.evaluate(judgments=text, runs=listed, metrics=METRICS)


def test_quarantine_collects_bad_rows_and_scores_the_rest(few: Any, tmp_path: Path) -> None:
    """Nulls, repeats and contradicting grades are written to a folder with the reason; the rest is scored."""
    judged, listed = few
    spark = listed.sparkSession
    bad_runs = [("x", "1", "n1", None), (None, "1", "n2", 1.0), ("y", "2", "twice", 0.5), ("y", "2", "twice", 0.4)]
    bad_judgments = [("1", "a", "two-ways", 1.0, 1.2), ("1", "a", "two-ways", 2.0, 1.2), ("2", "a", None, 1.0, 1.2)]
    folder = str(tmp_path / "bad")
    scores = spark_frames.evaluate(
        runs=spark.createDataFrame(table([*LISTED, *bad_runs], RUN)),
        judgments=spark.createDataFrame(table([*JUDGED, *bad_judgments], JUDGMENT)),
        metrics=METRICS,
        shards=2,
        quarantine=folder,
    )
    assert_equal(scores, diveval.evaluate(table(JUDGED, JUDGMENT), table(LISTED, RUN), METRICS))
    rows = parquet.read_table(folder).to_pylist()
    assert sorted((row["frame"], row["document"] or "", row["reason"]) for row in rows) == [
        ("judgments", "", "no document"),
        ("judgments", "two-ways", "judged with 2 different grades"),
        ("judgments", "two-ways", "judged with 2 different grades"),
        ("runs", "n1", "no score"),
        ("runs", "n2", "no run"),
        ("runs", "twice", "in the ranking 2 times"),
        ("runs", "twice", "in the ranking 2 times"),
    ]
    with refuses("folder-not-empty"):
        spark_frames.evaluate(judgments=judged, runs=listed, metrics=METRICS, quarantine=folder)


def test_frames_are_evaluated_like_files(local: Any, tmp_path: Path) -> None:
    """Frames of Spark give the values, warnings and errors of files (few collections, since Spark is slow)."""
    spark = local[0].sparkSession
    for seed in range(times(3, 12)):
        case = draw(seed)
        judged, listed = tables(case)
        qrels, runs = texts(case, tmp_path / str(seed))
        frames = [spark.createDataFrame(table.to_pandas()) for table in (judged, *listed)]

        def evaluated(judgments: Any, lists: Any) -> Any:
            return diveval.evaluate(judgments, lists, case.metrics, weights=case.weights, **case.options)

        outcome = answer(lambda: evaluated(frames[0], frames[1:]))
        assert outcome == answer(lambda: evaluated(qrels, runs)), (seed, case.options)


def test_a_cluster_that_loses_an_executor(collection: Any, expected: Any, local: Any, tmp_path: Path) -> None:
    """The scores are the same if an executor is killed while it scores: another one starts over.

    The suite has one executor; `make thorough` two, so that results of the remaining and the new one are combined.
    """
    local[0].sparkSession.stop()
    spark = session(f"local-cluster[{times(1, 2)},1,1024]")
    try:
        judged, listed = (spark.createDataFrame(frame) for frame in collection)
        flag = str(tmp_path / "killed")

        def killer(ranking: Any) -> float:
            """0, but the first call kills the executor it runs in."""
            import os
            import time

            import psutil

            process = psutil.Process()
            while "java" not in process.name():
                process = process.parent()
            try:
                file = os.open(flag, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
            except FileExistsError:
                return 0.0
            os.write(file, f"{process.pid} {' '.join(process.cmdline())}".encode())
            os.close(file)
            process.kill()
            time.sleep(30)
            return 0.0

        metrics: list[Any] = [*METRICS, killer]
        scores = spark_frames.evaluate(judgments=judged, runs=listed, metrics=metrics, shards=4, **TRUSTED)
        assert_equal(scores.where("metric != 'killer'"), expected)
        killed, command = Path(flag).read_text().split(maxsplit=1)
        assert "CoarseGrainedExecutorBackend" in command
        assert not psutil.pid_exists(int(killed)) or psutil.Process(int(killed)).status() == psutil.STATUS_ZOMBIE
    finally:
        logs = Path(pyspark.sql.__file__).parents[1] / "work" / spark.sparkContext.applicationId
        spark.stop()
        shutil.rmtree(logs, ignore_errors=True)
