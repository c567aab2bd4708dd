"""Readers and writers of TREC AutoJudge's leaderboards, `run measure topic value` in four formats."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from diveval.argument_types import explain_types
from diveval.collection.judgments import naturally
from diveval.errors import InputError, UsageError, quote
from diveval.reading.lines import fields_of, number_of
from diveval.reading.records import record_of
from diveval.reading.source import Source
from diveval.results.scores import MEAN, Scores

FORMATS = ("tot", "ir_measures", "trec_eval", "jsonl")
Missing = Literal["default", "fix_aggregate", "error"]
# The positions of run, topic and measure in a line.
_ORDER = {"tot": (0, 2, 1), "ir_measures": (0, 1, 2)}


@explain_types
def leaderboard_text(
    scores: Scores, format: str, *, topics: Sequence[str] | None = None, missing: Missing = "default"
) -> str:
    """Scores as a leaderboard, topics first and then an `all` row per run and measure, always the mean.

    `topics` are the expected ones; a run that lacks some gets rows of 0 (`default`), counts 0 for them in its mean only
    (`fix_aggregate`), or is an error (`error`). Without `topics` the mean is over the topics of each run.
    """
    if format not in FORMATS:
        raise UsageError("invalid-choice", f"a leaderboard is one of {', '.join(FORMATS)}, got {quote(format)}")
    rows: list[tuple[str, str, str, float]] = []
    means: list[tuple[str, str, str, float]] = []
    for run in scores.runs:
        by_metric = {metric: scores.per_topic(run, metric) for metric in scores.metrics}
        expected = list(topics) if topics is not None else naturally({t for own in by_metric.values() for t in own})
        for topic in expected:
            for metric, own in by_metric.items():
                if topic not in own and topics is not None and missing == "error":
                    raise UsageError("missing-score", f"run {quote(run)} has no {metric} for topic {quote(topic)}")
                if topic in own or (topics is not None and missing == "default"):
                    rows.append((run, topic, metric, own.get(topic, 0.0)))
        for metric, own in by_metric.items():
            count = len(expected) if topics is not None else len(own)
            means.append((run, MEAN, metric, sum(own.get(t, 0.0) for t in expected) / count if count else 0.0))
    return "".join(_line(format, *row) for row in (*rows, *means))


def _line(format: str, run: str, topic: str, measure: str, value: float) -> str:
    if format == "jsonl":
        record = {"run_id": run, "topic_id": topic, "measure": measure, "value": value}
        return json.dumps(record, ensure_ascii=False) + "\n"
    fields = {
        "tot": [run, measure, topic],
        "ir_measures": [run, topic, measure],
        "trec_eval": [measure, topic],
    }[format]
    return "\t".join([*fields, repr(value)]) + "\n"


@explain_types
def read_leaderboard(path: str | Path, format: str | None = None) -> Scores:
    """Scores from a leaderboard; its `all` rows are left out, since they are means of the others.

    `tot` and `ir_measures` have the same four columns: unless the format is given, the column with `all` decides.
    `trec_eval` has no run column: one file is one run, named after the file.
    """
    with Source.of(path).open() as opened:
        lines = list(opened.lines())
        if not lines:
            raise InputError("empty-input", "is empty: it contains no score")
        kind = format or _format(lines, opened.name)
        return _table(list(_rows(opened.placed(lines), kind, Path(str(path)).stem)))


def _format(lines: Sequence[tuple[int, str]], source: str) -> str:
    if lines[0][1].lstrip().startswith("{"):
        return "jsonl"
    widths = {len(fields_of(text)) for _, text in lines}
    if widths == {3}:
        return "trec_eval"
    if widths == {4}:
        split = [fields_of(text) for _, text in lines]
        ends = [place for place in (1, 2) if any(fields[place] == MEAN for fields in split)]
        if ends in ([1], [2]):
            return "ir_measures" if ends == [1] else "tot"
    raise InputError(
        "unknown-format",
        "expected a leaderboard: `run measure topic value` or `run topic measure value` with `all` rows, `measure topic"
        " value`, or JSON lines",
        source=source,
        line=lines[0][0],
    )


def _rows(lines: Iterable[tuple[int, str]], format: str, stem: str) -> Iterable[tuple[str, str, str, float]]:
    """(run, metric, topic, value)."""
    for _, text in lines:
        if format == "jsonl":
            record = record_of(text)
            try:
                run, topic, measure, value = (record[key] for key in ("run_id", "topic_id", "measure", "value"))
            except KeyError as error:
                raise InputError("missing-key", f"expected the key {error.args[0]}") from None
            value = str(value)
        else:
            fields = fields_of(text)
            if len(fields) != (3 if format == "trec_eval" else 4):
                raise InputError("wrong-columns", f"expected {format}'s columns, got {len(fields)}")
            if format == "trec_eval":
                run, measure, topic, value = stem, *fields
            else:
                run, topic, measure = (fields[place] for place in _ORDER[format])
                value = fields[3]
        if str(topic) != MEAN:
            yield str(run), str(measure), str(topic), number_of(value, "a value")


def _table(rows: Sequence[tuple[str, str, str, float]]) -> Scores:
    runs, metrics = list(dict.fromkeys(row[0] for row in rows)), list(dict.fromkeys(row[1] for row in rows))
    topics = naturally({row[2] for row in rows})
    shape = (len(runs), len(metrics), len(topics))
    values, counted = np.zeros(shape), np.zeros(shape, dtype=bool)
    for run, metric, topic, value in rows:
        cell = runs.index(run), metrics.index(metric), topics.index(topic)
        if counted[cell]:
            where = f"run {quote(run)}, measure {quote(metric)}, topic {quote(topic)}"
            raise InputError("duplicate-score", f"{where} has two values")
        values[cell], counted[cell] = value, True
    return Scores.of(values, runs=runs, metrics=metrics, topics=topics, counted=counted)
