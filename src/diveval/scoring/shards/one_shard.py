"""Scoring of one shard: from tables of some topics to their scores and the facts for warnings.

It runs the evaluation behind `diveval.evaluate` on fewer topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.collection.columns import naturally
from diveval.collection.judgments import Judgments, is_ad_hoc, warn_of_repeats, warn_of_weights
from diveval.collection.runs import Run
from diveval.errors import DivevalWarning, InputError, capture_warnings, need, quote, warn
from diveval.metrics import Metric
from diveval.reading.cells import texts_of
from diveval.reading.frames import judgments_from_frame
from diveval.reading.run_tables import runs_from_frame
from diveval.results.scores import Scores
from diveval.scoring.evaluate import (
    RunFacts,
    distinct_names,
    score_part,
    warn_about_judgments,
    warn_about_metrics,
    warn_about_runs,
)
from diveval.settings import Options

Weights = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class RunsOf:
    """The runs of one file or frame: source, names, and the metadata that `diveval data convert` writes."""

    source: str
    runs: tuple[str, ...]
    note: Mapping[str, Any] = field(default_factory=dict)
    format: str = ""


@dataclass(frozen=True)
class CollectionFacts:
    """Facts about a whole collection that its parts cannot know."""

    runs: tuple[RunsOf, ...]
    highest: float
    source: str = ""
    repeats: bool = False  # judgments of passages: every row counts
    weights: Weights | None = None
    weights_source: str = "weights"
    residuals: bool = False
    columns: Mapping[str, str] | None = None

    @property
    def names(self) -> list[str]:
        """A unique name for every run."""
        return distinct_names([(run, file.source or run) for file in self.runs for run in file.runs])


@dataclass(frozen=True, eq=False)
class Part:
    """The scores of some topics, and the facts for warnings about all topics."""

    scores: Scores | None
    facts: list[RunFacts]
    topics: Sequence[str] = ()
    repeats: int = 0
    weighted: int = 0
    unweighted: tuple[str, ...] = ()
    warnings: tuple[DivevalWarning, ...] = ()
    ad_hoc: bool = False


def score_tables(
    judgments: Any, runs: Sequence[Any], metrics: Sequence[Metric], collection: CollectionFacts, options: Options
) -> Part:
    """Score some topics: their judgments as a table, and a table for each file or frame of runs."""
    if not judgments.num_rows:
        return Part(None, [])
    with capture_warnings() as messages:
        truth = judgments_of(judgments, collection, options)
        names = iter(collection.names)
        listed = [run for table, file in zip(runs, collection.runs, strict=True) for run in _runs(table, file, names)]
        scores, facts = score_part(truth, listed, metrics, options, residuals=collection.residuals)
    columns = truth.columns
    unweighted = tuple(columns.topics.at(np.flatnonzero(~columns.weighted)))
    weighted = int(columns.weighted.sum())
    return Part(scores, facts, scores.topics, columns.repeats, weighted, unweighted, tuple(messages), is_ad_hoc(truth))


def judgments_of(table: Any, collection: CollectionFacts, options: Options) -> Judgments:
    """The judgments of some topics; the highest grade is that of the collection, which the rule for grades needs."""
    truth = judgments_from_frame(
        table,
        columns=collection.columns,
        duplicates=options.judgment_duplicates,
        repeats=collection.repeats,
        source=collection.source,
        quiet=True,
    )
    if collection.weights is not None:
        own = {key: weight for key, weight in collection.weights.items() if key[0] in truth.topics}
        truth = truth.with_weights(own, source=collection.weights_source, quiet=True)
    return replace(truth, highest_of_all=collection.highest)


def _runs(table: Any, file: RunsOf, names: Any) -> list[Run]:
    """The runs of a table under their unique names; a run without rows in the table lacks all of its topics."""
    by_name: dict[str, Run] = {}
    if table.num_rows:
        name = file.runs[0] if file.runs else "run"
        listed = runs_from_frame(table, name, source=file.source, note=file.note, format=file.format)
        by_name = {run.name: run for run in listed}
    unexpected = next((name for name in by_name if name not in file.runs), None)
    if unexpected is not None:
        raise InputError(
            "unknown-run", f"the table contains the run {quote(unexpected)}, which is not part of the evaluation"
        )
    nothing = Run("", {}, file.source)
    return [replace(by_name.get(name, nothing), name=next(names)) for name in file.runs]


def emit_warnings(
    parts: Sequence[Part], collection: CollectionFacts, metrics: Sequence[Metric], options: Options
) -> None:
    """Issue the warnings that `diveval.evaluate` gives for all topics at once."""
    scored = [part for part in parts if len(part.topics)]
    if not scored:
        raise InputError("no-judgment", "contains no judgment", source=collection.source)
    topics = naturally(topic for part in scored for topic in part.topics)
    place = {topic: i for i, topic in enumerate(topics)}
    if repeats := sum(part.repeats for part in scored):
        warn_of_repeats(repeats, collection.source)
    unweighted = sorted((topic for part in scored for topic in part.unweighted), key=place.__getitem__)
    if collection.weights is not None or any(part.weighted for part in scored):
        named = {topic for topic, _ in collection.weights or ()}
        warn_of_weights(unweighted, len(topics), collection.weights_source, named)
    warn_about_judgments(set(topics), collection.highest, collection.source)
    warn_about_metrics(metrics, collection.source, ad_hoc=all(part.ad_hoc for part in scored))
    facts = scored[0].facts
    for part in scored[1:]:
        facts = [one + other for one, other in zip(facts, part.facts, strict=True)]
    facts = [replace(run, missing=tuple(sorted(run.missing, key=place.__getitem__))) for run in facts]
    warn_about_runs(facts, len(topics), metrics, options)
    for note in {note.message: note for part in scored for note in part.warnings}.values():
        warn(note.code, note.message)


def join_parts(parts: Sequence[Part]) -> Scores:
    """The scores of all parts, topics in natural order."""
    tables = [part.scores for part in parts if part.scores is not None]
    topics = [topic for scores in tables for topic in scores.topics]
    place = {topic: i for i, topic in enumerate(topics)}
    order = [place[topic] for topic in naturally(topics)]
    missing = [np.zeros((len(s.runs), len(s.topics)), dtype=bool) if s.missing is None else s.missing for s in tables]
    return Scores.of(
        np.concatenate([s.values for s in tables], axis=2)[:, :, order],
        runs=tables[0].runs,
        metrics=tables[0].metrics,
        topics=[topics[i] for i in order],
        counted=np.concatenate([s.counted for s in tables], axis=2)[:, :, order],
        notes=list(dict.fromkeys(note for s in tables for note in s.notes)),
        missing=np.concatenate(missing, axis=1)[:, order],
        best=tables[0].best,
    )


def score_shard(
    judgments: Any,
    runs: Any,
    metrics: Sequence[Metric],
    *,
    names: Sequence[str],
    highest: float,
    options: Options | None = None,
    weights: Weights | None = None,
) -> Any:
    """Score a topic shard: Arrow tables in, an Arrow table out.

    `judgments` has the columns topic, aspect, document, grade and optionally weight; `runs` has run, topic, document and
    score or rank. `names` are all runs of the evaluation and `highest` its highest grade: a shard does not contain
    either, and a run without rows in it lacks all of its topics. The result has the columns run, metric, topic, value
    and counted (whether the topic enters the run's mean).
    """
    if "run" not in runs.column_names and len(names) != 1:
        raise InputError("missing-column", f"a table of {len(names)} runs needs a run column")
    collection = CollectionFacts((RunsOf("", tuple(names)),), highest, weights=weights)
    part = score_tables(judgments, [runs], metrics, collection, options or Options())
    return scores_schema().empty_table() if part.scores is None else table_of(part.scores)


# --- scores as a table and back ---------------------------------------------------------------------------------------


def scores_schema() -> Any:
    """run, metric, topic, value, counted."""
    arrow = need("pyarrow", "arrow")
    text = arrow.string()
    return arrow.schema(
        [("run", text), ("metric", text), ("topic", text), ("value", arrow.float64()), ("counted", arrow.bool_())]
    )


def table_of(scores: Scores) -> Any:
    """Scores as a long table, one row per value."""
    arrow = need("pyarrow", "arrow")
    runs, metrics, topics = np.indices(scores.values.shape)
    names = (scores.runs, scores.metrics, scores.topics)
    texts = [
        arrow.DictionaryArray.from_arrays(
            arrow.array(index.ravel(), arrow.int32()), arrow.array(labels, arrow.string())
        ).dictionary_decode()
        for index, labels in zip((runs, metrics, topics), names, strict=True)
    ]
    columns = [*texts, arrow.array(scores.values.ravel()), arrow.array(scores.counted.ravel())]
    return arrow.Table.from_arrays(columns, schema=scores_schema())


def scores_from_table(
    table: Any,
    *,
    runs: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
) -> Scores:
    """Scores from a long table; a combination without a row is not counted. Topics are in natural order."""
    columns = {name: texts_of(table[name], f"id ({name})") for name in ("run", "metric", "topic")}
    own = {name: column.names.tolist() for name, column in columns.items()}
    names = [list(runs or own["run"]), list(metrics or own["metric"]), naturally(own["topic"])]
    cells = []
    for column, listed in zip(columns.values(), names, strict=True):
        place = {name: i for i, name in enumerate(listed)}
        cells.append(np.array([place[name] for name in column.names], dtype=np.int64)[column.codes])
    shape = tuple(len(listed) for listed in names)
    values, counted = np.zeros(shape), np.zeros(shape, dtype=bool)
    at: tuple[NDArray[np.int64], ...] = tuple(cells)
    values[at] = np.asarray(table["value"])
    counted[at] = np.asarray(table["counted"]) if "counted" in table.column_names else True
    return Scores.of(values, runs=names[0], metrics=names[1], topics=names[2], counted=counted)
