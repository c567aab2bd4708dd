"""All runs of a shard ranked at once: sorting, ties, duplicates and judged documents as operations on whole columns.

What is rare (rounds, repeated documents, efforts) goes through the plain path, so there is one place for its rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.errors import InputError, need, shown
from diveval.judgments import Judgments
from diveval.options import Options
from diveval.rankings import Rankings, TopicRanking, rank
from diveval.reading.frames import run_from_columns
from diveval.runs import OrderRule, Run
from diveval.shards.columns import Codes, codes_of, number_column, places_in, text_column

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of judged topics, as codes. A group is a topic and a run."""

    groups: Codes  # topic · runs + run
    documents: Codes
    texts: Any  # the text of each document code, an Arrow array
    scores: Array | None
    ranks: Array | None
    topics: tuple[str, ...]
    names: tuple[str, ...]


def rank_table(
    table: Any, judgments: Judgments, names: Sequence[str], orders: Sequence[OrderRule], options: Options
) -> dict[OrderRule, list[Rankings]]:
    """Every run of the table under every order, against the shard's judgments."""
    if "run" not in table.column_names and len(names) != 1:
        raise InputError(f"a table of {len(names)} runs needs a run column")
    rounds = number_column(table, "round")
    rows = None if rounds is not None or options.efforts is not None else _rows(table, judgments, names)
    if rows is None or _repeats(rows):
        listed = _plain_runs(table, names)
        keep = options.efforts is not None
        return {
            order: [rank(judgments, run, order, duplicates=options.duplicates, keep_documents=keep) for run in listed]
            for order in orders
        }
    judged = _judged(rows, judgments)
    return {order: _rankings(rows, judged, order) for order in orders}


def _rows(table: Any, judgments: Judgments, names: Sequence[str]) -> Rows:
    topics = tuple(judgments.topics)
    topic = places_in(text_column(table, "topic"), topics)
    run = np.zeros(len(topic), dtype=np.int64)
    if "run" in table.column_names:
        column = text_column(table, "run")
        run = places_in(column, names)
        if (run < 0).any():
            stranger = column[int(np.flatnonzero(run < 0)[0])].as_py()
            raise InputError(f"the table holds the run {shown(stranger)}, which the evaluation does not know")
    documents = text_column(table, "document")
    scores, ranks = number_column(table, "score"), number_column(table, "rank")
    kept = topic >= 0
    if kept.all():
        groups = topic * len(names) + run
        return Rows(groups, codes_of(documents), documents.dictionary, scores, ranks, topics, tuple(names))
    return Rows(
        (topic * len(names) + run)[kept], codes_of(documents)[kept], documents.dictionary,
        None if scores is None else scores[kept], None if ranks is None else ranks[kept], topics, tuple(names),
    )  # fmt: skip


def _repeats(rows: Rows) -> bool:
    """Does a document stand twice in a ranking?"""
    keys = rows.groups * max(len(rows.texts), 1) + rows.documents
    keys.sort()
    return bool((keys[1:] == keys[:-1]).any())


def _plain_runs(table: Any, names: Sequence[str]) -> list[Run]:
    """The runs as objects, row by row."""
    arrow = need("pyarrow", "arrow")
    held = [name for name in ("topic", "document", "score", "rank", "round") if name in table.column_names]
    found = {name: table[name].to_pylist() for name in held}
    owners = [names[0]] * table.num_rows
    if "run" in table.column_names:
        owners = table["run"].cast(arrow.string()).to_pylist()
    by_run: dict[str, list[int]] = {name: [] for name in names}
    for i, owner in enumerate(owners):
        by_run[owner].append(i)
    format = "dynamic-domain" if number_column(table, "round") is not None else ""
    return [
        run_from_columns({what: [column[i] for i in rows] for what, column in found.items()}, name, format=format)
        for name, rows in by_run.items()
    ]


# --- order ------------------------------------------------------------------------------------------------------------


def _order(rows: Rows, rule: OrderRule) -> Codes:
    """The permutation that puts groups together and each in its order."""
    if rule.by == "rank" and rows.ranks is None:
        raise InputError("the runs have no usable rank column; use --order score or file")
    if rows.ranks is not None and (rule.by == "rank" or rows.scores is None):
        return np.lexsort((rows.ranks, rows.groups))
    if rule.by == "file" or rows.scores is None:
        return np.argsort(rows.groups, kind="stable")
    steps = np.diff(rows.groups)
    if ((steps > 0) | ((steps == 0) & (np.diff(rows.scores) <= 0))).all():
        places = np.arange(len(rows.groups))
    else:
        places = np.lexsort((-rows.scores, rows.groups))
    return places if rule.ties == "file" else _with_ties(rows, places, descending=rule.ties == "docno-desc")


def _with_ties(rows: Rows, places: Codes, *, descending: bool) -> Codes:
    """Equal scores by document id: only the rows that are tied are sorted again."""
    assert rows.scores is not None
    groups, scores = rows.groups[places], rows.scores[places]
    same = (groups[1:] == groups[:-1]) & (scores[1:] == scores[:-1])
    if not same.any():
        return places
    tied = np.flatnonzero(np.r_[same, False] | np.r_[False, same])
    found, inverse = np.unique(rows.documents[places[tied]], return_inverse=True)
    compute = need("pyarrow.compute", "arrow")
    standing = compute.rank(rows.texts.take(found), sort_keys="ascending", tiebreaker="dense")
    by_text = np.asarray(standing).astype(np.int64)[inverse] * (-1 if descending else 1)
    out: Codes = places.copy()
    out[tied] = places[tied][np.lexsort((by_text, -scores[tied], groups[tied]))]
    return out


# --- judged documents -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Judged:
    """The judged documents that some run returned, by key (topic · documents + document), with their row."""

    keys: Codes
    rows: Codes
    known: NDArray[np.bool_]  # by document code: judged for some topic


def _judged(rows: Rows, judgments: Judgments) -> Judged:
    arrow, compute = need("pyarrow", "arrow"), need("pyarrow.compute", "arrow")
    sizes = [len(topic.documents) for topic in judgments.topics.values()]
    texts = arrow.array([d for topic in judgments.topics.values() for d in topic.documents], rows.texts.type)
    codes = np.asarray(compute.index_in(texts, value_set=rows.texts).fill_null(-1)).astype(np.int64)
    topics = np.repeat(np.arange(len(sizes)), sizes)
    at = np.arange(len(codes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    held = codes >= 0
    keys = topics[held] * len(rows.texts) + codes[held]
    order = np.argsort(keys)
    known = np.zeros(len(rows.texts), dtype=bool)
    known[codes[held]] = True
    return Judged(keys[order], at[held][order], known)


def _rankings(rows: Rows, judged: Judged, rule: OrderRule) -> list[Rankings]:
    places = _order(rows, rule)
    groups, documents = rows.groups[places], rows.documents[places]
    lengths = np.bincount(rows.groups, minlength=len(rows.topics) * len(rows.names))
    starts = np.cumsum(lengths) - lengths
    hits = np.flatnonzero(judged.known[documents])
    keys = groups[hits] // len(rows.names) * len(rows.texts) + documents[hits]
    found = np.searchsorted(judged.keys, keys)
    real = found < len(judged.keys)
    real[real] = judged.keys[found[real]] == keys[real]
    hits, found = hits[real], found[real]
    ranks, at = hits - starts[groups[hits]] + 1, judged.rows[found]
    bounds = np.searchsorted(groups[hits], np.arange(len(lengths) + 1)).tolist()
    topics: list[dict[str, TopicRanking]] = [{} for _ in rows.names]
    for group in np.flatnonzero(lengths).tolist():
        part = slice(bounds[group], bounds[group + 1])
        topic, run = divmod(group, len(rows.names))
        topics[run][rows.topics[topic]] = TopicRanking(ranks[part], at[part], int(lengths[group]))
    return [Rankings(name, held, {}, rule, name) for name, held in zip(rows.names, topics, strict=True)]
