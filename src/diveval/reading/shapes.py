"""Judgments and runs from what people already hold: dicts, frames, and other libraries' objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from diveval.errors import UsageError, shown
from diveval.judgments import Duplicates, Judgments, naturally
from diveval.reading import read_run
from diveval.reading.frames import (
    found_columns,
    grade_of,
    is_frame,
    judgments_from_frame,
    run_from_frame,
    runs_from_frame,
    text_of,
)
from diveval.reading.parquet import is_parquet, read_runs
from diveval.runs import Run, TopicRun


def as_judgments(
    shape: Any, *, duplicates: Duplicates = "error", columns: Mapping[str, str] | None = None
) -> Judgments:
    """Judgments from `Judgments`, a dict, a table, ranx `Qrels`, or an iterable of ir_measures/ir_datasets qrels.

    Dicts: `{topic: {aspect: {document: grade}}}`, or `{topic: {document: grade}}` for one aspect a topic. Tables:
    pandas, polars, Arrow, DuckDB; `columns` maps our names (topic, aspect, document, grade, weight) to the table's.
    """
    if isinstance(shape, Judgments):
        return shape
    shape = shape.to_dict() if is_ranx(shape) else shape
    if isinstance(shape, Mapping):
        return Judgments.from_rows(_judgment_dict(shape), duplicates=duplicates)
    if is_frame(shape):
        return judgments_from_frame(shape, columns=columns, duplicates=duplicates)
    if isinstance(shape, Iterable) and not isinstance(shape, (str, bytes)):
        return Judgments.from_rows(_judgment_tuples(shape), duplicates=duplicates)
    raise UsageError(f"judgments are a path, a dict, a frame or qrels, got {type(shape).__name__}")


def why_no_aspects(shape: Any) -> str | None:
    """Why a shape cannot carry aspects, and what to do; None where it can.

    ranx and pytrec_eval hold one grade a document. Whoever means one aspect a topic says so with `as_judgments`.
    """
    flat = isinstance(shape, Mapping) and not all(
        isinstance(value, Mapping) for inner in shape.values() if isinstance(inner, Mapping) for value in inner.values()
    )
    if not flat and not is_ranx(shape):
        return None
    kind = "ranx Qrels hold" if is_ranx(shape) else "a dict {topic: {document: grade}} holds"
    return (
        f"{kind} one grade a document and cannot carry aspects; give {{topic: {{aspect: {{document: grade}}}}}} or a"
        " frame with an aspect column, or diveval.as_judgments(…) of it if every topic has one aspect"
    )


def as_runs(shape: Any, *, columns: Mapping[str, str] | None = None) -> list[Run | Path | str]:
    """One run or several, by any shape; paths of text stay paths, to be scanned."""
    if isinstance(shape, Mapping) and not _is_run_dict(shape):
        return [_named(run, str(name)) for name, run in shape.items()]
    if isinstance(shape, (str, Path, Run, Mapping)) or is_frame(shape) or is_ranx(shape):
        listed: list[Any] = [shape]
    elif isinstance(shape, Iterable):
        listed = list(shape)
        if listed and hasattr(listed[0], "_fields") and hasattr(listed[0], "score"):
            listed = [listed]
    else:
        raise UsageError(f"runs are paths, dicts, frames or lists of them, got {type(shape).__name__}")
    if not listed:
        raise UsageError("no run was given")
    out: list[Run | Path | str] = []
    for item in listed:
        if isinstance(item, (str, Path)):
            out.extend(read_runs(item) if is_parquet(item) else [item])
        elif is_frame(item) and "run" in found_columns(item, columns):
            out.extend(runs_from_frame(item, columns=columns))
        else:
            out.append(as_run(item, name=f"run{len(out) + 1}" if len(listed) > 1 else "run", columns=columns))
    return out


def as_run(shape: Any, *, name: str | None = None, columns: Mapping[str, str] | None = None) -> Run:
    """A run from `Run`, a dict, a table, ranx `Run`, or an iterable of ir_measures scored documents.

    Dicts: `{topic: {document: score}}`, or `{topic: [document, …]}` in order. Tables as in `as_judgments`, with the
    columns topic, document, and score or rank.
    """
    if isinstance(shape, Run):
        return shape
    own = getattr(shape, "name", None) if is_ranx(shape) else None
    called = str(own) if isinstance(own, str) and own else name or "run"
    shape = shape.to_dict() if is_ranx(shape) else shape
    if isinstance(shape, Mapping):
        return _run_from_dict(shape, called)
    if is_frame(shape):
        return run_from_frame(shape, called, columns=columns)
    if isinstance(shape, Iterable) and not isinstance(shape, (str, bytes)):
        rows = ((text_of(d.query_id), text_of(d.doc_id), float(d.score)) for d in shape)
        return Run.from_rows(rows, name=called, source=called)
    raise UsageError(f"a run is a path, a dict, a frame or scored documents, got {type(shape).__name__}")


def _named(shape: Any, name: str) -> Run:
    if isinstance(shape, (str, Path)):
        return read_run(shape, name=name)
    return replace(as_run(shape, name=name), name=name)


def is_ranx(shape: Any) -> bool:
    """An object of ranx, which needs no import of ranx to be told."""
    return type(shape).__module__.partition(".")[0] == "ranx"


# --- dicts and tuples -------------------------------------------------------------------------------------------------


def _judgment_dict(shape: Mapping[Any, Any]) -> Iterator[tuple[str, str, str, float]]:
    for topic, inner in shape.items():
        if not isinstance(inner, Mapping):
            raise UsageError(f"judgments of topic {shown(topic)} should be a dict, got {type(inner).__name__}")
        for key, value in inner.items():
            if isinstance(value, Mapping):
                for document, grade in value.items():
                    yield text_of(topic), text_of(key), text_of(document), grade_of(grade, topic, document)
            else:
                yield text_of(topic), "0", text_of(key), grade_of(value, topic, key)


def _judgment_tuples(rows: Iterable[Any]) -> Iterator[tuple[str, str, str, float]]:
    for row in rows:
        if hasattr(row, "query_id") and hasattr(row, "relevance"):
            aspect = getattr(row, "subtopic_id", None) or getattr(row, "iteration", None) or "0"
            grade = grade_of(row.relevance, row.query_id, row.doc_id)
            yield text_of(row.query_id), text_of(aspect), text_of(row.doc_id), grade
        elif isinstance(row, (tuple, list)) and len(row) == 4:
            topic, aspect, document, grade = row
            yield text_of(topic), text_of(aspect), text_of(document), grade_of(grade, topic, document)
        else:
            raise UsageError(f"a judgment is (topic, aspect, document, grade) or a qrel, got {shown(row)}")


def _is_run_dict(shape: Mapping[Any, Any]) -> bool:
    """A single run's dict, as against a dict of runs by name."""
    first = next(iter(shape.values()), None)
    if isinstance(first, Mapping):
        inner = next(iter(first.values()), 0.0)
        return isinstance(inner, (Real, np.number))
    return isinstance(first, (list, tuple)) and all(isinstance(item, str) for item in first)


def _run_from_dict(shape: Mapping[Any, Any], name: str) -> Run:
    if all(isinstance(inner, Mapping) for inner in shape.values()):
        rows = ((text_of(t), text_of(d), float(s)) for t, inner in shape.items() for d, s in inner.items())
        return Run.from_rows(rows, name=name, source=name)
    lists = {text_of(t): [text_of(d) for d in documents] for t, documents in shape.items()}
    return Run(name, {t: TopicRun(lists[t]) for t in naturally(lists)}, name)
