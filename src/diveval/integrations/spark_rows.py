"""Rows of Spark frames that cannot be evaluated: found before anything is scored, named, or put into quarantine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diveval.errors import InputError, UsageError, need, shown
from diveval.reading.frames import NUMBERS, known_columns, require_columns

NULLABLE = ("weight", "rank")  # numbers that a row may lack
COLUMNS = ("run", "topic", "aspect", "document", "value", "reason")


def examined(frame: Any, wanted: tuple[str, ...], needed: tuple[str, ...], columns: Mapping[str, str] | None) -> Any:
    """The columns we know, under our names and types, and `reason`: why a row cannot be evaluated, null where it can.

    A text that is no number becomes null here and is a reason, where a plain cast would end the job or lose it.
    """
    f = need("pyspark.sql.functions", "spark")
    found = known_columns(frame.columns, columns, wanted=wanted)
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
        place = ", ".join(f"{name} {shown(row[name])}" for name in known)
        raise InputError(f"{place or 'a row'}: {row['reason']}; quarantine=… sets such rows aside", source=what)


def repeated(rows: Any, keys: list[str], *, differing: bool) -> Any:
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
        other = sorted(row["topic"] for row in known.limit(2).collect())
        raise InputError(
            f"has no topic in common with the judgments (theirs are like {', '.join(map(shown, other))}); are they for"
            " the same collection?",
            source=f"run {shown(lost[0])}",
        )


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
        raise UsageError(f"quarantine: {path} is there already; name a new folder") from None
