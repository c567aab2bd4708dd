"""Readers of judgments, runs, weights and efforts from files of any supported format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diveval.argument_types import explain_types
from diveval.collection.inputs import WeightsLike
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run, run_columns
from diveval.errors import InputError, UsageError, need, quote, suggestion
from diveval.reading import parquet, trec
from diveval.reading.formats import (
    JUDGMENT_FORMATS,
    RUN_FORMATS,
    check_format,
    judgment_format,
    run_format,
    sniff,
)
from diveval.reading.lines import Lines, number_of, split_line
from diveval.reading.source import OpenSource, Source, SourceLike
from diveval.setting_table import Duplicates
from diveval.settings import Efforts

_IR_DATASETS = "ir_datasets:"  # before the id of a dataset, where a path would stand


@explain_types
def read_judgments(
    path: SourceLike,
    *,
    format: str | None = None,
    weights: WeightsLike | None = None,
    duplicates: Duplicates = "error",
    columns: Mapping[str, str] | None = None,
) -> Judgments:
    """Judgments from a file.

    Args:
        path: the file or `Source`, optionally compressed, or `ir_datasets:ID`.
        format: its format (see JUDGMENT_FORMATS); detected from its content unless given.
        weights: aspect weights, as a file of `topic aspect weight` or a dict by (topic, aspect).
        duplicates: the rule for a document judged twice with different grades: `error`, `max`, `first` or `last`.
        columns: maps our names (topic, aspect, document, grade, weight) to those of a parquet file.
    """
    check_format(format, JUDGMENT_FORMATS)
    if str(path).startswith(_IR_DATASETS):
        named = ir_datasets_judgments(str(path).removeprefix(_IR_DATASETS), duplicates=duplicates)
        return with_weights(named, weights)
    source = Source.of(path)
    if source.label is not None:
        fault = f"judgments have no name, got {quote(source.label)}={source.name}"
        raise UsageError("invalid-argument", fault, hint="NAME=file names a run or the answers of a system")
    with source.open() as opened:
        judgments = _judgments_in(opened, format, duplicates, columns, weighted=weights is None)
    return with_weights(judgments, weights)


def _judgments_in(
    opened: OpenSource,
    format: str | None,
    duplicates: Duplicates,
    columns: Mapping[str, str] | None,
    *,
    weighted: bool,
) -> Judgments:
    """Judgments from an open source; `weighted`: with the weights in it, if it has any."""
    if opened.is_parquet:
        return parquet.read_judgments(opened, duplicates=duplicates, columns=columns)
    source = opened.name
    kind, lines = sniff(opened.lines(), (lambda _: format) if format else judgment_format, source)
    how = JUDGMENT_FORMATS[kind]
    if kind == "trec":
        if (coded := trec.scan_judgments(opened)) is not None:
            return Judgments.from_coded(coded, duplicates=duplicates, source=source, format=kind)
        lines = opened.lines() if opened.can_rewind else lines
    rows, given = how.read(opened.placed(lines), source)
    judgments = Judgments.from_rows(rows, duplicates=duplicates, repeats=how.repeats, source=source, format=kind)
    return judgments.with_weights(given, source=source) if weighted and given is not None else judgments


def with_weights(judgments: Judgments, weights: WeightsLike | None) -> Judgments:
    """The judgments with these weights, if given."""
    if weights is None:
        return judgments
    given, source = weights_of(weights)
    return judgments.with_weights(given, source=source)


def weights_of(weights: WeightsLike) -> tuple[Mapping[tuple[str, str], float], str]:
    """Weights as a mapping, and their name in messages."""
    return (weights, "weights") if isinstance(weights, Mapping) else (read_weights(weights), Source.of(weights).name)


@explain_types
def read_weights(path: SourceLike) -> dict[tuple[str, str], float]:
    """Aspect weights from a file of `topic aspect weight`.

    Args:
        path: the file or `Source`, optionally compressed.
    """
    with Source.of(path).open() as opened:
        weights = trec.weight_rows(opened.placed(opened.lines()))
        if not weights:
            raise InputError("empty-input", "is empty: it contains no weight", source=opened.name)
    return weights


@explain_types
def read_run(path: SourceLike, *, format: str | None = None, name: str | None = None) -> Run:
    """A run from a file, with every document.

    Args:
        path: the file or `Source`, optionally compressed.
        format: its format (see RUN_FORMATS); detected from its content unless given.
        name: the run's name (default: that of its file).
    """
    check_format(format, RUN_FORMATS)
    with Source.of(path).open() as opened:
        return run_in(opened, format=format, name=name)


def run_in(opened: OpenSource, *, format: str | None = None, name: str | None = None) -> Run:
    """The run in an open source."""
    if opened.is_parquet:
        return parquet.only_run(opened, name)
    source, called = opened.name, name or opened.source.run_name
    kind, lines = sniff(opened.lines(), (lambda _: format) if format else run_format, source)
    if kind == "trec":
        if (coded := trec.scan_run(opened)) is not None:
            rows, tag = coded
            return Run.of(run_columns(rows), called, source=source, format=kind, tag=tag)
        lines = opened.lines() if opened.can_rewind else lines
    return RUN_FORMATS[kind].read(opened.placed(lines), source, called)


def run_name(path: SourceLike) -> str:
    """The name of a run: that of its file without the endings for compression and format, or the label it was given."""
    return Source.of(path).run_name


@explain_types
def read_efforts(path: SourceLike, *, unit: float | None = 1.0, default: float = 1.0) -> Efforts:
    """Effort of each document from a file of `document cost`.

    Args:
        path: the file or `Source`, optionally compressed.
        unit: divide costs by this number; None for their mean.
        default: the effort of documents that are not in the file, as a multiple of e.
    """
    with Source.of(path).open() as opened:
        source, costs = opened.name, _costs(opened.placed(opened.lines()))
    divisor = sum(costs.values()) / len(costs) if unit is None else unit
    if not 0 < divisor < float("inf") or default < 0:
        got = f"got {divisor:g} and {default:g}"
        raise InputError("out-of-range", f"costs need a unit above 0 and a default of at least 0, {got}", source=source)
    return Efforts(costs, divisor, default)


def _costs(lines: Lines) -> dict[str, float]:
    costs: dict[str, float] = {}
    for _, text in lines:
        document, written = split_line(text, 2, "document cost")
        cost = number_of(written, "a cost")
        if cost < 0:
            message = f"expected a cost of at least 0, got {quote(written)}"
            raise InputError("not-a-number", message)
        if costs.setdefault(document, cost) != cost:
            both = f"{costs[document]:g} on an earlier line and {cost:g} on this one"
            message = f"document {quote(document)} costs {both}"
            raise InputError("conflicting-costs", message, hint="keep one")
    if not costs:
        raise InputError("empty-input", "is empty: it contains no cost")
    return costs


# --- ir_datasets ------------------------------------------------------------------------------------------------------


def ir_datasets_judgments(dataset: str | Any, *, duplicates: Duplicates = "error") -> Judgments:
    """The judgments of a dataset, given by id or as the object `ir_datasets.load` returns.

    Diversity qrels (`TrecSubQrel`) keep their subtopics as aspects; plain qrels have one aspect per topic, whatever
    their `iteration` is, since ad hoc tracks use that field for other things.
    """
    source = dataset if isinstance(dataset, str) else str(getattr(dataset, "dataset_id", lambda: "dataset")())
    loaded = _ir_dataset(dataset) if isinstance(dataset, str) else dataset
    if not loaded.has_qrels():
        raise InputError(
            "no-judgment", "has no judgments", hint="`ir_datasets list` shows what each dataset has", source=source
        )
    fields = getattr(loaded.qrels_cls(), "_fields", ())
    aspect = "subtopic_id" if "subtopic_id" in fields else None
    try:
        rows = [
            (str(q.query_id), str(getattr(q, aspect)) if aspect else "0", str(q.doc_id), float(q.relevance))
            for q in loaded.qrels_iter()
        ]
    except OSError as error:
        raise InputError("download-failed", f"its judgments cannot be fetched: {error}", source=source) from error
    return Judgments.from_rows(rows, duplicates=duplicates, source=source, format="ir_datasets")


def _ir_dataset(name: str) -> Any:
    library = need("ir_datasets", "ir-datasets")
    try:
        return library.load(name)
    except KeyError:
        hint = suggestion(name, library.registry, "`ir_datasets list` lists all")
        raise UsageError("unknown-dataset", f"ir_datasets has no dataset {name!r}", hint=hint) from None
