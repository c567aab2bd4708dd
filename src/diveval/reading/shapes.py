"""Judgments and runs from what people already hold: dicts, frames, and other libraries' objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from diveval.errors import InputError, UsageError, need, shown
from diveval.judgments import Duplicates, Judgments, naturally
from diveval.reading import read_run
from diveval.runs import Run, TopicRun

# The names each library gives its columns, most telling first.
COLUMNS: dict[str, tuple[str, ...]] = {
    "topic": ("topic", "query_id", "qid", "q_id", "query", "topic_id", "TOPIC"),
    "aspect": ("aspect", "subtopic_id", "subtopic", "iteration", "intent", "nugget", "ASPECT"),
    "document": ("document", "doc_id", "docno", "docid", "doc", "DOC"),
    "grade": ("grade", "relevance", "label", "rel", "rating", "GRADE"),
    "weight": ("weight", "aspect_weight", "importance", "WEIGHT"),
    "score": ("score", "sim", "SCORE"),
    "rank": ("rank", "RANK"),
    "run": ("run", "system", "name", "tag", "runid", "RUN"),
}


def as_judgments(
    shape: Any, *, duplicates: Duplicates = "error", columns: Mapping[str, str] | None = None
) -> Judgments:
    """Judgments from `Judgments`, a dict, a frame, ranx `Qrels`, or an iterable of ir_measures/ir_datasets qrels.

    Dicts: `{topic: {aspect: {document: grade}}}`, or `{topic: {document: grade}}` for one aspect a topic.
    """
    if isinstance(shape, Judgments):
        return shape
    shape = _unwrap_ranx(shape, "qrels")
    if isinstance(shape, Mapping):
        return Judgments.from_rows(_judgment_dict(shape), duplicates=duplicates)
    if _is_frame(shape):
        table = _columns_of(shape, columns, needed=("topic", "document", "grade"), optional=("aspect", "weight"))
        return _judgments_from_columns(table, duplicates)
    if isinstance(shape, Iterable) and not isinstance(shape, (str, bytes)):
        return Judgments.from_rows(_judgment_tuples(shape), duplicates=duplicates)
    raise UsageError(f"judgments are a path, a dict, a frame or qrels, got {type(shape).__name__}")


def as_runs(shape: Any) -> list[Run | Path | str]:
    """One run or several, by any shape; paths stay paths, to be scanned."""
    if isinstance(shape, (str, Path, Run)) or _is_frame(shape) or _is_ranx(shape):
        listed: list[Any] = [shape]
    elif isinstance(shape, Mapping):
        if _is_run_dict(shape):
            listed = [shape]
        else:
            return [_named(run, str(name)) for name, run in shape.items()]
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
            out.append(item)
        elif _is_frame(item) and "run" in _found(item):
            out.extend(_runs_from_frame(item))
        else:
            out.append(as_run(item, name=f"run{len(out) + 1}" if len(listed) > 1 else "run"))
    return out


def as_run(shape: Any, *, name: str | None = None, columns: Mapping[str, str] | None = None) -> Run:
    """A run from `Run`, a dict, a frame, ranx `Run`, or an iterable of ir_measures scored documents.

    Dicts: `{topic: {document: score}}`, or `{topic: [document, …]}` in order.
    """
    if isinstance(shape, Run):
        return shape
    own = getattr(shape, "name", None) if _is_ranx(shape) else None
    called = str(own) if isinstance(own, str) and own else name or "run"
    shape = _unwrap_ranx(shape, "run")
    if isinstance(shape, Mapping):
        return _run_from_dict(shape, called)
    if _is_frame(shape):
        table = _columns_of(shape, columns, needed=("topic", "document"), optional=("score", "rank"))
        return _run_from_columns(table, called)
    if isinstance(shape, Iterable) and not isinstance(shape, (str, bytes)):
        rows = ((_text(d.query_id), _text(d.doc_id), float(d.score)) for d in shape)
        return Run.from_rows(rows, name=called, source=called)
    raise UsageError(f"a run is a path, a dict, a frame or scored documents, got {type(shape).__name__}")


def _named(shape: Any, name: str) -> Run | Path | str:
    if isinstance(shape, (str, Path)):
        return read_run(shape, name=name)
    return replace(as_run(shape, name=name), name=name)


# --- dicts and tuples -------------------------------------------------------------------------------------------------


def _judgment_dict(shape: Mapping[Any, Any]) -> Iterator[tuple[str, str, str, float]]:
    for topic, inner in shape.items():
        if not isinstance(inner, Mapping):
            raise UsageError(f"judgments of topic {shown(topic)} should be a dict, got {type(inner).__name__}")
        for key, value in inner.items():
            if isinstance(value, Mapping):
                for document, grade in value.items():
                    yield _text(topic), _text(key), _text(document), _grade(grade, topic, document)
            else:
                yield _text(topic), "0", _text(key), _grade(value, topic, key)


def _judgment_tuples(rows: Iterable[Any]) -> Iterator[tuple[str, str, str, float]]:
    for row in rows:
        if hasattr(row, "query_id") and hasattr(row, "relevance"):
            aspect = getattr(row, "subtopic_id", None) or getattr(row, "iteration", None) or "0"
            yield _text(row.query_id), _text(aspect), _text(row.doc_id), _grade(row.relevance, row.query_id, row.doc_id)
        elif isinstance(row, (tuple, list)) and len(row) == 4:
            topic, aspect, document, grade = row
            yield _text(topic), _text(aspect), _text(document), _grade(grade, topic, document)
        else:
            raise UsageError(f"a judgment is (topic, aspect, document, grade) or a qrel, got {shown(row)}")


def _grade(value: Any, topic: Any, document: Any) -> float:
    if isinstance(value, (bool, str)) or not isinstance(value, (Real, np.number)) or not np.isfinite(float(value)):
        where = f"topic {shown(topic)}, document {shown(document)}"
        raise InputError(f"{where}: expected a finite grade, got {shown(value)}")
    return float(value)


def _is_run_dict(shape: Mapping[Any, Any]) -> bool:
    """A single run's dict, as against a dict of runs by name."""
    first = next(iter(shape.values()), None)
    if isinstance(first, Mapping):
        inner = next(iter(first.values()), 0.0)
        return isinstance(inner, (Real, np.number))
    return isinstance(first, (list, tuple)) and all(isinstance(item, str) for item in first)


def _run_from_dict(shape: Mapping[Any, Any], name: str) -> Run:
    if all(isinstance(inner, Mapping) for inner in shape.values()):
        rows = ((_text(t), _text(d), float(s)) for t, inner in shape.items() for d, s in inner.items())
        return Run.from_rows(rows, name=name, source=name)
    lists = {_text(t): [_text(d) for d in documents] for t, documents in shape.items()}
    return Run(name, {t: TopicRun(lists[t]) for t in naturally(lists)}, name)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value)


# --- ranx -------------------------------------------------------------------------------------------------------------


def _is_ranx(shape: Any) -> bool:
    return type(shape).__module__.partition(".")[0] == "ranx"


def _unwrap_ranx(shape: Any, what: str) -> Any:
    return shape.to_dict() if _is_ranx(shape) else shape


# --- frames -----------------------------------------------------------------------------------------------------------


def _is_frame(shape: Any) -> bool:
    return hasattr(shape, "columns") and not isinstance(shape, Mapping) and not _is_ranx(shape)


def _found(frame: Any) -> dict[str, str]:
    """Which of our columns a frame has, by the names it uses."""
    names = [str(name) for name in _wrap(frame).columns]
    return {what: next(n for n in known if n in names) for what, known in COLUMNS.items() if set(known) & set(names)}


def _wrap(frame: Any) -> Any:
    return need("narwhals", "frames").from_native(frame)


def _columns_of(
    frame: Any, columns: Mapping[str, str] | None, *, needed: tuple[str, ...], optional: tuple[str, ...]
) -> dict[str, list[Any]]:
    wrapped = _wrap(frame)
    if hasattr(wrapped, "collect"):
        wrapped = wrapped.collect()
    found = {**_found(frame), **(columns or {})}
    for what in needed:
        if what not in found:
            raise InputError(
                f"the frame has no {what} column: expected one of {', '.join(COLUMNS[what][:5])}, got"
                f" {', '.join(map(str, wrapped.columns))}; name it with columns={{'{what}': …}}"
            )
    return {what: wrapped[found[what]].to_list() for what in (*needed, *optional) if what in found}


def _judgments_from_columns(table: Mapping[str, list[Any]], duplicates: Duplicates) -> Judgments:
    count = len(table["topic"])
    aspects = table.get("aspect", ["0"] * count)
    rows = [
        (_text(t), _text(a), _text(d), _grade(g, t, d))
        for t, a, d, g in zip(table["topic"], aspects, table["document"], table["grade"], strict=True)
    ]
    weights = None
    if "weight" in table:
        weights = {(t, a): float(w) for (t, a, _, _), w in zip(rows, table["weight"], strict=True)}
    return Judgments.from_rows(rows, weights=weights, duplicates=duplicates)


def _run_from_columns(table: Mapping[str, list[Any]], name: str) -> Run:
    if "score" in table:
        rows = zip(table["topic"], table["document"], table["score"], strict=True)
        return Run.from_rows(((_text(t), _text(d), float(s)) for t, d, s in rows), name=name, source=name)
    gathered: dict[str, list[tuple[Any, str]]] = {}
    ranks = table.get("rank", list(range(len(table["topic"]))))
    for topic, document, place in zip(table["topic"], table["document"], ranks, strict=True):
        gathered.setdefault(_text(topic), []).append((place, _text(document)))
    lists = {t: [d for _, d in sorted(pairs, key=lambda pair: pair[0])] for t, pairs in gathered.items()}
    return Run(name, {t: TopicRun(lists[t]) for t in naturally(lists)}, name)


def _runs_from_frame(frame: Any) -> list[Run]:
    """A frame with a run column holds several runs."""
    table = _columns_of(frame, None, needed=("run", "topic", "document"), optional=("score", "rank"))
    by_name: dict[str, list[int]] = {}
    for i, name in enumerate(table["run"]):
        by_name.setdefault(_text(name), []).append(i)
    return [
        _run_from_columns({k: [v[i] for i in rows] for k, v in table.items() if k != "run"}, name)
        for name, rows in by_name.items()
    ]
