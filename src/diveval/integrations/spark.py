"""Spark: frames of runs and judgments in, a frame of scores out, one task per shard of topics.

>>> from diveval.integrations.spark import evaluate, unanimity  # doctest: +SKIP
>>> scores = evaluate(judgments=spark.read.parquet("judgments"), runs=spark.read.parquet("runs"), metrics=["RBU@20", "AP"])
>>> scores.groupBy("run", "metric").avg("value").show()

Every row of a topic meets in one task, by `groupBy(shard).cogroup(…).applyInArrow(…)`, and the task runs the same pure
function as everywhere else, so a value is the same to the last bit whatever machine computed it, and computed it again.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diveval.collection.inputs import WeightsLike
from diveval.collection.topic_ids import no_shared_topic
from diveval.defaults import HEADLINE, SEED
from diveval.errors import InputError, UsageError, need, quote
from diveval.meta.unanimity import Unanimity
from diveval.meta.unanimity import unanimity as unanimity_of
from diveval.metrics import Metric, as_metrics
from diveval.metrics.names import MetricLike
from diveval.reading import weights_of
from diveval.reading.chosen import takes_settings
from diveval.reading.frames import JUDGMENT_COLUMNS, NUMBERS, RUN_COLUMNS, check_columns, match_columns, require_columns
from diveval.results.scores import Scores
from diveval.scoring.shards import score_shard, scores_from_table
from diveval.settings import Options

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from diveval.settings import Settings

SCHEMA = "run string, metric string, topic string, value double, counted boolean"


def _by_name(function: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse arguments without names: version 2 took runs first, and a call of either order would seem to work."""

    @functools.wraps(function)
    def call(*values: Any, **named: Any) -> Any:
        if values:
            hint = "write evaluate(judgments=…, runs=…, metrics=…)"
            raise UsageError("too-many-arguments", "Spark's evaluate takes its arguments by name", hint=hint)
        return function(**named)

    return call


@_by_name
@takes_settings
def evaluate(
    *,
    judgments: Any,
    runs: Any,
    metrics: MetricLike | Sequence[MetricLike] = HEADLINE,
    shards: int | None = None,
    run_parts: int = 1,
    names: Sequence[str] | None = None,
    highest: float | None = None,
    columns: Mapping[str, str] | None = None,
    quarantine: str | None = None,
    check: bool = True,
    weights: WeightsLike | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> Any:
    """Score Spark frames: one row (run, metric, topic, value) for each topic that counts for a run and metric.

    Columns are known by the names libraries use, or mapped by `columns`; without a run column there is one run, `run`.
    `shards`: how many groups of topics (default: Spark's shuffle partitions); a group must fit in a worker's memory, so
    aim at a million rows each. `run_parts` splits the runs of a group as well, for topics with very many runs. `names`
    (of the runs) and `highest` (grade) save a pass over the data each, where they are known. `weights`, `options` and
    `settings` are as in `diveval.evaluate`; judgments may have a column of weights instead.

    Bad rows are errors as in local evaluation, with their topic and document: a null, a grade or score that is no
    finite number, a run without a topic in common with the judgments. `quarantine` names a folder instead: such rows,
    documents twice in a ranking and documents judged with different grades are written there as parquet with the
    reason, and the rest is scored. `check=False` saves the passes that look for such rows: the first that a task meets
    ends the job.
    """
    chosen = options or Options()
    need("pyspark", "spark")
    session = runs.sparkSession
    count = int(session.conf.get("spark.sql.shuffle.partitions")) if shards is None else shards
    if count < 1 or run_parts < 1:
        raise UsageError("out-of-range", f"shards and run_parts are at least 1, got {count} and {run_parts}")
    check_columns(columns, runs.columns, judgments.columns)
    listed = examine(runs, RUN_COLUMNS, ("topic", "document"), columns)
    judged = examine(judgments, JUDGMENT_COLUMNS, ("topic", "document", "grade"), columns)
    if quarantine is not None:
        listed, judged = _without_repeats(listed, judged, chosen)
        parts = [set_aside(listed, "runs"), set_aside(judged, "judgments")]
        write_quarantine(parts, quarantine)
    elif check:
        refuse(listed, "runs")
        refuse(judged, "judgments")
    else:
        listed, judged = end_at_bad_rows(listed, "runs"), end_at_bad_rows(judged, "judgments")
    listed, judged = clean(listed), clean(judged)
    called = sorted(names) if names is not None else _names(listed)
    if check:
        refuse_strangers(listed, judged, called)
    top = float(highest) if highest is not None else _highest(judged)
    split = min(run_parts, len(called))
    given = None if weights is None else weights_of(weights)[0]
    work = _work(_portable(metrics), chosen, called, top, split, given)
    left, right = _shard(listed, judged, called, count, split)
    scored = left.cogroup(right).applyInArrow(work, SCHEMA)
    return scored.where("counted").drop("counted")


@takes_settings
def evaluate_parts(
    parts: Any,
    read: Callable[[dict[str, Any]], tuple[Any, Any]],
    metrics: MetricLike | Sequence[MetricLike],
    *,
    names: Sequence[str],
    highest: float,
    weights: WeightsLike | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> Any:
    """Score a collection that lies in parts of whole topics already: nothing is shuffled.

    `parts` is a frame with one row per part, such as the names of its two parquet files. `read` gets a row as a dict
    and gives the part's judgments and runs as Arrow tables; it runs where the part is scored, so rows never pass
    through the JVM. No part knows all `names` of the runs or the `highest` grade. The answer is that of `evaluate`
    with `check=False`: no pass looks for bad rows first, and the first that a task meets ends the job.
    """
    chosen, called = options or Options(), sorted(names)
    given = None if weights is None else weights_of(weights)[0]
    need("pyspark", "spark")
    portable, top = _portable(metrics), float(highest)

    def score(batches: Iterable[Any]) -> Iterator[Any]:
        warnings.simplefilter("ignore")
        for batch in batches:
            for part in batch.to_pylist():
                judged, listed = read(part)
                found = score_shard(
                    judged, listed, as_metrics(portable), names=called, highest=top, options=chosen, weights=given
                )
                yield from found.replace_schema_metadata(None).to_batches()

    return parts.mapInArrow(score, SCHEMA).where("counted").drop("counted")


def to_scores(scores: Any) -> Scores:
    """A frame of scores as `Scores`, on the driver: eight bytes a value, so a sample of topics where there are many."""
    return scores_from_table(scores.toArrow())


def unanimity(scores: Any, *, topics: int | None = None, seed: int = SEED, **options: Any) -> Unanimity:
    """Metric unanimity over a frame of scores, of all topics or of a seeded sample; options as in `diveval.meta`."""
    if topics is not None:
        functions = need("pyspark.sql.functions", "spark")
        order = functions.xxhash64("topic", functions.lit(seed))
        drawn = scores.select("topic").distinct().orderBy(order, "topic").limit(topics)
        scores = scores.join(drawn, "topic", "left_semi")
    return unanimity_of(to_scores(scores), seed=seed, **options)


# --- frames under our names -------------------------------------------------------------------------------------------


def _without_repeats(listed: Any, judged: Any, options: Options) -> tuple[Any, Any]:
    """Documents twice in a ranking or judged in two ways get a reason, where the options do not say what to do."""
    if options.duplicates in (None, "error"):
        keys = [name for name in ("run", "topic", "document") if name in listed.columns]
        listed = flag_repeats(listed, keys, differing=False)
    if options.judgment_duplicates == "error":
        keys = [name for name in ("topic", "aspect", "document") if name in judged.columns]
        judged = flag_repeats(judged, keys, differing=True)
    return listed, judged


def _names(listed: Any) -> list[str]:
    if "run" not in listed.columns:
        return ["run"]
    found = sorted(row["run"] for row in listed.select("run").distinct().collect())
    if not found:
        raise UsageError("no-run", "the frame of runs is empty")
    return found


def _highest(judged: Any) -> float:
    found = judged.agg({"grade": "max"}).first()[0]
    if found is None:
        raise UsageError("no-judgment", "the frame of judgments is empty, or has no grade")
    return float(found)


def _shard(listed: Any, judged: Any, names: Sequence[str], shards: int, run_parts: int) -> tuple[Any, Any]:
    """Both frames grouped alike: by the shard of the topic, and the part of the runs."""
    functions = need("pyspark.sql.functions", "spark")
    shard = functions.pmod(functions.xxhash64("topic"), functions.lit(shards)).alias("shard")
    part = functions.lit(0).alias("part")
    if run_parts > 1 and "run" in listed.columns:
        session = listed.sparkSession
        parts = session.createDataFrame([(name, i % run_parts) for i, name in enumerate(names)], "run string, part int")
        listed = listed.join(functions.broadcast(parts), "run")
        judged = judged.crossJoin(functions.broadcast(session.range(run_parts).selectExpr("int(id) AS part")))
        part = functions.col("part")
    return (
        listed.select("*", shard, *([] if "part" in listed.columns else [part])).groupBy("shard", "part"),
        judged.select("*", shard, *([] if "part" in judged.columns else [part])).groupBy("shard", "part"),
    )


# --- the task ---------------------------------------------------------------------------------------------------------


def _portable(metrics: MetricLike | Sequence[MetricLike]) -> list[Any]:
    """Metrics of the catalogue travel as their text, others as they are: Spark can pickle functions."""
    return [m.name if isinstance(m, Metric) and m.entry is not None else m for m in as_metrics(metrics)]


def _work(
    metrics: list[Any],
    options: Options,
    names: Sequence[str],
    highest: float,
    run_parts: int,
    weights: Mapping[tuple[str, str], float] | None,
) -> Any:
    def work(key: Any, runs: Any, judgments: Any) -> Any:
        warnings.simplefilter("ignore")
        mine = list(names)[key[1].as_py() :: run_parts]
        return score_shard(
            judgments.drop_columns(["shard", "part"]),
            runs.drop_columns(["shard", "part"]),
            as_metrics(metrics),
            names=mine,
            highest=highest,
            options=options,
            weights=weights,
        ).replace_schema_metadata(None)

    return work


# --- rows that cannot be evaluated ------------------------------------------------------------------------------------


NULLABLE = ("weight", "rank")  # numbers that a row may lack
COLUMNS = ("run", "topic", "aspect", "document", "value", "reason")


def examine(frame: Any, wanted: tuple[str, ...], needed: tuple[str, ...], columns: Mapping[str, str] | None) -> Any:
    """The columns we know, under our names and types, and `reason`: why a row cannot be evaluated, null where it can.

    A text that is no number becomes null here and is a reason, where a plain cast would end the job or lose it.
    """
    f = need("pyspark.sql.functions", "spark")
    found = match_columns(frame.columns, columns, wanted=wanted)
    require_columns(frame.columns, found, needed)
    raw = {what: f.col(f"`{found[what]}`") for what in wanted if what in found}
    made = {what: c.try_cast("double") if what in NUMBERS else c.cast("string") for what, c in raw.items()}
    reasons = []
    for what in ("topic", "document", "run", "aspect"):
        if what in made:
            reasons.append(f.when(made[what].isNull() | (f.trim(made[what]) == ""), f.lit(f"no {what}")))
    for what in (name for name in made if name in NUMBERS):
        is_number = made[what].isNotNull()
        if what not in NULLABLE:
            reasons.append(f.when(raw[what].isNull(), f.lit(f"no {what}")))
        said = f.concat(f.lit(f"the {what} is not a finite number: "), raw[what].cast("string"))
        reasons.append(f.when(raw[what].isNotNull() & ~is_number, said))
        reasons.append(f.when(f.isnan(made[what]) | (f.abs(made[what]) == float("inf")), said))
    number = next((what for what in ("grade", "score", "rank") if what in raw), None)
    value = f.lit(None).cast("string") if number is None else raw[number].cast("string")
    return frame.select(
        *(column.alias(what) for what, column in made.items()),
        value.alias("_value"),
        f.coalesce(*reasons).alias("reason"),
    )


def refuse(rows: Any, what: str) -> None:
    """Raise for the first row that cannot be evaluated, with its topic and document; one pass over the frame."""
    bad = rows.where("reason IS NOT NULL").limit(1).collect()
    if bad:
        row = bad[0].asDict()
        known = [name for name in ("run", "topic", "document") if row.get(name) is not None]
        place = ", ".join(f"{name} {quote(row[name])}" for name in known)
        missing = row["reason"] in {f"no {name}" for name in ("topic", "document", "run", "aspect", *NUMBERS)}
        raise InputError(
            "missing-id" if missing else "not-a-number",
            f"{place or 'a row'}: {row['reason']}",
            hint="quarantine=… sets such rows aside",
            source=what,
        )


def flag_repeats(rows: Any, keys: list[str], *, differing: bool) -> Any:
    """The same rows, with a reason for those whose key is there more than once (`differing`: with different values)."""
    f = need("pyspark.sql.functions", "spark")
    window = need("pyspark.sql", "spark").Window.partitionBy(*keys)
    count = f.size(f.collect_set("_value").over(window)) if differing else f.count(f.lit(1)).over(window)
    said = f.concat(
        f.lit("judged with " if differing else "in the ranking "),
        count.cast("string"),
        f.lit(" different grades" if differing else " times"),
    )
    fine = f.col("reason").isNull()
    return rows.withColumn("reason", f.when(fine & (count > 1), said).otherwise(f.col("reason")))


def set_aside(rows: Any, what: str) -> Any:
    """The rows that cannot be evaluated, in the columns of the quarantine."""
    f = need("pyspark.sql.functions", "spark")
    renamed = rows.where("reason IS NOT NULL").withColumnRenamed("_value", "value")
    return renamed.select(
        f.lit(what).alias("frame"),
        *((f.col(c) if c in renamed.columns else f.lit(None)).cast("string").alias(c) for c in COLUMNS),
    )


def end_at_bad_rows(rows: Any, what: str) -> Any:
    """The same rows; a row that cannot be evaluated ends the job that meets it, so that none is lost silently."""
    f = need("pyspark.sql.functions", "spark")
    place = [f.concat(f.lit(f"{c} "), f.col(c)) for c in ("run", "topic", "document") if c in rows.columns]
    message = f.concat_ws(", ", f.lit(f"a row of {what} cannot be evaluated"), *place, f.col("reason"))
    ended = f.when(f.col("reason").isNotNull(), f.raise_error(message).cast("string"))
    return rows.withColumn("reason", ended)


def clean(rows: Any) -> Any:
    """The rows that can be evaluated."""
    return rows.where("reason IS NULL").drop("reason", "_value")


def refuse_strangers(listed: Any, judged: Any, names: list[str]) -> None:
    """Raise for a run that has no topic in common with the judgments, as local evaluation does."""
    known = judged.select("topic").distinct()
    shared = listed.join(known, "topic", "left_semi")
    if "run" not in listed.columns:
        there = set(names) if shared.limit(1).collect() else set()
    else:
        there = {row["run"] for row in shared.select("run").distinct().collect()}
    lost = [name for name in names if name not in there]
    if lost:
        own = listed if "run" not in listed.columns else listed.where(listed["run"] == lost[0])
        given, other = (
            sorted(row["topic"] for row in rows.select("topic").distinct().limit(1000).collect())
            for rows in (own, known)
        )
        raise no_shared_topic(given, other, source=f"run {quote(lost[0])}")


def write_quarantine(parts: list[Any], path: str) -> None:
    """Write the rows set aside as parquet; a folder that is there already is not overwritten."""
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.unionByName(part)
    try:
        whole.write.mode("errorifexists").parquet(path)
    except Exception as error:
        if "PATH_ALREADY_EXISTS" not in str(error):
            raise
        raise UsageError("folder-not-empty", f"quarantine: {path} is there already", hint="name a new folder") from None
