"""Runs from tables of any library, read in place by the compiled scanner if possible, else converted to codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from diveval.collection.columns import Floats, IntArray, owners, raw
from diveval.collection.runs import Run, RunColumns, RunRows, Unread, run_columns
from diveval.errors import InputError, quote
from diveval.reading.cells import (
    IdColumn,
    arrow_if_there,
    describe,
    is_plain,
    missing,
    numbers_of,
    texts_of,
    whole_numbers_of,
)
from diveval.reading.frames import RUN_COLUMNS, columns_of, materialise, refuse_odd
from diveval.system import scanner


def runs_from_frame(
    frame: Any,
    name: str,
    *,
    columns: Mapping[str, str] | None = None,
    source: str = "",
    note: Mapping[str, Any] | None = None,
    format: str = "",
) -> list[Run]:
    """The runs of a table, in the order of their first rows; without a run column there is one, called `name`.

    `note`: the metadata that `diveval data convert` writes: the order of the runs, their formats and tags.
    """
    frame = materialise(frame)
    present = columns_of(frame, columns, wanted=RUN_COLUMNS, needed=("topic", "document"), source=source)
    table = RunTable(present, source)
    if "run" not in present:
        return [table.run(None, name, source or name, "", format)]
    runs = texts_of(present["run"], "id (run)", source)
    metadata = dict(note or {})
    order = np.argsort(runs.codes, kind="stable")
    bounds = np.searchsorted(runs.codes[order], np.arange(len(runs.names) + 1))
    first = {run: int(order[bounds[i]]) for i, run in enumerate(runs.names)}
    place = {run: i for i, run in enumerate(runs.names)}
    listed = sorted(first, key=first.__getitem__)
    out = []
    for run in dict.fromkeys([*(r for r in metadata.get("runs", ()) if r in first), *listed]):
        rows = order[bounds[place[run]] : bounds[place[run] + 1]]
        noted, tag = metadata.get("formats", {}).get(run, ""), metadata.get("tags", {}).get(run, "")
        out.append(table.run(rows if len(first) > 1 else None, run, source or run, noted, format, tag))
    return out


class RunTable:
    """The columns of a table of runs. Ids are converted to codes only if the compiled scanner cannot read them."""

    def __init__(self, columns: Mapping[str, Any], source: str) -> None:
        self.columns, self.source = columns, source
        self.scores = numbers_of(columns["score"]) if "score" in columns else None
        self.ranks, self.rounds = (
            whole_numbers_of(columns[what]) if what in columns else None for what in ("rank", "round")
        )
        if not self.batches:
            self.ids  # noqa: B018 - raises an error for an empty id

    @cached_property
    def ids(self) -> tuple[IdColumn, IdColumn]:
        """Topics and documents as codes."""
        topics, documents = (texts_of(self.columns[w], f"id ({w})", self.source) for w in ("topic", "document"))
        return topics, documents

    @cached_property
    def batches(self) -> tuple[Any, ...]:
        """The rows as the compiled scanner reads them; empty if they are not plain ids with scores."""
        topics, documents = self.columns["topic"], self.columns["document"]
        compiled, arrow, scores = scanner.load(), arrow_if_there(), self.scores
        if compiled is None or arrow is None or scores is None or self.rounds is not None:
            return ()
        if scores.odd or scores.empty.any() or any(isinstance(c, list) or not is_plain(c) for c in (topics, documents)):
            return ()
        out, start = [], 0
        for batch in arrow.Table.from_arrays([topics, documents], ["topic", "document"]).to_batches():
            texts, part = [describe(column) for column in batch.columns], slice(start, start + len(batch))
            for what, column in zip(("topic", "document"), texts, strict=True):
                if compiled.has_empty((column,)):
                    raise missing(f"id ({what})", self.source)
            out.append((*texts, raw(scores.values[part]), None if self.ranks is None else raw(self.ranks[part])))
            start = part.stop
        return tuple(out)

    def run(self, rows: IntArray | None, name: str, source: str, noted: str, format: str, tag: str = "") -> Run:
        """A run from its rows. A run with rounds has the format of the Dynamic Domain track, whose rule for repeated
        documents differs, unless the metadata names another format.
        """
        if self.scores is not None and self.scores.odd:
            picked = np.arange(len(self.scores.values)) if rows is None else rows
            topics, documents = (texts.take(picked) for texts in self.ids)
            refuse_odd(self.scores.take(picked), "score", topics, documents, source)
        if self.batches:
            unread = Unread(lambda: self._order(rows, source))
            return Run(name, unread, source, noted or format, tag, (self.batches, None if rows is None else raw(rows)))
        columns = self._order(rows, source)
        kind = noted or ("dynamic-domain" if columns.has_rounds.any() else format)
        return Run.of(columns, name, source=source, format=kind, tag=tag)

    def _order(self, picked: IntArray | None, source: str) -> RunColumns:
        """Rows by topic. Without scores the rank column orders them; without ranks they stay in table order."""
        topics, documents = self.ids
        scores, ranks, rounds = None if self.scores is None else self.scores.values, self.ranks, self.rounds
        if picked is not None:
            topics, documents = topics.take(picked), documents.take(picked)
            scores = None if scores is None else scores[picked]
            ranks, rounds = (None if column is None else column[picked] for column in (ranks, rounds))
        rows = RunRows(topics.names, documents.names, topics.codes, documents.codes, scores, ranks, rounds)
        columns = run_columns(rows)
        if self.scores is not None and self.scores.empty.any():
            _refuse_holes(columns, columns.scores, source)
        return _by_rank(columns)


def _refuse_holes(columns: RunColumns, scores: Floats, source: str) -> None:
    """Raise an error for a topic with scores for some documents only."""
    holes = np.isnan(scores)
    if holes.any():
        at = int(np.argmax(holes))
        topic = columns.topics[int(owners(columns.starts)[at])]
        document = columns.documents[int(columns.codes[at])]
        raise InputError(
            "missing-value",
            f"topic {quote(topic)}, document {quote(document)}: expected a finite score, got nothing",
            source=source,
        )


def _by_rank(columns: RunColumns) -> RunColumns:
    """Sort topics without scores and rounds by their ranks."""
    ranked = columns.has_ranks & ~columns.has_scores & ~columns.has_rounds
    if not ranked.any():
        return columns
    topic = owners(columns.starts)
    falls = (columns.ranks[1:] < columns.ranks[:-1]) & (topic[1:] == topic[:-1])
    if not (falls & ranked[topic[1:]]).any():  # most tables are in order
        return columns
    line = np.arange(len(topic)) - columns.starts[topic]
    order = np.lexsort((np.where(ranked[topic], columns.ranks, line), topic))
    return replace(
        columns,
        codes=columns.codes[order],
        scores=np.where(ranked[topic], columns.scores, columns.scores[order]),
        ranks=columns.ranks[order],
        rounds=columns.rounds[order],
    )
