"""From run files straight to rankings of judged documents, with the compiled scanner if possible.

The compiled scanner handles only ordinary files. If it finds anything else, including an error, the plain reader reads
the file again from the start: it supports every format and has the error messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from diveval import scanner, timing
from diveval.columns import Names, naturally
from diveval.errors import InputError
from diveval.judgments import Judgments
from diveval.options import Options
from diveval.rankings import Rankings, in_judged_order, judged_set, rank
from diveval.reading import read_run, run_name
from diveval.reading.formats import run_format, sniff
from diveval.reading.lines import compression, fetched, numbered_lines, open_unpacked, source_name, steady
from diveval.reading.trec import scanner_for
from diveval.runs import RUN_DUPLICATES, OrderRule, Run
from diveval.scanner import SCAN_INTERLEAVED, SCAN_OK

_PIECE = 1 << 20


def read_rankings(
    judgments: Judgments,
    path: str | Path,
    orders: Sequence[OrderRule],
    options: Options,
    *,
    keep_documents: bool = False,
) -> dict[OrderRule, Rankings]:
    """One run file under each of the orders."""
    path = fetched(path)
    with steady(path):
        scanned = None if keep_documents else _scanned(judgments, path, orders, options)
    if scanned is not None:
        return scanned
    with timing.phase("reading"):
        run = read_run(path, format=options.run_format)
    return rankings_of(judgments, run, orders, options, keep_documents=keep_documents)


def rankings_of(
    judgments: Judgments, run: Run, orders: Sequence[OrderRule], options: Options, *, keep_documents: bool
) -> dict[OrderRule, Rankings]:
    """A run in memory under each of the orders."""
    with timing.phase("matching"):
        scanned = None if keep_documents else _scanned_rows(judgments, run, orders, options)
        return scanned or {
            order: rank(judgments, run, order, duplicates=options.duplicates, keep_documents=keep_documents)
            for order in orders
        }


def _scanned_rows(
    judgments: Judgments, run: Run, orders: Sequence[OrderRule], options: Options
) -> dict[OrderRule, Rankings] | None:
    """The rankings of a table by the compiled scanner, or None if it cannot read it."""
    compiled = scanner.load()
    if compiled is None or run.rows is None or options.duplicates not in (None, *RUN_DUPLICATES):
        return None
    judged, codes = judged_set(judgments, compiled), bytes(dict.fromkeys(_code(order) for order in orders))
    for collect in (False, True):  # a second time only if topics are interleaved
        status, result = compiled.rows(judged, codes, collect, *run.rows)
        if status != SCAN_INTERLEAVED:
            break
    if status != SCAN_OK:
        return None
    _, *numbers = result
    return _rankings((run.tag, *numbers), judgments, run.name, run.source, orders, codes)


def _scanned(
    judgments: Judgments, path: str | Path, orders: Sequence[OrderRule], options: Options
) -> dict[OrderRule, Rankings] | None:
    """The rankings of a file by the compiled scanner, or None if the plain reader has to read it."""
    compiled = scanner_for(path)
    if compiled is None or options.duplicates not in (None, *RUN_DUPLICATES) or not _is_trec(path, options):
        return None
    with timing.phase("matching"):
        judged = judged_set(judgments, compiled)
    codes = bytes(dict.fromkeys(_code(order) for order in orders))
    result = _scan(compiled, path, judged, codes)
    return None if result is None else _rankings(result, judgments, run_name(path), source_name(path), orders, codes)


def _scan(compiled: Any, path: str | Path, judged: Any, codes: bytes) -> Any | None:
    for collect in (False, True):  # a second time only if topics are interleaved
        scan = compiled.open(judged, codes, collect)
        status = _feed(compiled, scan, path)
        if status == SCAN_OK:
            with timing.phase("matching"):
                status, result = compiled.finish(scan)
            if status == SCAN_OK:
                return result
        if status != SCAN_INTERLEAVED:
            break
    return None


def _is_trec(path: str | Path, options: Options) -> bool:
    if options.run_format is not None:
        return options.run_format == "trec"
    with timing.phase("reading"), closing(numbered_lines(path)) as lines:  # type: ignore[type-var]
        try:
            return sniff(lines, run_format, source_name(path))[0] == "trec"
        except InputError:  # the plain reader supports more formats, and reports the error
            return False


def _code(order: OrderRule) -> int:
    """The code of an order: `Order` in csrc/core.h."""
    if order.by == "score":
        return {"docno-desc": 0, "docno-asc": 1, "file": 2}[order.ties]
    return 3 if order.by == "rank" else 4


def _feed(compiled: Any, scan: Any, path: str | Path) -> int:
    """Feed a file's decompressed bytes to a scan; the status says whether the scanner could read them."""
    with Path(path).open("rb", buffering=0) as raw:
        if compression(raw.read(6) or b"") is None:
            raw.seek(0)
            with timing.phase("matching"):
                status, reading = compiled.read(scan, raw.fileno())
            timing.add("reading", reading)
            timing.add("matching", -reading)
            return int(status)
    status = SCAN_OK
    with open_unpacked(path) as stream:
        while status == SCAN_OK:
            with timing.phase("reading"):
                piece = stream.read(_PIECE)
            if not piece:
                break
            with timing.phase("matching"):
                status = compiled.feed(scan, piece)
    return int(status)


def _rankings(
    result: Any, judgments: Judgments, name: str, source: str, orders: Sequence[OrderRule], codes: bytes
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
        out[order] = Rankings(name, columns.by_name(), unjudged, order, source, tag, contradictions)
    return out
