"""Judgments and runs from dicts, frames, and other libraries' objects."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from diveval.argument_types import explain_types
from diveval.collection.inputs import JudgmentsLike, RunsLike
from diveval.collection.judgments import Judgments, naturally
from diveval.collection.runs import Run, TopicRun
from diveval.errors import InputError, UsageError, quote
from diveval.reading import nuggets
from diveval.reading.cells import float_of, text_of
from diveval.reading.frames import (
    check_columns,
    is_frame,
    judgments_from_frame,
    materialise,
    names_of,
)
from diveval.reading.parquet import is_parquet, read_runs
from diveval.reading.run_files import expand_runs
from diveval.reading.run_tables import runs_from_frame
from diveval.reading.source import FILES, Source
from diveval.setting_table import Duplicates

SEQUENCES = (list, tuple, np.ndarray)  # types of ordered documents


@explain_types
def as_judgments(
    shape: JudgmentsLike, *, duplicates: Duplicates = "error", columns: Mapping[str, str] | None = None
) -> Judgments:
    """Judgments from `Judgments`, a dict, a table, ranx `Qrels`, or an iterable of ir_measures/ir_datasets qrels.

    Args:
        shape: the judgments. Dicts are `{topic: {aspect: {document: grade}}}`, or `{topic: {document: grade}}` for one
            aspect per topic; tables are of pandas, polars, Arrow or DuckDB; a list of dicts holds nuggets.
        duplicates: the rule for a document judged twice with different grades: `error`, `max`, `first` or `last`.
        columns: maps our names (topic, aspect, document, grade, weight) to the table's.
    """
    if isinstance(shape, Judgments):
        return shape
    given = _plain(shape)
    if isinstance(given, Mapping):
        made = Judgments.from_rows(_judgment_dict(given), duplicates=duplicates)
        unjudged = _find_unjudged(given)
        return made.with_unjudged(unjudged) if unjudged else made
    if is_frame(given):
        check_columns(columns, names_of(given := materialise(given)))
        return judgments_from_frame(given, columns=columns, duplicates=duplicates)
    if isinstance(given, list | tuple) and given and all(isinstance(item, Mapping) for item in given):
        return _from_nuggets(given)
    if isinstance(given, Iterable) and not isinstance(given, (str, bytes)):
        return Judgments.from_rows(_judgment_tuples(given), duplicates=duplicates)
    raise UsageError("wrong-type", f"judgments are a path, a dict, a frame or qrels, got {type(shape).__name__}")


def _from_nuggets(records: Iterable[Mapping[str, Any]]) -> Judgments:
    """Judgments from nugget records, as in files with one record per line."""
    lines = [(number, json.dumps(record)) for number, record in enumerate(records, 1)]
    rows, weights = nuggets.judgments(lines, "nuggets")
    return Judgments.from_rows(rows, weights=weights)


def why_no_aspects(shape: object) -> str | None:
    """Why judgments of this form cannot have aspects, and what to do; None if they can.

    ranx and pytrec_eval have one grade per document. `as_judgments` states that every topic has one aspect.
    """
    flat = isinstance(shape, Mapping) and not all(
        isinstance(value, Mapping) for inner in shape.values() if isinstance(inner, Mapping) for value in inner.values()
    )
    if not flat and not is_ranx(shape):
        return None
    kind = "ranx Qrels hold" if is_ranx(shape) else "a dict {topic: {document: grade}} holds"
    return (
        f"{kind} one grade per document and no aspects; give {{topic: {{aspect: {{document: grade}}}}}} or a frame with"
        " an aspect column, or diveval.as_judgments(…) of it if every topic has one aspect"
    )


def as_runs(shape: RunsLike, *, columns: Mapping[str, str] | None = None) -> list[Run | Path | str | Source]:
    """One run or several from any form; paths of text files stay paths, since they are scanned later.

    A folder stands for the files in it, a pattern such as `runs/*.gz` for those it matches.
    """
    if isinstance(shape, Mapping) and not is_run_dict(shape):
        if not shape:
            raise UsageError("no-run", "no run was given")
        return [run for name, item in shape.items() for run in _name_runs(item, str(name), columns)]
    if isinstance(shape, (*FILES, Run, Mapping)) or is_frame(shape) or is_ranx(shape):
        listed: list[Any] = [shape]
    elif isinstance(shape, Iterable):
        listed = list(shape)
        if listed and hasattr(listed[0], "_fields") and hasattr(listed[0], "score"):
            listed = [listed]
    else:
        raise UsageError("wrong-type", f"runs are paths, dicts, frames or lists of them, got {type(shape).__name__}")
    if not listed:
        raise UsageError("no-run", "no run was given")
    out: list[Run | Path | str | Source] = []
    listed = expand_runs(listed)
    for item in listed:
        name = f"run{len(out) + 1}" if len(listed) > 1 else "run"
        if isinstance(item, FILES):
            out.extend(read_runs(item, columns=columns) if is_parquet(item) else [item])
        elif is_frame(item):
            out.extend(runs_from_frame(item, name, columns=columns))
        elif (isinstance(item, Mapping) and not is_run_dict(item)) or _holds_runs(item):  # as if it were given alone
            out.extend(as_runs(item, columns=columns))
        else:
            out.append(as_run(item, name=name))
    return out


def _holds_runs(item: object) -> bool:
    """Whether this is a list of files or runs rather than of documents."""
    return isinstance(item, list | tuple) and bool(item) and all(isinstance(one, (*FILES, Run)) for one in item)


@explain_types
def as_run(shape: RunsLike, *, name: str | None = None, columns: Mapping[str, str] | None = None) -> Run:
    """A run from `Run`, a dict, a table, ranx `Run`, or an iterable of ir_measures scored documents.

    Args:
        shape: the run. Dicts are `{topic: {document: score}}`, or `{topic: [document, …]}` in order; tables as in
            `as_judgments`, with the columns topic, document, and score or rank.
        name: the run's name, if it has no name of its own.
        columns: maps our names (topic, document, score, rank) to the table's.
    """
    if isinstance(shape, Run):
        return shape
    own = getattr(shape, "name", None) if is_ranx(shape) else None
    called = str(own) if isinstance(own, str) and own else name or "run"
    given = _plain(shape)
    if isinstance(given, Mapping):
        return _run_from_dict(given, called)
    if is_frame(given):
        check_columns(columns, names_of(given := materialise(given)))
        runs = runs_from_frame(given, called, columns=columns)
        if len(runs) > 1:
            raise InputError(
                "wrong-number-of-runs",
                f"the frame holds {len(runs)} runs, expected one",
                hint="select one, or evaluate all",
            )
        return runs[0]
    if isinstance(given, Iterable) and not isinstance(given, (str, bytes)):
        return Run.from_rows(_rows_of(given), name=called, source=called)
    raise UsageError("wrong-type", f"a run is a path, a dict, a frame or scored documents, got {type(shape).__name__}")


def _rows_of(shape: Iterable[Any]) -> Iterator[tuple[str, str, float]]:
    listed = list(shape)
    if columns := _ordinary_columns(listed, ("query_id", "doc_id"), "score"):
        yield from zip(*columns, strict=True)
        return
    for item in listed:
        try:
            topic, document, score = item.query_id, item.doc_id, item.score
        except AttributeError:
            raise UsageError(
                "wrong-type",
                "a run is {topic: [document, …]}, {topic: {document: score}}, or documents with query_id, doc_id and"
                f" score, got {quote(item)}",
            ) from None
        yield text_of(topic), text_of(document), _number_of(score, topic, document, "score")


def _name_runs(shape: Any, name: str, columns: Mapping[str, str] | None) -> list[Run | Source]:
    """The run of this name; if a file or frame holds several, each is named `name:run`."""
    if isinstance(shape, FILES) and not is_parquet(shape):
        return [replace(Source.of(shape), label=name)]
    if isinstance(shape, FILES) or is_frame(shape):
        is_file = isinstance(shape, FILES)
        many = read_runs(shape, columns=columns) if is_file else runs_from_frame(shape, name, columns=columns)
        return [replace(run, name=name if len(many) == 1 else f"{name}:{run.name}") for run in many]
    return [replace(as_run(shape, name=name), name=name)]


def is_ranx(shape: object) -> bool:
    """Whether this is an object of ranx, decided without importing ranx."""
    return type(shape).__module__.partition(".")[0] == "ranx"


def _plain(shape: Any) -> Any:
    """An object of ranx as its dict, anything else unchanged."""
    return shape.to_dict() if is_ranx(shape) else shape


# --- dicts and tuples -------------------------------------------------------------------------------------------------


def _judgment_dict(shape: Mapping[Any, Any]) -> Iterator[tuple[str, str, str, float]]:
    if twice := _find_repeated(shape):
        raise UsageError(
            "duplicate-topic", f"the judgments have the topic {quote(twice)} twice: as a string and as a number"
        )
    for topic, inner in shape.items():
        if not isinstance(inner, Mapping):
            raise UsageError(
                "wrong-type", f"judgments of topic {quote(topic)} should be a dict, got {type(inner).__name__}"
            )
        if len({isinstance(value, Mapping) for value in inner.values()}) > 1:
            raise UsageError(
                "mixed-records",
                f"judgments of topic {quote(topic)} are {{document: grade}} or {{aspect: {{document: grade}}}}, not both",
            )
        for key, value in inner.items():
            if isinstance(value, Mapping):
                for document, grade in value.items():
                    yield text_of(topic), text_of(key), text_of(document), _number_of(grade, topic, document, "grade")
            else:
                yield text_of(topic), "0", text_of(key), _number_of(value, topic, key, "grade")


def _find_unjudged(shape: Mapping[Any, Any]) -> dict[str, list[str]]:
    """The aspects without a judgment by topic; a topic without any aspect has an empty list."""
    aspects = {
        text_of(topic): [text_of(key) for key, value in inner.items() if isinstance(value, Mapping) and not value]
        for topic, inner in shape.items()
    }
    return {topic: empty for topic, empty in aspects.items() if empty or not shape.get(topic, True)}


def _ordinary_columns(rows: Sequence[Any], names: Sequence[str], number: str) -> list[Any] | None:
    """The columns of named tuples of one type, if they are texts and finite numbers as they should be; checked column by
    column, in a third of the time that rows take."""
    kind = type(rows[0]) if rows else None
    fields = getattr(kind, "_fields", ())
    if not {*names, number} <= {*fields} or set(map(type, rows)) != {kind}:
        return None
    columns = {name: [row[place] for row in rows] for place, name in enumerate(fields) if name in {*names, number}}
    for name in names:
        if set(map(type, columns[name])) != {str} or "" in columns[name]:
            return None
    if not set(map(type, columns[number])) <= {int, float}:
        return None
    try:
        values = list(map(float, columns[number]))
    except OverflowError:  # an integer of more than 308 digits
        return None
    return [*(columns[name] for name in names), values] if all(map(isfinite, values)) else None


def _judgment_tuples(shape: Iterable[Any]) -> Iterator[tuple[str, str, str, float]]:
    rows = list(shape)
    for aspect in ("subtopic_id", "iteration"):
        if columns := _ordinary_columns(rows, ("query_id", aspect, "doc_id"), "relevance"):
            yield from zip(*columns, strict=True)
            return
    for row in rows:
        if hasattr(row, "query_id") and hasattr(row, "relevance"):
            aspect = getattr(row, "subtopic_id", None) or getattr(row, "iteration", None) or "0"
            grade = _number_of(row.relevance, row.query_id, row.doc_id, "grade")
            yield text_of(row.query_id), text_of(aspect), text_of(row.doc_id), grade
        elif isinstance(row, (tuple, list)) and len(row) == 4:
            topic, aspect, document, grade = row
            yield text_of(topic), text_of(aspect), text_of(document), _number_of(grade, topic, document, "grade")
        else:
            raise UsageError(
                "wrong-type", f"a judgment is (topic, aspect, document, grade) or a qrel, got {quote(row)}"
            )


def is_run_dict(shape: Mapping[Any, Any]) -> bool:
    """Whether a dict is a single run, whose topics hold scores or documents, and not a dict of runs by name."""
    for inner in shape.values():
        if isinstance(inner, Mapping):
            if inner:  # an empty dict may be either
                return not isinstance(next(iter(inner.values())), (Mapping, *SEQUENCES))
        elif isinstance(inner, np.ndarray) and inner.ndim != 1:
            raise UsageError(
                "wrong-shape", f"the documents of a topic are an array of one dimension, got {inner.ndim} dimensions"
            )
        elif isinstance(inner, SEQUENCES):
            return not (len(inner) and is_scored(inner[0]))
        else:  # a path, a frame, a Run
            return False
    return False


def is_scored(item: Any) -> bool:
    """Whether this is a document with its topic and score, as in ir_measures and ir_datasets."""
    return all(hasattr(item, name) for name in ("query_id", "doc_id", "score"))


def _run_from_dict(shape: Mapping[Any, Any], name: str) -> Run:
    if not shape:
        raise UsageError("empty-run", f"the run {quote(name)} contains no topic")
    kinds = {isinstance(inner, Mapping) for inner in shape.values() if not _is_empty(inner)}
    bad = next((t for t, inner in shape.items() if not isinstance(inner, (Mapping, *SEQUENCES))), None)
    if bad is not None or len(kinds) > 1:
        where = f"run {quote(name)}, topic {quote(bad)}: " if bad is not None else f"run {quote(name)}: "
        raise UsageError(
            "mixed-records", f"{where}every topic is a dict {{document: score}}, or every topic a list of documents"
        )
    if twice := _find_repeated(shape):
        raise UsageError(
            "duplicate-topic", f"run {quote(name)} has the topic {quote(twice)} twice: as a string and as a number"
        )
    if kinds == {True} and not any(map(_is_empty, shape.values())):
        rows = (
            (text_of(t), text_of(d), _number_of(s, t, d, "score"))
            for t, inner in shape.items()
            for d, s in inner.items()
        )
        return Run.from_rows(rows, name=name, source=name)
    lists = {text_of(t): _topic_run(t, documents) for t, documents in shape.items()}
    return Run(name, {t: lists[t] for t in naturally(lists)}, name)


def _find_repeated(topics: Iterable[Any]) -> str | None:
    """A topic whose name as text occurs twice."""
    return next((topic for topic, count in Counter(map(text_of, topics)).items() if count > 1), None)


def _topic_run(topic: Any, documents: Any) -> TopicRun:
    """One topic's documents, in order or with scores; an empty list counts as the run's answer."""
    if not isinstance(documents, Mapping):
        return TopicRun([text_of(d) for d in documents])
    scores = np.array([_number_of(s, topic, d, "score") for d, s in documents.items()], dtype=np.float64)
    return TopicRun([text_of(d) for d in documents], scores)


def _is_empty(documents: Any) -> bool:
    return isinstance(documents, (Mapping, *SEQUENCES)) and len(documents) == 0


def _number_of(value: Any, topic: Any, document: Any, what: str) -> float:
    """A finite number, or an error."""
    number = float_of(value)
    if not isfinite(number):
        where = f"topic {quote(topic)}, document {quote(document)}"
        raise InputError("not-a-number", f"{where}: expected a finite {what}, got {quote(value)}")
    return number
