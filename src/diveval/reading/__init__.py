"""Readers of judgments, runs, weights and efforts from files of any supported format."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import wraps
from os import PathLike
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from diveval.errors import InputError, UsageError, need, printable, shown, suggestion
from diveval.inputs import WeightsLike
from diveval.judgments import Duplicates, Judgments
from diveval.options import Efforts
from diveval.reading import parquet, trec
from diveval.reading.formats import (
    JUDGMENT_FORMATS,
    RUN_FORMATS,
    check_format,
    judgment_format,
    run_format,
    sniff,
)
from diveval.reading.lines import fetched, number_of, numbered_lines, source_name, split_line, steady
from diveval.runs import Run, run_columns

_IR_DATASETS = "ir_datasets:"  # before the id of a dataset, where a path would stand
_PACKED = re.compile(r"\.(gz|bz2|xz|zst|zstd|zip)$")
_ENDING = re.compile(r"\.(run|runs|txt|trec|res|tsv|out|eval|csv|json|input)$")


P = ParamSpec("P")
T = TypeVar("T")


def _steadily(read: Callable[Concatenate[str | Path, P], T]) -> Callable[Concatenate[str | Path, P], T]:
    """Make a reader raise an error if the file changes while it is read; some files are opened more than once."""

    @wraps(read)
    def reading(path: str | Path, /, *more: P.args, **named: P.kwargs) -> T:
        if not isinstance(path, (str, PathLike)):
            raise UsageError(f"expected the path of a file, got {type(path).__name__}")
        path = fetched(path)
        with steady(path):
            return read(path, *more, **named)

    return reading


@_steadily
def read_judgments(
    path: str | Path,
    *,
    format: str | None = None,
    weights: WeightsLike | None = None,
    duplicates: Duplicates = "error",
    columns: Mapping[str, str] | None = None,
) -> Judgments:
    """Judgments from a file.

    Args:
        path: the file, optionally compressed, or `ir_datasets:ID`.
        format: its format (see JUDGMENT_FORMATS); detected from its content unless given.
        weights: aspect weights, as a file of `topic aspect weight` or a dict by (topic, aspect).
        duplicates: the rule for a document judged twice with different grades: `error`, `max`, `first` or `last`.
        columns: maps our names (topic, aspect, document, grade, weight) to those of a parquet file.
    """
    check_format(format, JUDGMENT_FORMATS)
    if str(path).startswith(_IR_DATASETS):
        named = ir_datasets_judgments(str(path).removeprefix(_IR_DATASETS), duplicates=duplicates)
        return with_weights(named, weights)
    if parquet.is_parquet(path):
        return with_weights(parquet.read_judgments(path, duplicates=duplicates, columns=columns), weights)
    source = source_name(path)
    kind, lines = sniff(numbered_lines(path), (lambda _: format) if format else judgment_format, source)
    how = JUDGMENT_FORMATS[kind]
    given: Mapping[tuple[str, str], float] | None = None
    if kind == "trec" and (coded := trec.scanned_judgments(path)) is not None:
        judgments = Judgments.from_coded(coded, duplicates=duplicates, source=source, format=kind)
    else:
        rows, given = how.read(lines, source)
        judgments = Judgments.from_rows(rows, duplicates=duplicates, repeats=how.repeats, source=source, format=kind)
    if weights is None and given is not None:
        return judgments.with_weights(given, source=source)
    return with_weights(judgments, weights)


def with_weights(judgments: Judgments, weights: WeightsLike | None) -> Judgments:
    """The judgments with these weights, if given."""
    if weights is None:
        return judgments
    given, source = weights_of(weights)
    return judgments.with_weights(given, source=source)


def weights_of(weights: WeightsLike) -> tuple[Mapping[tuple[str, str], float], str]:
    """Weights as a mapping, and their name in messages."""
    return (weights, "weights") if isinstance(weights, Mapping) else (read_weights(weights), source_name(weights))


@_steadily
def read_weights(path: str | Path) -> dict[tuple[str, str], float]:
    """Aspect weights from a file of `topic aspect weight`.

    Args:
        path: the file, optionally compressed.
    """
    weights = trec.weight_rows(numbered_lines(path), source_name(path))
    if not weights:
        raise InputError("is empty: it contains no weight", source=source_name(path))
    return weights


@_steadily
def read_run(path: str | Path, *, format: str | None = None, name: str | None = None) -> Run:
    """A run from a file, with every document.

    Args:
        path: the file, optionally compressed.
        format: its format (see RUN_FORMATS); detected from its content unless given.
        name: the run's name (default: that of its file).
    """
    check_format(format, RUN_FORMATS)
    if parquet.is_parquet(path):
        return parquet.only_run(path, name)
    source = source_name(path)
    kind, lines = sniff(numbered_lines(path), (lambda _: format) if format else run_format, source)
    if kind == "trec" and (coded := trec.scanned_run(path)) is not None:
        rows, tag = coded
        return Run.of(run_columns(rows), name or run_name(path), source=source, format=kind, tag=tag)
    return RUN_FORMATS[kind].read(lines, source, name or run_name(path))


def run_name(path: str | Path) -> str:
    """The name of a run: that of its file without the endings for compression and format.

    A path with a `label` (`NAME=file` on the command line) has that name.
    """
    label = getattr(path, "label", None)
    if isinstance(label, str):
        return printable(label)
    name = Path("stdin" if str(path) == "-" else path).name
    bare = _ENDING.sub("", _PACKED.sub("", name)).removeprefix("input.")
    return printable(bare or name)


@_steadily
def read_efforts(path: str | Path, *, unit: float | None = 1.0, default: float = 1.0) -> Efforts:
    """Effort of each document from a file of `document cost`.

    Args:
        path: the file, optionally compressed.
        unit: divide costs by this number; None for their mean.
        default: the effort of documents that are not in the file, as a multiple of e.
    """
    source = source_name(path)
    costs: dict[str, float] = {}
    for line, text in numbered_lines(path):
        document, written = split_line(text, 2, "document cost", source, line)
        cost = number_of(written, "a cost", source, line)
        if cost < 0:
            raise InputError(f"expected a cost of at least 0, got {shown(written)}", source=source, line=line)
        if costs.setdefault(document, cost) != cost:
            both = f"{costs[document]:g} on an earlier line and {cost:g} on this one"
            raise InputError(f"document {shown(document)} costs {both}; keep one", source=source, line=line)
    if not costs:
        raise InputError("is empty: it contains no cost", source=source)
    divisor = sum(costs.values()) / len(costs) if unit is None else unit
    if not 0 < divisor < float("inf") or default < 0:
        got = f"got {divisor:g} and {default:g}"
        raise InputError(f"costs need a unit above 0 and a default of at least 0, {got}", source=source)
    return Efforts(costs, divisor, default)


# --- ir_datasets ------------------------------------------------------------------------------------------------------


def ir_datasets_judgments(dataset: str | Any, *, duplicates: Duplicates = "error") -> Judgments:
    """The judgments of a dataset, given by id or as the object `ir_datasets.load` returns.

    Diversity qrels (`TrecSubQrel`) keep their subtopics as aspects; plain qrels have one aspect per topic, whatever
    their `iteration` is, since ad hoc tracks use that field for other things.
    """
    source = dataset if isinstance(dataset, str) else str(getattr(dataset, "dataset_id", lambda: "dataset")())
    loaded = _ir_dataset(dataset) if isinstance(dataset, str) else dataset
    if not loaded.has_qrels():
        raise InputError("has no judgments; `ir_datasets list` shows what each dataset has", source=source)
    fields = getattr(loaded.qrels_cls(), "_fields", ())
    aspect = "subtopic_id" if "subtopic_id" in fields else None
    try:
        rows = [
            (str(q.query_id), str(getattr(q, aspect)) if aspect else "0", str(q.doc_id), float(q.relevance))
            for q in loaded.qrels_iter()
        ]
    except OSError as error:
        raise InputError(f"its judgments cannot be fetched: {error}", source=source) from error
    return Judgments.from_rows(rows, duplicates=duplicates, source=source, format="ir_datasets")


def _ir_dataset(name: str) -> Any:
    library = need("ir_datasets", "ir-datasets")
    try:
        return library.load(name)
    except KeyError:
        hint = suggestion(name, library.registry, "`ir_datasets list` lists all")
        raise UsageError(f"ir_datasets has no dataset {name!r}; {hint}") from None
