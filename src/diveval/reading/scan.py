"""From run files straight to rankings of judged documents, with the compiled scanner if possible.

The compiled scanner handles only ordinary files. If it finds anything else, including an error, the plain reader reads
the file again from the start: it supports every format and has the error messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from diveval.collection.columns import Names, naturally
from diveval.collection.judgments import Judgments
from diveval.collection.rankings import Rankings, hash_judged, in_judged_order, rank
from diveval.collection.runs import Run
from diveval.errors import InputError
from diveval.reading import run_in
from diveval.reading.formats import run_format, sniff
from diveval.reading.remote import PIECE
from diveval.reading.source import OpenSource, Source, SourceLike
from diveval.settings import Options, OrderRule
from diveval.system import scanner, timing
from diveval.system.scanner import SCAN_INTERLEAVED, SCAN_OK


def read_rankings(
    judgments: Judgments,
    path: SourceLike,
    orders: Sequence[OrderRule],
    options: Options,
    *,
    keep_documents: bool = False,
) -> dict[OrderRule, Rankings]:
    """One run file under each of the orders."""
    with Source.of(path).open() as opened:
        scanned = None if keep_documents else _scan_file(judgments, opened, orders, options)
        if scanned is not None:
            return scanned
        with timing.phase("reading"):
            run = run_in(opened, format=options.run_format)
    return rankings_of(judgments, run, orders, options, keep_documents=keep_documents)


def rankings_of(
    judgments: Judgments, run: Run, orders: Sequence[OrderRule], options: Options, *, keep_documents: bool
) -> dict[OrderRule, Rankings]:
    """A run in memory under each of the orders."""
    with timing.phase("matching"):
        scanned = None if keep_documents else _scan_table(judgments, run, orders, options)
        return scanned or {
            order: rank(
                judgments,
                run,
                order,
                duplicates=options.duplicates,
                keep_documents=keep_documents,
                judged_only=options.judged_only,
            )
            for order in orders
        }


def _scan_table(
    judgments: Judgments, run: Run, orders: Sequence[OrderRule], options: Options
) -> dict[OrderRule, Rankings] | None:
    """The rankings of a table by the compiled scanner, or None if it cannot read it."""
    compiled = scanner.load()
    if compiled is None or run.rows is None:
        return None
    judged, codes = hash_judged(judgments, compiled), bytes(dict.fromkeys(_code(order) for order in orders))
    for collect in (False, True):  # a second time only if topics are interleaved
        status, result = compiled.rows(judged, codes, collect, *run.rows)
        if status != SCAN_INTERLEAVED:
            break
    if status != SCAN_OK:
        return None
    _, *numbers = result
    return _rankings((run.tag, *numbers), judgments, run.name, run.source, orders, codes, options)


def _scan_file(
    judgments: Judgments, opened: OpenSource, orders: Sequence[OrderRule], options: Options
) -> dict[OrderRule, Rankings] | None:
    """The rankings of a file by the compiled scanner, or None if the plain reader has to read it."""
    compiled = scanner.load() if opened.can_rewind and not opened.is_parquet else None
    if compiled is None or not _is_trec(opened, options):
        return None
    with timing.phase("matching"):
        judged = hash_judged(judgments, compiled)
    codes = bytes(dict.fromkeys(_code(order) for order in orders))
    result = _scan(compiled, opened, judged, codes)
    if result is None:
        return None
    return _rankings(result, judgments, opened.source.run_name, opened.name, orders, codes, options)


def _scan(compiled: Any, opened: OpenSource, judged: Any, codes: bytes) -> Any | None:
    for collect in (False, True):  # a second time only if topics are interleaved
        scan = compiled.open(judged, codes, collect)
        status = _feed(compiled, scan, opened)
        if status == SCAN_OK:
            with timing.phase("matching"):
                status, result = compiled.finish(scan)
            if status == SCAN_OK:
                return result
        if status != SCAN_INTERLEAVED:
            break
    return None


def _is_trec(opened: OpenSource, options: Options) -> bool:
    if options.run_format is not None:
        return options.run_format == "trec"
    with timing.phase("reading"):
        try:
            return sniff(opened.lines(), run_format, opened.name)[0] == "trec"
        except InputError:  # the plain reader supports more formats, and reports the error
            return False


def _code(order: OrderRule) -> int:
    """The code of an order: `Order` in csrc/core.h."""
    if order.by == "score":
        return {"docno-desc": 0, "docno-asc": 1, "file": 2}[order.ties]
    return 3 if order.by == "rank" else 4


def _feed(compiled: Any, scan: Any, opened: OpenSource) -> int:
    """Feed decompressed bytes to a scan; the status says whether the scanner could read them."""
    descriptor = opened.descriptor()
    if descriptor is not None:
        with timing.phase("matching"):
            status, reading = compiled.read(scan, descriptor)
        timing.add("reading", reading)
        timing.add("matching", -reading)
        return int(status)
    status, stream = SCAN_OK, opened.stream()
    while status == SCAN_OK:
        with timing.phase("reading"):
            piece = stream.read(PIECE)
        if not piece:
            break
        with timing.phase("matching"):
            status = compiled.feed(scan, piece)
    return int(status)


def _rankings(
    result: Any,
    judgments: Judgments,
    name: str,
    source: str,
    orders: Sequence[OrderRule],
    codes: bytes,
    options: Options,
) -> dict[OrderRule, Rankings] | None:
    """The scanner's result as rankings, equal to those of the plain reader; None for a file without lines."""
    tag, contradictions, (pair, judged_bytes, length_bytes), hits = result
    names = Names.from_pair(pair)
    if not len(names):
        return None
    judged, lengths = np.frombuffer(judged_bytes, dtype=np.int64), np.frombuffer(length_bytes, dtype=np.int64)
    unjudged = {names[i]: int(lengths[i]) for i in np.flatnonzero(judged < 0).tolist()}
    unjudged = {name: unjudged[name] for name in naturally(unjudged)}
    out = {}
    for order in orders:
        in_order = hits[codes.index(_code(order))]
        starts, (ranks, rows) = (
            np.frombuffer(in_order[0], dtype=np.int64),
            (np.frombuffer(numbers, dtype=np.int32) for numbers in in_order[1:]),
        )
        columns = in_judged_order(judgments, judged, lengths, starts, ranks, rows)
        listed = columns.condense() if options.judged_only else columns
        out[order] = Rankings(name, listed.by_name(), unjudged, order, source, tag, contradictions)
    return out
