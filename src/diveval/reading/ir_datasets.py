"""ir_datasets: the judgments of a dataset by its id, subtopics as aspects.

>>> from diveval.integrations.ir_datasets import judgments  # doctest: +SKIP
>>> judgments("clueweb12/trec-web-2014/diversity")

On the command line a dataset is written where judgments go: `diveval evaluate ir_datasets:ID run …`.
"""

from __future__ import annotations

from typing import Any

from diveval.errors import InputError, UsageError, need, suggestion
from diveval.judgments import Duplicates, Judgments

PREFIX = "ir_datasets:"


def judgments(dataset: str | Any, *, duplicates: Duplicates = "error") -> Judgments:
    """The judgments of a dataset, given by id or as the object `ir_datasets.load` returns.

    Diversity qrels (`TrecSubQrel`) keep their subtopics as aspects; plain qrels have one aspect a topic, whatever their
    `iteration` says, since ad hoc tracks use that field for other things.
    """
    source = dataset if isinstance(dataset, str) else str(getattr(dataset, "dataset_id", lambda: "dataset")())
    loaded = _load(dataset) if isinstance(dataset, str) else dataset
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


def _load(name: str) -> Any:
    library = need("ir_datasets", "ir-datasets")
    try:
        return library.load(name)
    except KeyError:
        hint = suggestion(name, library.registry, "`ir_datasets list` names all")
        raise UsageError(f"ir_datasets knows no dataset {name!r}; {hint}") from None
