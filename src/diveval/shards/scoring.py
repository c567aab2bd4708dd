"""The pure function at the bottom of every parallel evaluation: judgments and runs of some topics in, scores out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.errors import InputError, need, shown
from diveval.judgments import Duplicates, Judgments, naturally
from diveval.metrics import Metric
from diveval.options import Options
from diveval.reading.frames import judgments_from_columns
from diveval.scores import Scores
from diveval.scoring import orders, score
from diveval.shards.columns import codes_of, number_column, text_column
from diveval.shards.ranking import rank_table

NOTE = b"diveval.shard"


def score_shard(
    judgments: Any,
    runs: Any,
    metrics: Sequence[Metric],
    *,
    names: Sequence[str],
    highest: float,
    options: Options | None = None,
) -> Any:
    """Score a topic shard: Arrow tables in, an Arrow table out.

    `judgments` has the columns topic, aspect, document, grade and perhaps weight; `runs` has run, topic, document and
    score or rank. `names` are all runs of the evaluation and `highest` its highest grade: a shard cannot know either,
    and a run without rows here has the scores of an empty list. The answer has the columns run, metric, topic, value
    and counted (does the topic enter the run's mean); its metadata counts topics, and those each run lacks.
    """
    chosen = options or Options()
    truth = judgments_of(judgments, highest=highest, duplicates=chosen.judgment_duplicates)
    if truth is None:
        return empty_scores()
    rankings = rank_table(runs, truth, names, orders(metrics, chosen), chosen)
    first = next(iter(rankings.values()))
    note = {"topics": len(truth.topics), "lacking": {run.name: len(truth.topics) - len(run.topics) for run in first}}
    return table_of(score(truth, rankings, metrics, chosen)).replace_schema_metadata({NOTE: json.dumps(note)})


@dataclass(frozen=True, eq=False)
class PartOfJudgments(Judgments):
    """Some topics of a collection. The highest grade is the collection's, since the rule for grades asks for it."""

    highest_of_all: float = 0.0

    @property
    def highest(self) -> float:
        return self.highest_of_all


def judgments_of(table: Any, *, highest: float, duplicates: Duplicates = "error") -> PartOfJudgments | None:
    """A shard's judgments; None where it has none."""
    if table.num_rows == 0:
        return None
    grades = number_column(table, "grade")
    if grades is None:
        raise InputError("the judgments have no grade column with numbers")
    topics, documents = text_column(table, "topic"), text_column(table, "document")
    aspects = text_column(table, "aspect") if "aspect" in table.column_names else None
    built = None
    if aspects is not None:
        names = [column.dictionary.to_pylist() for column in (topics, aspects, documents)]
        codes = [codes_of(column).astype(np.int32) for column in (topics, aspects, documents)]
        built = Judgments.from_codes((names[0], names[1], names[2]), codes[0], codes[1], codes[2], grades)
    if built is None:  # judgments that stand there twice, or without aspects: the plain rules have the answer
        held = [name for name in ("topic", "aspect", "document") if name in table.column_names]
        columns = {name: table[name].to_pylist() for name in held}
        built = judgments_from_columns({**columns, "grade": grades.tolist()}, duplicates)
    part = PartOfJudgments(built.topics, highest_of_all=highest)
    weights = _weights(table)
    return part.with_weights(weights) if weights else part  # type: ignore[return-value]


def _weights(table: Any) -> dict[tuple[str, str], float]:
    if "weight" not in table.column_names or "aspect" not in table.column_names:
        return {}
    plain = table.select(["topic", "aspect", "weight"]).cast(_weight_schema())
    found = plain.group_by(["topic", "aspect"]).aggregate([("weight", "min"), ("weight", "max")]).to_pydict()
    out = {}
    for topic, aspect, low, high in zip(*(found[name] for name in _WEIGHT_NAMES), strict=True):
        if low != high:
            raise InputError(f"topic {shown(topic)}, aspect {shown(aspect)} has two different weights")
        if low is not None:
            out[topic, aspect] = low
    return out


_WEIGHT_NAMES = ("topic", "aspect", "weight_min", "weight_max")


def _weight_schema() -> Any:
    arrow = need("pyarrow", "arrow")
    return arrow.schema([("topic", arrow.string()), ("aspect", arrow.string()), ("weight", arrow.float64())])


# --- scores as a table and back ---------------------------------------------------------------------------------------


def scores_schema() -> Any:
    """run, metric, topic, value, counted."""
    arrow = need("pyarrow", "arrow")
    text = arrow.string()
    return arrow.schema(
        [("run", text), ("metric", text), ("topic", text), ("value", arrow.float64()), ("counted", arrow.bool_())]
    )


def empty_scores() -> Any:
    """What a shard without judgments answers."""
    return scores_schema().empty_table()


def table_of(scores: Scores) -> Any:
    """Scores as a long table, one row a value."""
    arrow = need("pyarrow", "arrow")
    runs, metrics, topics = np.indices(scores.values.shape)
    names = (scores.runs, scores.metrics, scores.topics)
    texts = [
        arrow.DictionaryArray.from_arrays(arrow.array(index.ravel(), arrow.int32()), arrow.array(held, arrow.string()))
        .dictionary_decode()
        for index, held in zip((runs, metrics, topics), names, strict=True)
    ]  # fmt: skip
    columns = [*texts, arrow.array(scores.values.ravel()), arrow.array(scores.counted.ravel())]
    return arrow.Table.from_arrays(columns, schema=scores_schema())


def scores_from_table(
    table: Any, *, runs: Sequence[str] | None = None, metrics: Sequence[str] | None = None
) -> Scores:
    """Scores from a long table; a combination without a row is not counted. Topics come in their natural order."""
    columns = {name: text_column(table, name) for name in ("run", "metric", "topic")}
    held = {name: column.dictionary.to_pylist() for name, column in columns.items()}
    names = [list(runs or held["run"]), list(metrics or held["metric"]), naturally(held["topic"])]
    cells = tuple(_placed(columns[what], listed) for what, listed in zip(columns, names, strict=True))
    shape = tuple(len(listed) for listed in names)
    values, counted = np.zeros(shape), np.zeros(shape, dtype=bool)
    values[cells] = np.asarray(table["value"])
    counted[cells] = np.asarray(table["counted"]) if "counted" in table.column_names else True
    return Scores.of(values, runs=names[0], metrics=names[1], topics=names[2], counted=counted)


def _placed(column: Any, names: list[str]) -> NDArray[np.int64]:
    place = {name: i for i, name in enumerate(names)}
    table = np.array([place[name] for name in column.dictionary.to_pylist()], dtype=np.int64)
    return table[codes_of(column)]
